/*
 * Probability of feasibility and utility, in logarithms: products of probabilities underflow far out, where a
 * search begins.
 */
#include "belief/belief.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "linalg/normal.h"

int ckg__belief_coordinates(const struct ckg__belief *belief)
{
    assert(belief->outcomes > 0);
    return ckg__gp_coordinates(belief->gp[0]);
}

int ckg__belief_views(const struct ckg__belief *belief, int m, const double *U, int ldu,
                      struct ckg__arena *arena, struct ckg__view *views)
{
    assert(m >= 0 && ldu >= m);

    int status = CKG_OK;

    for (int j = 0; !status && j < belief->outcomes; j++)
        status = ckg__view_make(&views[j], belief->gp[j], m, U, ldu, arena);
    return status;
}

/*
 * Where both limits are in one tail, by Mills' ratio of the nearer one: differences of a² and log W would
 * lose all digits far out.
 */
void ckg__density_ratios(double a, double b, double *at_a, double *at_b)
{
    assert(a < b);

    if (a >= 0) { /* the mirror image lies in the lower tail */
        ckg__density_ratios(-b, -a, at_b, at_a);
    } else if (b <= 0) {
        const double share = -expm1(ckg__normal_log_cdf(a) - ckg__normal_log_cdf(b));
        *at_b = ckg__normal_mills(b) / share;
        *at_a = *at_b * exp(0.5 * (b - a) * (b + a));
    } else {
        const double width = ckg__normal_cdf(b) - ckg__normal_cdf(a);
        *at_a = ckg__normal_pdf(a) / width;
        *at_b = ckg__normal_pdf(b) / width;
    }
}

/* Within two limits: log(Φ(b) − Φ(a)) and its slopes; a variance at its floor does not move. */
static void log_within(double a, double b, double s, int floored, double *log_p, double *in_mean,
                       double *in_var)
{
    double at_a, at_b;
    *log_p += ckg__normal_log_interval(a, b);
    if (!in_mean)
        return;
    ckg__density_ratios(a, b, &at_a, &at_b);
    *in_mean = (at_a - at_b) / s;
    *in_var = floored ? 0 : (a * at_a - b * at_b) / (2 * s * s);
}

struct ckg__limits ckg__belief_limits(const struct ckg__belief *belief, int j)
{
    const struct ckg__gp *gp = belief->gp[j];

    assert(j > 0 && j < belief->outcomes);
    return (struct ckg__limits){belief->lower[j], belief->upper[j], ckg__variance_floor(gp),
                                ckg__gp_chance(gp)};
}

void ckg__log_feasible(int m, const double *mean, const double *var, const struct ckg__limits *limits,
                       double *log_pf, double *in_mean, double *in_var)
{
    const double lower = limits->lower;
    const double upper = limits->upper;
    const double floor = limits->floor;

    assert(floor >= 0 && limits->chance >= 0 && lower <= upper);
    assert(!in_mean == !in_var);

    const int one_sided = isinf(lower) || isinf(upper);

    for (int p = 0; p < m; p++) {
        const double s = sqrt((var[p] > floor ? var[p] : floor) + limits->chance);
        if (!one_sided) {
            log_within((lower - mean[p]) / s, (upper - mean[p]) / s, s, !(var[p] > floor), &log_pf[p],
                       in_mean ? &in_mean[p] : NULL, in_var ? &in_var[p] : NULL);
            continue;
        }
        const double sign = isinf(lower) ? -1 : 1;
        const double limit = isinf(lower) ? upper : lower;
        const double z = sign * (mean[p] - limit) / s;
        log_pf[p] += ckg__normal_log_cdf(z);
        if (in_mean) {
            const double mills = ckg__normal_mills(z);
            in_mean[p] = sign * mills / s;
            in_var[p] = var[p] > floor ? -0.5 * z * mills / (s * s) : 0;
        }
    }
}

void ckg__belief_log_feasible(const struct ckg__belief *belief, const struct ckg__view *views, double *log_pf)
{
    const int m = views[0].m;
    memset(log_pf, 0, (size_t)m * sizeof *log_pf);
    for (int j = 1; j < belief->outcomes; j++) {
        const struct ckg__limits limits = ckg__belief_limits(belief, j);
        ckg__log_feasible(m, views[j].mean, views[j].var, &limits, log_pf, NULL, NULL);
    }
}

/* Room for a batch with gradients. */
static int batch_take(struct ckg__batch *batch, int D, int m, struct ckg__arena *arena)
{
    batch->mean = ckg__arena_doubles(arena, (size_t)m);
    batch->var = ckg__arena_doubles(arena, (size_t)m);
    batch->dmean = ckg__arena_doubles(arena, (size_t)D * (size_t)m);
    batch->dvar = ckg__arena_doubles(arena, (size_t)D * (size_t)m);
    return batch->mean && batch->var && batch->dmean && batch->dvar ? CKG_OK : CKG_ERR_NOMEM;
}

int ckg__belief_log_feasible_batch(const struct ckg__belief *belief, int m, const double *U, int ldu,
                                   struct ckg__arena *arena, double *log_pf, double *gradient)
{
    assert(m >= 0 && ldu >= m);

    struct ckg__arena_mark mark = ckg__arena_mark(arena);
    const int D = ckg__belief_coordinates(belief);
    struct ckg__batch batch;
    double *in_mean = ckg__arena_doubles(arena, (size_t)m);
    double *in_var = ckg__arena_doubles(arena, (size_t)m);

    if (!in_mean || !in_var || batch_take(&batch, D, m, arena))
        return CKG_ERR_NOMEM;
    for (int j = 1; j < belief->outcomes; j++) {
        const struct ckg__limits limits = ckg__belief_limits(belief, j);
        if (ckg__posterior_batch(belief->gp[j], m, U, ldu, arena, &batch, NULL))
            return CKG_ERR_NOMEM;
        ckg__log_feasible(m, batch.mean, batch.var, &limits, log_pf, in_mean, in_var);
        for (int k = 0; k < D; k++)
            for (int p = 0; p < m; p++) {
                const size_t at = (size_t)k * (size_t)m + (size_t)p;
                gradient[at] += in_mean[p] * batch.dmean[at] + in_var[p] * batch.dvar[at];
            }
    }
    ckg__arena_release(arena, mark);
    return CKG_OK;
}

int ckg__belief_log_utility_batch(const struct ckg__belief *belief, int m, const double *U, int ldu,
                                  struct ckg__arena *arena, double *value, double *gradient)
{
    assert(m >= 0 && ldu >= m);

    const int D = ckg__belief_coordinates(belief);

    if (ckg__posterior_mean(belief->gp[0], m, U, ldu, arena, value, gradient))
        return CKG_ERR_NOMEM;
    for (int p = 0; p < m; p++) {
        const double gain = value[p] - belief->penalty;
        value[p] = gain > 0 ? log(gain) : -INFINITY;
        for (int k = 0; k < D; k++)
            gradient[(size_t)k * (size_t)m + (size_t)p] *= gain > 0 ? 1 / gain : 0;
    }
    return ckg__belief_log_feasible_batch(belief, m, U, ldu, arena, value, gradient);
}

double ckg__belief_violation(const struct ckg__belief *belief, const double *const *value, int at)
{
    double violation = 0;
    for (int j = 1; j < belief->outcomes; j++)
        violation += fmax(0, fmax(value[j][at] - belief->upper[j], belief->lower[j] - value[j][at]));
    return violation;
}

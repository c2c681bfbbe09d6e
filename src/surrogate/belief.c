/*
 * Probability of feasibility and utility, in logarithms: products of probabilities underflow far out, where a
 * search begins.
 */
#include "surrogate/belief.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/maths.h"
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
        const double share = -ckg__expm1(ckg__normal_log_cdf(a) - ckg__normal_log_cdf(b));
        *at_b = ckg__normal_mills(b) / share;
        *at_a = *at_b * ckg__exp(0.5 * (b - a) * (b + a));
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
    *log_p = ckg__normal_log_interval(a, b);
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
    const double chance = ckg__gp_chance(gp);
    return (struct ckg__limits){belief->lower[j], belief->upper[j],     ckg__variance_floor(gp),
                                chance,           belief->roughness[j], chance > 0 ? 0 : belief->favour};
}

double ckg__inflated(double var, double roughness, double *slope)
{
    const double most = fmax(var, 1);
    const double wide = roughness > 0 ? roughness * var : var;

    if (slope)
        *slope = wide > most ? var > 1 : roughness > 0 ? roughness : 1;
    return fmin(wide, most);
}

/* One limit at z standard deviations inside, `sign` 1 where it is the lower one: log Φ(z) and its slopes. */
static void log_beyond(double z, double sign, double s, int floored, double *log_p, double *in_mean,
                       double *in_var)
{
    *log_p = ckg__normal_log_cdf(z);
    if (!in_mean)
        return;
    const double mills = ckg__normal_mills(z);
    *in_mean = sign * mills / s;
    *in_var = floored ? 0 : -0.5 * z * mills / (s * s);
}

/* log min(e^favour·p, 1): it does not move where that is 1. */
static void favour_one(double favour, double *log_p, double *in_mean, double *in_var)
{
    if (*log_p + favour < 0) {
        *log_p += favour;
        return;
    }
    *log_p = 0;
    if (in_mean)
        *in_mean = *in_var = 0;
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
        double slope;
        const int floored = !(var[p] > floor);
        const double wide = ckg__inflated(floored ? floor : var[p], limits->roughness, &slope);
        const double s = sqrt(wide + limits->chance);
        const double a = (lower - mean[p]) / s;
        const double b = (upper - mean[p]) / s;
        double *dm = in_mean ? &in_mean[p] : NULL;
        double *dv = in_var ? &in_var[p] : NULL;
        double log_p;

        if (!one_sided)
            log_within(a, b, s, floored, &log_p, dm, dv);
        else
            log_beyond(isinf(lower) ? b : -a, isinf(lower) ? -1 : 1, s, floored, &log_p, dm, dv);
        if (dv)
            *dv *= slope;
        if (limits->favour > 0)
            favour_one(limits->favour, &log_p, dm, dv);
        log_pf[p] += log_p;
    }
}

double ckg__belief_join(const struct ckg__belief *belief, const double *log_p)
{
    double sum = 0;

    for (int j = 1; j < belief->outcomes; j = ckg__belief_after(belief, j)) {
        double worst = log_p[j];
        for (int k = j + 1; k < ckg__belief_after(belief, j); k++)
            worst = fmin(worst, log_p[k]);
        sum += worst;
    }
    return sum;
}

/* Outcome j's log probability, added to log_pf (m). */
static void add_outcome(const struct ckg__belief *belief, int j, const struct ckg__view *view, int m,
                        double *log_pf)
{
    const struct ckg__limits limits = ckg__belief_limits(belief, j);

    ckg__log_feasible(m, view->mean, view->var, &limits, log_pf, NULL, NULL);
}

/* The smallest log probability of the group from j to before `end`, added to log_pf (m). */
static void add_group(const struct ckg__belief *belief, int j, int end, const struct ckg__view *views, int m,
                      double *log_pf)
{
    for (int p = 0; p < m; p++) {
        double worst = INFINITY;
        for (int k = j; k < end; k++) {
            const struct ckg__view at = {.mean = views[k].mean + p, .var = views[k].var + p};
            double one = 0;
            add_outcome(belief, k, &at, 1, &one);
            worst = fmin(worst, one);
        }
        log_pf[p] += worst;
    }
}

void ckg__belief_log_feasible(const struct ckg__belief *belief, const struct ckg__view *views, double *log_pf)
{
    const int m = views[0].m;
    int next;

    memset(log_pf, 0, (size_t)m * sizeof *log_pf);
    for (int j = 1; j < belief->outcomes; j = next) {
        next = ckg__belief_after(belief, j);
        if (next == j + 1)
            add_outcome(belief, j, &views[j], m, log_pf);
        else
            add_group(belief, j, next, views, m, log_pf);
    }
}

int ckg__batch_take(struct ckg__batch *batch, int D, int m, struct ckg__arena *arena)
{
    return CKG__TAKE(arena, CKG__ROOM(batch->mean, m), CKG__ROOM(batch->var, m),
                     CKG__ROOM(batch->dmean, (size_t)D * (size_t)m),
                     CKG__ROOM(batch->dvar, (size_t)D * (size_t)m));
}

int ckg__batch_at(const struct ckg__gp *gp, int m, const double *U, int ldu, int gradients,
                  struct ckg__arena *arena, struct ckg__batch *batch)
{
    struct ckg__view view;

    if (gradients) {
        const int status = ckg__batch_take(batch, ckg__gp_coordinates(gp), m, arena);
        return status ? status : ckg__posterior_batch(gp, m, U, ldu, arena, batch, NULL);
    }
    const int status = ckg__view_make(&view, gp, m, U, ldu, arena);
    *batch = (struct ckg__batch){.mean = view.mean, .var = view.var};
    return status;
}

/* Scratch for a batch of one outcome: its log probability with slopes. */
struct factor {
    struct ckg__batch batch;
    double *log_p, *in_mean, *in_var; /* (m) */
};

static int factor_take(struct factor *f, int D, int m, struct ckg__arena *arena)
{
    if (CKG__TAKE(arena, CKG__ROOM(f->log_p, m), CKG__ROOM(f->in_mean, m), CKG__ROOM(f->in_var, m)))
        return CKG_ERR_NOMEM;
    return ckg__batch_take(&f->batch, D, m, arena);
}

/*
 * The outcomes from j to before `end`, of which the least likely counts at each point: worst (m) and its
 * gradient (D×m).
 */
static int group_at(const struct ckg__belief *belief, int j, int end, int m, const double *U, int ldu,
                    struct ckg__arena *arena, struct factor *f, double *worst, double *gradient)
{
    const size_t size = (size_t)ckg__belief_coordinates(belief) * (size_t)m;

    for (int k = j; k < end; k++) {
        const struct ckg__limits limits = ckg__belief_limits(belief, k);
        memset(f->log_p, 0, (size_t)m * sizeof *f->log_p);
        if (ckg__posterior_batch(belief->gp[k], m, U, ldu, arena, &f->batch, NULL))
            return CKG_ERR_NOMEM;
        ckg__log_feasible(m, f->batch.mean, f->batch.var, &limits, f->log_p, f->in_mean, f->in_var);
        for (int p = 0; p < m; p++) {
            if (k > j && !(f->log_p[p] < worst[p]))
                continue;
            worst[p] = f->log_p[p];
            for (size_t at = (size_t)p; at < size; at += (size_t)m)
                gradient[at] = f->in_mean[p] * f->batch.dmean[at] + f->in_var[p] * f->batch.dvar[at];
        }
    }
    return CKG_OK;
}

/* Adds a group's share to log_pf (m) and its gradient (D×m). */
static int add_group_batch(const struct ckg__belief *belief, int j, int end, int m, const double *U, int ldu,
                           struct ckg__arena *arena, struct factor *f, double *log_pf, double *gradient)
{
    struct ckg__arena_mark mark = ckg__arena_mark(arena);
    const size_t size = (size_t)ckg__belief_coordinates(belief) * (size_t)m;
    double *worst, *slope;

    if (CKG__TAKE(arena, CKG__ROOM(worst, m + 1), CKG__ROOM(slope, size + 1)) ||
        group_at(belief, j, end, m, U, ldu, arena, f, worst, slope))
        return CKG_ERR_NOMEM;
    for (int p = 0; p < m; p++)
        log_pf[p] += worst[p];
    for (size_t i = 0; i < size; i++)
        gradient[i] += slope[i];
    ckg__arena_release(arena, mark);
    return CKG_OK;
}

int ckg__belief_log_feasible_batch(const struct ckg__belief *belief, int m, const double *U, int ldu,
                                   struct ckg__arena *arena, double *log_pf, double *gradient)
{
    assert(m >= 0 && ldu >= m);

    struct ckg__arena_mark mark = ckg__arena_mark(arena);
    struct factor f;
    int next;

    int status = factor_take(&f, ckg__belief_coordinates(belief), m, arena);
    for (int j = 1; !status && j < belief->outcomes; j = next) {
        next = ckg__belief_after(belief, j);
        status = add_group_batch(belief, j, next, m, U, ldu, arena, &f, log_pf, gradient);
    }
    ckg__arena_release(arena, mark);
    return status;
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
        value[p] = gain > 0 ? ckg__log(gain) : -INFINITY;
        for (int k = 0; k < D; k++)
            gradient[(size_t)k * (size_t)m + (size_t)p] *= gain > 0 ? 1 / gain : 0;
    }
    return ckg__belief_log_feasible_batch(belief, m, U, ldu, arena, value, gradient);
}

/*
 * By how much a value breaks the limits of outcome j. One that chance decides has no unit that others could
 * be compared in, and grows without end where evaluations fail for good: it counts as 1 at most.
 */
static double broken_by(const struct ckg__belief *belief, int j, double value)
{
    const double excess = fmax(0, fmax(value - belief->upper[j], belief->lower[j] - value));

    return ckg__gp_chance(belief->gp[j]) > 0 ? excess / (1 + excess) : excess;
}

double ckg__belief_violation(const struct ckg__belief *belief, const double *const *value, int at)
{
    double violation = 0;
    int next;

    for (int j = 1; j < belief->outcomes; j = next) {
        double most = 0;
        next = ckg__belief_after(belief, j);
        for (int k = j; k < next; k++)
            most = fmax(most, broken_by(belief, k, value[k][at]));
        violation += most;
    }
    return violation;
}

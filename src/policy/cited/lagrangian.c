/*
 * Expected improvement of an augmented Lagrangian over draws (lagrangian.h has the formulas). Given the
 * constraints, L is normal through the objective alone, so that its improvement is s·h((L⁺ − m)/s): draws are
 * needed for the constraints only. Cost per point: draws × K.
 */
#include "policy/cited/lagrangian.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/maths.h"
#include "linalg/logarithm.h"
#include "linalg/normal.h"

double ckg__multiplied_excess(const struct ckg__multiplied *term, double y, double *slope)
{
    const double above = y - (term->equal ? term->target : term->upper);
    const double below = term->lower - y;
    const int is_above = term->equal || above >= below;

    if (slope)
        *slope = is_above ? 1 : -1;
    return is_above ? above : below;
}

/* λc + max(0, c)²/(2ρ), or b²/(2ρ) − λ²ρ/2; *slope is what it grows by with c. */
static double penalty(const struct ckg__lagrangian *l, const struct ckg__multiplied *term, double c,
                      double *slope)
{
    const double shift = l->slack ? term->lambda * l->rho : 0;
    const double b = term->equal ? c + shift : fmax(0, c + shift);

    *slope = b / l->rho + (l->slack ? 0 : term->lambda);
    return b * b / (2 * l->rho) + (l->slack ? -0.5 * l->rho * term->lambda * term->lambda : term->lambda * c);
}

double ckg__lagrangian_at(const struct ckg__lagrangian *l, const double *y)
{
    double sum = -y[0];

    for (int j = 1; j < l->outcomes; j++) {
        double unused;
        if (!l->term[j].by_chance)
            sum += penalty(l, &l->term[j], ckg__multiplied_excess(&l->term[j], y[j], NULL), &unused);
    }
    return sum;
}

/*
 * Draw i of constraint j: its penalty, and the slopes of that in the mean and the standard deviation. Draws
 * go the way in which the limit is broken, so that stating it the other way round changes nothing.
 */
static double drawn(const struct ckg__lagrangian *l, int i, int j, double mean, double sd, double *in_mean,
                    double *in_sd)
{
    const struct ckg__multiplied *term = &l->term[j];
    const double side = !term->equal && isinf(term->upper) ? -1 : 1;
    const double z = side * l->z[(size_t)i * (size_t)l->outcomes + (size_t)j];
    double turn;
    double slope;
    const double c = ckg__multiplied_excess(term, mean + sd * z, &turn);
    const double value = penalty(l, term, c, &slope);

    *in_mean = slope * turn;
    *in_sd = slope * turn * z;
    return value;
}

/* The Lagrangian's mean given draw i of the constraints. */
static double mean_of_draw(const struct ckg__lagrangian *l, int i, const double *mean, const double *sd)
{
    double sum = -mean[0];

    for (int j = 1; j < l->outcomes; j++) {
        double unused[2];
        if (!l->term[j].by_chance)
            sum += drawn(l, i, j, mean[j], sd[j], &unused[0], &unused[1]);
    }
    return sum;
}

/* Adds the slopes of draw i, whose share in the sum is `share`. */
static void add_slopes(const struct ckg__lagrangian *l, int i, double share, const double *mean,
                       const double *sd, double *in_mean, double *in_var)
{
    const double s = sd[0];
    const double u = (l->best - mean_of_draw(l, i, mean, sd)) / s;
    const double slope = ckg__normal_log_ei_slope(u);

    in_mean[0] += share * slope / s;
    in_var[0] += share * (1 - slope * u) / (2 * s * s);
    for (int j = 1; j < l->outcomes; j++) {
        double by_mean;
        double by_sd;
        if (l->term[j].by_chance)
            continue;
        drawn(l, i, j, mean[j], sd[j], &by_mean, &by_sd);
        in_mean[j] -= share * slope / s * by_mean;
        in_var[j] -= sd[j] > 0 ? share * slope / s * by_sd / (2 * sd[j]) : 0;
    }
}

double ckg__lagrangian_sampled(const struct ckg__lagrangian *l, const double *mean, const double *var,
                               double *in_mean, double *in_var)
{
    double sd[CKG__MAX_OUTCOMES];
    double sum = -INFINITY;

    assert(var[0] > 0 && l->draws > 0 && l->rho > 0);
    for (int j = 0; j < l->outcomes; j++)
        sd[j] = sqrt(var[j]);

    /* The improvement, averaged. */
    for (int i = 0; i < l->draws; i++)
        sum = ckg__log_sum(sum, ckg__normal_log_ei((l->best - mean_of_draw(l, i, mean, sd)) / sd[0]));

    /* And its slopes, each draw by its share. */
    for (int j = 0; in_mean && j < l->outcomes; j++)
        in_mean[j] = in_var[j] = 0;
    for (int i = 0; in_mean && i < l->draws; i++) {
        const double one = ckg__normal_log_ei((l->best - mean_of_draw(l, i, mean, sd)) / sd[0]);
        const double share = ckg__exp(one - sum);
        if (share > 0)
            add_slopes(l, i, share, mean, sd, in_mean, in_var);
    }
    return sum - ckg__log(l->draws) + ckg__log(sd[0]);
}

/* --- at points --- */

/* What the belief says of all outcomes at the points. */
struct moments {
    struct ckg__batch of[CKG__MAX_OUTCOMES];
};

static int moments_take(const struct ckg__belief *belief, int m, const double *U, int ldu, int slopes,
                        struct ckg__arena *arena, struct moments *out)
{
    const size_t size = (size_t)ckg__belief_coordinates(belief) * (size_t)m;

    for (int j = 0; j < belief->outcomes; j++) {
        struct ckg__view view;

        if (!slopes) {
            if (ckg__view_make(&view, belief->gp[j], m, U, ldu, arena))
                return CKG_ERR_NOMEM;
            out->of[j] = (struct ckg__batch){.mean = view.mean, .var = view.var};
            continue;
        }
        out->of[j] = (struct ckg__batch){
            ckg__arena_doubles(arena, (size_t)m + 1), ckg__arena_doubles(arena, (size_t)m + 1),
            ckg__arena_doubles(arena, size + 1), ckg__arena_doubles(arena, size + 1)};
        if (!out->of[j].mean || !out->of[j].var || !out->of[j].dmean || !out->of[j].dvar ||
            ckg__posterior_batch(belief->gp[j], m, U, ldu, arena, &out->of[j], NULL))
            return CKG_ERR_NOMEM;
    }
    return CKG_OK;
}

/* The value at one point, its means and variances given, and the slopes in them. */
static double value_at(const struct ckg__lagrangian *l, const struct ckg__belief *belief, const double *mean,
                       double *var, double *in_mean, double *in_var)
{
    int floored[CKG__MAX_OUTCOMES];

    /* Variances no smaller than rounding leaves them. */
    for (int j = 0; j < belief->outcomes; j++) {
        const double floor = ckg__variance_floor(belief->gp[j]);
        floored[j] = !(var[j] > floor);
        var[j] = floored[j] ? floor : var[j];
    }

    /* The improvement, and the probability of what chance decides. */
    double value = l->slack ? ckg__lagrangian_slack(l, mean, var, in_mean, in_var)
                            : ckg__lagrangian_sampled(l, mean, var, in_mean, in_var);
    for (int j = 1; j < belief->outcomes; j++)
        if (l->term[j].by_chance) {
            const struct ckg__limits limits = ckg__belief_limits(belief, j);
            double slope[2];
            ckg__log_feasible(1, &mean[j], &var[j], &limits, &value, &slope[0], &slope[1]);
            if (in_mean) {
                in_mean[j] = slope[0];
                in_var[j] = slope[1];
            }
        }
    for (int j = 0; in_mean && j < belief->outcomes; j++)
        in_var[j] = floored[j] ? 0 : in_var[j];
    return value;
}

int ckg__lagrangian_batch(const struct ckg__lagrangian *l, const struct ckg__belief *belief, int m,
                          const double *U, int ldu, struct ckg__arena *arena, double *value, double *gradient)
{
    struct ckg__arena_mark mark = ckg__arena_mark(arena);
    const size_t points = (size_t)m;
    const size_t size = (size_t)ckg__belief_coordinates(belief) * points;
    struct moments *moments = ckg__arena_get(arena, 1, sizeof *moments);

    assert(l->outcomes == belief->outcomes);
    if (!moments || moments_take(belief, m, U, ldu, gradient != NULL, arena, moments))
        return CKG_ERR_NOMEM;
    if (gradient)
        memset(gradient, 0, size * sizeof *gradient);

    for (size_t p = 0; p < points; p++) {
        double mean[CKG__MAX_OUTCOMES], var[CKG__MAX_OUTCOMES];
        double in_mean[CKG__MAX_OUTCOMES], in_var[CKG__MAX_OUTCOMES];

        /* The value there. */
        for (int j = 0; j < belief->outcomes; j++) {
            mean[j] = moments->of[j].mean[p];
            var[j] = moments->of[j].var[p];
        }
        value[p] = value_at(l, belief, mean, var, gradient ? in_mean : NULL, gradient ? in_var : NULL);

        /* And on to the point. */
        for (int j = 0; gradient && j < belief->outcomes; j++)
            for (size_t at = p; at < size; at += points)
                gradient[at] += in_mean[j] * moments->of[j].dmean[at] + in_var[j] * moments->of[j].dvar[at];
    }
    ckg__arena_release(arena, mark);
    return CKG_OK;
}

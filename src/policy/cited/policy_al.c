/*
 * Expected improvement of the augmented Lagrangian: constraints become part of what is minimised, by
 * multipliers and a penalty that the trials move (multipliers.h). Over draws of the constraints, common to
 * all designs. Given the
 * constraints, L is normal through the objective alone, so that its improvement is s·h((L⁺ − m)/s): draws are
 * needed for the constraints only. Cost per point: draws × K.
 */
#include <assert.h>
#include <math.h>

#include "base/maths.h"
#include "linalg/logarithm.h"
#include "linalg/normal.h"
#include "policy/policy.h"
#include "policy/cited/multipliers.h"

/* clang-format off */
#define SETTINGS(X) \
    CKG__ASCENT_SETTINGS(X) \
    X(draws, {.value = 128}, 2, 10000, 1, "of the constraints")
/* clang-format on */
CKG__SETTINGS(settings, parameters, SETTINGS);

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
    const double value = ckg__multiplied_penalty(l, term, c, &slope);

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

static int acquire(struct ckg__search *search, struct ckg__acquisition *acquisition)
{
    const struct settings *set = search->settings;

    return ckg__multipliers_acquire(search, 0, (int)set->draws, acquisition);
}

const struct ckg__policy ckg__policy_al = {
    .name = "al",
    .title = "expected improvement of the augmented Lagrangian",
    .reference = "Gramacy, Gray, Le Digabel, Lee, Ranjan, Wells and Wild 2016",
    .value = "log of the expected improvement of the augmented Lagrangian",
    CKG__TABLE(parameters),
    CKG__ASCENT,
    .acquire = acquire};

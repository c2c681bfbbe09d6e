/*
 * How far limits are expected to be broken. For a normal outcome of mean μ and standard deviation s and an
 * upper limit U, E max(0, Y − U) = s·h((μ − U)/s) with h(z) = φ(z) + zΦ(z); its slopes are Φ(z) in μ and φ(z)
 * in s. Unlike a probability it still tells designs apart where none has a chance: the nearer one is better,
 * and of two equally near ones the one that is better known.
 */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/maths.h"
#include "surrogate/belief.h"
#include "linalg/normal.h"

/* Adds E max(0, sign·(Y − limit)), and its slopes in the mean and in the variance. */
static void add_side(double sign, double limit, double mean, double s, double *value, double *in_mean,
                     double *in_var)
{
    if (isinf(limit))
        return;
    const double z = sign * (mean - limit) / s;

    *value += s * ckg__normal_ei(z);
    *in_mean += sign * ckg__normal_cdf(z);
    *in_var += ckg__normal_pdf(z) / (2 * s);
}

/* The same for one that chance decides: how likely it is to fail, for it has no unit to compare in. */
static void add_failing(const struct ckg__limits *limits, double mean, double var, double *value,
                        double *in_mean, double *in_var)
{
    double log_p = 0;
    double mean_slope, var_slope;

    ckg__log_feasible(1, &mean, &var, limits, &log_p, &mean_slope, &var_slope);
    *value += -ckg__expm1(log_p);
    *in_mean -= ckg__exp(log_p) * mean_slope;
    *in_var -= ckg__exp(log_p) * var_slope;
}

double ckg__limits_expected_violation(const struct ckg__limits *limits, double mean, double var,
                                      double *in_mean, double *in_var)
{
    const double s = sqrt(var > limits->floor ? var : limits->floor);
    double value = 0;

    *in_mean = *in_var = 0;
    if (limits->chance > 0)
        add_failing(limits, mean, var, &value, in_mean, in_var);
    else {
        add_side(1, limits->upper, mean, s, &value, in_mean, in_var);
        add_side(-1, limits->lower, mean, s, &value, in_mean, in_var);
    }
    if (!(var > limits->floor))
        *in_var = 0;
    return value;
}

int ckg__belief_expected_violation_batch(const struct ckg__belief *belief, int m, const double *U, int ldu,
                                         struct ckg__arena *arena, double *value, double *gradient)
{
    struct ckg__arena_mark mark = ckg__arena_mark(arena);
    const size_t points = (size_t)m;
    const size_t size = points * (size_t)ckg__belief_coordinates(belief);
    struct ckg__batch batch;

    assert(m >= 0 && ldu >= m);
    if (ckg__batch_take(&batch, ckg__belief_coordinates(belief), m, arena))
        return CKG_ERR_NOMEM;
    for (int j = 1; j < belief->outcomes; j++) {
        const struct ckg__limits limits = ckg__belief_limits(belief, j);
        if (ckg__posterior_batch(belief->gp[j], m, U, ldu, arena, &batch, NULL))
            return CKG_ERR_NOMEM;
        for (size_t p = 0; p < points; p++) {
            double in_mean, in_var;
            value[p] += ckg__limits_expected_violation(&limits, batch.mean[p], batch.var[p], &in_mean,
                                                       &in_var);
            for (size_t at = p; at < size; at += points)
                gradient[at] += in_mean * batch.dmean[at] + in_var * batch.dvar[at];
        }
    }
    ckg__arena_release(arena, mark);
    return CKG_OK;
}

/* log-cEI of a batch of points (cei.h has the formula). Cost: one posterior batch per outcome. */
#include "acquisition/cei.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/maths.h"
#include "linalg/normal.h"

/* log EI and its slopes in mean and variance. */
static double log_improvement(double mean, double var, double floor, double best, double *in_mean,
                              double *in_var)
{
    assert(floor >= 0);

    const double s = sqrt(var > floor ? var : floor);
    const double z = (mean - best) / s;
    const double slope = ckg__normal_log_ei_slope(z);
    *in_mean = slope / s;
    *in_var = var > floor ? (1 - slope * z) / (2 * s * s) : 0;
    return ckg__log(s) + ckg__normal_log_ei(z);
}

/* The values alone, which need no slopes of the posterior. */
static int values_at(const struct ckg__belief *belief, double best, int m, const double *U, int ldu,
                     struct ckg__arena *arena, double *value)
{
    struct ckg__view view[CKG__MAX_OUTCOMES];
    double in_mean;
    double in_var;

    if (ckg__belief_views(belief, m, U, ldu, arena, view))
        return CKG_ERR_NOMEM;
    ckg__belief_log_feasible(belief, view, value);
    for (int p = 0; best > -INFINITY && p < m; p++)
        value[p] += log_improvement(view[0].mean[p], view[0].var[p], ckg__variance_floor(belief->gp[0]), best,
                                    &in_mean, &in_var);
    return CKG_OK;
}

int ckg__cei_batch(const struct ckg__belief *belief, double best, int m, const double *U, int ldu,
                   struct ckg__arena *arena, double *value, double *gradient)
{
    assert(m >= 0 && ldu >= m);
    assert(!isnan(best));
    if (!gradient)
        return values_at(belief, best, m, U, ldu, arena, value);

    const struct ckg__gp *gp = belief->gp[0];
    const size_t D = (size_t)ckg__gp_coordinates(gp);

    /* A sum of logarithms, one for each factor. */
    memset(value, 0, (size_t)m * sizeof *value);
    memset(gradient, 0, D * (size_t)m * sizeof *gradient);

    /* The improvement, where there is a best value to improve on. */
    if (best > -INFINITY) {
        struct ckg__batch batch;
        if (ckg__batch_at(gp, m, U, ldu, 1, arena, &batch))
            return CKG_ERR_NOMEM;

        for (int p = 0; p < m; p++) {
            double in_mean;
            double in_var;
            value[p] = log_improvement(batch.mean[p], batch.var[p], ckg__variance_floor(gp), best, &in_mean,
                                       &in_var);
            for (size_t at = (size_t)p; at < D * (size_t)m; at += (size_t)m)
                gradient[at] = in_mean * batch.dmean[at] + in_var * batch.dvar[at];
        }
    }

    /* The probability of feasibility. */
    return ckg__belief_log_feasible_batch(belief, m, U, ldu, arena, value, gradient);
}

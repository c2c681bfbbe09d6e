/*
 * Measurements with normal noise whose estimated variance varies over the space: those of
 * likelihood_normal.c, for which each row says how loud it is there. A further evaluation is as loud as the
 * process of the noise has it (noise_process.h).
 */
#include <math.h>

#include "base/alloc.h"
#include "base/maths.h"
#include "model/gp_private.h"

/* The process keeps the loudness of its noise, for evaluations to come. */
static int keep_loudness(struct ckg__gp *gp, const struct ckg__loudness *loudness)
{
    const size_t size = ckg__loudness_numbers(loudness->D, loudness->places);

    if (size > gp->loud_size) {
        ckg__free(gp->loud_room);
        gp->loud_size = 0;
        gp->loud_room = ckg__alloc(size, sizeof(double));
        if (!gp->loud_room)
            return CKG_ERR_NOMEM;
        gp->loud_size = size;
    }
    gp->loudness = ckg__loudness_copy(loudness, gp->loud_room);
    return CKG_OK;
}

static int condition(struct ckg__gp *gp, const struct ckg__gp_inputs *in, const double *theta,
                     struct ckg__arena *arena)
{
    const int status = keep_loudness(gp, in->series->loudness);
    return status ? status : ckg__likelihood_normal.condition(gp, in, theta, arena);
}

static double density(const struct ckg__gp_inputs *in, const double *theta, double *gradient,
                      struct ckg__fit_work *work)
{
    return ckg__likelihood_normal.density(in, theta, gradient, work);
}

/* As loud as it is there: σ²·exp(g), with the slope of g. */
static void noise(const struct ckg__gp *gp, int m, const double *U, int ldu, const double *mean,
                  const double *var, struct ckg__noise *out)
{
    struct ckg__noise still = {out->var, out->in_mean, out->in_var, NULL};

    ckg__likelihood_normal.noise(gp, m, U, ldu, mean, var, &still);
    ckg__loudness_at(&gp->loudness, m, U, ldu, out->var, out->in_u);
    for (int p = 0; p < m; p++) {
        const double own = gp->noise * ckg__exp(out->var[p]);
        out->var[p] = gp->unit * gp->nugget + own;
        for (int k = 0; out->in_u && k < gp->D; k++)
            out->in_u[(size_t)k * (size_t)m + (size_t)p] *= own;
    }
}

static int applies(const struct ckg__series *series)
{
    return series->loudness != NULL;
}

const struct ckg__likelihood ckg__likelihood_varying = {
    .name = "varying",
    .varies = 1,
    .applies = applies,
    .moments = ckg__scaling_moments,
    .density = density,
    .condition = condition,
    .noise = noise,
};

/*
 * Measurements with normal noise whose estimated variance varies over the space: those of
 * likelihood_normal.c, for which each row says how loud it is there. A further evaluation is as loud as the
 * process of the noise has it (noise_process.h).
 *
 * The process and that of its noise are fitted in turn: the noise at the hyperparameters, then these with the
 * noise that varies, then the noise again. Where the problem leaves it open, noise varies if the evidence is
 * clear. What one density tells decides whether it is worth a fit, so that outcomes whose noise is the same
 * everywhere cost next to nothing, and are modelled as if nobody had asked.
 */
#include <math.h>

#include "base/maths.h"
#include "model/gp_private.h"
#include "model/noise_process.h"

/* --- when it applies, and the fit --- */

/* Fewer rows say nothing of how noise varies; with fewer than MANY nobody asks unless told to. */
enum { FEWEST = 10, MANY = 30, EVALUATIONS = 20 };

/* The log evidence that it takes to try, seen from noise of one variance; to let noise vary; to let it go on.
 */
static const double gain_to_try = 3;
static const double gain_to_begin = 6;
static const double gain_to_stay = 2;

/* The same where the problem says that it varies: as soon as the data favour that. */
static const double gain_if_told = 1;

static double needs(const struct ckg_problem *problem, int outcome, const struct ckg__series *series,
                    int present, int open)
{
    const int told = problem->outcome[outcome].noise == CKG_NOISE_VARYING;

    if (!series->estimated || series->n < FEWEST)
        return INFINITY;
    if (told || present)
        return told ? gain_if_told : gain_to_stay;
    return open && series->n >= MANY ? gain_to_begin : INFINITY;
}

static int lay_out(const struct ckg__gp_inputs *in, const void *state, struct ckg__arena *arena,
                   struct ckg__series *series)
{
    const struct ckg__noise_fit *varying = state;
    struct ckg__noise_process *noise_process;
    double *room, *relative, *g;

    if (CKG__TAKE(arena, CKG__ROOM(noise_process, 1),
                  CKG__ROOM(room, ckg__noise_process_numbers(in->D, varying->places)),
                  CKG__ROOM(relative, series->n + 1), CKG__ROOM(g, series->n + 1)))
        return CKG_ERR_NOMEM;
    *noise_process = ckg__noise_process_lay_out(varying, in->D, in->group, series->u, room);
    ckg__noise_process_at(noise_process, series->n, in->X, in->ldx, g, NULL);
    *series = ckg__series_vary(series, g, relative);
    series->state = noise_process;
    return CKG_OK;
}

static int fit(const struct ckg__fit *plain, double needed, double *theta, void *state, double *evidence,
               struct ckg__arena *arena)
{
    struct ckg__noise_fit *varying = state;
    struct ckg__fit beside = *plain;
    struct ckg__noise_found found;
    struct ckg__series varied;
    double density;
    double hope = INFINITY;
    int status = CKG_OK;

    /* Is it worth a fit? */
    *evidence = -INFINITY;
    if (needed >= gain_to_begin)
        status = ckg__noise_process_hope(plain, theta, &hope, arena);
    if (status || hope < gain_to_try)
        return status;

    /* The noise, the hyperparameters beside it, the noise again. */
    status = ckg__noise_process_fit(plain, theta, varying, &found, arena);
    if (status || !varying->places)
        return status;
    status = ckg__likelihood_lay_out(&ckg__likelihood_varying, &plain->inputs, varying, arena, &varied);
    beside.inputs.series = &varied;
    if (!status)
        status = ckg__fit_ascend(&beside, EVALUATIONS, theta, &density, arena);
    if (!status)
        status = ckg__noise_process_fit(plain, theta, varying, &found, arena);
    if (!status && varying->places)
        *evidence = found.evidence;
    return status;
}

/* --- the process --- */

static int condition(struct ckg__gp *gp, const struct ckg__gp_inputs *in, const double *theta,
                     struct ckg__arena *arena)
{
    return ckg__likelihood_normal.condition(gp, in, theta, arena);
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
    ckg__noise_process_at(gp->state, m, U, ldu, out->var, out->in_u);
    for (int p = 0; p < m; p++) {
        const double own = gp->noise * ckg__exp(out->var[p]);
        out->var[p] = gp->unit * gp->nugget + own;
        for (int k = 0; out->in_u && k < gp->D; k++)
            out->in_u[(size_t)k * (size_t)m + (size_t)p] *= own;
    }
}

const struct ckg__likelihood ckg__likelihood_varying = {
    .name = "varying",
    .traits = CKG__VARIES,
    .needs = needs,
    .state_size = sizeof(struct ckg__noise_fit),
    .fit = fit,
    .lay_out = lay_out,
    .moments = ckg__scaling_moments,
    .density = density,
    .condition = condition,
    .noise = noise,
};

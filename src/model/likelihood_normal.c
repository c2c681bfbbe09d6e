/*
 * Measurements with normal noise: exact conditioning. A row that pools c values of estimated noise has the
 * variance σ²/c, one of known noise its own; replicates enter the density through what the series says of
 * them. Reference: Rasmussen and Williams, Gaussian Processes for Machine Learning, algorithm 2.1 and
 * section 5.4.1. Cost n³/3 for a density, n³ with its gradient.
 *
 * The slopes in log ℓ and log s² are those of rows.c; with Q = (K + Σ)⁻¹ and α = Q(y − m), over the rows
 * of estimated noise:
 *     ∂/∂log σ² = ½ Σ_i (α_i² − Q_ii) Σ_ii − ½ extra + within/(2σ²)
 */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/maths.h"
#include "linalg/dense.h"
#include "model/gp_private.h"
#include "model/rows.h"

static const double log_two_pi = 1.83787706640934548356;

/* row (n) ← the variance of each row's noise, when that of one evaluation is `noise`. */
static void row_noises(const struct ckg__series *series, int n, double noise, double *row)
{
    assert(noise >= 0);

    for (int i = 0; i < n; i++) {
        const double own = series->relative ? noise * series->relative[i] : noise;
        row[i] = series->known[i] < 0 ? own / series->count[i] : series->known[i];
    }
}

/*
 * beta (n) ← L⁻¹(y − m) with the best m under its prior, which is returned; ones (n) is scratch. *fit is the
 * log density of the series: of its rows, and of the replicates within them.
 */
static double center(const struct ckg__gp_inputs *in, double noise, const double *L, int ldl, double *beta,
                     double *ones, double *fit)
{
    const struct ckg__series *s = in->series;
    const double mean = ckg__rows_centre(in->n, s->y, in->mean_precision, L, ldl, beta, ones, fit);

    *fit += s->constant;
    if (s->extra > 0)
        *fit -= 0.5 * s->extra * (log_two_pi + ckg__log(noise)) + 0.5 * s->within / noise;
    return mean;
}

static int condition(struct ckg__gp *gp, const struct ckg__gp_inputs *in, const double *theta,
                     struct ckg__arena *arena)
{
    struct ckg__arena_mark mark = ckg__arena_mark(arena);
    const struct ckg__series *s = in->series;
    double *ones = ckg__arena_doubles(arena, (size_t)in->n + 1);

    if (!ones)
        return CKG_ERR_NOMEM;

    /* The rows: where they lie, at which design, with how much noise. */
    gp->n = in->n;
    gp->mean_precision = in->mean_precision;
    gp->noise = s->estimated ? ckg__exp(theta[in->d]) : 0;
    ckg__gp_scale(in, theta, gp->inv_ell, gp->A, gp->capacity);
    gp->k = ckg__gp_covariance(in, ckg__exp(theta[in->d + 1]), gp->inv_ell);
    gp->unit = ckg__covariance_unit(&gp->k);
    row_noises(s, in->n, gp->noise, gp->row_noise);
    memcpy(gp->design, s->design, (size_t)in->n * sizeof *gp->design);

    /* The factor of their covariance. */
    gp->nugget = CKG__NUGGET;
    const int bad = ckg__gp_factor(in->n, &gp->k, gp->row_noise, gp->A, gp->capacity, gp->L, gp->capacity,
                                   in->workers, &gp->nugget);
    if (bad) {
        ckg__arena_release(arena, mark);
        if (bad < 0)
            return CKG_ERR_CANCELLED;
        return ckg__fail(CKG_ERR_NUMERIC, "the covariance of %d observations has no factor, nugget %g", in->n,
                         CKG__NUGGET_MAX);
    }

    /* The mean and the weights, and what a further evaluation would be like. */
    gp->mean = center(in, gp->noise, gp->L, gp->capacity, gp->beta, ones, &gp->log_likelihood);
    gp->future = gp->unit * gp->nugget + (s->estimated ? gp->noise : s->typical_known);
    ckg__gp_weigh(gp);
    ckg__arena_release(arena, mark);
    return CKG_OK;
}

/* α and, in w->L, the inverse, from w->beta and the factor there; −1 when it was to give up. */
static int invert(const struct ckg__gp_inputs *in, struct ckg__fit_work *w)
{
    memcpy(w->alpha, w->beta, (size_t)in->n * sizeof *w->alpha);
    ckg__dense()->solve_lower_transposed(in->n, 1, w->L, w->ld, w->alpha, 1);
    return ckg__dense()->inverse_from_cholesky(in->n, w->L, w->ld, in->workers);
}

/*
 * Gradient of the density into gradient (d+2), which is cleared first; needs w->L the factor and w->beta. −1
 * when it was to give up.
 */
static int density_gradient(const struct ckg__gp_inputs *in, const struct ckg__covariance *k, double nugget,
                            double noise, double mean, double *gradient, struct ckg__fit_work *w)
{
    const struct ckg__series *s = in->series;
    const int n = in->n;
    double noise_term = 0;

    /* The weights and the inverse. */
    if (invert(in, w))
        return -1;

    /* The noise that is estimated. */
    for (int i = 0; i < n; i++)
        if (s->known[i] < 0)
            noise_term += (w->alpha[i] * w->alpha[i] - w->L[(size_t)i * (size_t)w->ld + (size_t)i]) *
                          w->noise[i];

    /* Signal and length-scales, and what replicates say of the noise. */
    if (ckg__rows_slopes(in, k, nugget, s->y, mean, gradient, w))
        return -1;
    gradient[in->d] = 0.5 * noise_term;
    if (s->extra > 0)
        gradient[in->d] += 0.5 * (s->within / noise - s->extra);
    return 0;
}

/* The covariance at theta, its factor in w->L and the density; −INFINITY where there is no factor. */
static double factor_density(const struct ckg__gp_inputs *in, const double *theta, struct ckg__fit_work *w,
                             struct ckg__covariance *k, double *nugget, double *mean)
{
    const double noise = ckg__exp(theta[in->d]);
    double value;

    *k = ckg__gp_covariance(in, ckg__exp(theta[in->d + 1]), w->inv_ell);
    k->Z = w->Z;
    k->ldz = w->ld;
    ckg__gp_scale(in, theta, w->inv_ell, w->A, w->ld);
    row_noises(in->series, in->n, noise, w->noise);
    *nugget = CKG__NUGGET;
    if (ckg__gp_factor(in->n, k, w->noise, w->A, w->ld, w->L, w->ld, in->workers, nugget))
        return -INFINITY;
    *mean = center(in, noise, w->L, w->ld, w->beta, w->ones, &value);
    return value;
}

static double density(const struct ckg__gp_inputs *in, const double *theta, double *gradient,
                      struct ckg__fit_work *w)
{
    struct ckg__covariance k;
    double nugget;
    double mean;
    const double value = factor_density(in, theta, w, &k, &nugget, &mean);

    if (value > -INFINITY && gradient &&
        density_gradient(in, &k, nugget, ckg__exp(theta[in->d]), mean, gradient, w))
        return -INFINITY;
    return value;
}

double ckg__normal_density(const struct ckg__gp_inputs *in, const double *theta, struct ckg__fit_work *w)
{
    struct ckg__covariance k;
    double nugget;
    double mean;
    const double value = factor_density(in, theta, w, &k, &nugget, &mean);

    return value > -INFINITY && invert(in, w) ? -INFINITY : value;
}

/* The same everywhere. */
static void noise(const struct ckg__gp *gp, int m, const double *U, int ldu, const double *mean,
                  const double *var, struct ckg__noise *out)
{
    (void)U;
    (void)ldu;
    (void)mean;
    (void)var;
    for (int p = 0; p < m; p++)
        out->var[p] = gp->future;
    if (out->in_mean)
        memset(out->in_mean, 0, (size_t)m * sizeof *out->in_mean);
    if (out->in_var)
        memset(out->in_var, 0, (size_t)m * sizeof *out->in_var);
    if (out->in_u)
        memset(out->in_u, 0, (size_t)gp->D * (size_t)m * sizeof *out->in_u);
}

static int is_given(const struct ckg_problem *problem, int outcome)
{
    (void)problem;
    (void)outcome;
    return 1;
}

const struct ckg__likelihood ckg__likelihood_normal = {
    .name = "normal",
    .is_given = is_given,
    .moments = ckg__scaling_moments,
    .density = density,
    .condition = condition,
    .noise = noise,
};

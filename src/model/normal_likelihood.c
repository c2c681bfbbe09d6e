/*
 * Measurements with normal noise: exact conditioning. A row that pools c values of estimated noise has the
 * variance σ²/c, one of known noise its own; replicates enter the density through what the series says of
 * them. Reference: Rasmussen and Williams, Gaussian Processes for Machine Learning, algorithm 2.1 and
 * section 5.4.1. Cost n³/3 for a density, n³ with its gradient.
 *
 * With theta = (log ℓ, log σ², log s²), K = s²(κ + nugget·I) + Σ and α = K⁻¹(y − m):
 *     ∂/∂log ℓ_k = Σ_{j<i} (α_i α_j − K⁻¹_ij) ∂K_ij/∂log ℓ_k
 *     ∂/∂log σ²  = ½ Σ_i (α_i² − K⁻¹_ii) Σ_ii − ½ extra + within/(2σ²)
 *     ∂/∂log s²  = ½ (αᵀ(y − m) − n − Σ_i (α_i² − K⁻¹_ii) Σ_ii)
 * The mean m maximises the density for each theta, so its own derivative does not enter.
 */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "linalg/dense.h"
#include "model/gp_private.h"
#include "model/likelihood.h"

static const double log_two_pi = 1.83787706640934548356;

/* row (n) ← the variance of each row's noise, when that of one evaluation is `noise`. */
static void row_noises(const struct ckg__series *series, int n, double noise, double *row)
{
    assert(noise >= 0);

    for (int i = 0; i < n; i++)
        row[i] = series->known[i] < 0 ? noise / series->count[i] : series->known[i];
}

/*
 * beta (n) ← L⁻¹(y − m) with the best m under its prior, which is returned; ones (n) is scratch. *fit is the
 * log density of the series.
 */
static double center(const struct ckg__gp_inputs *in, double noise, const double *L, int ldl, double *beta,
                     double *ones, double *fit)
{
    assert(ldl >= in->n);

    const struct ckg__dense_ops *dense = ckg__dense();
    const struct ckg__series *s = in->series;
    const int n = in->n;
    double mean = 0;
    double penalty = 0;
    double log_det = 0;

    /* The values whitened as if the mean were 0. */
    memcpy(beta, s->y, (size_t)n * sizeof *beta);
    dense->solve_lower(n, 1, L, ldl, beta, 1);

    /* The best mean, and what it takes off them. */
    if (isfinite(in->mean_precision)) {
        for (int i = 0; i < n; i++)
            ones[i] = 1;
        dense->solve_lower(n, 1, L, ldl, ones, 1);
        const double precision = dense->dot(n, ones, ones) + in->mean_precision;
        /* neither data nor prior: any mean is as good */
        mean = precision > 0 ? dense->dot(n, ones, beta) / precision : 0;
        penalty = mean * mean * in->mean_precision;
        for (int i = 0; i < n; i++)
            beta[i] -= mean * ones[i];
    }

    /* The density of the rows, and of the replicates within them. */
    for (int i = 0; i < n; i++)
        log_det += log(L[(size_t)i * (size_t)ldl + (size_t)i]);
    *fit = -0.5 * (dense->dot(n, beta, beta) + penalty) - log_det - 0.5 * n * log_two_pi + s->constant;
    if (s->extra > 0)
        *fit -= 0.5 * s->extra * (log_two_pi + log(noise)) + 0.5 * s->within / noise;
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
    gp->kernel = in->kernel;
    gp->n = in->n;
    gp->s2 = exp(theta[in->d + 1]);
    gp->noise = s->estimated ? exp(theta[in->d]) : 0;
    ckg__gp_scale(in, theta, gp->inv_ell, gp->A, gp->capacity);
    row_noises(s, in->n, gp->noise, gp->row_noise);
    memcpy(gp->design, s->design, (size_t)in->n * sizeof *gp->design);

    /* The factor of their covariance. */
    if (ckg__gp_factor(in, gp->s2, gp->row_noise, gp->A, gp->capacity, gp->L, gp->capacity, &gp->nugget)) {
        ckg__arena_release(arena, mark);
        return ckg__fail(CKG_ERR_NUMERIC, "the covariance of %d observations has no factor, nugget %g", in->n,
                         CKG__NUGGET_MAX);
    }

    /* The mean and the weights, and what a further evaluation would be like. */
    gp->mean = center(in, gp->noise, gp->L, gp->capacity, gp->beta, ones, &gp->log_likelihood);
    gp->future = gp->s2 * gp->nugget + (s->estimated ? gp->noise : s->typical_known);
    ckg__gp_weigh(gp);
    ckg__arena_release(arena, mark);
    return CKG_OK;
}

struct slope_rows {
    const struct ckg__gp_inputs *in;
    double s2;
    struct ckg__fit_work *work;
};

/* The share of some rows in the derivatives in log ℓ. */
static void slope_task(void *context, int index, int worker)
{
    const struct slope_rows *r = context;
    const struct ckg__fit_work *w = r->work;
    const int n = r->in->n;
    const int first = index * CKG__GP_ROWS;
    const int end = first + CKG__GP_ROWS < n ? first + CKG__GP_ROWS : n;

    (void)worker;
    ckg__kernels()->slopes(r->in->kernel, r->in->D, first, end, w->A, w->ld, r->s2, w->G, w->ld);
    ckg__kernels()->lengthscale_gradient(r->in->D, first, end, w->A, w->ld, w->alpha, w->L, w->ld, w->G,
                                         w->ld, w->slope + index * r->in->D);
}

/* The slopes in the logarithms of noise and signal: *noise_term and the return value. Needs (K + Σ)⁻¹ in
 * w->L. */
static double scale_slopes(const struct ckg__gp_inputs *in, double mean, const struct ckg__fit_work *w,
                           double *noise_term)
{
    double all_noise = 0;
    double quadratic = 0;

    *noise_term = 0;
    for (int i = 0; i < in->n; i++) {
        const double excess = w->alpha[i] * w->alpha[i] - w->L[(size_t)i * (size_t)w->ld + (size_t)i];
        const double row = w->noise[i];
        all_noise += excess * row;
        *noise_term += in->series->known[i] < 0 ? excess * row : 0;
        quadratic += w->alpha[i] * (in->series->y[i] - mean);
    }
    return 0.5 * (quadratic - in->n - all_noise);
}

/* Gradient of the density into gradient (d+2), which is cleared first; needs w->L the factor and w->beta. */
static void density_gradient(const struct ckg__gp_inputs *in, double s2, double noise, double mean,
                             double *gradient, struct ckg__fit_work *w)
{
    const int n = in->n;
    const int d = in->d;
    double noise_term;

    /* The weights and the inverse. */
    memset(gradient, 0, ((size_t)d + 2) * sizeof *gradient);
    memcpy(w->alpha, w->beta, (size_t)n * sizeof *w->alpha);
    ckg__dense()->solve_lower_transposed(n, 1, w->L, w->ld, w->alpha, 1);
    ckg__dense()->inverse_from_cholesky(n, w->L, w->ld, in->team);

    /* Noise and signal. */
    gradient[d + 1] = scale_slopes(in, mean, w, &noise_term);
    gradient[d] = 0.5 * noise_term;
    if (in->series->extra > 0)
        gradient[d] += 0.5 * (in->series->within / noise - in->series->extra);

    /* Length-scales, rows shared out; the inverse is spoilt. */
    struct slope_rows rows = {in, s2, w};
    const int chunks = (n + CKG__GP_ROWS - 1) / CKG__GP_ROWS;
    ckg__team_run(in->team, chunks, slope_task, &rows);
    for (int c = 0; c < chunks; c++)
        for (int k = 0; k < in->D; k++)
            gradient[in->group[k]] += w->slope[c * in->D + k];
}

static double density(const struct ckg__gp_inputs *in, const double *theta, double *gradient,
                      struct ckg__fit_work *w)
{
    const double s2 = exp(theta[in->d + 1]);
    const double noise = exp(theta[in->d]);
    double nugget;
    double value;

    ckg__gp_scale(in, theta, w->inv_ell, w->A, w->ld);
    row_noises(in->series, in->n, noise, w->noise);
    if (ckg__gp_factor(in, s2, w->noise, w->A, w->ld, w->L, w->ld, &nugget))
        return -INFINITY;

    const double mean = center(in, noise, w->L, w->ld, w->beta, w->ones, &value);
    if (gradient)
        density_gradient(in, s2, noise, mean, gradient, w);
    return value;
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

const struct ckg__likelihood ckg__likelihood_normal = {
    .name = "normal",
    .varies = 0,
    .density = density,
    .condition = condition,
    .noise = noise,
};

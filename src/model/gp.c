/*
 * A Gaussian process conditioned on a series: factor, mean, weights; append and truncate. Reference:
 * Rasmussen and Williams, Gaussian Processes for Machine Learning, algorithm 2.1. Cost n³/3 to set, O(n²) to
 * append. K⁻¹ is never formed for a prediction: with a nugget of 1e-11 its variances would be rounding noise.
 */
#include "model/gp.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "linalg/dense.h"

static const double log_two_pi = 1.83787706640934548356;

int ckg__gp_reserve(struct ckg__gp *gp, int D, int capacity)
{
    if (gp->L && gp->D == D && gp->capacity >= capacity)
        return CKG_OK;
    const size_t rows = ((size_t)capacity + 15) / 8 * 8;
    ckg__gp_free(gp);
    gp->inv_ell = ckg__alloc((size_t)D, sizeof(double));
    gp->A = ckg__alloc((size_t)D * rows, sizeof(double));
    gp->L = ckg__alloc(rows * rows, sizeof(double));
    gp->beta = ckg__alloc(rows, sizeof(double));
    gp->alpha = ckg__alloc(rows, sizeof(double));
    if (!gp->inv_ell || !gp->A || !gp->L || !gp->beta || !gp->alpha) {
        ckg__gp_free(gp);
        return CKG_ERR_NOMEM;
    }
    gp->D = D;
    gp->capacity = (int)rows;
    return CKG_OK;
}

void ckg__gp_free(struct ckg__gp *gp)
{
    ckg__free(gp->inv_ell);
    ckg__free(gp->A);
    ckg__free(gp->L);
    ckg__free(gp->beta);
    ckg__free(gp->alpha);
    memset(gp, 0, sizeof *gp);
}

double ckg__gp_row_noise(const struct ckg__series *series, int i, double noise)
{
    return series->known[i] < 0 ? noise / series->count[i] : series->known[i];
}

void ckg__gp_scale(const struct ckg__gp_inputs *in, const double *theta, double *inv_ell, double *A, int lda)
{
    for (int k = 0; k < in->D; k++) {
        const double scale = exp(-theta[in->group[k]]);
        const double *x = in->X + (size_t)k * (size_t)in->ldx;
        double *a = A + (size_t)k * (size_t)lda;
        inv_ell[k] = scale;
        for (int i = 0; i < in->n; i++)
            a[i] = x[i] * scale;
    }
}

struct kernel_rows {
    const struct ckg__gp_inputs *in;
    double s2;
    const double *A;
    int lda, ldl;
    double *L;
};

static void kernel_task(void *context, int index, int worker)
{
    const struct kernel_rows *r = context;
    const int first = index * CKG__GP_ROWS,
              end = first + CKG__GP_ROWS < r->in->n ? first + CKG__GP_ROWS : r->in->n;
    (void)worker;
    ckg__kernels()->symmetric(r->in->kernel, r->in->D, first, end, r->A, r->lda, r->s2, r->L, r->ldl);
}

int ckg__gp_factor(const struct ckg__gp_inputs *in, double s2, double noise, const double *A, int lda,
                   double *L, int ldl, double *nugget)
{
    struct kernel_rows rows = {in, s2, A, lda, ldl, L};
    int pivot = 0;
    for (*nugget = CKG__NUGGET; *nugget <= CKG__NUGGET_MAX * 1.01; *nugget *= 10) {
        ckg__team_run(in->team, (in->n + CKG__GP_ROWS - 1) / CKG__GP_ROWS, kernel_task, &rows);
        for (int i = 0; i < in->n; i++)
            L[(size_t)i * (size_t)ldl + (size_t)i] += s2 * *nugget + ckg__gp_row_noise(in->series, i, noise);
        pivot = ckg__dense()->cholesky(in->n, L, ldl, in->team);
        if (!pivot)
            return 0;
    }
    return pivot;
}

double ckg__gp_center(const struct ckg__gp_inputs *in, double noise, const double *L, int ldl, double *beta,
                      double *ones, double *fit)
{
    const struct ckg__dense_ops *dense = ckg__dense();
    const struct ckg__series *s = in->series;
    const int n = in->n;
    double mean = 0, penalty = 0, log_det = 0;
    memcpy(beta, s->y, (size_t)n * sizeof *beta);
    dense->solve_lower(n, 1, L, ldl, beta, 1);
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
    for (int i = 0; i < n; i++)
        log_det += log(L[(size_t)i * (size_t)ldl + (size_t)i]);
    *fit = -0.5 * (dense->dot(n, beta, beta) + penalty) - log_det - 0.5 * n * log_two_pi + s->constant;
    if (s->extra > 0)
        *fit -= 0.5 * s->extra * (log_two_pi + log(noise)) + 0.5 * s->within / noise;
    return mean;
}

/* alpha ← L⁻ᵀbeta. */
static void solve_alpha(struct ckg__gp *gp)
{
    memcpy(gp->alpha, gp->beta, (size_t)gp->n * sizeof *gp->alpha);
    ckg__dense()->solve_lower_transposed(gp->n, 1, gp->L, gp->capacity, gp->alpha, 1);
}

int ckg__gp_set(struct ckg__gp *gp, const struct ckg__gp_inputs *in, const double *theta,
                struct ckg__arena *arena)
{
    struct ckg__arena_mark mark = ckg__arena_mark(arena);
    double *ones = ckg__arena_doubles(arena, (size_t)in->n + 1);
    if (!ones)
        return CKG_ERR_NOMEM;
    const struct ckg__series *s = in->series;
    gp->kernel = in->kernel;
    gp->n = in->n;
    gp->s2 = exp(theta[in->d + 1]);
    gp->noise = s->estimated ? exp(theta[in->d]) : 0;
    ckg__gp_scale(in, theta, gp->inv_ell, gp->A, gp->capacity);
    const int pivot = ckg__gp_factor(in, gp->s2, gp->noise, gp->A, gp->capacity, gp->L, gp->capacity,
                                     &gp->nugget);
    if (pivot) {
        ckg__arena_release(arena, mark);
        return ckg__fail(CKG_ERR_NUMERIC, "the covariance of %d observations has no factor, nugget %g", in->n,
                         CKG__NUGGET_MAX);
    }
    gp->mean = ckg__gp_center(in, gp->noise, gp->L, gp->capacity, gp->beta, ones, &gp->log_likelihood);
    gp->future = gp->s2 * gp->nugget + (s->estimated ? gp->noise : s->typical_known);
    solve_alpha(gp);
    ckg__arena_release(arena, mark);
    return CKG_OK;
}

int ckg__gp_append(struct ckg__gp *gp, const double *u, double y, double noise)
{
    const int n = gp->n;
    const size_t ld = (size_t)gp->capacity;
    if (n == gp->capacity)
        return ckg__fail(CKG_ERR_NUMERIC, "no room for observation %d", n);
    for (int k = 0; k < gp->D; k++)
        gp->A[(size_t)k * ld + (size_t)n] = u[k] * gp->inv_ell[k];
    double *row = gp->L + (size_t)n * ld;
    ckg__kernels()->cross(gp->kernel, gp->D, 1, gp->A + n, gp->capacity, n, gp->A, gp->capacity, gp->s2, row,
                          NULL, gp->capacity);
    ckg__dense()->solve_lower(n, 1, gp->L, gp->capacity, row, 1);
    const double floor = gp->s2 * gp->nugget;
    const double rest = gp->s2 + floor + noise - ckg__dense()->dot(n, row, row);
    row[n] = sqrt(rest > floor ? rest : floor);
    gp->beta[n] = (y - gp->mean - ckg__dense()->dot(n, row, gp->beta)) / row[n];
    gp->n = n + 1;
    solve_alpha(gp);
    return CKG_OK;
}

void ckg__gp_truncate(struct ckg__gp *gp, int n)
{
    if (n >= gp->n)
        return;
    gp->n = n;
    solve_alpha(gp);
}

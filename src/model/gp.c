/*
 * A Gaussian process: the room for it, its factor, append and truncate; what it can be asked. Cost n³/3 for a
 * factor, O(n²) to append. K⁻¹ is never formed for a prediction: with a nugget of 1e-11 its variances would
 * be rounding noise.
 */
#include "model/gp.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/maths.h"
#include "linalg/dense.h"
#include "linalg/jitter.h"
#include "model/gp_private.h"
#include "model/likelihood.h"

struct ckg__gp *ckg__gp_new(void)
{
    struct ckg__gp *gp = ckg__alloc(1, sizeof *gp);

    if (gp)
        memset(gp, 0, sizeof *gp);
    return gp;
}

void ckg__gp_delete(struct ckg__gp *gp)
{
    if (gp)
        ckg__gp_free(gp);
    ckg__free(gp);
}

int ckg__gp_reserve(struct ckg__gp *gp, int D, int capacity)
{
    assert(D > 0 && capacity >= 0);
    if (gp->L && gp->D == D && gp->capacity >= capacity)
        return CKG_OK;

    const size_t rows = ((size_t)capacity + 15) / 8 * 8;
    ckg__gp_free(gp);
    gp->inv_ell = ckg__alloc((size_t)D, sizeof(double));
    gp->A = ckg__alloc((size_t)D * rows, sizeof(double));
    gp->L = ckg__alloc(rows * rows, sizeof(double));
    gp->beta = ckg__alloc(rows, sizeof(double));
    gp->alpha = ckg__alloc(rows, sizeof(double));
    gp->row_noise = ckg__alloc(rows, sizeof(double));
    gp->design = ckg__alloc(rows, sizeof *gp->design);
    if (!gp->inv_ell || !gp->A || !gp->L || !gp->beta || !gp->alpha || !gp->row_noise || !gp->design) {
        ckg__gp_free(gp);
        return CKG_ERR_NOMEM;
    }
    gp->D = D;
    gp->capacity = (int)rows;
    return CKG_OK;
}

int ckg__gp_has_room(const struct ckg__gp *gp, int rows)
{
    return gp->L && gp->capacity >= rows;
}

void ckg__gp_free(struct ckg__gp *gp)
{
    ckg__free(gp->inv_ell);
    ckg__free(gp->A);
    ckg__free(gp->L);
    ckg__free(gp->beta);
    ckg__free(gp->alpha);
    ckg__free(gp->row_noise);
    ckg__free(gp->design);
    memset(gp, 0, sizeof *gp);
}

/* --- the factor --- */

void ckg__gp_scale(const struct ckg__gp_inputs *in, const double *theta, double *inv_ell, double *A, int lda)
{
    assert(lda >= in->n && in->ldx >= in->n);
    for (int k = 0; k < in->D; k++) {
        const double scale = ckg__exp(-theta[in->group[k]]);
        const double *x = in->X + (size_t)k * (size_t)in->ldx;
        double *a = A + (size_t)k * (size_t)lda;
        inv_ell[k] = scale;
        for (int i = 0; i < in->n; i++)
            a[i] = x[i] * scale;
    }
}

struct ckg__covariance ckg__gp_covariance(const struct ckg__gp_inputs *in, double s2, const double *inv_ell)
{
    /* Over the unit cube a linear function with such slopes has the variance of the standardised values. */
    const double slope = 12.0 / in->d;

    return (struct ckg__covariance){
        .kernel = in->kernel, .D = in->D, .s2 = s2, .linear = in->linear ? slope : 0, .inv_ell = inv_ell};
}

struct rows {
    int n;
    const struct ckg__covariance *k;
    const double *noise;
    const double *A;
    int lda;
    int ldl;
    double *L;
    const struct ckg__workers *workers;
};

static void kernel_task(void *context, int index, int worker)
{
    const struct rows *r = context;
    const int first = index * CKG__GP_ROWS;
    const int end = first + CKG__GP_ROWS < r->n ? first + CKG__GP_ROWS : r->n;

    (void)worker;
    ckg__covariance_rows(r->k, first, end, r->A, r->lda, r->L, r->ldl);
}

/* K + Σ with that nugget. */
static int fill_covariance(void *context, double nugget)
{
    struct rows *r = context;
    const double unit = ckg__covariance_unit(r->k);

    if (ckg__workers_run(r->workers, (r->n + CKG__GP_ROWS - 1) / CKG__GP_ROWS,
                         (double)CKG__GP_ROWS * r->n * (r->k->D + CKG__KERNEL_WORK), kernel_task, r))
        return 1;
    for (int i = 0; i < r->n; i++)
        r->L[(size_t)i * (size_t)r->ldl + (size_t)i] += unit * nugget + r->noise[i];
    return 0;
}

int ckg__gp_factor(int n, const struct ckg__covariance *k, const double *row_noise, const double *A, int lda,
                   double *L, int ldl, const struct ckg__workers *workers, double *nugget)
{
    struct rows rows = {n, k, row_noise, A, lda, ldl, L, workers};
    const struct ckg__jitter ladder = {*nugget, 0, CKG__NUGGET_MAX * 1.01};

    return ckg__jitter_factor(n, L, ldl, ladder, fill_covariance, &rows, workers, nugget);
}

void ckg__gp_weigh(struct ckg__gp *gp)
{
    memcpy(gp->alpha, gp->beta, (size_t)gp->n * sizeof *gp->alpha);
    ckg__dense()->solve_lower_transposed(gp->n, 1, gp->L, gp->capacity, gp->alpha, 1);
}

/* --- conditioning --- */

int ckg__gp_set(struct ckg__gp *gp, const struct ckg__gp_inputs *in, const double *theta,
                struct ckg__arena *arena)
{
    assert(in->series->likelihood && in->D == gp->D);
    assert(in->n <= in->series->n && ckg__gp_has_room(gp, in->n));
    gp->likelihood = in->series->likelihood;
    gp->state = in->series->state;
    gp->interrupt = in->interrupt;
    return gp->likelihood->condition(gp, in, theta, arena);
}

int ckg__gp_append(struct ckg__gp *gp, int design, const double *u, double y, double noise)
{
    const int n = gp->n;
    const size_t ld = (size_t)gp->capacity;

    assert(isfinite(y) && noise >= 0);
    if (n == gp->capacity)
        return ckg__fail(CKG_ERR_NUMERIC, "no room for observation %d", n);

    /* Where it lies, and its row of the covariance. */
    for (int k = 0; k < gp->D; k++)
        gp->A[(size_t)k * ld + (size_t)n] = u[k] * gp->inv_ell[k];
    double *row = gp->L + (size_t)n * ld;
    ckg__covariance_cross(&gp->k, 1, gp->A + n, gp->capacity, n, gp->A, gp->capacity, row, NULL,
                          gp->capacity);

    /* Its row of the factor. */
    ckg__dense()->solve_lower(n, 1, gp->L, gp->capacity, row, 1);
    const double floor = gp->unit * gp->nugget;
    const double rest = ckg__covariance_own(&gp->k, gp->A, gp->capacity, n) + floor + noise -
                        ckg__dense()->dot(n, row, row);
    row[n] = sqrt(rest > floor ? rest : floor);

    /* What it says. */
    gp->beta[n] = (y - gp->mean - ckg__dense()->dot(n, row, gp->beta)) / row[n];
    gp->row_noise[n] = noise;
    gp->design[n] = design;
    gp->n = n + 1;
    ckg__gp_weigh(gp);
    return CKG_OK;
}

void ckg__gp_truncate(struct ckg__gp *gp, int n)
{
    assert(n >= 0);
    if (n >= gp->n)
        return;
    gp->n = n;
    ckg__gp_weigh(gp);
}

/* --- what it can be asked --- */

int ckg__gp_coordinates(const struct ckg__gp *gp)
{
    return gp->D;
}

const double *ckg__gp_inverse_lengthscales(const struct ckg__gp *gp)
{
    return gp->inv_ell;
}

void ckg__gp_prior(const struct ckg__gp *gp, double *mean, double *sd)
{
    *mean = gp->mean;
    *sd = sqrt(ckg__covariance_most(&gp->k));
}

double ckg__gp_nugget_variance(const struct ckg__gp *gp)
{
    return gp->unit * gp->nugget;
}

double ckg__gp_chance(const struct ckg__gp *gp)
{
    return gp->likelihood->chance;
}

int ckg__gp_is_noisy(const struct ckg__gp *gp)
{
    return gp->future > gp->unit * gp->nugget;
}

struct ckg__gp_summary ckg__gp_describe(const struct ckg__gp *gp)
{
    return (struct ckg__gp_summary){
        .kernel = gp->k.kernel,
        .linear = gp->k.linear > 0,
        .rows = gp->n,
        .mean = gp->mean,
        .signal = gp->k.s2,
        .noise = gp->noise,
        .nugget = gp->nugget,
        .log_likelihood = gp->log_likelihood,
    };
}

/* The whitened values are just that: row i of L⁻¹(y − m) has what rows 0 … i−1 say of row i taken off. */
double ckg__gp_surprise(const struct ckg__gp *gp, int rows)
{
    double sum = 0;

    assert(rows > 0 && rows <= gp->n);
    for (int i = gp->n - rows; i < gp->n; i++)
        sum += gp->beta[i] * gp->beta[i];
    return sum / rows;
}

const struct ckg__workers *ckg__gp_workers(const struct ckg__gp *gp, const struct ckg__workers *workers)
{
    return gp->n >= CKG__SHARE_ROWS ? workers : NULL;
}

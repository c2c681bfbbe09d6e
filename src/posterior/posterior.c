/*
 * Posterior means, variances, covariances and their gradients. With v(x) = L⁻¹k(X, x):
 *     μ(x) = m + k(x, X)α        s²(x) = k(x, x) − vᵀv        kⁿ(x, x') = k(x, x') − v(x)ᵀv(x')
 *     ∂μ = Σ α_i ∂k_i            ∂s² = −2 Σ (L⁻ᵀv)_i ∂k_i
 * Triangular solves alone: a variance from K⁻¹ would drown in rounding. Cost n² a point, in batches.
 */
#include "posterior/posterior.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "linalg/dense.h"

int ckg__view_take(struct ckg__view *view, const struct ckg__gp *gp, int m, struct ckg__arena *arena)
{
    const size_t ld = ((size_t)m + 7) / 8 * 8;
    view->m = m;
    view->ld = (int)ld;
    view->B = ckg__arena_doubles(arena, (size_t)gp->D * ld);
    view->V = ckg__arena_doubles(arena, ((size_t)gp->n + 1) * ld);
    view->mean = ckg__arena_doubles(arena, ld);
    view->var = ckg__arena_doubles(arena, ld);
    return view->B && view->V && view->mean && view->var ? CKG_OK : CKG_ERR_NOMEM;
}

static void scale_points(const struct ckg__gp *gp, const double *U, int ldu, int count, double *B, int ldb)
{
    for (int k = 0; k < gp->D; k++)
        for (int p = 0; p < count; p++)
            B[(size_t)k * (size_t)ldb + (size_t)p] = U[(size_t)k * (size_t)ldu + (size_t)p] * gp->inv_ell[k];
}

void ckg__view_fill(struct ckg__view *view, const struct ckg__gp *gp, const double *U, int ldu, int first,
                    int count)
{
    const struct ckg__dense_ops *dense = ckg__dense();
    double *B = view->B + first, *V = view->V + first, *mean = view->mean + first, *var = view->var + first;
    scale_points(gp, U + first, ldu, count, B, view->ld);
    ckg__kernels()->cross(gp->kernel, gp->D, gp->n, gp->A, gp->capacity, count, B, view->ld, gp->s2, V, NULL,
                          view->ld);
    dense->combine_rows(gp->n, count, V, view->ld, gp->alpha, mean);
    dense->solve_lower(gp->n, count, gp->L, gp->capacity, V, view->ld);
    dense->column_squares(gp->n, count, V, view->ld, var);
    for (int p = 0; p < count; p++) {
        mean[p] += gp->mean;
        var[p] = gp->s2 > var[p] ? gp->s2 - var[p] : 0;
    }
}

int ckg__view_make(struct ckg__view *view, const struct ckg__gp *gp, int m, const double *U, int ldu,
                   struct ckg__arena *arena)
{
    if (ckg__view_take(view, gp, m, arena))
        return CKG_ERR_NOMEM;
    ckg__view_fill(view, gp, U, ldu, 0, m);
    return CKG_OK;
}

void ckg__view_covariance(const struct ckg__gp *gp, const struct ckg__view *a, const struct ckg__view *b,
                          int first, int count, double *C, int ldc)
{
    ckg__kernels()->cross(gp->kernel, gp->D, count, b->B + first, b->ld, a->m, a->B, a->ld, gp->s2, C, NULL,
                          ldc);
    ckg__dense()->multiply_tn(count, a->m, gp->n, -1, b->V + first, b->ld, a->V, a->ld, 1, C, ldc);
}

/* out (D×m) from a scaled gradient: times 1/ℓ and a factor. */
static void unscale(const struct ckg__gp *gp, int m, double factor, double *out)
{
    for (int k = 0; k < gp->D; k++)
        for (int p = 0; p < m; p++)
            out[(size_t)k * (size_t)m + (size_t)p] *= factor * gp->inv_ell[k];
}

/* Covariance with the one point of `against`, and its gradient in the batch's points. */
static int covariance_against(const struct ckg__gp *gp, int m, const double *B, const double *V,
                              const double *G, struct ckg__arena *arena, struct ckg__against *a)
{
    const int D = gp->D;
    double *slope = ckg__arena_doubles(arena, (size_t)m), *explained = ckg__arena_doubles(arena, (size_t)m);
    double *column = ckg__arena_doubles(arena, (size_t)gp->n + 1);
    if (!slope || !explained || !column)
        return CKG_ERR_NOMEM;
    for (int i = 0; i < gp->n; i++)
        column[i] = a->point->V[(size_t)i * (size_t)a->point->ld];
    ckg__kernels()->cross(gp->kernel, D, 1, a->point->B, a->point->ld, m, B, m, gp->s2, a->cov, slope, m);
    ckg__dense()->combine_rows(gp->n, m, V, m, column, explained);
    for (int p = 0; p < m; p++)
        a->cov[p] -= explained[p];
    ckg__kernels()->gradient_common(D, gp->n, gp->A, gp->capacity, m, B, m, a->weights, G, m, a->dcov, m);
    for (int k = 0; k < D; k++)
        for (int p = 0; p < m; p++) {
            double *o = &a->dcov[(size_t)k * (size_t)m + (size_t)p];
            *o = slope[p] *
                     (B[(size_t)k * (size_t)m + (size_t)p] - a->point->B[(size_t)k * (size_t)a->point->ld]) -
                 *o;
        }
    unscale(gp, m, 1, a->dcov);
    return CKG_OK;
}

int ckg__posterior_batch(const struct ckg__gp *gp, int m, const double *U, int ldu, struct ckg__arena *arena,
                         struct ckg__batch *out, struct ckg__against *against)
{
    const struct ckg__dense_ops *dense = ckg__dense();
    struct ckg__arena_mark mark = ckg__arena_mark(arena);
    const size_t block = ((size_t)gp->n + 1) * (size_t)m;
    double *B = ckg__arena_doubles(arena, (size_t)gp->D * (size_t)m);
    double *V = ckg__arena_doubles(arena, block), *G = ckg__arena_doubles(arena, block);
    if (!B || !V || !G)
        return CKG_ERR_NOMEM;
    scale_points(gp, U, ldu, m, B, m);
    ckg__kernels()->cross(gp->kernel, gp->D, gp->n, gp->A, gp->capacity, m, B, m, gp->s2, V, G, m);
    dense->combine_rows(gp->n, m, V, m, gp->alpha, out->mean);
    ckg__kernels()->gradient_common(gp->D, gp->n, gp->A, gp->capacity, m, B, m, gp->alpha, G, m, out->dmean,
                                    m);
    unscale(gp, m, 1, out->dmean);
    dense->solve_lower(gp->n, m, gp->L, gp->capacity, V, m);
    dense->column_squares(gp->n, m, V, m, out->var);
    for (int p = 0; p < m; p++) {
        out->mean[p] += gp->mean;
        out->var[p] = gp->s2 > out->var[p] ? gp->s2 - out->var[p] : 0;
    }
    if (against && covariance_against(gp, m, B, V, G, arena, against))
        return CKG_ERR_NOMEM;
    dense->solve_lower_transposed(gp->n, m, gp->L, gp->capacity, V, m);
    ckg__kernels()->gradient_each(gp->D, gp->n, gp->A, gp->capacity, m, B, m, V, m, G, m, out->dvar, m);
    unscale(gp, m, -2, out->dvar);
    ckg__arena_release(arena, mark);
    return CKG_OK;
}

int ckg__posterior_mean(const struct ckg__gp *gp, int m, const double *U, int ldu, struct ckg__arena *arena,
                        double *mean, double *dmean)
{
    struct ckg__arena_mark mark = ckg__arena_mark(arena);
    const size_t block = ((size_t)gp->n + 1) * (size_t)m;
    double *B = ckg__arena_doubles(arena, (size_t)gp->D * (size_t)m);
    double *K = ckg__arena_doubles(arena, block), *G = ckg__arena_doubles(arena, block);
    if (!B || !K || !G)
        return CKG_ERR_NOMEM;
    scale_points(gp, U, ldu, m, B, m);
    ckg__kernels()->cross(gp->kernel, gp->D, gp->n, gp->A, gp->capacity, m, B, m, gp->s2, K, G, m);
    ckg__dense()->combine_rows(gp->n, m, K, m, gp->alpha, mean);
    for (int p = 0; p < m; p++)
        mean[p] += gp->mean;
    ckg__kernels()->gradient_common(gp->D, gp->n, gp->A, gp->capacity, m, B, m, gp->alpha, G, m, dmean, m);
    unscale(gp, m, 1, dmean);
    ckg__arena_release(arena, mark);
    return CKG_OK;
}

/* The lower triangle of the posterior covariance C (m×m) at a view's points, a band of rows at a time. */
static void own_covariance(const struct ckg__gp *gp, const struct ckg__view *view, double *C)
{
    enum { BAND = 64 };
    const int m = view->m;
    struct ckg__view columns = *view;
    for (int first = 0; first < m; first += BAND) {
        const int count = m - first < BAND ? m - first : BAND;
        columns.m = first + count;
        ckg__view_covariance(gp, &columns, view, first, count, C + (size_t)first * (size_t)m, m);
    }
}

int ckg__view_factor(const struct ckg__gp *gp, const struct ckg__view *view, double least, double *C,
                     double *added)
{
    const size_t m = (size_t)view->m;
    for (double jitter = fmax(least, gp->nugget * gp->s2); jitter <= gp->s2; jitter *= 10) {
        own_covariance(gp, view, C);
        for (size_t p = 0; p < m; p++)
            C[p * m + p] += jitter;
        *added = jitter;
        if (!ckg__dense()->cholesky(view->m, C, view->m, NULL))
            return CKG_OK;
    }
    return CKG_ERR_NUMERIC;
}

/* The same with the usual nugget, for a draw. */
static int factor_for_draw(const struct ckg__gp *gp, const struct ckg__view *view, double *C)
{
    double added;
    return ckg__view_factor(gp, view, 0, C, &added)
               ? ckg__fail(CKG_ERR_NUMERIC, "the posterior covariance of %d points has no factor", view->m)
               : CKG_OK;
}

/* One draw from the factor L in C, and the standard normal numbers z (m) it is made of. */
static void draw_once(const struct ckg__view *view, const double *C, struct ckg__rng *rng, double *z,
                      double *draw)
{
    for (int p = 0; p < view->m; p++)
        z[p] = ckg__rng_normal(rng);
    for (int p = 0; p < view->m; p++)
        draw[p] = view->mean[p] + ckg__dense()->dot(p + 1, C + (size_t)p * (size_t)view->m, z);
}

int ckg__posterior_sample(const struct ckg__gp *gp, const struct ckg__view *view, struct ckg__rng *rng,
                          int count, struct ckg__arena *arena, double *samples)
{
    struct ckg__arena_mark mark = ckg__arena_mark(arena);
    const size_t m = (size_t)view->m;
    double *C = ckg__arena_doubles(arena, m * m + 1), *z = ckg__arena_doubles(arena, m + 1);
    const int status = C && z ? factor_for_draw(gp, view, C) : CKG_ERR_NOMEM;
    for (int s = 0; !status && s < count; s++)
        draw_once(view, C, rng, z, samples + (size_t)s * m);
    ckg__arena_release(arena, mark);
    return status;
}

/* With LLᵀ the covariance the draw is μ + Lz, and covariance⁻¹(draw − μ) = L⁻ᵀz: no difference is taken. */
int ckg__posterior_draw(const struct ckg__gp *gp, const struct ckg__view *view, struct ckg__rng *rng,
                        struct ckg__arena *arena, double *draw, double *weights)
{
    struct ckg__arena_mark mark = ckg__arena_mark(arena);
    const size_t m = (size_t)view->m;
    double *C = ckg__arena_doubles(arena, m * m + 1);
    const int status = C ? factor_for_draw(gp, view, C) : CKG_ERR_NOMEM;
    if (!status) {
        draw_once(view, C, rng, weights, draw);
        ckg__dense()->solve_lower_transposed(view->m, 1, C, view->m, weights, 1);
    }
    ckg__arena_release(arena, mark);
    return status;
}

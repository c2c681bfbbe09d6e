/*
 * Posterior means, variances, covariances and their gradients. With v(x) = L⁻¹k(X, x):
 *     μ(x) = m + k(x, X)α        s²(x) = k(x, x) − vᵀv        kⁿ(x, x') = k(x, x') − v(x)ᵀv(x')
 *     ∂μ = Σ α_i ∂k_i            ∂s² = ∂k(x, x) − 2 Σ (L⁻ᵀv)_i ∂k_i
 * Triangular solves alone: a variance from K⁻¹ would drown in rounding. Cost n² a point, in batches.
 */
#include "posterior/posterior.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "linalg/dense.h"
#include "linalg/jitter.h"
#include "linalg/parts.h"
#include "model/gp_private.h"

int ckg__view_take(struct ckg__view *view, const struct ckg__gp *gp, int m, struct ckg__arena *arena)
{
    assert(m >= 0 && gp->D > 0);

    const size_t ld = ((size_t)m + 7) / 8 * 8;
    view->m = m;
    view->ld = (int)ld;
    return CKG__TAKE(arena, CKG__ROOM(view->B, (size_t)gp->D * ld),
                     CKG__ROOM(view->V, ((size_t)gp->n + 1) * ld), CKG__ROOM(view->mean, ld),
                     CKG__ROOM(view->var, ld));
}

static void scale_points(const struct ckg__gp *gp, const double *U, int ldu, int count, double *B, int ldb)
{
    for (int k = 0; k < gp->D; k++)
        for (int p = 0; p < count; p++)
            B[(size_t)k * (size_t)ldb + (size_t)p] = U[(size_t)k * (size_t)ldu + (size_t)p] * gp->inv_ell[k];
}

/*
 * var (m) ← k(x, x) − |V|² at the scaled points B (D×m), at least 0, in the order in which
 * ckg__view_covariance subtracts: a point's covariance with itself is its variance to the last bit.
 */
static void variance(const struct ckg__gp *gp, int m, const double *B, const double *V, int ld, double *var)
{
    for (int p = 0; p < m; p++)
        var[p] = ckg__covariance_own(&gp->k, B, ld, p);
    ckg__dense()->subtract_squares(gp->n, m, V, ld, var);
    for (int p = 0; p < m; p++)
        var[p] = var[p] > 0 ? var[p] : 0;
}

/* B (n×m) ← L⁻¹B or, transposed, L⁻ᵀB; CKG_ERR_CANCELLED when it was to give up. */
static int solve(const struct ckg__gp *gp, int transposed, int m, double *B, int ldb)
{
    return ckg__parts_solve(gp->interrupt, transposed, gp->n, m, gp->L, gp->capacity, B, ldb);
}

int ckg__view_fill(struct ckg__view *view, const struct ckg__gp *gp, const double *U, int ldu, int first,
                   int count)
{
    assert(first >= 0 && count >= 0 && first + count <= view->m);
    assert(ldu >= count);

    const struct ckg__dense_ops *dense = ckg__dense();
    double *B = view->B + first;
    double *V = view->V + first;
    double *mean = view->mean + first;
    double *var = view->var + first;
    scale_points(gp, U + first, ldu, count, B, view->ld);
    ckg__covariance_cross(&gp->k, gp->n, gp->A, gp->capacity, count, B, view->ld, V, NULL, view->ld);
    dense->combine_rows(gp->n, count, V, view->ld, gp->alpha, mean);
    for (int p = 0; p < count; p++)
        mean[p] += gp->mean;
    if (solve(gp, 0, count, V, view->ld))
        return CKG_ERR_CANCELLED;
    variance(gp, count, B, V, view->ld, var);
    return CKG_OK;
}

int ckg__view_make(struct ckg__view *view, const struct ckg__gp *gp, int m, const double *U, int ldu,
                   struct ckg__arena *arena)
{
    assert(m >= 0);

    if (ckg__view_take(view, gp, m, arena))
        return CKG_ERR_NOMEM;
    return ckg__view_fill(view, gp, U, ldu, 0, m);
}

void ckg__view_covariance(const struct ckg__gp *gp, const struct ckg__view *a, const struct ckg__view *b,
                          int first, int count, double *C, int ldc)
{
    assert(first >= 0 && count >= 0 && first + count <= b->m);
    assert(ldc >= a->m);

    ckg__covariance_cross(&gp->k, count, b->B + first, b->ld, a->m, a->B, a->ld, C, NULL, ldc);
    ckg__dense()->multiply_tn(count, a->m, gp->n, -1, b->V + first, b->ld, a->V, a->ld, 1, C, ldc);
}

/* out (D×m, leading dimension ldo) from a scaled gradient: times 1/ℓ and a factor. */
static void unscale(const struct ckg__gp *gp, int m, double factor, double *out, int ldo)
{
    for (int k = 0; k < gp->D; k++)
        for (int p = 0; p < m; p++)
            out[(size_t)k * (size_t)ldo + (size_t)p] *= factor * gp->inv_ell[k];
}

/* Covariance with the one point of `against`, and its gradient in the batch's points. */
static int covariance_against(const struct ckg__gp *gp, int m, const double *B, const double *V,
                              const double *G, struct ckg__arena *arena, struct ckg__against *a)
{
    const int D = gp->D;
    double *slope, *through, *explained, *column;
    const double one = 1;

    if (CKG__TAKE(arena, CKG__ROOM(slope, m), CKG__ROOM(through, (size_t)D * (size_t)m),
                  CKG__ROOM(explained, m), CKG__ROOM(column, gp->n + 1)))
        return CKG_ERR_NOMEM;
    for (int i = 0; i < gp->n; i++)
        column[i] = a->point->V[(size_t)i * (size_t)a->point->ld];
    ckg__covariance_cross(&gp->k, 1, a->point->B, a->point->ld, m, B, m, a->cov, slope, m);
    ckg__dense()->combine_rows(gp->n, m, V, m, column, explained);
    for (int p = 0; p < m; p++)
        a->cov[p] -= explained[p];
    ckg__covariance_gradient_common(&gp->k, gp->n, gp->A, gp->capacity, m, B, m, a->weights, G, m, a->dcov,
                                    m);
    ckg__covariance_gradient_common(&gp->k, 1, a->point->B, a->point->ld, m, B, m, &one, slope, m, through,
                                    m);
    for (size_t i = 0; i < (size_t)D * (size_t)m; i++)
        a->dcov[i] = through[i] - a->dcov[i];
    unscale(gp, m, 1, a->dcov, m);
    return CKG_OK;
}

/* The means at the scaled points B (D×m) and their gradients (D×ldd); K and G (n×m) ← k and its slopes there.
 */
static void means_at(const struct ckg__gp *gp, int m, const double *B, double *K, double *G, double *mean,
                     double *dmean, int ldd)
{
    ckg__covariance_cross(&gp->k, gp->n, gp->A, gp->capacity, m, B, m, K, G, m);
    ckg__dense()->combine_rows(gp->n, m, K, m, gp->alpha, mean);
    for (int p = 0; p < m; p++)
        mean[p] += gp->mean;
    ckg__covariance_gradient_common(&gp->k, gp->n, gp->A, gp->capacity, m, B, m, gp->alpha, G, m, dmean, ldd);
    unscale(gp, m, 1, dmean, ldd);
}

int ckg__posterior_batch(const struct ckg__gp *gp, int m, const double *U, int ldu, struct ckg__arena *arena,
                         struct ckg__batch *out, struct ckg__against *against)
{
    assert(m >= 0 && ldu >= m);
    assert(!against || against->point->m == 1);

    struct ckg__arena_mark mark = ckg__arena_mark(arena);
    const size_t block = ((size_t)gp->n + 1) * (size_t)m;
    double *B, *V, *G;

    if (CKG__TAKE(arena, CKG__ROOM(B, (size_t)gp->D * (size_t)m), CKG__ROOM(V, block), CKG__ROOM(G, block)))
        return CKG_ERR_NOMEM;

    /* The mean and its gradient. */
    scale_points(gp, U, ldu, m, B, m);
    means_at(gp, m, B, V, G, out->mean, out->dmean, m);

    /* The variance, and while V is L⁻¹k the covariance with x⁺. */
    if (solve(gp, 0, m, V, m))
        return CKG_ERR_CANCELLED;
    variance(gp, m, B, V, m, out->var);
    if (against && covariance_against(gp, m, B, V, G, arena, against))
        return CKG_ERR_NOMEM;

    /* The variance's gradient. */
    if (solve(gp, 1, m, V, m))
        return CKG_ERR_CANCELLED;
    ckg__covariance_gradient_each(&gp->k, gp->n, gp->A, gp->capacity, m, B, m, V, m, G, m, out->dvar, m);
    for (int p = 0; p < m; p++)
        ckg__covariance_own_gradient(&gp->k, B, m, p, -0.5, out->dvar, m);
    unscale(gp, m, -2, out->dvar, m);
    ckg__arena_release(arena, mark);
    return CKG_OK;
}

/* The means of m points and their gradients (D×ldd). */
static int mean_of_part(const struct ckg__gp *gp, int m, const double *U, int ldu, struct ckg__arena *arena,
                        double *mean, double *dmean, int ldd)
{
    struct ckg__arena_mark mark = ckg__arena_mark(arena);
    const size_t block = ((size_t)gp->n + 1) * (size_t)m;
    double *B, *K, *G;

    if (CKG__TAKE(arena, CKG__ROOM(B, (size_t)gp->D * (size_t)m), CKG__ROOM(K, block), CKG__ROOM(G, block)))
        return CKG_ERR_NOMEM;
    if (ckg__interrupted_by(gp->interrupt, 2.0 * gp->n * m * (gp->D + CKG__KERNEL_WORK)))
        return CKG_ERR_CANCELLED;
    scale_points(gp, U, ldu, m, B, m);
    means_at(gp, m, B, K, G, mean, dmean, ldd);
    ckg__arena_release(arena, mark);
    return CKG_OK;
}

/* So many points at once; the room of many more would be large. */
enum { MOST_AT_ONCE = 2048, AT_ONCE = 512 };

int ckg__posterior_mean(const struct ckg__gp *gp, int m, const double *U, int ldu, struct ckg__arena *arena,
                        double *mean, double *dmean)
{
    assert(m >= 0 && ldu >= m);

    const int part = m > MOST_AT_ONCE ? AT_ONCE : m;
    int status = CKG_OK;

    for (int first = 0; !status && first < m; first += part)
        status = mean_of_part(gp, m - first < part ? m - first : part, U + first, ldu, arena, mean + first,
                              dmean + first, m);
    return status;
}

/* --- x⁺ against other points --- */

double *ckg__view_weights(const struct ckg__gp *gp, const struct ckg__view *point, struct ckg__arena *arena)
{
    double *weights = ckg__arena_doubles(arena, (size_t)gp->n + 1);

    assert(point->m == 1);
    if (!weights)
        return NULL;
    for (int i = 0; i < gp->n; i++)
        weights[i] = point->V[(size_t)i * (size_t)point->ld];
    ckg__dense()->solve_lower_transposed(gp->n, 1, gp->L, gp->capacity, weights, 1);
    return weights;
}

/*
 * With c_p the slope in cov(p) and v that in var(x⁺):
 *     Σ_p c_p ∂k(x_p, x⁺) + v·∂k(x⁺, x⁺) + Σ_i (in_mean·α_i − ω_i) ∂k_i(x⁺),
 *     ω = L⁻ᵀ(Σ_p c_p V_p + 2v·V⁺).
 */
int ckg__view_pull(const struct ckg__gp *gp, const struct ckg__view *points, const struct ckg__view *at,
                   double in_mean, double in_var, const double *in_cov, struct ckg__arena *arena,
                   double *gradient)
{
    const int n = gp->n;
    const int m = points->m;
    const int D = gp->D;
    const int most = n > m ? n : m;
    double *weights, *out, *k, *g, *through;

    assert(at->m == 1);

    if (CKG__TAKE(arena, CKG__ROOM(weights, n + 1), CKG__ROOM(out, D), CKG__ROOM(k, most + 1),
                  CKG__ROOM(g, most + 1), CKG__ROOM(through, D)))
        return CKG_ERR_NOMEM;

    /* The weight of each row's ∂k. */
    for (int i = 0; i < n; i++)
        weights[i] = ckg__dense()->dot(m, points->V + (size_t)i * (size_t)points->ld, in_cov) +
                     2 * in_var * at->V[(size_t)i * (size_t)at->ld];
    ckg__dense()->solve_lower_transposed(n, 1, gp->L, gp->capacity, weights, 1);
    for (int i = 0; i < n; i++)
        weights[i] = in_mean * gp->alpha[i] - weights[i];

    /* Through the rows, */
    ckg__covariance_cross(&gp->k, n, gp->A, gp->capacity, 1, at->B, at->ld, k, g, 1);
    ckg__covariance_gradient_common(&gp->k, n, gp->A, gp->capacity, 1, at->B, at->ld, weights, g, 1, out, 1);
    ckg__covariance_own_gradient(&gp->k, at->B, at->ld, 0, in_var, out, 1);

    /* and through the prior covariances with the points. */
    ckg__covariance_cross(&gp->k, m, points->B, points->ld, 1, at->B, at->ld, k, g, 1);
    ckg__covariance_gradient_common(&gp->k, m, points->B, points->ld, 1, at->B, at->ld, in_cov, g, 1, through,
                                    1);
    for (int d = 0; d < D; d++)
        gradient[d] = (out[d] + through[d]) * gp->inv_ell[d];
    return CKG_OK;
}

/* --- one further evaluation --- */

void ckg__posterior_noise(const struct ckg__gp *gp, int m, const double *U, int ldu, const double *mean,
                          const double *var, struct ckg__noise *out)
{
    assert(m >= 0 && ldu >= m && out->var);

    gp->likelihood->noise(gp, m, U, ldu, mean, var, out);
}

int ckg__posterior_noise_varies(const struct ckg__gp *gp)
{
    return (gp->likelihood->traits & CKG__VARIES) != 0;
}

int ckg__posterior_assume(struct ckg__gp *gp, int design, const double *u, int certain,
                          struct ckg__arena *arena)
{
    struct ckg__arena_mark mark = ckg__arena_mark(arena);
    struct ckg__view view;
    double variance = 0;
    struct ckg__noise noise = {.var = &variance};
    int status = ckg__view_make(&view, gp, 1, u, 1, arena);

    if (!status && !certain) {
        ckg__posterior_noise(gp, 1, u, 1, view.mean, view.var, &noise);
        variance -= ckg__gp_nugget_variance(gp);
    }
    if (!status)
        status = ckg__gp_append(gp, design, u, view.mean[0], variance);
    ckg__arena_release(arena, mark);
    return status;
}

double ckg__variance_floor(const struct ckg__gp *gp)
{
    return ckg__floor_of(gp->nugget, gp->unit);
}

/* --- factors and joint draws --- */

/* The lower triangle of the posterior covariance C (m×m) at a view's points, a band of rows at a time. */
static int own_covariance(const struct ckg__gp *gp, const struct ckg__view *view, double *C)
{
    enum { BAND = 64 };
    const int m = view->m;
    struct ckg__view columns = *view;
    for (int first = 0; first < m; first += BAND) {
        const int count = m - first < BAND ? m - first : BAND;
        columns.m = first + count;
        if (ckg__interrupted_by(gp->interrupt, (double)gp->n * count * columns.m))
            return CKG_ERR_CANCELLED;
        ckg__view_covariance(gp, &columns, view, first, count, C + (size_t)first * (size_t)m, m);
    }
    return CKG_OK;
}

struct own {
    const struct ckg__gp *gp;
    const struct ckg__view *view;
    double *C;
};

static int fill_own(void *context, double jitter)
{
    const struct own *own = context;
    const size_t m = (size_t)own->view->m;

    if (own_covariance(own->gp, own->view, own->C))
        return 1;
    for (size_t p = 0; p < m; p++)
        own->C[p * m + p] += jitter;
    return 0;
}

int ckg__view_factor(const struct ckg__gp *gp, const struct ckg__view *view, double least, double *C,
                     double *added)
{
    assert(least >= 0);

    const struct ckg__jitter ladder = {fmax(least, gp->nugget * gp->unit), 0, gp->unit};
    struct own own = {gp, view, C};
    struct ckg__workers alone;
    const int bad = ckg__jitter_factor(view->m, C, view->m, ladder, fill_own, &own,
                                       ckg__parts_workers(gp->interrupt, view->m, &alone), added);

    return bad < 0 ? CKG_ERR_CANCELLED : bad ? CKG_ERR_NUMERIC : CKG_OK;
}

struct proper {
    int m;
    double unit;
    double had;   /* the nugget that is on the diagonal */
    double *C;    /* m×m, which keeps it */
    double *work; /* m×m, a copy to factor */
};

static int fill_proper(void *context, double nugget)
{
    struct proper *proper = context;
    const size_t m = (size_t)proper->m;

    for (size_t p = 0; p < m; p++)
        proper->C[p * m + p] += (nugget - proper->had) * proper->unit;
    proper->had = nugget;
    memcpy(proper->work, proper->C, m * m * sizeof *proper->C);
    return 0;
}

int ckg__view_proper_covariance(const struct ckg__gp *gp, const struct ckg__view *view, double *C,
                                double *work)
{
    const struct ckg__jitter ladder = {gp->nugget, 0, CKG__NUGGET_MAX};
    struct proper proper = {view->m, gp->unit, 0, C, work};
    double nugget;

    ckg__view_covariance(gp, view, view, 0, view->m, C, view->m);
    return ckg__jitter_factor(view->m, work, view->m, ladder, fill_proper, &proper, NULL, &nugget);
}

/* The same with the usual nugget, for a draw; *added unless NULL. */
static int factor_for_draw(const struct ckg__gp *gp, const struct ckg__view *view, double *C, double *added)
{
    double nugget;
    const int status = ckg__view_factor(gp, view, 0, C, added ? added : &nugget);

    if (status == CKG_ERR_CANCELLED)
        return status;
    if (status)
        return ckg__fail(CKG_ERR_NUMERIC, "the posterior covariance of %d points has no factor", view->m);
    return CKG_OK;
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
                          int count, struct ckg__arena *arena, double *samples, double *added)
{
    assert(count >= 0);

    struct ckg__arena_mark mark = ckg__arena_mark(arena);
    const size_t m = (size_t)view->m;
    double *C = ckg__arena_doubles(arena, m * m + 1);
    double *z = ckg__arena_doubles(arena, m + 1);
    const int status = C && z ? factor_for_draw(gp, view, C, added) : CKG_ERR_NOMEM;
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
    const int status = C ? factor_for_draw(gp, view, C, NULL) : CKG_ERR_NOMEM;

    if (!status) {
        draw_once(view, C, rng, weights, draw);
        ckg__dense()->solve_lower_transposed(view->m, 1, C, view->m, weights, 1);
    }
    ckg__arena_release(arena, mark);
    return status;
}

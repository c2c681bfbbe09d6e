/*
 * Products and sums over columns, and the table of all dense kernels of this variant (strip.h has the tile).
 */
#include <assert.h>

#include "linalg/dense.h"
#include "linalg/strip.h"

static void clear(int m, int n, double *C, ptrdiff_t ldc)
{
    for (int i = 0; i < m; i++)
        memset(C + i * ldc, 0, (size_t)n * sizeof *C);
}

static void multiply_tn(int m, int n, int k, double sign, const double *A, int lda, const double *B, int ldb,
                        int keep, double *C, int ldc)
{
    assert(m >= 0 && n >= 0 && k >= 0);
    assert(lda >= m && ldb >= n && ldc >= n);
    assert(sign == 1 || sign == -1);

    _Alignas(64) double T[DEPTH * WIDTH];

    if (k <= 0 && !keep)
        clear(m, n, C, ldc);
    for (int p = 0; p < k; p += DEPTH) {
        const int depth = smaller(DEPTH, k - p);
        const struct operand left = {A + (ptrdiff_t)p * lda, 1, lda};
        for (int j = 0; j < n; j += WIDTH) {
            const int w = smaller(WIDTH, n - j);
            copy_in(depth, w, B + (ptrdiff_t)p * ldb + j, ldb, T);
            update_strip(m, w, w, depth, left, T, sign, keep || p > 0, C + j, ldc);
        }
    }
}

/* y (nv vectors) ← Σ_i x_i A_i, or y − Σ_i A_i² when x is NULL. */
INLINE void sum_columns(int nv, int n, const double *A, ptrdiff_t lda, const double *x, double *y)
{
    lanes acc[8];

    UNROLL for (int v = 0; v < nv; v++) acc[v] = x ? (lanes){0} : -load(y + v * LANES);
    for (int i = 0; i < n; i++, A += lda)
        UNROLL for (int v = 0; v < nv; v++)
        {
            const lanes a = load(A + v * LANES);
            acc[v] = fused_lanes(x ? splat(x[i]) : a, a, acc[v]);
        }
    UNROLL for (int v = 0; v < nv; v++) store(y + v * LANES, x ? acc[v] : -acc[v]);
}

INLINE void sum_all_columns(int n, int m, const double *A, ptrdiff_t lda, const double *x, double *y)
{
    int j = 0;

    for (; j + 8 * LANES <= m; j += 8 * LANES)
        sum_columns(8, n, A + j, lda, x, y + j);
    for (; j + LANES <= m; j += LANES)
        sum_columns(1, n, A + j, lda, x, y + j);
    for (; j < m; j++) {
        double sum = x ? 0.0 : y[j];
        for (int i = 0; i < n; i++)
            sum = fused(x ? x[i] : -A[i * lda + j], A[i * lda + j], sum);
        y[j] = sum;
    }
}

static void combine_rows(int n, int m, const double *A, int lda, const double *x, double *y)
{
    assert(n >= 0 && m >= 0 && lda >= m);

    sum_all_columns(n, m, A, lda, x, y);
}

static void subtract_squares(int n, int m, const double *A, int lda, double *y)
{
    assert(n >= 0 && m >= 0 && lda >= m);

    sum_all_columns(n, m, A, lda, NULL, y);
}

const struct ckg__dense_ops CKG__VARIANT_NAME(ckg__dense_ops) = {
    .cholesky = hot_cholesky,
    .solve_lower = hot_solve_lower,
    .solve_lower_transposed = hot_solve_lower_transposed,
    .inverse_from_cholesky = hot_inverse_from_cholesky,
    .multiply_tn = multiply_tn,
    .combine_rows = combine_rows,
    .subtract_squares = subtract_squares,
    .dot = hot_dot,
};

/*
 * Products and sums over columns, and the table of all dense kernels of this variant (strip.h has the tile).
 */
#include <assert.h>

#include "linalg/dense.h"
#include "linalg/strip.h"

static void scale(int m, int n, double beta, double *C, ptrdiff_t ldc)
{
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            C[i * ldc + j] = beta == 0.0 ? 0.0 : beta * C[i * ldc + j];
}

static void multiply_tn(int m, int n, int k, double alpha, const double *A, int lda, const double *B, int ldb,
                        double beta, double *C, int ldc)
{
    assert(m >= 0 && n >= 0 && k >= 0);
    assert(lda >= m && ldb >= n && ldc >= n);

    _Alignas(64) double T[DEPTH * WIDTH];

    if (k <= 0 || (beta != 0.0 && beta != 1.0))
        scale(m, n, beta, C, ldc);
    for (int p = 0; p < k; p += DEPTH) {
        const int depth = smaller(DEPTH, k - p);
        const int keep = p > 0 || beta != 0.0;
        const struct operand left = {A + (ptrdiff_t)p * lda, 1, lda};
        for (int j = 0; j < n; j += WIDTH) {
            const int w = smaller(WIDTH, n - j);
            copy_in(depth, w, B + (ptrdiff_t)p * ldb + j, ldb, T);
            update_strip(m, w, w, depth, left, T, alpha, keep, C + j, ldc);
        }
    }
}

/* y (nv vectors) ← Σ_i x_i A_i, or Σ_i A_i² when x is NULL. */
INLINE void sum_columns(int nv, int n, const double *A, ptrdiff_t lda, const double *x, double *y)
{
    vec acc[8];

    UNROLL for (int v = 0; v < nv; v++) acc[v] = (vec){0};
    for (int i = 0; i < n; i++, A += lda)
        UNROLL for (int v = 0; v < nv; v++)
        {
            const vec a = load(A + v * LANES);
            acc[v] += x ? x[i] * a : a * a;
        }
    UNROLL for (int v = 0; v < nv; v++) store(y + v * LANES, acc[v]);
}

INLINE void sum_all_columns(int n, int m, const double *A, ptrdiff_t lda, const double *x, double *y)
{
    int j = 0;

    for (; j + 8 * LANES <= m; j += 8 * LANES)
        sum_columns(8, n, A + j, lda, x, y + j);
    for (; j + LANES <= m; j += LANES)
        sum_columns(1, n, A + j, lda, x, y + j);
    for (; j < m; j++) {
        y[j] = 0.0;
        for (int i = 0; i < n; i++)
            y[j] += (x ? x[i] : A[i * lda + j]) * A[i * lda + j];
    }
}

static void combine_rows(int n, int m, const double *A, int lda, const double *x, double *y)
{
    assert(n >= 0 && m >= 0 && lda >= m);

    sum_all_columns(n, m, A, lda, x, y);
}

static void column_squares(int n, int m, const double *A, int lda, double *y)
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
    .column_squares = column_squares,
    .dot = hot_dot,
};

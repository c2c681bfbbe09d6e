/*
 * Kernel matrices and the sums over their derivatives (kernel.h), in loops along contiguous rows that the
 * compiler vectorises. Compiled once per instruction set. Cost: one exp per entry and D multiply-adds per
 * entry and sum.
 */
#include <assert.h>
#include <math.h>

#include "linalg/lanes.h"
#include "linalg/variant.h"
#include "linalg/vector.h"
#include "model/kernel.h"

#define VECTOR CKG__VARIANT_NAME(ckg__vector_ops)

/* r2[p] ← squared scaled distance of the point a (stride lda) to the m points of B. */
static void squared_distances(int D, const double *a, int lda, int m, const double *B, int ldb,
                              double *restrict r2)
{
    const double first = a[0];

    for (int p = 0; p < m; p++) {
        const double delta = B[p] - first;
        r2[p] = delta * delta;
    }
    for (int k = 1; k < D; k++) {
        const double c = a[k * lda];
        const double *restrict b = B + (long)k * ldb;
        for (int p = 0; p < m; p++) {
            const double delta = b[p] - c;
            r2[p] = fused(delta, delta, r2[p]);
        }
    }
}

/* A tile of a row at a time, so that the roots stay in the first cache. */
enum { TILE = 128 };

/* From squared distances r2 (m) the values k and the slopes g; either may be r2, or NULL. */
INLINE void row_rbf(int m, double s2, const double *r2, double *k, double *g)
{
    double *out = k ? k : g;
    const double scale = k ? s2 : -s2;

    for (int p = 0; p < m; p++)
        out[p] = -0.5 * r2[p];
    VECTOR.exp(m, out, out);
    for (int p = 0; p < m; p++)
        out[p] *= scale;
    for (int p = 0; k && g && p < m; p++)
        g[p] = -k[p];
}

/* The same for the Matérn kernels, 5/2 or 3/2, with a = √5·r or √3·r and e = exp(−a). */
INLINE void row_matern(int rough, int m, double s2, const double *r2, double *k, double *g)
{
    double a[TILE];
    double e[TILE];

    for (int start = 0; start < m; start += TILE) {
        const int count = m - start < TILE ? m - start : TILE;
        for (int p = 0; p < count; p++) {
            a[p] = sqrt((rough ? 3 : 5) * r2[start + p]);
            e[p] = -a[p];
        }
        VECTOR.exp(count, e, e);
        for (int p = 0; k && p < count; p++)
            k[start + p] = s2 * (rough ? 1 + a[p] : fused(a[p], a[p] * (1.0 / 3), 1 + a[p])) * e[p];
        for (int p = 0; g && p < count; p++)
            g[start + p] = rough ? -3 * s2 * e[p] : -5.0 / 3 * s2 * (1 + a[p]) * e[p];
    }
}

static void finish_row(enum ckg__kernel kernel, int m, double s2, const double *r2, double *k, double *g)
{
    if (kernel == CKG__MATERN52)
        row_matern(0, m, s2, r2, k, g);
    else if (kernel == CKG__MATERN32)
        row_matern(1, m, s2, r2, k, g);
    else
        row_rbf(m, s2, r2, k, g);
}

static void cross(enum ckg__kernel kernel, int D, int n, const double *A, int lda, int m, const double *B,
                  int ldb, double s2, double *K, double *G, int ldk)
{
    assert(D > 0 && n >= 0 && m >= 0);
    assert(lda >= n && ldb >= m && ldk >= m);

    for (int i = 0; i < n; i++) {
        double *row = K + (long)i * ldk;
        squared_distances(D, A + i, lda, m, B, ldb, row);
        finish_row(kernel, m, s2, row, row, G ? G + (long)i * ldk : 0);
    }
}

static void symmetric(enum ckg__kernel kernel, int D, int first, int end, const double *A, int lda, double s2,
                      double *K, int ldk)
{
    assert(D > 0 && first >= 0 && first <= end);
    assert(lda >= end && ldk >= end);

    for (int i = first; i < end; i++) {
        double *row = K + (long)i * ldk;
        squared_distances(D, A + i, lda, i + 1, A, lda, row);
        finish_row(kernel, i + 1, s2, row, row, 0);
    }
}

static void slopes(enum ckg__kernel kernel, int D, int first, int end, const double *A, int lda, double s2,
                   double *G, int ldg)
{
    assert(D > 0 && first >= 0 && first <= end);
    assert(lda >= end && ldg >= end);

    for (int i = first; i < end; i++) {
        double *row = G + (long)i * ldg;
        squared_distances(D, A + i, lda, i + 1, A, lda, row);
        finish_row(kernel, i + 1, s2, row, 0, row);
    }
}

/* Σ_j t_j (a_j − c)² over n terms, in eight parts whatever the vectors' width. */
static double weighted_squares(int n, const double *t, const double *a, double c)
{
    enum { PARTS = 8 };
    lanes sum[PARTS / LANES] = {{0}};
    double part[PARTS];
    int j = 0;

    for (; j + PARTS <= n; j += PARTS)
        for (int v = 0; v < PARTS / LANES; v++) {
            const lanes delta = load(a + j + v * LANES) - c;
            sum[v] = fused_lanes(load(t + j + v * LANES) * delta, delta, sum[v]);
        }
    for (int v = 0; v < PARTS / LANES; v++)
        store(part + v * LANES, sum[v]);
    for (; j < n; j++)
        part[0] = fused(t[j] * (a[j] - c), a[j] - c, part[0]);
    return ((part[0] + part[1]) + (part[2] + part[3])) + ((part[4] + part[5]) + (part[6] + part[7]));
}

static void lengthscale_gradient(int D, int first, int end, const double *A, int lda, const double *alpha,
                                 double *C, int ldc, const double *G, int ldg, double *g)
{
    for (int k = 0; k < D; k++)
        g[k] = 0;
    for (int i = first; i < end; i++) {
        double *restrict t = C + (long)i * ldc;
        const double *restrict slope = G + (long)i * ldg;
        const double own = alpha[i];
        for (int j = 0; j < i; j++)
            t[j] = fused(-own, alpha[j], t[j]) * slope[j];
        for (int k = 0; k < D; k++)
            g[k] += weighted_squares(i, t, A + (long)k * lda, A[(long)k * lda + i]);
    }
}

/* out (D×m) ← Σ_i w_i g_i ∂r²_i/2, the weights those of row i of W or, where ldw is 0, one for all points. */
INLINE void gradient(int D, int n, const double *A, int lda, int m, const double *B, int ldb, const double *W,
                     int ldw, const double *G, int ldg, double *out, int ldo)
{
    assert(D > 0 && lda >= n && ldb >= m);
    assert(ldg >= m && ldo >= m);

    for (int k = 0; k < D; k++)
        for (int p = 0; p < m; p++)
            out[(long)k * ldo + p] = 0;
    for (int i = 0; i < n; i++) {
        const double *restrict w = W + (ldw ? (long)i * ldw : i);
        const double *restrict g = G + (long)i * ldg;
        const double weight = *w;
        for (int k = 0; k < D; k++) {
            const double a = A[(long)k * lda + i];
            const double *restrict b = B + (long)k * ldb;
            double *restrict o = out + (long)k * ldo;
            for (int p = 0; p < m; p++)
                o[p] = fused((ldw ? w[p] : weight) * g[p], b[p] - a, o[p]);
        }
    }
}

static void gradient_each(int D, int n, const double *A, int lda, int m, const double *B, int ldb,
                          const double *W, int ldw, const double *G, int ldg, double *out, int ldo)
{
    assert(ldw > 0 && ldw >= m);

    gradient(D, n, A, lda, m, B, ldb, W, ldw, G, ldg, out, ldo);
}

static void gradient_common(int D, int n, const double *A, int lda, int m, const double *B, int ldb,
                            const double *w, const double *G, int ldg, double *out, int ldo)
{
    gradient(D, n, A, lda, m, B, ldb, w, 0, G, ldg, out, ldo);
}

static void add_linear(int D, const double *a, int lda, int m, const double *B, int ldb,
                       const double *inv_ell, double l, double *restrict row)
{
    assert(D > 0 && m >= 0 && ldb >= m);

    for (int k = 0; k < D; k++) {
        const double ell = 1 / inv_ell[k];
        const double own = l * fused(a[(long)k * lda], ell, -0.5);
        const double *restrict b = B + (long)k * ldb;
        for (int p = 0; p < m; p++)
            row[p] = fused(own, fused(b[p], ell, -0.5), row[p]);
    }
}

static void linear_each(int D, int n, const double *A, int lda, int m, const double *W, int ldw,
                        const double *inv_ell, double l, double *out, int ldo)
{
    assert(D > 0 && lda >= n && ldw >= m && ldo >= m);

    for (int i = 0; i < n; i++) {
        const double *restrict w = W + (long)i * ldw;
        for (int k = 0; k < D; k++) {
            const double ell = 1 / inv_ell[k];
            const double pull = l * fused(A[(long)k * lda + i], ell, -0.5) * ell;
            double *restrict o = out + (long)k * ldo;
            for (int p = 0; p < m; p++)
                o[p] = fused(w[p], pull, o[p]);
        }
    }
}

const struct ckg__kernel_ops CKG__VARIANT_NAME(ckg__kernel_ops) = {
    cross, symmetric, slopes, lengthscale_gradient, gradient_each, gradient_common, add_linear, linear_each};

/*
 * The dense kernels, and the functions over arrays, to the last bit: every variant that fuses, and every
 * compiler, does what the plain loops below say with fma() of the C library. Base x86-64 rounds twice, and is
 * left out.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "linalg/dense.h"
#include "linalg/vector.h"
#include "support/test.h"
#include "support/variants.h"

enum { MOST = 160, PIVOTS = 4, DEPTH = 144, PARTS = 8 };

#if defined(__x86_64__)
enum { FIRST = CKG__VARIANT_V3 };
#else
enum { FIRST = CKG__VARIANT_BASE };
#endif

static const struct ckg__dense_ops *const dense[] = EVERY_VARIANT(ckg__dense_ops);
static const struct ckg__vector_ops *const vectors[] = EVERY_VARIANT(ckg__vector_ops);
static const int sizes[] = {1, 2, 3, 4, 5, 7, 8, 9, 12, 13, 20, 24, 31, 47, 50, 96, 143, 144, 145, 160};
static const int sides[] = {1, 2, 3, 5, 8, 12, 13, 24, 25, 40};

#define COUNT(array) (sizeof(array) / sizeof *(array))

static double A[MOST * MOST], L[MOST * MOST], B[MOST * MOST], X[MOST * MOST], want[MOST * MOST];

static uint64_t drawn;

static double uniform(void)
{
    drawn = drawn * 6364136223846793005u + 1442695040888963407u;
    return (double)(drawn >> 11) * 0x1p-53 - 0.5;
}

static void fill(double *M)
{
    for (int i = 0; i < MOST * MOST; i++)
        M[i] = uniform();
}

/* A positive matrix, badly enough conditioned that an order of its own would show. */
static void fill_positive(int n, double *M)
{
    fill(M);
    for (int i = 0; i < n; i++)
        M[i * MOST + i] = 0.3 + 0.5 * n;
}

static void assert_same(const char *what, int variant, int n, int m, int triangle)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < (triangle ? i + 1 : m); j++)
            if (X[i * MOST + j] != want[i * MOST + j])
                fail_msg("%s, variant %d, %d by %d: [%d, %d] is %a, not %a", what, variant, n, m, i, j,
                         X[i * MOST + j], want[i * MOST + j]);
}

/* The square of a group of pivots, rows `first` … of U: as UᵀDU, then scaled. */
static void factor_group(int first, int end, double *U, double *inverse)
{
    double pivot[MOST];

    for (int i = first; i < end; i++) {
        pivot[i] = U[i * MOST + i];
        for (int r = i + 1; r < end; r++)
            for (int c = r; c < end; c++)
                U[r * MOST + c] = fma(U[i * MOST + r] * (-1 / pivot[i]), U[i * MOST + c], U[r * MOST + c]);
    }
    for (int i = first; i < end; i++) {
        inverse[i] = 1 / sqrt(pivot[i]);
        for (int c = i; c < end; c++)
            U[i * MOST + c] *= inverse[i];
    }
}

/* U, the transposed factor, by groups of rows: all but a group's own square is a forward solve. */
static void naive_cholesky(int n, const double *M, double *factor)
{
    static double U[MOST * MOST];
    double inverse[MOST];

    for (int i = 0; i < n; i++)
        for (int c = i; c < n; c++)
            U[i * MOST + c] = M[c * MOST + i];
    for (int first = 0; first < n; first += PIVOTS) {
        const int end = first + PIVOTS < n ? first + PIVOTS : n;
        for (int r = first; r < end; r++)
            for (int p = 0; p < first; p++)
                for (int c = r; c < n; c++)
                    U[r * MOST + c] = fma(-U[p * MOST + r], U[p * MOST + c], U[r * MOST + c]);
        factor_group(first, end, U, inverse);
        for (int c = end; c < n; c++)
            for (int r = first; r < end; r++) {
                for (int p = first; p < r; p++)
                    U[r * MOST + c] = fma(-U[p * MOST + r], U[p * MOST + c], U[r * MOST + c]);
                U[r * MOST + c] *= inverse[r];
            }
    }
    for (int i = 0; i < n; i++)
        for (int c = i; c < n; c++)
            factor[c * MOST + i] = U[i * MOST + c];
}

/* Rows below the strip that holds a column are solved against it, one by one, by reciprocals. */
static void test_solves(void **state)
{
    (void)state;
    for (int v = FIRST; v < variant_count(); v++)
        for (size_t a = 0; a < COUNT(sizes); a++)
            for (size_t b = 1; b < COUNT(sides); b++) {
                const int n = sizes[a], m = sides[b];
                fill_positive(n, L);
                fill(B);
                memcpy(X, B, sizeof X);
                memcpy(want, B, sizeof want);
                for (int i = 0; i < n; i++)
                    for (int j = 0; j < m; j++) {
                        for (int p = 0; p < i; p++)
                            want[i * MOST + j] = fma(-L[i * MOST + p], want[p * MOST + j],
                                                     want[i * MOST + j]);
                        want[i * MOST + j] *= 1 / L[i * MOST + i];
                    }
                dense[v]->solve_lower(n, m, L, MOST, X, MOST);
                assert_same("solve_lower", v, n, m, 0);
            }
}

/* The last DEPTH rows at a time, within them from the bottom up; what lies below in its own order. */
static void test_transposed_solves(void **state)
{
    (void)state;
    for (int v = FIRST; v < variant_count(); v++)
        for (size_t a = 0; a < COUNT(sizes); a++)
            for (size_t b = 1; b < COUNT(sides); b++) {
                const int n = sizes[a], m = sides[b];
                fill_positive(n, L);
                fill(B);
                memcpy(X, B, sizeof X);
                memcpy(want, B, sizeof want);
                for (int end = n, depth; end > 0; end -= depth) {
                    depth = end % DEPTH ? end % DEPTH : DEPTH;
                    for (int i = end - 1; i >= end - depth; i--)
                        for (int j = 0; j < m; j++) {
                            double *x = want + i * MOST + j;
                            for (int p = end - 1; p > i; p--)
                                *x = fma(-L[p * MOST + i], want[p * MOST + j], *x);
                            *x *= 1 / L[i * MOST + i];
                        }
                    for (int i = 0; i < end - depth; i++)
                        for (int p = end - depth; p < end; p++)
                            for (int j = 0; j < m; j++)
                                want[i * MOST + j] = fma(-L[p * MOST + i], want[p * MOST + j],
                                                         want[i * MOST + j]);
                }
                dense[v]->solve_lower_transposed(n, m, L, MOST, X, MOST);
                assert_same("solve_lower_transposed", v, n, m, 0);
            }
}

static void test_cholesky(void **state)
{
    (void)state;
    for (int v = FIRST; v < variant_count(); v++)
        for (size_t a = 0; a < COUNT(sizes); a++) {
            fill_positive(sizes[a], A);
            memcpy(X, A, sizeof X);
            assert_int_equal(dense[v]->cholesky(sizes[a], X, MOST, NULL), 0);
            naive_cholesky(sizes[a], A, want);
            assert_same("cholesky", v, sizes[a], sizes[a], 1);
        }
}

/* W = L⁻¹ by columns, then WᵀW, each element in the order of the rows. */
static void naive_inverse(int n, const double *factor, double *inverse)
{
    static double W[MOST * MOST];

    memset(W, 0, sizeof W);
    for (int i = 0; i < n; i++)
        for (int c = 0; c <= i; c++) {
            double x = i == c;
            for (int p = c; p < i; p++)
                x = fma(-factor[i * MOST + p], W[p * MOST + c], x);
            W[i * MOST + c] = x * (1 / factor[i * MOST + i]);
        }
    for (int i = 0; i < n; i++)
        for (int c = 0; c <= i; c++) {
            double x = 0;
            for (int p = i; p < n; p++)
                x = fma(W[p * MOST + i], W[p * MOST + c], x);
            inverse[i * MOST + c] = x;
        }
}

static void test_inverse(void **state)
{
    (void)state;
    for (int v = FIRST; v < variant_count(); v++)
        for (size_t a = 0; a < COUNT(sizes) && sizes[a] <= DEPTH; a++) {
            fill_positive(sizes[a], A);
            assert_int_equal(dense[v]->cholesky(sizes[a], A, MOST, NULL), 0);
            memcpy(X, A, sizeof X);
            assert_int_equal(dense[v]->inverse_from_cholesky(sizes[a], X, MOST, NULL), 0);
            naive_inverse(sizes[a], A, want);
            assert_same("inverse_from_cholesky", v, sizes[a], sizes[a], 1);
        }
}

/* Larger than a block, where the loops above would have to know more: the variants agree. */
static void test_inverse_of_several_blocks(void **state)
{
    enum { N = 400 };
    double *M[3];
    (void)state;
    for (int v = FIRST; v < variant_count(); v++) {
        M[v] = calloc((size_t)N * N, sizeof(double));
        for (int i = 0; i < N; i++)
            for (int j = 0; j <= i; j++)
                M[v][i * N + j] = i == j ? 0.5 * N : v == FIRST ? uniform() : M[FIRST][i * N + j];
    }
    for (int v = FIRST + 1; v < variant_count(); v++)
        memcpy(M[v], M[FIRST], sizeof(double[N][N]));
    for (int v = FIRST; v < variant_count(); v++) {
        assert_int_equal(dense[v]->cholesky(N, M[v], N, NULL), 0);
        assert_int_equal(dense[v]->inverse_from_cholesky(N, M[v], N, NULL), 0);
        assert_memory_equal(M[v], M[FIRST], sizeof(double[N][N]));
    }
    for (int v = FIRST; v < variant_count(); v++)
        free(M[v]);
}

static void test_products(void **state)
{
    (void)state;
    for (int v = FIRST; v < variant_count(); v++)
        for (size_t a = 0; a < COUNT(sizes); a++)
            for (size_t b = 0; b < COUNT(sides); b++) {
                const int k = sizes[a], m = sides[COUNT(sides) - 1 - b], n = sides[b], keep = (int)(a % 2);
                const double sign = b % 2 ? 1 : -1;
                fill(A), fill(B), fill(X);
                memcpy(want, X, sizeof want);
                for (int i = 0; i < m; i++)
                    for (int j = 0; j < n; j++) {
                        double x = keep ? want[i * MOST + j] : 0;
                        for (int p = 0; p < k; p++)
                            x = fma(sign * A[p * MOST + i], B[p * MOST + j], x);
                        want[i * MOST + j] = x;
                    }
                dense[v]->multiply_tn(m, n, k, sign, A, MOST, B, MOST, keep, X, MOST);
                assert_same("multiply_tn", v, m, n, 0);
                for (int j = 0; j < n; j++) {
                    want[j] = 0;
                    want[MOST + j] = X[MOST + j] = B[j];
                    for (int i = 0; i < k; i++) {
                        want[j] = fma(B[i], A[i * MOST + j], want[j]);
                        want[MOST + j] = fma(-A[i * MOST + j], A[i * MOST + j], want[MOST + j]);
                    }
                }
                dense[v]->combine_rows(k, n, A, MOST, B, X);
                dense[v]->subtract_squares(k, n, A, MOST, X + MOST);
                assert_same("sums of rows", v, 2, n, 0);
            }
}

static double added_up(const double part[PARTS])
{
    return ((part[0] + part[4]) + (part[2] + part[6])) + ((part[1] + part[5]) + (part[3] + part[7]));
}

/* Two sums of PARTS by turns; a last whole one goes to the first, what is left to the second. */
static double naive_dot(int n, const double *x, const double *y)
{
    double part[2][PARTS] = {{0}};
    int i = 0;

    for (; i + 2 * PARTS <= n; i += 2 * PARTS)
        for (int l = 0; l < 2 * PARTS; l++)
            part[l / PARTS][l % PARTS] = fma(x[i + l], y[i + l], part[l / PARTS][l % PARTS]);
    if (i + PARTS <= n)
        for (int l = 0; l < PARTS; l++, i++)
            part[0][l] = fma(x[i], y[i], part[0][l]);
    for (int l = 0; i < n; l++, i++)
        part[1][l] = fma(x[i], y[i], part[1][l]);
    for (int l = 0; l < PARTS; l++)
        part[0][l] += part[1][l];
    return added_up(part[0]);
}

/* A right-hand side alone is solved as it is among others. */
static void test_one_right_hand_side(void **state)
{
    (void)state;
    for (int v = FIRST; v < variant_count(); v++)
        for (size_t a = 0; a < COUNT(sizes); a++) {
            const int n = sizes[a];
            fill_positive(n, L);
            fill(B);
            assert_true(dense[v]->dot(n, L, B) == naive_dot(n, L, B));
            for (int transposed = 0; transposed < 2; transposed++) {
                memcpy(want, B, sizeof want);
                memcpy(X, B, sizeof X);
                (transposed ? dense[v]->solve_lower_transposed : dense[v]->solve_lower)(n, 3, L, MOST, want,
                                                                                        MOST);
                (transposed ? dense[v]->solve_lower_transposed : dense[v]->solve_lower)(n, 1, L, MOST, X,
                                                                                        MOST);
                assert_same(transposed ? "one column, transposed" : "one column", v, n, 1, 0);
            }
        }
}

/* FNV-1a over the bits. */
static uint64_t hashed(uint64_t hash, int n, const double *x)
{
    for (int i = 0; i < n; i++) {
        uint64_t bits;
        memcpy(&bits, x + i, sizeof bits);
        hash = (hash ^ bits) * UINT64_C(0x100000001b3);
    }
    return hash;
}

/*
 * What this library gives wherever it fuses: by gcc and clang, with AVX2, AVX-512 and on arm64. Another
 * number means that the arithmetic was changed; it is then to be compared by hand on two processors.
 */
static const uint64_t functions_hash = UINT64_C(0x82a0bde094578358);

static void test_functions(void **state)
{
    enum { N = 2000 };
    static double x[N], positive[N], y[N], z[N];

    (void)state;
    drawn = 7;
    for (int i = 0; i < N; i++) {
        x[i] = 80 * uniform();
        positive[i] = fabs(x[i]) + 1e-3;
    }
    for (int v = FIRST; v < variant_count(); v++) {
        uint64_t hash = UINT64_C(0xcbf29ce484222325);
        vectors[v]->exp(N, x, y), hash = hashed(hash, N, y);
        vectors[v]->log(N, positive, y), hash = hashed(hash, N, y);
        vectors[v]->normal_cdf_pdf(N, x, y, z), hash = hashed(hashed(hash, N, y), N, z);
        vectors[v]->normal_log_cdf(N, x, y, z), hash = hashed(hashed(hash, N, y), N, z);
        vectors[v]->normal_ei(N, x, y), hash = hashed(hash, N, y);
        if (hash != functions_hash)
            fail_msg("variant %d: 0x%llx", v, (unsigned long long)hash);
    }
}

int main(void)
{
    return RUN_TESTS(test_solves, test_transposed_solves, test_cholesky, test_inverse,
                     test_inverse_of_several_blocks, test_products, test_one_right_hand_side, test_functions);
}

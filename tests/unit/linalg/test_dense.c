/*
 * Every compiled variant that this processor runs, against naive loops in long double: the residuals of LLᵀ =
 * A, LX = B, LᵀX = B and A⁻¹A = I, the pivot that is reported, that nothing outside the matrices is written,
 * and that a team changes no bit.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "linalg/dense.h"
#include "linalg/variant.h"

enum { PADDING = 3, MOST = 257, MOST_SIDES = 64, LD = MOST + PADDING };

static const double SENTINEL = -7.25;
static const int sizes[] = {0, 1, 2, 3, 5, 8, 13, 31, 32, 33, 64, 65, 100, 129, 200, 257};
static const int sides[] = {1, 2, 3, 8, 17, 64};

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* The matrices of one case; one row more than the largest matrix, so that an overrun is seen. */
static double A[(MOST + 1) * LD], L[(MOST + 1) * LD], B[(MOST + 1) * LD], X[(MOST + 1) * LD],
    C[(MOST + 1) * LD];

static double uniform(void)
{
    static uint64_t state = 1;

    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(state >> 11) * 0x1p-53 - 0.5;
}

static void fill(int n, int m, int ld, double *M)
{
    for (int i = 0; i < (MOST + 1) * LD; i++)
        M[i] = SENTINEL;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            M[i * ld + j] = uniform();
}

/* A random symmetric matrix with dominant diagonal; the upper triangle holds NaN, which nobody may use. */
static void fill_positive(int n, int ld, double *M)
{
    fill(n, n, ld, M);
    for (int i = 0; i < n; i++) {
        M[i * ld + i] = 1.0 + 0.3 * n;
        for (int j = i + 1; j < n; j++)
            M[i * ld + j] = NAN;
    }
}

static double lower(const double *M, int ld, int i, int j)
{
    return i >= j ? M[i * ld + j] : M[j * ld + i];
}

static double tolerance(int n)
{
    return 8.0 * (n + 1) * DBL_EPSILON;
}

static void assert_near(long double actual, long double expected, double scale, int n)
{
    if (!(fabsl(actual - expected) <= tolerance(n) * scale))
        fail_msg("n = %d: %Lg, expected %Lg", n, actual, expected);
}

/*
 * Entries of M outside its n×m part are the sentinel; with `triangle`, those above the diagonal are still
 * NaN.
 */
static void assert_untouched(int n, int m, int ld, int triangle, const double *M)
{
    for (int i = 0; i < (MOST + 1) * LD; i++)
        if (i / ld >= n || i % ld >= m)
            assert_true(M[i] == SENTINEL);
    for (int i = 0; i < n && triangle; i++)
        for (int j = i + 1; j < m; j++)
            assert_true(isnan(M[i * ld + j]));
}

static void check_cholesky(const struct ckg__dense_ops *ops, int n)
{
    const int ld = n + PADDING;

    fill_positive(n, ld, A);
    memcpy(L, A, sizeof L);
    assert_int_equal(ops->cholesky(n, L, ld, NULL), 0);
    assert_untouched(n, n, ld, 1, L);
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            long double sum = 0;
            for (int k = 0; k <= j; k++)
                sum += (long double)L[i * ld + k] * L[j * ld + k];
            assert_near(sum, A[i * ld + j], 1.0 + 0.3 * n, n);
        }
}

/* Expects A and L from check_cholesky. */
static void check_inverse(const struct ckg__dense_ops *ops, int n)
{
    const int ld = n + PADDING;

    memcpy(X, L, sizeof X);
    ops->inverse_from_cholesky(n, X, ld, NULL);
    assert_untouched(n, n, ld, 1, X);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            long double sum = 0;
            for (int k = 0; k < n; k++)
                sum += (long double)lower(X, ld, i, k) * lower(A, ld, k, j);
            assert_near(sum, i == j, 10.0, n);
        }
}

/* Expects L from check_cholesky. */
static void check_solves(const struct ckg__dense_ops *ops, int n, int m)
{
    const int ldl = n + PADDING, ldb = m + PADDING;

    fill(n, m, ldb, B);
    for (int transposed = 0; transposed < 2; transposed++) {
        memcpy(X, B, sizeof X);
        (transposed ? ops->solve_lower_transposed : ops->solve_lower)(n, m, L, ldl, X, ldb);
        assert_untouched(n, m, ldb, 0, X);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < m; j++) {
                long double sum = 0;
                for (int k = transposed ? i : 0; k < (transposed ? n : i + 1); k++)
                    sum += (long double)(transposed ? L[k * ldl + i] : L[i * ldl + k]) * X[k * ldb + j];
                assert_near(sum, B[i * ldb + j], 1.0, n);
            }
    }
}

static void check_product(const struct ckg__dense_ops *ops, int m, int n, int k, double sign, int keep)
{
    const int lda = m + PADDING, ldb = n + PADDING, ldc = n + 2;

    fill(k, m, lda, A);
    fill(k, n, ldb, B);
    fill(m, n, ldc, C);
    if (!keep)
        for (int i = 0; i < m * n; i++)
            C[i / n * ldc + i % n] = NAN;
    memcpy(X, C, sizeof X);
    ops->multiply_tn(m, n, k, sign, A, lda, B, ldb, keep, X, ldc);
    assert_untouched(m, n, ldc, 0, X);
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            long double sum = 0;
            for (int p = 0; p < k; p++)
                sum += (long double)A[p * lda + i] * B[p * ldb + j];
            sum *= sign;
            if (keep)
                sum += (long double)C[i * ldc + j];
            assert_near(X[i * ldc + j], sum, 2.0, k);
        }
}

static void check_sums(const struct ckg__dense_ops *ops, int n, int m)
{
    const int lda = m + PADDING;

    fill(n, m, lda, A);
    fill(1, n, LD, B);
    fill(0, 0, LD, X);
    fill(0, 0, LD, C);
    ops->combine_rows(n, m, A, lda, B, X);
    for (int j = 0; j < m; j++)
        C[j] = 0.25;
    ops->subtract_squares(n, m, A, lda, C);
    assert_untouched(1, m, LD, 0, X);
    assert_untouched(1, m, LD, 0, C);
    for (int j = 0; j < m; j++) {
        long double combined = 0, squares = 0.25;
        for (int i = 0; i < n; i++) {
            combined += (long double)B[i] * A[i * lda + j];
            squares -= (long double)A[i * lda + j] * A[i * lda + j];
        }
        assert_near(X[j], combined, 1.0, n);
        assert_near(C[j], squares, 1.0, n);
    }
}

static void check_dot(const struct ckg__dense_ops *ops, int n)
{
    long double sum = 0;

    fill(1, n, LD, A);
    fill(1, n, LD, B);
    for (int i = 0; i < n; i++)
        sum += (long double)A[i] * B[i];
    assert_near(ops->dot(n, A, B), sum, 1.0, n);
}

/* Pivot `bad` becomes negative, NaN or infinite; all before it are sound. */
static void check_pivot(const struct ckg__dense_ops *ops, int n, int bad)
{
    static const double wrong[] = {-1.0, 0.0, NAN, INFINITY};

    for (size_t i = 0; i < COUNT(wrong); i++) {
        fill_positive(n, LD, A);
        A[bad * LD + bad] = wrong[i];
        assert_int_equal(ops->cholesky(n, A, LD, NULL), bad + 1);
        assert_untouched(n, n, LD, 1, A);
    }
    if (bad == 0)
        return;
    fill_positive(n, LD, A);
    A[bad * LD + bad / 2] = NAN;
    assert_int_equal(ops->cholesky(n, A, LD, NULL), bad + 1);
}

static void check_variant(const struct ckg__dense_ops *ops)
{
    for (size_t i = 0; i < COUNT(sizes); i++) {
        const int n = sizes[i];
        check_cholesky(ops, n);
        check_inverse(ops, n);
        for (size_t j = 0; j < COUNT(sides); j++)
            check_solves(ops, n, sides[j]);
        for (size_t j = 0; j < COUNT(sides); j++) {
            check_product(ops, n, sides[j], 33, -1.0, 1);
            check_product(ops, sides[j], 19, n, 1.0, 0);
            check_product(ops, sides[j], 19, n, -1.0, 0);
            check_product(ops, sides[j], sides[j], n, 1.0, 1);
            check_sums(ops, n, sides[j]);
        }
        check_dot(ops, n);
        if (n > 0)
            check_pivot(ops, n, 0);
        if (n > 0)
            check_pivot(ops, n, n - 1);
        if (n > 2)
            check_pivot(ops, n, 2 * n / 3);
    }
}

/* A random positive matrix of any size, its upper triangle zero. */
static double *new_positive(int n)
{
    double *M = calloc((size_t)n * (size_t)n, sizeof *M);
    assert_non_null(M);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < i; j++)
            M[i * n + j] = uniform();
        M[i * n + i] = 1.0 + 0.3 * n;
    }
    return M;
}

/* With a team to share the work, the same bits as without, and the same pivot reported. */
static void test_workers(void **state)
{
    static const int large[] = {100, 200, 257, 300, 450};
    struct ckg__pool *pool;

    (void)state;
    assert_int_equal(ckg__pool_new(&pool, 3), 0);
    const struct ckg__workers workers = {pool, 0, NULL, NULL};
    for (size_t s = 0; s < COUNT(large); s++) {
        const int n = large[s];
        const size_t bytes = (size_t)n * (size_t)n * sizeof(double);
        double *alone = new_positive(n), *shared = malloc(bytes), *spoilt = malloc(bytes);
        assert_true(shared && spoilt);
        memcpy(shared, alone, bytes);
        memcpy(spoilt, alone, bytes);
        spoilt[(n - 2) * n + n - 2] = -1;
        assert_int_equal(ckg__dense()->cholesky(n, spoilt, n, &workers), n - 1);
        assert_int_equal(ckg__dense()->cholesky(n, alone, n, NULL), 0);
        assert_int_equal(ckg__dense()->cholesky(n, shared, n, &workers), 0);
        assert_memory_equal(alone, shared, bytes);
        assert_int_equal(ckg__dense()->inverse_from_cholesky(n, alone, n, NULL), 0);
        assert_int_equal(ckg__dense()->inverse_from_cholesky(n, shared, n, &workers), 0);
        assert_memory_equal(alone, shared, bytes);
        free(alone), free(shared), free(spoilt);
    }
    ckg__pool_free(pool);
}

/* How often the interrupt of a team was asked, and which question is answered by 1. */
static int asked, ending;

static int answer(void *context)
{
    (void)context;
    return ++asked == ending;
}

/* What a team works on is given up at whatever question says so, and says that it was. */
static void test_given_up(void **state)
{
    enum { N = 700 };
    const size_t bytes = N * N * sizeof(double);
    double *A = new_positive(N);
    double *L = malloc(bytes);
    double *work = malloc(bytes);
    struct ckg__interrupt interrupt = {.callback = answer};
    struct ckg__pool *pool;

    (void)state;
    assert_true(A && L && work);
    assert_int_equal(ckg__pool_new(&pool, 1), 0);
    ckg__pool_watch(pool, &interrupt);
    const struct ckg__workers workers = {pool, 0, NULL, NULL};
    memcpy(L, A, bytes);
    assert_int_equal(ckg__dense()->cholesky(N, L, N, NULL), 0);
    for (int inverse = 0; inverse < 2; inverse++)
        for (ending = 1;; ending++) {
            asked = 0;
            ckg__interrupt_begin(&interrupt, 0);
            memcpy(work, inverse ? L : A, bytes);
            const int status = inverse ? ckg__dense()->inverse_from_cholesky(N, work, N, &workers)
                                       : ckg__dense()->cholesky(N, work, N, &workers);
            ckg__interrupt_end(&interrupt);
            if (asked < ending) {
                assert_int_equal(status, 0);
                assert_true(asked > 2);
                break;
            }
            assert_int_equal(status, -1);
        }
    ckg__pool_free(pool);
    free(A), free(L), free(work);
}

static void test_base(void **state)
{
    (void)state;
    check_variant(&ckg__dense_ops_base);
}

#if defined(CKG_HAVE_X86_VARIANTS)
static void test_v3(void **state)
{
    (void)state;
    if (ckg__variant_best() < CKG__VARIANT_V3)
        skip();
    check_variant(&ckg__dense_ops_v3);
}

static void test_v4(void **state)
{
    (void)state;
    if (ckg__variant_best() < CKG__VARIANT_V4)
        skip();
    check_variant(&ckg__dense_ops_v4);
}
#endif

static void test_selection(void **state)
{
    (void)state;
    assert_non_null(ckg__dense());
    assert_ptr_equal(ckg__dense(), ckg__dense());
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_base),
#if defined(CKG_HAVE_X86_VARIANTS)
    cmocka_unit_test(test_v3),        cmocka_unit_test(test_v4),
#endif
    cmocka_unit_test(test_selection), cmocka_unit_test(test_workers), cmocka_unit_test(test_given_up),
};

int main(void)
{
    return cmocka_run_group_tests(tests, NULL, NULL);
}

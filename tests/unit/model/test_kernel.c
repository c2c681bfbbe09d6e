/*
 * Every compiled variant of the kernels that this processor runs, against the formulas of kernel.h in long
 * double: values and slopes, the sums over derivatives, and that nothing outside the matrices is written.
 *
 * A rounded distance moves κ by about eps·(1 + r²) (rbf) or eps·(1 + r) (Matérn) relative, and a sum by eps
 * of its terms' magnitudes. Measured with gcc 12, in these units: values 1.5, sums 0.93.
 */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/rng.h"
#include "model/kernel.h"
#include "support/scale.h"
#include "support/test.h"
#include "support/variants.h"

static const struct ckg__kernel_ops *const variants[] = EVERY_VARIANT(ckg__kernel_ops);

/* Rows longer than a tile of 128, and two of them. */
enum { MOST = 270, MOST_D = 6, PADDING = 3, LD = MOST + PADDING };

static const double SENTINEL = -7.25, s2 = 1.7;

static double A[MOST_D * LD], B[MOST_D * LD], K[(MOST + 1) * LD], G[(MOST + 1) * LD], W[(MOST + 1) * LD];
static double alpha[MOST], out[(MOST_D + 1) * LD];

/* The largest error seen, in the units above. */
static double worst_value, worst_sum;

/* Points that spread over a few lengthscales, some pairs equal and some very far apart. */
static void draw(int D, int n, int m, uint64_t seed)
{
    struct ckg__rng rng;

    ckg__rng_seed(&rng, seed, (uint64_t)D, (uint64_t)n);
    for (int i = 0; i < MOST_D * LD; i++) {
        A[i] = 4 * ckg__rng_uniform(&rng);
        B[i] = 4 * ckg__rng_uniform(&rng);
    }
    for (int k = 0; k < D && n > 1 && m > 1; k++) {
        A[k * LD + 1] = A[k * LD];
        B[k * LD] = A[k * LD];
        B[k * LD + m - 1] = 60;
    }
    for (int i = 0; i < MOST; i++)
        alpha[i] = ckg__rng_normal(&rng);
    for (int i = 0; i < (MOST + 1) * LD; i++) {
        W[i] = ckg__rng_normal(&rng);
        K[i] = G[i] = SENTINEL;
    }
    for (int i = 0; i < (MOST_D + 1) * LD; i++)
        out[i] = SENTINEL;
}

static long double square_distance(int D, const double *a, const double *b)
{
    long double sum = 0;

    for (int k = 0; k < D; k++)
        sum += ((long double)a[k * LD] - b[k * LD]) * ((long double)a[k * LD] - b[k * LD]);
    return sum;
}

/* The kernel and its slope at r², and how far rounding of r² may move them, relatively. */
static long double naive(enum ckg__kernel kernel, long double r2, long double *slope, double *unit)
{
    const long double a = sqrtl((kernel == CKG__MATERN52 ? 5 : 3) * r2);

    *unit = DBL_EPSILON * (double)(1 + (kernel == CKG__RBF ? r2 : a));
    if (kernel == CKG__RBF) {
        *slope = -s2 * expl(-r2 / 2);
        return s2 * expl(-r2 / 2);
    }
    *slope = kernel == CKG__MATERN52 ? -5.0L / 3 * s2 * (1 + a) * expl(-a) : -3 * s2 * expl(-a);
    return s2 * (1 + a + (kernel == CKG__MATERN52 ? a * a / 3 : 0)) * expl(-a);
}

static void compare(double got, long double want, double unit)
{
    const double error = (double)(fabsl(got - want) / fabsl(want)) / unit;

    if (!isfinite(got) || (error > worst_value && fabsl(want) > 1e-290L))
        worst_value = isfinite(got) ? error : INFINITY;
}

static void compare_sum(double got, long double want, long double magnitude, int terms)
{
    const double error = magnitude > 0
                             ? (double)(fabsl(got - want) / magnitude) / (DBL_EPSILON * (1 + terms / 8.0))
                             : fabs(got);

    worst_sum = error > worst_sum || isnan(error) ? error : worst_sum;
}

/* Entries of M beyond its n×m part are the sentinel; with `triangle`, those above the diagonal too. */
static void assert_untouched(const double *M, int rows, int n, int m, int triangle)
{
    for (int i = 0; i < rows * LD; i++)
        if (i / LD >= n || i % LD >= m || (triangle && i % LD > i / LD))
            assert_true(M[i] == SENTINEL);
}

static void check_cross(const struct ckg__kernel_ops *ops, enum ckg__kernel kernel, int D, int n, int m)
{
    static double alone[(MOST + 1) * LD];

    draw(D, n, m, 1);
    ops->cross(kernel, D, n, A, LD, m, B, LD, s2, K, G, LD);
    memcpy(alone, K, sizeof alone);
    ops->cross(kernel, D, n, A, LD, m, B, LD, s2, alone, NULL, LD);
    assert_memory_equal(alone, K, sizeof K);
    assert_untouched(K, MOST + 1, n, m, 0);
    assert_untouched(G, MOST + 1, n, m, 0);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            long double slope;
            double unit;
            const long double value = naive(kernel, square_distance(D, A + i, B + j), &slope, &unit);
            compare(K[i * LD + j], value, unit);
            compare(G[i * LD + j], slope, unit);
        }
}

static void check_symmetric(const struct ckg__kernel_ops *ops, enum ckg__kernel kernel, int D, int n)
{
    draw(D, n, 1, 2);
    ops->symmetric(kernel, D, 0, n, A, LD, s2, K, LD);
    ops->slopes(kernel, D, 0, n, A, LD, s2, G, LD);
    assert_untouched(K, MOST + 1, n, n, 1);
    assert_untouched(G, MOST + 1, n, n, 1);
    for (int i = 0; i < n; i++) {
        assert_true(K[i * LD + i] == s2);
        for (int j = 0; j <= i; j++) {
            long double slope;
            double unit;
            const long double value = naive(kernel, square_distance(D, A + i, A + j), &slope, &unit);
            compare(K[i * LD + j], value, unit);
            compare(G[i * LD + j], slope, unit);
        }
    }
}

static void check_lengthscale_gradient(const struct ckg__kernel_ops *ops, int D, int n)
{
    static double C[(MOST + 1) * LD];
    double g[MOST_D + 1];

    draw(D, n, 1, 3);
    memcpy(C, W, sizeof C);
    g[D] = SENTINEL;
    ops->slopes(CKG__MATERN52, D, 0, n, A, LD, s2, G, LD);
    ops->lengthscale_gradient(D, 0, n, A, LD, alpha, C, LD, G, LD, g);
    assert_true(g[D] == SENTINEL);
    for (int k = 0; k < D; k++) {
        long double sum = 0, magnitude = 0;
        for (int i = 0; i < n; i++)
            for (int j = 0; j < i; j++) {
                const long double delta = (long double)A[k * LD + i] - A[k * LD + j],
                                  scale = G[i * LD + j] * delta * delta;
                sum -= ((long double)alpha[i] * alpha[j] - W[i * LD + j]) * scale;
                magnitude += (fabsl((long double)alpha[i] * alpha[j]) + fabs(W[i * LD + j])) * fabsl(scale);
            }
        compare_sum(g[k], sum, magnitude, n);
    }
}

/* Both gradients; `common` weights are alpha, the others W. */
static void check_gradient(const struct ckg__kernel_ops *ops, int D, int n, int m, int common)
{
    draw(D, n, m, 4);
    ops->cross(CKG__RBF, D, n, A, LD, m, B, LD, s2, K, G, LD);
    if (common)
        ops->gradient_common(D, n, A, LD, m, B, LD, alpha, G, LD, out, LD);
    else
        ops->gradient_each(D, n, A, LD, m, B, LD, W, LD, G, LD, out, LD);
    assert_untouched(out, MOST_D + 1, D, m, 0);
    for (int k = 0; k < D; k++)
        for (int p = 0; p < m; p++) {
            long double sum = 0, magnitude = 0;
            for (int i = 0; i < n; i++) {
                const long double term = (long double)(common ? alpha[i] : W[i * LD + p]) * G[i * LD + p] *
                                         ((long double)B[k * LD + p] - A[k * LD + i]);
                sum += term;
                magnitude += fabsl(term);
            }
            compare_sum(out[k * LD + p], sum, magnitude, n);
        }
}

static void report(int variant)
{
    print_message("variant %d: values %.2g, sums %.2g\n", variant, worst_value, worst_sum);
    assert_true(worst_value <= 8);
    assert_true(worst_sum <= 8);
    worst_value = worst_sum = 0;
}

static const int sizes[] = {0, 1, 2, 3, 7, 8, 9, 31, 128, 129, 270};

enum { SIZES = sizeof sizes / sizeof sizes[0] };

static void test_values_and_slopes(void **state)
{
    (void)state;
    for (int v = 0; v <= (int)ckg__variant_best(); v++) {
        for (int kernel = 0; kernel < CKG__KERNELS; kernel++)
            for (int D = 1; D <= MOST_D; D += D == 1 ? 1 : 4)
                for (int i = 0; i < SIZES; i += test_scale(1, 2)) {
                    check_cross(variants[v], (enum ckg__kernel)kernel, D, sizes[(i * 3) % SIZES], sizes[i]);
                    check_symmetric(variants[v], (enum ckg__kernel)kernel, D, sizes[i]);
                }
        report(v);
    }
}

static void test_sums_over_derivatives(void **state)
{
    (void)state;
    for (int v = 0; v <= (int)ckg__variant_best(); v++) {
        for (int D = 1; D <= MOST_D; D += D == 1 ? 1 : 4)
            for (int i = 0; i < SIZES; i += test_scale(1, 2)) {
                check_lengthscale_gradient(variants[v], D, sizes[i]);
                check_gradient(variants[v], D, sizes[(i * 3) % SIZES], sizes[i], 0);
                check_gradient(variants[v], D, sizes[(i * 3) % SIZES], sizes[i], 1);
            }
        report(v);
    }
}

static void test_far_points_have_no_covariance(void **state)
{
    (void)state;
    for (int v = 0; v <= (int)ckg__variant_best(); v++)
        for (int kernel = 0; kernel < CKG__KERNELS; kernel++) {
            const double near = 0, points[3] = {0, 1e4, 1e150};
            double k[3], g[3];
            variants[v]->cross((enum ckg__kernel)kernel, 1, 1, &near, 1, 3, points, 3, s2, k, g, 3);
            assert_true(k[0] == s2 && k[1] == 0 && k[2] == 0);
            assert_true(g[0] < 0 && g[1] == 0 && g[2] == 0);
        }
}

static void test_the_variant_in_use_is_chosen(void **state)
{
    (void)state;
    assert_ptr_equal(ckg__kernels(), variants[ckg__variant()]);
}

int main(void)
{
    return RUN_TESTS(test_values_and_slopes, test_sums_over_derivatives, test_far_points_have_no_covariance,
                     test_the_variant_in_use_is_chosen);
}

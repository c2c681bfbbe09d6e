/*
 * Latin hypercubes by their strata and their separation. Sobol points by the digits that SciPy's points
 * share, by the net property, which scrambling keeps, and, over many seeds, by their distribution.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "design/sequence.h"
#include "support/test.h"
#include "reference/sobol.inc"

enum { MAX_LHS_N = 200, MAX_LHS_D = 12, NET_LEVELS = 8, NET_POINTS = 1 << NET_LEVELS, PAIR_DIMENSIONS = 20 };

static double X[CKG__SOBOL_MAX_DIM * NET_POINTS], work[2 * MAX_LHS_N * MAX_LHS_D];

static void draw_lhs(int seed, int n, int d, int tries)
{
    int order[2 * MAX_LHS_N];
    struct ckg__rng rng;

    ckg__rng_seed(&rng, (uint64_t)seed, 0, 0);
    assert_int_equal(ckg__design_lhs(&rng, n, d, tries, X, work, order, NULL), 0);
}

/* The t-th draw alone. */
static void draw_lhs_of(int seed, int n, int d, int t)
{
    int order[2 * MAX_LHS_N];
    struct ckg__rng rng;

    ckg__rng_seed(&rng, (uint64_t)seed, 0, 0);
    for (int i = 0; i < t; i++)
        assert_int_equal(ckg__design_lhs(&rng, n, d, 1, X, work, order, NULL), 0);
}

static double separation(int n, int d)
{
    double smallest = INFINITY;

    for (int i = 0; i < n; i++)
        for (int k = 0; k < i; k++) {
            double sum = 0;

            for (int j = 0; j < d; j++)
                sum += (X[i * d + j] - X[k * d + j]) * (X[i * d + j] - X[k * d + j]);
            smallest = fmin(smallest, sqrt(sum));
        }
    return smallest;
}

static void test_lhs_has_one_point_per_stratum(void **state)
{
    static const int sizes[][2] = {{1, 1}, {2, 1}, {1, 5}, {10, 3}, {MAX_LHS_N, MAX_LHS_D}};

    (void)state;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        int n = sizes[s][0], d = sizes[s][1];

        draw_lhs((int)s, n, d, 5);
        for (int j = 0; j < d; j++) {
            int counts[MAX_LHS_N] = {0};

            for (int i = 0; i < n; i++) {
                assert_true(X[i * d + j] > 0 && X[i * d + j] < 1);
                counts[(int)(X[i * d + j] * n)]++;
            }
            for (int i = 0; i < n; i++)
                assert_int_equal(counts[i], 1);
        }
    }
}

/* As many tries, compared pair by pair. */
static void draw_lhs_plainly(int seed, int n, int d, int tries, double *best)
{
    double most = -1;

    for (int t = 1; t <= tries; t++) {
        draw_lhs_of(seed, n, d, t);
        const double separated = separation(n, d);
        if (separated > most) {
            most = separated;
            memcpy(best, X, (size_t)(n * d) * sizeof *best);
        }
    }
}

/* Comparing neighbours along one coordinate alone finds the same best draw. */
static void test_lhs_keeps_the_most_separated(void **state)
{
    static const int sizes[][2] = {{2, 1}, {9, 1}, {30, 2}, {60, 3}, {25, 12}};
    static double plain[MAX_LHS_N * MAX_LHS_D];

    (void)state;
    for (int s = 0; s < 5; s++)
        for (int seed = 0; seed < 8; seed++) {
            const int n = sizes[s][0];
            const int d = sizes[s][1];
            draw_lhs_plainly(seed, n, d, 20, plain);
            draw_lhs(seed, n, d, 20);
            assert_memory_equal(X, plain, (size_t)(n * d) * sizeof *X);
        }
}

static int asked;

static int count_questions(void *context)
{
    (void)context;
    asked++;
    return 0;
}

/* A large hypercube ends after so much work, which its questions tell. */
static void test_lhs_of_many_ends(void **state)
{
    enum { MANY = 20000, D = 8 };
    struct ckg__interrupt interrupt = {.callback = count_questions};
    double *large = malloc(2 * MANY * D * sizeof *large);
    int *order = malloc(2 * MANY * sizeof *order);
    struct ckg__rng rng;

    (void)state;
    assert_true(large && order);
    ckg__interrupt_begin(&interrupt, 0);
    ckg__rng_seed(&rng, 1, 0, 0);
    asked = 0;
    assert_int_equal(ckg__design_lhs(&rng, MANY, D, 20, large, large + MANY * D, order, &interrupt), 0);
    assert_true(asked > 2 && asked <= CKG__LHS_WORK / CKG__INTERRUPT_WORK + 1);
    free(large);
    free(order);
}

/*
 * The first try is the same for any number of tries, so that more tries cannot be worse, and on average are
 * better.
 */
static void test_lhs_tries_spread_the_points(void **state)
{
    int better = 0;

    (void)state;
    for (int seed = 0; seed < 20; seed++) {
        double once, often;

        draw_lhs(seed, 12, 3, 1);
        once = separation(12, 3);
        draw_lhs(seed, 12, 3, 50);
        often = separation(12, 3);
        assert_true(often >= once);
        better += often > once;
    }
    assert_true(better >= 15);
}

static void test_lhs_is_reproducible(void **state)
{
    static double copy[10 * 4];

    (void)state;
    draw_lhs(3, 10, 4, 10);
    memcpy(copy, X, sizeof copy);
    draw_lhs(3, 10, 4, 10);
    assert_memory_equal(copy, X, sizeof copy);
    draw_lhs(4, 10, 4, 10);
    assert_memory_not_equal(copy, X, sizeof copy);
}

static int shared_digits(double x, double y)
{
    uint32_t difference = (uint32_t)(x * 0x1p32) ^ (uint32_t)(y * 0x1p32);
    int shared = 32;

    for (; difference; difference >>= 1)
        shared--;
    return shared;
}

static void test_sobol_shares_digits_as_reference(void **state)
{
    const int d = CKG__SOBOL_MAX_DIM;

    (void)state;
    ckg__design_sobol(17, 0, SOBOL_REFERENCE_POINTS, d, X);
    for (size_t r = 0; r < sizeof sobol_reference / sizeof *sobol_reference; r++) {
        const double *x = X + sobol_reference[r].dimension;

        for (int i = 1; i < SOBOL_REFERENCE_POINTS; i++)
            assert_int_equal(shared_digits(x[0], x[(size_t)i * d]), sobol_reference[r].shared[i - 1]);
    }
}

/* The first 2^k points have one in every interval of length 2^−k, in every dimension that there is. */
static void test_sobol_strata_in_every_dimension(void **state)
{
    const int d = CKG__SOBOL_MAX_DIM;

    (void)state;
    ckg__design_sobol(5, 0, NET_POINTS, d, X);
    for (int n = 1; n <= NET_POINTS; n *= 2)
        for (int j = 0; j < d; j++) {
            char seen[NET_POINTS] = {0};

            for (int i = 0; i < n; i++) {
                int stratum = (int)(X[(size_t)i * d + j] * n);

                assert_false(seen[stratum]);
                seen[stratum] = 1;
            }
        }
}

/*
 * The most points of the first 2^k, k = NET_LEVELS, in one of the 2^a × 2^(k−a) boxes of coordinates i and j.
 */
static int fullest_box(int d, int i, int j, int a)
{
    int counts[NET_POINTS] = {0}, fullest = 0;

    for (int p = 0; p < NET_POINTS; p++) {
        int row = (int)(X[p * d + i] * (1 << a)), column = (int)(X[p * d + j] * (NET_POINTS >> a));
        int count = ++counts[row * (NET_POINTS >> a) + column];

        if (count > fullest)
            fullest = count;
    }
    return fullest;
}

/*
 * The first two dimensions are a (0, k, 2)-net: every elementary interval holds one point. Pairs of later
 * dimensions, of degrees e and f, are (t, k, 2)-nets with t at most (e − 1) + (f − 1): no box holds more than
 * 2^t points.
 */
static void test_sobol_nets_in_pairs(void **state)
{
    static const int degrees[PAIR_DIMENSIONS] = {1, 1, 2, 3, 3, 4, 4, 5, 5, 5, 5, 5, 5, 6, 6, 6, 6, 6, 6, 7};
    const int d = PAIR_DIMENSIONS;

    (void)state;
    for (unsigned long long seed = 0; seed < 3; seed++) {
        ckg__design_sobol(seed, 0, NET_POINTS, d, X);
        for (int i = 0; i < d; i++)
            for (int j = 0; j < i; j++)
                for (int a = 0; a <= NET_LEVELS; a++)
                    assert_true(fullest_box(d, i, j, a) <= 1 << (degrees[i] - 1 + degrees[j] - 1));
    }
}

static void test_sobol_goes_on_where_it_stopped(void **state)
{
    const int d = CKG__SOBOL_MAX_DIM + 3, n = 20, cuts[] = {0, 1, 7, 20};
    double *whole = malloc((size_t)(n * d) * sizeof *whole), *parts = malloc((size_t)(n * d) * sizeof *parts);

    (void)state;
    assert_non_null(whole);
    assert_non_null(parts);
    ckg__design_sobol(9, 1000003, n, d, whole);
    for (int c = 0; c < 3; c++)
        ckg__design_sobol(9, 1000003 + cuts[c], cuts[c + 1] - cuts[c], d, parts + (size_t)cuts[c] * d);
    assert_memory_equal(whole, parts, (size_t)(n * d) * sizeof *whole);
    for (int i = 0; i < n * d; i++)
        assert_true(whole[i] > 0 && whole[i] < 1);
    free(whole);
    free(parts);
}

/*
 * Over seeds, every point is uniform, two coordinates are independent, and the estimate of an integral has a
 * far smaller variance than that of independent points: 1/n³ for a smooth function of one variable.
 */
static void test_sobol_over_seeds(void **state)
{
    const int seeds = 4000, n = 64;
    double mean[2] = {0}, square[2] = {0}, product = 0, error = 0;

    (void)state;
    for (int seed = 0; seed < seeds; seed++) {
        double sum = 0;

        ckg__design_sobol((unsigned long long)seed, 0, n, 2, X);
        for (int j = 0; j < 2; j++) {
            mean[j] += X[2 * 5 + j] / seeds;
            square[j] += X[2 * 5 + j] * X[2 * 5 + j] / seeds;
        }
        product += (X[2 * 5] - 0.5) * (X[2 * 5 + 1] - 0.5) / seeds;
        for (int i = 0; i < n; i++)
            sum += X[2 * i] / n;
        error += (sum - 0.5) * (sum - 0.5) / seeds;
    }
    for (int j = 0; j < 2; j++) {
        assert_true(fabs(mean[j] - 1.0 / 2) < 4 * sqrt(1.0 / 12 / seeds));
        assert_true(fabs(square[j] - 1.0 / 3) < 4 * sqrt(4.0 / 45 / seeds));
    }
    assert_true(fabs(product) < 4.0 / 12 / sqrt(seeds));
    /*
     * One point per stratum, independent within: the variance of the mean is 1/(12 n³) exactly under Owen's
     * scrambling.
     */
    assert_true(fabs(12 * error * n * n * n - 1) < 4 * sqrt(2.0 / seeds));
}

int main(void)
{
    return RUN_TESTS(test_lhs_has_one_point_per_stratum, test_lhs_keeps_the_most_separated,
                     test_lhs_of_many_ends, test_lhs_tries_spread_the_points, test_lhs_is_reproducible,
                     test_sobol_shares_digits_as_reference, test_sobol_strata_in_every_dimension,
                     test_sobol_nets_in_pairs, test_sobol_goes_on_where_it_stopped, test_sobol_over_seeds);
}

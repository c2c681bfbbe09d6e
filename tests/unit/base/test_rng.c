/*
 * The generator against NumPy's Philox and xoshiro256++ in Python, and its distributions by moments and
 * counts.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "support/test.h"
#include "reference/rng.inc"

enum { DRAWS = 200000 };

static void test_states_and_numbers_are_the_reference(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rng_reference / sizeof *rng_reference; i++) {
        struct ckg__rng rng;

        ckg__rng_seed(&rng, rng_reference[i].seed, rng_reference[i].stream, rng_reference[i].purpose);
        assert_memory_equal(rng.state, rng_reference[i].state, sizeof rng.state);
        for (size_t k = 0; k < sizeof rng_reference[i].numbers / sizeof(uint64_t); k++)
            assert_true(ckg__rng_next(&rng) == rng_reference[i].numbers[k]);
    }
}

/* Pearson's statistic over equally likely cells, as a standard normal deviate. */
static double chi_square_deviate(int cells, const int *counts, int draws)
{
    double expected = (double)draws / cells, statistic = 0;

    for (int i = 0; i < cells; i++)
        statistic += (counts[i] - expected) * (counts[i] - expected) / expected;
    return (statistic - (cells - 1)) / sqrt(2.0 * (cells - 1));
}

static void test_uniform_is_uniform_and_open(void **state)
{
    struct ckg__rng rng;
    int counts[100] = {0};

    (void)state;
    ckg__rng_seed(&rng, 1, 2, 3);
    for (int i = 0; i < DRAWS; i++) {
        double u = ckg__rng_uniform(&rng);

        assert_true(u > 0 && u < 1);
        counts[(int)(100 * u)]++;
    }
    assert_true(fabs(chi_square_deviate(100, counts, DRAWS)) < 4);
}

/* The state that makes the next number all zeros, and all ones: the ends of the interval are not reached. */
static void test_uniform_at_the_extremes(void **state)
{
    struct ckg__rng zeros = {{0, 1, 2, 0}}, ones = {{0, 1, 2, UINT64_MAX}};

    (void)state;
    assert_true(ckg__rng_uniform(&zeros) == 0x1p-53);
    assert_true(ckg__rng_uniform(&ones) == 1 - 0x1p-53);
}

static void test_normal_moments(void **state)
{
    struct ckg__rng rng;
    double sums[5] = {0};

    (void)state;
    ckg__rng_seed(&rng, 5, 0, 0);
    for (int i = 0; i < DRAWS; i++) {
        double z = ckg__rng_normal(&rng), power = 1;

        for (int k = 0; k < 5; k++, power *= z)
            sums[k] += power / DRAWS;
    }
    assert_true(fabs(sums[1]) < 4 * sqrt(1.0 / DRAWS));
    assert_true(fabs(sums[2] - 1) < 4 * sqrt(2.0 / DRAWS));
    assert_true(fabs(sums[3]) < 4 * sqrt(15.0 / DRAWS));
    assert_true(fabs(sums[4] - 3) < 4 * sqrt(96.0 / DRAWS));
}

static void test_below_is_even(void **state)
{
    static const int bounds[] = {1, 2, 3, 7, 100};
    struct ckg__rng rng;

    (void)state;
    ckg__rng_seed(&rng, 7, 0, 0);
    for (size_t b = 0; b < sizeof bounds / sizeof *bounds; b++) {
        int counts[100] = {0};

        for (int i = 0; i < DRAWS; i++) {
            int drawn = ckg__rng_below(&rng, bounds[b]);

            assert_in_range(drawn, 0, bounds[b] - 1);
            counts[drawn]++;
        }
        if (bounds[b] > 1)
            assert_true(fabs(chi_square_deviate(bounds[b], counts, DRAWS)) < 4);
    }
}

/*
 * With two thirds of the 32-bit range as bound, rejection is frequent: without it the lower half would come
 * up too often.
 */
static void test_below_large_bound_is_not_biased(void **state)
{
    const int bound = 1431655765;
    struct ckg__rng rng;
    int counts[3] = {0};

    (void)state;
    ckg__rng_seed(&rng, 8, 0, 0);
    for (int i = 0; i < DRAWS; i++)
        counts[ckg__rng_below(&rng, bound) / (bound / 3 + 1)]++;
    assert_true(fabs(chi_square_deviate(3, counts, DRAWS)) < 4);
}

/* All 24 orders of four things come up equally often. */
static void test_shuffle_gives_every_order(void **state)
{
    struct ckg__rng rng;
    int counts[256] = {0}, seen[24], orders = 0;

    (void)state;
    ckg__rng_seed(&rng, 9, 0, 0);
    for (int i = 0; i < DRAWS; i++) {
        int items[4] = {0, 1, 2, 3};

        ckg__rng_shuffle(&rng, 4, items);
        counts[items[0] | items[1] << 2 | items[2] << 4 | items[3] << 6]++;
    }
    for (int code = 0; code < 256; code++)
        if (counts[code] > 0) {
            assert_in_range(orders, 0, 23);
            seen[orders++] = counts[code];
        }
    assert_int_equal(orders, 24);
    assert_true(fabs(chi_square_deviate(24, seen, DRAWS)) < 4);
}

int main(void)
{
    return RUN_TESTS(test_states_and_numbers_are_the_reference, test_uniform_is_uniform_and_open,
                     test_uniform_at_the_extremes, test_normal_moments, test_below_is_even,
                     test_below_large_bound_is_not_biased, test_shuffle_gives_every_order);
}

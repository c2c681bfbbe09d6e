/*
 * The simplex search on functions whose maximum is known, at the walls of a box, with fixed coordinates and
 * with values that are no numbers.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

#include "optim/simplex.h"
#include "support/test.h"

struct bowl {
    int dim, calls;
    const double *centre;
    double cliff; /* beyond this first coordinate there is no value */
};

static int bowl(void *context, const double *x, struct ckg__arena *arena, double *value)
{
    struct bowl *b = context;
    (void)arena;
    b->calls++;
    *value = 0;
    for (int k = 0; k < b->dim; k++)
        *value -= (1 + k) * (x[k] - b->centre[k]) * (x[k] - b->centre[k]);
    if (x[0] > b->cliff)
        *value = NAN;
    return 0;
}

static void check(const double *centre, const double *lower, const double *upper, double cliff,
                  const double *expected, int steps, double tolerance)
{
    struct bowl b = {3, 0, centre, cliff};
    struct ckg__arena arena;
    double x[3] = {0.5, 0.5, 0.5}, value, again;
    for (int k = 0; k < 3; k++)
        x[k] = fmin(fmax(x[k], lower[k]), upper[k]);
    ckg__arena_init(&arena);
    assert_int_equal(ckg__simplex(bowl, &b, 3, lower, upper, 0.1, steps, x, &value, &arena), 0);
    for (int k = 0; k < 3; k++)
        assert_true(fabs(x[k] - expected[k]) < tolerance);
    bowl(&b, x, &arena, &again);
    assert_true(again == value);
    ckg__arena_free(&arena);
}

static const double zero[3] = {0, 0, 0}, one[3] = {1, 1, 1};

static void test_inside(void **state)
{
    static const double centre[3] = {0.3, 0.71, 0.42};
    (void)state;
    check(centre, zero, one, INFINITY, centre, 200, 1e-4);
}

static void test_at_the_wall(void **state)
{
    static const double centre[3] = {-0.4, 0.71, 1.3}, expected[3] = {0, 0.71, 1};
    (void)state;
    check(centre, zero, one, INFINITY, expected, 400, 1e-3);
}

static void test_fixed_coordinate(void **state)
{
    static const double centre[3] = {0.3, 0.9, 0.42}, low[3] = {0, 0.25, 0}, high[3] = {1, 0.25, 1},
                        expected[3] = {0.3, 0.25, 0.42};
    (void)state;
    check(centre, low, high, INFINITY, expected, 200, 1e-4);
}

static void test_no_number_is_worst(void **state)
{
    static const double centre[3] = {0.8, 0.5, 0.5}, expected[3] = {0.6, 0.5, 0.5};
    (void)state;
    check(centre, zero, one, 0.6, expected, 400, 0.02);
}

/* The number of moves bounds the evaluations, and what comes back is never worse than the start. */
static void test_few_steps(void **state)
{
    static const double centre[3] = {0.9, 0.1, 0.6};
    struct bowl b = {3, 0, centre, INFINITY};
    struct ckg__arena arena;
    double x[3] = {0.5, 0.5, 0.5}, value, start;
    (void)state;
    ckg__arena_init(&arena);
    bowl(&b, x, &arena, &start);
    b.calls = 0;
    assert_int_equal(ckg__simplex(bowl, &b, 3, zero, one, 0.1, 20, x, &value, &arena), 0);
    assert_true(value > start);
    assert_true(b.calls <= 4 + 20 * 5);
    ckg__arena_free(&arena);
}

int main(void)
{
    return RUN_TESTS(test_inside, test_at_the_wall, test_fixed_coordinate, test_no_number_is_worst,
                     test_few_steps);
}

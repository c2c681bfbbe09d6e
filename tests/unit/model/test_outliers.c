/* Which values are absurd: those beyond a wide gap, if they are few enough, wherever they lie. */
#include <math.h>
#include <stdlib.h>

#include "model/outliers.h"
#include "support/near.h"
#include "support/test.h"

enum { MOST = 64 };

static int ascending(const void *a, const void *b)
{
    const double x = ((const struct ckg__member *)a)->value;
    const double y = ((const struct ckg__member *)b)->value;

    return (x > y) - (x < y);
}

/* Judges values of designs that all stand apart. */
static int judge(int n, const double *values, double median, double limit, struct ckg__window *window)
{
    struct ckg__member sorted[MOST];

    for (int i = 0; i < n; i++)
        sorted[i] = (struct ckg__member){values[i], 1};
    qsort(sorted, (size_t)n, sizeof *sorted, ascending);
    const struct ckg__sample crowd = {n, sorted, median, limit, 10};
    return ckg__ordinary(&crowd, window);
}

static void test_a_few_far_out(void **state)
{
    const double values[] = {3, 1, 2, 5, 4, 7, 1e50, 6, 8, 9};
    const double both[] = {3, 1, -1e3, 2, 5, 4, 7, 1e50, 6, 8, 9};
    struct ckg__window window;

    (void)state;
    /* median 5.5, the farthest of the others 4.5 away; the margin is half of that */
    assert_int_equal(judge(10, values, 5.5, 0, &window), 1);
    assert_near(window.low, 5.5 - 6.75, 1e-14);
    assert_near(window.high, 5.5 + 6.75, 1e-14);

    /* median 5, the farthest of the others 4 away */
    assert_int_equal(judge(11, both, 5, 0, &window), 1);
    assert_near(window.low, 5 - 6, 1e-14);
    assert_near(window.high, 5 + 6, 1e-14);
}

static void test_nothing_outlier(void **state)
{
    const double even[] = {1, 2, 3, 4, 5, 6, 7, 8};
    const double heavy[] = {1, 2, 4, 9, 20, 70, 300, 1e3, 5e3, 4e4};
    const double constant[] = {2, 2, 2, 2, 2, 2, 1e50};
    const double few[] = {1, 2, 3, 1e50};
    const double halves[] = {1, 2, 3, 4, 1e50, 2e50, 3e50, 4e50, 5e50};
    struct ckg__window window;

    (void)state;
    assert_int_equal(judge(8, even, 4.5, 0, &window), 0);
    assert_int_equal(judge(10, heavy, 45, 0, &window), 0);
    assert_int_equal(judge(7, constant, 2, 0, &window), 0); /* there is no unit to say what far is */
    assert_int_equal(judge(4, few, 2.5, 0, &window), 0);
    assert_int_equal(judge(9, halves, 1e50, 0, &window), 0);
    assert_int_equal(judge(0, NULL, 0, 0, &window), 0);
}

/* As far as the limit is away, and ten times as far, is where outcomes are expected. */
static void test_a_limit_is_no_gap(void **state)
{
    const double values[] = {3, 1, 2, 5, 4, 7, 1000, 6, 8, 9};
    const double constant[] = {2, 2, 2, 2, 2, 2, 1e50};
    struct ckg__window window;

    (void)state;
    assert_int_equal(judge(10, values, 5.5, 99, &window), 1);
    assert_near(window.high, 5.5 + 1.5 * 99, 1e-12);
    assert_int_equal(judge(10, values, 5.5, 100, &window), 0);
    assert_int_equal(judge(7, constant, 2, 0.5, &window), 1);
}

/* Many values at one place are one design, ordinary or absurd. */
static void test_a_cluster_counts_once(void **state)
{
    struct ckg__member sorted[MOST];
    struct ckg__window window;
    int n = 0;

    (void)state;
    for (int i = 0; i < 8; i++)
        sorted[n++] = (struct ckg__member){i, 1};
    for (int i = 0; i < 20; i++)
        sorted[n++] = (struct ckg__member){1e6 + i, i == 0};
    const struct ckg__sample crowd = {n, sorted, 4, 0, 10};
    assert_int_equal(ckg__ordinary(&crowd, &window), 1);
    assert_near(window.high, 4 + 1.5 * 4, 1e-14);
}

int main(void)
{
    return RUN_TESTS(test_a_few_far_out, test_nothing_outlier, test_a_limit_is_no_gap,
                     test_a_cluster_counts_once);
}

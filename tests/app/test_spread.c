/* Means with their intervals against tables of Student's t. */
#include <math.h>

#include "bench/spread.h"
#include "support/test.h"

/* The 0.975 quantiles, from printed tables with three decimals. */
static void test_intervals(void **state)
{
    static const struct {
        int n;
        double t;
    } table[] = {{2, 12.706}, {3, 4.303}, {5, 2.776}, {6, 2.571}, {10, 2.262}, {30, 2.045}, {101, 1.984}};
    double values[101];
    (void)state;

    for (size_t k = 0; k < sizeof table / sizeof *table; k++) {
        const int n = table[k].n;
        double squares = 0;
        for (int i = 0; i < n; i++) {
            values[i] = i;
            squares += (i - 0.5 * (n - 1)) * (i - 0.5 * (n - 1));
        }
        const struct app_spread spread = app_spread_of(values, n);
        assert_true(fabs(spread.mean - 0.5 * (n - 1)) < 1e-12);
        assert_true(fabs(spread.half / sqrt(squares / (n - 1) / n) - table[k].t) < 1e-3);
    }
}

static void test_order(void **state)
{
    double odd[] = {3, -1, 7};
    double even[] = {3, -1, 7, 4};
    double one[] = {2};
    (void)state;

    struct app_spread spread = app_spread_of(odd, 3);
    assert_true(spread.smallest == -1 && spread.median == 3 && spread.largest == 7);
    spread = app_spread_of(even, 4);
    assert_true(spread.smallest == -1 && spread.median == 3.5 && spread.largest == 7);
    spread = app_spread_of(one, 1);
    assert_true(spread.mean == 2 && spread.median == 2 && isnan(spread.half));
}

int main(void)
{
    return RUN_TESTS(test_intervals, test_order);
}

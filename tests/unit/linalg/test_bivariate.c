/*
 * Probabilities of two correlated normals: against 20-digit values by another integral
 * (tests/reference/make_bivariate.py), into the tails, and slopes against differences.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/rng.h"
#include "linalg/bivariate.h"
#include "linalg/normal.h"
#include "reference/bivariate.inc"
#include "support/near.h"
#include "support/test.h"

enum { BOTH = sizeof both_rows / sizeof *both_rows, BOX = sizeof box_rows / sizeof *box_rows, CASES = 200 };

static void test_both_matches_reference(void **state)
{
    double worst = 0;

    (void)state;
    for (int i = 0; i < BOTH; i++) {
        const double *row = both_rows[i];
        const double error = fabs(ckg__normal_log_both(row[0], row[1], row[2], NULL) - row[3]);
        if (error > 1e-8)
            print_message("h %g k %g r %g: %.3g\n", row[0], row[1], row[2], error);
        worst = fmax(worst, error);
    }
    print_message("%d rows: %.2g\n", (int)BOTH, worst);
    assert_true(worst <= 1e-8);
}

static void test_box_matches_reference(void **state)
{
    double worst = 0;

    (void)state;
    for (int i = 0; i < BOX; i++) {
        const double *row = box_rows[i];
        const double error = fabs(ckg__normal_log_box(row, row + 2, row[4], NULL) - row[5]);
        if (error > 1e-6)
            print_message("%g %g %g %g r %g: %.3g\n", row[0], row[1], row[2], row[3], row[4], error);
        worst = fmax(worst, error);
    }
    print_message("%d rows: %.2g\n", (int)BOX, worst);
    assert_true(worst <= 1e-6);
}

/* Known without integration: independent ones, one that is certain, the same one twice, and r = ±½ at 0. */
static void test_where_it_is_known(void **state)
{
    (void)state;
    for (double h = -9; h < 6; h += 1.3) {
        const double alone = ckg__normal_log_cdf(h);
        assert_near(ckg__normal_log_both(h, -1.2, 0, NULL), alone + ckg__normal_log_cdf(-1.2), 1e-8);
        assert_near(ckg__normal_log_both(h, INFINITY, -0.7, NULL), alone, 1e-12);
        assert_near(ckg__normal_log_both(h, h + 0.1, 1, NULL), alone, 1e-4);
        assert_true(ckg__normal_log_both(h, -INFINITY, 0.3, NULL) == -INFINITY);
    }
    assert_near(ckg__normal_log_both(0, 0, 0.5, NULL), log(1 / 3.0), 1e-8);
    assert_near(ckg__normal_log_both(0, 0, -0.5, NULL), log(1 / 6.0), 1e-8);
}

struct at {
    double x[2], y[2], r;
    int box, which;
};

static double moved(void *context, double step)
{
    struct at a = *(struct at *)context;

    *(a.which == 0 ? &a.y[0] : a.which == 1 ? &a.y[1] : &a.r) += step;
    return a.box ? ckg__normal_log_box(a.x, a.y, a.r, NULL) : ckg__normal_log_both(a.y[0], a.y[1], a.r, NULL);
}

static void test_slopes(void **state)
{
    struct ckg__rng rng;
    double worst = 0;

    (void)state;
    ckg__rng_seed(&rng, 3, 0, 0);
    for (int i = 0; i < CASES; i++) {
        struct at a = {.box = i % 2, .r = 1.9 * ckg__rng_uniform(&rng) - 0.95};
        double slope[3];

        a.x[0] = 4 * ckg__rng_uniform(&rng) - 3;
        a.y[0] = a.x[0] + ckg__rng_uniform(&rng) - 0.5;
        a.x[1] = a.x[0] + 0.6 + ckg__rng_uniform(&rng);
        a.y[1] = a.y[0] + 0.6 + ckg__rng_uniform(&rng);
        if (a.box)
            ckg__normal_log_box(a.x, a.y, a.r, slope);
        else
            ckg__normal_log_both(a.y[0], a.y[1], a.r, slope);
        for (a.which = 0; a.which < 3; a.which++) {
            const double want = difference(moved, &a, 1e-3);
            worst = fmax(worst, fabs(slope[a.which] - want) / fmax(1, fabs(want)));
        }
    }
    print_message("slopes: %.2g\n", worst);
    assert_true(worst <= 1e-5);
}

int main(void)
{
    return RUN_TESTS(test_both_matches_reference, test_box_matches_reference, test_where_it_is_known,
                     test_slopes);
}

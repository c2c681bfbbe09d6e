/*
 * Outcome scales against 40 digits by mpmath: values, slopes, and moments on the way back by quadrature. Way
 * back or there, nothing is ever infinite, and what is modelled by its logarithm keeps its sign.
 */
#include <math.h>

#include "model/series.h"
#include "support/near.h"
#include "support/test.h"

#include "reference/scaling.inc"

enum { VALUES = sizeof scaling_values / sizeof *scaling_values };
enum { MOMENTS = sizeof scaling_moments / sizeof *scaling_moments };

static struct ckg__scaling scaling_of(const double *row)
{
    return (struct ckg__scaling){row[0], row[1], row[2], row[3], row[4], row[5], 0, 0};
}

static void test_values_and_slopes(void **state)
{
    (void)state;
    for (int i = 0; i < VALUES; i++) {
        const double *row = scaling_values[i];
        const struct ckg__scaling s = scaling_of(row);
        const double y = row[7];

        assert_near(ckg__scaling_place(&s, row[6]), y, 1e-14 * (1 + fabs(y)));
        assert_near(ckg__scaling_apply(&s, row[6]), y, ldexp(1, -32) + 1e-14 * fabs(y));
        assert_near(ckg__scaling_log_slope(&s, row[6]), row[8], 1e-13 * (1 + fabs(row[8])));
    }
}

static void test_moments(void **state)
{
    (void)state;
    for (int i = 0; i < MOMENTS; i++) {
        const double *row = scaling_moments[i];
        const struct ckg__scaling s = scaling_of(row);
        double mean;
        double sd;

        ckg__scaling_moments(&s, row[6], row[7], &mean, &sd);
        assert_near(mean, row[8], 1e-13 * (fabs(row[8]) + row[9]));
        assert_near(sd, row[9], 1e-12 * row[9]);
    }
}

/* However far or uncertain, a prediction is finite, of the right sign, and no larger than a value may be. */
static void test_moments_are_finite(void **state)
{
    static const double warps[] = {0, 0.1, 10, CKG__LOGARITHM};
    static const double numbers[] = {0, 1e-300, 1e-3, 1, 40, 1e3, 1e15, 1e150};

    (void)state;
    for (int side = -1; side <= 1; side += 2)
        for (int w = 0; w < 4; w++)
            for (int a = -7; a < 8; a++)
                for (int b = 0; b < 8; b++)
                    for (int c = 1; c < 8; c++) {
                        const double unit = warps[w] < 0 ? side * numbers[c] : numbers[c];
                        const struct ckg__scaling s = {-1, warps[w], 0, unit, 0.5, 3, 0, 0};
                        double mean;
                        double sd;
                        ckg__scaling_moments(&s, a < 0 ? -numbers[-a] : numbers[a], numbers[b], &mean, &sd);
                        assert_true(fabs(mean) <= 1e150 && sd >= 0 && sd <= 1e150);
                        assert_true(warps[w] >= 0 || -side * mean >= 0);
                    }
}

/* Limits and penalties that the scale does not reach are far away, not infinite; order stays. */
static void test_places_are_finite(void **state)
{
    static const double values[] = {-1e150, -1, -1e-300, 0, 1e-300, 1, 1e150};
    const struct ckg__scaling scalings[] = {{1, CKG__LOGARITHM, 0, 2, 0, 1e-3, 0, 0},
                                            {1, CKG__LOGARITHM, 0, -2, 0, 1e-3, 0, 0},
                                            {1, 0, 0, 1, 1e150, 1e-150, 0, 0},
                                            {1, 10, 0, 1e-150, 0, 1e-5, 0, 0}};

    (void)state;
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 7; k++) {
            const double y = ckg__scaling_place(&scalings[i], values[k]);
            assert_true(isfinite(y) && fabs(y) <= 1e15);
            assert_true(k == 0 || y >= ckg__scaling_place(&scalings[i], values[k - 1]));
        }
}

/* A value outside the interval counts as its end; a limit does not. */
static void test_outlier_values_are_drawn_in(void **state)
{
    const struct ckg__scaling s = {1, 0, 0, 1, 2, 4, -6, 10};

    (void)state;
    assert_true(ckg__scaling_apply(&s, 1e50) == 2 && ckg__scaling_apply(&s, -1e50) == -2);
    assert_true(ckg__scaling_apply(&s, 4) == 0.5 && ckg__scaling_place(&s, 42) == 10);
}

int main(void)
{
    return RUN_TESTS(test_values_and_slopes, test_moments, test_moments_are_finite, test_places_are_finite,
                     test_outlier_values_are_drawn_in);
}

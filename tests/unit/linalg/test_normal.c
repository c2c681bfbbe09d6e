/*
 * The scalar normal distribution against 50-digit values (tests/reference/make_normal.py), its limits and its
 * identities.
 *
 * Largest errors measured, in ulp, here and over 40 times as many points (make_normal.py 40): pdf 2 and 3,
 * cdf 3 and 6, log_cdf 4 and 6, mills 4 and 5, ei 3 and 6, log_ei 3 and 4, log_ei_slope 5 and 7, quantile 4
 * and 6, log_interval 2 and 3.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "linalg/normal.h"
#include "support/test.h"
#include "reference/normal.inc"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Columns of normal_rows. */
enum { X, PDF, CDF, LOG_CDF, MILLS, EI, LOG_EI, SLOPE };

/* Distance in units of the spacing of doubles at the wanted value. */
static double ulp_error(double got, double want)
{
    const double spacing = nextafter(fabs(want), INFINITY) - fabs(want);

    return got == want ? 0.0 : fabs(got - want) / spacing;
}

static void check_column(const char *name, double (*function)(double), int column, double bound)
{
    double worst = 0.0, worst_x = 0.0;

    for (size_t i = 0; i < COUNT(normal_rows); i++) {
        const double x = normal_rows[i][X], error = ulp_error(function(x), normal_rows[i][column]);
        if (!(error <= worst)) {
            worst = error;
            worst_x = x;
        }
    }
    print_message("%s: %.2f ulp at %.17g\n", name, worst, worst_x);
    assert_true(worst <= bound);
}

static void test_functions_match_reference(void **state)
{
    (void)state;
    check_column("pdf", ckg__normal_pdf, PDF, 4.0);
    check_column("cdf", ckg__normal_cdf, CDF, 8.0);
    check_column("log_cdf", ckg__normal_log_cdf, LOG_CDF, 8.0);
    check_column("mills", ckg__normal_mills, MILLS, 8.0);
    check_column("ei", ckg__normal_ei, EI, 8.0);
    check_column("log_ei", ckg__normal_log_ei, LOG_EI, 8.0);
    check_column("log_ei_slope", ckg__normal_log_ei_slope, SLOPE, 8.0);
}

static void test_quantile_matches_reference(void **state)
{
    double worst = 0.0;

    (void)state;
    for (size_t i = 0; i < COUNT(quantile_rows); i++)
        worst = fmax(worst, ulp_error(ckg__normal_quantile(quantile_rows[i][0]), quantile_rows[i][1]));
    print_message("quantile: %.2f ulp\n", worst);
    assert_true(worst <= 8.0);
}

static void test_log_interval_matches_reference(void **state)
{
    double worst = 0.0;

    (void)state;
    for (size_t i = 0; i < COUNT(interval_rows); i++) {
        const double *row = interval_rows[i];
        worst = fmax(worst, ulp_error(ckg__normal_log_interval(row[0], row[1]), row[2]));
    }
    print_message("log_interval: %.2f ulp\n", worst);
    assert_true(worst <= 8.0);
}

static void test_limits(void **state)
{
    (void)state;
    assert_true(ckg__normal_pdf(INFINITY) == 0.0 && ckg__normal_pdf(-INFINITY) == 0.0);
    assert_true(ckg__normal_cdf(INFINITY) == 1.0 && ckg__normal_cdf(-INFINITY) == 0.0);
    assert_true(ckg__normal_log_cdf(INFINITY) == 0.0 && ckg__normal_log_cdf(-INFINITY) == -INFINITY);
    assert_true(ckg__normal_mills(INFINITY) == 0.0 && ckg__normal_mills(-INFINITY) == INFINITY);
    assert_true(ckg__normal_ei(INFINITY) == INFINITY && ckg__normal_ei(-INFINITY) == 0.0);
    assert_true(ckg__normal_log_ei(INFINITY) == INFINITY && ckg__normal_log_ei(-INFINITY) == -INFINITY);
    assert_true(ckg__normal_log_ei_slope(INFINITY) == 0.0 && ckg__normal_log_ei_slope(-INFINITY) == INFINITY);
    assert_true(ckg__normal_cdf(0.0) == 0.5 && ckg__normal_quantile(0.5) == 0.0);
    assert_true(ckg__normal_cdf(-38.4) > 0.0 && ckg__normal_cdf(-38.6) == 0.0);
}

static void test_logarithms_far_out(void **state)
{
    (void)state;
    assert_true(ulp_error(ckg__normal_log_cdf(-1e154), -5e307) <= 2.0);
    assert_true(ulp_error(ckg__normal_log_ei(-1e154), -5e307) <= 2.0);
    assert_true(ckg__normal_log_cdf(-1e155) == -INFINITY);
    assert_true(ckg__normal_mills(-1e300) == 1e300 && ckg__normal_log_ei_slope(-1e300) == 1e300);
    assert_true(ulp_error(ckg__normal_log_ei(1e300), log(1e300)) <= 1.0);
}

static void test_nan_in_nan_out(void **state)
{
    double (*const functions[])(double) = {
        ckg__normal_pdf,   ckg__normal_cdf, ckg__normal_log_cdf, ckg__normal_quantile,
        ckg__normal_mills, ckg__normal_ei,  ckg__normal_log_ei,  ckg__normal_log_ei_slope,
    };

    (void)state;
    for (size_t i = 0; i < COUNT(functions); i++)
        assert_true(isnan(functions[i](NAN)));
    assert_true(isnan(ckg__normal_log_interval(NAN, 1.0)) && isnan(ckg__normal_log_interval(0.0, NAN)));
}

static void test_quantile_ends(void **state)
{
    (void)state;
    assert_true(ckg__normal_quantile(0.0) == -INFINITY && ckg__normal_quantile(1.0) == INFINITY);
    assert_true(isnan(ckg__normal_quantile(-1e-300)) && isnan(ckg__normal_quantile(1.0000001)));
}

static void test_log_interval_with_open_ends(void **state)
{
    (void)state;
    for (double x = -50.0; x <= 50.0; x += 0.37) {
        assert_true(ulp_error(ckg__normal_log_interval(-INFINITY, x), ckg__normal_log_cdf(x)) <= 2.0);
        assert_true(ulp_error(ckg__normal_log_interval(x, INFINITY), ckg__normal_log_cdf(-x)) <= 2.0);
    }
    assert_true(ckg__normal_log_interval(-INFINITY, INFINITY) == 0.0);
    assert_true(ckg__normal_log_interval(1.0, 1.0) == -INFINITY);
    assert_true(isnan(ckg__normal_log_interval(1.0, 0.5)));
}

/* A dense grid finds jumps between branches that points of the reference may miss. */
static void test_monotone_across_branches(void **state)
{
    (void)state;
    for (double x = -38.5; x < 9.0; x += 1e-3) {
        assert_true(ckg__normal_cdf(x) <= ckg__normal_cdf(x + 1e-3));
        assert_true(ckg__normal_log_cdf(x) < ckg__normal_log_cdf(x + 1e-3) || x > 8.0);
        assert_true(ckg__normal_log_ei(x) < ckg__normal_log_ei(x + 1e-3));
        assert_true(ckg__normal_mills(x) > ckg__normal_mills(x + 1e-3));
    }
}

static void test_quantile_inverts_cdf(void **state)
{
    (void)state;
    for (double x = -37.5; x < 5.0; x += 0.0173) {
        /* Above zero the rounding of Φ to a number near one is the larger error. */
        const double allowed = 1e-15 * fabs(x) + 2e-16 / ckg__normal_pdf(fmax(x, 0.0));
        assert_true(fabs(ckg__normal_quantile(ckg__normal_cdf(x)) - x) <= allowed);
    }
}

int main(void)
{
    return RUN_TESTS(test_functions_match_reference, test_quantile_matches_reference,
                     test_log_interval_matches_reference, test_limits, test_logarithms_far_out,
                     test_nan_in_nan_out, test_quantile_ends, test_log_interval_with_open_ends,
                     test_monotone_across_branches, test_quantile_inverts_cdf);
}

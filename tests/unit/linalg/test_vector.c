/*
 * The vectorised functions, every variant that this processor runs: against 50-digit values
 * (tests/reference/make_normal.py) and exp and log in pairs of doubles, for every length, in place, and at
 * the ends of the range.
 *
 * Largest errors measured over the variants of gcc 12 and clang 14: Φ 6e-16 relative (8e-16 over 40 times as
 * many points), φ 3e-16 (4e-16), log Φ 6e-16 (7e-16), φ/Φ 7e-16 (8e-16), h 6e-16 (8e-16); exp 1.02 ulp
 * (1.08), log 0.71 ulp (0.75).
 */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "linalg/vector.h"
#include "reference/normal.inc"
#include "support/scale.h"
#include "support/test.h"
#include "support/ulps.h"
#include "support/variants.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

static const struct ckg__vector_ops *const variants[] = EVERY_VARIANT(ckg__vector_ops);

/* Columns of normal_rows. */
enum { X, PDF, CDF, LOG_CDF, MILLS, EI };

enum { ROWS = COUNT(normal_rows), LENGTHS = 45 };

static double column[ROWS], first[ROWS], second[ROWS];

/* The functions with one result, and both results of the others, under one signature. */
struct function {
    const char *name;
    int column;
    double bound;
    void (*run)(const struct ckg__vector_ops *ops, int n, const double *x, double *y);
};

static void run_exp(const struct ckg__vector_ops *ops, int n, const double *x, double *y)
{
    ops->exp(n, x, y);
}

static void run_log(const struct ckg__vector_ops *ops, int n, const double *x, double *y)
{
    ops->log(n, x, y);
}

static void run_cdf(const struct ckg__vector_ops *ops, int n, const double *x, double *y)
{
    ops->normal_cdf(n, x, y);
}

static void run_cdf_of_both(const struct ckg__vector_ops *ops, int n, const double *x, double *y)
{
    ops->normal_cdf_pdf(n, x, y, second);
}

static void run_pdf(const struct ckg__vector_ops *ops, int n, const double *x, double *y)
{
    ops->normal_cdf_pdf(n, x, second, y);
}

static void run_log_cdf(const struct ckg__vector_ops *ops, int n, const double *x, double *y)
{
    ops->normal_log_cdf(n, x, y, NULL);
}

static void run_log_cdf_of_both(const struct ckg__vector_ops *ops, int n, const double *x, double *y)
{
    ops->normal_log_cdf(n, x, y, second);
}

static void run_mills(const struct ckg__vector_ops *ops, int n, const double *x, double *y)
{
    ops->normal_log_cdf(n, x, second, y);
}

static void run_ei(const struct ckg__vector_ops *ops, int n, const double *x, double *y)
{
    ops->normal_ei(n, x, y);
}

/* The last two have no column: their errors are computed in pairs of doubles. */
static const struct function functions[] = {
    {"cdf", CDF, 2e-15, run_cdf},
    {"cdf of both", CDF, 2e-15, run_cdf_of_both},
    {"pdf", PDF, 1e-15, run_pdf},
    {"log_cdf", LOG_CDF, 2e-15, run_log_cdf},
    {"log_cdf of both", LOG_CDF, 2e-15, run_log_cdf_of_both},
    {"mills", MILLS, 2e-15, run_mills},
    {"ei", EI, 2e-15, run_ei},
    {"exp", X, 0.0, run_exp},
    {"log", X, 0.0, run_log},
};

enum { WITH_REFERENCE = COUNT(functions) - 2 };

/* Relative, but absolute among the subnormal numbers, where one unit is allowed. */
static double relative_error(double got, double want)
{
    const double error = fabs(got - want);

    return got == want || error <= 0x1p-1074 ? 0.0 : error / fabs(want);
}

/* The larger of two errors; NaN is larger than any. */
static double larger(double worst, double error)
{
    return error <= worst || isnan(worst) ? worst : error;
}

static double worst_relative_error(const struct function *f, const struct ckg__vector_ops *ops)
{
    double worst = 0.0;

    f->run(ops, ROWS, column, first);
    for (int i = 0; i < ROWS; i++)
        worst = larger(worst, relative_error(first[i], normal_rows[i][f->column]));
    return worst;
}

static void test_normal_matches_reference(void **state)
{
    (void)state;
    for (int i = 0; i < ROWS; i++)
        column[i] = normal_rows[i][X];
    for (int v = 0; v < variant_count(); v++)
        for (int k = 0; k < WITH_REFERENCE; k++) {
            const double worst = worst_relative_error(&functions[k], variants[v]);
            print_message("variant %d, %s: %.2g\n", v, functions[k].name, worst);
            assert_true(worst <= functions[k].bound);
        }
}

static void test_errors_of_exp(void **state)
{
    (void)state;
    for (int v = 0; v < variant_count(); v++) {
        double worst = 0.0;
        for (double start = -745.1; start < 709.7; start += test_scale(10, 70)) {
            for (int i = 0; i < ROWS; i++)
                column[i] = fmin(start + 0.00917 * i, 709.7);
            variants[v]->exp(ROWS, column, first);
            for (int i = 0; i < ROWS; i++)
                worst = larger(worst, ulps_from_exp(column[i], first[i]));
        }
        print_message("variant %d, exp: %.2f ulp\n", v, worst);
        assert_true(worst <= 1.5);
    }
}

static void test_errors_of_log(void **state)
{
    (void)state;
    for (int v = 0; v < variant_count(); v++) {
        double worst = 0.0;
        for (double start = 0x1p-1074; start < DBL_MAX / 16.0; start *= 7.3 * test_scale(1, 100000)) {
            for (int i = 0; i < ROWS; i++)
                column[i] = start * (1.0 + 0.0097 * i);
            variants[v]->log(ROWS, column, first);
            for (int i = 0; i < ROWS; i++)
                worst = larger(worst, ulps_from_log(column[i], first[i]));
        }
        print_message("variant %d, log: %.2f ulp\n", v, worst);
        assert_true(worst <= 1.0);
    }
}

/* log must keep its relative accuracy next to its zero. */
static void test_log_near_one(void **state)
{
    (void)state;
    for (int v = 0; v < variant_count(); v++) {
        for (int i = 0; i < ROWS; i++)
            column[i] = 1.0 + (i % 2 ? 1.0 : -1.0) * exp(-36.0 * i / ROWS) / 2.0;
        variants[v]->log(ROWS, column, first);
        for (int i = 0; i < ROWS; i++)
            assert_true(first[i] == 0.0 ? column[i] == 1.0 : ulps_from_log(column[i], first[i]) <= 1.0);
    }
}

/* Each result depends on its own argument only, and nothing is written beyond the end. */
static void check_lengths(const struct function *f, const struct ckg__vector_ops *ops)
{
    double x[LENGTHS], whole[LENGTHS + 1], part[LENGTHS + 1], in_place[LENGTHS];

    for (int i = 0; i < LENGTHS; i++)
        x[i] = -6.0 + 0.37 * i;
    f->run(ops, LENGTHS, x, whole);
    for (int n = 0; n <= LENGTHS; n++) {
        for (int i = 0; i <= LENGTHS; i++)
            part[i] = 12345.0;
        f->run(ops, n, x, part);
        memcpy(in_place, x, sizeof x);
        f->run(ops, n, in_place, in_place);
        assert_memory_equal(part, whole, (size_t)n * sizeof *x);
        assert_memory_equal(in_place, whole, (size_t)n * sizeof *x);
        for (int i = n; i <= LENGTHS; i++)
            assert_true(part[i] == 12345.0);
    }
}

static void test_every_length_and_in_place(void **state)
{
    (void)state;
    for (int v = 0; v < variant_count(); v++)
        for (int k = 0; k < COUNT(functions); k++)
            check_lengths(&functions[k], variants[v]);
}

/* NaN of any payload stays NaN: the payload's low bits travel through the exponent arithmetic. */
static void test_nan_in_nan_out(void **state)
{
    (void)state;
    for (int v = 0; v < variant_count(); v++)
        for (uint64_t payload = 0; payload < 8192; payload++) {
            const uint64_t bits = (payload % 2 ? UINT64_C(0xfff8000000000000)
                                               : UINT64_C(0x7ff8000000000000)) |
                                  payload;
            double x[3] = {0.5, 0.0, 2.0}, y[3];
            memcpy(&x[1], &bits, sizeof bits);
            for (int k = 0; k < COUNT(functions); k++) {
                functions[k].run(variants[v], 3, x, y);
                assert_true(!isnan(y[0]) && isnan(y[1]) && !isnan(y[2]));
            }
        }
}

static double one_value(int k, const struct ckg__vector_ops *ops, double x)
{
    double y;

    functions[k].run(ops, 1, &x, &y);
    return y;
}

static void test_limits(void **state)
{
    enum { AT_CDF, AT_CDF2, AT_PDF, AT_LOG_CDF, AT_LOG_CDF2, AT_MILLS, AT_EI, AT_EXP, AT_LOG };
    static const struct {
        int function;
        double x, want;
    } cases[] = {
        {AT_CDF, -INFINITY, 0.0},
        {AT_CDF, INFINITY, 1.0},
        {AT_CDF, -38.6, 0.0},
        {AT_CDF, 0.0, 0.5},
        {AT_CDF, -1e300, 0.0},
        {AT_CDF, 1e300, 1.0},
        {AT_PDF, -INFINITY, 0.0},
        {AT_PDF, INFINITY, 0.0},
        {AT_PDF, 1e300, 0.0},
        {AT_LOG_CDF, INFINITY, 0.0},
        {AT_LOG_CDF, 1e300, 0.0},
        {AT_LOG_CDF, -INFINITY, -INFINITY},
        {AT_LOG_CDF, -1e160, -INFINITY},
        {AT_MILLS, INFINITY, 0.0},
        {AT_MILLS, -1e300, 1e300},
        {AT_MILLS, -INFINITY, INFINITY},
        {AT_EI, -INFINITY, 0.0},
        {AT_EI, INFINITY, INFINITY},
        {AT_EI, 1e300, 1e300},
        {AT_EI, -1e300, 0.0},
        {AT_EXP, -INFINITY, 0.0},
        {AT_EXP, INFINITY, INFINITY},
        {AT_EXP, 709.8, INFINITY},
        {AT_EXP, 1e300, INFINITY},
        {AT_EXP, -745.14, 0.0},
        {AT_EXP, -1e300, 0.0},
        {AT_EXP, 0.0, 1.0},
        {AT_EXP, -745.0, 0x1p-1074},
        {AT_LOG, 0.0, -INFINITY},
        {AT_LOG, -0.0, -INFINITY},
        {AT_LOG, INFINITY, INFINITY},
        {AT_LOG, 1.0, 0.0},
    };

    (void)state;
    for (int v = 0; v < variant_count(); v++) {
        for (int i = 0; i < COUNT(cases); i++)
            assert_true(one_value(cases[i].function, variants[v], cases[i].x) == cases[i].want);
        assert_true(isnan(one_value(AT_LOG, variants[v], -1.0)) &&
                    isnan(one_value(AT_LOG, variants[v], -INFINITY)));
        assert_true(relative_error(one_value(AT_LOG_CDF, variants[v], -1e154), -5e307) <= 1e-15);
    }
}

static void test_the_variant_in_use_is_chosen(void **state)
{
    (void)state;
    assert_ptr_equal(ckg__vector(), variants[ckg__variant()]);
}

int main(void)
{
    return RUN_TESTS(test_normal_matches_reference, test_errors_of_exp, test_errors_of_log, test_log_near_one,
                     test_every_length_and_in_place, test_nan_in_nan_out, test_limits,
                     test_the_variant_in_use_is_chosen);
}

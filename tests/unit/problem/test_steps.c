/*
 * Steps and log integers: which values there are, that they print as short as they were given, the cube and
 * back, shares, and every way to set them wrongly.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "problem/problem.h"
#include "support/test.h"

static ckg_problem *new_problem(void)
{
    ckg_problem *p = NULL;

    assert_int_equal(ckg_problem_new(&p), CKG_OK);
    return p;
}

/* One real with a step. */
static ckg_problem *stepped(double low, double high, double step, enum ckg_scale scale)
{
    ckg_problem *p = new_problem();

    assert_int_equal(ckg_problem_add_real(p, "x", low, high, scale), CKG_OK);
    assert_int_equal(ckg_problem_set_step(p, "x", step), CKG_OK);
    return p;
}

/* --- values --- */

/* Every value is the double that its decimal is read as: low, low + step, … counted in whole units. */
static void check_decimals(const char *low, const char *high, const char *step, int digits, long first,
                           long by, long count)
{
    ckg_problem *p = stepped(strtod(low, NULL), strtod(high, NULL), strtod(step, NULL), CKG_LINEAR);

    assert_true(ckg__problem_size(p) == count);
    for (long k = 0; k < count; k++) {
        const long whole = first + k * by;
        char text[64];
        double x;

        snprintf(text, sizeof text, "%lde-%d", whole, digits);
        ckg__problem_number(p, (double)k, &x);
        if (x != strtod(text, NULL))
            fail_msg("value %ld of %s by %s is %.17g, not %s", k, low, step, x, text);
    }
    ckg_problem_free(p);
}

static void test_values_are_short_decimals(void **state)
{
    (void)state;
    check_decimals("0.05", "2.0", "0.01", 2, 5, 1, 196);
    check_decimals("0.05", "2.004", "0.01", 2, 5, 1, 196); /* high is not on it */
    check_decimals("0", "0.3", "0.1", 1, 0, 1, 4);         /* 0.3/0.1 is below 3 in doubles */
    check_decimals("-1", "1", "0.1", 1, -10, 1, 21);
    check_decimals("0.1", "1", "0.25", 2, 10, 25, 4);
    check_decimals("0", "1", "0.00001", 5, 0, 1, 100001);
    check_decimals("1e-12", "1e-9", "1e-12", 12, 1, 1, 1000);
    check_decimals("1000000.5", "1000002.5", "0.001", 3, 1000000500, 1, 2001);
}

/* A step that is no decimal gives multiples all the same, and never a value beyond high. */
static void test_other_steps(void **state)
{
    const double third = 1.0 / 3;
    ckg_problem *p = stepped(0, 1, third, CKG_LINEAR);
    double x;

    (void)state;
    assert_true(ckg__problem_size(p) == 4);
    for (int k = 0; k < 4; k++) {
        ckg__problem_number(p, k, &x);
        assert_true(fabs(x - k * third) <= 1e-15 && x <= 1);
    }
    ckg_problem_free(p);
}

static void test_integers_with_steps(void **state)
{
    ckg_problem *p = new_problem();
    double low, high, x;

    (void)state;
    assert_int_equal(ckg_problem_add_integer(p, "n", 3, 12), CKG_OK);
    assert_true(ckg_problem_parameter_step(p, 0) == 1);
    assert_int_equal(ckg_problem_set_step(p, "n", 4), CKG_OK);
    assert_true(ckg_problem_parameter_step(p, 0) == 4);
    assert_true(ckg__problem_size(p) == 3);
    ckg__problem_number(p, 2, &x);
    assert_true(x == 11);
    assert_int_equal(ckg_problem_parameter_range(p, 0, &low, &high), CKG_OK);
    assert_true(low == 3 && high == 12); /* as given */
    ckg_problem_free(p);
}

/* --- the cube --- */

/* Value by value there and back, ends at the ends, in order; and the points in between go to the nearest. */
static void check_cube(const ckg_problem *p)
{
    const double size = ckg__problem_size(p);
    double before = -1;

    for (double k = 0; k < size; k++) {
        double x, u, back;

        ckg__problem_number(p, k, &x);
        ckg__problem_to_unit(p, &x, &u);
        assert_true(u > before && u <= 1);
        assert_true((k > 0 || u == 0) && (k < size - 1 || u == 1));
        ckg__problem_from_unit(p, &u, &back);
        assert_true(back == x);
        const double shaken = fmin(u + 1e-9, 1);
        ckg__problem_from_unit(p, &shaken, &back);
        assert_true(back == x);
        ckg__problem_snap(p, &(double){shaken});
        before = u;
    }
}

static void test_cube_and_back(void **state)
{
    ckg_problem *p[] = {stepped(0.05, 2, 0.01, CKG_LINEAR), stepped(0.05, 2, 0.01, CKG_LOG),
                        stepped(0.001, 100, 0.25, CKG_LOG), stepped(-3, 5.3, 0.7, CKG_LINEAR),
                        stepped(0, 1, 1.0 / 7, CKG_LINEAR), new_problem()};

    (void)state;
    assert_int_equal(ckg_problem_add_integer(p[5], "batch", 1, 1024), CKG_OK);
    assert_int_equal(ckg_problem_set_scale(p[5], "batch", CKG_LOG), CKG_OK);
    assert_int_equal(ckg_problem_parameter_scale(p[5], 0), CKG_LOG);
    for (int i = 0; i < 6; i++) {
        check_cube(p[i]);
        ckg_problem_free(p[i]);
    }
}

/* An integer on a log scale: the middle of the cube is the geometric mean, octaves get equal shares. */
static void test_log_integers(void **state)
{
    enum { POINTS = 100000 };
    ckg_problem *p = new_problem();
    int octave[11] = {0};
    double x, u;

    (void)state;
    assert_int_equal(ckg_problem_add_integer(p, "batch", 1, 1024), CKG_OK);
    assert_int_equal(ckg_problem_set_scale(p, "batch", CKG_LOG), CKG_OK);
    ckg__problem_from_unit(p, &(double){0.5}, &x);
    assert_true(x == 32);
    ckg__problem_to_unit(p, &(double){256}, &u);
    assert_true(fabs(u - 0.8) < 1e-15);
    for (int i = 0; i < POINTS; i++) {
        const double c = (i + 0.5) / POINTS;

        ckg__problem_from_cube(p, &c, &u);
        ckg__problem_from_unit(p, &u, &x);
        assert_true(x == floor(x) && x >= 1 && x <= 1024);
        octave[(int)floor(log2(x))]++;
    }
    for (int k = 4; k < 10; k++)
        assert_true(fabs(octave[k] - POINTS / 11.0) < 0.06 * POINTS / 11);
    assert_true(octave[0] > 0 && octave[10] > 0);
    ckg_problem_free(p);
}

/* On a linear scale every value has the same share, the ends included. */
static void test_equal_shares(void **state)
{
    enum { POINTS = 7000 };
    ckg_problem *p = stepped(0.1, 0.7, 0.1, CKG_LINEAR);
    int count[7] = {0};

    (void)state;
    for (int i = 0; i < POINTS; i++) {
        const double c = (i + 0.5) / POINTS;
        double u, x;

        ckg__problem_from_cube(p, &c, &u);
        ckg__problem_from_unit(p, &u, &x);
        count[(int)rint(10 * x) - 1]++;
    }
    for (int k = 0; k < 7; k++)
        assert_int_equal(count[k], POINTS / 7);
    ckg_problem_free(p);
}

/* --- designs of the user's own --- */

static void test_own_designs_may_lie_between(void **state)
{
    ckg_problem *p = stepped(0, 1, 0.3, CKG_LINEAR);
    double u, x;

    (void)state;
    assert_int_equal(ckg_problem_check_design(p, &(double){0.35}), CKG_OK);
    assert_int_equal(ckg_problem_check_design(p, &(double){0.95}), CKG_OK); /* after the last step */
    assert_int_equal(ckg_problem_check_design(p, &(double){1.05}), CKG_ERR_INVALID);
    assert_true(ckg__problem_offers(p, &(double){0.6}));
    assert_false(ckg__problem_offers(p, &(double){0.35}));
    ckg__problem_to_unit(p, &(double){0.36}, &u);
    assert_true(fabs(u - 0.4) < 1e-15);
    ckg__problem_snap(p, &u);
    ckg__problem_from_unit(p, &u, &x);
    assert_true(x == 0.3);
    assert_false(ckg__problem_has_reals(p));
    ckg_problem_free(p);
}

/* Of a list only its designs are offered, whatever the sign of their zeros. */
static void test_lists_offer_their_designs(void **state)
{
    ckg_problem *p = new_problem();

    (void)state;
    assert_int_equal(ckg_problem_add_real(p, "x", -1, 1, CKG_LINEAR), CKG_OK);
    assert_int_equal(ckg_problem_set_designs(p, 2, (const double[]){-0.0, 0.5}), CKG_OK);
    assert_true(ckg__problem_offers(p, &(double){0}) && ckg__problem_offers(p, &(double){0.5}));
    assert_false(ckg__problem_offers(p, &(double){0.25}));
    ckg_problem_free(p);
}

/* --- set wrongly --- */

static void check_refused(int status, int want, const char *words)
{
    assert_int_equal(status, want);
    if (!strstr(ckg_error_message(), words))
        fail_msg("'%s' does not say '%s'", ckg_error_message(), words);
}

static void test_wrong_steps(void **state)
{
    static const char *const colours[] = {"red", "green"};
    ckg_problem *p = new_problem();

    (void)state;
    assert_int_equal(ckg_problem_add_real(p, "x", 0, 1, CKG_LINEAR), CKG_OK);
    assert_int_equal(ckg_problem_add_integer(p, "n", 0, 9), CKG_OK);
    assert_int_equal(ckg_problem_add_categorical(p, "c", 2, colours), CKG_OK);
    check_refused(ckg_problem_set_step(p, "x", 0), CKG_ERR_INVALID, "'x': the step 0 must be above 0");
    check_refused(ckg_problem_set_step(p, "x", -0.1), CKG_ERR_INVALID, "must be above 0");
    check_refused(ckg_problem_set_step(p, "x", NAN), CKG_ERR_INVALID, "must be above 0");
    check_refused(ckg_problem_set_step(p, "x", INFINITY), CKG_ERR_INVALID, "must be above 0");
    check_refused(ckg_problem_set_step(p, "x", 1.5), CKG_ERR_INVALID, "is larger than the range");
    check_refused(ckg_problem_set_step(p, "x", 1e-17), CKG_ERR_INVALID, "is too small for the range");
    check_refused(ckg_problem_set_step(p, "n", 1.5), CKG_ERR_INVALID, "must be an integer");
    check_refused(ckg_problem_set_step(p, "c", 1), CKG_ERR_INVALID, "'c': categories have no step");
    check_refused(ckg_problem_set_step(p, "y", 1), CKG_ERR_NOT_FOUND, "'y'");
    check_refused(ckg_problem_set_step(NULL, "x", 1), CKG_ERR_NOT_FOUND, "'x'");
    check_refused(ckg_problem_set_scale(p, "c", CKG_LOG), CKG_ERR_INVALID, "'c': categories have no scale");
    check_refused(ckg_problem_set_scale(p, "n", CKG_LOG), CKG_ERR_INVALID, "'n': a log scale needs low > 0");
    check_refused(ckg_problem_set_scale(p, "n", (enum ckg_scale)7), CKG_ERR_INVALID, "unknown scale");
    assert_true(ckg_problem_parameter_step(p, 0) == 0 && ckg_problem_parameter_step(p, 1) == 1 &&
                ckg_problem_parameter_step(p, 2) == 0 && ckg_problem_parameter_step(p, 3) == -1);

    /* After the list of designs it is too late. */
    assert_int_equal(ckg_problem_set_designs(p, 2, (const double[]){0.25, 3, 0, 0.5, 4, 1}), CKG_OK);
    check_refused(ckg_problem_set_step(p, "x", 0.25), CKG_ERR_STATE, "before the list");
    check_refused(ckg_problem_set_scale(p, "n", CKG_LINEAR), CKG_ERR_STATE, "before the list");
    ckg_problem_free(p);
}

static void test_copies_keep_steps(void **state)
{
    ckg_problem *p = stepped(0.05, 2, 0.01, CKG_LOG);
    ckg_problem *copy;
    double x;

    (void)state;
    assert_int_equal(ckg_problem_set_positive(p, "objective", 1), CKG_OK);
    assert_int_equal(ckg__problem_copy(&copy, p), CKG_OK);
    ckg_problem_free(p);
    assert_true(ckg_problem_parameter_step(copy, 0) == 0.01);
    assert_int_equal(ckg_problem_positive(copy, 0), 1);
    ckg__problem_number(copy, 26, &x);
    assert_true(x == 0.31);
    ckg_problem_free(copy);
}

/* --- positive outcomes --- */

static void test_positive_outcomes(void **state)
{
    ckg_problem *p = stepped(0, 1, 0.5, CKG_LINEAR);
    ckg_measurement m = {.outcome = 0, .value = 0, .sd = CKG_SD_DEFAULT};

    (void)state;
    assert_int_equal(ckg_problem_add_constraint(p, "slack", -INFINITY, 0), CKG_OK);
    assert_int_equal(ckg_problem_positive(p, 0), 0);
    assert_int_equal(ckg_problem_check_measured(p, 1, &m), CKG_OK);
    assert_int_equal(ckg_problem_set_positive(p, "objective", 1), CKG_OK);
    assert_int_equal(ckg_problem_positive(p, 0), 1);
    check_refused(ckg_problem_check_measured(p, 1, &m), CKG_ERR_INVALID,
                  "outcome 'objective' is declared positive and cannot be 0");
    m.value = -1.5;
    check_refused(ckg_problem_check_measured(p, 1, &m), CKG_ERR_INVALID, "cannot be -1.5");
    m.value = 1e-9;
    assert_int_equal(ckg_problem_check_measured(p, 1, &m), CKG_OK);
    check_refused(ckg_problem_set_positive(p, "slack", 1), CKG_ERR_INVALID, "can never be at most 0");
    check_refused(ckg_problem_set_positive(p, "mass", 1), CKG_ERR_NOT_FOUND, "'mass'");
    assert_int_equal(ckg_problem_positive(p, 2), -1);
    ckg_problem_free(p);
}

int main(void)
{
    return RUN_TESTS(test_values_are_short_decimals, test_other_steps, test_integers_with_steps,
                     test_cube_and_back, test_log_integers, test_equal_shares,
                     test_own_designs_may_lie_between, test_lists_offer_their_designs, test_wrong_steps,
                     test_copies_keep_steps, test_positive_outcomes);
}

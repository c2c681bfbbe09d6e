/*
 * A problem read back: whatever was set is there, in a copy too, and what is not there says so. Its rules:
 * which designs and values it takes, and what is feasible.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <ckg/ckg.h>

#include "problem/problem.h"
#include "support/test.h"

static const char *const colours[] = {"red", "green", "blue"};

enum { X, TEMPERATURE, STEPS, COLOUR, PARAMETERS };
enum { COST, STRENGTH, WEIGHT, OUTCOMES };

static ckg_problem *new_problem(void)
{
    ckg_problem *p;

    must(ckg_problem_new(&p));
    must(ckg_problem_add_real(p, "x", -2, 6, CKG_LINEAR));
    must(ckg_problem_add_real(p, "temperature", 1e-4, 1e3, CKG_LOG));
    must(ckg_problem_add_integer(p, "steps", -3, 7));
    must(ckg_problem_add_categorical(p, "colour", 3, colours));
    must(ckg_problem_set_objective(p, "cost", CKG_MAXIMIZE));
    must(ckg_problem_add_constraint(p, "strength", 2, INFINITY));
    must(ckg_problem_add_constraint(p, "weight", -1, 5));
    must(ckg_problem_set_noise(p, "cost", CKG_NOISE_KNOWN, 0.25));
    must(ckg_problem_set_noise(p, "strength", CKG_NOISE_NONE, 7));
    return p;
}

static void check_parameters(const ckg_problem *p)
{
    static const char *const names[] = {"x", "temperature", "steps", "colour"};
    static const double ranges[][2] = {{-2, 6}, {1e-4, 1e3}, {-3, 7}, {0, 2}};

    for (int i = 0; i < PARAMETERS; i++) {
        double low;
        double high;

        assert_int_equal(ckg_problem_parameter_find(p, names[i]), i);
        assert_int_equal(ckg_problem_parameter_scale(p, i), i == TEMPERATURE ? CKG_LOG : CKG_LINEAR);
        assert_int_equal(ckg_problem_categories(p, i), i == COLOUR ? 3 : 0);
        must(ckg_problem_parameter_range(p, i, &low, &high));
        assert_true(low == ranges[i][0] && high == ranges[i][1]);
        must(ckg_problem_parameter_range(p, i, NULL, NULL));
    }
    for (int v = 0; v < 3; v++)
        assert_int_equal(ckg_problem_category_find(p, COLOUR, colours[v]), v);
}

static void check_outcomes(const ckg_problem *p)
{
    static const double limits[][2] = {{-INFINITY, INFINITY}, {2, INFINITY}, {-1, 5}};
    static const int noises[] = {CKG_NOISE_KNOWN, CKG_NOISE_NONE, CKG_NOISE_AUTO};

    assert_int_equal(ckg_problem_goal(p), CKG_MAXIMIZE);
    for (int j = 0; j < OUTCOMES; j++) {
        double min;
        double max;
        double sd;

        must(ckg_problem_limits(p, j, &min, &max));
        assert_true(min == limits[j][0] && max == limits[j][1]);
        must(ckg_problem_limits(p, j, NULL, NULL));
        assert_int_equal(ckg_problem_noise(p, j, &sd), noises[j]);
        assert_true(sd == (j == COST ? 0.25 : 0));
        assert_int_equal(ckg_problem_noise(p, j, NULL), noises[j]);
    }
}

static void test_what_was_set(void **state)
{
    ckg_problem *p = new_problem();

    (void)state;
    check_parameters(p);
    check_outcomes(p);
    ckg_problem_free(p);
}

static void test_an_equality(void **state)
{
    ckg_problem *p = new_problem();
    ckg_problem *copy;
    double value = 17;
    double off = 17;

    (void)state;
    must(ckg_problem_add_equality(p, "height", 20, 0.1));
    must(ckg__problem_copy(&copy, p));
    for (int i = 0; i < 2; i++) {
        const ckg_problem *q = i ? copy : p;
        double min, max;
        const ckg_measurement within = {3, 20 - 0.1, CKG_SD_DEFAULT};
        const ckg_measurement beyond = {3, 20.1000001, CKG_SD_DEFAULT};

        assert_int_equal(ckg_problem_equality(q, 3, &value, &off), 1);
        assert_true(value == 20 && off == 0.1);
        must(ckg_problem_limits(q, 3, &min, &max));
        assert_true(min == 20 - 0.1 && max == 20 + 0.1);
        assert_int_equal(ckg_problem_feasible(q, 1, &within), -1); /* the others were not measured */
        assert_int_equal(ckg_problem_feasible(q, 1, &beyond), 0);
        for (int j = 0; j < 3; j++) {
            assert_int_equal(ckg_problem_equality(q, j, &value, &off), 0);
            assert_true(value == 0 && off == 0);
        }
        assert_int_equal(ckg_problem_equality(q, 3, NULL, NULL), 1);
    }
    assert_int_equal(ckg_problem_equality(p, 4, &value, &off), -1);
    assert_int_equal(ckg_problem_equality(NULL, 0, &value, &off), -1);
    ckg_problem_free(copy);
    ckg_problem_free(p);
}

static void test_a_list(void **state)
{
    const double list[] = {0, 1, 3, 1, -2, 1e-4, -3, 0, 0, 1, 3, 1};
    ckg_problem *p = new_problem();

    (void)state;
    assert_int_equal(ckg_problem_designs(p), 0);
    assert_null(ckg_problem_design(p, 0));
    must(ckg_problem_set_designs(p, 3, list));
    assert_int_equal(ckg_problem_designs(p), 2); /* the third is the first again */
    assert_memory_equal(ckg_problem_design(p, 0), list, PARAMETERS * sizeof *list);
    assert_memory_equal(ckg_problem_design(p, 1), list + PARAMETERS, PARAMETERS * sizeof *list);
    assert_null(ckg_problem_design(p, 2));
    assert_null(ckg_problem_design(p, -1));
    ckg_problem_free(p);
}

static void test_a_study_has_the_same(void **state)
{
    const double list[] = {0, 1, 3, 1, -2, 1e-4, -3, 0};
    ckg_problem *p = new_problem();
    ckg_study *study;

    (void)state;
    must(ckg_problem_set_designs(p, 2, list));
    must(ckg_study_new(&study, p, NULL));
    ckg_problem_free(p);
    check_parameters(ckg_study_problem(study));
    check_outcomes(ckg_study_problem(study));
    assert_int_equal(ckg_problem_designs(ckg_study_problem(study)), 2);
    ckg_study_free(study);
}

#define REFUSED(call, wanted, words)                                                                         \
    do {                                                                                                     \
        assert_int_equal((call), (wanted));                                                                  \
        if (!strstr(ckg_error_message(), words))                                                             \
            fail_msg("'%s' does not say '%s'", ckg_error_message(), words);                                  \
    } while (0)

static void test_what_is_not_there(void **state)
{
    ckg_problem *p = new_problem();
    double number = 17;

    (void)state;
    for (int i = -1; i <= PARAMETERS; i += PARAMETERS + 1) {
        assert_int_equal(ckg_problem_parameter_scale(p, i), -1);
        assert_int_equal(ckg_problem_categories(p, i), -1);
        assert_int_equal(ckg_problem_category_find(p, i, "red"), -1);
        assert_int_equal(ckg_problem_noise(p, i, &number), -1);
        REFUSED(ckg_problem_parameter_range(p, i, &number, &number), CKG_ERR_NOT_FOUND, "no parameter");
        REFUSED(ckg_problem_limits(p, i, &number, &number), CKG_ERR_NOT_FOUND, "no outcome");
    }
    assert_true(number == 17);
    assert_int_equal(ckg_problem_parameter_find(p, "X"), -1);
    assert_int_equal(ckg_problem_parameter_find(p, NULL), -1);
    assert_int_equal(ckg_problem_category_find(p, COLOUR, "pink"), -1);
    assert_int_equal(ckg_problem_category_find(p, COLOUR, NULL), -1);
    assert_int_equal(ckg_problem_category_find(p, X, "red"), -1);
    ckg_problem_free(p);
}

static void test_no_problem(void **state)
{
    (void)state;
    assert_int_equal(ckg_problem_parameter_find(NULL, "x"), -1);
    assert_int_equal(ckg_problem_goal(NULL), -1);
    assert_int_equal(ckg_problem_designs(NULL), -1);
    assert_null(ckg_problem_design(NULL, 0));
    assert_int_equal(ckg_problem_noise(NULL, 0, NULL), -1);
    assert_int_equal(ckg_problem_limits(NULL, 0, NULL, NULL), CKG_ERR_NOT_FOUND);
    assert_int_equal(ckg_problem_check_design(NULL, NULL), CKG_ERR_INVALID);
    assert_int_equal(ckg_problem_check_measured(NULL, 0, NULL), CKG_ERR_INVALID);
    assert_int_equal(ckg_problem_feasible(NULL, 0, NULL), -1);
}

/* --- its rules --- */

static void test_designs(void **state)
{
    ckg_problem *p = new_problem();

    (void)state;
    must(ckg_problem_check_design(p, (const double[]){6, 1e-4, -3, 2}));
    REFUSED(ckg_problem_check_design(p, (const double[]){6.5, 1, 0, 0}), CKG_ERR_INVALID,
            "'x': 6.5 is outside");
    REFUSED(ckg_problem_check_design(p, (const double[]){0, NAN, 0, 0}), CKG_ERR_INVALID, "'temperature'");
    REFUSED(ckg_problem_check_design(p, (const double[]){0, 1, 0.5, 0}), CKG_ERR_INVALID, "not an integer");
    REFUSED(ckg_problem_check_design(p, (const double[]){0, 1, 0, 3}), CKG_ERR_INVALID, "'colour'");
    ckg_problem_free(p);
}

static void test_values(void **state)
{
    ckg_problem *p = new_problem();
    const ckg_measurement good[] = {{WEIGHT, 1e150, CKG_SD_DEFAULT}, {COST, -3, 0}};
    const ckg_measurement twice[] = {{WEIGHT, 1, 0}, {WEIGHT, 1, 0}};

    (void)state;
    must(ckg_problem_check_measured(p, 2, good));
    must(ckg_problem_check_measured(p, 0, NULL));
    REFUSED(ckg_problem_check_measured(p, 2, twice), CKG_ERR_INVALID, "'weight' is given twice");
    REFUSED(ckg_problem_check_measured(p, 1, &(ckg_measurement){3, 0, 0}), CKG_ERR_NOT_FOUND, "no outcome 3");
    REFUSED(ckg_problem_check_measured(p, 1, &(ckg_measurement){1, NAN, 0}), CKG_ERR_INVALID, "'strength'");
    REFUSED(ckg_problem_check_measured(p, 1, &(ckg_measurement){0, -1.1e150, 0}), CKG_ERR_INVALID, "1e150");
    REFUSED(ckg_problem_check_measured(p, 1, &(ckg_measurement){0, 1, -0.5}), CKG_ERR_INVALID,
            "standard deviation");
    ckg_problem_free(p);
}

/* Every one of as many outcomes as there may be is known from every other. */
static void test_many_values(void **state)
{
    ckg_measurement all[1 + CKG_MAX_CONSTRAINTS];
    ckg_problem *p;
    char name[16];

    (void)state;
    must(ckg_problem_new(&p));
    for (int j = 0; j <= CKG_MAX_CONSTRAINTS; j++) {
        snprintf(name, sizeof name, "c%d", j);
        if (j)
            must(ckg_problem_add_constraint(p, name, 0, INFINITY));
        all[j] = (ckg_measurement){j, j, 0};
    }
    must(ckg_problem_check_measured(p, 1 + CKG_MAX_CONSTRAINTS, all));
    assert_int_equal(ckg_problem_feasible(p, 1 + CKG_MAX_CONSTRAINTS, all), 1);
    assert_int_equal(ckg_problem_feasible(p, CKG_MAX_CONSTRAINTS, all), -1);

    all[3].outcome = CKG_MAX_CONSTRAINTS;
    REFUSED(ckg_problem_check_measured(p, 1 + CKG_MAX_CONSTRAINTS, all), CKG_ERR_INVALID,
            "'c200' is given twice");
    ckg_problem_free(p);
}

static void test_feasible(void **state)
{
    ckg_problem *p = new_problem();
    ckg_problem *free_of_limits;
    const ckg_measurement strong = {STRENGTH, 2, 0};
    const ckg_measurement weak = {STRENGTH, 1.999, 0};
    const ckg_measurement light = {WEIGHT, 5, 0};
    const ckg_measurement dear = {COST, 1e9, 0};

    (void)state;
    assert_int_equal(ckg_problem_feasible(p, 3, (const ckg_measurement[]){dear, strong, light}), 1);
    assert_int_equal(ckg_problem_feasible(p, 2, (const ckg_measurement[]){light, strong}), 1);
    assert_int_equal(ckg_problem_feasible(p, 2, (const ckg_measurement[]){light, dear}), -1);
    assert_int_equal(ckg_problem_feasible(p, 1, &weak), 0); /* the other one does not matter any more */
    assert_int_equal(ckg_problem_feasible(p, 1, &dear), -1);
    assert_int_equal(ckg_problem_feasible(p, 0, NULL), -1);
    assert_int_equal(ckg_problem_feasible(p, 1, &(ckg_measurement){OUTCOMES, 0, 0}), -1);

    must(ckg_problem_new(&free_of_limits));
    assert_int_equal(ckg_problem_feasible(free_of_limits, 1, &dear), 1);
    assert_int_equal(ckg_problem_feasible(free_of_limits, 0, &dear), -1);
    ckg_problem_free(free_of_limits);
    ckg_problem_free(p);
}

static void test_better(void **state)
{
    ckg_problem *p = new_problem();

    (void)state;
    assert_true(ckg_problem_better(p, 2, 1) && !ckg_problem_better(p, 1, 2) && !ckg_problem_better(p, 1, 1));
    assert_true(ckg_problem_better(p, -1e9, NAN) && !ckg_problem_better(p, NAN, -1e9));
    assert_false(ckg_problem_better(p, NAN, NAN));
    must(ckg_problem_set_objective(p, "cost", CKG_MINIMIZE));
    assert_true(ckg_problem_better(p, 1, 2) && !ckg_problem_better(p, 2, 1) && !ckg_problem_better(p, 1, 1));
    assert_false(ckg_problem_better(NULL, 1, 2));
    ckg_problem_free(p);
}

int main(void)
{
    return RUN_TESTS(test_what_was_set, test_an_equality, test_a_list, test_a_study_has_the_same,
                     test_what_is_not_there, test_no_problem, test_designs, test_values, test_many_values,
                     test_feasible, test_better);
}

/*
 * Problems: what was described is what is there, the unit cube and back, the lattice's numbering and shares,
 * and every way to describe a problem wrongly: its status, its message, and that nothing changes.
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

#include "base/alloc.h"
#include "base/rng.h"
#include "problem/problem.h"
#include "support/near.h"
#include "support/test.h"

static const char *const colours[] = {"red", "green", "blue"};

enum { X, TEMPERATURE, STEPS, COLOUR, PARAMETERS };

static ckg_problem *new_problem(void)
{
    ckg_problem *p = NULL;

    assert_int_equal(ckg_problem_new(&p), CKG_OK);
    return p;
}

/* One parameter of each kind, and two constraints. */
static ckg_problem *make(void)
{
    ckg_problem *p = new_problem();

    assert_int_equal(ckg_problem_add_real(p, "x", -2, 6, CKG_LINEAR), CKG_OK);
    assert_int_equal(ckg_problem_add_real(p, "temperature", 1e-4, 1e3, CKG_LOG), CKG_OK);
    assert_int_equal(ckg_problem_add_integer(p, "steps", -3, 7), CKG_OK);
    assert_int_equal(ckg_problem_add_categorical(p, "colour", 3, colours), CKG_OK);
    assert_int_equal(ckg_problem_set_objective(p, "cost", CKG_MAXIMIZE), CKG_OK);
    assert_int_equal(ckg_problem_add_constraint(p, "strength", 2, INFINITY), CKG_OK);
    assert_int_equal(ckg_problem_add_constraint(p, "weight", -1, 5), CKG_OK);
    return p;
}

/* A problem of whole numbers alone: 4 × 3 × 2 designs. */
static ckg_problem *make_lattice(void)
{
    ckg_problem *p = new_problem();

    assert_int_equal(ckg_problem_add_integer(p, "i", -1, 2), CKG_OK);
    assert_int_equal(ckg_problem_add_categorical(p, "colour", 3, colours), CKG_OK);
    assert_int_equal(ckg_problem_add_integer(p, "k", 10, 11), CKG_OK);
    return p;
}

/* --- what was described --- */

static void check_description(const ckg_problem *p)
{
    static const char *const names[] = {"x", "temperature", "steps", "colour"};
    static const int kinds[] = {CKG_REAL, CKG_REAL, CKG_INTEGER, CKG_CATEGORICAL};

    assert_int_equal(ckg_problem_dimension(p), PARAMETERS);
    assert_int_equal(ckg_problem_constraints(p), 2);
    for (int i = 0; i < PARAMETERS; i++) {
        assert_string_equal(ckg_problem_parameter_name(p, i), names[i]);
        assert_int_equal(ckg_problem_parameter_kind(p, i), kinds[i]);
    }
    for (int v = 0; v < 3; v++)
        assert_string_equal(ckg_problem_category(p, COLOUR, v), colours[v]);
    assert_string_equal(ckg_problem_outcome_name(p, 0), "cost");
    assert_int_equal(ckg_problem_outcome_find(p, "cost"), 0);
    assert_int_equal(ckg_problem_outcome_find(p, "weight"), 2);
    assert_int_equal(p->goal, CKG_MAXIMIZE);
    assert_true(p->outcome[1].min == 2 && p->outcome[1].max == INFINITY && p->outcome[2].min == -1 &&
                p->outcome[2].max == 5);
    assert_int_equal(p->D, 6);
}

static void test_description(void **state)
{
    ckg_problem *p = make();

    (void)state;
    check_description(p);
    assert_string_equal(ckg_error_message(), "");
    ckg_problem_free(p);
    ckg_problem_free(NULL);
}

static void test_indices_out_of_range(void **state)
{
    ckg_problem *p = make();

    (void)state;
    for (int i = -1; i <= PARAMETERS; i += PARAMETERS + 1) {
        assert_null(ckg_problem_parameter_name(p, i));
        assert_int_equal(ckg_problem_parameter_kind(p, i), -1);
        assert_null(ckg_problem_category(p, i, 0));
        assert_null(ckg_problem_category(p, COLOUR, i));
        assert_null(ckg_problem_outcome_name(p, i));
    }
    assert_null(ckg_problem_category(p, X, 0));
    assert_int_equal(ckg_problem_outcome_find(p, "Cost"), -1);
    assert_int_equal(ckg_problem_outcome_find(p, NULL), -1);
    assert_int_equal(ckg_problem_outcome_find(NULL, "cost"), -1);
    assert_int_equal(ckg_problem_dimension(NULL), -1);
    assert_int_equal(ckg_problem_constraints(NULL), -1);
    assert_null(ckg_problem_parameter_name(NULL, 0));
    assert_null(ckg_problem_outcome_name(NULL, 0));
    ckg_problem_free(p);
}

static void test_defaults(void **state)
{
    ckg_problem *p = new_problem();

    (void)state;
    assert_int_equal(ckg_problem_dimension(p), 0);
    assert_int_equal(ckg_problem_constraints(p), 0);
    assert_string_equal(ckg_problem_outcome_name(p, 0), "objective");
    assert_true(p->goal == CKG_MINIMIZE && p->outcome[0].noise == CKG_NOISE_AUTO);
    ckg_problem_free(p);
}

static void test_noise(void **state)
{
    ckg_problem *p = make();

    (void)state;
    assert_int_equal(ckg_problem_set_noise(p, "weight", CKG_NOISE_KNOWN, 0.25), CKG_OK);
    assert_true(p->outcome[2].noise == CKG_NOISE_KNOWN && p->outcome[2].noise_sd == 0.25);
    assert_int_equal(ckg_problem_set_noise(p, "weight", CKG_NOISE_NONE, NAN), CKG_OK); /* sd is not read */
    assert_true(p->outcome[2].noise == CKG_NOISE_NONE && p->outcome[2].noise_sd == 0);
    assert_true(p->outcome[0].noise == CKG_NOISE_AUTO && p->outcome[1].noise == CKG_NOISE_AUTO);
    ckg_problem_free(p);
}

static void test_copy(void **state)
{
    const double list[] = {0, 1, 3, 1, -2, 1e-4, -3, 0};
    ckg_problem *p = make(), *copy;

    (void)state;
    assert_int_equal(ckg_problem_set_noise(p, "cost", CKG_NOISE_KNOWN, 0.5), CKG_OK);
    assert_int_equal(ckg_problem_set_designs(p, 2, list), CKG_OK);
    assert_int_equal(ckg__problem_copy(&copy, p), CKG_OK);
    ckg_problem_free(p);
    check_description(copy);
    assert_true(copy->outcome[0].noise == CKG_NOISE_KNOWN && copy->outcome[0].noise_sd == 0.5);
    assert_int_equal(copy->designs, 2);
    assert_memory_equal(copy->X, list, sizeof list);
    ckg_problem_free(copy);
}

/* --- the unit cube --- */

static void check_round_trip(const ckg_problem *p, const double *x)
{
    double u[6], back[PARAMETERS];

    assert_int_equal(ckg__problem_check_design(p, x), CKG_OK);
    ckg__problem_to_unit(p, x, u);
    for (int k = 0; k < 6; k++)
        assert_true(u[k] >= 0 && u[k] <= 1);
    ckg__problem_from_unit(p, u, back);
    assert_int_equal(ckg__problem_check_design(p, back), CKG_OK);
    assert_near(back[X], x[X], 1e-15 * 8);
    assert_near(back[TEMPERATURE], x[TEMPERATURE], 2e-14 * x[TEMPERATURE]);
    assert_true(back[STEPS] == x[STEPS] && back[COLOUR] == x[COLOUR]);
}

static void test_round_trip(void **state)
{
    ckg_problem *p = make();

    (void)state;
    for (int i = 0; i <= 200; i++) {
        const double t = i / 200.0;
        const double x[] = {i == 200 ? 6 : -2 + 8 * t, i == 200 ? 1e3 : 1e-4 * pow(1e7, t), -3 + i % 11,
                            i % 3};
        check_round_trip(p, x);
    }
    ckg_problem_free(p);
}

/*
 * The ends of a range go to 0 and 1 and come back as the same numbers; the middle of a log scale is the
 * geometric mean.
 */
static void test_ends_and_middle(void **state)
{
    ckg_problem *p = make();
    const double low[] = {-2, 1e-4, -3, 0}, high[] = {6, 1e3, 7, 2},
                 middle[] = {2, 0.31622776601683794, 2, 1};
    double u[6], back[PARAMETERS];

    (void)state;
    ckg__problem_to_unit(p, low, u);
    assert_true(u[0] == 0 && u[1] == 0 && u[2] == 0);
    ckg__problem_from_unit(p, u, back);
    assert_memory_equal(back, low, sizeof back);
    ckg__problem_to_unit(p, high, u);
    assert_true(u[0] == 1 && u[1] == 1 && u[2] == 1);
    ckg__problem_from_unit(p, u, back);
    assert_memory_equal(back, high, sizeof back);
    ckg__problem_to_unit(p, middle, u);
    for (int k = 0; k < 3; k++)
        assert_near(u[k], 0.5, 1e-15);
    ckg_problem_free(p);
}

/* Different categories are at distance 1, whichever they are. */
static void test_categories_are_at_distance_one(void **state)
{
    ckg_problem *p = make();

    (void)state;
    for (int v = 0; v < 3; v++)
        for (int w = 0; w < 3; w++) {
            const double x[] = {0, 1, 0, v}, y[] = {0, 1, 0, w};
            double u[6], t[6], square = 0;
            ckg__problem_to_unit(p, x, u);
            ckg__problem_to_unit(p, y, t);
            for (int k = 0; k < 6; k++)
                square += (u[k] - t[k]) * (u[k] - t[k]);
            assert_near(square, v != w, 1e-15);
        }
    ckg_problem_free(p);
}

/* Any point of the space, also outside the cube, becomes a valid design: the nearest. */
static void test_from_unit_is_nearest(void **state)
{
    static const struct {
        double u[6], x[PARAMETERS];
    } cases[] = {
        {{0.25, 0, 0.149, 0.1, 0.3, 0.2}, {0, 1e-4, -2, 1}},
        {{-3, -1, -0.5, -0.1, -0.3, -0.2}, {-2, 1e-4, -3, 0}},
        {{1.5, 2, 1.04, 0.7, 0.7, 0.8}, {6, 1e3, 7, 2}},
        {{0.5, 1, 0.96, 0, 0, 0}, {2, 1e3, 7, 0}},
    };
    ckg_problem *p = make();

    (void)state;
    for (int i = 0; i < 4; i++) {
        double x[PARAMETERS];
        ckg__problem_from_unit(p, cases[i].u, x);
        for (int k = 0; k < PARAMETERS; k++)
            assert_near(x[k], cases[i].x[k], 1e-15 * fabs(cases[i].x[k]));
    }
    ckg_problem_free(p);
}

/* A log scale over more decades than a double's quotient holds. */
static void test_widest_log_scale(void **state)
{
    ckg_problem *p = new_problem();

    (void)state;
    assert_int_equal(ckg_problem_add_real(p, "x", 1e-200, 1e200, CKG_LOG), CKG_OK);
    for (int decade = -200; decade <= 200; decade += 50) {
        const double x = pow(10, decade);
        double u, back;
        ckg__problem_to_unit(p, &x, &u);
        assert_near(u, (decade + 200) / 400.0, 1e-14);
        ckg__problem_from_unit(p, &u, &back);
        assert_near(back, x, 1e-11 * x);
    }
    ckg_problem_free(p);
}

static void test_free_box(void **state)
{
    ckg_problem *p = make();
    const double x[] = {1, 10, 2, 1}, list[] = {1, 10, 2, 1};
    double u[6], lower[6], upper[6];

    (void)state;
    ckg__problem_to_unit(p, x, u);
    ckg__problem_free_box(p, u, lower, upper);
    for (int k = 0; k < 6; k++)
        assert_true(k < 2 ? lower[k] == 0 && upper[k] == 1 : lower[k] == u[k] && upper[k] == u[k]);
    assert_true(ckg__problem_has_reals(p));
    assert_int_equal(ckg_problem_set_designs(p, 1, list), CKG_OK);
    ckg__problem_free_box(p, u, lower, upper);
    assert_true(lower[0] == u[0] && upper[1] == u[1]);
    assert_false(ckg__problem_has_reals(p));
    ckg_problem_free(p);
}

/* --- lattice and list --- */

static void test_from_cube_gives_equal_shares(void **state)
{
    enum { STEPS_PER_AXIS = 24 };
    ckg_problem *p = make_lattice();
    int seen[4][3][2] = {{{0}}};

    (void)state;
    for (int i = 0; i < STEPS_PER_AXIS * STEPS_PER_AXIS * STEPS_PER_AXIS; i++) {
        const int at[3] = {i % STEPS_PER_AXIS, i / STEPS_PER_AXIS % STEPS_PER_AXIS,
                           i / STEPS_PER_AXIS / STEPS_PER_AXIS};
        double c[3], u[5], x[3], again[5];
        for (int k = 0; k < 3; k++)
            c[k] = (at[k] + 0.5) / STEPS_PER_AXIS;
        ckg__problem_from_cube(p, c, u);
        ckg__problem_from_unit(p, u, x);
        assert_int_equal(ckg__problem_check_design(p, x), CKG_OK);
        ckg__problem_to_unit(p, x, again);
        assert_memory_equal(u, again, sizeof u); /* it was on the lattice */
        seen[(int)x[0] + 1][(int)x[1]][(int)x[2] - 10]++;
    }
    for (int i = 0; i < 24; i++)
        assert_int_equal((&seen[0][0][0])[i], STEPS_PER_AXIS * STEPS_PER_AXIS * STEPS_PER_AXIS / 24);
    ckg_problem_free(p);
}

static void test_from_cube_leaves_reals_and_ends(void **state)
{
    ckg_problem *p = make();
    const double first[] = {0.3, 0.9, 1e-300, 1e-300}, last[] = {0.3, 0.9, 1 - 0x1p-53, 1 - 0x1p-53};
    double u[6], x[PARAMETERS];

    (void)state;
    ckg__problem_from_cube(p, first, u);
    assert_true(u[0] == 0.3 && u[1] == 0.9);
    ckg__problem_from_unit(p, u, x);
    assert_true(x[STEPS] == -3 && x[COLOUR] == 0);
    ckg__problem_from_cube(p, last, u);
    ckg__problem_from_unit(p, u, x);
    assert_true(x[STEPS] == 7 && x[COLOUR] == 2);
    ckg_problem_free(p);
}

static void test_numbering(void **state)
{
    ckg_problem *p = make_lattice();
    int seen[4][3][2] = {{{0}}};

    (void)state;
    assert_true(ckg__problem_size(p) == 24);
    for (int i = 0; i < 24; i++) {
        double x[3];
        ckg__problem_number(p, i, x);
        assert_int_equal(ckg__problem_check_design(p, x), CKG_OK);
        assert_int_equal(seen[(int)x[0] + 1][(int)x[1]][(int)x[2] - 10]++, 0);
    }
    ckg_problem_free(p);
}

static void test_size(void **state)
{
    ckg_problem *p = make(), *large = new_problem();
    double x[2];

    (void)state;
    assert_true(ckg__problem_size(p) == 0);
    assert_int_equal(ckg_problem_add_integer(large, "i", 1, 0x1p32), CKG_OK);
    assert_int_equal(ckg_problem_add_integer(large, "k", 1, 0x1p21), CKG_OK);
    assert_true(ckg__problem_size(large) == 0x1p53);
    ckg__problem_number(large, 0x1p53 - 1, x);
    assert_true(x[0] == 0x1p32 && x[1] == 0x1p21);
    ckg__problem_number(large, 0x1p32 * 12345 - 1, x);
    assert_true(x[0] == 0x1p32 && x[1] == 12345);
    assert_int_equal(ckg_problem_add_integer(large, "j", 0, 1), CKG_OK);
    assert_true(ckg__problem_size(large) == 0); /* more than can be numbered */
    ckg_problem_free(p);
    ckg_problem_free(large);
}

static void test_list(void **state)
{
    const double list[] = {0, 1, 3, 1, -2, 1e-4, -3, 0, 0, 1, 3, 1, 6, 1e3, 7, 2};
    ckg_problem *p = make();
    double x[PARAMETERS], u[6];

    (void)state;
    assert_int_equal(ckg_problem_set_designs(p, 4, list), CKG_OK);
    assert_true(ckg__problem_size(p) == 3); /* the third is the first again */
    for (int i = 0; i < 3; i++) {
        const double *want = list + (i == 2 ? 12 : 4 * i);
        const double cube[PARAMETERS] = {(i + 0.5) / 3, 0.2, 0.9, 0.4};
        double place[6];

        ckg__problem_number(p, i, x);
        assert_memory_equal(x, want, sizeof x);
        ckg__problem_to_unit(p, want, u);
        ckg__problem_numbered(p, i, place);
        assert_memory_equal(place, u, sizeof u);
        ckg__problem_from_cube(p, cube, place); /* by its first coordinate */
        assert_memory_equal(place, u, sizeof u);
        for (int k = 0; k < 6; k++)
            u[k] += k % 2 ? 0.05 : -0.05;
        ckg__problem_from_unit(p, u, x);
        assert_memory_equal(x, want, sizeof x); /* the nearest of the list */
    }
    assert_int_equal(ckg_problem_set_designs(p, 1, list + 12), CKG_OK); /* another list replaces it */
    assert_true(ckg__problem_size(p) == 1);
    ckg_problem_free(p);
}

/* Zero has two signs and is one number. */
static void test_list_with_both_zeros(void **state)
{
    const double list[] = {0.0, -0.0, 0.5};
    ckg_problem *p = new_problem();

    (void)state;
    assert_int_equal(ckg_problem_add_real(p, "x", -1, 1, CKG_LINEAR), CKG_OK);
    assert_int_equal(ckg_problem_set_designs(p, 3, list), CKG_OK);
    assert_true(ckg__problem_size(p) == 2);
    ckg_problem_free(p);
}

/* --- errors --- */

/* What must stay as it was. */
struct snapshot {
    ckg_problem problem;
    struct ckg__parameter parameters[CKG_MAX_PARAMETERS];
};

static void take(struct snapshot *s, const ckg_problem *p)
{
    memset(s, 0, sizeof *s);
    memcpy(&s->problem, p, sizeof *p);
    memcpy(s->parameters, p->parameters, (size_t)p->d * sizeof *p->parameters);
}

/* The call failed with this status and a message that holds `culprit`, and changed nothing. */
static void check_failure(const ckg_problem *p, const struct snapshot *before, int got, int want,
                          const char *culprit)
{
    struct snapshot after;

    assert_int_equal(got, want);
    if (!strstr(ckg_error_message(), culprit))
        fail_msg("'%s' does not name '%s'", ckg_error_message(), culprit);
    assert_null(strchr(ckg_error_message(), '\n'));
    if (!p)
        return;
    take(&after, p);
    assert_memory_equal(&after, before, sizeof after);
}

#define FAILS(call, status, culprit)                                                                         \
    do {                                                                                                     \
        take(&before, p);                                                                                    \
        check_failure(p, &before, (call), (status), (culprit));                                              \
    } while (0)

static struct snapshot before;

static void test_wrong_reals(void **state)
{
    ckg_problem *p = make();

    (void)state;
    FAILS(ckg_problem_add_real(p, "y", 1, 1, CKG_LINEAR), CKG_ERR_INVALID, "'y'");
    FAILS(ckg_problem_add_real(p, "y", 2, 1, CKG_LINEAR), CKG_ERR_INVALID, "'y'");
    FAILS(ckg_problem_add_real(p, "y", NAN, 1, CKG_LINEAR), CKG_ERR_INVALID, "'y'");
    FAILS(ckg_problem_add_real(p, "y", 0, NAN, CKG_LINEAR), CKG_ERR_INVALID, "'y'");
    FAILS(ckg_problem_add_real(p, "y", 0, INFINITY, CKG_LINEAR), CKG_ERR_INVALID, "'y'");
    FAILS(ckg_problem_add_real(p, "y", -INFINITY, 0, CKG_LINEAR), CKG_ERR_INVALID, "'y'");
    FAILS(ckg_problem_add_real(p, "y", -1.7e308, 1.7e308, CKG_LINEAR), CKG_ERR_INVALID, "'y'");
    FAILS(ckg_problem_add_real(p, "y", 0, 1, CKG_LOG), CKG_ERR_INVALID, "'y'");
    FAILS(ckg_problem_add_real(p, "y", -1, 1, CKG_LOG), CKG_ERR_INVALID, "'y'");
    FAILS(ckg_problem_add_real(p, "y", 0, 1, (enum ckg_scale)7), CKG_ERR_INVALID, "'y'");
    FAILS(ckg_problem_add_real(p, "steps", 0, 1, CKG_LINEAR), CKG_ERR_INVALID, "'steps'");
    FAILS(ckg_problem_add_real(p, "", 0, 1, CKG_LINEAR), CKG_ERR_INVALID, "name");
    FAILS(ckg_problem_add_real(p, NULL, 0, 1, CKG_LINEAR), CKG_ERR_INVALID, "name");
    check_failure(NULL, NULL, ckg_problem_add_real(NULL, "y", 0, 1, CKG_LINEAR), CKG_ERR_INVALID, "NULL");
    ckg_problem_free(p);
}

static void test_wrong_integers(void **state)
{
    ckg_problem *p = make();

    (void)state;
    FAILS(ckg_problem_add_integer(p, "i", 0.5, 3), CKG_ERR_INVALID, "'i'");
    FAILS(ckg_problem_add_integer(p, "i", 0, 3.5), CKG_ERR_INVALID, "'i'");
    FAILS(ckg_problem_add_integer(p, "i", 3, 3), CKG_ERR_INVALID, "'i'");
    FAILS(ckg_problem_add_integer(p, "i", 0, 0x1p54), CKG_ERR_INVALID, "'i'");
    FAILS(ckg_problem_add_integer(p, "i", -0x1p54, 0), CKG_ERR_INVALID, "'i'");
    FAILS(ckg_problem_add_integer(p, "i", NAN, 3), CKG_ERR_INVALID, "'i'");
    FAILS(ckg_problem_add_integer(p, "i", 0, INFINITY), CKG_ERR_INVALID, "'i'");
    FAILS(ckg_problem_add_integer(p, "x", 0, 3), CKG_ERR_INVALID, "'x'");
    FAILS(ckg_problem_add_integer(p, NULL, 0, 3), CKG_ERR_INVALID, "name");
    check_failure(NULL, NULL, ckg_problem_add_integer(NULL, "i", 0, 1), CKG_ERR_INVALID, "NULL");
    assert_int_equal(ckg_problem_add_integer(p, "i", -0x1p53, 0x1p53), CKG_OK);
    ckg_problem_free(p);
}

static void test_wrong_categoricals(void **state)
{
    const char *const twice[] = {"a", "b", "a"}, *const missing[] = {"a", NULL, "b"};
    const char *many[CKG_MAX_CATEGORIES + 1];
    char names[CKG_MAX_CATEGORIES + 1][16];
    ckg_problem *p = make();

    (void)state;
    for (int v = 0; v <= CKG_MAX_CATEGORIES; v++) {
        snprintf(names[v], sizeof names[v], "v%d", v);
        many[v] = names[v];
    }
    FAILS(ckg_problem_add_categorical(p, "c", 1, colours), CKG_ERR_INVALID, "'c'");
    FAILS(ckg_problem_add_categorical(p, "c", -1, colours), CKG_ERR_INVALID, "'c'");
    FAILS(ckg_problem_add_categorical(p, "c", CKG_MAX_CATEGORIES + 1, many), CKG_ERR_INVALID, "'c'");
    FAILS(ckg_problem_add_categorical(p, "c", 3, NULL), CKG_ERR_INVALID, "'c'");
    FAILS(ckg_problem_add_categorical(p, "c", 3, twice), CKG_ERR_INVALID, "'a'");
    FAILS(ckg_problem_add_categorical(p, "c", 3, missing), CKG_ERR_INVALID, "'c'");
    FAILS(ckg_problem_add_categorical(p, "colour", 3, colours), CKG_ERR_INVALID, "'colour'");
    FAILS(ckg_problem_add_categorical(p, "", 3, colours), CKG_ERR_INVALID, "name");
    check_failure(NULL, NULL, ckg_problem_add_categorical(NULL, "c", 3, colours), CKG_ERR_INVALID, "NULL");
    assert_int_equal(ckg_problem_add_categorical(p, "c", CKG_MAX_CATEGORIES, many), CKG_OK);
    ckg_problem_free(p);
}

static void test_too_many_parameters(void **state)
{
    ckg_problem *p = new_problem();
    char name[16];

    (void)state;
    for (int i = 0; i < CKG_MAX_PARAMETERS; i++) {
        snprintf(name, sizeof name, "p%d", i);
        assert_int_equal(ckg_problem_add_real(p, name, 0, 1, CKG_LINEAR), CKG_OK);
    }
    FAILS(ckg_problem_add_real(p, "over", 0, 1, CKG_LINEAR), CKG_ERR_INVALID, "'over'");
    ckg_problem_free(p);
}

static void test_wrong_lists(void **state)
{
    static const double good[] = {0, 1, 3, 1};
    static const struct {
        double x[PARAMETERS];
        const char *culprit;
    } bad[] = {
        {{-2.1, 1, 0, 0}, "'x'"},     {{6.1, 1, 0, 0}, "'x'"},         {{NAN, 1, 0, 0}, "'x'"},
        {{INFINITY, 1, 0, 0}, "'x'"}, {{0, 0, 0, 0}, "'temperature'"}, {{0, 1, 0.5, 0}, "'steps'"},
        {{0, 1, 8, 0}, "'steps'"},    {{0, 1, -4, 0}, "'steps'"},      {{0, 1, 0, 3}, "'colour'"},
        {{0, 1, 0, -1}, "'colour'"},  {{0, 1, 0, 1.5}, "'colour'"},
    };
    ckg_problem *p = make(), *empty = new_problem();

    (void)state;
    assert_int_equal(ckg_problem_set_designs(empty, 1, good), CKG_ERR_STATE);
    FAILS(ckg_problem_set_designs(p, 0, good), CKG_ERR_INVALID, "design");
    FAILS(ckg_problem_set_designs(p, -1, good), CKG_ERR_INVALID, "design");
    FAILS(ckg_problem_set_designs(p, 1, NULL), CKG_ERR_INVALID, "design");
    check_failure(NULL, NULL, ckg_problem_set_designs(NULL, 1, good), CKG_ERR_INVALID, "problem");
    assert_int_equal(ckg_problem_set_designs(p, 1, good), CKG_OK);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        double list[2 * PARAMETERS];
        memcpy(list, good, sizeof good);
        memcpy(list + PARAMETERS, bad[i].x, sizeof bad[i].x);
        FAILS(ckg_problem_set_designs(p, 2, list), CKG_ERR_INVALID, bad[i].culprit);
        FAILS(ckg__problem_check_design(p, bad[i].x), CKG_ERR_INVALID, bad[i].culprit);
    }
    FAILS(ckg_problem_add_real(p, "y", 0, 1, CKG_LINEAR), CKG_ERR_STATE, "'y'");
    FAILS(ckg_problem_add_integer(p, "y", 0, 1), CKG_ERR_STATE, "'y'");
    FAILS(ckg_problem_add_categorical(p, "y", 3, colours), CKG_ERR_STATE, "'y'");
    ckg_problem_free(empty);
    ckg_problem_free(p);
}

static void test_wrong_objectives(void **state)
{
    ckg_problem *p = make();

    (void)state;
    FAILS(ckg_problem_set_objective(p, "", CKG_MINIMIZE), CKG_ERR_INVALID, "name");
    FAILS(ckg_problem_set_objective(p, NULL, CKG_MINIMIZE), CKG_ERR_INVALID, "name");
    FAILS(ckg_problem_set_objective(p, "weight", CKG_MINIMIZE), CKG_ERR_INVALID, "'weight'");
    FAILS(ckg_problem_set_objective(p, "loss", (enum ckg_goal)5), CKG_ERR_INVALID, "'loss'");
    check_failure(NULL, NULL, ckg_problem_set_objective(NULL, "loss", CKG_MINIMIZE), CKG_ERR_INVALID,
                  "problem");
    assert_int_equal(ckg_problem_set_objective(p, "cost", CKG_MINIMIZE), CKG_OK); /* its own name is free */
    ckg_problem_free(p);
}

static void test_wrong_constraints(void **state)
{
    ckg_problem *p = make();
    char name[16];

    (void)state;
    FAILS(ckg_problem_add_constraint(p, "c", -INFINITY, INFINITY), CKG_ERR_INVALID, "'c'");
    FAILS(ckg_problem_add_constraint(p, "c", INFINITY, INFINITY), CKG_ERR_INVALID, "'c'");
    FAILS(ckg_problem_add_constraint(p, "c", 0, -INFINITY), CKG_ERR_INVALID, "'c'");
    FAILS(ckg_problem_add_constraint(p, "c", NAN, 1), CKG_ERR_INVALID, "'c'");
    FAILS(ckg_problem_add_constraint(p, "c", 1, NAN), CKG_ERR_INVALID, "'c'");
    FAILS(ckg_problem_add_constraint(p, "c", 1, 1), CKG_ERR_INVALID, "'c'");
    FAILS(ckg_problem_add_constraint(p, "c", 2, 1), CKG_ERR_INVALID, "'c'");
    FAILS(ckg_problem_add_equality(p, "c", NAN, 1), CKG_ERR_INVALID, "'c'");
    FAILS(ckg_problem_add_equality(p, "c", INFINITY, 1), CKG_ERR_INVALID, "'c'");
    FAILS(ckg_problem_add_equality(p, "c", 1, 0), CKG_ERR_INVALID, "tolerance must be above 0");
    FAILS(ckg_problem_add_equality(p, "c", 1, -1), CKG_ERR_INVALID, "tolerance must be above 0");
    FAILS(ckg_problem_add_equality(p, "c", 1, NAN), CKG_ERR_INVALID, "tolerance must be above 0");
    FAILS(ckg_problem_add_equality(p, "c", 1, INFINITY), CKG_ERR_INVALID, "tolerance must be above 0");
    FAILS(ckg_problem_add_equality(p, "c", 1, 1e-17), CKG_ERR_INVALID, "lost in the digits");
    FAILS(ckg_problem_add_equality(p, "weight", 1, 1), CKG_ERR_INVALID, "'weight'");
    FAILS(ckg_problem_add_constraint(p, "cost", 0, 1), CKG_ERR_INVALID, "'cost'");
    FAILS(ckg_problem_add_constraint(p, "weight", 0, 1), CKG_ERR_INVALID, "'weight'");
    FAILS(ckg_problem_add_constraint(p, "", 0, 1), CKG_ERR_INVALID, "name");
    FAILS(ckg_problem_add_constraint(p, NULL, 0, 1), CKG_ERR_INVALID, "name");
    check_failure(NULL, NULL, ckg_problem_add_constraint(NULL, "c", 0, 1), CKG_ERR_INVALID, "problem");
    for (int j = 2; j < CKG_MAX_CONSTRAINTS; j++) {
        snprintf(name, sizeof name, "c%d", j);
        assert_int_equal(ckg_problem_add_constraint(p, name, 0, 1), CKG_OK);
    }
    FAILS(ckg_problem_add_constraint(p, "over", 0, 1), CKG_ERR_INVALID, "'over'");
    FAILS(ckg_problem_add_equality(p, "over", 0, 1), CKG_ERR_INVALID, "'over'");
    ckg_problem_free(p);
}

static void test_wrong_noise(void **state)
{
    ckg_problem *p = make();

    (void)state;
    assert_int_equal(ckg_problem_set_noise(p, "cost", CKG_NOISE_KNOWN, 0.5), CKG_OK);
    FAILS(ckg_problem_set_noise(p, "heat", CKG_NOISE_NONE, 0), CKG_ERR_NOT_FOUND, "'heat'");
    FAILS(ckg_problem_set_noise(p, NULL, CKG_NOISE_NONE, 0), CKG_ERR_NOT_FOUND, "null");
    FAILS(ckg_problem_set_noise(p, "cost", CKG_NOISE_KNOWN, 0), CKG_ERR_INVALID, "'cost'");
    FAILS(ckg_problem_set_noise(p, "cost", CKG_NOISE_KNOWN, -1), CKG_ERR_INVALID, "'cost'");
    FAILS(ckg_problem_set_noise(p, "cost", CKG_NOISE_KNOWN, NAN), CKG_ERR_INVALID, "'cost'");
    FAILS(ckg_problem_set_noise(p, "cost", CKG_NOISE_KNOWN, INFINITY), CKG_ERR_INVALID, "'cost'");
    FAILS(ckg_problem_set_noise(p, "cost", (enum ckg_noise)9, 1), CKG_ERR_INVALID, "'cost'");
    assert_true(ckg_problem_set_noise(NULL, "cost", CKG_NOISE_NONE, 0) < 0);
    ckg_problem_free(p);
}

static void test_new_without_a_place(void **state)
{
    (void)state;
    check_failure(NULL, NULL, ckg_problem_new(NULL), CKG_ERR_INVALID, "out");
}

/* --- no memory --- */

static int fail_at, calls;

static int fail_once(size_t bytes, void *context)
{
    (void)bytes;
    (void)context;
    return calls++ != fail_at;
}

/*
 * Runs a call with its first, second, … allocation failing until it succeeds; *p stays as it was until then.
 */
static void exhaust(ckg_problem *p, int (*call)(ckg_problem *p))
{
    int status = CKG_ERR_NOMEM;

    for (fail_at = 0; status; fail_at++) {
        assert_true(fail_at < 100);
        take(&before, p);
        calls = 0;
        ckg__alloc_set_hook(fail_once, NULL);
        status = call(p);
        ckg__alloc_set_hook(NULL, NULL);
        if (status)
            check_failure(p, &before, status, CKG_ERR_NOMEM, "memory");
    }
    assert_true(fail_at > 1);
}

static int call_add_real(ckg_problem *p)
{
    return ckg_problem_add_real(p, "y", 0, 1, CKG_LINEAR);
}

static int call_add_categorical(ckg_problem *p)
{
    return ckg_problem_add_categorical(p, "taste", 3, colours);
}

static int call_set_designs(ckg_problem *p)
{
    static const double list[] = {0, 1, 3, 1, 0.5, 2};

    return ckg_problem_set_designs(p, 1, list);
}

static int call_set_objective(ckg_problem *p)
{
    return ckg_problem_set_objective(p, "loss", CKG_MINIMIZE);
}

static int call_add_constraint(ckg_problem *p)
{
    return ckg_problem_add_constraint(p, "heat", 0, 1);
}

static int call_copy(ckg_problem *p)
{
    ckg_problem *copy;
    const int status = ckg__problem_copy(&copy, p);

    assert_true((status == CKG_OK) == (copy != NULL));
    ckg_problem_free(copy);
    return status;
}

static int call_new(ckg_problem *p)
{
    ckg_problem *other;
    const int status = ckg_problem_new(&other);

    (void)p;
    assert_true((status == CKG_OK) == (other != NULL));
    ckg_problem_free(other);
    return status;
}

static void test_no_memory(void **state)
{
    int (*const steps[])(ckg_problem * p) = {call_new,         call_add_real,      call_add_categorical,
                                             call_set_designs, call_set_objective, call_add_constraint,
                                             call_copy};
    ckg_problem *p = make();

    (void)state;
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++)
        exhaust(p, steps[i]);
    ckg_problem_free(p);
}

int main(void)
{
    return RUN_TESTS(test_description, test_indices_out_of_range, test_defaults, test_noise, test_copy,
                     test_round_trip, test_ends_and_middle, test_categories_are_at_distance_one,
                     test_from_unit_is_nearest, test_widest_log_scale, test_free_box,
                     test_from_cube_gives_equal_shares, test_from_cube_leaves_reals_and_ends, test_numbering,
                     test_size, test_list, test_list_with_both_zeros, test_wrong_reals, test_wrong_integers,
                     test_wrong_categoricals, test_too_many_parameters, test_wrong_lists,
                     test_wrong_objectives, test_wrong_constraints, test_wrong_noise,
                     test_new_without_a_place, test_no_memory);
}

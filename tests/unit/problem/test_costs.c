/*
 * Outcomes that are measured one at a time: costs and groups as described, what can be measured apart, what
 * that costs, and every way to describe it wrongly.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "problem/problem.h"
#include "problem/measurement_sets.h"
#include "support/studies.h"
#include "support/test.h"

/* f and c0 … c3. */
static ckg_problem *make(void)
{
    ckg_problem *p = box_problem(1, 0, 1, 4, 0);

    must(ckg_problem_set_objective(p, "f", CKG_MINIMIZE));
    return p;
}

static void assert_refused(int status, int wanted, const char *part)
{
    assert_int_equal(status, wanted);
    if (!strstr(ckg_error_message(), part))
        fail_msg("'%s' does not say '%s'", ckg_error_message(), part);
}

/* Without costs and groups there is one unit: everything. */
static void test_together(void **state)
{
    ckg_problem *p = make();
    (void)state;

    assert_int_equal(ckg_problem_separate(p), 0);
    assert_int_equal(ckg__problem_units(p), 1);
    const struct ckg__set all = ckg__problem_unit(p, 0);
    for (int j = 0; j < 5; j++)
        assert_true(ckg__set_has(&all, j));
    assert_int_equal(ckg_problem_groups(p), 0);
    assert_int_equal(ckg_problem_group(p, 1), -1);
    ckg_problem_free(p);
}

static void test_apart(void **state)
{
    static const char *const group[] = {"c2", "f"};
    ckg_problem *p = make();
    ckg_problem *copy;
    (void)state;

    must(ckg_problem_set_cost(p, "f", 10));
    must(ckg_problem_set_cost(p, "c2", 0));
    must(ckg_problem_set_cost(p, "c0", 0.25));
    must(ckg_problem_add_group(p, 2, group));
    must(ckg__problem_copy(&copy, p));
    for (int i = 0; i < 2; i++, p = copy) {
        /* f with c2, then c0, c1 and c3; what has no cost of its own costs 1. */
        static const int unit_of[] = {0, 1, 2, 0, 3};
        static const double price[] = {10, 0.25, 1, 1};
        assert_int_equal(ckg_problem_separate(p), 1);
        assert_int_equal(ckg_problem_groups(p), 1);
        assert_int_equal(ckg_problem_group(p, 0), 0);
        assert_int_equal(ckg_problem_group(p, 3), 0);
        assert_int_equal(ckg_problem_group(p, 4), -1);
        assert_int_equal(ckg__problem_units(p), 4);
        for (int unit = 0; unit < 4; unit++) {
            const struct ckg__set set = ckg__problem_unit(p, unit);
            for (int j = 0; j < 5; j++)
                assert_int_equal(ckg__set_has(&set, j), unit_of[j] == unit);
            assert_true(ckg__problem_price(p, &set) == price[unit]);
        }
        assert_true(ckg__problem_full_price(p) == 12.25);
        assert_true(ckg_problem_cost(p, 1) == 0.25 && ckg_problem_cost(p, 4) == 1);
        assert_true(isnan(ckg_problem_cost(p, 5)) && isnan(ckg_problem_cost(p, -1)));
        if (!i)
            ckg_problem_free(p);
    }
    ckg_problem_free(copy);
}

static void test_wrong(void **state)
{
    static const char *const unknown[] = {"c0", "c9"};
    static const char *const twice[] = {"c0", "c0"};
    static const char *const good[] = {"c0", "c1"};
    static const char *const again[] = {"c1", "c2"};
    ckg_problem *p = make();
    ckg_study *s = NULL;
    (void)state;

    assert_refused(ckg_problem_set_cost(p, "g", 1), CKG_ERR_NOT_FOUND, "'g'");
    assert_refused(ckg_problem_set_cost(p, "f", -1), CKG_ERR_INVALID, "from 0 to 1e150");
    assert_refused(ckg_problem_set_cost(p, "f", NAN), CKG_ERR_INVALID, "from 0 to 1e150");
    assert_refused(ckg_problem_add_group(p, 1, good), CKG_ERR_INVALID, "from 2 to 5");
    assert_refused(ckg_problem_add_group(p, 2, unknown), CKG_ERR_INVALID, "'c9'");
    assert_refused(ckg_problem_add_group(p, 2, twice), CKG_ERR_INVALID, "'c0'");
    assert_int_equal(ckg_problem_separate(p), 0);
    must(ckg_problem_add_group(p, 2, good));
    assert_refused(ckg_problem_add_group(p, 2, again), CKG_ERR_INVALID, "'c1'");

    /* An outcome by itself must cost something, or it would be worth measuring for ever. */
    must(ckg_problem_set_cost(p, "c0", 0));
    must(ckg_problem_set_cost(p, "c3", 0));
    assert_refused(ckg_study_new(&s, p, NULL), CKG_ERR_INVALID, "'c3' costs nothing");
    assert_null(s);
    ckg_problem_free(p);
}

int main(void)
{
    return RUN_TESTS(test_together, test_apart, test_wrong);
}

/* The rows of likelihoods: each is whole, the problem or the data say which one an outcome has. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <ckg/problem.h>

#include "model/likelihood.h"
#include "support/test.h"

static ckg_problem *new_problem(enum ckg_noise noise)
{
    ckg_problem *p;

    must(ckg_problem_new(&p));
    must(ckg_problem_add_real(p, "x", 0, 1, CKG_LINEAR));
    must(ckg_problem_set_noise(p, "objective", noise, 0));
    must(ckg_problem_add_yesno(p, "runs"));
    return p;
}

static void test_rows_are_whole(void **state)
{
    (void)state;
    for (int i = 0; ckg__likelihoods[i]; i++) {
        const struct ckg__likelihood *row = ckg__likelihoods[i];
        assert_non_null(row->name);
        assert_true(row->is_given || row->needs);
        assert_true(row->moments && row->density && row->condition && row->noise);
        assert_true(!row->fit || (row->state_size > 0 && row->lay_out));
    }
}

/* Answers and failures are labels, all else is normal. */
static void test_given_by_the_problem(void **state)
{
    ckg_problem *p = new_problem(CKG_NOISE_AUTO);

    (void)state;
    assert_ptr_equal(ckg__likelihood_given(p, 0), &ckg__likelihood_normal);
    assert_ptr_equal(ckg__likelihood_given(p, 1), &ckg__likelihood_probit);
    assert_ptr_equal(ckg__likelihood_given(p, 2), &ckg__likelihood_probit);
    ckg_problem_free(p);
}

/* Noise may vary where it is estimated from enough rows: told to, as it did, or where anything may be tried.
 */
static void test_needed_of_the_data(void **state)
{
    ckg_problem *told = new_problem(CKG_NOISE_VARYING);
    ckg_problem *open = new_problem(CKG_NOISE_AUTO);
    const struct ckg__series few = {.n = 9, .estimated = 1};
    const struct ckg__series some = {.n = 20, .estimated = 1};
    const struct ckg__series many = {.n = 40, .estimated = 1};
    const struct ckg__series known = {.n = 40};

    (void)state;
    assert_true(ckg__likelihood_varying.needs(told, 0, &few, 0, 1) == INFINITY);
    assert_true(ckg__likelihood_varying.needs(told, 0, &known, 0, 1) == INFINITY);
    assert_true(ckg__likelihood_varying.needs(open, 0, &some, 0, 1) == INFINITY);
    assert_true(ckg__likelihood_varying.needs(open, 0, &many, 0, 0) == INFINITY);

    const double by_itself = ckg__likelihood_varying.needs(open, 0, &many, 0, 1);
    const double to_stay = ckg__likelihood_varying.needs(open, 0, &some, 1, 0);
    const double if_told = ckg__likelihood_varying.needs(told, 0, &some, 0, 0);
    assert_true(by_itself < INFINITY && to_stay < by_itself && if_told < to_stay && if_told > 0);
    ckg_problem_free(told);
    ckg_problem_free(open);
}

int main(void)
{
    return RUN_TESTS(test_rows_are_whole, test_given_by_the_problem, test_needed_of_the_data);
}

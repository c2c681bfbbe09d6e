/*
 * Where noise is to be estimated and the evaluator is deterministic, repeated evaluations teach nothing, and
 * the study finds that out: once a repeated evaluation agrees to the last bit, evaluated designs are not
 * asked for again, and a lattice is exhausted instead. Whole numbers agree by chance, so two of theirs must.
 * Where values differ, repeats are as welcome as ever.
 */
#include <math.h>

#include <ckg/ckg.h>

#include "study/study.h"
#include "support/studies.h"
#include "support/test.h"

enum { SIDE = 5, DESIGNS = SIDE * SIDE };

static ckg_study *new_study(void)
{
    ckg_options o = CKG_OPTIONS_INIT;
    ckg_problem *p;

    must(ckg_problem_new(&p));
    must(ckg_problem_add_integer(p, "a", 0, SIDE - 1));
    must(ckg_problem_add_integer(p, "b", 0, SIDE - 1));
    must(ckg_problem_add_constraint(p, "c", -INFINITY, 0.5));
    o.threads = 1;
    o.initial = 5;
    return study_of(p, &o);
}

static void evaluate(const double *x, double *values)
{
    values[0] = pow(x[0] - 3.2, 2) + pow(x[1] - 1.7, 2);
    values[1] = 0.1 * x[0] - 0.07 * x[1];
}

static void test_a_lattice_is_exhausted(void **state)
{
    ckg_study *s = new_study();
    ckg_suggestion *suggestion;
    double values[2];
    int asked = 0;
    int status;

    (void)state;
    while (!(status = ckg_study_ask(s, &suggestion))) {
        evaluate(suggestion->x, values);
        must(ckg_study_tell(s, suggestion->trial, values));
        ckg_suggestion_free(suggestion);
        assert_true(++asked <= DESIGNS + 1);
    }
    assert_int_equal(status, CKG_ERR_EXHAUSTED);
    ckg_study_free(s);
}

/* Tells one design so often with an objective of these values; whether it is settled then. */
static int settled_by(int count, const double *objective)
{
    ckg_study *s = new_study();
    const double x[] = {2, 3};

    for (int i = 0; i < count; i++)
        tell_at(s, x, (const double[]){objective[i], 1});
    const int settled = ckg__data_settled(&s->data, 0);
    ckg_study_free(s);
    return settled;
}

static void test_what_settles_a_design(void **state)
{
    (void)state;
    assert_false(settled_by(1, (const double[]){1.5}));
    assert_true(settled_by(2, (const double[]){1.5, 1.5}));
    assert_false(settled_by(2, (const double[]){1.5, 1.25}));
    assert_false(settled_by(3, (const double[]){1.5, 1.5, 1.25}));

    /* Whole numbers. */
    assert_false(settled_by(2, (const double[]){4, 4}));
    assert_true(settled_by(3, (const double[]){4, 4, 4}));
    assert_false(settled_by(3, (const double[]){4, 4, 5}));
}

/* One pair tells of all designs, and one that differs takes it back. */
static void test_the_whole_study(void **state)
{
    ckg_study *s = new_study();
    const double first[] = {0, 0};
    const double second[] = {1, 1};

    (void)state;
    tell_at(s, first, (const double[]){0.5, 0.25});
    tell_at(s, second, (const double[]){1.5, 0.25});
    assert_false(ckg__data_settled(&s->data, 1));
    tell_at(s, first, (const double[]){0.5, 0.25});
    assert_true(ckg__data_settled(&s->data, 1));
    tell_at(s, second, (const double[]){1.75, 0.25});
    assert_false(ckg__data_settled(&s->data, 0) || ckg__data_settled(&s->data, 1));
    ckg_study_free(s);
}

/* A standard deviation that was given is believed. */
static void test_known_noise(void **state)
{
    ckg_study *s = new_study();
    const double x[] = {2, 3};
    const ckg_measurement measured[] = {{0, 1.5, 0.1}, {1, 0.25, 0.1}};
    int trial;

    (void)state;
    for (int i = 0; i < 3; i++) {
        must(ckg_study_add(s, x, &trial));
        must(ckg_study_tell_measured(s, trial, 2, measured));
    }
    assert_false(ckg__data_settled(&s->data, 0));
    ckg_study_free(s);
}

int main(void)
{
    return RUN_TESTS(test_a_lattice_is_exhausted, test_what_settles_a_design, test_the_whole_study,
                     test_known_noise);
}

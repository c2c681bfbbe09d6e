/*
 * Where noise is to be estimated and the evaluator is deterministic, repeated evaluations teach nothing, and
 * the study finds that out: once a repeated evaluation agrees to the last bit, evaluated designs are not
 * asked for again, a lattice is exhausted instead, and models and policies are those of a problem without
 * noise. Values of few digits agree by chance, so two pairs of theirs must. Where values differ, repeats are
 * as welcome as ever. The last evaluation of an initial design is such a repeat.
 */
#include <math.h>

#include <ckg/ckg.h>

#include "study/study.h"
#include "support/studies.h"
#include "support/test.h"

/* A value that nobody has rounded. */
#define LONG 1.4142135623730951

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
    values[0] = sqrt(pow(x[0] - 3.2, 2) + pow(x[1] - 1.7, 2));
    values[1] = LONG * (0.1 * x[0] - 0.07 * x[1] - 0.01);
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
        tell_at(s, x, (const double[]){objective[i], LONG});
    const int settled = ckg__data_settled(&s->data, 0);
    ckg_study_free(s);
    return settled;
}

static void test_what_settles_a_design(void **state)
{
    (void)state;
    assert_false(settled_by(1, (const double[]){LONG}));
    assert_true(settled_by(2, (const double[]){LONG, LONG}));
    assert_false(settled_by(2, (const double[]){LONG, 1.25}));
    assert_false(settled_by(3, (const double[]){LONG, LONG, 1.25}));

    /* Whole numbers, and others of few digits. */
    assert_false(settled_by(2, (const double[]){4, 4}));
    assert_true(settled_by(3, (const double[]){4, 4, 4}));
    assert_false(settled_by(3, (const double[]){4, 4, 5}));
    assert_false(settled_by(2, (const double[]){0.9375, 0.9375}));
    assert_false(settled_by(2, (const double[]){-12.3456, -12.3456}));
    assert_true(settled_by(2, (const double[]){12.34567, 12.34567}));
}

/* One pair tells of all designs, and one that differs takes it back. */
static void test_the_whole_study(void **state)
{
    ckg_study *s = new_study();
    const double first[] = {0, 0};
    const double second[] = {1, 1};

    (void)state;
    tell_at(s, first, (const double[]){-LONG, -LONG});
    tell_at(s, second, (const double[]){LONG, -LONG});
    assert_false(ckg__data_settled(&s->data, 1));
    tell_at(s, first, (const double[]){-LONG, -LONG});
    assert_true(ckg__data_settled(&s->data, 1));
    tell_at(s, second, (const double[]){1.75, -LONG});
    assert_false(ckg__data_settled(&s->data, 0) || ckg__data_settled(&s->data, 1));
    ckg_study_free(s);
}

/* What is known to have no noise says nothing of the others, and one rounded value is enough to doubt. */
static void test_one_of_few_digits(void **state)
{
    (void)state;
    for (int known = 0; known < 2; known++) {
        ckg_options o = CKG_OPTIONS_INIT;
        ckg_problem *p;
        const double x[] = {1, 2};

        must(ckg_problem_new(&p));
        must(ckg_problem_add_real(p, "a", 0, 4, CKG_LINEAR));
        must(ckg_problem_add_real(p, "b", 0, 4, CKG_LINEAR));
        must(ckg_problem_add_constraint(p, "c", -INFINITY, 2));
        must(ckg_problem_set_noise(p, "c", known ? CKG_NOISE_NONE : CKG_NOISE_AUTO, 0));
        ckg_study *s = study_of(p, &o);
        tell_at(s, x, (const double[]){12.3, LONG});
        tell_at(s, x, (const double[]){12.3, LONG});
        assert_false(ckg__data_settled(&s->data, 0));
        tell_at(s, x, (const double[]){12.3, LONG});
        assert_true(ckg__data_settled(&s->data, 0));
        ckg_study_free(s);
    }
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

/* --- the last of the initial design --- */

enum { INITIAL = 6 };

static ckg_study *study_with(enum ckg_noise noise, int initial, const char *policy)
{
    ckg_options o = CKG_OPTIONS_INIT;
    ckg_problem *p;

    must(ckg_problem_new(&p));
    must(ckg_problem_add_real(p, "a", 0, 4, CKG_LINEAR));
    must(ckg_problem_add_real(p, "b", 0, 4, CKG_LINEAR));
    must(ckg_problem_add_constraint(p, "c", -INFINITY, 0.5));
    must(ckg_problem_set_noise(p, "objective", noise, 0.1));
    must(ckg_problem_set_noise(p, "c", CKG_NOISE_NONE, 0));
    o.threads = 1;
    o.initial = initial;
    o.policy = policy;
    return study_of(p, &o);
}

/* Asks and tells so often; `error` comes on top of the objective of the last one. Its path. */
static const char *go_on(ckg_study *s, int count, double error)
{
    const char *path = NULL;

    for (int i = 0; i < count; i++) {
        ckg_suggestion *a;
        double values[2];
        must(ckg_study_ask(s, &a));
        path = a->path;
        evaluate(a->x, values);
        values[0] += i == count - 1 ? error : 0;
        must(ckg_study_tell(s, a->trial, values));
        ckg_suggestion_free(a);
    }
    return path;
}

static void test_the_best_is_repeated(void **state)
{
    ckg_study *s = study_with(CKG_NOISE_AUTO, INITIAL, "auto");
    ckg_trial again, best;

    (void)state;
    assert_string_equal(go_on(s, INITIAL - 1, 0), "design");
    must(ckg_study_trial(s, ckg_study_best(s), &best));
    assert_string_equal(go_on(s, 1, 0), "repeat");
    must(ckg_study_trial(s, INITIAL - 1, &again));
    assert_memory_equal(again.x, best.x, 2 * sizeof *best.x);
    assert_string_not_equal(go_on(s, 1, 0), "repeat");
    ckg_study_free(s);
}

static void test_when_nothing_is_repeated(void **state)
{
    static const struct {
        enum ckg_noise noise;
        int initial;
        const char *policy;
    } cases[] = {{CKG_NOISE_NONE, INITIAL, "auto"},
                 {CKG_NOISE_KNOWN, INITIAL, "auto"},
                 {CKG_NOISE_AUTO, 4, "auto"},
                 {CKG_NOISE_AUTO, INITIAL, "random"}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ckg_study *s = study_with(cases[i].noise, cases[i].initial, cases[i].policy);
        assert_string_equal(go_on(s, cases[i].initial, 0), "design");
        ckg_study_free(s);
    }

    /* Nor while there are no answers. */
    ckg_study *s = study_with(CKG_NOISE_AUTO, INITIAL, "auto");
    for (int i = 0; i < INITIAL; i++) {
        ckg_suggestion *a;
        must(ckg_study_ask(s, &a));
        assert_string_equal(a->path, "design");
        ckg_suggestion_free(a);
    }
    ckg_study_free(s);
}

static double noise_of(ckg_study *s)
{
    ckg_model_info model;

    must(ckg_study_model(s, 0, &model));
    return model.noise_sd;
}

/* Models know what the repeat has shown, and forget it when another one differs. */
static void test_models_believe_it(void **state)
{
    (void)state;
    for (int noisy = 0; noisy < 2; noisy++) {
        ckg_study *s = study_with(CKG_NOISE_AUTO, INITIAL, "auto");
        ckg_trial first;
        double values[2];

        go_on(s, INITIAL, noisy ? 0.3 : 0);
        assert_true(noisy ? noise_of(s) > 0 : noise_of(s) == 0);
        must(ckg_study_trial(s, 0, &first));
        const double x[] = {first.x[0], first.x[1]};
        evaluate(x, values);
        values[0] += 0.2;
        tell_at(s, x, values);
        assert_true(noise_of(s) > 0);
        ckg_study_free(s);
    }
}

/* A study that was told all at once goes on as the one that found out on its way. */
static void test_rebuilt(void **state)
{
    ckg_study *s = study_with(CKG_NOISE_AUTO, INITIAL, "auto");
    ckg_study *again = study_with(CKG_NOISE_AUTO, INITIAL, "auto");
    ckg_suggestion *a, *b;

    (void)state;
    go_on(s, 19, 0);
    copy_trials(s, again);
    must(ckg_study_ask(s, &a));
    must(ckg_study_ask(again, &b));
    assert_memory_equal(a->x, b->x, 2 * sizeof *a->x);
    assert_memory_equal(a->mean, b->mean, 2 * sizeof *a->mean);
    ckg_suggestion_free(a);
    ckg_suggestion_free(b);
    ckg_study_free(s);
    ckg_study_free(again);
}

int main(void)
{
    return RUN_TESTS(test_a_lattice_is_exhausted, test_what_settles_a_design, test_the_whole_study,
                     test_known_noise, test_one_of_few_digits, test_the_best_is_repeated,
                     test_when_nothing_is_repeated, test_models_believe_it, test_rebuilt);
}

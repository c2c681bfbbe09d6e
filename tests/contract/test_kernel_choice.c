/*
 * The kernel that the data favour: the smoothest for a smooth outcome, a rougher one for an outcome with
 * kinks, each outcome for itself; and what is chosen follows from the trials alone.
 */
#include <math.h>
#include <string.h>

#include <ckg/ckg.h>

#include "support/test.h"

enum { TOLD = 40, STEPS = 3 };

/* A study of a smooth objective and a constraint with kinks. */
static ckg_study *new_study(const char *kernel, int threads)
{
    ckg_options options = CKG_OPTIONS_INIT;
    ckg_problem *problem;
    ckg_study *study;

    must(ckg_problem_new(&problem));
    must(ckg_problem_add_real(problem, "x", 0, 1, CKG_LINEAR));
    must(ckg_problem_add_real(problem, "y", 0, 1, CKG_LINEAR));
    must(ckg_problem_set_noise(problem, "objective", CKG_NOISE_NONE, 0));
    must(ckg_problem_add_constraint(problem, "kinked", -INFINITY, 0.6));
    must(ckg_problem_set_noise(problem, "kinked", CKG_NOISE_NONE, 0));
    options.kernel = kernel;
    options.threads = threads;
    options.initial = 0;
    must(ckg_study_new(&study, problem, &options));
    ckg_problem_free(problem);
    return study;
}

/* The result of a pending trial at x. */
static void tell(ckg_study *study, int trial, const double *x)
{
    const double values[] = {sin(3 * x[0]) + cos(2 * x[1]),
                             fabs(x[0] - 0.3) + fabs(x[1] - 0.6) + 0.5 * fabs(x[0] + x[1] - 1.1)};

    must(ckg_study_tell(study, trial, values));
}

static void add_and_tell(ckg_study *study, const double *x)
{
    int trial;

    must(ckg_study_add(study, x, &trial));
    tell(study, trial, x);
}

static void tell_all(ckg_study *study, int count)
{
    for (int t = 0; t < count; t++) {
        const double x[] = {fmod((t + 0.5) * sqrt(2), 1), fmod((t + 0.5) * sqrt(5), 1)};
        add_and_tell(study, x);
    }
}

static const char *kernel_of(ckg_study *study, int outcome)
{
    ckg_model_info info;

    must(ckg_study_model(study, outcome, &info));
    return info.kernel;
}

static void test_each_outcome_for_itself(void **state)
{
    ckg_study *study = new_study("auto", 1);

    (void)state;
    tell_all(study, TOLD);
    assert_string_equal(kernel_of(study, 0), "rbf");
    assert_string_not_equal(kernel_of(study, 1), "rbf");
    ckg_study_free(study);
}

/* With hardly any data nothing is chosen: the smoothest it is. */
static void test_few_data(void **state)
{
    ckg_study *study = new_study("auto", 1);

    (void)state;
    tell_all(study, 5);
    assert_string_equal(kernel_of(study, 1), "rbf");
    ckg_study_free(study);
}

/* A study that was asked all along suggests what one suggests that gets its trials at once, by two threads.
 */
static void test_it_follows_from_the_trials(void **state)
{
    ckg_study *along = new_study("auto", 1);

    (void)state;
    tell_all(along, 14);
    for (int i = 0; i < STEPS; i++) {
        ckg_study *copy = new_study("auto", 2);
        ckg_suggestion *a, *b;

        for (int t = 0; t < ckg_study_trials(along); t++) {
            ckg_trial trial;
            must(ckg_study_trial(along, t, &trial));
            add_and_tell(copy, trial.x);
        }
        must(ckg_study_ask(along, &a));
        must(ckg_study_ask(copy, &b));
        assert_memory_equal(a->x, b->x, 2 * sizeof *a->x);
        assert_true(a->value == b->value);
        tell(along, a->trial, a->x);
        ckg_suggestion_free(a);
        ckg_suggestion_free(b);
        ckg_study_free(copy);
    }
    ckg_study_free(along);
}

/* A kernel that is named is used, whatever the data say. */
static void test_a_named_kernel_stays(void **state)
{
    static const char *const names[] = {"rbf", "matern52", "matern32"};

    (void)state;
    for (int i = 0; i < 3; i++) {
        ckg_study *study = new_study(names[i], 1);
        tell_all(study, TOLD);
        for (int j = 0; j < 2; j++)
            assert_string_equal(kernel_of(study, j), names[i]);
        ckg_study_free(study);
    }
}

int main(void)
{
    return RUN_TESTS(test_each_outcome_for_itself, test_few_data, test_it_follows_from_the_trials,
                     test_a_named_kernel_stays);
}

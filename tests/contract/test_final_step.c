/*
 * The last evaluation of a budget by another policy: it chooses that trial and no other, as a study of that
 * policy would; then a recommendation without options is an evaluated design, and one with options is what
 * they say.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include <ckg/ckg.h>

#include "support/test.h"

enum { INITIAL = 5, BUDGET = 9 };

/* Its noise is known: a design that was not evaluated may be recommended, and no step is local. */
static ckg_problem *new_problem(void)
{
    ckg_problem *p;

    must(ckg_problem_new(&p));
    must(ckg_problem_add_real(p, "a", 0, 1, CKG_LINEAR));
    must(ckg_problem_add_real(p, "b", 0, 1, CKG_LINEAR));
    must(ckg_problem_add_constraint(p, "c", -INFINITY, 0));
    for (int j = 0; j < 2; j++)
        must(ckg_problem_set_noise(p, ckg_problem_outcome_name(p, j), CKG_NOISE_KNOWN, 0.01));
    return p;
}

static ckg_study *new_study(const char *policy, int budget, const char *last)
{
    ckg_options options = CKG_OPTIONS_INIT;
    ckg_problem *p = new_problem();
    ckg_study *s;

    options.policy = policy;
    options.initial = INITIAL;
    options.budget = budget;
    options.final_policy = last;
    must(ckg_study_new(&s, p, &options));
    ckg_problem_free(p);
    return s;
}

/* Not inlined: compiled twice it may round twice. */
__attribute__((noinline)) static void evaluate(const double *x, double *values)
{
    values[0] = (x[0] - 0.7) * (x[0] - 0.7) + sin(3 * x[1]);
    values[1] = x[0] + x[1] - 0.9;
}

/* "auto or its rules" stands for all that the policy auto may do when it is the study's own. */
static const char *const own = "auto or its rules";

static void assert_path(const char *path, const char *wanted)
{
    const int by_rule = !strcmp(path, "ckg") || !strcmp(path, "explore") || !strcmp(path, "improve") ||
                        !strcmp(path, "local") || !strcmp(path, "cei-fallback");

    if (wanted == own ? !by_rule : strcmp(path, wanted) != 0)
        fail_msg("'%s', not '%s'", path, wanted);
}

/* Asks, checks how the design came about, and tells unless `pending`. */
static int step(ckg_study *s, const char *path, int pending)
{
    ckg_suggestion *suggestion;
    double values[2];

    must(ckg_study_ask(s, &suggestion));
    assert_path(suggestion->path, path);
    const int trial = suggestion->trial;
    evaluate(suggestion->x, values);
    if (!pending)
        must(ckg_study_tell(s, trial, values));
    ckg_suggestion_free(suggestion);
    return trial;
}

static void run(ckg_study *s, int from, int to, const char *path)
{
    for (int t = from; t < to; t++)
        step(s, t < INITIAL ? "design" : path, 0);
}

/* A study of `policy` with the same trials. */
static ckg_study *replay(const ckg_study *old, const char *policy)
{
    ckg_study *s = new_study(policy, 0, NULL);

    for (int t = 0; t < ckg_study_trials(old); t++) {
        ckg_trial trial;
        int number;
        must(ckg_study_trial(old, t, &trial));
        must(ckg_study_add(s, trial.x, &number));
        must(ckg_study_tell_measured(s, number, trial.count, trial.measured));
    }
    return s;
}

static int is_evaluated(const ckg_study *s, const double *x)
{
    for (int t = 0; t < ckg_study_trials(s); t++) {
        ckg_trial trial;
        must(ckg_study_trial(s, t, &trial));
        if (trial.state == CKG_COMPLETE && !memcmp(trial.x, x, 2 * sizeof *x))
            return 1;
    }
    return 0;
}

static int recommends_evaluated(ckg_study *s, const ckg_recommend_options *options)
{
    ckg_recommendation *r;

    must(ckg_study_recommend(s, options, &r));
    const int evaluated = is_evaluated(s, r->x);
    ckg_recommendation_free(r);
    return evaluated;
}

/* --- asking --- */

static void test_the_last_trial_is_the_final_policys(void **state)
{
    ckg_study *s = new_study("auto", BUDGET, "cei");
    ckg_suggestion *mine, *other;

    (void)state;
    run(s, 0, BUDGET - 1, own);
    ckg_study *cei = replay(s, "cei");
    must(ckg_study_ask(s, &mine));
    must(ckg_study_ask(cei, &other));
    assert_string_equal(mine->path, "cei");
    assert_memory_equal(mine->x, other->x, 2 * sizeof *mine->x);
    assert_memory_equal(&mine->value, &other->value, sizeof mine->value);
    ckg_suggestion_free(mine);
    ckg_suggestion_free(other);
    ckg_study_free(cei);
    step(s, own, 0); /* beyond the budget the study's own again */
    ckg_study_free(s);
}

/* A cancelled trial is none of the budget; a pending and a failed one are. */
static void test_which_trials_count(void **state)
{
    ckg_study *s = new_study("cei", BUDGET, "auto");

    (void)state;
    run(s, 0, BUDGET - 3, "cei");
    must(ckg_study_tell_failed(s, step(s, "cei", 1)));
    const int pending = step(s, "cei", 1), cancelled = step(s, "ckg", 1);
    must(ckg_study_cancel(s, cancelled));
    const int again = step(s, "ckg", 1);
    step(s, "cei", 1); /* one more than the budget */
    must(ckg_study_cancel(s, pending));
    must(ckg_study_cancel(s, again));
    step(s, "ckg", 0);
    ckg_study_free(s);
}

/*
 * Within the initial design the last evaluation is the final policy's all the same, once there is anything to
 * go by.
 */
static void test_a_budget_within_the_initial_design(void **state)
{
    ckg_study *s = new_study("auto", 3, "cei");

    (void)state;
    step(s, "design", 0);
    step(s, "design", 0);
    step(s, "cei", 0);
    step(s, "design", 0);
    ckg_study_free(s);
    s = new_study("auto", 1, "cei");
    step(s, "design", 0);
    ckg_study_free(s);
}

static void test_without_a_final_policy_nothing_changes(void **state)
{
    ckg_study *with = new_study("cei", BUDGET, ""), *without = new_study("cei", 0, NULL);

    (void)state;
    for (int t = 0; t < BUDGET + 1; t++) {
        ckg_suggestion *one, *other;
        double values[2];
        must(ckg_study_ask(with, &one));
        must(ckg_study_ask(without, &other));
        assert_memory_equal(one->x, other->x, 2 * sizeof *one->x);
        evaluate(one->x, values);
        must(ckg_study_tell(with, one->trial, values));
        must(ckg_study_tell(without, other->trial, values));
        ckg_suggestion_free(one);
        ckg_suggestion_free(other);
    }
    assert_false(recommends_evaluated(with, NULL));
    ckg_study_free(with);
    ckg_study_free(without);
}

/* --- recommending --- */

static void test_a_spent_budget_recommends_an_evaluated_design(void **state)
{
    ckg_study *s = new_study("auto", BUDGET, "cei");
    ckg_recommend_options anywhere = CKG_RECOMMEND_OPTIONS_INIT;

    (void)state;
    run(s, 0, BUDGET - 1, own);
    assert_false(recommends_evaluated(s, NULL));
    const int last = step(s, "cei", 1);
    assert_false(recommends_evaluated(s, NULL)); /* asked, not yet told */
    must(ckg_study_tell(s, last, (double[]){1, 1}));
    assert_true(recommends_evaluated(s, NULL));
    assert_false(recommends_evaluated(s, &anywhere));
    anywhere.evaluated_only = 1;
    assert_true(recommends_evaluated(s, &anywhere));
    step(s, own, 0); /* overspent is spent */
    assert_true(recommends_evaluated(s, NULL));
    ckg_study_free(s);
}

/* --- options --- */

static void refuse(int budget, const char *last, const char *culprit)
{
    ckg_options options = CKG_OPTIONS_INIT;
    ckg_problem *p = new_problem();
    ckg_study *s = NULL;

    options.budget = budget;
    options.final_policy = last;
    assert_int_equal(ckg_study_new(&s, p, &options), CKG_ERR_INVALID);
    assert_null(s);
    if (!strstr(ckg_error_message(), culprit))
        fail_msg("'%s' does not name '%s'", ckg_error_message(), culprit);
    ckg_problem_free(p);
}

static void test_bad_options(void **state)
{
    (void)state;
    refuse(-1, NULL, "budget must be 0 or more, not -1");
    refuse(-1, "cei", "budget must be 0 or more, not -1");
    refuse(10, "nonsense", "nonsense");
    refuse(10, "CEI", "final_policy");
    refuse(0, "cei", "needs a budget");
}

int main(void)
{
    return RUN_TESTS(test_the_last_trial_is_the_final_policys, test_which_trials_count,
                     test_a_budget_within_the_initial_design, test_without_a_final_policy_nothing_changes,
                     test_a_spent_budget_recommends_an_evaluated_design, test_bad_options);
}

/*
 * Not measured is not known. Before an outcome's first value nothing is said of it, nor of all constraints
 * together, wherever a study speaks: predictions, suggestions, recommendations, models, leave-one-out, M.
 * With its first value it is known, and what is said of the others never depended on it. Suggestions go on
 * all the while.
 */
#include <math.h>
#include <string.h>

#include <ckg/ckg.h>

#include "support/studies.h"
#include "support/test.h"

enum { TRIALS = 8, PROBES = 5, MOST = 4 };

static const enum ckg_noise noises[] = {CKG_NOISE_NONE, CKG_NOISE_AUTO};

/* Two reals in the unit square, K constraints <= 0.3; trials are designs of the caller's from the start. */
static ckg_study *new_study(int K, enum ckg_noise noise)
{
    ckg_options options = CKG_OPTIONS_INIT;
    ckg_problem *p = box_problem(2, 0, 1, K, 0.3);

    options.initial = 0;
    options.samples = 2;
    set_all_noise(p, noise, 0);
    return study_of(p, &options);
}

static double value_of(const double *x, int outcome)
{
    return sin(3 * x[0] + outcome) + x[1] * (1 + outcome);
}

static void design(int t, double *x)
{
    x[0] = fmod(0.5 + t * 0.7548776662466927, 1);
    x[1] = fmod(0.5 + t * 0.5698402909980532, 1);
}

/* Trials of their own designs; bit j of `outcomes`: outcome j is measured. */
static void tell_some(ckg_study *s, int trials, unsigned outcomes)
{
    for (int t = 0; t < trials; t++) {
        ckg_measurement measured[MOST];
        double x[2];
        int count = 0;
        int trial;

        design(ckg_study_trials(s), x);
        for (int j = 0; j < MOST; j++)
            if (outcomes >> j & 1)
                measured[count++] = (ckg_measurement){j, value_of(x, j), CKG_SD_DEFAULT};
        must(ckg_study_add(s, x, &trial));
        must(ckg_study_tell_measured(s, trial, count, measured));
    }
}

/* What is predicted at probes. */
struct predicted {
    double mean[PROBES][MOST], sd[PROBES][MOST], feasible[PROBES], utility[PROBES];
};

static void predict(ckg_study *s, struct predicted *out)
{
    const int outcomes = 1 + ckg_problem_constraints(ckg_study_problem(s));
    double X[PROBES][2];
    double mean[PROBES * MOST];
    double sd[PROBES * MOST];

    for (int p = 0; p < PROBES; p++)
        design(100 + p, X[p]);
    must(ckg_study_predict(s, PROBES, X[0], mean, sd, out->feasible, out->utility));
    for (int p = 0; p < PROBES; p++)
        for (int j = 0; j < outcomes; j++) {
            out->mean[p][j] = mean[p * outcomes + j];
            out->sd[p][j] = sd[p * outcomes + j];
        }
}

static void assert_known(int known, double value)
{
    if (known)
        assert_finite(value);
    else
        assert_true(isnan(value));
}

/* Everything that is said of the outcomes; bit j of `known`: outcome j has been measured. */
static void check_said(ckg_study *s, unsigned known)
{
    const int K = ckg_problem_constraints(ckg_study_problem(s));
    const int all = (known >> 1) == (1u << K) - 1;
    struct predicted at;
    double penalty;

    predict(s, &at);
    for (int p = 0; p < PROBES; p++) {
        for (int j = 0; j <= K; j++) {
            assert_known(known >> j & 1, at.mean[p][j]);
            assert_known(known >> j & 1, at.sd[p][j]);
        }
        assert_known(all, at.feasible[p]);
        assert_known(all && (known & 1), at.utility[p]);
    }
    for (int j = 0; j <= K; j++) {
        ckg_model_info model;

        must(ckg_study_model(s, j, &model));
        assert_int_equal(model.observations > 0, known >> j & 1);
        assert_known(known >> j & 1, model.mean);
        assert_known(known >> j & 1, model.signal_sd);
        assert_known(known >> j & 1, model.noise_sd);
        assert_known(known >> j & 1, model.log_likelihood);
        assert_known(known >> j & 1, model.nugget);
        for (int i = 0; i < 2; i++)
            assert_known(known >> j & 1, model.lengthscales[i]);
        assert_non_null(model.kernel);
        assert_non_null(model.fit);
    }
    must(ckg_study_penalty(s, &penalty));
    assert_known(known & 1, penalty);
}

static void check_recommended(ckg_study *s, unsigned known)
{
    const int K = ckg_problem_constraints(ckg_study_problem(s));
    const int all = (known >> 1) == (1u << K) - 1;
    ckg_recommendation *r;

    must(ckg_study_recommend(s, NULL, &r));
    for (int j = 0; j <= K; j++) {
        assert_known(known >> j & 1, r->mean[j]);
        assert_known(known >> j & 1, r->sd[j]);
        if (j)
            assert_known(known >> j & 1, r->probability[j - 1]);
    }
    assert_known(all, r->probability_feasible);
    assert_known(all, r->utility);
    assert_finite(r->penalty);
    ckg_recommendation_free(r);
}

/* A suggestion by the policy, its design taken; it is cancelled. */
static void check_suggested(ckg_study *s, unsigned known)
{
    const int K = ckg_problem_constraints(ckg_study_problem(s));
    ckg_suggestion *a;

    must(ckg_study_ask(s, &a));
    assert_true(strcmp(a->path, "design") != 0 && strcmp(a->path, "random") != 0);
    for (int j = 0; j <= K; j++) {
        assert_known(known >> j & 1, a->mean[j]);
        assert_known(known >> j & 1, a->sd[j]);
        if (j)
            assert_known(known >> j & 1, a->probability[j - 1]);
    }
    assert_known((known >> 1) == (1u << K) - 1, a->probability_feasible);
    must(ckg_study_cancel(s, a->trial));
    ckg_suggestion_free(a);
}

/* --- the tests --- */

static void test_before_any_value(void **state)
{
    const double x[] = {0.2, 0.4};
    ckg_recommendation *r;

    (void)state;
    for (int i = 0; i < 2; i++) {
        ckg_study *s = new_study(2, noises[i]);
        int trial;

        check_said(s, 0);
        must(ckg_study_add(s, x, &trial));
        must(ckg_study_tell_failed(s, trial));
        check_said(s, 0);
        assert_int_equal(ckg_study_recommend(s, NULL, &r), CKG_ERR_STATE);
        assert_null(r);
        ckg_study_free(s);
    }
}

/* Every set of measured outcomes of two constraints. */
static void test_some_never_measured(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++)
        for (unsigned known = 1; known < 8; known++) {
            ckg_study *s = new_study(2, noises[i]);

            tell_some(s, TRIALS, known);
            check_said(s, known);
            if (known & 1) {
                check_recommended(s, known);
                check_suggested(s, known);
            }
            ckg_study_free(s);
        }
}

/* One value is enough. */
static void test_the_first_value(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        ckg_study *s = new_study(2, noises[i]);

        tell_some(s, TRIALS, 3);
        check_said(s, 3);
        tell_some(s, 1, 4);
        check_said(s, 7);
        check_recommended(s, 7);
        check_suggested(s, 7);
        ckg_study_free(s);
    }
}

/* What is said of the measured outcomes is the same as if the other were no part of the problem. */
static void test_others_do_not_depend_on_it(void **state)
{
    ckg_study *with = new_study(2, CKG_NOISE_NONE);
    ckg_study *without = new_study(1, CKG_NOISE_NONE);
    struct predicted a;
    struct predicted b;

    (void)state;
    tell_some(with, TRIALS, 3);
    tell_some(without, TRIALS, 3);
    predict(with, &a);
    predict(without, &b);
    for (int p = 0; p < PROBES; p++)
        for (int j = 0; j < 2; j++) {
            assert_true(a.mean[p][j] == b.mean[p][j]);
            assert_true(a.sd[p][j] == b.sd[p][j]);
        }
    ckg_study_free(with);
    ckg_study_free(without);
}

/* A wanted probability cannot be met where none is known; the constraint is named. */
static void test_no_probability_to_ask_for(void **state)
{
    ckg_recommend_options how = CKG_RECOMMEND_OPTIONS_INIT;
    ckg_study *s = new_study(2, CKG_NOISE_NONE);
    ckg_recommendation *r;

    (void)state;
    how.rule = CKG_RULE_PROBABILITY;
    tell_some(s, TRIALS, 3);
    for (how.evaluated_only = 0; how.evaluated_only < 2; how.evaluated_only++) {
        assert_int_equal(ckg_study_recommend(s, &how, &r), CKG_ERR_STATE);
        assert_null(r);
        assert_non_null(strstr(ckg_error_message(), "'c1' has not been measured"));
    }
    tell_some(s, 1, 4);
    must(ckg_study_recommend(s, &how, &r));
    assert_finite(r->probability_feasible);
    ckg_recommendation_free(r);
    ckg_study_free(s);
}

/* A design predicted from no other is not predicted, however often it was repeated. */
static void test_left_out_alone(void **state)
{
    const double x[] = {0.2, 0.4};
    const double other[] = {0.7, 0.1};
    double mean[3];
    double sd[3];
    double measured[3];

    (void)state;
    for (int i = 0; i < 2; i++) {
        ckg_study *s = new_study(0, noises[i]);

        for (int t = 0; t < 2; t++)
            tell_at(s, x, &(double){1.0 + 0.1 * t});
        must(ckg_study_leave_one_out(s, 0, mean, sd, measured));
        for (int t = 0; t < 2; t++)
            assert_true(isnan(mean[t]) && isnan(sd[t]) && isnan(measured[t]));
        tell_at(s, other, &(double){2});
        must(ckg_study_leave_one_out(s, 0, mean, sd, measured));
        for (int t = 0; t < 3; t++)
            assert_true(isfinite(mean[t]) && isfinite(sd[t]) && isfinite(measured[t]));
        ckg_study_free(s);
    }
}

/* A penalty that was set is known from the start. */
static void test_a_given_penalty(void **state)
{
    ckg_options options = CKG_OPTIONS_INIT;
    double penalty;

    (void)state;
    options.penalty = 12.5;
    ckg_study *s = study_of(box_problem(2, 0, 1, 1, 0.3), &options);
    must(ckg_study_penalty(s, &penalty));
    assert_true(penalty == 12.5);
    ckg_study_free(s);
}

int main(void)
{
    return RUN_TESTS(test_before_any_value, test_some_never_measured, test_the_first_value,
                     test_others_do_not_depend_on_it, test_no_probability_to_ask_for, test_left_out_alone,
                     test_a_given_penalty);
}

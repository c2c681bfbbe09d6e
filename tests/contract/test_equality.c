/*
 * Equalities: a thin band is found and followed to the optimum, for several policies; what is stated of a
 * design goes by the tolerance, however loose the search was; an equality says the same as the limits that it
 * allows; a band thinner than model units are rounded to is a band all the same.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include <ckg/ckg.h>

#include "support/test.h"

static const double tolerance = 1e-4;

/* The nearest point of the parabola b = a² to (0, 1): f = 0.75 at a² = ½. */
__attribute__((noinline)) static void evaluate(const double *x, double *values)
{
    values[0] = x[0] * x[0] + (x[1] - 1) * (x[1] - 1);
    values[1] = 7 + x[1] - x[0] * x[0];
}

/* As an equality, or as the limits that it allows. */
static ckg_study *new_study(const char *policy, int budget, double off, int limits)
{
    ckg_options options = CKG_OPTIONS_INIT;
    ckg_problem *p;
    ckg_study *s;

    must(ckg_problem_new(&p));
    must(ckg_problem_add_real(p, "a", -1, 1, CKG_LINEAR));
    must(ckg_problem_add_real(p, "b", -1, 1, CKG_LINEAR));
    must(limits ? ckg_problem_add_constraint(p, "h", 7 - off, 7 + off)
                : ckg_problem_add_equality(p, "h", 7, off));
    must(ckg_problem_set_noise(p, "objective", CKG_NOISE_NONE, 0));
    must(ckg_problem_set_noise(p, "h", CKG_NOISE_NONE, 0));
    options.policy = policy;
    options.budget = budget;
    options.seed = 3;
    must(ckg_study_new(&s, p, &options));
    ckg_problem_free(p);
    return s;
}

/* So many evaluations. */
static void run(ckg_study *s, int evaluations)
{
    for (int n = 0; n < evaluations; n++) {
        ckg_suggestion *suggestion;
        double values[2];

        must(ckg_study_ask(s, &suggestion));
        evaluate(suggestion->x, values);
        must(ckg_study_tell(s, suggestion->trial, values));
        ckg_suggestion_free(suggestion);
    }
}

static void test_the_optimum_on_a_thin_band(void **state)
{
    static const char *const policies[] = {"auto", "cei"};

    (void)state;
    for (int i = 0; i < 2; i++) {
        ckg_study *s = new_study(policies[i], 45, tolerance, 0);
        ckg_recommendation *r;
        double values[2];

        run(s, 45);
        must(ckg_study_recommend(s, NULL, &r));
        evaluate(r->x, values);
        assert_true(fabs(values[1] - 7) <= tolerance);
        assert_true(fabs(values[0] - 0.75) <= 1e-3);
        assert_true(r->best_trial >= 0 && r->probability_feasible > 0.5);
        ckg_recommendation_free(r);
        ckg_study_free(s);
    }
}

/* While the search is loose nothing else is: feasibility, the study's problem, and predictions. */
static void test_only_the_search_is_loose(void **state)
{
    ckg_study *s = new_study("cei", 60, tolerance, 0);
    ckg_study *t = new_study("cei", 60, tolerance, 1);
    double value[2][3];
    double chance[2];
    double min, max, equal, off;

    (void)state;
    run(s, 14);
    for (int trial = 0; trial < 14; trial++) {
        ckg_trial told;
        double values[2];
        int same;

        must(ckg_study_trial(s, trial, &told));
        evaluate(told.x, values);
        assert_int_equal(told.feasible, fabs(values[1] - 7) <= tolerance);
        must(ckg_study_add(t, told.x, &same));
        must(ckg_study_tell(t, same, values));
    }
    must(ckg_problem_limits(ckg_study_problem(s), 1, &min, &max));
    assert_true(min == 7 - tolerance && max == 7 + tolerance);
    assert_int_equal(ckg_problem_equality(ckg_study_problem(s), 1, &equal, &off), 1);
    assert_true(equal == 7 && off == tolerance);
    assert_int_equal(ckg_problem_equality(ckg_study_problem(t), 1, &equal, &off), 0);
    assert_true(equal == 0 && off == 0);

    /* An ask in between, in which the search is loose, changes nothing. */
    ckg_suggestion *suggestion;
    must(ckg_study_ask(s, &suggestion));
    must(ckg_study_cancel(s, suggestion->trial));
    const double x[] = {suggestion->x[0], suggestion->x[1]};
    const double said = suggestion->probability_feasible;
    ckg_suggestion_free(suggestion);
    must(ckg_study_predict(s, 1, x, value[0], value[0] + 1, &chance[0], NULL));
    must(ckg_study_predict(t, 1, x, value[1], value[1] + 1, &chance[1], NULL));
    assert_true(chance[0] == chance[1] && value[0][0] == value[1][0]);
    assert_true(said < 0.5); /* by the tolerance: the model is not that sure yet */
    ckg_study_free(s);
    ckg_study_free(t);
}

/* Values agree to nothing that a double can say beyond 1e-13: probabilities and scores stay numbers. */
static void test_a_band_thinner_than_rounding(void **state)
{
    ckg_study *s = new_study("auto", 20, 2e-15, 0);
    const double x[] = {0.5, 0.25, 0.1, 0.9};
    double chance[2];
    double score[2];

    (void)state;
    run(s, 20);
    must(ckg_study_predict(s, 2, x, NULL, NULL, chance, NULL));
    must(ckg_study_score(s, "cei", 2, x, score));
    for (int i = 0; i < 2; i++) {
        assert_true(chance[i] >= 0 && chance[i] <= 1);
        assert_true(isfinite(score[i]));
    }
    assert_true(chance[0] > chance[1]);
    ckg_study_free(s);
}

int main(void)
{
    return RUN_TESTS(test_the_optimum_on_a_thin_band, test_only_the_search_is_loose,
                     test_a_band_thinner_than_rounding);
}

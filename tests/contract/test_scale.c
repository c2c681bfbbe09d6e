/*
 * The scale that the data favour, and what absurd values do to a study: nothing much. Objectives over decades
 * are modelled by their logarithm and never predicted to be negative; a value that is far out of all
 * proportion, of the objective or of a constraint, either way, leaves predictions finite and the
 * recommendation where it was; so do limits far from the data.
 */
#include <math.h>
#include <string.h>

#include <ckg/ckg.h>

#include "support/policies.h"
#include "support/scale.h"
#include "support/studies.h"
#include "support/test.h"

enum { TOLD = 24, GRID = 9 };

/* Two reals in [0, 1]; the constraint's limit and the goal are the caller's; no noise. */
static ckg_study *new_study(double limit, enum ckg_goal goal, int threads)
{
    ckg_options options = CKG_OPTIONS_INIT;
    ckg_problem *problem = box_problem(2, 0, 1, 1, limit);

    must(ckg_problem_set_objective(problem, "f", goal));
    set_all_noise(problem, CKG_NOISE_NONE, 0);
    options.initial = 0;
    options.threads = threads;
    return study_of(problem, &options);
}

static double bowl(const double *x)
{
    return 4 * pow(x[0] - 0.3, 2) + 2 * pow(x[1] - 0.6, 2) + 0.3 * sin(6 * x[0] + 2 * x[1]);
}

static double slope(const double *x)
{
    return x[0] + 0.5 * x[1] - 0.8 + 0.1 * sin(5 * x[1]);
}

static void design(int t, double *x)
{
    x[0] = fmod((t + 0.5) * sqrt(2), 1);
    x[1] = fmod((t + 0.5) * sqrt(5), 1);
}

/* Tells `count` designs; in trial `at` (−1: none) the outcome has `value` instead. */
static void tell_all(ckg_study *study, int count, int at, int outcome, double value)
{
    for (int t = 0; t < count; t++) {
        double x[2];
        design(t, x);
        double values[] = {bowl(x), slope(x)};
        if (t == at)
            values[outcome] = value;
        tell_at(study, x, values);
    }
}

static ckg_model_info model_of(ckg_study *study, int outcome)
{
    ckg_model_info info;

    must(ckg_study_model(study, outcome, &info));
    return info;
}

static void check_predictions(ckg_study *study, int positive)
{
    for (int i = 0; i < GRID * GRID; i++) {
        const double x[] = {(i % GRID) / (GRID - 1.0), (i / GRID) / (GRID - 1.0)};
        double mean[2], sd[2], feasible, utility;
        must(ckg_study_predict(study, 1, x, mean, sd, &feasible, &utility));
        for (int j = 0; j < 2; j++)
            assert_true(isfinite(mean[j]) && isfinite(sd[j]) && sd[j] >= 0);
        assert_true(feasible >= 0 && feasible <= 1 && isfinite(utility));
        assert_true(!positive || positive * mean[0] > 0);
    }
}

/* --- the scale by evidence --- */

/* exp(8·bowl) and its mirror image: four decades, and the same study. */
static void test_decades_are_modelled_by_their_logarithm(void **state)
{
    (void)state;
    for (int side = -1; side <= 1; side += 2) {
        ckg_study *study = new_study(0, side > 0 ? CKG_MINIMIZE : CKG_MAXIMIZE, 1);
        for (int t = 0; t < TOLD; t++) {
            double x[2];
            design(t, x);
            const double values[] = {side * exp(8 * bowl(x)), slope(x)};
            tell_at(study, x, values);
        }
        assert_string_equal(model_of(study, 0).scale, "log");
        assert_string_equal(model_of(study, 1).scale, "linear");
        assert_true(model_of(study, 0).warp == 0 && model_of(study, 0).outliers == 0);
        check_predictions(study, side);
        ckg_study_free(study);
    }
}

/* Of both signs, or within a decade, or smooth as it is: nothing is gained. */
static void test_what_has_no_decades_stays_as_it_is(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        ckg_study *study = new_study(0, CKG_MINIMIZE, 1);
        for (int t = 0; t < TOLD; t++) {
            double x[2];
            design(t, x);
            const double objectives[] = {bowl(x) - 0.5, bowl(x) + 1, x[0] + x[1] + 0.1};
            const double values[] = {objectives[i], slope(x)};
            tell_at(study, x, values);
        }
        assert_string_equal(model_of(study, 0).scale, "linear");
        assert_int_equal(model_of(study, 0).outliers, 0);
        ckg_study_free(study);
    }
}

/* All violate the limit 0, over decades: by their logarithm none ever could meet it. A limit of 1 is in
 * reach. */
static void test_a_limit_must_be_in_reach_of_a_logarithm(void **state)
{
    (void)state;
    for (int limit = 0; limit < 2; limit++) {
        ckg_study *study = new_study(limit, CKG_MINIMIZE, 1);
        double probability[GRID * GRID];
        double most = 0;
        for (int t = 0; t < TOLD; t++) {
            double x[2];
            design(t, x);
            const double values[] = {bowl(x), exp(6 * slope(x))};
            tell_at(study, x, values);
        }
        assert_int_equal(!strcmp(model_of(study, 1).scale, "log"), limit);
        for (int i = 0; i < GRID * GRID; i++) {
            const double x[] = {(i % GRID) / (GRID - 1.0), (i / GRID) / (GRID - 1.0)};
            must(ckg_study_predict(study, 1, x, NULL, NULL, &probability[i], NULL));
            most = fmax(most, probability[i]);
            if (limit && fabs(slope(x)) > 0.1)
                assert_true((probability[i] > 0.5) == (slope(x) <= 0));
        }
        assert_true(most > 0);
        ckg_study_free(study);
    }
}

static double steep(const double *x)
{
    return exp(8 * bowl(x));
}

static void evaluate_steep(const double *x, double *values)
{
    values[0] = steep(x);
    values[1] = slope(x);
}

/* On a logarithmic scale, with an absurd value: a rebuilt study by two threads suggests the same bits. */
static void test_it_follows_from_the_trials(void **state)
{
    ckg_study *along = new_study(0, CKG_MINIMIZE, 1);

    (void)state;
    for (int t = 0; t < 14; t++) {
        double x[2], values[2];
        design(t, x);
        evaluate_steep(x, values);
        values[1] = t == 5 ? 1e50 : values[1];
        tell_at(along, x, values);
    }
    for (int i = 0; i < test_scale(4, 1); i++) {
        ckg_study *copy = new_study(0, CKG_MINIMIZE, 2);
        ckg_suggestion *a, *b;
        double values[2];
        copy_trials(along, copy);
        must(ckg_study_ask(along, &a));
        must(ckg_study_ask(copy, &b));
        assert_memory_equal(a->x, b->x, 2 * sizeof *a->x);
        assert_true(a->value == b->value);
        evaluate_steep(a->x, values);
        must(ckg_study_tell(along, a->trial, values));
        ckg_suggestion_free(a);
        ckg_suggestion_free(b);
        ckg_study_free(copy);
    }
    assert_string_equal(model_of(along, 0).scale, "log");
    assert_int_equal(model_of(along, 1).outliers, 1);
    ckg_study_free(along);
}

/* "0: as it is" means it. */
static void test_as_it_is_when_told_so(void **state)
{
    ckg_options options = CKG_OPTIONS_INIT;
    ckg_problem *problem = box_problem(2, 0, 1, 1, 0);

    (void)state;
    set_all_noise(problem, CKG_NOISE_NONE, 0);
    options.warp = 0;
    options.initial = 0;
    ckg_study *study = study_of(problem, &options);
    tell_all(study, TOLD, 7, 0, 1e50);
    assert_string_equal(model_of(study, 0).scale, "linear");
    assert_int_equal(model_of(study, 0).outliers, 0);
    check_predictions(study, 0);
    ckg_study_free(study);
}

/* --- absurd values --- */

static const double outlier[] = {1e3, -1e3, 1e50, -1e50, 1e150, -1e150};
enum { OUTLIER = sizeof outlier / sizeof *outlier };

/* The number of a trial that is infeasible by far: what is told of it says nothing about the best. */
static int infeasible_trial(void)
{
    double x[2];
    int t = 0;

    do
        design(++t, x);
    while (slope(x) < 0.2);
    return t;
}

static double recommended_cost(ckg_study *study)
{
    ckg_recommendation *r;

    must(ckg_study_recommend(study, NULL, &r));
    const double cost = slope(r->x) <= 0 ? bowl(r->x) : INFINITY;
    assert_true(isfinite(r->mean[0]) && isfinite(r->sd[0]) && isfinite(r->utility));
    ckg_recommendation_free(r);
    return cost;
}

/* An objective of any size, and a constraint that is violated beyond all measure. */
static void test_the_recommendation_stays(void **state)
{
    ckg_study *clean = new_study(0, CKG_MINIMIZE, 1);

    (void)state;
    tell_all(clean, TOLD, -1, 0, 0);
    const double best = recommended_cost(clean);
    ckg_study_free(clean);

    for (int i = 0; i < OUTLIER; i++)
        for (int outcome = 0; outcome < 2; outcome++) {
            if (outcome && outlier[i] < 0)
                continue;
            ckg_study *study = new_study(0, CKG_MINIMIZE, 1);
            tell_all(study, TOLD, infeasible_trial(), outcome, outlier[i]);
            assert_int_equal(model_of(study, outcome).outliers, 1);
            check_predictions(study, 0);
            /* the objective ranges over 3 */
            const double cost = recommended_cost(study);
            print_message("outcome %d, %g: %.4f, %.4f without\n", outcome, outlier[i], cost, best);
            assert_true(cost <= best + 0.03);
            ckg_study_free(study);
        }
}

/* A value that is merely far out is judged by what the others say: they are smooth without it. */
static void test_far_out_by_evidence(void **state)
{
    (void)state;
    for (int outcome = 0; outcome < 2; outcome++) {
        ckg_study *study = new_study(0, CKG_MINIMIZE, 1);
        tell_all(study, TOLD, infeasible_trial(), outcome, outcome ? 4 : 12);
        assert_int_equal(model_of(study, outcome).outliers, 1);
        assert_int_equal(model_of(study, 1 - outcome).outliers, 0);
        assert_string_equal(model_of(study, outcome).scale, "linear");
        ckg_study_free(study);
    }
}

/* One value of 1000 among feasible designs is a mishap; two beside each other are bad, also between them. */
static void test_neighbours_confirm_each_other(void **state)
{
    const double at[][2] = {{0.08, 0.78}, {0.12, 0.82}};
    const double between[] = {0.1, 0.8};
    double mean[2];

    (void)state;
    for (int both = 0; both < 2; both++) {
        ckg_study *study = new_study(0, CKG_MINIMIZE, 1);
        tell_all(study, TOLD, -1, 0, 0);
        tell_at(study, at[0], (const double[]){1000, slope(at[0])});
        tell_at(study, at[1], (const double[]){both ? 1000 : bowl(at[1]), slope(at[1])});
        assert_int_equal(model_of(study, 0).outliers, 1 + both);
        must(ckg_study_predict(study, 1, between, mean, NULL, NULL, NULL));
        print_message("%g between them, %g without\n", mean[0], bowl(between));
        assert_true(both ? mean[0] > 1.5 : fabs(mean[0] - bowl(between)) < 0.05);
        ckg_study_free(study);
    }
}

/* The best value measured is the best evaluated, however good it is. */
static void test_absurdly_good_is_best_evaluated(void **state)
{
    ckg_study *study = new_study(0, CKG_MINIMIZE, 1);
    ckg_recommendation *r;
    double x[2];
    int t = 0;

    (void)state;
    do
        design(++t, x);
    while (slope(x) > -0.2);
    tell_all(study, TOLD, t, 0, -1e50);
    must(ckg_study_recommend(study, NULL, &r));
    assert_int_equal(r->best_trial, t);
    check_predictions(study, 0);
    ckg_recommendation_free(r);
    ckg_study_free(study);
}

/* One is chance, two are a fact: what is absurdly good and confirmed is modelled as it is. */
static void test_absurdly_good_twice_is_believed(void **state)
{
    ckg_study *study = new_study(0, CKG_MINIMIZE, 1);
    const double at[][2] = {{0.21, 0.35}, {0.22, 0.33}};

    (void)state;
    tell_all(study, TOLD, -1, 0, 0);
    tell_at(study, at[0], (const double[]){-1000, -0.5});
    assert_int_equal(model_of(study, 0).outliers, 1);
    tell_at(study, at[1], (const double[]){-900, -0.5});
    assert_int_equal(model_of(study, 0).outliers, 0);
    ckg_study_free(study);
}

static void test_limits_far_from_the_data(void **state)
{
    static const double limits[] = {1e9, -1e9, 1e50, -1e50, 1e149, -1e149};

    (void)state;
    for (int i = 0; i < 6; i++)
        for (int wild = 0; wild < 2; wild++) {
            ckg_study *study = new_study(limits[i], CKG_MINIMIZE, 1);
            const double x[] = {0.45, 0.55};
            double probability;
            ckg_suggestion *s;
            tell_all(study, TOLD, wild ? 3 : -1, 1, limits[i] > 0 ? -1e4 : 1e4);
            check_predictions(study, 0);
            must(ckg_study_predict(study, 1, x, NULL, NULL, &probability, NULL));
            /* Sampled hyperparameters leave more room than their optimum, which said 1e-6. */
            assert_true(limits[i] > 0 ? probability > 1 - 1e-4 : probability < 1e-4);
            must(ckg_study_ask(study, &s));
            assert_true(s->x[0] >= 0 && s->x[0] <= 1 && s->x[1] >= 0 && s->x[1] <= 1);
            ckg_suggestion_free(s);
            ckg_study_free(study);
        }
}

/* Beyond 1e150 a value is refused, and the study is as before. */
static void test_beyond_all_numbers(void **state)
{
    ckg_study *study = new_study(0, CKG_MINIMIZE, 1);
    const double x[] = {0.5, 0.5};
    const double values[] = {1e300, 0};
    int trial;

    (void)state;
    tell_all(study, TOLD, -1, 0, 0);
    must(ckg_study_add(study, x, &trial));
    assert_int_equal(ckg_study_tell(study, trial, values), CKG_ERR_INVALID);
    check_predictions(study, 0);
    ckg_study_free(study);
}

/* --- every policy --- */

/* Suggestions stay in the box and predictions finite, whichever outcome is absurd, either way. */
static void copes_with_outlier_values(const struct ckg__policy *row)
{
    const struct toy toy = {.K = 1, .noise = CKG_NOISE_NONE};

    for (int i = 0; i < OUTLIER; i++)
        for (int outcome = 0; outcome < 2; outcome++) {
            ckg_study *study = toy_study(&toy, row->name, 0, NULL);
            for (int t = 0; t < 12; t++) {
                double x[2], values[TOY_OUTCOMES];
                design(t, x);
                x[0] *= 5;
                x[1] *= 5;
                toy_evaluate(&toy, t, x, values);
                if (t == 4)
                    values[outcome] = outlier[i];
                tell_at(study, x, values);
            }
            for (int step = 0; step < test_scale(2, 1); step++) {
                ckg_suggestion *s = toy_step(study, &toy);
                double mean[2], sd[2], feasible;
                for (int k = 0; k < 2; k++)
                    assert_true(s->x[k] >= 0 && s->x[k] <= 5);
                must(ckg_study_predict(study, 1, s->x, mean, sd, &feasible, NULL));
                for (int j = 0; j < 2; j++)
                    assert_true(isfinite(mean[j]) && isfinite(sd[j]));
                assert_true(feasible >= 0 && feasible <= 1);
                ckg_suggestion_free(s);
            }
            ckg_study_free(study);
        }
}

int main(void)
{
    static const struct policy_contract contracts[] = {
        {"copes with absurd values", copes_with_outlier_values}};
    const int failed = RUN_TESTS(
        test_decades_are_modelled_by_their_logarithm, test_what_has_no_decades_stays_as_it_is,
        test_a_limit_must_be_in_reach_of_a_logarithm, test_it_follows_from_the_trials,
        test_as_it_is_when_told_so, test_the_recommendation_stays, test_far_out_by_evidence,
        test_neighbours_confirm_each_other, test_absurdly_good_is_best_evaluated,
        test_absurdly_good_twice_is_believed, test_limits_far_from_the_data, test_beyond_all_numbers);

    return failed + policies_run(1, contracts);
}

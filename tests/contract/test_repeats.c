/*
 * What is said of a constraint that repeats another, in its own units and by its own limits: predictions,
 * probabilities, the model, leave-one-out. Limits that differ are those of one process: the probability of
 * all is that of an interval, which is held against Φ of the prediction. A constraint that departs counts
 * again, and the study goes on as one that is rebuilt from its trials.
 */
#include <math.h>
#include <string.h>

#include "linalg/normal.h"
#include "study/study.h"
#include "support/near.h"
#include "support/scale.h"
#include "support/studies.h"
#include "support/test.h"

enum { TOLD = 9, PROBES = 40 };

/* c₁ <= 0, and a second constraint made of it. */
struct pair {
    double min, max;      /* limits of the second */
    double factor, shift; /* its values: factor·c₁ + shift + bump·cos(3·x₁) */
    double bump;
};

static const double limit = 0;

static double first(const double *x)
{
    return x[0] + 0.7 * x[1] * x[1] - 0.8 + 0.1 * sin(7 * x[0]);
}

static ckg_study *study_with(const char *fit, int K, const struct pair *pair)
{
    ckg_options options = CKG_OPTIONS_INIT;
    ckg_problem *problem = box_problem(2, 0, 1, 0, 0);

    must(ckg_problem_add_constraint(problem, "a", -INFINITY, limit));
    if (K > 1)
        must(ckg_problem_add_constraint(problem, "b", pair->min, pair->max));
    set_all_noise(problem, CKG_NOISE_NONE, 0);
    options.policy = "cei";
    options.initial = 0;
    options.warp = 0;  /* predictions are normal, */
    options.fit = fit; /* or a mixture of normal ones where hyperparameters are sampled */
    return study_of(problem, &options);
}

static void design(int t, double *x)
{
    x[0] = fmod((t + 0.5) * sqrt(2), 1);
    x[1] = fmod((t + 0.5) * sqrt(5), 1);
}

static void values_at(const struct pair *pair, const double *x, double *values)
{
    values[0] = pow(x[0] - 0.9, 2) + x[1];
    values[1] = first(x);
    values[2] = pair->factor * values[1] + pair->shift + pair->bump * cos(3 * x[1]);
}

static void tell_more(ckg_study *s, const struct pair *pair, int from, int to)
{
    for (int t = from; t < to; t++) {
        double x[2];
        double values[3];
        design(t, x);
        values_at(pair, x, values);
        tell_at(s, x, values);
    }
}

static ckg_study *told_by(const char *fit, int K, const struct pair *pair, int n)
{
    ckg_study *s = study_with(fit, K, pair);
    tell_more(s, pair, 0, n);
    return s;
}

static ckg_study *told(int K, const struct pair *pair, int n)
{
    return told_by("auto", K, pair, n);
}

static ckg_model_info model_of(ckg_study *s, int outcome)
{
    ckg_model_info info;
    must(ckg_study_model(s, outcome, &info));
    return info;
}

/* --- what is said --- */

static const struct pair turned = {5, INFINITY, -4, 5, 0};

static void test_predictions_are_in_its_units(void **state)
{
    ckg_study *alone = told(1, &turned, TOLD);
    ckg_study *both = told(2, &turned, TOLD);
    int even = 0;

    (void)state;
    for (int p = 0; p < PROBES; p++) {
        double x[2], mean[3], sd[3], pf, want_mean[2], want_sd[2], want;
        design(100 + p, x);
        must(ckg_study_predict(alone, 1, x, want_mean, want_sd, &want, NULL));
        must(ckg_study_predict(both, 1, x, mean, sd, &pf, NULL));
        assert_near(mean[1], want_mean[1], 1e-12);
        assert_near(mean[2], 5 - 4 * want_mean[1], 1e-11);
        assert_near(sd[2], 4 * want_sd[1], 1e-11);

        /* Not squared. */
        assert_near(pf, want, 1e-12);
        even += pf > 0.3 && pf < 0.7;
    }
    assert_true(even > 0);
    ckg_study_free(alone);
    ckg_study_free(both);
}

static void test_model_and_leaving_out(void **state)
{
    ckg_study *s = told(2, &turned, TOLD);
    const ckg_model_info a = model_of(s, 1);
    const ckg_model_info b = model_of(s, 2);
    double mean[2][TOLD], sd[2][TOLD], measured[2][TOLD];

    (void)state;
    assert_int_equal(a.duplicate_of, 0);
    assert_int_equal(a.is_duplicate, 0);
    assert_int_equal(b.duplicate_of, 1);
    assert_int_equal(b.is_duplicate, 1);
    assert_int_equal(b.observations, TOLD);
    assert_near(b.mean, 5 - 4 * a.mean, 1e-12);
    assert_near(b.signal_sd, 4 * a.signal_sd, 1e-12);

    for (int j = 0; j < 2; j++)
        must(ckg_study_leave_one_out(s, 1 + j, mean[j], sd[j], measured[j]));
    for (int t = 0; t < TOLD; t++) {
        assert_near(mean[1][t], 5 - 4 * mean[0][t], 1e-11);
        assert_near(sd[1][t], 4 * sd[0][t], 1e-11);
        assert_near(measured[1][t], 4 * measured[0][t], 1e-11);
    }
    ckg_study_free(s);
}

/* --- other limits --- */

/* Φ of a band of c₁, from what is predicted of it. */
static double within(double mean, double sd, double low, double high)
{
    return ckg__normal_cdf((high - mean) / sd) - ckg__normal_cdf((low - mean) / sd);
}

static void test_the_narrowest_limits_count(void **state)
{
    /* What the second says of c₁: at least −0.4; at most −0.2; at most 0.3, which is no news. */
    static const struct pair pairs[] = {
        {-INFINITY, 0.4, -1, 0, 0}, {-INFINITY, 0.6, 2, 1, 0}, {-INFINITY, 1.6, 2, 1, 0}};
    static const double low[] = {-0.4, -INFINITY, -INFINITY};
    static const double high[] = {0, -0.2, 0};
    static const double own_high[] = {INFINITY, -0.2, 0.3};

    (void)state;
    for (int i = 0; i < 3; i++) {
        ckg_study *s = told_by("map", 2, &pairs[i], TOLD);
        assert_int_equal(model_of(s, 2).is_duplicate, 1);
        for (int p = 0; p < PROBES; p++) {
            double x[2], mean[3], sd[3], pf;
            design(200 + p, x);
            must(ckg_study_predict(s, 1, x, mean, sd, &pf, NULL));
            /* limits are rounded to 2^-32 of a model unit, and no sd is below its floor */
            if (sd[1] > 1e-3)
                assert_near(pf, within(mean[1], sd[1], low[i], high[i]), 1e-6);
        }

        ckg_suggestion *a;
        must(ckg_study_ask(s, &a));
        if (a->sd[1] > 1e-3) {
            assert_near(a->probability[0], within(a->mean[1], a->sd[1], -INFINITY, 0), 1e-6);
            assert_near(a->probability[1], within(a->mean[1], a->sd[1], low[i], own_high[i]), 1e-6);
        }
        ckg_suggestion_free(a);
        ckg_study_free(s);
    }
}

/* c₁ <= 0 and c₁ >= 1 cannot both hold: they stay two constraints, and nothing breaks. */
static void test_limits_that_contradict(void **state)
{
    static const struct pair pair = {1, INFINITY, 1, 0, 0};
    ckg_study *s = told(2, &pair, TOLD);
    ckg_suggestion *a;

    (void)state;
    assert_int_equal(model_of(s, 2).duplicate_of, 0);
    must(ckg_study_ask(s, &a));
    assert_true(a->probability_feasible < 0.3);
    ckg_suggestion_free(a);
    ckg_study_free(s);
}

/* --- nearly --- */

/* Nearly the same in other units: what is said of both is not far from what is said of one. */
static void test_nearly(void **state)
{
    static const struct pair pairs[] = {{-INFINITY, 0, 2, 0, 2e-4}, {0, INFINITY, -5, 0, 1e-3}};

    (void)state;
    for (int i = 0; i < 2; i++) {
        ckg_study *alone = told_by("map", 1, &pairs[i], TOLD);
        ckg_study *both = told_by("map", 2, &pairs[i], TOLD);
        int even = 0;
        assert_int_equal(model_of(both, 2).duplicate_of, 1);
        assert_int_equal(model_of(both, 2).is_duplicate, 0);
        for (int p = 0; p < PROBES; p++) {
            double x[2], mean[3], sd[3], pf, want_mean[2], want_sd[2], want;
            design(100 + p, x);
            must(ckg_study_predict(alone, 1, x, want_mean, want_sd, &want, NULL));
            must(ckg_study_predict(both, 1, x, mean, sd, &pf, NULL));

            /* At most what the first says alone, and far from its square. */
            const double second = pairs[i].factor < 0 ? within(mean[2], sd[2], 0, INFINITY)
                                                      : within(mean[2], sd[2], -INFINITY, 0);
            if (sd[2] > 1e-2)
                assert_near(pf, fmin(want, second), 1e-6);
            even += pf > 0.3 && pf < 0.7;
        }
        assert_true(even > 0);
        ckg_study_free(alone);
        ckg_study_free(both);
    }
}

/* --- coming and going --- */

static void test_little_data_assume_nothing(void **state)
{
    static const struct pair pair = {-INFINITY, 0, 2, 0, 0};

    (void)state;
    for (int n = 3; n < 8; n++) {
        ckg_study *s = told(2, &pair, n);
        assert_int_equal(model_of(s, 2).duplicate_of, n >= 5);
        ckg_study_free(s);
    }
}

/* Both ask for the same design, which the first is told; the second has done its service. */
static void step(ckg_study *s, ckg_study *rebuilt, const struct pair *pair)
{
    double values[3];
    ckg_suggestion *a;
    ckg_suggestion *b;

    must(ckg_study_ask(s, &a));
    must(ckg_study_ask(rebuilt, &b));
    assert_memory_equal(a->x, b->x, 2 * sizeof *a->x);
    assert_memory_equal(a->mean, b->mean, 3 * sizeof *a->mean);
    assert_memory_equal(a->probability, b->probability, 2 * sizeof *a->probability);

    values_at(pair, a->x, values);
    must(ckg_study_tell(s, a->trial, values));
    ckg_suggestion_free(a);
    ckg_suggestion_free(b);
    ckg_study_free(rebuilt);
}

/* The second repeats the first until trial 19 says otherwise; models at anchors, before and after. */
static void test_a_departure(void **state)
{
    static const struct pair alike = {-INFINITY, 0, 2, 0, 0};
    static const struct pair other = {-INFINITY, 0, 2, 0.5, 0};
    ckg_study *s = told(2, &alike, TOLD);

    (void)state;
    for (int n = TOLD; n < 36; n++) {
        const struct pair *next = n == 19 ? &other : &alike;
        assert_int_equal(model_of(s, 2).is_duplicate, n <= 19);
        assert_int_equal(model_of(s, 2).duplicate_of, n <= 19);
        if (n % test_scale(3, 9) && n != 20) {
            tell_more(s, next, n, n + 1);
            continue;
        }
        ckg_study *rebuilt = study_with("auto", 2, &alike);
        copy_trials(s, rebuilt);
        step(s, rebuilt, next);
    }
    ckg_study_free(s);
}

/* Measured in part: the one that was measured more often leads; where neither covers the other, both stay. */
static void test_partly_measured(void **state)
{
    static const struct pair pair = {-INFINITY, 0, 2, 0, 0};
    ckg_study *s = told(2, &pair, TOLD);

    (void)state;
    for (int t = 0; t < 2; t++) {
        double x[2];
        double values[3];
        int trial;
        design(50 + t, x);
        values_at(&pair, x, values);
        const ckg_measurement m = {2 - t, values[2 - t], CKG_SD_DEFAULT};
        must(ckg_study_add(s, x, &trial));
        must(ckg_study_tell_measured(s, trial, 1, &m));
        if (t == 0) {
            assert_int_equal(model_of(s, 1).duplicate_of, 2);
            assert_int_equal(model_of(s, 1).observations, TOLD + 1);
        }
    }
    assert_false(model_of(s, 1).is_duplicate || model_of(s, 2).is_duplicate);
    assert_int_equal(model_of(s, 1).observations, TOLD + 1);
    ckg_study_free(s);
}

int main(void)
{
    return RUN_TESTS(test_predictions_are_in_its_units, test_model_and_leaving_out,
                     test_the_narrowest_limits_count, test_limits_that_contradict, test_nearly,
                     test_little_data_assume_nothing, test_a_departure, test_partly_measured);
}

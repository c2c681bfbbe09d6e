/*
 * Predictive entropy search from outside: each outcome's share of the value, what is said where there are
 * none, suggestions that are worth something, and where nothing can be learnt the stated fallback.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <ckg/ckg.h>

#include "support/scale.h"
#include "support/studies.h"
#include "support/test.h"

enum { PROBES = 7, MAX_K = 20 };

/* d reals in [0, 1] and K constraints below a limit. */
static ckg_study *new_study(int d, int K, double limit, enum ckg_noise noise, int threads)
{
    ckg_options o = CKG_OPTIONS_INIT;
    ckg_problem *p = box_problem(d, 0, 1, K, limit);

    must(ckg_problem_set_noise(p, "objective", noise, 0));
    o.policy = "pesc";
    o.initial = 6;
    o.samples = 2;
    o.threads = threads;
    return study_of(p, &o);
}

static void evaluate(int d, int K, const double *x, double *values)
{
    values[0] = 0;
    for (int i = 0; i < d; i++)
        values[0] += pow(x[i] - 0.3, 2) + 0.3 * sin(7 * x[i] + i);
    for (int j = 1; j <= K; j++)
        values[j] = cos(4 * x[0] + j) - x[d - 1];
}

/* Asks and tells; the last suggestion's value is returned, and its path. */
static double go_on(ckg_study *s, int d, int K, int count, const char **path)
{
    double value = NAN, values[1 + MAX_K];
    for (int t = 0; t < count; t++) {
        ckg_suggestion *a;
        must(ckg_study_ask(s, &a));
        evaluate(d, K, a->x, values);
        must(ckg_study_tell(s, a->trial, values));
        value = a->value;
        *path = a->path;
        ckg_suggestion_free(a);
    }
    return value;
}

static void probe(int d, double *X)
{
    for (int p = 0; p < PROBES * d; p++)
        X[p] = fmod(0.13 + 0.6180339887 * p, 1);
}

/*
 * The shares are not negative and add up to the value; with and without constraints, under sampled
 * hyperparameters and without.
 */
static void test_shares_add_up(void **state)
{
    static const int K[] = {0, 1, 2, MAX_K};

    (void)state;
    for (int i = 0; i < 8; i += test_scale(1, 3)) {
        const int k = K[i / 2], noise = i % 2;
        ckg_study *s = new_study(2, k, 0.2, noise ? CKG_NOISE_AUTO : CKG_NOISE_NONE, 1);
        double X[2 * PROBES], value[PROBES], share[PROBES * (1 + MAX_K)];
        const char *path;
        go_on(s, 2, k, 8, &path);
        probe(2, X);
        must(ckg_study_score(s, NULL, PROBES, X, value));
        must(ckg_study_score_outcomes(s, "pesc", PROBES, X, share));
        for (int p = 0; p < PROBES; p++) {
            double sum = 0;
            for (int j = 0; j <= k; j++) {
                assert_true(share[p * (1 + k) + j] >= 0);
                sum += share[p * (1 + k) + j];
            }
            assert_true(isfinite(value[p]) && fabs(sum - value[p]) <= 1e-12 * (1 + sum));
        }
        ckg_study_free(s);
    }
}

/* Where evaluations fail, what is learnt of that is in the value and in no share. */
static void test_shares_without_failures(void **state)
{
    ckg_study *s = new_study(2, 1, 0.2, CKG_NOISE_NONE, 1);
    double X[2 * PROBES], value[PROBES], share[PROBES * 2], beyond = 0;
    const char *path;

    (void)state;
    go_on(s, 2, 1, 8, &path);
    for (int t = 0; t < 2; t++) {
        ckg_suggestion *a;
        must(ckg_study_ask(s, &a));
        must(ckg_study_tell_failed(s, a->trial));
        ckg_suggestion_free(a);
    }
    probe(2, X);
    must(ckg_study_score(s, NULL, PROBES, X, value));
    must(ckg_study_score_outcomes(s, NULL, PROBES, X, share));
    for (int p = 0; p < PROBES; p++) {
        assert_true(share[2 * p] >= 0 && share[2 * p + 1] >= 0);
        assert_true(share[2 * p] + share[2 * p + 1] <= value[p] + 1e-12);
        beyond += value[p] - share[2 * p] - share[2 * p + 1];
    }
    assert_true(beyond > 1e-6);
    ckg_study_free(s);
}

static void test_errors(void **state)
{
    ckg_study *s = new_study(1, 1, 0.2, CKG_NOISE_NONE, 1);
    const double x = 0.5;
    double share[2];
    const char *path;

    (void)state;
    go_on(s, 1, 1, 7, &path);
    assert_int_equal(ckg_study_score_outcomes(s, "cei", 1, &x, share), CKG_ERR_INVALID);
    assert_non_null(strstr(ckg_error_message(), "cei"));
    assert_int_equal(ckg_study_score_outcomes(s, "nonesuch", 1, &x, share), CKG_ERR_NOT_FOUND);
    assert_int_equal(ckg_study_score_outcomes(s, "pesc", 1, &x, NULL), CKG_ERR_INVALID);
    assert_int_equal(ckg_study_score_outcomes(s, "pesc", 1, NULL, share), CKG_ERR_INVALID);
    assert_int_equal(ckg_study_score_outcomes(NULL, "pesc", 1, &x, share), CKG_ERR_INVALID);
    must(ckg_study_score_outcomes(s, "pesc", 0, NULL, share));
    ckg_study_free(s);
}

/* The suggestion is worth as much as any probe, and the same bits with two threads. */
static void test_suggestions(void **state)
{
    (void)state;
    for (int noise = 0; noise < 2; noise++) {
        double value[2], X[2 * PROBES], at[PROBES];
        for (int threads = 1; threads <= 2; threads++) {
            ckg_study *s = new_study(2, 1, 0.2, noise ? CKG_NOISE_AUTO : CKG_NOISE_NONE, threads);
            const char *path;
            ckg_suggestion *a;
            go_on(s, 2, 1, test_scale(12, 8), &path);
            assert_string_equal(path, "pesc");
            probe(2, X);
            must(ckg_study_score(s, NULL, PROBES, X, at));
            must(ckg_study_ask(s, &a));
            value[threads - 1] = a->value;
            for (int p = 0; p < PROBES; p++)
                assert_true(a->value >= 0.98 * at[p]);
            ckg_suggestion_free(a);
            ckg_study_free(s);
        }
        assert_memory_equal(&value[0], &value[1], sizeof value[0]);
    }
}

/*
 * A limit that no draw can meet: that nothing is feasible is no news, and log-cEI, here the probability of
 * feasibility, chooses.
 */
static void test_fallback(void **state)
{
    ckg_study *s = new_study(2, 1, -1e9, CKG_NOISE_NONE, 1);
    const char *path;

    (void)state;
    const double value = go_on(s, 2, 1, 9, &path);
    assert_string_equal(path, "cei-fallback");
    assert_true(isfinite(value));
    ckg_study_free(s);
}

int main(void)
{
    return RUN_TESTS(test_shares_add_up, test_shares_without_failures, test_errors, test_suggestions,
                     test_fallback);
}

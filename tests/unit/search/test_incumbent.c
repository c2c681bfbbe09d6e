/*
 * The incumbent: the best mean among designs measured feasible, joined by pending designs whose constraints
 * are believed to be met, and under noise by the values measured. Checked against the public predictions: a
 * pending design is believed at its mean, so that conditioning on it moves no mean.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "support/near.h"
#include "support/policies.h"
#include "support/studies.h"
#include "support/test.h"

/* The library's incumbent, in the toy's units: the smallest objective. NAN: there is none. */
static double incumbent(ckg_study *s)
{
    struct ckg__search search;
    double best, value, sd;
    must(ckg__study_begin_search(s, ckg__policy_find("cei"), &search));
    must(ckg__search_incumbent(&search, search.lookahead[0].belief, search.results, &best));
    ckg__study_end_search(s, CKG_OK);
    ckg__scaling_moments(&s->models.surrogate[0].scaling, best, 0, &value, &sd);
    return isfinite(best) ? value : NAN;
}

/* The same from the trials and the predictions at them. */
static double expected(ckg_study *s, int K, int noisy)
{
    double best = NAN;
    for (int t = 0; t < ckg_study_trials(s); t++) {
        ckg_trial trial;
        double mean[TOY_OUTCOMES];
        must(ckg_study_trial(s, t, &trial));
        must(ckg_study_predict(s, 1, trial.x, mean, NULL, NULL, NULL));
        int counts = trial.state == CKG_PENDING || trial.feasible == 1;
        for (int k = 1; trial.state == CKG_PENDING && k <= K; k++)
            counts &= mean[k] <= 0.1;
        if (counts)
            best = fmin(best, mean[0]);
        for (int i = 0; noisy && trial.feasible == 1 && i < trial.count; i++)
            if (trial.measured[i].outcome == 0)
                best = fmin(best, trial.measured[i].value);
    }
    return best;
}

static void check(ckg_study *s, int K, int noisy)
{
    const double want = expected(s, K, noisy), got = incumbent(s);
    if (isnan(want))
        assert_true(isnan(got));
    else
        assert_near(got, want, 1e-7 * (1 + fabs(want)));
}

static void test_told_and_pending(void **state)
{
    static const double pending[][2] = {{0.3, 2.1}, {2.6, 2.3}, {4.4, 0.2}, {1.1, 4.4}, {2.7, 2.2}};
    int improved = 0;
    (void)state;
    for (int i = 0; i < 6; i++) {
        const struct toy toy = {.K = i % 3, .noise = i / 3 ? CKG_NOISE_AUTO : CKG_NOISE_NONE, .fit = "map"};
        ckg_study *s = toy_study_told(&toy, "cei", 8);
        double before = expected(s, toy.K, toy.noise != CKG_NOISE_NONE);
        check(s, toy.K, toy.noise != CKG_NOISE_NONE);
        for (int q = 0; q < 5; q++) {
            int trial;
            must(ckg_study_add(s, pending[q], &trial));
            check(s, toy.K, toy.noise != CKG_NOISE_NONE);
            improved += incumbent(s) < before;
            before = fmin(before, incumbent(s));
        }
        ckg_study_free(s);
    }
    assert_true(improved > 0);
}

/* Nothing measured feasible: none, until a pending design is believed feasible. */
static void test_none_measured_feasible(void **state)
{
    const struct toy toy = {.K = 1, .noise = CKG_NOISE_NONE};
    const double X[][2] = {{0, 1}, {1.5, 4}, {3, 2}}, near[] = {0.1, 1.9}, far[] = {4.2, 2.5};
    ckg_study *s = toy_study(&toy, "cei", 0, NULL);
    int trial;
    (void)state;
    assert_true(isnan(incumbent(s)));
    for (int i = 0; i < 3; i++) {
        const double values[] = {1 + i, 2 - 0.6 * X[i][0]};
        tell_at(s, X[i], values);
    }
    assert_true(isnan(incumbent(s)));
    must(ckg_study_add(s, near, &trial));
    assert_true(isnan(incumbent(s)));
    must(ckg_study_add(s, far, &trial));
    assert_false(isnan(incumbent(s)));
    check(s, 1, 0);
    ckg_study_free(s);
}

int main(void)
{
    return RUN_TESTS(test_told_and_pending, test_none_measured_feasible);
}

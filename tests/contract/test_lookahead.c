/*
 * `ckg` that plans two evaluations together (`lookahead` 2): it suggests what may be suggested, with noise
 * and without, the same at any number of threads, and it is not the plan for one evaluation.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include <ckg/ckg.h>

#include "support/studies.h"
#include "support/test.h"

enum { DESIGNS = 12, ASKS = 2 };

/* What is asked for one after the other, told at the mean of the waves each time. */
static void suggestions(int lookahead, int noisy, int threads, double *x)
{
    const ckg_setting setting = {"lookahead", lookahead};
    ckg_options o = CKG_OPTIONS_INIT;
    ckg_problem *p = box_problem(2, 0, 1, 1, 0.2);

    must(ckg_problem_set_noise(p, "objective", noisy ? CKG_NOISE_AUTO : CKG_NOISE_NONE, 0));
    o.samples = 2;
    o.settings = &setting;
    o.settings_count = 1;
    o.threads = threads;
    ckg_study *s = study_of(p, &o);
    tell_waves(s, DESIGNS, noisy);
    for (int t = 0; t < ASKS; t++) {
        ckg_suggestion *a;
        must(ckg_study_ask(s, &a));
        assert_true(isfinite(a->value) && a->probability_feasible >= 0);
        for (int k = 0; k < 2; k++)
            assert_true(a->x[k] >= 0 && a->x[k] <= 1);
        memcpy(x + 2 * t, a->x, 2 * sizeof *x);
        must(ckg_study_tell(s, a->trial, (const double[]){a->x[0] - a->x[1], a->x[0] - 0.9}));
        ckg_suggestion_free(a);
    }
    ckg_study_free(s);
}

static void test_threads_change_nothing(void **state)
{
    (void)state;
    for (int noisy = 0; noisy < 2; noisy++) {
        double x[2][2 * ASKS];
        suggestions(2, noisy, 1, x[0]);
        suggestions(2, noisy, 3, x[1]);
        assert_memory_equal(x[0], x[1], sizeof x[0]);
    }
}

static void test_two_are_not_one(void **state)
{
    int others = 0;

    (void)state;
    for (int noisy = 0; noisy < 2; noisy++) {
        double x[2][2 * ASKS];
        suggestions(1, noisy, 1, x[0]);
        suggestions(2, noisy, 1, x[1]);
        others += memcmp(x[0], x[1], sizeof x[0]) != 0;
    }
    assert_true(others > 0);
}

int main(void)
{
    return RUN_TESTS(test_threads_change_nothing, test_two_are_not_one);
}

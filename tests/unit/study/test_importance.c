/*
 * What each parameter matters, against total-effect indices known in closed form: a linear function, one with
 * a product, Ishigami's, one with a category; and that nine of ten intervals hold what they claim to.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <ckg/ckg.h>

#include "base/rng.h"
#include "design/sequence.h"
#include "support/scale.h"
#include "support/studies.h"
#include "support/test.h"

static const double pi = 3.14159265358979323846;

enum { MOST = 1536, FEW = 8 };

/* Tells n designs that fill the box [low, high]^d. */
static void tell_all(ckg_study *s, int n, int d, double low, double high, uint64_t seed,
                     void (*evaluate)(const double *x, double *values))
{
    double X[MOST];

    assert_true(n * d <= MOST);
    ckg__design_sobol(seed, 0, n, d, X);
    for (int p = 0; p < n; p++) {
        double x[FEW];
        double values[2];
        for (int i = 0; i < d; i++)
            x[i] = low + (high - low) * X[p * d + i];
        evaluate(x, values);
        tell_at(s, x, values);
    }
}

static ckg_study *new_study(int d, double low, double high, int K, enum ckg_noise noise)
{
    ckg_options options = CKG_OPTIONS_INIT;
    ckg_problem *p = box_problem(d, low, high, K, 0);

    set_all_noise(p, noise, 0);
    options.seed = 3;
    options.warp = 0;
    return study_of(p, &options);
}

static void check(ckg_study *s, int outcome, int d, const double *truth, double bound)
{
    double total[FEW];
    double low[FEW];
    double high[FEW];

    must(ckg_study_importance(s, outcome, total, low, high));
    for (int i = 0; i < d; i++) {
        if (fabs(total[i] - truth[i]) > bound)
            fail_msg("outcome %d, parameter %d: %g instead of %g", outcome, i, total[i], truth[i]);
        assert_true(low[i] >= 0 && low[i] <= high[i] && high[i] <= 1);
        assert_true(total[i] >= low[i] - 1e-12 && total[i] <= high[i] + 1e-12);
    }
}

/* 4x + 2y + z, and a constraint (x − 1/2)(y − 1/2) in which each of two matters by the other alone. */
static void linear(const double *x, double *values)
{
    values[0] = 4 * x[0] + 2 * x[1] + x[2];
    values[1] = (x[0] - 0.5) * (x[1] - 0.5);
}

static void linear_functions_and_products(void **state)
{
    const double of_sum[] = {16.0 / 21, 4.0 / 21, 1.0 / 21};
    const double of_product[] = {1, 1, 0};
    ckg_study *s = new_study(3, 0, 1, 1, CKG_NOISE_NONE);

    (void)state;
    tell_all(s, 40, 3, 0, 1, 5, linear);
    check(s, 0, 3, of_sum, 0.01);
    check(s, 1, 3, of_product, 0.02);
    ckg_study_free(s);
}

/* sin x + 7 sin² y + 0.1 z⁴ sin x over [−π, π]³. */
static void ishigami(const double *x, double *values)
{
    values[0] = sin(x[0]) + 7 * sin(x[1]) * sin(x[1]) + 0.1 * pow(x[2], 4) * sin(x[0]);
}

static void ishigami_function(void **state)
{
    const double a = 7;
    const double b = 0.1;
    const double p4 = pow(pi, 4);
    const double first = 0.5 * (1 + b * p4 / 5) * (1 + b * p4 / 5);
    const double second = a * a / 8;
    const double third = b * b * p4 * p4 * (1.0 / 18 - 1.0 / 50);
    const double variance = first + second + third;
    const double truth[] = {(first + third) / variance, second / variance, third / variance};
    ckg_study *s = new_study(3, -pi, pi, 0, CKG_NOISE_NONE);

    (void)state;
    tell_all(s, 300, 3, -pi, pi, 5, ishigami);
    check(s, 0, 3, truth, 0.01);
    ckg_study_free(s);
}

/* x + [k = b]: the category has the variance 2/9 beside 1/12. */
static void categories(void **state)
{
    static const char *const values[] = {"a", "b", "c"};
    const double truth[] = {3.0 / 11, 8.0 / 11};
    ckg_options options = CKG_OPTIONS_INIT;
    ckg_problem *p;

    (void)state;
    must(ckg_problem_new(&p));
    must(ckg_problem_add_real(p, "x", 10, 20, CKG_LINEAR));
    must(ckg_problem_add_categorical(p, "k", 3, values));
    must(ckg_problem_set_noise(p, ckg_problem_outcome_name(p, 0), CKG_NOISE_NONE, 0));
    ckg_study *s = study_of(p, &options);

    for (int i = 0; i < 30; i++) {
        const double x[] = {10 + 10 * fmod(0.618034 * i, 1), i % 3};
        const double value = x[0] / 10 + (x[1] == 1);
        tell_at(s, x, &value);
    }
    check(s, 0, 2, truth, 0.02);
    ckg_study_free(s);
}

/* An outcome that is the same everywhere still has numbers; one that was never measured has none. */
static void nothing_to_say(void **state)
{
    const ckg_measurement constant = {0, 7, CKG_SD_DEFAULT};
    ckg_study *s = new_study(2, 0, 1, 1, CKG_NOISE_NONE);
    double total[2];
    double high[2];

    (void)state;
    for (int i = 0; i < 6; i++) {
        const double x[] = {fmod(0.618034 * i, 1), fmod(0.414214 * i, 1)};
        int trial;
        must(ckg_study_add(s, x, &trial));
        must(ckg_study_tell_measured(s, trial, 1, &constant));
    }
    must(ckg_study_importance(s, 0, total, NULL, NULL));
    assert_true(total[0] >= 0 && total[0] <= 1 && total[1] >= 0 && total[1] <= 1);
    must(ckg_study_importance(s, 1, total, NULL, high));
    assert_true(isnan(total[0]) && isnan(total[1]) && isnan(high[0]) && isnan(high[1]));

    assert_int_equal(ckg_study_importance(s, 2, total, NULL, NULL), CKG_ERR_NOT_FOUND);
    assert_int_equal(ckg_study_importance(NULL, 0, total, NULL, NULL), CKG_ERR_INVALID);
    ckg_study_free(s);
}

/* Σ a_i z_i + b z_0 z_1 with z = x − 1/2: variance (Σ a_i²)/12 + b²/144. */
static double weight[4];

static void drawn(const double *x, double *values)
{
    values[0] = weight[3] * (x[0] - 0.5) * (x[1] - 0.5);
    for (int i = 0; i < 3; i++)
        values[0] += weight[i] * (x[i] - 0.5);
}

/* From 8 designs much is unsure, and the intervals must say so. */
static void intervals_hold(void **state)
{
    const int studies = test_scale(40, 10);
    int held = 0;

    (void)state;
    for (int k = 0; k < studies; k++) {
        struct ckg__rng rng;
        ckg__rng_seed(&rng, (uint64_t)k, 0, 1);
        for (int i = 0; i < 4; i++)
            weight[i] = ckg__rng_normal(&rng) * (i == 3 ? 6 : 1);

        ckg_study *s = new_study(3, 0, 1, 0, CKG_NOISE_NONE);
        tell_all(s, 8, 3, 0, 1, (uint64_t)k, drawn);

        double variance = weight[3] * weight[3] / 144;
        for (int i = 0; i < 3; i++)
            variance += weight[i] * weight[i] / 12;

        double low[3];
        double high[3];
        must(ckg_study_importance(s, 0, NULL, low, high));
        for (int i = 0; i < 3; i++) {
            const double part = weight[i] * weight[i] / 12 + (i < 2 ? weight[3] * weight[3] / 144 : 0);
            held += part / variance >= low[i] - 0.02 && part / variance <= high[i] + 0.02;
        }
        ckg_study_free(s);
    }
    print_message("%d of %d intervals hold\n", held, 3 * studies);
    assert_true(held >= 0.75 * 3 * studies);
}

/* The same at any number of threads, and asked twice. */
static void same_at_any_number_of_threads(void **state)
{
    double total[2][3];

    (void)state;
    for (int k = 0; k < 2; k++) {
        ckg_options options = CKG_OPTIONS_INIT;
        options.threads = k ? 3 : 1;
        ckg_study *s = study_of(box_problem(3, 0, 1, 1, 0), &options);
        tell_all(s, 12, 3, 0, 1, 9, linear);
        must(ckg_study_importance(s, 1, total[k], NULL, NULL));
        must(ckg_study_importance(s, 1, total[k], NULL, NULL));
        ckg_study_free(s);
    }
    assert_memory_equal(total[0], total[1], sizeof total[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(linear_functions_and_products),
        cmocka_unit_test(ishigami_function),
        cmocka_unit_test(categories),
        cmocka_unit_test(nothing_to_say),
        cmocka_unit_test(intervals_hold),
        cmocka_unit_test(same_at_any_number_of_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * What must not change a suggestion, through the public interface: the units, origin and sign of the
 * objective, the units of a constraint, the number of threads. And what a study must do on its way: make
 * progress while nothing is feasible, repeat nothing, and seldom find cKG worthless.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <ckg/ckg.h>

#include <math.h>
#include <string.h>

#include "support/scale.h"
#include "support/studies.h"
#include "support/test.h"

enum { INITIAL = 10, STEPS = 12, MOST_TRIALS = 60, MOST_OUTCOMES = 3 };

/* --- the problems, on [0, 5]² --- */

static double mystery(const double *x)
{
    const double bowl = 2 + 0.01 * pow(x[1] - x[0] * x[0], 2) + pow(1 - x[0], 2) + 2 * pow(2 - x[1], 2);
    return bowl + 7 * sin(0.5 * x[0]) * sin(0.7 * x[0] * x[1]);
}

static void evaluate(const double *x, int K, double *values)
{
    values[0] = mystery(x);
    if (K > 0)
        values[1] = -sin(x[0] - x[1] - 0.39269908169872414);
    if (K > 1)
        values[2] = x[0] + x[1] - 6.5;
}

/* How a study sees the problem: objective ← factor·f + shift, constraint k ← unit[k]·c_k <= unit[k]·0.1. */
struct guise {
    const char *name;
    double factor, shift, unit[2];
    enum ckg_goal goal;
    /* 1: the numbers that the models see are the same to the bit, and so must be the suggestions */
    int exact;
};

static ckg_study *study_new(const struct guise *g, int K, enum ckg_noise noise, int threads)
{
    static const char *const names[] = {"c1", "c2"};
    ckg_options options = CKG_OPTIONS_INIT;
    ckg_problem *problem = box_problem(2, 0, 5, 0, 0);

    assert_int_equal(ckg_problem_set_objective(problem, "f", g->goal), 0);
    assert_int_equal(ckg_problem_set_noise(problem, "f", noise, 0), 0);
    for (int k = 0; k < K; k++) {
        assert_int_equal(ckg_problem_add_constraint(problem, names[k], -INFINITY, g->unit[k] * 0.1), 0);
        assert_int_equal(ckg_problem_set_noise(problem, names[k], CKG_NOISE_NONE, 0), 0);
    }
    options.seed = 3;
    options.threads = threads;
    options.initial = INITIAL;
    return study_of(problem, &options);
}

static void disguise(const struct guise *g, int K, double *values)
{
    values[0] = g->factor * values[0] + g->shift;
    for (int k = 0; k < K; k++)
        values[1 + k] *= g->unit[k];
}

/*
 * Asks, evaluates as the guise has it (with noise, the same for every study, where asked), tells; the design
 * goes to x.
 */
static void one_step(ckg_study *study, const struct guise *g, int K, double noise_sd, double *x)
{
    ckg_suggestion *s;
    double values[MOST_OUTCOMES];
    assert_int_equal(ckg_study_ask(study, &s), 0);
    memcpy(x, s->x, 2 * sizeof *x);
    evaluate(x, K, values);
    values[0] += noise_sd * sin(1000 * s->trial);
    disguise(g, K, values);
    assert_int_equal(ckg_study_tell(study, s->trial, values), 0);
    ckg_suggestion_free(s);
}

/* --- guises --- */

/* A study in that guise which was told the first n designs X, and what it suggests then. */
static void suggest_from(const struct guise *g, int K, int n, const double *X, double *x)
{
    ckg_study *study = study_new(g, K, CKG_NOISE_NONE, 1);
    ckg_suggestion *s;
    double values[MOST_OUTCOMES];
    for (int i = 0; i < n; i++) {
        evaluate(X + 2 * i, K, values);
        disguise(g, K, values);
        tell_at(study, X + 2 * i, values);
    }
    assert_int_equal(ckg_study_ask(study, &s), 0);
    memcpy(x, s->x, 2 * sizeof *x);
    ckg_suggestion_free(s);
    ckg_study_free(study);
}

static const struct guise plain = {"plain", 1, 0, {1, 1}, CKG_MINIMIZE, 1};

/* Both studies always have the plain one's designs, so that nothing adds up. */
static void compare(const struct guise *g, int K)
{
    double X[2 * MOST_TRIALS], expected[2], x[2], far = 0;
    int off = 0;
    const int steps = test_scale(STEPS, 1);
    ckg_study *study = study_new(&plain, K, CKG_NOISE_NONE, 1);
    for (int i = 0; i < INITIAL; i++)
        one_step(study, &plain, K, 0, X + 2 * i);
    ckg_study_free(study);
    for (int n = INITIAL; n < INITIAL + steps; n++) {
        suggest_from(&plain, K, n, X, expected);
        suggest_from(g, K, n, X, x);
        const double here = fmax(fabs(x[0] - expected[0]), fabs(x[1] - expected[1])) / 5;
        far = fmax(far, here);
        off += here > 1e-6;
        memcpy(X + 2 * n, expected, sizeof expected);
    }
    print_message("K = %d, %s: within %.2g of the box, %d of %d by more than 1e-6\n", K, g->name, far, off,
                  steps);
    assert_true(g->exact ? far == 0 : far <= 1e-6);
}

static void test_units_origin_and_sign_change_nothing(void **state)
{
    static const struct guise guises[] = {
        {"maximize -f", -1, 0, {1, 1}, CKG_MAXIMIZE, 1},
        {"units by powers of two", 0x1p20, 0, {0x1p-10, 0x1p7}, CKG_MINIMIZE, 1},
        {"f in millionths", 1e-6, 0, {1, 1}, CKG_MINIMIZE, 0},
        {"f in millions", 1e6, 0, {1, 1}, CKG_MINIMIZE, 0},
        {"constraints in other units", 1, 0, {1e-4, 3e5}, CKG_MINIMIZE, 0},
        {"f + 1000 sd(f)", 1, 1e4, {1, 1}, CKG_MINIMIZE, 0},
    };
    (void)state;
    for (int K = 0; K < MOST_OUTCOMES; K++)
        for (size_t i = 0; i < sizeof guises / sizeof *guises; i++)
            compare(&guises[i], K);
}

/* --- threads --- */

static void test_any_number_of_threads_gives_the_same_bits(void **state)
{
    static const int threads[] = {1, 2, 4};
    enum { MORE = 15 };
    const int trials = INITIAL + test_scale(MORE, 2);
    (void)state;
    for (int K = 0; K < MOST_OUTCOMES; K++)
        for (int noisy = 0; noisy < 2; noisy++) {
            double X[3][2 * (INITIAL + MORE)] = {{0}};
            for (int t = 0; t < 3; t++) {
                ckg_study *study = study_new(&plain, K, noisy ? CKG_NOISE_AUTO : CKG_NOISE_NONE, threads[t]);
                for (int i = 0; i < trials; i++)
                    one_step(study, &plain, K, noisy, X[t] + 2 * i);
                ckg_study_free(study);
            }
            assert_memory_equal(X[0], X[1], sizeof X[0]);
            assert_memory_equal(X[0], X[2], sizeof X[0]);
        }
}

/* --- the way of a study --- */

static void assert_all_differ(int n, const double *X)
{
    for (int i = 0; i < n; i++)
        for (int k = 0; k < i; k++)
            assert_true(memcmp(X + 2 * i, X + 2 * k, 2 * sizeof *X) != 0);
}

/* Two parameters in [0, 5] and a constraint <= 0, without noise. */
static ckg_study *exact_study(uint64_t seed, int settings, const ckg_setting *setting)
{
    ckg_options options = CKG_OPTIONS_INIT;
    ckg_problem *problem = box_problem(2, 0, 5, 1, 0);

    set_all_noise(problem, CKG_NOISE_NONE, 0);
    options.seed = seed;
    options.settings_count = settings;
    options.settings = setting;
    return study_of(problem, &options);
}

/*
 * Feasible is a quarter disc in the corner of the best objective's opposite, 0.3 % of the box; the start is
 * infeasible.
 */
static void test_a_tiny_feasible_corner_is_found(void **state)
{
    enum { EVALUATIONS = 40 };
    const double radius = 5 * 0.0618;
    (void)state;
    for (uint64_t seed = 1; seed <= (uint64_t)test_scale(4, 1); seed++) {
        double X[2 * EVALUATIONS];
        double least_at_first = INFINITY, least = INFINITY;
        ckg_study *study = exact_study(seed, 0, NULL);
        int feasible = 0;
        for (int i = 0; i < EVALUATIONS; i++) {
            ckg_suggestion *s;
            assert_int_equal(ckg_study_ask(study, &s), 0);
            memcpy(X + 2 * i, s->x, 2 * sizeof *X);
            const double far = hypot(5 - s->x[0], 5 - s->x[1]);
            const double values[2] = {s->x[0] + 2 * sin(s->x[1]),
                                      0.2 * (far - radius) + 0.1 * (1 - cos(far - radius))};
            assert_int_equal(ckg_study_tell(study, s->trial, values), 0);
            ckg_suggestion_free(s);
            feasible += values[1] <= 0;
            least = fmin(least, values[1]);
            least_at_first = i < 10 ? least : least_at_first;
        }
        print_message(
            "seed %d: least violation %.3g in the initial design, %.3g in the end; %d designs feasible\n",
            (int)seed, least_at_first, least, feasible);
        assert_all_differ(EVALUATIONS, X);
        assert_true(least < least_at_first);
        assert_true(feasible > 0);
        ckg_study_free(study);
    }
}

/* Where it always looks ahead, cKG is positive somewhere in nearly every iteration: falling back is the
 * exception. */
static void test_fallbacks_are_rare(void **state)
{
    enum { EVALUATIONS = 40 };
    static const ckg_setting always[] = {{"improve", 0}, {"global_every", 0}};
    const int studies = test_scale(3, 1);
    int fallbacks = 0, asked = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= (uint64_t)studies; seed++) {
        double X[2 * EVALUATIONS];
        ckg_study *study = exact_study(seed, 2, always);
        for (int i = 0; i < EVALUATIONS; i++) {
            ckg_suggestion *s;
            double values[2];
            assert_int_equal(ckg_study_ask(study, &s), 0);
            memcpy(X + 2 * i, s->x, 2 * sizeof *X);
            evaluate(s->x, 1, values);
            assert_int_equal(ckg_study_tell(study, s->trial, values), 0);
            const int policy = strcmp(s->path, "design") != 0 && strcmp(s->path, "explore") != 0;
            asked += policy;
            fallbacks += policy && !(strcmp(s->path, "ckg") == 0 && s->value > 0);
            ckg_suggestion_free(s);
        }
        assert_all_differ(EVALUATIONS, X);
        ckg_study_free(study);
    }
    print_message("cKG was worthless in %d of %d iterations\n", fallbacks, asked);
    /* the rest explored, the search having stalled */
    assert_true(3 * asked > studies * (EVALUATIONS - INITIAL));
    assert_true(10 * fallbacks <= asked);
}

int main(void)
{
    return RUN_TESTS(test_units_origin_and_sign_change_nothing,
                     test_any_number_of_threads_gives_the_same_bits, test_a_tiny_feasible_corner_is_found,
                     test_fallbacks_are_rare);
}

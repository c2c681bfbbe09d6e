/*
 * The policy `nei` through the public interface: without noise it scores and suggests as `cei` does, whatever
 * the data; with noise it works on every kind of data, with any number of threads, in any units, and gives
 * pending designs a wide berth.
 *
 * Scores of the two policies agree to 1e-9 of 1 + |score|: the incumbent is the same mean, rounded in another
 * order.
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

#include "base/alloc.h"
#include "support/test.h"

enum { MOST_K = 20, POINTS = 60 };

/* What a study is like. */
struct sort {
    const char *name;
    int K, n;
    enum ckg_noise noise[2]; /* of the objective and of the constraints */
    double level;            /* added to every constraint: large and nothing is feasible */
    int failed;              /* every so many trials fail; 0: none */
    int partly;              /* 1: the constraints of every third trial are not measured */
    int pending;
    int rounded; /* 1: constraints take whole numbers, and some meet their limit exactly */
    const char *fit;
    double factor, shift; /* of the objective's units; factor 0 counts as 1 */
    int threads;
    double draws; /* 0: as many as the policy takes by itself */
};

static double uniform(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) / 9007199254740992.0;
}

static void evaluate(const struct sort *s, const double *x, uint64_t *noise, double *values)
{
    const double u = x[0] / 4, v = x[1] / 9, w = x[2], factor = s->factor != 0 ? s->factor : 1;
    for (int j = 0; j <= s->K; j++) {
        const double disturbance = s->noise[j > 0] == CKG_NOISE_NONE
                                       ? 0
                                       : 0.4 * (uniform(noise) + uniform(noise) - 1);
        values[j] = (j ? sin(3 * u + 2 * v + j) - 0.2 + s->level
                       : pow(u - 0.4, 2) + pow(v - 0.6, 2) + 0.3 * w) +
                    disturbance;
        if (j && s->rounded)
            values[j] = rint(3 * values[j]);
    }
    values[0] = factor * values[0] + s->shift;
}

static ckg_study *study_new(const struct sort *s, const char *policy)
{
    ckg_options options = CKG_OPTIONS_INIT;
    ckg_problem *problem;
    ckg_study *study;
    static const char *const kinds[] = {"plain", "coated"};
    const ckg_setting setting = {"draws", s->draws};
    char name[16];

    assert_int_equal(ckg_problem_new(&problem), 0);
    assert_int_equal(ckg_problem_add_real(problem, "a", 0, 4, CKG_LINEAR), 0);
    assert_int_equal(ckg_problem_add_integer(problem, "b", 0, 9), 0);
    assert_int_equal(ckg_problem_add_categorical(problem, "kind", 2, kinds), 0);
    assert_int_equal(ckg_problem_set_noise(problem, "objective", s->noise[0], 0.2), 0);
    for (int k = 0; k < s->K; k++) {
        snprintf(name, sizeof name, "c%d", k);
        assert_int_equal(ckg_problem_add_constraint(problem, name, -INFINITY, 0), 0);
        assert_int_equal(ckg_problem_set_noise(problem, name, s->noise[1], 0.2), 0);
    }
    options.policy = policy;
    options.initial = 0;
    options.seed = 5;
    options.threads = s->threads ? s->threads : 1;
    options.fit = s->fit ? s->fit : "map";
    options.samples = 4;
    options.settings = &setting;
    options.settings_count = s->draws > 0;
    assert_int_equal(ckg_study_new(&study, problem, &options), 0);
    ckg_problem_free(problem);
    return study;
}

static void tell(ckg_study *study, const struct sort *s, int i, int trial, const double *values)
{
    ckg_measurement measured[1 + MOST_K];
    const int count = s->partly && i % 3 == 2 ? 1 : 1 + s->K;
    if (s->failed && i % s->failed == 1) {
        assert_int_equal(ckg_study_tell_failed(study, trial), 0);
        return;
    }
    for (int j = 0; j < count; j++)
        measured[j] = (ckg_measurement){j, values[j], CKG_SD_DEFAULT};
    assert_int_equal(ckg_study_tell_measured(study, trial, count, measured), 0);
}

/* A study told n random designs, and so many pending ones. */
static ckg_study *told(const struct sort *s, const char *policy)
{
    ckg_study *study = study_new(s, policy);
    uint64_t designs = 17, noise = 23;
    double x[3], values[1 + MOST_K];
    int trial;

    for (int i = 0; i < s->n + s->pending; i++) {
        x[0] = 4 * uniform(&designs);
        x[1] = floor(10 * uniform(&designs));
        x[2] = floor(2 * uniform(&designs));
        evaluate(s, x, &noise, values);
        assert_int_equal(ckg_study_add(study, x, &trial), 0);
        if (i < s->n)
            tell(study, s, i, trial, values);
    }
    return study;
}

static void points(double *X)
{
    uint64_t state = 91;
    for (int p = 0; p < POINTS; p++) {
        X[3 * p] = 4 * uniform(&state);
        X[3 * p + 1] = floor(10 * uniform(&state));
        X[3 * p + 2] = floor(2 * uniform(&state));
    }
}

static void suggestion_of(ckg_study *study, double *x)
{
    ckg_suggestion *a;
    assert_int_equal(ckg_study_ask(study, &a), 0);
    memcpy(x, a->x, 3 * sizeof *x);
    assert_true(isfinite(a->value) && (!strcmp(a->path, "nei") || !strcmp(a->path, "local")));
    ckg_suggestion_free(a);
}

static int feasible_trials(const ckg_study *study)
{
    int count = 0;
    for (int t = 0; t < ckg_study_trials(study); t++) {
        ckg_trial trial;
        assert_int_equal(ckg_study_trial(study, t, &trial), 0);
        count += trial.feasible == 1;
    }
    return count;
}

static void test_without_noise_it_is_cei(void **state)
{
    static const struct sort sorts[] = {
        {"K = 0", .K = 0, .n = 15, .noise = {CKG_NOISE_NONE, CKG_NOISE_NONE}},
        {"K = 1", .K = 1, .n = 15, .noise = {CKG_NOISE_NONE, CKG_NOISE_NONE}},
        {"K = 3", .K = 3, .n = 25, .noise = {CKG_NOISE_NONE, CKG_NOISE_NONE}},
        {"one observation", .K = 2, .n = 1, .noise = {CKG_NOISE_NONE, CKG_NOISE_NONE}},
        {"nothing feasible", .K = 2, .n = 12, .noise = {CKG_NOISE_NONE, CKG_NOISE_NONE}, .level = 2},
        {"nothing feasible, noisy constraints", .K = 2, .n = 12, .noise = {CKG_NOISE_NONE, CKG_NOISE_KNOWN},
         .level = 7},
        {"failures", .K = 1, .n = 20, .noise = {CKG_NOISE_NONE, CKG_NOISE_NONE}, .failed = 4},
        {"pending", .K = 1, .n = 15, .noise = {CKG_NOISE_NONE, CKG_NOISE_NONE}, .pending = 3},
        {"limits met exactly", .K = 2, .n = 20, .noise = {CKG_NOISE_NONE, CKG_NOISE_NONE}, .rounded = 1},
        {"sampled", .K = 1, .n = 12, .noise = {CKG_NOISE_NONE, CKG_NOISE_NONE}, .fit = "sample"},
        {"twenty constraints", .K = 20, .n = 12, .noise = {CKG_NOISE_NONE, CKG_NOISE_NONE}, .level = -0.8},
    };
    double X[3 * POINTS], nei[POINTS], cei[POINTS];

    (void)state;
    points(X);
    for (size_t i = 0; i < sizeof sorts / sizeof *sorts; i++) {
        ckg_study *study = told(&sorts[i], "nei");
        double worst = 0;
        assert_true(sorts[i].level > 0 ? !feasible_trials(study) : feasible_trials(study) > 0);
        assert_int_equal(ckg_study_score(study, "nei", POINTS, X, nei), 0);
        assert_int_equal(ckg_study_score(study, "cei", POINTS, X, cei), 0);
        for (int p = 0; p < POINTS; p++) {
            assert_true(isfinite(nei[p]));
            worst = fmax(worst, fabs(nei[p] - cei[p]) / (1 + fabs(cei[p])));
        }
        print_message("%-36s %.2g\n", sorts[i].name, worst);
        assert_true(worst <= 1e-9);
        ckg_study_free(study);
    }
}

static const struct sort noisy[] = {
    {"objective", .K = 1, .n = 20, .noise = {CKG_NOISE_AUTO, CKG_NOISE_NONE}},
    {"constraints", .K = 2, .n = 20, .noise = {CKG_NOISE_NONE, CKG_NOISE_AUTO}},
    {"all, known", .K = 2, .n = 20, .noise = {CKG_NOISE_KNOWN, CKG_NOISE_KNOWN}},
    {"K = 0", .K = 0, .n = 15, .noise = {CKG_NOISE_AUTO, CKG_NOISE_NONE}},
    {"one observation", .K = 1, .n = 1, .noise = {CKG_NOISE_AUTO, CKG_NOISE_AUTO}},
    {"nothing feasible", .K = 1, .n = 12, .noise = {CKG_NOISE_AUTO, CKG_NOISE_AUTO}, .level = 1.3},
    {"partly measured", .K = 2, .n = 20, .noise = {CKG_NOISE_AUTO, CKG_NOISE_NONE}, .partly = 1},
    {"partly measured, without noise", .K = 2, .n = 20, .noise = {CKG_NOISE_NONE, CKG_NOISE_NONE},
     .partly = 1},
    {"failures and pending", .K = 1, .n = 20, .noise = {CKG_NOISE_AUTO, CKG_NOISE_KNOWN}, .failed = 5,
     .pending = 3},
    {"sampled", .K = 1, .n = 15, .noise = {CKG_NOISE_AUTO, CKG_NOISE_AUTO}, .fit = "sample"},
    {"twenty constraints", .K = 20, .n = 12, .noise = {CKG_NOISE_KNOWN, CKG_NOISE_KNOWN}, .level = -0.8},
};

enum { NOISY = sizeof noisy / sizeof *noisy };

/* Finite scores, and three pending designs get three different suggestions. */
static void test_with_noise(void **state)
{
    double X[3 * POINTS], value[POINTS], x[3][3];

    (void)state;
    points(X);
    for (int i = 0; i < NOISY; i++) {
        ckg_study *study = told(&noisy[i], "nei");
        assert_int_equal(ckg_study_score(study, NULL, POINTS, X, value), 0);
        for (int p = 0; p < POINTS; p++)
            assert_true(isfinite(value[p]));
        for (int a = 0; a < 3; a++)
            suggestion_of(study, x[a]);
        assert_true(memcmp(x[0], x[1], sizeof x[0]) && memcmp(x[0], x[2], sizeof x[0]) &&
                    memcmp(x[1], x[2], sizeof x[0]));
        ckg_study_free(study);
    }
}

static void test_threads_and_units_change_nothing(void **state)
{
    (void)state;
    for (int i = 0; i < NOISY; i++) {
        struct sort other[3] = {noisy[i], noisy[i], noisy[i]};
        double x[4][3];
        other[0].threads = 2;
        other[1].factor = 0x1p-9;
        other[2].shift = 300;
        const int known = noisy[i].noise[0] == CKG_NOISE_KNOWN; /* its sd has units too */
        for (int a = 0; a < 4; a++) {
            ckg_study *study = told(a ? &other[a - 1] : &noisy[i], "nei");
            if (!(a == 2 && known))
                suggestion_of(study, x[a]);
            else
                memcpy(x[a], x[0], sizeof x[a]);
            ckg_study_free(study);
        }
        assert_memory_equal(x[0], x[1], sizeof x[0]);
        assert_memory_equal(x[0], x[2], sizeof x[0]);
        for (int k = 0; k < 3; k++)
            assert_true(fabs(x[3][k] - x[0][k]) <= 4e-6);
    }
}

/* The number of draws is taken, and more of them come closer to one another. */
static void test_draws_are_a_parameter(void **state)
{
    static const double counts[] = {8, 512, 1024};
    double X[3 * POINTS], value[3][POINTS], few = 0, many = 0;

    (void)state;
    points(X);
    for (int i = 0; i < 3; i++) {
        const struct sort sort = {
            .K = 1, .n = 15, .noise = {CKG_NOISE_AUTO, CKG_NOISE_AUTO}, .draws = counts[i]};
        ckg_study *study = told(&sort, "nei");
        assert_int_equal(ckg_study_score(study, NULL, POINTS, X, value[i]), 0);
        ckg_study_free(study);
    }
    for (int p = 0; p < POINTS; p++) {
        few += fabs(exp(value[0][p]) - exp(value[2][p]));
        many += fabs(exp(value[1][p]) - exp(value[2][p]));
    }
    print_message("8 draws off by %.2g, 512 by %.2g in the mean\n", few / POINTS, many / POINTS);
    assert_true(many > 0 && many < 0.5 * few);
}

/* --- memory --- */

struct budget {
    int calls, failing; /* allocations so far; the number of the one that fails, −1: none */
};

static int spend(size_t bytes, void *context)
{
    struct budget *budget = context;
    (void)bytes;
    return budget->calls++ != budget->failing;
}

/* Whichever allocation fails, the status says so, and the next call gives what it gives without a failure. */
static void test_memory_runs_out(void **state)
{
    const struct sort *sort = &noisy[8];
    double want[3], x[3];
    ckg_study *study = told(sort, "nei");
    int status = CKG_ERR_NOMEM;

    (void)state;
    suggestion_of(study, want);
    ckg_study_free(study);
    for (int n = 0; status; n++) {
        struct budget budget = {0, n};
        ckg_suggestion *a = NULL;
        study = told(sort, "nei");
        ckg__alloc_set_hook(spend, &budget);
        status = ckg_study_ask(study, &a);
        ckg__alloc_set_hook(NULL, NULL);
        if (status) {
            assert_int_equal(status, CKG_ERR_NOMEM);
            suggestion_of(study, x);
        } else {
            memcpy(x, a->x, sizeof x);
        }
        ckg_suggestion_free(a);
        assert_memory_equal(x, want, sizeof x);
        ckg_study_free(study);
    }
}

static void test_a_second_pass_allocates_nothing(void **state)
{
    double X[3 * POINTS], value[POINTS];

    (void)state;
    points(X);
    for (int i = 0; i < NOISY; i++) {
        struct budget budget = {0, -1};
        ckg_study *study = told(&noisy[i], "nei");
        assert_int_equal(ckg_study_score(study, NULL, POINTS, X, value), 0);
        ckg__alloc_set_hook(spend, &budget);
        assert_int_equal(ckg_study_score(study, NULL, POINTS, X, value), 0);
        ckg__alloc_set_hook(NULL, NULL);
        assert_int_equal(budget.calls, 0);
        ckg_study_free(study);
    }
}

int main(void)
{
    return RUN_TESTS(test_without_noise_it_is_cei, test_with_noise, test_threads_and_units_change_nothing,
                     test_draws_are_a_parameter, test_memory_runs_out, test_a_second_pass_allocates_nothing);
}

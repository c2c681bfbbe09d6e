/*
 * What must not change a suggestion, for every policy: the number of threads, a study that is rebuilt from
 * its trials, the units, origin and sign of the objective, the units and origins of the constraints.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "support/policies.h"
#include "support/scale.h"
#include "support/studies.h"

enum { ASKS = 12, NUMBERS = 8 };

static const enum ckg_noise noises[] = {CKG_NOISE_NONE, CKG_NOISE_AUTO};

/* All that a suggestion says. */
static void put_down(const ckg_suggestion *s, double *said)
{
    const double numbers[NUMBERS] = {
        s->x[0], s->x[1], s->value, s->mean[0], s->sd[0], s->probability_feasible, s->candidates, s->trial};
    memcpy(said, numbers, sizeof numbers);
}

/* --- threads --- */

static void run_study(const struct toy *toy, const char *policy, double said[][NUMBERS])
{
    ckg_study *study = toy_study(toy, policy, 0, NULL);
    for (int t = 0; t < TOY_INITIAL + test_scale(ASKS, 2); t++) {
        ckg_suggestion *s = toy_step(study, toy);
        put_down(s, said[t]);
        ckg_suggestion_free(s);
    }
    ckg_study_free(study);
}

static void threads_change_no_bit(const struct ckg__policy *row)
{
    for (int i = 0; i < 4; i++) {
        const int K = i < 2 ? 1 : i - 2;
        double said[2][TOY_INITIAL + ASKS][NUMBERS] = {{{0}}};
        for (int t = 0; t < 2; t++) {
            const struct toy toy = {.K = K, .noise = noises[i % 2], .threads = 1 + t, .lattice = i == 3};
            run_study(&toy, row->name, said[t]);
        }
        assert_memory_equal(said[0], said[1], sizeof said[0]);
    }
}

/* --- rebuilding --- */

/* Copies every trial of a study into a fresh one: told ones with their values, failed ones, pending ones. */
static ckg_study *rebuild(const ckg_study *from, const struct toy *toy, const char *policy)
{
    ckg_study *study = toy_study(toy, policy, 0, NULL);

    copy_trials(from, study);
    return study;
}

/*
 * At every point of its way a study asks what its copy asks, which was prepared before: also with a failed
 * and a pending trial.
 */
static void a_rebuilt_study_goes_on(const struct ckg__policy *row)
{
    for (int i = test_scale(0, 1); i < 2; i++) {
        const struct toy toy = {.K = 1, .noise = noises[i]};
        ckg_study *study = toy_study(&toy, row->name, 0, NULL);
        for (int t = 0; t < TOY_INITIAL + test_scale(ASKS, 9); t++) {
            double said[2][NUMBERS], values[TOY_OUTCOMES];
            ckg_suggestion *s;
            ckg_study *copy = t >= TOY_INITIAL && t % 3 == 2 ? rebuild(study, &toy, row->name) : NULL;
            must(ckg_study_ask(study, &s));
            put_down(s, said[0]);
            toy_evaluate(&toy, t, s->x, values);
            if (t == TOY_INITIAL + 1)
                must(ckg_study_tell_failed(study, s->trial));
            else if (t != TOY_INITIAL + 6)
                must(ckg_study_tell(study, s->trial, values));
            ckg_suggestion_free(s);
            if (!copy)
                continue;
            must(ckg_study_prepare(copy));
            assert_true(ckg_study_is_prepared(copy));
            must(ckg_study_ask(copy, &s));
            put_down(s, said[1]);
            ckg_suggestion_free(s);
            ckg_study_free(copy);
            assert_memory_equal(said[0], said[1], sizeof said[0]);
        }
        ckg_study_free(study);
    }
}

/* --- guises --- */

/* How a study sees the toy: objective ← factor·f + shift, constraint k ← unit[k]·c_k + origin[k]. */
struct guise {
    const char *name;
    enum ckg_goal goal;
    double factor, shift, unit[2], origin[2];
    /* 1: the numbers that the models see are the same to the bit, and so must be the suggestions */
    int exact;
};

static const struct guise guises[] = {
    {"plain", CKG_MINIMIZE, 1, 0, {1, 1}, {0, 0}, 1},
    {"maximize -f", CKG_MAXIMIZE, -1, 0, {1, 1}, {0, 0}, 1},
    {"units by powers of two", CKG_MINIMIZE, 0x1p20, 0, {0x1p-10, 0x1p7}, {0, 0}, 1},
    {"f in millionths", CKG_MINIMIZE, 1e-6, 0, {1, 1}, {0, 0}, 0},
    {"f + 1000 sd(f), in thousands", CKG_MAXIMIZE, -1e3, 1e7, {1, 1}, {0, 0}, 0},
    {"constraints in other units, from another origin", CKG_MINIMIZE, 1, 0, {1e-4, 3e5}, {0.02, -1e7}, 0},
};

enum { GUISES = sizeof guises / sizeof *guises, STEPS = 3, TOLD = 9 };

static ckg_study *disguised_study(const struct guise *g, const struct toy *toy, const char *policy)
{
    static const char *const names[] = {"c1", "c2"};
    ckg_options options = CKG_OPTIONS_INIT;
    ckg_problem *problem = box_problem(2, 0, 5, 0, 0);

    must(ckg_problem_set_objective(problem, "f", g->goal));
    must(ckg_problem_set_noise(problem, "f", toy->noise, 0));
    for (int k = 0; k < toy->K; k++) {
        must(ckg_problem_add_constraint(problem, names[k], -INFINITY, g->unit[k] * 0.1 + g->origin[k]));
        must(ckg_problem_set_noise(problem, names[k], toy->noise, 0));
    }
    options.policy = policy;
    options.seed = 3;
    options.initial = 0;
    options.samples = 3;
    return study_of(problem, &options);
}

/*
 * Taken off the toy's objective, so that it has both signs: where all values have one, their logarithms may
 * be modelled, and the origin matters.
 */
static const double middle = 10;

/* What a study in that guise suggests once it was told the n designs X. */
static void suggest_from(const struct guise *g, const struct toy *toy, const char *policy, int n,
                         const double *X, double *x)
{
    ckg_study *study = disguised_study(g, toy, policy);
    ckg_suggestion *s;
    for (int i = 0; i < n; i++) {
        double values[TOY_OUTCOMES];
        toy_evaluate(toy, i, X + 2 * i, values);
        values[0] = g->factor * (values[0] - middle) + g->shift;
        for (int k = 0; k < toy->K; k++)
            values[1 + k] = g->unit[k] * values[1 + k] + g->origin[k];
        tell_at(study, X + 2 * i, values);
    }
    must(ckg_study_ask(study, &s));
    memcpy(x, s->x, 2 * sizeof *x);
    ckg_suggestion_free(s);
    ckg_study_free(study);
}

/* Every guise always has the plain study's designs, so that nothing adds up. */
static void guises_change_nothing(const struct ckg__policy *row)
{
    double far[GUISES] = {0};
    int off = 0;
    for (int i = 0; i < 4; i += test_scale(1, 3)) {
        const struct toy toy = {.K = i < 3 ? i : 1, .noise = noises[i == 3]};
        double X[2 * (TOLD + STEPS)], plain[2], x[2];
        for (int k = 0; k < 2 * TOLD; k++)
            X[k] = 5 * fmod((k / 2 + 0.5) * sqrt(k % 2 ? 5 : 2), 1);
        for (int n = TOLD; n < TOLD + test_scale(STEPS, 1); n++) {
            for (int g = 0; g < GUISES; g++) {
                suggest_from(&guises[g], &toy, row->name, n, X, g ? x : plain);
                far[g] = fmax(far[g], g ? fmax(fabs(x[0] - plain[0]), fabs(x[1] - plain[1])) / 5 : 0);
            }
            memcpy(X + 2 * n, plain, sizeof plain);
        }
    }
    for (int g = 1; g < GUISES; g++) {
        const int moved = guises[g].exact ? far[g] != 0 : !(far[g] <= 1e-6);
        off += moved;
        if (moved || far[g] > 0)
            print_message("%s, %s: suggestions move by %.2g of the box\n", row->name, guises[g].name, far[g]);
    }
    assert_int_equal(off, 0);
}

int main(void)
{
    static const struct policy_contract contracts[] = {
        {"threads change no bit", threads_change_no_bit},
        {"a rebuilt study goes on", a_rebuilt_study_goes_on},
        {"units, origin and sign change nothing", guises_change_nothing},
    };
    return policies_run(sizeof contracts / sizeof *contracts, contracts);
}

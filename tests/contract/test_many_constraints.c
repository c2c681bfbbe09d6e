/*
 * Problems with as many constraints as there may be, for every policy: it suggests and recommends in finite
 * numbers, the number of threads changes no bit, and a rebuilt study goes on the same, with a failed trial
 * and a pending one among the others. Every constraint is a wave of its own direction; together they hold in
 * two fifths of the box.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/policies.h"
#include "support/scale.h"
#include "support/studies.h"

enum { K = CKG_MAX_CONSTRAINTS, TOLD = 7 };

/* All that a suggestion and a recommendation say. */
enum { SAID = 2 + 2 + 2 * (1 + K) + K };

static double outcome(const double *x, int j)
{
    const double turn = 2.399963 * j;
    const double along = cos(turn) * x[0] + sin(turn) * x[1];

    return j ? sin(3 * along + j) + along - 1.7 : pow(x[0] - 0.3, 2) + pow(x[1] - 0.6, 2);
}

static ckg_study *many_study(const char *policy, enum ckg_noise noise, int threads)
{
    ckg_options options = CKG_OPTIONS_INIT;
    ckg_problem *problem = box_problem(2, 0, 1, 0, 0);
    char name[16];

    must(ckg_problem_set_objective(problem, "f", CKG_MINIMIZE));
    must(ckg_problem_set_noise(problem, "f", noise, 0));
    for (int j = 1; j <= K; j++) {
        snprintf(name, sizeof name, "c%d", j);
        must(ckg_problem_add_constraint(problem, name, -INFINITY, 0));
        must(ckg_problem_set_noise(problem, name, noise, 0));
    }
    options.policy = policy;
    options.seed = 5;
    options.initial = 0;
    options.samples = 2;
    options.threads = threads;
    return study_of(problem, &options);
}

static void tell_outcomes(ckg_study *s, int trial, const double *x)
{
    double values[1 + K];

    for (int j = 0; j <= K; j++)
        values[j] = outcome(x, j);
    must(ckg_study_tell(s, trial, values));
}

/* Some trials: told ones, one that failed, one under way. */
static void tell_some(ckg_study *s)
{
    for (int t = 0; t < TOLD + 2; t++) {
        const double x[] = {fmod((t + 0.5) * sqrt(2), 1), fmod((t + 0.5) * sqrt(5), 1)};
        int trial;

        must(ckg_study_add(s, x, &trial));
        if (t == 3)
            must(ckg_study_tell_failed(s, trial));
        else if (t < TOLD + 1)
            tell_outcomes(s, trial, x);
    }
}

/* Writes it down, and checks that it makes sense where there are `models` to say it. */
static void put_down(int models, const double *x, const double *mean, const double *sd,
                     const double *probability, double feasible, double value, double *said)
{
    for (int i = 0; i < 2; i++)
        *said++ = x[i];
    *said++ = feasible;
    *said++ = value;
    memcpy(said, mean, (1 + K) * sizeof *mean);
    memcpy(said + 1 + K, sd, (1 + K) * sizeof *sd);
    memcpy(said + 2 + 2 * K, probability, K * sizeof *probability);

    for (int i = 0; i < 2; i++)
        assert_true(x[i] >= 0 && x[i] <= 1);
    if (!models)
        return;
    assert_true(feasible >= 0 && feasible <= 1);
    for (int j = 0; j <= K; j++)
        assert_true(isfinite(mean[j]) && sd[j] >= 0 && isfinite(sd[j]));
    for (int j = 0; j < K; j++)
        assert_true(probability[j] >= 0 && probability[j] <= 1);
}

/* What a study says: a suggestion, and a recommendation once that was told where it is wanted. */
static void run(ckg_study *s, int models, int recommend, double said[2][SAID])
{
    ckg_suggestion *a;
    ckg_recommendation *r;

    must(ckg_study_ask(s, &a));
    put_down(models, a->x, a->mean, a->sd, a->probability, a->probability_feasible, a->value, said[0]);
    tell_outcomes(s, a->trial, a->x);
    ckg_suggestion_free(a);
    if (!recommend)
        return;

    must(ckg_study_recommend(s, NULL, &r));
    put_down(1, r->x, r->mean, r->sd, r->probability, r->probability_feasible, r->utility, said[1]);
    ckg_recommendation_free(r);
}

static const enum ckg_noise noises[] = {CKG_NOISE_NONE, CKG_NOISE_AUTO};

static void score_some(ckg_study *s)
{
    static const double X[] = {0.25, 0.5, 0.75, 0.125};
    double value[2];

    must(ckg_study_score(s, NULL, 2, X, value));
    assert_true(isfinite(value[0]) && isfinite(value[1]));
}

/*
 * A study with one thread, and one that is rebuilt from its trials and has two, say the same. How a study
 * recommends hardly depends on its policy: with light settings the first one's does.
 */
static void finite_and_the_same(const struct ckg__policy *row)
{
    const int recommend = test_scale(1, !strcmp(row->name, "auto"));

    for (int i = 0; i < test_scale(2, 1); i++) {
        static double said[2][2][SAID];
        ckg_study *study[2];

        memset(said, 0, sizeof said);
        for (int s = 0; s < 2; s++)
            study[s] = many_study(row->name, noises[i], 1 + s);
        tell_some(study[0]);
        copy_trials(study[0], study[1]);
        if (policy_has_values(row))
            score_some(study[0]);
        for (int s = 0; s < 2; s++) {
            run(study[s], policy_has_values(row), recommend, said[s]);
            ckg_study_free(study[s]);
        }
        assert_memory_equal(said[1], said[0], sizeof said[0]);
    }
}

/* A design may be asked for again until the last of its outcomes was measured. */
static void settled_when_all_are_measured(const struct ckg__policy *row)
{
    static const double X[] = {0.5, 0.5};
    ckg_measurement measured[K];
    ckg_study *s = many_study(row->name, CKG_NOISE_NONE, 1);
    int trial;

    for (int j = 0; j < K; j++)
        measured[j] = (ckg_measurement){j, outcome(X, j), 0};
    must(ckg_study_add(s, X, &trial));
    must(ckg_study_tell_measured(s, trial, K, measured));
    assert_false(ckg__data_settled(&s->data, 0));

    measured[0] = (ckg_measurement){K, outcome(X, K), 0};
    must(ckg_study_add(s, X, &trial));
    must(ckg_study_tell_measured(s, trial, 1, measured));
    assert_true(ckg__data_settled(&s->data, 0));
    ckg_study_free(s);
}

int main(void)
{
    static const struct policy_contract contracts[] = {
        {"200 constraints: finite, and threads and rebuilding change no bit", finite_and_the_same},
        {"200 constraints: settled when all are measured", settled_when_all_are_measured},
    };
    return policies_run(sizeof contracts / sizeof *contracts, contracts);
}

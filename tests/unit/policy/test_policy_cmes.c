/*
 * The policy `cmes`: its score is the average over lookaheads and draws that cmes.h defines, its settings say
 * what they do, and what it suggests has a score that no space-filling design surpasses.
 */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include <ckg/ckg.h>

#include "acquisition/cmes.h"
#include "design/sequence.h"
#include "study/study.h"
#include "search/maximise.h"
#include "search/draws.h"
#include "support/near.h"
#include "support/studies.h"
#include "support/test.h"

enum { DATA = 11, AT = 300 };

struct kind {
    int noisy, K;
    double limit;
    int settings;
    ckg_setting setting[3];
};

static ckg_study *new_study(const struct kind *kind)
{
    static const char *const names[] = {"c", "d"};
    ckg_options options = CKG_OPTIONS_INIT;
    ckg_problem *p = box_problem(2, 0, 1, 0, 0);

    for (int k = 0; k < kind->K; k++) {
        must(ckg_problem_add_constraint(p, names[k], k ? -0.6 : -INFINITY, kind->limit));
        must(ckg_problem_set_noise(p, names[k], CKG_NOISE_NONE, 0));
    }
    if (!kind->noisy)
        must(ckg_problem_set_noise(p, "objective", CKG_NOISE_NONE, 0));
    options.policy = "cmes";
    options.initial = 0;
    options.samples = 4;
    options.settings_count = kind->settings;
    options.settings = kind->setting;
    ckg_study *s = study_of(p, &options);
    tell_waves(s, DATA, kind->noisy);
    return s;
}

static const struct kind kinds[] = {
    {0, 0, 0, 0, {{NULL, 0}}},
    {0, 1, 0.2, 0, {{NULL, 0}}},
    {0, 2, 0.4, 3, {{"draws", 40}, {"points", 60}, {"candidates", 30}}},
    {0, 1, -3, 0, {{NULL, 0}}}, /* nothing is feasible */
    {1, 2, 0.4, 0, {{NULL, 0}}},
    {1, 1, 0.2, 2, {{"draws", 8}, {"bound", 1}}},
};

enum { KINDS = sizeof kinds / sizeof *kinds };

/* log of the average over lookaheads, from draws and values made here. */
static void by_definition(ckg_study *s, int draws, int bound, const double *X, double *want)
{
    struct ckg__search search;
    struct ckg__draws drawn[8];
    double U[2 * AT], value[AT], best[64];

    must(ckg__study_begin_search(s, s->policy, &search));
    must(ckg__search_draw(&search, CKG__DRAWS_CMES, draws, drawn));
    for (int p = 0; p < AT; p++) {
        U[p] = X[2 * p];
        U[AT + p] = X[2 * p + 1];
        want[p] = -INFINITY;
    }
    for (int o = 0; o < search.lookaheads; o++) {
        const struct ckg__belief *belief = search.lookahead[o].belief;
        for (int i = 0; i < draws; i++)
            ckg__draws_best(&drawn[o], belief, i, &best[i]);
        must(ckg__cmes_batch(belief, &(struct ckg__cmes){draws, bound, best}, AT, U, AT, search.results,
                             value, NULL));
        for (int p = 0; p < AT; p++)
            ckg__log_add(&want[p], value[p] - log(search.lookaheads), 0, 1, NULL, NULL);
    }
    ckg__study_end_search(s, CKG_OK);
}

static void test_score_by_definition(void **state)
{
    static const int draws[KINDS] = {16, 16, 40, 16, 4, 4};
    double X[2 * AT], score[AT], want[AT];

    (void)state;
    ckg__design_sobol(3, 0, AT, 2, X);
    for (int i = 0; i < KINDS; i++) {
        ckg_study *s = new_study(&kinds[i]);
        must(ckg_study_score(s, NULL, AT, X, score));
        by_definition(s, draws[i], i == 5, X, want);
        for (int p = 0; p < AT; p++)
            assert_near(score[p], want[p], 1e-9 * (1 + fabs(score[p])));
        ckg_study_free(s);
    }
}

/*
 * By how much two computations of a score may differ. The design went through the user's units: its last bit
 * is magnified by the model's condition. Where limits are out of reach the score is about −d²/2s², a number
 * as large as the model is sure, and as inexact as s²: that is what is left of the prior's variance, about
 * one here as the outcomes are, when a sum of DATA squares is taken away, with a rounding for each. Seen were
 * 4e-5 of −6e11, where s is 5e-6.
 */
static double allowed(ckg_study *s, int outcomes, const double *x, double score)
{
    const double far = fmax(-score - 100, 0);
    double sd[3];
    double least = INFINITY;

    must(ckg_study_predict(s, 1, x, NULL, sd, NULL, NULL));
    for (int j = 0; j < outcomes; j++)
        least = fmin(least, sd[j]);
    return 1e-6 * (1 + fabs(score)) + far * 2 * DATA * DBL_EPSILON / (least * least);
}

/* Another study of the same trials scores the suggestion: nothing on a grid of 300 designs is worth more. */
static void test_suggests_a_maximum(void **state)
{
    double X[2 * AT], score[AT];

    (void)state;
    ckg__design_sobol(4, 0, AT, 2, X);
    for (int i = 0; i < KINDS; i++) {
        ckg_study *s = new_study(&kinds[i]), *other = new_study(&kinds[i]);
        ckg_suggestion *suggestion;
        must(ckg_study_ask(s, &suggestion));
        assert_string_equal(suggestion->path, "cmes");
        memcpy(X, suggestion->x, 2 * sizeof *X);
        must(ckg_study_score(other, NULL, AT, X, score));
        assert_near(suggestion->value, score[0], allowed(other, 1 + kinds[i].K, X, score[0]));
        for (int p = 1; p < AT; p++)
            assert_true(score[p] <= score[0]);
        ckg_suggestion_free(suggestion);
        ckg_study_free(s);
        ckg_study_free(other);
    }
}

/* A draw in which nothing is feasible has f* = −∞; with limits out of reach all draws are such. */
static void test_nothing_feasible(void **state)
{
    ckg_study *s = new_study(&kinds[3]);
    struct ckg__search search;
    struct ckg__draws draws;
    double best;

    (void)state;
    must(ckg__study_begin_search(s, s->policy, &search));
    must(ckg__search_draw(&search, CKG__DRAWS_CMES, 16, &draws));
    for (int i = 0; i < 16; i++)
        assert_int_equal(ckg__draws_best(&draws, search.lookahead[0].belief, i, &best), -1);
    ckg__study_end_search(s, CKG_OK);
    ckg_study_free(s);
}

int main(void)
{
    return RUN_TESTS(test_score_by_definition, test_suggests_a_maximum, test_nothing_feasible);
}

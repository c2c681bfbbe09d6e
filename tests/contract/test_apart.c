/*
 * Studies whose outcomes are measured one at a time: what is asked for, by every policy; that each step is
 * the best value for its cost; designs that are measured bit by bit; groups, pending trials and the budget.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "study/study.h"
#include "support/near.h"
#include "support/scale.h"
#include "support/studies.h"
#include "support/test.h"

enum { LIST = 30, OUTCOMES = 3 };

static void evaluate(const double *x, double *values)
{
    values[0] = sin(7 * x[0]) + cos(6 * x[1]) + x[0];
    values[1] = sin(4 * x[0] + 5 * x[1]) - 0.3;
    values[2] = x[0] * x[1] - 0.6;
}

/* f, c0 and c1 over a box or, where `list` says how many, over a list of designs. */
static ckg_problem *problem_of(int list)
{
    ckg_problem *p = box_problem(2, 0, 1, OUTCOMES - 1, 0);
    struct ckg__rng rng;
    double X[2 * LIST];

    must(ckg_problem_set_objective(p, "f", CKG_MINIMIZE));
    set_all_noise(p, CKG_NOISE_NONE, 0);
    ckg__rng_seed(&rng, 7, (uint64_t)list, 0);
    for (int i = 0; i < 2 * list; i++)
        X[i] = ckg__rng_uniform(&rng);
    if (list)
        must(ckg_problem_set_designs(p, list, X));
    return p;
}

static ckg_study *study_with(ckg_problem *p, const char *policy, int initial, int budget)
{
    ckg_options options = CKG_OPTIONS_INIT;

    options.policy = policy;
    options.initial = initial;
    options.budget = budget;
    return study_of(p, &options);
}

/* Tells the suggestion's trial what it asked for; returns the suggestion. */
static void answer(ckg_study *s, const ckg_suggestion *suggestion)
{
    ckg_measurement measured[OUTCOMES];
    double values[OUTCOMES];

    evaluate(suggestion->x, values);
    for (int i = 0; i < suggestion->measures; i++)
        measured[i] = (ckg_measurement){suggestion->measure[i], values[suggestion->measure[i]],
                                        CKG_SD_DEFAULT};
    must(ckg_study_tell_measured(s, suggestion->trial, suggestion->measures, measured));
}

/* Without costs everything is measured, and the suggestion says so. */
static void test_without_costs(void **state)
{
    ckg_study *s = study_with(problem_of(0), "auto", 4, 0);
    (void)state;

    for (int t = 0; t < 6; t++) {
        ckg_suggestion *suggestion;
        must(ckg_study_ask(s, &suggestion));
        assert_int_equal(suggestion->measures, OUTCOMES);
        for (int j = 0; j < OUTCOMES; j++)
            assert_int_equal(suggestion->measure[j], j);
        assert_true(isnan(suggestion->cost));
        answer(s, suggestion);
        ckg_suggestion_free(suggestion);
    }
    assert_true(isnan(ckg_study_spent(s)));
    ckg_study_free(s);
}

/* The largest value for its cost over all designs of the list, single outcomes and everything. */
static double best_ratio(ckg_study *s, const double *cost, double *chosen, const ckg_suggestion *suggestion)
{
    const int n = s->problem->designs;
    double alone[OUTCOMES * LIST];
    double together[LIST];
    double best = 0;

    must(ckg_study_score_outcomes(s, "ckg", n, s->problem->X, alone));
    must(ckg_study_score(s, "ckg", n, s->problem->X, together));
    for (int p = 0; p < n; p++) {
        const double *x = s->problem->X + 2 * (size_t)p;
        const int here = !memcmp(x, suggestion->x, 2 * sizeof *x);
        for (int j = 0; j <= OUTCOMES; j++) {
            const int all = j == OUTCOMES;
            const double ratio = all ? together[p] / (cost[0] + cost[1] + cost[2])
                                     : alone[OUTCOMES * p + j] / cost[j];
            best = fmax(best, ratio);
            if (here && (all ? suggestion->measures == OUTCOMES
                             : suggestion->measures == 1 && suggestion->measure[0] == j))
                *chosen = ratio;
        }
    }
    return best;
}

/*
 * On a list the search has nothing to miss but what its screening by few nodes misjudges: the choice is the
 * best, or as good to a few per cent.
 */
static void test_best_for_its_cost(void **state)
{
    static const double costs[][OUTCOMES] = {{1, 1, 1}, {10, 1, 1}, {1, 10, 1}, {1, 1, 0.1}};
    int singles[OUTCOMES] = {0};
    int everything = 0;
    int best = 0;
    int steps = 0;
    (void)state;

    for (int c = 0; c < 4; c++) {
        ckg_problem *p = problem_of(LIST);
        for (int j = 0; j < OUTCOMES; j++)
            must(ckg_problem_set_cost(p, ckg_problem_outcome_name(p, j), costs[c][j]));
        ckg_study *s = study_with(p, "auto", 5, 0);
        for (int t = 0; t < test_scale(16, 9); t++) {
            ckg_suggestion *suggestion;
            double chosen = NAN;
            must(ckg_study_ask(s, &suggestion));
            if (!strcmp(suggestion->path, "ckg")) {
                /* As the study was before it asked. */
                must(ckg_study_cancel(s, suggestion->trial));
                const double largest = best_ratio(s, costs[c], &chosen, suggestion);
                assert_near(suggestion->value, chosen * suggestion->cost, 1e-9 * suggestion->value);
                if (!(chosen > 0.9 * largest))
                    fail_msg("costs %d, trial %d: %g where %g could be had", c, t, chosen, largest);
                best += chosen > (1 - 1e-9) * largest;
                steps++;
                must(ckg_study_add(s, suggestion->x, &suggestion->trial));
                must(ckg_study_want(s, suggestion->trial, suggestion->measures, suggestion->measure));
            }
            singles[suggestion->measure[0]] += suggestion->measures == 1;
            everything += t >= 5 && suggestion->measures == OUTCOMES;
            answer(s, suggestion);
            ckg_suggestion_free(suggestion);
        }
        ckg_study_free(s);
    }
    print_message("%d of %d choices are the best there is; f alone %d, c0 %d, c1 %d times, everything %d\n",
                  best, steps, singles[0], singles[1], singles[2], everything);
    assert_true(steps >= test_scale(20, 8) && best >= 0.8 * steps);
    assert_true(singles[0] + singles[1] + singles[2] > 0);
}

/* Every policy measures a finite problem in full, each outcome of each design once, and then has nothing. */
static void test_bit_by_bit(void **state)
{
    enum { DESIGNS = 5 };
    (void)state;

    for (int i = 0; i < ckg_policy_count(); i++) {
        ckg_policy_info row;
        ckg_suggestion *suggestion;
        int times[DESIGNS][OUTCOMES] = {{0}};
        int half = 0;
        int status = CKG_OK;
        must(ckg_policy_at(i, &row));
        ckg_problem *p = problem_of(DESIGNS);
        must(ckg_problem_set_cost(p, "f", 3));
        ckg_study *s = study_with(p, row.name, 2, 0);
        for (int t = 0; t < DESIGNS * OUTCOMES + 1 && !status; t++) {
            status = ckg_study_ask(s, &suggestion);
            if (status)
                break;
            const int design = ckg__data_find(&s->data, suggestion->x);
            half += suggestion->measures < OUTCOMES;
            for (int k = 0; k < suggestion->measures; k++)
                if (times[design][suggestion->measure[k]]++ && suggestion->measures == 1)
                    fail_msg("%s measures outcome %d of a design twice", row.name, suggestion->measure[k]);
            answer(s, suggestion);
            ckg_suggestion_free(suggestion);
        }
        assert_int_equal(status, CKG_ERR_EXHAUSTED);
        for (int k = 0; k < DESIGNS * OUTCOMES; k++)
            assert_true(times[k / OUTCOMES][k % OUTCOMES] > 0);
        if (!strcmp(row.name, "auto") || !strcmp(row.name, "ckg") || !strcmp(row.name, "pesc") ||
            !strcmp(row.name, "cei"))
            assert_true(half > 0);
        ckg_study_free(s);
    }
}

/* What comes together is asked for together; what the budget does not pay for is not asked for. */
static void test_groups_and_budget(void **state)
{
    static const char *const group[] = {"f", "c1"};
    static const char *const policies[] = {"auto", "cei", "pesc"};
    (void)state;

    for (int i = 0; i < 3; i++) {
        ckg_problem *p = problem_of(0);
        must(ckg_problem_add_group(p, 2, group));
        must(ckg_problem_set_cost(p, "f", 2));
        must(ckg_problem_set_cost(p, "c1", 0));
        must(ckg_problem_set_cost(p, "c0", 1));
        ckg_study *s = study_with(p, policies[i], 4, 20);
        double spent = 0;
        while (spent < 20) {
            ckg_suggestion *suggestion;
            must(ckg_study_ask(s, &suggestion));
            const int *m = suggestion->measure;
            const int alone = suggestion->measures == 1 && m[0] == 1;
            const int both = suggestion->measures == 2 && m[0] == 0 && m[1] == 2;
            assert_true(alone || both || suggestion->measures == OUTCOMES);
            assert_true(suggestion->cost == (alone ? 1 : both ? 2 : 3));
            assert_true(ckg_study_trial_cost(s, suggestion->trial) == suggestion->cost);
            for (int j = 0; j < OUTCOMES; j++)
                assert_int_equal(ckg_study_wants(s, suggestion->trial, j), j == 1 ? !both : !alone);
            spent += suggestion->cost;
            assert_true(ckg_study_spent(s) == spent);
            answer(s, suggestion);
            ckg_suggestion_free(suggestion);
        }
        assert_true(spent == 20);
        ckg_study_free(s);
    }
}

/* Pending trials: nothing is asked for twice, and models wait for what is wanted alone. */
static void test_pending(void **state)
{
    enum { PENDING = 6 };
    ckg_problem *p = problem_of(LIST);
    ckg_suggestion *suggestion[PENDING];
    (void)state;

    must(ckg_problem_set_cost(p, "f", 1));
    ckg_study *s = study_with(p, "auto", 5, 0);
    for (int t = 0; t < 5; t++) {
        must(ckg_study_ask(s, &suggestion[0]));
        answer(s, suggestion[0]);
        ckg_suggestion_free(suggestion[0]);
    }
    for (int i = 0; i < PENDING; i++) {
        must(ckg_study_ask(s, &suggestion[i]));
        for (int k = 0; k < i; k++) {
            int common = 0;
            for (int j = 0; j < OUTCOMES; j++)
                common |= ckg_study_wants(s, suggestion[i]->trial, j) &&
                          ckg_study_wants(s, suggestion[k]->trial, j);
            assert_true(!common || memcmp(suggestion[i]->x, suggestion[k]->x, 2 * sizeof(double)));
        }
    }
    for (int i = 0; i < PENDING; i++) {
        answer(s, suggestion[i]);
        ckg_suggestion_free(suggestion[i]);
    }
    ckg_study_free(s);
}

/* The same seed, the same steps, at any number of threads. */
static void test_same_steps(void **state)
{
    ckg_study *study[2];
    (void)state;

    for (int i = 0; i < 2; i++) {
        ckg_options options = CKG_OPTIONS_INIT;
        ckg_problem *p = problem_of(0);
        must(ckg_problem_set_cost(p, "c0", 5));
        options.threads = i ? 3 : 1;
        options.initial = 5;
        study[i] = study_of(p, &options);
    }
    for (int t = 0; t < 9; t++) {
        ckg_suggestion *one;
        ckg_suggestion *other;
        must(ckg_study_ask(study[0], &one));
        must(ckg_study_ask(study[1], &other));
        assert_memory_equal(one->x, other->x, 2 * sizeof *one->x);
        assert_int_equal(one->measures, other->measures);
        assert_memory_equal(one->measure, other->measure, (size_t)one->measures * sizeof *one->measure);
        answer(study[0], one);
        answer(study[1], other);
        ckg_suggestion_free(one);
        ckg_suggestion_free(other);
    }
    ckg_study_free(study[0]);
    ckg_study_free(study[1]);
}

static void tell_one(ckg_study *s, const double *x, int outcome)
{
    double values[OUTCOMES];
    int trial;

    evaluate(x, values);
    must(ckg_study_add(s, x, &trial));
    must(ckg_study_want(s, trial, 1, &outcome));
    must(ckg_study_tell_measured(s, trial, 1, &(ckg_measurement){outcome, values[outcome], CKG_SD_DEFAULT}));
}

/* What was measured of a design in several trials is known together, and only where outcomes have costs. */
static void test_known_together(void **state)
{
    const double good[] = {0.9, 0.5};
    double values[OUTCOMES];
    ckg_trial trial;
    (void)state;

    evaluate(good, values);
    assert_true(values[1] <= 0 && values[2] <= 0);
    for (int apart = 0; apart < 2; apart++) {
        ckg_problem *p = problem_of(0);
        if (apart)
            must(ckg_problem_set_cost(p, "f", 2));
        ckg_study *s = study_with(p, "auto", 4, 0);
        for (int j = 0; j < OUTCOMES; j++) {
            assert_int_equal(ckg_study_best(s), -1);
            tell_one(s, good, j);
        }
        must(ckg_study_trial(s, 0, &trial));
        assert_int_equal(trial.feasible, apart ? 1 : -1);
        assert_int_equal(ckg_study_best(s), apart ? 0 : -1);
        if (apart) {
            assert_true(ckg_study_spent(s) == 4);
            assert_int_equal(s->data.unlike, 0);
        }
        ckg_study_free(s);
    }
}

/* A trial costs what it was to measure, and what came beyond that; one that was cancelled nothing. */
static void test_costs_of_trials(void **state)
{
    const double x[] = {0.5, 0.25};
    static const int wanted[] = {1};
    const ckg_measurement came[] = {{1, 0.5, CKG_SD_DEFAULT}, {0, 2, CKG_SD_DEFAULT}};
    ckg_problem *p = problem_of(0);
    int trial[4];
    (void)state;

    must(ckg_problem_set_cost(p, "f", 10));
    must(ckg_problem_set_cost(p, "c1", 0.5));
    ckg_study *s = study_with(p, "auto", 4, 0);
    for (int i = 0; i < 4; i++)
        must(ckg_study_add(s, x, &trial[i]));
    assert_true(ckg_study_spent(s) == 46);
    must(ckg_study_want(s, trial[0], 1, wanted));
    must(ckg_study_tell_measured(s, trial[0], 2, came));
    assert_true(ckg_study_trial_cost(s, trial[0]) == 11);
    must(ckg_study_want(s, trial[1], 1, wanted));
    must(ckg_study_tell_failed(s, trial[1]));
    assert_true(ckg_study_trial_cost(s, trial[1]) == 1);
    must(ckg_study_cancel(s, trial[2]));
    assert_true(ckg_study_spent(s) == 11 + 1 + 11.5);

    assert_int_equal(ckg_study_want(s, trial[0], 1, wanted), CKG_ERR_STATE);
    assert_int_equal(ckg_study_want(s, trial[3], 0, wanted), CKG_ERR_INVALID);
    assert_int_equal(ckg_study_want(s, trial[3], 1, &(int){3}), CKG_ERR_NOT_FOUND);
    assert_int_equal(ckg_study_wants(s, trial[3], 3), -1);
    assert_true(isnan(ckg_study_trial_cost(s, 9)));
    ckg_study_free(s);
}

/* What the outcome is at x, and −100 for the last, which holds everywhere by far. */
static void tell_of(ckg_study *s, const double *x, int outcomes)
{
    ckg_measurement measured[OUTCOMES];
    double values[OUTCOMES];
    int trial;

    evaluate(x, values);
    values[OUTCOMES - 1] = -100;
    for (int j = 0; j < OUTCOMES; j++)
        measured[j] = (ckg_measurement){j, values[j], CKG_SD_DEFAULT};
    must(ckg_study_add(s, x, &trial));
    must(ckg_study_tell_measured(s, trial, outcomes, measured));
}

/* The best design in hand need not be known in full: a constraint that is sure to hold was not measured. */
static void test_sure_is_incumbent(void **state)
{
    const double best[] = {0.55, 0.5};
    double values[OUTCOMES];
    ckg_recommendation *r;
    ckg_problem *p = problem_of(0);
    (void)state;

    must(ckg_problem_set_cost(p, "f", 1));
    ckg_study *s = study_with(p, "auto", 4, 0);
    for (int i = 0; i < 16; i++)
        tell_of(s, (const double[]){0.05 + 0.3 * (i % 4), 0.05 + 0.3 * (i / 4)}, OUTCOMES);

    /* Measured but for the last constraint. */
    evaluate(best, values);
    assert_true(values[1] <= 0);
    tell_of(s, best, OUTCOMES - 1);
    const ckg_recommend_options evaluated = {
        .version = CKG_RECOMMEND_OPTIONS_VERSION, .rule = CKG_RULE_UTILITY, .evaluated_only = 1};
    must(ckg_study_recommend(s, &evaluated, &r));
    assert_memory_equal(r->x, best, sizeof best);
    assert_true(r->mean[0] == values[0] && r->sd[0] == 0);
    assert_true(r->mean[1] == values[1] && r->probability[0] == 1);
    assert_false(r->measured);
    assert_true(r->sd[2] >= 0 && r->probability[1] > 1 - 1e-9);
    assert_true(r->probability_feasible == r->probability[1]);
    ckg_recommendation_free(r);
    ckg_study_free(s);
}

int main(void)
{
    return RUN_TESTS(test_without_costs, test_best_for_its_cost, test_bit_by_bit, test_groups_and_budget,
                     test_pending, test_same_steps, test_known_together, test_costs_of_trials,
                     test_sure_is_incumbent);
}

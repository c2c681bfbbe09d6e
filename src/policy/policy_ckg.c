/*
 * The constrained knowledge gradient as a policy (acquisition/kg.h has the formula, kg_search.c the search).
 *
 * Without noise a feasible design in hand is known for what it is, and the best of them is recommended
 * (study/recommend.c). The gain of the recommendation by one more evaluation is then the improvement of the
 * best design evaluated, whose expectation needs no discretisation: the knowledge gradient is log-cEI.
 * Measured on COCO's constrained suite at d = 3 and 5, looking further ahead is behind
 * (bench/results/coco-lookahead.md); without constraints it is far behind (bench/results/unconstrained.md).
 */
#include <math.h>

#include "base/error.h"
#include "base/maths.h"
#include "policy/kg_search.h"
#include "search/trust_region.h"
#include "policy/measurement.h"

static int noisy(const struct ckg__search *search)
{
    return ckg__models_noisy(search->scope->models);
}

/*
 * 1 when the gain of the recommendation is the improvement of a design in hand. A single outcome puts no
 * design into the hand: where outcomes are measured apart the look is always ahead.
 */
static int improves(const struct ckg__search *search)
{
    return search->effort.improve && !search->apart && !noisy(search) &&
           ckg__data_best(search->scope->data) >= 0;
}

static int suggest(struct ckg__search *search, struct ckg__choice *choice)
{
    if (improves(search))
        return ckg__policy_hand_over(&ckg__policy_cei, "improve", search, choice);
    return ckg__knowledge_suggest(search, 0, choice);
}

static int score(struct ckg__search *search, int count, const double *U, double *value)
{
    return ckg__knowledge_score(search, 0, count, U, value);
}

/* The decoupled knowledge gradients: the value of an evaluation that measures one outcome alone. */
static int score_outcomes(struct ckg__search *search, int count, const double *U, double *value)
{
    const size_t outcomes = (size_t)search->scope->problem->outcomes;
    const size_t outlooks = (size_t)search->outlooks;
    struct ckg__belief *alone = ckg__arena_get(search->results, outlooks, sizeof *alone);
    double *one = ckg__arena_doubles(search->results, (size_t)count + 1);
    int status = alone && one ? CKG_OK : CKG_ERR_NOMEM;

    for (size_t o = 0; !status && o < outlooks; o++) {
        alone[o] = *search->outlook[o].belief;
        search->outlook[o].belief = &alone[o];
    }
    for (size_t j = 0; !status && j < outcomes; j++) {
        struct ckg__arena_mark mark = ckg__arena_mark(search->results);
        struct ckg__set set = {{0}};

        ckg__set_put(&set, (int)j);
        for (size_t o = 0; o < outlooks; o++)
            ckg__hide_others(search->scope->models, &set, &alone[o]);
        status = ckg__knowledge_score(search, 0, count, U, one);
        for (int p = 0; p < count; p++)
            value[(size_t)p * outcomes + j] = one[p];
        ckg__arena_release(search->results, mark);
    }
    return status;
}

/*
 * Below this share of sd(y) the search has stalled: under noise because it thinks it knows more than it does,
 * without because it is down to the last digits. Then some trials look at new ground (ckg__search_turn),
 * since another feasible region may be waiting.
 */
static const double stalled_noisy = 1e-4;
static const double stalled_exact = 1e-5;

static int handed_over(const struct ckg__choice *choice)
{
    return choice->by != &ckg__policy_ckg;
}

static int stalled(const struct ckg__search *search, const struct ckg__choice *choice)
{
    if (improves(search))
        return choice->value < ckg__log(stalled_exact);
    return handed_over(choice) || choice->value < (noisy(search) ? stalled_noisy : stalled_exact);
}

static int otherwise(struct ckg__search *search, struct ckg__choice *choice)
{
    const int turn = improves(search) ? ckg__search_rare_turn(search)
                                      : ckg__search_turn(search, noisy(search));

    if (turn)
        return ckg__search_explore(search, choice);

    /*
     * Down to the last digits a single outcome is worth next to nothing, and without noise only a design that
     * is known for what it is gets the search any further.
     */
    choice->together = search->apart && !noisy(search) && ckg__data_best(search->scope->data) >= 0;
    return CKG_OK;
}

/* clang-format off */
#define SETTINGS(X) \
    CKG__KNOWLEDGE_SETTINGS(X) \
    X(M, {.value = NAN}, -1e150, 1e150, 0, \
      "worth of an infeasible design, in the objective's units; automatic: the smallest posterior mean") \
    X(improve, {.value = 1}, 0, 1, 1, \
      "1: without noise, once a feasible design is known, its improvement is what counts; 0: look ahead " \
      "always") \
    CKG__LOCAL_SETTINGS(X)
/* clang-format on */
CKG__SETTINGS(settings, parameters, SETTINGS);

static void prepare(struct ckg__search *search)
{
    const struct settings *set = search->settings;

    ckg__knowledge_prepare(search);
    search->effort.improve = (int)set->improve;
    ckg__local_prepare(search, set->global_every, set->region);
}

const struct ckg__policy ckg__policy_ckg = {
    .name = "ckg",
    .title = "constrained knowledge gradient",
    .reference = "Ungredda and Branke, Bayesian optimisation for constrained problems",
    .value = "expected gain of the recommendation, in the objective's units",
    .unit = CKG__UNIT_OBJECTIVE,
    .parameters = parameters,
    .count = sizeof parameters / sizeof *parameters,
    .narrow = &ckg__trust_region,
    .prepare = prepare,
    .suggest = suggest,
    .stalled = stalled,
    .otherwise = otherwise,
    .score = score,
    .score_outcomes = score_outcomes};

/*
 * The constrained knowledge gradient as a policy (acquisition/kg.h has the formula, kg_search.c the search):
 * it looks one evaluation ahead at every step.
 */
#include "policy/kg_search.h"
#include "policy/measurement.h"

static int noisy(const struct ckg__search *search)
{
    return ckg__surrogates_noisy(search->scope->models);
}

/* The decoupled knowledge gradients: the value of an evaluation that measures one outcome alone. */
static int score_outcomes(struct ckg__search *search, int count, const double *U, double *value)
{
    const size_t outcomes = (size_t)search->scope->problem->outcomes;
    double *one = ckg__arena_doubles(search->results, (size_t)count + 1);
    int status = one ? CKG_OK : CKG_ERR_NOMEM;

    /* The beliefs are the search's own, and hide all outcomes but one at a time. */
    for (size_t j = 0; !status && j < outcomes; j++) {
        struct ckg__arena_mark mark = ckg__arena_mark(search->results);
        struct ckg__set set = {{0}};

        ckg__set_put(&set, (int)j);
        for (int o = 0; o < search->lookaheads; o++)
            ckg__hide_others(search->scope->models, &set, search->lookahead[o].belief);
        status = ckg__knowledge_score(search, count, U, one);
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
    return handed_over(choice) || choice->value < (noisy(search) ? stalled_noisy : stalled_exact);
}

static int fallback(struct ckg__search *search, struct ckg__choice *choice)
{
    if (ckg__search_turn(search, noisy(search)))
        return ckg__search_explore(search, choice);

    /*
     * Down to the last digits a single outcome is worth next to nothing, and without noise only a design that
     * is known for what it is gets the search any further.
     */
    choice->together = search->apart && !noisy(search) && ckg__data_best(search->scope->data) >= 0;
    return CKG_OK;
}

static const ckg_policy_parameter parameters[] = {CKG__KNOWLEDGE_SETTINGS(CKG__ROW)
                                                      CKG__PENALTY_SETTING(CKG__ROW)};

const struct ckg__policy ckg__policy_ckg = {
    .name = "ckg",
    .title = "constrained knowledge gradient",
    .reference = "Ungredda and Branke, Bayesian optimisation for constrained problems",
    .value = "expected gain of the recommendation, in the objective's units",
    .unit = CKG__UNIT_OBJECTIVE,
    .reason = "Evaluated here, the recommended design is expected to become better by most.",
    CKG__TABLE(parameters),
    .traits = CKG__TRAIT_POINTS,
    .suggest = ckg__knowledge_suggest,
    .stalled = stalled,
    .fallback = fallback,
    .score = ckg__knowledge_score,
    .score_outcomes = score_outcomes};

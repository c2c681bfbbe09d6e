/*
 * The constrained knowledge gradient as a policy (acquisition/kg.h has the formula, knowledge.c the search).
 */
#include <math.h>

#include "suggest/knowledge.h"

static int suggest(struct ckg__search *search, struct ckg__choice *choice, int *found)
{
    return ckg__knowledge_suggest(search, 0, choice, found);
}

static int score(struct ckg__search *search, int count, const double *U, double *value)
{
    return ckg__knowledge_score(search, 0, count, U, value);
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
    const int noisy = ckg__models_noisy(search->models);
    return handed_over(choice) || choice->value < (noisy ? stalled_noisy : stalled_exact);
}

/*
 * Without noise a stalled knowledge gradient is down to the size of the nugget, and can no longer tell
 * designs apart. What is left to gain is an evaluated design that is known exactly (see prefer_exact in
 * study/recommend.c), and for that the improvement is the right measure.
 */
static int otherwise(struct ckg__search *search, struct ckg__choice *choice, int *found)
{
    const int noisy = ckg__models_noisy(search->models);
    if (ckg__search_turn(search, noisy))
        return ckg__search_explore(search, choice, found);
    if (noisy || handed_over(choice))
        return CKG_OK;
    return ckg__policy_hand_over(&ckg__policy_cei, "polish", search, choice, found);
}

static const ckg_policy_parameter parameters[] = {
    CKG__KNOWLEDGE_PARAMETERS,
    {CKG__PENALTY,
     {.value = NAN},
     -1e150,
     1e150,
     0,
     "worth of an infeasible design, in the objective's units; automatic: the smallest posterior mean"},
};

const struct ckg__policy ckg__policy_ckg = {
    .name = "ckg",
    .title = "constrained knowledge gradient",
    .reference = "Ungredda and Branke, Bayesian optimisation for constrained problems",
    .value = "expected gain of the recommendation, in the objective's units",
    .unit = CKG__UNIT_OBJECTIVE,
    .parameters = parameters,
    .count = sizeof parameters / sizeof *parameters,
    .prepare = ckg__knowledge_prepare,
    .suggest = suggest,
    .stalled = stalled,
    .otherwise = otherwise,
    .score = score};

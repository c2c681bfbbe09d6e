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

static const ckg_policy_parameter parameters[] = {
    CKG__KNOWLEDGE_PARAMETER_ROWS,
    {CKG__PENALTY, NAN, -1e150, 1e150, 0,
     "worth of an infeasible design, in the objective's units; by itself the smallest posterior mean"},
};

static void prepare(struct ckg__search *search)
{
    ckg__knowledge_prepare(search, search->setting);
}

const struct ckg__policy ckg__policy_ckg = {
    .name = "ckg",
    .title = "constrained knowledge gradient",
    .reference = "Ungredda and Branke, Bayesian optimisation for constrained problems",
    .value = "expected gain of the recommendation, in the objective's units",
    .parameters = parameters,
    .count = CKG__KNOWLEDGE_PARAMETERS + 1,
    .traits = CKG__TRAIT_AMOUNT,
    .prepare = prepare,
    .suggest = suggest,
    .score = score};

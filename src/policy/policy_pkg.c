/*
 * The penalised knowledge gradient: what the objective alone promises, times the probability that the sampled
 * design is feasible (kg_search.c has the search).
 */
#include <math.h>

#include "policy/kg_search.h"

static int suggest(struct ckg__search *search, struct ckg__choice *choice)
{
    return ckg__knowledge_suggest(search, 1, choice);
}

static int score(struct ckg__search *search, int count, const double *U, double *value)
{
    return ckg__knowledge_score(search, 1, count, U, value);
}

static const ckg_policy_parameter parameters[] = {CKG__KNOWLEDGE_SETTINGS(CKG__ROW)};

const struct ckg__policy ckg__policy_pkg = {
    .name = "pkg",
    .title = "penalised knowledge gradient: KG × PF of the sampled design",
    .reference = "Chen, Liu and Tang 2021",
    .value = "expected gain of the best mean times the probability of feasibility, in the objective's units",
    .unit = CKG__UNIT_OBJECTIVE,
    .parameters = parameters,
    .count = sizeof parameters / sizeof *parameters,
    .traits = CKG__TRAIT_OBJECTIVE_ONLY,
    .prepare = ckg__knowledge_prepare,
    .suggest = suggest,
    .score = score};

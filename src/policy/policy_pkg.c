/*
 * The penalised knowledge gradient: what the objective alone promises, times the probability that the sampled
 * design is feasible (kg_search.c has the search).
 */

#include "policy/kg_search.h"

static const ckg_policy_parameter parameters[] = {CKG__KNOWLEDGE_SETTINGS(CKG__ROW)};

const struct ckg__policy ckg__policy_pkg = {
    .name = "pkg",
    .title = "penalised knowledge gradient: KG × PF of the sampled design",
    .reference = "Chen, Liu and Tang 2021",
    .value = "expected gain of the best mean times the probability of feasibility, in the objective's units",
    .unit = CKG__UNIT_OBJECTIVE,
    CKG__TABLE(parameters),
    .traits = CKG__TRAIT_OBJECTIVE_ONLY | CKG__TRAIT_POINTS | CKG__TRAIT_WEIGHTED,
    .suggest = ckg__knowledge_suggest,
    .score = ckg__knowledge_score};

/* The knowledge gradient of the objective alone, constraints left aside (kg_search.c has the search). */
#include "policy/kg_search.h"

static const ckg_policy_parameter parameters[] = {CKG__KNOWLEDGE_SETTINGS(CKG__ROW)};

const struct ckg__policy ckg__policy_kg = {
    .name = "kg",
    .title = "knowledge gradient of the objective alone",
    .reference = "Frazier, Powell and Dayanik 2009; Pearce, Klaassen and Groves 2020",
    .value = "expected gain of the best mean, in the objective's units",
    .unit = CKG__UNIT_OBJECTIVE,
    CKG__TABLE(parameters),
    .traits = CKG__TRAIT_OBJECTIVE_ONLY | CKG__TRAIT_POINTS,
    .suggest = ckg__knowledge_suggest,
    .score = ckg__knowledge_score};

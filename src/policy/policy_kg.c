/* The knowledge gradient of the objective alone, constraints left aside (kg_search.c has the search). */
#include <math.h>

#include "policy/kg_search.h"

static int suggest(struct ckg__search *search, struct ckg__choice *choice)
{
    return ckg__knowledge_suggest(search, 0, choice);
}

static int score(struct ckg__search *search, int count, const double *U, double *value)
{
    return ckg__knowledge_score(search, 0, count, U, value);
}

static const ckg_policy_parameter parameters[] = {CKG__KNOWLEDGE_SETTINGS(CKG__ROW)};

const struct ckg__policy ckg__policy_kg = {
    .name = "kg",
    .title = "knowledge gradient of the objective alone",
    .reference = "Frazier, Powell and Dayanik 2009; Pearce, Klaassen and Groves 2020",
    .value = "expected gain of the best mean, in the objective's units",
    .unit = CKG__UNIT_OBJECTIVE,
    .parameters = parameters,
    .count = sizeof parameters / sizeof *parameters,
    .traits = CKG__TRAIT_OBJECTIVE_ONLY,
    .prepare = ckg__knowledge_prepare,
    .suggest = suggest,
    .score = score};

/* Predictive entropy search with constraints as a policy (predictive.c has the search). */
#include "policy/predictive.h"

static const ckg_policy_parameter parameters[] = {CKG__PREDICTIVE_SETTINGS(CKG__ROW)};

const struct ckg__policy ckg__policy_pesc = {
    .name = "pesc",
    .title = "predictive entropy search with constraints",
    .reference = "Hernández-Lobato, Gelbart, Adams, Hoffman and Ghahramani 2016",
    .value = "expected information about where the constrained optimum lies, in nats",
    CKG__TABLE(parameters),
    .acquire = ckg__predictive_acquire,
    .suggest = ckg__predictive_suggest,
    .score_outcomes = ckg__predictive_score_outcomes};

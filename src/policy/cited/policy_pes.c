/*
 * Predictive entropy search of the objective alone, constraints left aside (predictive.c has the search).
 * Without constraints it is `pesc`.
 */
#include "policy/predictive.h"

static const ckg_policy_parameter parameters[] = {CKG__PREDICTIVE_SETTINGS(CKG__ROW)};

const struct ckg__policy ckg__policy_pes = {
    .name = "pes",
    .title = "predictive entropy search of the objective alone",
    .reference = "Hernández-Lobato, Hoffman and Ghahramani 2014",
    .value = "expected information about where the optimum of the objective alone lies, in nats",
    CKG__TABLE(parameters),
    .traits = CKG__TRAIT_OBJECTIVE_ONLY,
    .acquire = ckg__predictive_acquire,
    .suggest = ckg__predictive_suggest};

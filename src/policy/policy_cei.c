/*
 * Constrained expected improvement as a policy, in logarithms. While no design was measured feasible it
 * maximises the probability of feasibility. Under several hyperparameter samples the improvements are
 * averaged.
 */
#include "policy/policy.h"

static int acquire(struct ckg__search *search, struct ckg__acquisition *acquisition)
{
    return ckg__improvement_acquire(search, 0, acquisition);
}

static const ckg_policy_parameter parameters[] = {CKG__LOCAL_CLIMB_SETTINGS(CKG__ROW)};

const struct ckg__policy ckg__policy_cei = {
    .name = "cei",
    .title = "constrained expected improvement, in logarithms",
    .reference = "Schonlau, Welch and Jones 1998; Ament et al. 2023",
    .value = "log of expected improvement × probability of feasibility",
    .unit = CKG__UNIT_LOG_OBJECTIVE,
    CKG__TABLE(parameters),
    CKG__LOCAL_CLIMB,
    .acquire = acquire};

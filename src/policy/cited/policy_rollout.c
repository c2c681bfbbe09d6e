/*
 * Rollout of the constrained improvement as a policy (policy/cited/rollout.h has the formula). Later steps
 * choose among the points of each outlook's discretisation. With horizon 1 it is `cei`.
 */
#include <math.h>

#include "policy/improvement.h"
#include "search/trust_region.h"
#include "policy/policy.h"

enum { HORIZON = CKG__LOCAL_CLIMB_SETTINGS, NODES, DISCOUNT };

static int acquire(struct ckg__search *search, struct ckg__acquisition *acquisition)
{
    const struct ckg__plan plan = {(int)search->setting[HORIZON], (int)search->setting[NODES],
                                   search->setting[DISCOUNT]};

    return ckg__rollout_acquire(search, &plan, acquisition);
}

static const ckg_policy_parameter parameters[] = {
    CKG__LOCAL_CLIMB_PARAMETERS,
    [HORIZON] = {"horizon", {.value = 2}, 1, 4, 1, "evaluations that are planned, this one among them"},
    [NODES] = {"nodes",
               {.value = 5, .sampled = 3},
               2,
               32,
               1,
               "quadrature points of each outcome; with several constraints its square for all of them"},
    [DISCOUNT] = {"discount", {.value = 0.9}, 0, 1, 0, "what a later improvement counts of one now"},
};

const struct ckg__policy ckg__policy_rollout = {
    .name = "rollout",
    .title = "rollout of the constrained improvement over several evaluations",
    .reference = "Lam and Willcox 2017",
    .value = "log of the improvement that this evaluation and those planned after it are expected to make",
    .parameters = parameters,
    .count = sizeof parameters / sizeof *parameters,
    .traits = CKG__TRAIT_CERTAIN,
    .narrow = &ckg__trust_region,
    .prepare = ckg__local_climb_prepare,
    .acquire = acquire};

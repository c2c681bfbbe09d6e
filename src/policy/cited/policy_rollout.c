/*
 * Rollout of the constrained improvement as a policy (policy/cited/rollout.h has the formula). Later steps
 * choose among the points of each outlook's discretisation. With horizon 1 it is `cei`.
 */
#include <math.h>

#include "policy/improvement.h"
#include "policy/policy.h"

/* clang-format off */
#define SETTINGS(X) \
    CKG__LOCAL_CLIMB_SETTINGS(X) \
    X(horizon, {.value = 2}, 1, 4, 1, "evaluations that are planned, this one among them") \
    X(nodes, {.value = 5, .sampled = 3}, 2, 32, 1, \
      "quadrature points of each outcome; with several constraints its square for all of them") \
    X(discount, {.value = 0.9}, 0, 1, 0, "what a later improvement counts of one now")
/* clang-format on */
CKG__SETTINGS(settings, parameters, SETTINGS);

static int acquire(struct ckg__search *search, struct ckg__acquisition *acquisition)
{
    const struct settings *set = search->settings;
    const struct ckg__plan plan = {(int)set->horizon, (int)set->nodes, set->discount};

    return ckg__rollout_acquire(search, &plan, acquisition);
}

const struct ckg__policy ckg__policy_rollout = {
    .name = "rollout",
    .title = "rollout of the constrained improvement over several evaluations",
    .reference = "Lam and Willcox 2017",
    .value = "log of the improvement that this evaluation and those planned after it are expected to make",
    CKG__TABLE(parameters),
    CKG__LOCAL_CLIMB,
    .acquire = acquire};

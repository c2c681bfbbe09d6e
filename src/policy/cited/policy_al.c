/*
 * Expected improvement of the augmented Lagrangian: constraints become part of what is minimised, by
 * multipliers and a penalty that the trials move (multipliers.h). Over draws of the constraints, common to
 * all designs.
 */
#include "policy/cited/multipliers.h"
#include "policy/policy.h"

/* clang-format off */
#define SETTINGS(X) \
    CKG__LOCAL_CLIMB_SETTINGS(X) \
    X(draws, {.value = 128}, 2, 10000, 1, "of the constraints")
/* clang-format on */
CKG__SETTINGS(settings, parameters, SETTINGS);

static int acquire(struct ckg__search *search, struct ckg__acquisition *acquisition)
{
    const struct settings *set = search->settings;

    return ckg__multipliers_acquire(search, 0, (int)set->draws, acquisition);
}

const struct ckg__policy ckg__policy_al = {
    .name = "al",
    .title = "expected improvement of the augmented Lagrangian",
    .reference = "Gramacy, Gray, Le Digabel, Lee, Ranjan, Wells and Wild 2016",
    .value = "log of the expected improvement of the augmented Lagrangian",
    CKG__TABLE(parameters),
    CKG__LOCAL_CLIMB,
    .acquire = acquire};

/*
 * Expected improvement of the augmented Lagrangian with slack variables, which turn inequalities into
 * equalities: then it is an exact integral in one dimension (policy/cited/slack.c), and equalities are its
 * own.
 */
#include "policy/cited/multipliers.h"
#include "policy/policy.h"

static int acquire(struct ckg__search *search, struct ckg__acquisition *acquisition)
{
    return ckg__multipliers_acquire(search, 1, 0, acquisition);
}

static const ckg_policy_parameter parameters[] = {CKG__LOCAL_CLIMB_SETTINGS(CKG__ROW)};

const struct ckg__policy ckg__policy_alslack = {
    .name = "alslack",
    .title = "augmented Lagrangian with slack variables, exactly",
    .reference = "Picheny, Gramacy, Wild and Le Digabel 2016",
    .value = "log of the expected improvement of the augmented Lagrangian",
    CKG__TABLE(parameters),
    CKG__LOCAL_CLIMB,
    .acquire = acquire};

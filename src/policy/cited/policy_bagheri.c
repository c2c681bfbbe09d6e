/*
 * Expected improvement times a probability of feasibility that favours the boundary: where a model is right,
 * a design on a limit is feasible with ½, and a product of such halves drives cEI away from optima that lie
 * on limits. Each constraint's probability p counts as min(2p, 1) instead. While no design was measured
 * feasible it maximises that product.
 */
#include <math.h>

#include "base/maths.h"
#include "policy/policy.h"

/* clang-format off */
#define SETTINGS(X) \
    CKG__ASCENT_SETTINGS(X) \
    X(favour, {.value = 2}, 1, 1000, 0, \
      "a constraint's probability counts as so many times itself, at most 1; 1: as it is")
/* clang-format on */
CKG__SETTINGS(settings, parameters, SETTINGS);

static int acquire(struct ckg__search *search, struct ckg__acquisition *acquisition)
{
    const struct settings *set = search->settings;

    return ckg__improvement_acquire(search, ckg__log(set->favour), acquisition);
}

const struct ckg__policy ckg__policy_bagheri = {
    .name = "bagheri",
    .title = "expected improvement with feasibility that favours the boundary",
    .reference = "Bagheri, Konen, Allmendinger, Branke, Deb, Fieldsend, Quagliarella and Sindhya 2017",
    .value = "log of expected improvement × product of min(2p, 1) over the constraints",
    CKG__TABLE(parameters),
    CKG__ASCENT,
    .acquire = acquire};

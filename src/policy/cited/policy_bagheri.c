/*
 * Expected improvement times a probability of feasibility that favours the boundary: where a model is right,
 * a design on a limit is feasible with ½, and a product of such halves drives cEI away from optima that lie
 * on limits. Each constraint's probability p counts as min(2p, 1) instead. While no design was measured
 * feasible it maximises that product.
 */
#include <math.h>

#include "base/maths.h"
#include "policy/improvement.h"
#include "search/trust_region.h"
#include "policy/policy.h"

enum { FAVOUR = CKG__LOCAL_CLIMB_SETTINGS };

static int acquire(struct ckg__search *search, struct ckg__acquisition *acquisition)
{
    return ckg__improvement_acquire(search, ckg__log(search->setting[FAVOUR]), acquisition);
}

static const ckg_policy_parameter parameters[] = {
    CKG__LOCAL_CLIMB_PARAMETERS,
    [FAVOUR] = {"favour",
                {.value = 2},
                1,
                1000,
                0,
                "a constraint's probability counts as so many times itself, at most 1; 1: as it is"},
};

const struct ckg__policy ckg__policy_bagheri = {
    .name = "bagheri",
    .title = "expected improvement with feasibility that favours the boundary",
    .reference = "Bagheri, Konen, Allmendinger, Branke, Deb, Fieldsend, Quagliarella and Sindhya 2017",
    .value = "log of expected improvement × product of min(2p, 1) over the constraints",
    .parameters = parameters,
    .count = sizeof parameters / sizeof *parameters,
    .traits = CKG__TRAIT_CERTAIN,
    .narrow = &ckg__trust_region,
    .prepare = ckg__local_climb_prepare,
    .acquire = acquire};

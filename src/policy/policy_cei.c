/*
 * Constrained expected improvement as a policy, in logarithms; designs under way count at their mean. While
 * no design was measured feasible it maximises the probability of feasibility. Under several hyperparameter
 * samples the improvements are averaged.
 */
#include <assert.h>

#include "acquisition/cei.h"
#include "policy/policy.h"

/* Under one lookahead. */
struct improvement {
    struct ckg__belief belief;
    double best; /* the incumbent */
};

static int at(void *context, int lookahead, int m, const double *U, int ldu, struct ckg__arena *arena,
              double *value, double *gradient)
{
    const struct improvement *under = (struct improvement *)context + lookahead;

    return ckg__cei_batch(&under->belief, under->best, m, U, ldu, arena, value, gradient);
}

int ckg__improvement_acquire(struct ckg__search *search, double favour, struct ckg__acquisition *acquisition)
{
    struct improvement *under = ckg__arena_get(search->results, (size_t)search->lookaheads, sizeof *under);
    int status = under ? CKG_OK : CKG_ERR_NOMEM;

    assert(favour >= 0);
    *acquisition = (struct ckg__acquisition){under, at, 1, 1};
    for (int o = 0; !status && o < search->lookaheads; o++) {
        under[o].belief = *search->lookahead[o].belief;
        under[o].belief.favour = favour;
        status = ckg__search_incumbent(search, search->lookahead[o].belief, search->results, &under[o].best);
    }
    return status;
}

static int acquire(struct ckg__search *search, struct ckg__acquisition *acquisition)
{
    return ckg__improvement_acquire(search, 0, acquisition);
}

static const ckg_policy_parameter parameters[] = {CKG__ASCENT_SETTINGS(CKG__ROW)};

const struct ckg__policy ckg__policy_cei = {
    .name = "cei",
    .title = "constrained expected improvement, in logarithms",
    .reference = "Schonlau, Welch and Jones 1998; Ament et al. 2023",
    .value = "log of expected improvement × probability of feasibility",
    .unit = CKG__UNIT_LOG_OBJECTIVE,
    CKG__TABLE(parameters),
    CKG__ASCENT,
    .acquire = acquire};

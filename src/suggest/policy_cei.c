/*
 * Constrained expected improvement as a policy, in logarithms. While no design was measured feasible it
 * maximises the probability of feasibility. Under several hyperparameter samples the improvements are
 * averaged.
 */
#include <math.h>

#include "acquisition/cei.h"
#include "base/error.h"
#include "suggest/local.h"
#include "suggest/policy.h"

struct context {
    const struct ckg__search *search;
    double *best; /* (outlooks) incumbents */
};

static int at(void *context, int outlook, int m, const double *U, int ldu, struct ckg__arena *arena,
              double *value, double *gradient)
{
    const struct context *c = context;
    const struct ckg__belief *belief = c->search->outlook[outlook].belief;

    if (gradient)
        return ckg__cei_batch(belief, c->best[outlook], m, U, ldu, arena, value, gradient);
    struct ckg__view view[CKG__MAX_OUTCOMES];
    for (int j = 0; j < belief->outcomes; j++)
        if (ckg__view_make(&view[j], belief->gp[j], m, U, ldu, arena))
            return CKG_ERR_NOMEM;
    ckg__cei_views(belief, c->best[outlook], view, value);
    return CKG_OK;
}

static int acquire(struct ckg__search *search, struct ckg__acquisition *acquisition)
{
    struct context *c = ckg__arena_get(search->results, 1, sizeof *c);
    double *best = ckg__arena_doubles(search->results, (size_t)search->outlooks);

    if (!c || !best)
        return CKG_ERR_NOMEM;
    *c = (struct context){search, best};
    *acquisition = (struct ckg__acquisition){c, at, 1, 1};
    int status = CKG_OK;
    for (int o = 0; !status && o < search->outlooks; o++)
        status = ckg__search_incumbent(search, search->outlook[o].belief, search->results, &best[o]);
    return status;
}

static const ckg_policy_parameter parameters[] = {
    {"candidates",
     {.value = CKG__CANDIDATES},
     1,
     100000,
     1,
     "space-filling designs compared before the ascent"},
    CKG__LOCAL_PARAMETERS,
};

static void prepare(struct ckg__search *search)
{
    search->effort.candidates = (int)search->setting[0];
    ckg__local_prepare(search, search->setting + 1);
}

const struct ckg__policy ckg__policy_cei = {
    .name = "cei",
    .title = "constrained expected improvement, in logarithms",
    .reference = "Schonlau, Welch and Jones 1998; Ament et al. 2023",
    .value = "log of expected improvement × probability of feasibility",
    .parameters = parameters,
    .count = sizeof parameters / sizeof *parameters,
    .traits = CKG__TRAIT_CERTAIN,
    .own_models = &ckg__local_models,
    .prepare = prepare,
    .acquire = acquire};

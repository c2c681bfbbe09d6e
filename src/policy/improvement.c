/*
 * Constrained expected improvement as an acquisition (policy.h). Designs under way count at their mean.
 */

#include <assert.h>

#include "acquisition/cei.h"
#include "policy/policy.h"

struct context {
    struct ckg__belief *belief; /* (outlooks) */
    double *best;               /* (outlooks) incumbents */
};

static int at(void *context, int outlook, int m, const double *U, int ldu, struct ckg__arena *arena,
              double *value, double *gradient)
{
    const struct context *c = context;

    return ckg__cei_batch(&c->belief[outlook], c->best[outlook], m, U, ldu, arena, value, gradient);
}

int ckg__improvement_acquire(struct ckg__search *search, double favour, struct ckg__acquisition *acquisition)
{
    const size_t outlooks = (size_t)search->outlooks;
    struct context *c = ckg__arena_get(search->results, 1, sizeof *c);
    struct ckg__belief *belief = ckg__arena_get(search->results, outlooks, sizeof *belief);
    double *best = ckg__arena_doubles(search->results, outlooks);

    assert(favour >= 0);
    if (!c || !belief || !best)
        return CKG_ERR_NOMEM;
    *c = (struct context){belief, best};
    *acquisition = (struct ckg__acquisition){c, at, 1, 1};

    int status = CKG_OK;
    for (int o = 0; !status && o < search->outlooks; o++) {
        belief[o] = *search->outlook[o].belief;
        belief[o].favour = favour;
        status = ckg__search_incumbent(search, search->outlook[o].belief, search->results, &best[o]);
    }
    return status;
}

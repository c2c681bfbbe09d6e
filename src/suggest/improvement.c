/*
 * Constrained expected improvement as an acquisition (improvement.h). Designs under way count at their mean
 * or, without noise and where that is asked for, what they will show is integrated over
 * (acquisition/awaited.h).
 */
#include "suggest/improvement.h"

#include <assert.h>
#include <math.h>

#include "acquisition/awaited.h"
#include "acquisition/cei.h"
#include "acquisition/rollout.h"
#include "base/error.h"
#include "suggest/policy.h"

struct context {
    struct ckg__belief *belief; /* (outlooks) */
    double *best;               /* (outlooks) incumbents */
    struct ckg__nei *awaited; /* (outlooks) over what is under way; NULL: it is at its mean, or nothing is */
};

static int at(void *context, int outlook, int m, const double *U, int ldu, struct ckg__arena *arena,
              double *value, double *gradient)
{
    const struct context *c = context;
    const struct ckg__belief *belief = &c->belief[outlook];

    if (c->awaited)
        return ckg__nei_batch(&c->awaited[outlook], m, U, ldu, arena, value, gradient);
    if (gradient)
        return ckg__cei_batch(belief, c->best[outlook], m, U, ldu, arena, value, gradient);
    struct ckg__view view[CKG__MAX_OUTCOMES];
    if (ckg__belief_views(belief, m, U, ldu, arena, view))
        return CKG_ERR_NOMEM;
    ckg__cei_views(belief, c->best[outlook], view, value);
    return CKG_OK;
}

/* How many designs are under way whose results are to be integrated over. */
static int awaited_count(const struct ckg__search *search)
{
    const struct ckg__data *data = search->data;
    int count = 0;

    if (search->effort.awaited < 2 || search->problem->separate || ckg__models_noisy(search->models))
        return 0;
    for (int t = 0; t < data->trials; t++)
        count += data->trial[t].state == CKG_PENDING;
    return count;
}

/* The draws under every outlook; unless there is nothing in hand yet, and likely ground is what is sought. */
static int await(struct ckg__search *search, int pending, struct context *c)
{
    const int outlooks = search->outlooks;
    const int latent = search->models->outcomes > search->problem->outcomes;
    struct ckg__nei *nei = ckg__arena_get(search->results, (size_t)outlooks, sizeof *nei);
    const int share = search->effort.awaited / outlooks;
    struct ckg__awaited a = {
        .pending = pending, .judged = search->models->processes - latent, .draws = share < 8 ? 8 : share};
    struct ckg__rng rng;
    int status = nei ? CKG_OK : CKG_ERR_NOMEM;

    ckg__rng_seed(&rng, search->seed, search->stream, CKG__FOR_AWAITED);
    a.seed = ckg__rng_next(&rng);
    for (int o = 0; !status && o < outlooks; o++) {
        struct ckg__arena *results = search->results;
        status = ckg__search_in_hand(search, search->outlook[o].belief, results, &a.best);
        if (!status && !(a.best > -INFINITY))
            return CKG_OK;
        if (!status)
            status = ckg__awaited_make(&nei[o], &c->belief[o], &a, results, &search->arena[0]);
        a.first += a.draws;
    }
    c->awaited = nei;
    return status;
}

int ckg__improvement_acquire(struct ckg__search *search, double favour, struct ckg__acquisition *acquisition)
{
    const size_t outlooks = (size_t)search->outlooks;
    const int pending = awaited_count(search);
    struct context *c = ckg__arena_get(search->results, 1, sizeof *c);
    struct ckg__belief *belief = ckg__arena_get(search->results, outlooks, sizeof *belief);
    double *best = ckg__arena_doubles(search->results, outlooks);

    assert(favour >= 0);
    if (!c || !belief || !best)
        return CKG_ERR_NOMEM;
    *c = (struct context){belief, best, NULL};
    *acquisition = (struct ckg__acquisition){c, at, 1, 1};

    int status = CKG_OK;
    for (int o = 0; !status && o < search->outlooks; o++) {
        belief[o] = *search->outlook[o].belief;
        belief[o].favour = favour;
        status = ckg__search_incumbent(search, search->outlook[o].belief, search->results, &best[o]);
    }
    return status || !pending ? status : await(search, pending, c);
}

static int rollout_at(void *context, int outlook, int m, const double *U, int ldu, struct ckg__arena *arena,
                      double *value, double *gradient)
{
    const struct ckg__rollout *rollout = context;

    assert(!gradient);
    (void)gradient;
    return ckg__rollout_batch(&rollout[outlook], m, U, ldu, arena, value);
}

int ckg__rollout_acquire(struct ckg__search *search, const struct ckg__plan *plan,
                         struct ckg__acquisition *acquisition)
{
    const size_t outlooks = (size_t)search->outlooks;
    struct ckg__rollout *rollout = ckg__arena_get(search->results, outlooks, sizeof *rollout);
    struct ckg__shown *shown = ckg__arena_get(search->results, 1, sizeof *shown);

    if (plan->horizon == 1)
        return ckg__improvement_acquire(search, 0, acquisition);
    if (!rollout || !shown)
        return CKG_ERR_NOMEM;
    *acquisition = (struct ckg__acquisition){rollout, rollout_at, 1, 0};

    /* The same nodes for all outlooks and designs; each outlook has its own points. */
    int status = ckg__shown_make(shown, search->outlook[0].belief, plan->nodes, search->seed,
                                 search->results);
    for (int o = 0; !status && o < search->outlooks; o++) {
        const struct ckg__outlook *outlook = &search->outlook[o];
        rollout[o] = (struct ckg__rollout){.belief = outlook->belief,
                                           .horizon = plan->horizon,
                                           .discount = plan->discount,
                                           .shown = shown,
                                           .view = outlook->view};
        status = ckg__search_incumbent(search, outlook->belief, search->results, &rollout[o].best);
    }
    return status;
}

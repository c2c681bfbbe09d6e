/*
 * Joint posterior draws, one outcome of one outlook a task: all draws of a task share one factor of its
 * posterior covariance, m³/3 for m points.
 */
#include "suggest/draws.h"

#include <math.h>

#include "base/error.h"

struct stage {
    const struct ckg__search *search;
    uint64_t purpose;
    struct ckg__draws *draws;
    int *status;
};

const double *ckg__draws_of(const struct ckg__draws *draws, int j, int s)
{
    return draws->value + ((size_t)j * (size_t)draws->count + (size_t)s) * (size_t)draws->m;
}

static void draw_task(void *context, int index, int worker)
{
    struct stage *stage = context;
    const struct ckg__search *search = stage->search;
    const int outcomes = stage->draws[0].outcomes, o = index / outcomes, j = index % outcomes;
    const struct ckg__outlook *outlook = &search->outlook[o];
    struct ckg__draws *draws = &stage->draws[o];
    struct ckg__rng rng;
    ckg__rng_seed(&rng, search->seed, search->stream, stage->purpose + (uint64_t)(o * CKG__MAX_OUTCOMES + j));
    stage->status[index] = ckg__posterior_sample(outlook->belief->gp[j], &outlook->view[j], &rng,
                                                 draws->count, &search->arena[worker],
                                                 (double *)ckg__draws_of(draws, j, 0));
}

int ckg__search_draw(struct ckg__search *search, enum ckg__draws_purpose purpose, int count,
                     struct ckg__draws *draws)
{
    const int outlooks = search->outlooks, outcomes = search->outlook[0].belief->outcomes;
    struct stage stage = {search, (uint64_t)purpose, draws,
                          ckg__arena_ints(search->results, (size_t)(outlooks * outcomes))};
    if (!stage.status)
        return CKG_ERR_NOMEM;
    for (int o = 0; o < outlooks; o++) {
        const int m = search->outlook[o].m;
        double *value = ckg__arena_doubles(search->results, (size_t)outcomes * (size_t)count * (size_t)m);
        if (!value)
            return CKG_ERR_NOMEM;
        draws[o] = (struct ckg__draws){outcomes, count, m, value};
    }
    return ckg__search_run(search, outlooks * outcomes, draw_task, &stage, stage.status);
}

int ckg__draws_best(const struct ckg__draws *draws, const struct ckg__belief *belief, int s, double *best)
{
    const double *objective = ckg__draws_of(draws, 0, s);
    int at = -1;
    *best = -INFINITY;
    for (int p = 0; p < draws->m; p++) {
        int feasible = objective[p] > *best;
        for (int j = 1; feasible && j < draws->outcomes; j++) {
            const double value = ckg__draws_of(draws, j, s)[p];
            feasible = value >= belief->lower[j] && value <= belief->upper[j];
        }
        if (feasible) {
            *best = objective[p];
            at = p;
        }
    }
    return at;
}

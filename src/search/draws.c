/*
 * Joint posterior draws, one outcome of one lookahead a task: all draws of a task share one factor of its
 * posterior covariance, m³/3 for m points. Drawing the outcomes apart is drawing jointly: the processes are
 * independent.
 */
#include "search/draws.h"

#include <assert.h>
#include <math.h>

/* The distance between the streams of two lookaheads, for outcomes after the first ones. */
enum { BEYOND = 256 };
_Static_assert((int)CKG__MAX_OUTCOMES <= (int)BEYOND, "a lookahead's outcomes have streams of their own");

struct stage {
    const struct ckg__search *search;
    enum ckg__draws_purpose purpose;
    struct ckg__draws *draws;
};

const double *ckg__draws_of(const struct ckg__draws *draws, int j, int s)
{
    return draws->value + ((size_t)j * (size_t)draws->count + (size_t)s) * (size_t)draws->m;
}

void ckg__draws_outcomes(const struct ckg__draws *draws, int s, const double **value)
{
    for (int j = 0; j < draws->outcomes; j++)
        value[j] = ckg__draws_of(draws, j, s);
}

int ckg__draws_take(struct ckg__draws *draws, const struct ckg__belief *belief, int count, int m,
                    const double *U, struct ckg__arena *arena)
{
    const size_t outcomes = (size_t)belief->outcomes;

    *draws = (struct ckg__draws){.outcomes = belief->outcomes, .count = count, .m = m, .U = U};
    if (CKG__TAKE(arena, CKG__ROOM(draws->value, outcomes * (size_t)count * (size_t)m)))
        return CKG_ERR_NOMEM;
    if (U && CKG__TAKE(arena, CKG__ROOM(draws->view, outcomes)))
        return CKG_ERR_NOMEM;
    for (int j = 0; U && j < belief->outcomes; j++)
        if (ckg__view_take(&draws->view[j], belief->gp[j], m, arena))
            return CKG_ERR_NOMEM;
    return CKG_OK;
}

/* The stream of one outcome of one lookahead. The first outcomes have had their streams from the beginning.
 */
static uint64_t stream_of(enum ckg__draws_purpose purpose, int lookahead, int outcome)
{
    const int optima = purpose == CKG__DRAWS_OPTIMA;
    const int first = optima ? 64 : 22;
    const uint64_t beyond = optima ? CKG__FOR_OPTIMA_BEYOND : CKG__FOR_BEST_VALUES_BEYOND;

    assert(outcome < BEYOND);
    if (purpose == CKG__DRAWS_GAIN)
        return (uint64_t)purpose + (uint64_t)(lookahead * BEYOND + outcome);
    return outcome < first ? (uint64_t)purpose + (uint64_t)(lookahead * first + outcome)
                           : beyond + (uint64_t)(lookahead * BEYOND + outcome);
}

static int draw_task(void *context, int index, int worker)
{
    struct stage *stage = context;
    const struct ckg__search *search = stage->search;
    const int outcomes = stage->draws[0].outcomes;
    const int o = index / outcomes;
    const int j = index % outcomes;
    const struct ckg__belief *belief = search->lookahead[o].belief;
    const struct ckg__gp *gp = belief->gp[j];
    struct ckg__draws *draws = &stage->draws[o];
    double *value = (double *)ckg__draws_of(draws, j, 0);
    struct ckg__rng rng;

    /* A constraint that nearly repeats another is drawn with the same numbers. */
    const int like = belief->beside[j] ? belief->beside[j] : j;
    int status = draws->U ? ckg__view_fill(&draws->view[j], gp, draws->U, draws->m, 0, draws->m) : CKG_OK;
    if (status)
        return status;
    ckg__rng_seed(&rng, search->seed, search->stream, stream_of(stage->purpose, o, like));
    status = ckg__posterior_sample(gp, &draws->view[j], &rng, draws->count, &search->arena[worker], value,
                                   &draws->jitter[j]);

    /* The other way round where it grows when that one gets smaller. */
    for (int i = 0; like != j && belief->turn[j] < 0 && i < draws->count * draws->m; i++)
        value[i] = 2 * draws->view[j].mean[i % draws->m] - value[i];
    return status;
}

int ckg__draws_make(struct ckg__search *search, enum ckg__draws_purpose purpose, struct ckg__draws *draws)
{
    struct stage stage = {search, purpose, draws};

    assert(draws[0].value && draws[0].view);
    return ckg__search_run(search, search->lookaheads * draws[0].outcomes, draw_task, &stage);
}

int ckg__search_draw(struct ckg__search *search, enum ckg__draws_purpose purpose, int count,
                     struct ckg__draws *draws)
{
    int status = CKG_OK;

    for (int o = 0; !status && o < search->lookaheads; o++) {
        struct ckg__lookahead *lookahead = &search->lookahead[o];
        status = ckg__draws_take(&draws[o], lookahead->belief, count, lookahead->m, NULL, search->results);
        draws[o].view = lookahead->view;
    }
    return status ? status : ckg__draws_make(search, purpose, draws);
}

int ckg__draws_best(const struct ckg__draws *draws, const struct ckg__belief *belief, int s, double *best)
{
    const double *value[CKG__MAX_OUTCOMES];
    int at = -1;

    ckg__draws_outcomes(draws, s, value);
    *best = -INFINITY;
    for (int p = 0; p < draws->m; p++)
        if (value[0][p] > *best && ckg__belief_violation(belief, value, p) == 0) {
            *best = value[0][p];
            at = p;
        }
    return at;
}

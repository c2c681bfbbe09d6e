/*
 * M, the worth of an infeasible design: the smallest posterior mean of each belief, from the lowest base
 * point downhill. On the way the lookahead gets its room and the objective's view of the base points.
 */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "search/ascent.h"

enum { CHUNK = 64 };

struct stage {
    struct ckg__search *search;
    int first, outcomes; /* the outcomes whose views are filled: first … first + outcomes − 1 */
};

/* --- views of the base points, a chunk of one outcome of one lookahead a task --- */

static int chunks(const struct ckg__search *search)
{
    return (search->base + CHUNK - 1) / CHUNK;
}

static int fill_task(void *context, int index, int worker)
{
    struct stage *stage = context;
    struct ckg__search *search = stage->search;
    const int per_outcome = chunks(search);
    struct ckg__lookahead *o = &search->lookahead[index / (per_outcome * stage->outcomes)];
    const int j = stage->first + index / per_outcome % stage->outcomes;
    const int first = index % per_outcome * CHUNK;
    const int count = search->base - first < CHUNK ? search->base - first : CHUNK;

    (void)worker;
    return ckg__view_fill(&o->view[j], o->belief->gp[j], o->U, o->room, first, count);
}

int ckg__search_view_base(struct ckg__search *search, int first, int outcomes)
{
    struct stage stage = {search, first, outcomes};

    return ckg__search_run(search, search->lookaheads * outcomes * chunks(search), fill_task, &stage);
}

/* Room for the lookahead's discretisation, the base points in it. */
static int lookahead_take(struct ckg__search *search, struct ckg__lookahead *o)
{
    const int D = search->scope->problem->D;

    o->room = (search->base + search->size.local + 1 + 7) / 8 * 8;
    if (CKG__TAKE(search->results, CKG__ROOM(o->U, (size_t)D * (size_t)o->room), CKG__ROOM(o->x_r, (size_t)D),
                  CKG__ROOM(o->gain, (size_t)o->room)))
        return CKG_ERR_NOMEM;
    for (int k = 0; k < D; k++)
        memcpy(o->U + (size_t)k * (size_t)o->room, search->U + (size_t)k * (size_t)search->base,
               (size_t)search->base * sizeof *o->U);
    for (int j = 0; j < o->belief->outcomes; j++)
        if (ckg__view_take(&o->view[j], o->belief->gp[j], o->room, search->results))
            return CKG_ERR_NOMEM;
    return CKG_OK;
}

/* --- M, one lookahead a task --- */

static int minus_mean(void *context, int m, const double *U, const int *which, struct ckg__arena *arena,
                      double *value, double *gradient)
{
    const struct ckg__gp *gp = context;

    (void)which;
    const int status = ckg__posterior_mean(gp, m, U, m, arena, value, gradient);
    for (int p = 0; p < m; p++)
        value[p] = -value[p];
    for (int i = 0; i < ckg__gp_coordinates(gp) * m; i++)
        gradient[i] = -gradient[i];
    return status;
}

static int penalty_task(void *context, int index, int worker)
{
    static const struct ckg__lbfgs_options options = {5, 15, 0.05, 1e-6, 1e-6};
    const struct ckg__search *search = context;
    struct ckg__lookahead *o = &search->lookahead[index];
    struct ckg__arena *arena = &search->arena[worker];
    const int D = search->scope->problem->D;
    const double *mean = o->view[0].mean;
    int lowest = 0;
    int status = CKG_OK;

    /* The lowest base point. */
    for (int p = 1; p < search->base; p++)
        lowest = mean[p] < mean[lowest] ? p : lowest;
    o->belief->penalty = mean[lowest];

    /* Downhill from there. */
    double *x = ckg__arena_doubles(arena, (size_t)D);
    double value;
    if (!x)
        return CKG_ERR_NOMEM;
    ckg__point_get(D, o->U, o->room, lowest, x);
    if (ckg__problem_has_reals(search->scope->problem)) {
        status = ckg__ascend_function(search, minus_mean, o->belief->gp[0], &options, 1, x, &value, arena);
        o->belief->penalty = status ? mean[lowest] : -value;
    }
    return status;
}

int ckg__search_penalty(struct ckg__search *search)
{
    int status = CKG_OK;

    assert(search->lookaheads > 0 && search->base > 0);

    /* What the beliefs say of the objective at the base points. */
    for (int o = 0; !status && o < search->lookaheads; o++)
        status = lookahead_take(search, &search->lookahead[o]);
    if (!status)
        status = ckg__search_view_base(search, 0, 1);

    /* The smallest mean of each. */
    if (!status && isnan(search->penalty))
        status = ckg__search_run(search, search->lookaheads, penalty_task, search);
    return status;
}

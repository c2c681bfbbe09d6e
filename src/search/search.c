/* What every search has: the clock, its tasks, and the beliefs it looks through. */
#include "search/search.h"

#include <assert.h>
#include <math.h>

#include "base/error.h"
#include "base/rng.h"

int ckg__search_late(const struct ckg__search *search)
{
    return (isfinite(search->deadline) && ckg__clock() > search->deadline) ||
           ckg__interrupted(ckg__pool_watched(search->pool));
}

void ckg__search_secure(const struct ckg__search *search)
{
    ckg__interrupt_stage(ckg__pool_watched(search->pool), 0);
}

struct ckg__workers ckg__search_workers(const struct ckg__search *search, int worker)
{
    return (struct ckg__workers){search->pool, worker, search->arena, NULL};
}

struct run {
    const struct ckg__search *search;
    ckg__search_task task;
    void *context;
    int *status; /* (count) */
};

static void run_one(void *context, int index, int worker)
{
    const struct run *run = context;
    struct ckg__arena *arena = &run->search->arena[worker];
    const struct ckg__arena_mark mark = ckg__arena_mark(arena);

    run->status[index] = run->task(run->context, index, worker);
    ckg__arena_release(arena, mark);
}

int ckg__search_run(const struct ckg__search *search, int count, ckg__search_task task, void *context)
{
    const struct ckg__arena_mark mark = ckg__arena_mark(search->results);
    struct run run = {search, task, context, ckg__arena_ints(search->results, (size_t)count)};
    int bad = CKG_OK;

    if (!run.status)
        return CKG_ERR_NOMEM;
    if (ckg__pool_run(search->pool, count, run_one, &run))
        bad = CKG_ERR_CANCELLED;
    for (int i = 0; !bad && i < count; i++)
        bad = run.status[i];
    ckg__arena_release(search->results, mark);
    return !bad || bad == CKG_ERR_CANCELLED ? bad
           : bad == CKG_ERR_NOMEM           ? ckg__fail_nomem()
                                            : ckg__fail(bad, "a numerical task failed");
}

/*
 * 1 once in so many times the price of everything, where outcomes are measured apart: new ground is measured
 * in full, and a single outcome should not bring it about as often as a whole evaluation.
 */
static int paid_turn(const struct ckg__search *search, int every)
{
    const struct ckg__data *data = search->scope->data;
    const double full = ckg__problem_full_price(search->scope->problem);
    const double spent = ckg__data_spent(data);
    const double before = spent - ckg__data_cost(data, data->trials - 1);
    const double turn = floor(spent / full);

    return turn != floor(before / full) && fmod(turn, every) == 0;
}

int ckg__search_turn(const struct ckg__search *search, int noisy)
{
    if (search->apart)
        return paid_turn(search, noisy ? 2 : 3);
    return search->scope->data->trials % (noisy ? 2 : 3) == 0;
}

int ckg__search_rare_turn(const struct ckg__search *search)
{
    const int global = search->size.global_every > 1 ? search->scope->data->trials / search->size.global_every
                                                     : search->scope->data->trials / 2;
    return global % (search->scope->problem->d / 2 + 1) == 0;
}

/* What each trial measured of the objective, in model units. */
static int read_objective(struct ckg__search *search)
{
    const struct ckg__data *data = search->scope->data;
    double *y = ckg__arena_doubles(search->results, (size_t)data->trials + 1);

    if (!y)
        return CKG_ERR_NOMEM;

    for (int t = 0; t < data->trials; t++) {
        const struct ckg__trial *trial = &data->trial[t];
        y[t] = NAN;
        for (int i = 0; i < trial->count; i++)
            if (trial->measured[i].outcome == 0)
                y[t] = ckg__scaling_apply(&search->scope->models->surrogate[0].scaling,
                                          trial->measured[i].value);
    }
    search->objective = y;
    return CKG_OK;
}

/* The number of a belief drawn by chance. */
static int draw_belief(const struct ckg__search *search, const struct ckg__surrogates *models)
{
    struct ckg__rng rng;
    ckg__rng_seed(&rng, search->seed, search->stream, CKG__FOR_ONE_BELIEF);
    return ckg__rng_below(&rng, models->beliefs);
}

double ckg__search_common_penalty(const struct ckg__search *search)
{
    double penalty = INFINITY;

    for (int o = 0; o < search->lookaheads; o++)
        penalty = fmin(penalty, search->lookahead[o].belief->penalty);
    return penalty;
}

int ckg__search_lookaheads(struct ckg__search *search, int one, int alone)
{
    const struct ckg__surrogates *models = search->scope->models;
    const int few = search->looks && search->looks < models->beliefs;
    const int count = one ? 1 : few ? search->looks : models->beliefs;
    const int first = one ? draw_belief(search, models) : 0;
    const double M = isnan(search->penalty)
                         ? NAN
                         : ckg__scaling_place(&models->surrogate[0].scaling, search->penalty);
    struct ckg__belief *belief;

    assert(models->revision && models->beliefs > 0); /* they are up to date */
    /* Room. */
    search->lookaheads = count;
    search->lookahead = ckg__arena_get(search->results, (size_t)count, sizeof *search->lookahead);
    belief = ckg__arena_get(search->results, (size_t)count * (alone ? 2 : 1), sizeof *belief);
    if (!search->lookahead || !belief)
        return CKG_ERR_NOMEM;

    /* Copies, whose M and limits are the search's; who looks at the objective alone knows no constraint. */
    for (int b = 0; b < count; b++) {
        belief[b] = models->belief[first + b];
        belief[b].penalty = M;
        search->lookahead[b] = (struct ckg__lookahead){.belief = &belief[b], .full = &belief[b]};
        if (alone) {
            search->lookahead[b].belief = &belief[count + b];
            belief[count + b] = belief[b];
            belief[count + b].outcomes = 1;
        }
    }
    return read_objective(search);
}

/*
 * The inner problem's objective in logarithms, for many surprises in lock step (kg_inner.h). Cost: a
 * posterior batch per outcome.
 */
#include "acquisition/kg_inner.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/maths.h"

int ckg__kg_sample_take(struct ckg__kg_sample *sample, const struct ckg__belief *belief, const double *u,
                        struct ckg__arena *arena)
{
    sample->belief = belief;
    for (int j = 0; j < belief->outcomes; j++) {
        const struct ckg__gp *gp = belief->gp[j];
        struct ckg__view *view = &sample->view[j];
        double variance;
        struct ckg__noise noise = {.var = &variance};

        if (ckg__view_make(view, gp, 1, u, 1, arena))
            return CKG_ERR_NOMEM;
        sample->weights[j] = ckg__view_weights(gp, view, arena);
        if (!sample->weights[j])
            return CKG_ERR_NOMEM;
        ckg__kg_noise(belief, j, 1, u, 1, view->mean, view->var, &noise);
        sample->scale[j] = 1 / sqrt(view->var[0] + variance);
    }
    return CKG_OK;
}

/* Arrays for one outcome over a batch. */
struct outcome_batch {
    struct ckg__batch batch;
    struct ckg__against against;
    double *in_mean, *in_var;
    double *value, *gradient; /* (m), D×m: its share in the logarithm */
    int status;
};

static int outcome_take(struct outcome_batch *o, int D, int m, struct ckg__arena *arena)
{
    const size_t points = (size_t)m;
    const size_t size = (size_t)D * points;
    double *room = ckg__arena_doubles(arena, 6 * points + 4 * size);

    if (!room)
        return CKG_ERR_NOMEM;
    o->batch = (struct ckg__batch){room, room + points, room + 5 * points, room + 5 * points + size};
    o->against = (struct ckg__against){NULL, NULL, room + 2 * points, room + 5 * points + 2 * size};
    o->in_mean = room + 3 * points;
    o->in_var = room + 4 * points;
    o->value = room + 5 * points + 3 * size;
    o->gradient = o->value + points;
    return CKG_OK;
}

/* The batch one step ahead, in place: mean and variance, and the gradients of both. */
static void step_ahead(const struct ckg__kg_sample *sample, int j, int D, int m, const int *which,
                       struct outcome_batch *o)
{
    const double scale = sample->scale[j];
    const int outcomes = sample->belief->outcomes;

    for (int p = 0; p < m; p++) {
        const double z = sample->z[(size_t)which[p] * (size_t)outcomes + (size_t)j];
        const double sigma = o->against.cov[p] * scale;
        o->batch.mean[p] += sigma * z;
        const double left = o->batch.var[p] - sigma * sigma;
        o->batch.var[p] = left > 0 ? left : 0;
        for (int k = 0; k < D; k++) {
            const size_t at = (size_t)k * (size_t)m + (size_t)p;
            const double dsigma = o->against.dcov[at] * scale;
            o->batch.dmean[at] += z * dsigma;
            o->batch.dvar[at] -= 2 * sigma * dsigma;
        }
    }
}

/* log(mean − M), with slopes; −INFINITY where there is no gain. */
static void log_gain(double penalty, int m, const double *mean, double *value, double *in_mean)
{
    for (int p = 0; p < m; p++) {
        const double gain = mean[p] - penalty;
        value[p] += gain > 0 ? ckg__log(gain) : -INFINITY;
        in_mean[p] = gain > 0 ? 1 / gain : 0;
    }
}

struct inner {
    const struct ckg__kg_sample *sample;
    int m;
    const double *U;
    const int *which;
    struct ckg__arena *arena; /* the caller's */
    struct outcome_batch *outcome;
};

static void outcome_task(void *context, int j, int worker)
{
    const struct inner *inner = context;
    const struct ckg__kg_sample *sample = inner->sample;
    const struct ckg__belief *belief = sample->belief;
    struct outcome_batch *o = &inner->outcome[j];
    struct ckg__arena *arena = sample->workers ? &sample->workers->arena[worker] : inner->arena;
    struct ckg__arena_mark mark = ckg__arena_mark(arena);
    const int m = inner->m;
    const int D = ckg__belief_coordinates(belief);

    /* What is believed now, and how it covaries with the design to be evaluated. */
    o->against.point = &sample->view[j];
    o->against.weights = sample->weights[j];
    o->status = ckg__posterior_batch(belief->gp[j], m, inner->U, m, arena, &o->batch, &o->against);
    ckg__arena_release(arena, mark);
    if (o->status)
        return;

    /* What will be believed once that design has been evaluated. */
    step_ahead(sample, j, D, m, inner->which, o);

    /* The outcome's factor: the gain, or the probability that its limits hold. */
    memset(o->value, 0, (size_t)m * sizeof *o->value);
    memset(o->in_var, 0, (size_t)m * sizeof *o->in_var);
    if (j == 0) {
        log_gain(belief->penalty, m, o->batch.mean, o->value, o->in_mean);
    } else {
        const struct ckg__limits limits = ckg__belief_limits(belief, j);
        ckg__log_feasible(m, o->batch.mean, o->batch.var, &limits, o->value, o->in_mean, o->in_var);
    }

    /* Its gradient, by the chain rule. */
    for (int k = 0; k < D; k++)
        for (int p = 0; p < m; p++) {
            const size_t at = (size_t)k * (size_t)m + (size_t)p;
            o->gradient[at] = o->in_mean[p] * o->batch.dmean[at] + o->in_var[p] * o->batch.dvar[at];
        }
}

/* The first of a group, from j to before `end`, takes the place of the least likely at each point. */
static void keep_worst(const struct inner *inner, int j, int end, size_t size)
{
    const size_t m = (size_t)inner->m;
    struct outcome_batch *first = &inner->outcome[j];

    for (int k = j + 1; k < end; k++) {
        const struct outcome_batch *o = &inner->outcome[k];
        for (size_t p = 0; p < m; p++) {
            if (!(o->value[p] < first->value[p]))
                continue;
            first->value[p] = o->value[p];
            for (size_t i = p; i < size; i += m)
                first->gradient[i] = o->gradient[i];
        }
    }
}

int ckg__kg_inner_batch(void *context, int m, const double *U, const int *which, struct ckg__arena *arena,
                        double *value, double *gradient)
{
    assert(m > 0);

    const struct ckg__kg_sample *sample = context;
    const int D = ckg__belief_coordinates(sample->belief);
    const int outcomes = sample->belief->outcomes;
    const size_t size = (size_t)D * (size_t)m;
    struct ckg__arena_mark mark = ckg__arena_mark(arena);
    struct inner inner = {sample, m,     U,
                          which,  arena, ckg__arena_get(arena, (size_t)outcomes, sizeof *inner.outcome)};
    int status = inner.outcome ? CKG_OK : CKG_ERR_NOMEM;
    int next;
    for (int j = 0; !status && j < outcomes; j++)
        status = outcome_take(&inner.outcome[j], D, m, arena);
    if (status)
        return status;
    if (ckg__workers_run(sample->workers, outcomes, 0, outcome_task, &inner))
        return CKG_ERR_CANCELLED;
    for (int j = 0; !status && j < outcomes; j++)
        status = inner.outcome[j].status;

    /* The gain, and of each group of constraints the one that is least likely to hold. */
    for (int j = 0; !status && j < outcomes; j = next) {
        const struct outcome_batch *o = &inner.outcome[j];
        next = j ? ckg__belief_after(sample->belief, j) : 1;
        if (next > j + 1)
            keep_worst(&inner, j, next, size);
        for (size_t p = 0; p < (size_t)m; p++)
            value[p] = j ? value[p] + o->value[p] : o->value[p];
        for (size_t i = 0; i < size; i++)
            gradient[i] = j ? gradient[i] + o->gradient[i] : o->gradient[i];
    }
    ckg__arena_release(arena, mark);
    return status;
}

/*
 * The scale that an outcome is modelled on: as it is, or warped by asinh where a heavy tail asks for it and
 * the density gains. A task per scale.
 */
#include "belief/stages.h"

enum { WARPS = 5, FEWEST = 8, EVALUATIONS = 20 };

/* A warp is tried from this deviation in interquartile ranges on, and kept when it gains so much density. */
static const double warp_tail = 3;
static const double warp_gain = 3;
static const double warps[WARPS] = {0.1, 0.3, 1, 3, 10};

struct warped {
    struct ckg__models *models;
    int outcome;
    int trials;
    int status[WARPS + 1];
    struct ckg__fitted fitted[WARPS + 1]; /* start and optimum on each scale; the first is without a warp */
    double density[WARPS + 1];            /* comparable between scales */
};

/* Fits the outcome on one scale. */
static void warp_task(void *context, int index, int worker)
{
    struct warped *w = context;
    struct ckg__arena *arena = &w->models->arena[worker];
    struct ckg__arena_mark mark = ckg__arena_mark(arena);
    const struct ckg__layout layout = {w->outcome, w->fitted[index].warp, w->trials};
    struct ckg__scaling scaling;
    struct ckg__series series;
    double *X;

    int status = ckg__lay_out(w->models, &layout, arena, &scaling, &series, &X);
    if (!status) {
        struct ckg__fit fit = ckg__models_fit(w->models, w->fitted[index].kernel, &series, X);
        struct ckg__team team;
        ckg__models_share(w->models, worker, &team, &fit);
        status = ckg__fit_climb(&fit, EVALUATIONS, w->fitted[index].theta, &w->density[index], arena);
        w->density[index] += series.jacobian;
    }
    w->status[index] = status;
    ckg__arena_release(arena, mark);
}

int ckg__choose_warp(struct ckg__models *models, int j, int trials)
{
    struct ckg__surrogate *s = &models->surrogate[j];
    const struct ckg__series_source source = {j, 0, trials};
    struct warped w = {.models = models, .outcome = j, .trials = trials};
    double tail;

    /* Nothing to choose without a tail, unless an earlier choice may have to be taken back. */
    int status = ckg__series_tail(models->data, &source, &models->own, &tail);
    if (status || s->series.n < FEWEST || (tail < warp_tail && !(s->fitted.warp > 0)))
        return status;

    /* Every scale is fitted from the present hyperparameters. */
    const int count = tail >= warp_tail ? WARPS + 1 : 1;
    for (int i = 0; i < count; i++) {
        w.fitted[i] = s->fitted;
        w.fitted[i].warp = i ? warps[i - 1] : 0;
    }
    status = ckg__models_run(models, count, warp_task, &w, w.status);

    /* The first warp must earn its place; among warps the density decides. */
    int best = 0;
    for (int i = 1; !status && i < count; i++)
        if (w.density[i] > w.density[best] + (best ? 0 : warp_gain))
            best = i;
    if (!status)
        s->fitted = w.fitted[best];
    return status;
}

/*
 * The scale that an outcome is modelled on: as it is; where a heavy tail asks for it, without its farthest
 * values or warped by asinh; or by the logarithm where all values have one sign and range over decades. The
 * density decides. A task per scale.
 */
#include "surrogate/stages.h"

enum { SCALES = 9, FEWEST = 8, EVALUATIONS = 20 };

/* An asinh is tried from this deviation in interquartile ranges on; another scale must gain so much. */
static const double warp_tail = 3;
static const double scale_gain = 3;

/* As it is; so, but with nothing absurd, and stricter about what is; warped. */
static const struct scale {
    double warp;
    int strict;
} scales[SCALES] = {{0, 0}, {0, -1}, {0, 1},  {0.1, 0},           {0.3, 0},
                    {1, 0}, {3, 0},  {10, 0}, {CKG__LOGARITHM, 0}};

struct warped {
    struct ckg__models *models;
    int outcome;
    int trials;
    int count;
    int status[SCALES];
    struct ckg__fitted fitted[SCALES]; /* start and optimum on each scale; the first is the present one */
    double density[SCALES];            /* comparable between scales */
};

/* Fits the outcome on one scale. */
static void warp_task(void *context, int index, int worker)
{
    struct warped *w = context;
    struct ckg__arena *arena = &w->models->arena[worker];
    struct ckg__arena_mark mark = ckg__arena_mark(arena);
    const struct ckg__layout layout = {w->outcome, w->trials, CKG__MOST_FITTED, &w->fitted[index]};
    struct ckg__scaling scaling;
    struct ckg__series series;
    double *X;

    int status = ckg__lay_out(w->models, &layout, arena, &scaling, &series, &X);
    if (!status) {
        struct ckg__fit fit = ckg__models_fit(w->models, &w->fitted[index], &series, X);
        struct ckg__team team;
        ckg__models_share(w->models, worker, &team, &fit);
        status = ckg__fit_climb(&fit, EVALUATIONS, w->fitted[index].theta, &w->density[index], arena);
        w->density[index] += series.jacobian;
    }
    w->status[index] = status;
    ckg__arena_release(arena, mark);
}

static int is_on(const struct ckg__fitted *fitted, const struct scale *scale)
{
    return fitted->warp == scale->warp && fitted->strict == scale->strict;
}

/* Which scales are worth a fit; the present one, or none at all where its reason is gone, comes first. */
static int list_scales(struct warped *w)
{
    const struct ckg__models *models = w->models;
    const struct ckg__fitted *present = &models->surrogate[w->outcome].fitted;
    struct ckg__series_source source = {w->outcome, 0, w->trials, 0, NULL};
    struct ckg__arena *arena = &w->models->own;
    double tail;
    int decades;

    /* What the values ask for. */
    if (ckg__select(models->data, w->outcome, w->trials, CKG__MOST_FITTED, arena, &source.seen) ||
        ckg__series_shape(models->data, &source, arena, &tail, &decades))
        return CKG_ERR_NOMEM;

    /* The present scale first, then the others. */
    for (int turn = 0; turn < 2; turn++)
        for (int i = 0; i < SCALES; i++) {
            const int wanted = i == 0 || (scales[i].warp >= 0 ? tail >= warp_tail : decades);
            if (wanted && turn != is_on(present, &scales[i])) {
                w->fitted[w->count] = *present;
                w->fitted[w->count].warp = scales[i].warp;
                w->fitted[w->count++].strict = scales[i].strict;
            }
        }
    return CKG_OK;
}

int ckg__choose_warp(struct ckg__models *models, int j, int trials)
{
    struct ckg__surrogate *s = &models->surrogate[j];
    struct warped w = {.models = models, .outcome = j, .trials = trials};
    int best = 0;

    if (s->series.n < FEWEST || ckg__is_positive(models->data->problem, j))
        return CKG_OK;
    int status = list_scales(&w);

    /* Every scale is fitted from the present hyperparameters; nothing to choose, nothing to fit. */
    if (status || (w.count == 1 && is_on(&s->fitted, &scales[0])))
        return status;
    status = ckg__models_run(models, w.count, warp_task, &w, w.status);

    /* Another scale must earn its place; among others the density decides. The logarithm must beat all. */
    for (int i = 1; !status && i < w.count; i++) {
        const double gain = best && w.fitted[i].warp != CKG__LOGARITHM ? 0 : scale_gain;
        if (w.density[i] > w.density[best] + gain)
            best = i;
    }

    /* On the same scale nothing changes: what else was tried leaves no trace. */
    const struct scale chosen = {w.fitted[best].warp, w.fitted[best].strict};
    if (!status && !is_on(&s->fitted, &chosen))
        s->fitted = w.fitted[best];
    return status;
}

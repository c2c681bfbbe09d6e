/*
 * The scale that an outcome is modelled on: as it is, warped by asinh where a heavy tail asks for it, or by
 * the logarithm where all values have one sign and range over decades. The density decides. A task per scale.
 */
#include "belief/stages.h"

enum { SCALES = 7, FEWEST = 8, EVALUATIONS = 20 };

/* An asinh is tried from this deviation in interquartile ranges on; another scale must gain so much density.
 */
static const double warp_tail = 3;
static const double scale_gain = 3;
static const double scales[SCALES] = {0, 0.1, 0.3, 1, 3, 10, CKG__LOGARITHM};

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

/* Which scales are worth a fit; the present one, or none at all where its reason is gone, comes first. */
static int list_scales(struct warped *w)
{
    const struct ckg__models *models = w->models;
    const struct ckg__fitted *present = &models->surrogate[w->outcome].fitted;
    const struct ckg__series_source source = {w->outcome, 0, w->trials, 1};
    struct ckg__arena *arena = &w->models->own;
    double tail;
    int decades;

    /* What the values ask for. */
    if (ckg__series_tail(models->data, &source, arena, &tail) ||
        ckg__series_ranges(models->data, &source, arena, &decades))
        return CKG_ERR_NOMEM;

    /* The present scale first, then the others. */
    for (int turn = 0; turn < 2; turn++)
        for (int i = 0; i < SCALES; i++) {
            const int wanted = scales[i] == 0 || (scales[i] > 0 ? tail >= warp_tail : decades);
            if (wanted && turn != (scales[i] == present->warp)) {
                w->fitted[w->count] = *present;
                w->fitted[w->count++].warp = scales[i];
            }
        }
    return CKG_OK;
}

int ckg__choose_warp(struct ckg__models *models, int j, int trials)
{
    struct ckg__surrogate *s = &models->surrogate[j];
    struct warped w = {.models = models, .outcome = j, .trials = trials};
    int best = 0;

    if (s->series.n < FEWEST)
        return CKG_OK;
    int status = list_scales(&w);

    /* Every scale is fitted from the present hyperparameters; nothing to choose, nothing to fit. */
    if (!status && (w.count > 1 || w.fitted[0].warp != s->fitted.warp))
        status = ckg__models_run(models, w.count, warp_task, &w, w.status);
    else
        return status;

    /* Another scale must earn its place; among others the density decides. */
    for (int i = 1; !status && i < w.count; i++)
        if (w.density[i] > w.density[best] + (best ? 0 : scale_gain))
            best = i;

    /* On the same scale nothing changes: what else was tried leaves no trace. */
    if (!status && w.fitted[best].warp != s->fitted.warp)
        s->fitted = w.fitted[best];
    return status;
}

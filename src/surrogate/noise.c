/*
 * Where the noise of an outcome is loud (model/noise_process.h). The process and the loudness of its noise
 * are fitted in turn: the loudness at the hyperparameters, then these with the noise that varies, then the
 * loudness again. A task per outcome.
 *
 * Where the problem leaves it open, noise varies if the evidence is clear. What one density tells decides
 * whether it is worth a fit, so that outcomes whose noise is the same everywhere cost next to nothing, and
 * are modelled as if nobody had asked.
 */
#include <math.h>
#include <string.h>

#include "surrogate/stages.h"

/* Fewer rows say nothing of how noise varies; with fewer than MANY nobody asks unless told to. */
enum { FEWEST = 10, MANY = 30, EVALUATIONS = 20 };

/* The log evidence that it takes to try, seen from noise of one variance; to let noise vary; to let it go on.
 */
static const double gain_to_try = 3;
static const double gain_to_begin = 6;
static const double gain_to_stay = 2;

/* The same where the problem says that it varies: as soon as the data favour that. */
static const double gain_if_told = 1;

struct loud {
    struct ckg__models *models;
    int trials;
    int count;
    int *outcome, *status; /* (outcomes) */
};

/* 1 when the problem says that noise varies. */
static int is_told(const struct ckg__models *models, int j)
{
    return models->data->problem->outcome[j].noise == CKG_NOISE_VARYING;
}

static int may_vary(const struct ckg__models *models, int j)
{
    const struct ckg__surrogate *s = &models->surrogate[j];

    if (ckg__models_shared(models, j) || models->lead || !s->series.estimated || s->series.n < FEWEST)
        return 0;
    if (is_told(models, j) || s->fitted.loud.places)
        return 1;
    return models->vary && s->series.n >= MANY;
}

/* The fit of outcome j's series as laid out, the noise varying as loud says or, with NULL, not at all. */
struct laid {
    struct ckg__scaling scaling;
    struct ckg__series series;
    double *X;
    struct ckg__team team;
    struct ckg__fit fit;
};

static int lay(const struct loud *context, int j, const struct ckg__loud *loud, int worker, struct laid *out)
{
    const struct ckg__models *models = context->models;
    const struct ckg__fitted *fitted = &models->surrogate[j].fitted;
    const struct ckg__layout layout = {j,   fitted->warp, context->trials, fitted->strict, CKG__MOST_FITTED,
                                       loud};
    const int status = ckg__lay_out(models, &layout, &models->arena[worker], &out->scaling, &out->series,
                                    &out->X);

    if (!status) {
        out->fit = ckg__models_fit(models, fitted, &out->series, out->X);
        ckg__models_share(models, worker, &out->team, &out->fit);
    }
    return status;
}

/* The best density without: there already, or climbed to from the noise that varies. */
static int density_without(const struct laid *plain, const struct ckg__fitted *present,
                           struct ckg__fitted *without, double *density, struct ckg__arena *arena)
{
    struct ckg__fit_work work;

    *without = *present;
    without->loud.places = 0;
    if (present->loud.places)
        return ckg__fit_climb(&plain->fit, EVALUATIONS, without->theta, density, arena);
    if (ckg__fit_work_take(&work, &plain->fit, arena))
        return CKG_ERR_NOMEM;
    *density = ckg__fit_density(&plain->fit, without->theta, NULL, &work);
    return CKG_OK;
}

/* The loudness, the hyperparameters beside it, the loudness again. */
static int fit_in_turn(const struct loud *context, int j, int worker, const struct laid *plain,
                       struct ckg__fitted *fitted, struct ckg__loud_found *found)
{
    struct ckg__arena *arena = &context->models->arena[worker];
    struct laid varied;
    double density;

    int status = ckg__loudness_fit(&plain->fit, fitted->theta, &fitted->loud, found, arena);
    if (status || !fitted->loud.places)
        return status;
    status = lay(context, j, &fitted->loud, worker, &varied);
    if (!status)
        status = ckg__fit_climb(&varied.fit, EVALUATIONS, fitted->theta, &density, arena);
    return status ? status : ckg__loudness_fit(&plain->fit, fitted->theta, &fitted->loud, found, arena);
}

/* Whether and how outcome j's noise varies, by the evidence. */
static int choose_noise(const struct loud *context, int j, int worker)
{
    struct ckg__surrogate *s = &context->models->surrogate[j];
    struct ckg__arena *arena = &context->models->arena[worker];
    const int told = is_told(context->models, j);
    const int varies = s->fitted.loud.places > 0;
    struct ckg__fitted with = s->fitted;
    struct ckg__fitted without;
    const double needed = told ? gain_if_told : varies ? gain_to_stay : gain_to_begin;
    struct ckg__loud_found found;
    struct laid plain;
    double density;
    double hope = 0;

    /* Is it worth a fit? */
    int status = lay(context, j, NULL, worker, &plain);
    if (!status && !told && !varies)
        status = ckg__loudness_hope(&plain.fit, with.theta, &hope, arena);
    if (status || (!told && !varies && hope < gain_to_try))
        return status;

    /* Both ways. */
    status = density_without(&plain, &s->fitted, &without, &density, arena);
    if (!status)
        status = fit_in_turn(context, j, worker, &plain, &with, &found);
    if (status)
        return status;

    /* The more probable one, by as much as it takes. */
    if (with.loud.places && found.evidence - density > needed)
        s->fitted = with;
    else if (varies)
        s->fitted = without;
    return CKG_OK;
}

static void noise_task(void *context, int index, int worker)
{
    const struct loud *loud = context;
    struct ckg__arena *arena = &loud->models->arena[worker];
    struct ckg__arena_mark mark = ckg__arena_mark(arena);

    loud->status[index] = choose_noise(loud, loud->outcome[index], worker);
    ckg__arena_release(arena, mark);
}

int ckg__fit_noise(struct ckg__models *models, int trials)
{
    struct ckg__arena_mark mark = ckg__arena_mark(&models->own);
    const size_t most = (size_t)models->outcomes + 1;
    struct loud loud = {models, trials, 0, ckg__arena_ints(&models->own, most),
                        ckg__arena_ints(&models->own, most)};

    if (!loud.outcome || !loud.status)
        return CKG_ERR_NOMEM;
    for (int j = 0; j < models->data->problem->outcomes; j++)
        if (may_vary(models, j))
            loud.outcome[loud.count++] = j;
    const int status = ckg__models_run(models, loud.count, noise_task, &loud, loud.status);
    ckg__arena_release(&models->own, mark);
    return status;
}

/*
 * The models' life, and the one function that brings them up to the data: its calls are the stages in order.
 */
#include "surrogate/surrogates.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "surrogate/stages.h"
#include "model/likelihood.h"

int ckg__surrogates_init(struct ckg__surrogates *models, const struct ckg__data *data, struct ckg__pool *pool,
                         struct ckg__arena *arena)
{
    memset(models, 0, sizeof *models);
    models->data = data;
    models->pool = pool;
    models->arena = arena;
    ckg__arena_init(&models->own);
    models->group = ckg__alloc((size_t)data->problem->D, sizeof *models->group);
    models->most = data->problem->outcomes + 1;
    models->surrogate = ckg__alloc_zero((size_t)models->most, sizeof *models->surrogate);
    models->X = ckg__alloc((size_t)models->most, sizeof *models->X);
    if (!models->group || !models->surrogate || !models->X)
        return CKG_ERR_NOMEM;
    for (int i = 0; i < data->problem->d; i++)
        for (int k = 0; k < data->problem->parameters[i].width; k++)
            models->group[data->problem->parameters[i].offset + k] = i;
    return CKG_OK;
}

static void surrogate_free(struct ckg__surrogate *s)
{
    for (int i = 0; i < s->room; i++)
        ckg__gp_delete(s->gp[i]);
    ckg__free(s->gp);
    ckg__fitted_free(&s->fitted);
    for (int level = 0; level < CKG__ANCHORS; level++)
        if (s->anchor[level])
            ckg__fitted_free(s->anchor[level]);
    for (int level = 0; level < CKG__ANCHORS; level++)
        ckg__free(s->anchor[level]);
}

void ckg__surrogates_free(struct ckg__surrogates *models)
{
    for (int j = 0; models->surrogate && j < models->most; j++)
        surrogate_free(&models->surrogate[j]);
    for (int j = 0; models->roughness && j < models->most; j++)
        ckg__gp_delete(models->roughness[j]);
    ckg__free(models->roughness);
    ckg__arena_free(&models->own);
    ckg__free(models->surrogate);
    ckg__free(models->X);
    ckg__free(models->group);
    memset(models, 0, sizeof *models);
}

static int any_failed(const struct ckg__data *data)
{
    for (int t = 0; t < data->trials; t++)
        if (data->trial[t].state == CKG_FAILED)
            return 1;
    return 0;
}

/* The limit of an outcome in model units. */
static double model_limit(const struct ckg__scaling *scaling, double limit)
{
    return isinf(limit) ? limit : ckg__scaling_round(ckg__scaling_place(scaling, limit));
}

/* A band that is thinner than model units are rounded to keeps a width. */
static void keep_apart(double *lower, double *upper)
{
    const double least = 0x1p-33;
    const double middle = 0.5 * (*lower + *upper);

    if (*upper - *lower >= 2 * least)
        return;
    *lower = middle - fmax(least, 1e-15 * fabs(middle));
    *upper = middle + fmax(least, 1e-15 * fabs(middle));
}

void ckg__surrogates_limits(const struct ckg__surrogates *models, int j, double *lower, double *upper)
{
    const struct ckg_problem *problem = models->data->problem;
    const struct ckg__surrogate *s = ckg__surrogates_of(models, j);
    const int answer = ckg__is_answer(problem, j);

    *lower = answer ? 0 : problem->outcome[j].min;
    *upper = answer ? INFINITY : problem->outcome[j].max;
    if (ckg__surrogates_shared(models, j))
        ckg__repeat_limits(problem, &models->surrogate[j].repeat, j, lower, upper);
    *lower = model_limit(&s->scaling, *lower);
    *upper = model_limit(&s->scaling, *upper);
    if (isfinite(*lower) && isfinite(*upper))
        keep_apart(lower, upper);
}

void ckg__surrogates_moments(const struct ckg__surrogates *models, int j, double y_mean, double y_sd,
                             double *mean, double *sd)
{
    const struct ckg__repeat *repeat = &models->surrogate[j].repeat;

    const struct ckg__surrogate *s = ckg__surrogates_of(models, j);

    s->series.likelihood->moments(&s->scaling, y_mean, y_sd, mean, sd);
    if (ckg__surrogates_shared(models, j)) {
        *mean = repeat->shift + repeat->factor * *mean;
        *sd *= fabs(repeat->factor);
    }
}

/*
 * A place for each process in the beliefs, in the order of the outcomes, but for those that nearly repeat
 * another one: they stand beside it.
 */
static void place_processes(struct ckg__surrogates *models)
{
    models->processes = 0;
    for (int j = 0; j < models->outcomes; j++) {
        if (models->surrogate[j].repeat.of)
            continue;
        models->surrogate[j].place = models->processes++;
        for (int k = 1; j && k < models->outcomes; k++)
            if (models->surrogate[k].repeat.of == j && !ckg__surrogates_shared(models, k))
                models->surrogate[k].place = models->processes++;
    }
    for (int j = 0; j < models->outcomes; j++)
        models->surrogate[j].place = ckg__surrogates_of(models, j)->place;
}

/* What repeats what; models of changed values have it from those that lead them, where it is sure. */
static int find_repeats(struct ckg__surrogates *models)
{
    const int outcomes = models->data->problem->outcomes;
    const struct ckg__surrogates *from = models->source ? models->source : models->lead;
    struct ckg__repeat *repeat = ckg__arena_get(&models->own, (size_t)outcomes, sizeof *repeat);

    if (!repeat || (!from && ckg__repeats_find(models->data, &models->own, repeat)))
        return CKG_ERR_NOMEM;

    for (int j = 0; j < models->outcomes; j++) {
        struct ckg__surrogate *s = &models->surrogate[j];
        s->repeat = (struct ckg__repeat){0};
        if (j < outcomes)
            s->repeat = from ? from->surrogate[j].repeat : repeat[j];
        if (models->lead && s->repeat.exact && !s->repeat.implied)
            s->repeat = (struct ckg__repeat){0};
    }
    place_processes(models);
    return CKG_OK;
}

/* Hyperparameters fitted where it is time, or taken from others that were. */
static int find_hyperparameters(struct ckg__surrogates *models)
{
    if (!models->source) {
        const int status = ckg__lay_out_all(models, 0, CKG__MOST_FITTED);
        return status ? status : ckg__fit_when_due(models);
    }
    int status = CKG_OK;
    for (int j = 0; !status && j < models->outcomes; j++)
        status = ckg__fitted_copy(&models->surrogate[j].fitted, &models->source->surrogate[j].fitted);
    return status;
}

/* The limits in model units. */
static void limit_one(const struct ckg__surrogates *models, struct ckg__belief *belief)
{
    double lower;
    double upper;

    for (int j = 0; j < models->outcomes; j++)
        if (!ckg__surrogates_shared(models, j)) {
            const int place = models->surrogate[j].place;
            ckg__surrogates_limits(models, j, &belief->lower[place], &belief->upper[place]);
        }

    /* A constraint that repeats another may be the stricter of the two. */
    for (int j = 0; j < models->outcomes; j++) {
        const struct ckg__surrogate *s = &models->surrogate[j];
        if (!ckg__surrogates_shared(models, j) || s->repeat.implied)
            continue;
        ckg__surrogates_limits(models, j, &lower, &upper);
        belief->lower[s->place] = fmax(belief->lower[s->place], lower);
        belief->upper[s->place] = fmin(belief->upper[s->place], upper);
    }
}

int ckg__surrogates_beside(const struct ckg__surrogates *models, const struct ckg__data *data,
                           struct ckg__arena *arena, struct ckg__surrogates *out)
{
    *out = *models;
    out->data = data;
    out->belief = ckg__arena_get(arena, (size_t)models->beliefs, sizeof *out->belief);
    if (!out->belief)
        return CKG_ERR_NOMEM;
    for (int b = 0; b < models->beliefs; b++) {
        out->belief[b] = models->belief[b];
        limit_one(out, &out->belief[b]);
    }
    return CKG_OK;
}

/* The processes of all outcomes under sample b. */
static void believe_one(const struct ckg__surrogates *models, int b, struct ckg__belief *belief)
{
    belief->outcomes = models->processes;
    belief->penalty = NAN; /* a search's own */
    belief->favour = 0;
    for (int j = 0; j < models->outcomes; j++) {
        const struct ckg__surrogate *s = &models->surrogate[j];
        if (ckg__surrogates_shared(models, j))
            continue;
        belief->gp[s->place] = s->gp[s->samples > 1 ? b : 0];
        belief->beside[s->place] = s->repeat.of ? models->surrogate[s->repeat.of].place : 0;
        belief->roughness[s->place] = models->source ? s->roughness[s->samples > 1 ? b : 0] : 0;
        belief->hidden[s->place] = 0;
        belief->turn[s->place] = s->repeat.factor < 0 ? -1 : 1;
    }
    limit_one(models, belief);
}

/* What is believed, sample by sample. */
static int believe(struct ckg__surrogates *models)
{
    models->belief = ckg__arena_get(&models->own, (size_t)models->beliefs, sizeof *models->belief);
    if (!models->belief)
        return CKG_ERR_NOMEM;

    for (int b = 0; b < models->beliefs; b++)
        believe_one(models, b, &models->belief[b]);
    return CKG_OK;
}

int ckg__surrogates_update(struct ckg__surrogates *models, uint64_t revision, int spare)
{
    const struct ckg__arena_mark start = {NULL, 0};

    assert(revision > 0 && spare >= 0);
    if (models->revision == revision && ckg__surrogates_have_room(models, spare))
        return CKG_OK;
    models->revision = 0;
    ckg__arena_release(&models->own, start);
    models->outcomes = models->data->problem->outcomes + (models->failures && any_failed(models->data));

    /* What there is to model; half of the time that is left is for the hyperparameters. */
    ckg__interrupt_stage(ckg__pool_watched(models->pool), 0.5);
    int status = find_repeats(models);

    /* Hyperparameters. */
    if (!status)
        status = find_hyperparameters(models);

    /* All data, on the scales that were chosen. */
    if (!status)
        status = ckg__lay_out_all(models, models->data->trials, CKG__MOST_DESIGNS);

    /* The processes: one per outcome, or one per hyperparameter sample. */
    struct ckg__chains *chains = status ? NULL : ckg__arena_get(&models->own, 1, sizeof *chains);
    if (!status)
        status = chains ? ckg__sample_all(models, chains) : CKG_ERR_NOMEM;
    ckg__interrupt_stage(ckg__pool_watched(models->pool), 1);
    if (!status)
        status = ckg__condition_all(models, chains, spare);

    /* What they say together. */
    if (!status)
        status = believe(models);
    models->revision = status ? 0 : revision;
    return status;
}

int ckg__surrogates_noisy(const struct ckg__surrogates *models)
{
    for (int j = 0; j < models->data->problem->outcomes; j++)
        if (models->surrogate[j].series.estimated || models->surrogate[j].series.typical_known > 0)
            return 1;
    return 0;
}

/*
 * The models' life, and the one function that brings them up to the data: its calls are the stages in order.
 */
#include "belief/models.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "belief/stages.h"

int ckg__models_init(struct ckg__models *models, const struct ckg__data *data, struct ckg__pool *pool,
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

void ckg__models_free(struct ckg__models *models)
{
    for (int j = 0; models->surrogate && j < models->most; j++) {
        for (int s = 0; s < models->surrogate[j].room; s++)
            ckg__gp_delete(models->surrogate[j].gp[s]);
        ckg__free(models->surrogate[j].gp);
    }
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

/* The processes of all outcomes, sample by sample, with the limits in model units. */
static int believe(struct ckg__models *models)
{
    const struct ckg_problem *problem = models->data->problem;
    const struct ckg__scaling *objective = &models->surrogate[0].scaling;

    models->belief = ckg__arena_get(&models->own, (size_t)models->beliefs, sizeof *models->belief);
    if (!models->belief)
        return CKG_ERR_NOMEM;

    for (int b = 0; b < models->beliefs; b++) {
        struct ckg__belief *belief = &models->belief[b];
        belief->outcomes = models->outcomes;
        for (int j = 0; j < models->outcomes; j++) {
            struct ckg__surrogate *s = &models->surrogate[j];
            const int latent = j == problem->outcomes;
            belief->gp[j] = s->gp[s->samples > 1 ? b : 0];
            belief->lower[j] = model_limit(&s->scaling, latent ? 0 : problem->outcome[j].min);
            belief->upper[j] = model_limit(&s->scaling, latent ? INFINITY : problem->outcome[j].max);
        }
        /* Given, so not rounded. */
        if (!isnan(models->fixed_penalty))
            belief->penalty = ckg__scaling_place(objective, models->fixed_penalty);
    }
    return CKG_OK;
}

int ckg__models_update(struct ckg__models *models, uint64_t revision, int spare)
{
    const struct ckg__arena_mark start = {NULL, 0};

    assert(revision > 0 && spare >= 0);
    if (models->revision == revision && ckg__models_have_room(models, spare))
        return CKG_OK;
    models->revision = 0;
    ckg__arena_release(&models->own, start);
    models->outcomes = models->data->problem->outcomes + (models->failures && any_failed(models->data));

    /* Hyperparameters, where it is time. */
    int status = ckg__lay_out_all(models, 0);
    if (!status)
        status = ckg__fit_when_due(models);

    /* All data, on the scales that were chosen. */
    if (!status)
        status = ckg__lay_out_all(models, models->data->trials);

    /* The processes: one per outcome, or one per hyperparameter sample. */
    struct ckg__chains *chains = status ? NULL : ckg__arena_get(&models->own, 1, sizeof *chains);
    if (!status)
        status = chains ? ckg__sample_all(models, chains) : CKG_ERR_NOMEM;
    if (!status)
        status = ckg__condition_all(models, chains, spare);

    /* What they say together. */
    if (!status)
        status = believe(models);
    models->revision = status ? 0 : revision;
    return status;
}

int ckg__models_noisy(const struct ckg__models *models)
{
    for (int j = 0; j < models->data->problem->outcomes; j++)
        if (models->surrogate[j].series.estimated || models->surrogate[j].series.typical_known > 0)
            return 1;
    return 0;
}

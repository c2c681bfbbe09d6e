/*
 * A second opinion: what the same data would mean if every outcome were rougher than its model has it. A
 * model that gathered its data in one place takes the smoothness there for that of the whole space, and is
 * then sure of what it has never seen. With shorter length-scales what was not looked at stays unknown.
 */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/maths.h"
#include "surrogate/stages.h"

/* A process for each outcome, made where there is none yet. */
static int reserve(struct ckg__surrogates *models)
{
    if (!models->roughness)
        models->roughness = ckg__alloc_zero((size_t)models->most, sizeof *models->roughness);
    if (!models->roughness)
        return CKG_ERR_NOMEM;
    for (int j = 0; j < models->outcomes; j++) {
        const int n = models->surrogate[j].series.n;

        if (!models->roughness[j])
            models->roughness[j] = ckg__gp_new();
        if (!models->roughness[j])
            return CKG_ERR_NOMEM;
        if (!ckg__gp_has_room(models->roughness[j], n) &&
            ckg__gp_reserve(models->roughness[j], models->data->problem->D, n + n / 8 + 8))
            return CKG_ERR_NOMEM;
    }
    return CKG_OK;
}

struct stage {
    struct ckg__surrogates *models;
    double shorter;
    int *status;
};

static void condition_task(void *context, int j, int worker)
{
    const struct stage *stage = context;
    const struct ckg__surrogates *models = stage->models;
    const struct ckg__surrogate *s = &models->surrogate[j];
    struct ckg__workers workers;
    struct ckg__fit fit = ckg__surrogates_fit(models, &s->fitted, &s->series, models->X[j], worker, &workers);
    double theta[CKG_MAX_PARAMETERS + 2];

    stage->status[j] = CKG_OK;
    if (ckg__surrogates_shared(models, j))
        return;
    memcpy(theta, s->fitted.theta, sizeof theta);
    for (int i = 0; i < fit.inputs.d && !ckg__series_has(&s->series, CKG__VAGUE); i++)
        theta[i] += ckg__log(stage->shorter);
    stage->status[j] = ckg__gp_set(models->roughness[j], &fit.inputs, theta, &models->arena[worker]);
}

int ckg__surrogates_roughen(struct ckg__surrogates *models, double shorter, struct ckg__belief *out)
{
    struct stage stage = {models, shorter, ckg__arena_ints(&models->own, (size_t)models->outcomes)};
    int status = stage.status ? reserve(models) : CKG_ERR_NOMEM;

    if (!status)
        status = ckg__surrogates_run(models, models->outcomes, condition_task, &stage, stage.status);
    *out = models->belief[0];
    for (int j = 0; !status && j < models->outcomes; j++)
        if (!ckg__surrogates_shared(models, j))
            out->gp[models->surrogate[j].place] = models->roughness[j];
    return status;
}

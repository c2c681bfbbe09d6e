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
static int reserve(struct ckg__models *models)
{
    if (!models->doubt)
        models->doubt = ckg__alloc_zero((size_t)models->most, sizeof *models->doubt);
    if (!models->doubt)
        return CKG_ERR_NOMEM;
    for (int j = 0; j < models->outcomes; j++) {
        const int n = models->surrogate[j].series.n;

        if (!models->doubt[j])
            models->doubt[j] = ckg__gp_new();
        if (!models->doubt[j])
            return CKG_ERR_NOMEM;
        if (!ckg__gp_has_room(models->doubt[j], n) &&
            ckg__gp_reserve(models->doubt[j], models->data->problem->D, n + n / 8 + 8))
            return CKG_ERR_NOMEM;
    }
    return CKG_OK;
}

struct stage {
    struct ckg__models *models;
    double shorter;
    int *status;
};

static void condition_task(void *context, int j, int worker)
{
    const struct stage *stage = context;
    const struct ckg__models *models = stage->models;
    const struct ckg__surrogate *s = &models->surrogate[j];
    struct ckg__team team;
    struct ckg__fit fit = ckg__models_fit(models, &s->fitted, &s->series, models->X[j], worker, &team);
    double theta[CKG_MAX_PARAMETERS + 2];

    stage->status[j] = CKG_OK;
    if (ckg__models_shared(models, j))
        return;
    memcpy(theta, s->fitted.theta, sizeof theta);
    for (int i = 0; i < fit.inputs.d && !ckg__series_has(&s->series, CKG__VAGUE); i++)
        theta[i] += ckg__log(stage->shorter);
    stage->status[j] = ckg__gp_set(models->doubt[j], &fit.inputs, theta, &models->arena[worker]);
}

int ckg__models_doubt(struct ckg__models *models, double shorter, struct ckg__belief *out)
{
    struct stage stage = {models, shorter, ckg__arena_ints(&models->own, (size_t)models->outcomes)};
    int status = stage.status ? reserve(models) : CKG_ERR_NOMEM;

    if (!status)
        status = ckg__models_run(models, models->outcomes, condition_task, &stage, stage.status);
    *out = models->belief[0];
    for (int j = 0; !status && j < models->outcomes; j++)
        if (!ckg__models_shared(models, j))
            out->gp[models->surrogate[j].place] = models->doubt[j];
    return status;
}

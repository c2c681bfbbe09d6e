/*
 * Hyperparameters by climbing their density from several starts, a task per (outcome, start). Start 0 is what
 * the surrogate holds: the optimum for fewer trials.
 */
#include <math.h>
#include <string.h>

#include "surrogate/stages.h"

enum { STARTS = CKG__FIT_STARTS + 1 };

struct fits {
    struct ckg__surrogates *models;
    int count;
    int *status, *outcome, *start; /* (outcomes × STARTS), like the rest */
    double *density;
    double (*theta)[CKG_MAX_PARAMETERS + 2];
};

/* A climb over many rows costs more than its last digits are worth. */
static int evaluations_for(int n)
{
    return n > 1000 ? 10 : n > 300 ? 20 : 40;
}

static void fit_task(void *context, int index, int worker)
{
    struct fits *fits = context;
    struct ckg__surrogates *models = fits->models;
    const int j = fits->outcome[index];
    const struct ckg__surrogate *s = &models->surrogate[j];
    struct ckg__workers workers;
    struct ckg__fit fit = ckg__surrogates_fit(models, &s->fitted, &s->series, models->X[j], worker, &workers);
    double *theta = fits->theta[index];

    if (fits->start[index] == 0)
        memcpy(theta, s->fitted.theta, sizeof s->fitted.theta);
    else
        ckg__fit_start(&fit, fits->start[index] - 1, theta);
    fits->status[index] = ckg__fit_ascend(&fit, evaluations_for(s->series.n), theta, &fits->density[index],
                                          &models->arena[worker]);
}

/*
 * Which starts an outcome gets up to CKG__REFIT_ALWAYS rows: all of them while there is little data, where
 * noise makes for several optima, and for an anchor; else the anchor's optimum, joined by another start in
 * turn at every fourth number of rows. Beyond, the anchor's optimum alone.
 */
static void plan(struct fits *fits, int anchor)
{
    for (int j = 0; j < fits->models->outcomes; j++) {
        const struct ckg__surrogate *s = &fits->models->surrogate[j];
        const int n = s->series.n;
        const int few = n <= CKG__REFIT_ALWAYS;
        const int warm = s->fitted.told > 0;
        const int all = !warm || n < 20 || ((anchor || s->series.estimated) && few);
        const int turn = few && n % 4 == 0 ? 1 + n / 4 % CKG__FIT_STARTS : 0;

        for (int start = warm ? 0 : 1; n > 0 && start < STARTS; start++) {
            if (start && start != turn && !all)
                continue;
            fits->outcome[fits->count] = j;
            fits->start[fits->count++] = start;
        }
    }
}

/* Each outcome's best fit becomes what its surrogate holds. */
static void take_best(struct ckg__surrogates *models, const struct fits *fits)
{
    for (int i = 0; i < fits->count; i++) {
        struct ckg__surrogate *s = &models->surrogate[fits->outcome[i]];
        int best = i;

        while (i + 1 < fits->count && fits->outcome[i + 1] == fits->outcome[best])
            best = fits->density[++i] > fits->density[best] ? i : best;
        if (isfinite(fits->density[best]))
            memcpy(s->fitted.theta, fits->theta[best], sizeof s->fitted.theta);
    }
}

static int fits_take(struct fits *fits, struct ckg__surrogates *models)
{
    const size_t most = (size_t)models->outcomes * STARTS;

    *fits = (struct fits){.models = models};
    return CKG__TAKE(&models->own, CKG__ROOM(fits->status, most), CKG__ROOM(fits->outcome, most),
                     CKG__ROOM(fits->start, most), CKG__ROOM(fits->density, most),
                     CKG__ROOM(fits->theta, most));
}

int ckg__fit_all(struct ckg__surrogates *models, int anchor)
{
    struct ckg__arena_mark mark = ckg__arena_mark(&models->own);
    struct fits fits;

    if (fits_take(&fits, models))
        return CKG_ERR_NOMEM;
    plan(&fits, anchor);
    const int status = ckg__surrogates_run(models, fits.count, fit_task, &fits, fits.status);
    if (!status)
        take_best(models, &fits);
    ckg__arena_release(&models->own, mark);
    return status;
}

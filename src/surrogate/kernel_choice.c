/*
 * How smooth an outcome is taken to be: the kernel whose hyperparameters reach the largest density, all
 * kernels having the same priors and seeing the same series. A task per kernel, from the present
 * hyperparameters.
 */
#include "surrogate/stages.h"

enum { FEWEST = 8, EVALUATIONS = 20 };

/*
 * Another kernel must gain so much log density: a difference within chance changes nothing. Under noise
 * chance is larger, and a rougher kernel takes noise for signal.
 */
static const double gain_exact = 1;
static const double gain_noisy = 10;

struct smoothness {
    struct ckg__models *models;
    int outcome;
    int status[CKG__KERNELS];
    struct ckg__fitted fitted[CKG__KERNELS];
    double density[CKG__KERNELS];
};

static void kernel_task(void *context, int index, int worker)
{
    struct smoothness *s = context;
    const struct ckg__models *models = s->models;
    const struct ckg__series *series = &models->surrogate[s->outcome].series;
    struct ckg__fit fit = ckg__models_fit(models, &s->fitted[index], series, models->X[s->outcome]);
    struct ckg__team team;

    ckg__models_share(models, worker, &team, &fit);
    s->status[index] = ckg__fit_climb(&fit, EVALUATIONS, s->fitted[index].theta, &s->density[index],
                                      &models->arena[worker]);
}

int ckg__choose_kernel(struct ckg__models *models, int j)
{
    struct ckg__surrogate *surrogate = &models->surrogate[j];
    const int present = (int)surrogate->fitted.kernel;
    struct smoothness s = {.models = models, .outcome = j};
    const double gain = surrogate->series.estimated || surrogate->series.typical_known > 0 ? gain_noisy
                                                                                           : gain_exact;
    int best = present;

    if (surrogate->series.n < FEWEST)
        return CKG_OK;

    /* Each kernel gets the same chance. */
    for (int k = 0; k < CKG__KERNELS; k++) {
        s.fitted[k] = surrogate->fitted;
        s.fitted[k].kernel = (enum ckg__kernel)k;
    }
    const int status = ckg__models_run(models, CKG__KERNELS, kernel_task, &s, s.status);
    if (status)
        return status;

    /* The present one stays unless another is clearly better. */
    for (int k = 0; k < CKG__KERNELS; k++)
        if (s.density[k] > s.density[best] + (best == present ? gain : 0))
            best = k;
    surrogate->fitted = s.fitted[best];
    return CKG_OK;
}

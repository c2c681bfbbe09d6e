/*
 * Hyperparameters by slice sampling where there is noise, a task per (outcome, chain). Every chain starts at
 * the optimum, so that nothing is carried over from one study's moment to the next.
 */
#include <assert.h>
#include <string.h>

#include "base/rng.h"
#include "belief/stages.h"

/* Beyond this many rows samples are worth less than they cost: the posterior has narrowed. */
enum { MOST_ROWS = 300 };
enum { BURN = 4, THIN = 2 };

double *ckg__sample_of(const struct ckg__chains *chains, int j, int i)
{
    const size_t samples = (size_t)chains->models->samples;

    assert(i >= 0 && (size_t)i < samples);
    return chains->samples + ((size_t)j * samples + (size_t)i) * (size_t)chains->dim;
}

static int wants_samples(const struct ckg__models *models, int j)
{
    const struct ckg__series *series = &models->surrogate[j].series;
    const int noisy = series->estimated || series->typical_known > 0;
    const int latent = j == models->data->problem->outcomes;

    if (latent || series->n < 2 || series->n > MOST_ROWS)
        return 0;
    return models->method == CKG__FIT_SAMPLE || (models->method == CKG__FIT_AUTO && noisy);
}

static void chain_task(void *context, int index, int worker)
{
    struct ckg__chains *chains = context;
    const struct ckg__models *models = chains->models;
    const int j = chains->outcome[index];
    const int chain = index % CKG__CHAINS;
    const int first = chain * models->samples / CKG__CHAINS;
    const int last = (chain + 1) * models->samples / CKG__CHAINS;
    const struct ckg__surrogate *s = &models->surrogate[j];
    struct ckg__fit fit = ckg__models_fit(models, &s->fitted, &s->series, models->X[j]);
    double theta[CKG_MAX_PARAMETERS + 2];
    struct ckg__team team;
    struct ckg__rng rng;

    ckg__models_share(models, worker, &team, &fit);
    ckg__rng_seed(&rng, models->seed, (uint64_t)ckg__told(models->data, models->data->trials),
                  CKG__FOR_CHAINS + (uint64_t)(s->place * CKG__CHAINS + chain));
    memcpy(theta, s->fitted.theta, sizeof theta);
    chains->status[index] = ckg__fit_sample(&fit, &rng, BURN, last - first, THIN, theta,
                                            ckg__sample_of(chains, j, first), &models->arena[worker]);
}

int ckg__sample_all(struct ckg__models *models, struct ckg__chains *chains)
{
    chains->models = models;
    chains->count = 0;
    chains->dim = models->data->problem->d + 2;
    chains->samples = ckg__arena_doubles(&models->own, (size_t)models->outcomes * (size_t)models->samples *
                                                           (size_t)chains->dim);
    if (!chains->samples)
        return CKG_ERR_NOMEM;

    /* Who gets samples, and who keeps to the optimum. */
    models->beliefs = 1;
    for (int j = 0; j < models->outcomes; j++) {
        struct ckg__surrogate *s = &models->surrogate[j];
        s->samples = ckg__models_shared(models, j) ? 0 : wants_samples(models, j) ? models->samples : 1;
        models->beliefs = s->samples > models->beliefs ? s->samples : models->beliefs;
        for (int c = 0; s->samples > 1 && c < CKG__CHAINS; c++)
            chains->outcome[chains->count++] = j;
        if (s->samples == 1)
            memcpy(ckg__sample_of(chains, j, 0), s->fitted.theta, (size_t)chains->dim * sizeof(double));
    }
    return ckg__models_run(models, chains->count, chain_task, chains, chains->status);
}

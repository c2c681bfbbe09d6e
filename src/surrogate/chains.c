/*
 * Hyperparameters by slice sampling where there is noise and where a probability is stated, a task per
 * (outcome, chain). Every chain starts at the optimum, so that nothing is carried over from one study's
 * moment to the next.
 */
#include <assert.h>
#include <string.h>

#include "base/rng.h"
#include "surrogate/stages.h"

/* Beyond this many rows samples are worth less than they cost: the posterior has narrowed. */
enum { MOST_ROWS = 300 };

/* Exact values tell the hyperparameters sooner, and with many parameters samples of them cost too much. */
enum { MOST_EXACT = 1500 };

enum { BURN = 4, THIN = 2 };

/* One sample in so many is of the roughest kernel, climbed to by so many densities. */
enum { ROUGH = 8, ROUGH_EVALUATIONS = 20 };

double *ckg__sample_of(const struct ckg__chains *chains, int j, int i)
{
    const size_t samples = (size_t)chains->models->samples;

    assert(i >= 0 && (size_t)i < samples);
    return chains->samples + ((size_t)j * samples + (size_t)i) * (size_t)chains->dim;
}

enum ckg__kernel ckg__sample_kernel(const struct ckg__chains *chains, int j, int i)
{
    const struct ckg__surrogate *s = &chains->models->surrogate[j];

    return i < s->samples - chains->rough[j] ? s->fitted.kernel : CKG__MATERN32;
}

static int wants_samples(const struct ckg__surrogates *models, int j)
{
    const struct ckg__series *series = &models->surrogate[j].series;
    const int dear = series->n * (models->data->problem->d + 2) > MOST_EXACT;
    const int late = ckg__interrupted_by(ckg__pool_watched(models->pool), 0);

    if (ckg__series_has(series, CKG__VAGUE) || late || series->n < 2 || series->n > MOST_ROWS)
        return 0;
    if (models->method != CKG__FIT_AUTO)
        return models->method == CKG__FIT_SAMPLE;
    return !ckg__series_exact(series) || (models->source && !dear && series->n >= 4);
}

/*
 * How many of an outcome's samples are of the roughest kernel: exact values favour smooth kernels from afar,
 * and are surest where they are wrong.
 */
static int rough_samples(const struct ckg__surrogates *models, int j)
{
    const struct ckg__surrogate *s = &models->surrogate[j];
    const int chosen = models->method == CKG__FIT_AUTO && models->choose_kernel;

    return chosen && ckg__series_exact(&s->series) && s->fitted.kernel != CKG__MATERN32 ? s->samples / ROUGH
                                                                                        : 0;
}

/* The last samples of outcome j, of the roughest kernel, from theta. */
static int sample_rough(struct ckg__chains *chains, int j, struct ckg__fit *fit, struct ckg__rng *rng,
                        double *theta, struct ckg__arena *arena)
{
    const int count = chains->rough[j];
    double density;

    if (!count)
        return CKG_OK;
    fit->inputs.kernel = CKG__MATERN32;
    const int status = ckg__fit_ascend(fit, ROUGH_EVALUATIONS, theta, &density, arena);
    return status ? status
                  : ckg__fit_sample(fit, rng, 1, count, 1, theta,
                                    ckg__sample_of(chains, j, chains->models->surrogate[j].samples - count),
                                    arena);
}

static void chain_task(void *context, int index, int worker)
{
    struct ckg__chains *chains = context;
    const struct ckg__surrogates *models = chains->models;
    const int j = chains->outcome[index];
    const int chain = index % CKG__CHAINS;
    const int smooth = models->surrogate[j].samples - chains->rough[j];
    const int first = chain * smooth / CKG__CHAINS;
    const int last = (chain + 1) * smooth / CKG__CHAINS;
    const struct ckg__surrogate *s = &models->surrogate[j];
    struct ckg__workers workers;
    struct ckg__fit fit = ckg__surrogates_fit(models, &s->fitted, &s->series, models->X[j], worker, &workers);
    struct ckg__arena *arena = &models->arena[worker];
    double theta[CKG_MAX_PARAMETERS + 2];
    struct ckg__rng rng;

    /* Around the optimum. */
    ckg__rng_seed(&rng, models->seed, (uint64_t)ckg__told(models->data, models->data->trials),
                  CKG__FOR_CHAINS + (uint64_t)(s->place * CKG__CHAINS + chain));
    memcpy(theta, s->fitted.theta, sizeof theta);
    int status = ckg__fit_sample(&fit, &rng, BURN, last - first, THIN, theta,
                                 ckg__sample_of(chains, j, first), arena);

    /* And what if it were rougher? */
    memcpy(theta, s->fitted.theta, sizeof theta);
    if (!status && chain == 0)
        status = sample_rough(chains, j, &fit, &rng, theta, arena);
    chains->status[index] = status;
}

int ckg__sample_all(struct ckg__surrogates *models, struct ckg__chains *chains)
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
        s->samples = ckg__surrogates_shared(models, j) ? 0 : wants_samples(models, j) ? models->samples : 1;
        models->beliefs = s->samples > models->beliefs ? s->samples : models->beliefs;
        chains->rough[j] = rough_samples(models, j);
        for (int c = 0; s->samples > 1 && c < CKG__CHAINS; c++)
            chains->outcome[chains->count++] = j;
        if (s->samples == 1)
            memcpy(ckg__sample_of(chains, j, 0), s->fitted.theta, (size_t)chains->dim * sizeof(double));
    }
    return ckg__surrogates_run(models, chains->count, chain_task, chains, chains->status);
}

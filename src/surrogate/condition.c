/*
 * Processes conditioned on what was measured, a task per (outcome, sample), and for a while on what is
 * pending.
 */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/maths.h"
#include "surrogate/stages.h"
#include "linalg/normal.h"

/* --- on the data --- */

struct factors {
    struct ckg__surrogates *models;
    const struct ckg__chains *chains;
    int count;
    int *status, *outcome, *sample;
};

/* A record of so many predictions is looked at, and counts beside so many that were as sure as they should
 * be. */
enum { RECORD = 20, CREDIT = 10 };

/* Less than this factor of the variance is within chance. */
static const double chance = 1.25;

/*
 * What standard deviations of exact outcomes are multiplied by before they are stated: what a search has
 * picked lies where the models err in its favour (bench/results/reliability.md). Sampled hyperparameters have
 * one factor each, so that their errors together are Student's with so many degrees of freedom; their optimum
 * alone has one for all.
 */
enum { FREEDOM = 4 };
static const double roughness_optimum = 1.6;

/* The quantile p of χ² with FREEDOM degrees (Wilson and Hilferty 1931). */
static double chi_square_quantile(double p)
{
    const double spread = 2.0 / (9 * FREEDOM);

    return FREEDOM * ckg__pow(1 - spread + ckg__normal_quantile(p) * sqrt(spread), 3);
}

/* The factor of one sample of several: large and small ones in turn, for chains drift. */
static double roughness_sampled(int sample, int samples)
{
    const int rank = sample % 2 ? samples - 1 - sample / 2 : sample / 2;

    return sqrt(FREEDOM / chi_square_quantile((rank + 0.5) / samples));
}

/* The factor on a sample's variances where they are stated; noise makes for doubt enough, and only `auto`
 * asks for it. */
static double roughness_of(const struct ckg__surrogates *models, const struct ckg__surrogate *s, int sample)
{
    if (models->method != CKG__FIT_AUTO || !ckg__series_exact(&s->series) || s->series.n < 4)
        return 1;
    return ckg__square(s->samples > 1 ? roughness_sampled(sample, s->samples) : roughness_optimum);
}

/* theta with all variances multiplied by `factor`, which leaves the means where they are. */
static int set_wider(struct ckg__gp *gp, const struct ckg__gp_inputs *inputs, const double *theta,
                     double factor, struct ckg__arena *arena)
{
    const int d = inputs->d;
    double wider[CKG_MAX_PARAMETERS + 2];

    memcpy(wider, theta, ((size_t)d + 2) * sizeof *wider);
    wider[d] += ckg__log(factor);
    wider[d + 1] += ckg__log(factor);
    return ckg__gp_set(gp, inputs, wider, arena);
}

/*
 * The factor of all variances that makes the record of the latest values honest, for a process that was too
 * sure of them. Known noise is known, and stays.
 */
static double record_of(const struct ckg__surrogate *s, const struct ckg__gp *gp)
{
    const int rows = s->series.n / 2 < RECORD ? s->series.n / 2 : RECORD;

    if (rows < 4 || ckg__series_has(&s->series, CKG__VAGUE) || s->series.typical_known > 0)
        return 1;
    const double factor = (CREDIT + rows * ckg__gp_surprise(gp, rows)) / (CREDIT + rows);
    return factor > chance ? factor : 1;
}

static void factor_task(void *context, int index, int worker)
{
    struct factors *f = context;
    struct ckg__surrogates *models = f->models;
    const int j = f->outcome[index];
    const int sample = f->sample[index];
    struct ckg__surrogate *s = &models->surrogate[j];
    struct ckg__fitted fitted = s->fitted;
    fitted.kernel = ckg__sample_kernel(f->chains, j, sample);
    struct ckg__workers workers;
    struct ckg__fit fit = ckg__surrogates_fit(models, &fitted, &s->series, models->X[j], worker, &workers);
    const double *theta = ckg__sample_of(f->chains, j, sample);
    struct ckg__arena *arena = &models->arena[worker];

    /* As it was fitted. */
    int status = ckg__gp_set(s->gp[sample], &fit.inputs, theta, arena);

    /* As its record has it, but for fit: ml, which asks for the likelihood as it is. */
    const double record = status || models->method == CKG__FIT_ML ? 1 : record_of(s, s->gp[sample]);
    s->inflation[sample] = sqrt(record);
    if (!status && record > 1)
        status = set_wider(s->gp[sample], &fit.inputs, theta, record, arena);

    /* And what is to be doubted of it. */
    s->roughness[sample] = roughness_of(models, s, sample);
    f->status[index] = status;
}

int ckg__surrogates_have_room(const struct ckg__surrogates *models, int spare)
{
    for (int j = 0; j < models->outcomes; j++)
        for (int i = 0; i < models->surrogate[j].samples; i++)
            if (!ckg__gp_has_room(models->surrogate[j].gp[i], models->surrogate[j].series.n + spare))
                return 0;
    return 1;
}

/* As many processes as the surrogate has samples. */
static int reserve_processes(struct ckg__surrogate *s)
{
    if (s->room >= s->samples)
        return CKG_OK;
    void *grown = ckg__alloc_resize(s->gp, (size_t)s->room * sizeof *s->gp, (size_t)s->samples,
                                    sizeof *s->gp);
    if (!grown)
        return CKG_ERR_NOMEM;
    s->gp = grown;
    for (; s->room < s->samples; s->room++) {
        s->gp[s->room] = ckg__gp_new();
        if (!s->gp[s->room])
            return CKG_ERR_NOMEM;
    }
    return CKG_OK;
}

/* Rows for the series and `spare` more, and an eighth beyond, so that a growing study seldom allocates. */
static int reserve_rows(const struct ckg__surrogates *models, struct ckg__surrogate *s, int spare)
{
    const int need = s->series.n + spare;
    for (int i = 0; i < s->samples; i++) {
        struct ckg__gp *gp = s->gp[i];
        if (!ckg__gp_has_room(gp, need) && ckg__gp_reserve(gp, models->data->problem->D, need + need / 8 + 8))
            return CKG_ERR_NOMEM;
    }
    return CKG_OK;
}

int ckg__condition_all(struct ckg__surrogates *models, const struct ckg__chains *chains, int spare)
{
    struct factors f = {.models = models, .chains = chains};
    size_t most = 0;

    /* Room. */
    for (int j = 0; j < models->outcomes; j++) {
        struct ckg__surrogate *s = &models->surrogate[j];
        if (reserve_processes(s) || reserve_rows(models, s, spare))
            return CKG_ERR_NOMEM;
        most += (size_t)s->samples;
    }
    if (CKG__TAKE(&models->own, CKG__ROOM(f.status, most), CKG__ROOM(f.outcome, most),
                  CKG__ROOM(f.sample, most)))
        return CKG_ERR_NOMEM;

    /* A task for every process. */
    for (int j = 0; j < models->outcomes; j++)
        for (int i = 0; i < models->surrogate[j].samples; i++) {
            f.outcome[f.count] = j;
            f.sample[f.count++] = i;
        }
    return ckg__surrogates_run(models, f.count, factor_task, &f, f.status);
}

/* --- on what is pending --- */

/* 1 when the pending trial will tell of outcome j; that it succeeds, the last of the models, every one does.
 */
static int is_awaited(const struct ckg__data *data, int trial, int j)
{
    return j == data->problem->outcomes || ckg__trial_wants(&data->trial[trial], j);
}

int ckg__surrogates_condition(struct ckg__surrogates *models, int certain)
{
    const struct ckg__data *data = models->data;
    int status = CKG_OK;

    assert(models->revision); /* they know the data */
    for (int t = 0; t < data->trials; t++) {
        const double *u = data->u + (size_t)data->trial[t].design * (size_t)data->problem->D;
        if (data->trial[t].state != CKG_PENDING)
            continue;
        for (int j = 0; j < models->outcomes; j++)
            for (int i = 0; is_awaited(data, t, j) && !status && i < models->surrogate[j].samples; i++)
                status = ckg__posterior_assume(models->surrogate[j].gp[i], data->trial[t].design, u, certain,
                                               &models->arena[0]);
    }
    return status;
}

void ckg__surrogates_release(struct ckg__surrogates *models)
{
    for (int j = 0; j < models->outcomes; j++)
        for (int i = 0; i < models->surrogate[j].samples; i++)
            ckg__gp_truncate(models->surrogate[j].gp[i], models->surrogate[j].series.n);
}

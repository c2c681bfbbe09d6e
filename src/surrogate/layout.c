/* Each outcome's series in the form that fits and processes take: pooled, scaled, with its inputs. */
#include <assert.h>
#include <math.h>

#include "base/error.h"
#include "surrogate/stages.h"

/* Values beyond a gap so many times as wide as the rest are absurd; beyond the narrow one if that explains
 * more. */
static const double wide_gap = 10;
static const double narrow_gap = 3;

int ckg__lay_out(const struct ckg__surrogates *models, const struct ckg__layout *layout,
                 struct ckg__arena *arena, struct ckg__scaling *scaling, struct ckg__series *series,
                 double **X)
{
    const struct ckg__data *data = models->data;
    const struct ckg__fitted *fitted = layout->fitted;
    const double gap = fitted->strict < 0 ? 0 : fitted->strict ? narrow_gap : wide_gap;
    struct ckg__series_source source = {layout->outcome, fitted->warp, layout->trials,
                                        models->warp || models->lead ? gap : 0, NULL};
    const size_t D = (size_t)data->problem->D;

    assert(layout->outcome <= data->problem->outcomes && layout->trials <= data->trials);

    /* The values. */
    int status = ckg__select(data, layout->outcome, layout->trials, layout->most, arena, &source.seen);
    if (status)
        return status;
    status = ckg__series_build(data, &source, arena, scaling, series);
    const size_t n = (size_t)series->n;
    *X = status ? NULL : ckg__arena_doubles(arena, D * n + 1);
    if (!*X)
        return CKG_ERR_NOMEM;

    /* The designs they were measured at, a coordinate at a time. */
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < D; k++)
            (*X)[k * n + i] = data->u[(size_t)series->design[i] * D + k];

    /* What they are measurements of. */
    if (!fitted->likelihood)
        return CKG_OK;
    const struct ckg__series given = *series;
    const struct ckg__gp_inputs inputs = ckg__surrogates_fit(models, fitted, &given, *X, 0, NULL).inputs;
    return ckg__likelihood_lay_out(fitted->likelihood, &inputs, fitted->state, arena, series);
}

int ckg__lay_out_all(struct ckg__surrogates *models, int trials, int most)
{
    int status = CKG_OK;
    for (int j = 0; !status && j < models->outcomes; j++) {
        struct ckg__surrogate *s = &models->surrogate[j];
        const struct ckg__layout layout = {j, trials, most, &s->fitted};
        s->series = (struct ckg__series){.likelihood = ckg__likelihood_given(models->data->problem, j)};
        if (!ckg__surrogates_shared(models, j))
            status = ckg__lay_out(models, &layout, &models->own, &s->scaling, &s->series, &models->X[j]);
    }
    return status;
}

/* What is known of the hyperparameters before the data. */
static struct ckg__prior prior_for(const struct ckg__surrogates *models, const struct ckg__fitted *fitted,
                                   const struct ckg__series *series)
{
    const int d = models->data->problem->d;

    if (series->likelihood->prior)
        return series->likelihood->prior(d);
    if (models->method == CKG__FIT_ML)
        return ckg__prior_flat();
    if (fitted->linear)
        return ckg__prior_beside_trend(d);
    return ckg__series_exact(series) ? ckg__prior_exact(d) : ckg__prior_default(d);
}

struct ckg__fit ckg__surrogates_fit(const struct ckg__surrogates *models, const struct ckg__fitted *fitted,
                                    const struct ckg__series *series, const double *X, int worker,
                                    struct ckg__workers *workers)
{
    const struct ckg_problem *problem = models->data->problem;

    if (workers)
        *workers = (struct ckg__workers){models->pool, worker, models->arena, NULL};
    return (struct ckg__fit){
        .inputs = {.kernel = fitted->kernel,
                   .linear = fitted->linear,
                   .d = problem->d,
                   .D = problem->D,
                   .n = series->n,
                   .group = models->group,
                   .X = X,
                   .ldx = series->n,
                   .series = series,
                   /* labels have one also where the fit has none */
                   .mean_precision = models->method != CKG__FIT_ML || ckg__series_has(series, CKG__VAGUE),
                   .workers = series->n >= CKG__SHARE_ROWS ? workers : NULL,
                   .interrupt = ckg__pool_watched(models->pool)},
        .prior = prior_for(models, fitted, series),
    };
}

int ckg__surrogates_run(const struct ckg__surrogates *models, int count, ckg__task task, void *context,
                        const int *status)
{
    if (ckg__pool_run(models->pool, count, task, context))
        return CKG_ERR_CANCELLED;
    for (int i = 0; i < count; i++)
        if (status[i])
            return status[i] == CKG_ERR_CANCELLED ? CKG_ERR_CANCELLED
                   : status[i] == CKG_ERR_NOMEM   ? ckg__fail_nomem()
                                                  : ckg__fail(status[i], "a model could not be fitted");
    return CKG_OK;
}

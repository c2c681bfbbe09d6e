/*
 * Keeping the models in step with the data: pool and scale each outcome's series, fit hyperparameters where
 * it is time, choose a warp where a tail asks for one, sample where there is noise, and condition the
 * processes. Fits are tasks of (outcome, start); chains of (outcome, chain); factors of (outcome, sample).
 */
#include "study/models.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/rng.h"

/* Up to here every trial leads to a new fit; beyond, one in every 2 %. */
enum { REFIT_ALWAYS = 100 };
/* Sampled hyperparameters beyond this many rows are worth less than they cost: the posterior has narrowed. */
enum { SAMPLE_ROWS = 300 };
enum { BURN = 4, THIN = 2 };
enum { WARPS = 5 };

/*
 * A warp is tried from this deviation in interquartile ranges on, and kept when it gains so much log density.
 */
static const double warp_tail = 3, warp_gain = 3;
static const double warps[WARPS] = {0.1, 0.3, 1, 3, 10};

int ckg__models_init(struct ckg__models *models, const struct ckg__data *data, struct ckg__pool *pool,
                     struct ckg__arena *arena)
{
    memset(models, 0, sizeof *models);
    models->data = data;
    models->pool = pool;
    models->arena = arena;
    ckg__arena_init(&models->own);
    models->group = ckg__alloc((size_t)data->problem->D, sizeof *models->group);
    if (!models->group)
        return CKG_ERR_NOMEM;
    for (int i = 0; i < data->problem->d; i++)
        for (int k = 0; k < data->problem->parameters[i].width; k++)
            models->group[data->problem->parameters[i].offset + k] = i;
    return CKG_OK;
}

void ckg__models_free(struct ckg__models *models)
{
    for (int j = 0; j < CKG__MAX_OUTCOMES; j++) {
        for (int s = 0; s < models->surrogate[j].room; s++)
            ckg__gp_free(&models->surrogate[j].gp[s]);
        ckg__free(models->surrogate[j].gp);
    }
    ckg__arena_free(&models->own);
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

/* The series of outcome j's first `trials` trials on the scale of `warp`, and its inputs, from the arena. */
static int lay_out(struct ckg__models *models, int j, double warp, int trials, struct ckg__arena *arena,
                   struct ckg__scaling *scaling, struct ckg__series *series, double **X)
{
    const struct ckg__data *data = models->data;
    const struct ckg__series_source source = {j, warp, trials};
    const size_t D = (size_t)data->problem->D;
    int status = ckg__series_build(data, &source, arena, scaling, series);
    const size_t n = (size_t)series->n;
    *X = status ? NULL : ckg__arena_doubles(arena, D * n + 1);
    if (!*X)
        return CKG_ERR_NOMEM;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < D; k++)
            (*X)[k * n + i] = data->u[(size_t)series->design[i] * D + k];
    return CKG_OK;
}

static int lay_out_all(struct ckg__models *models, int trials)
{
    int status = CKG_OK;
    for (int j = 0; !status && j < models->outcomes; j++) {
        struct ckg__surrogate *s = &models->surrogate[j];
        status = lay_out(models, j, s->fitted.warp, trials, &models->own, &s->scaling, &s->series,
                         &models->X[j]);
    }
    return status;
}

double ckg__models_mean_precision(const struct ckg__models *models)
{
    return models->method == CKG__FIT_ML ? 0 : 1;
}

static struct ckg__fit fit_of(const struct ckg__models *models, const struct ckg__series *series,
                              const double *X)
{
    const int d = models->data->problem->d;
    return (struct ckg__fit){{models->kernel, d, models->data->problem->D, series->n, models->group, X,
                              series->n, series, ckg__models_mean_precision(models), NULL},
                             models->method == CKG__FIT_ML ? ckg__prior_flat() : ckg__prior_default(d)};
}

/* fit, with a team to share its matrices where they are large enough; team is filled for `worker`. */
static void share(const struct ckg__models *models, int worker, struct ckg__team *team, struct ckg__fit *fit)
{
    *team = (struct ckg__team){models->pool, worker, models->arena};
    fit->inputs.team = fit->inputs.n >= CKG__SHARE_ROWS ? team : NULL;
}

static int run(struct ckg__models *models, int count, ckg__task task, void *context, const int *status)
{
    ckg__pool_run(models->pool, count, task, context);
    for (int i = 0; i < count; i++)
        if (status[i])
            return status[i] == CKG_ERR_NOMEM ? ckg__fail_nomem()
                                              : ckg__fail(status[i], "a model could not be fitted");
    return CKG_OK;
}

/* --- fitting: a task per (outcome, start); start 0 is the optimum for fewer trials --- */

enum { TRIES = CKG__FIT_STARTS + 1 };

struct fits {
    struct ckg__models *models;
    int status[CKG__MAX_OUTCOMES * TRIES];
    int outcome[CKG__MAX_OUTCOMES * TRIES], start[CKG__MAX_OUTCOMES * TRIES];
    double density[CKG__MAX_OUTCOMES * TRIES];
    double (*theta)[CKG_MAX_PARAMETERS + 2];
    int count;
};

static void fit_task(void *context, int index, int worker)
{
    struct fits *fits = context;
    struct ckg__models *models = fits->models;
    const int j = fits->outcome[index];
    const struct ckg__surrogate *s = &models->surrogate[j];
    struct ckg__fit fit = fit_of(models, &s->series, models->X[j]);
    double *theta = fits->theta[index];
    struct ckg__team team;
    share(models, worker, &team, &fit);
    if (fits->start[index] == 0)
        memcpy(theta, s->fitted.theta, sizeof s->fitted.theta);
    else
        ckg__fit_start(&fit, fits->start[index] - 1, theta);
    const int evaluations = s->series.n > 1000 ? 10 : s->series.n > 300 ? 20 : 40;
    fits->status[index] = ckg__fit_climb(&fit, evaluations, theta, &fits->density[index],
                                         &models->arena[worker]);
}

/*
 * Which starts an outcome gets up to REFIT_ALWAYS rows: all of them while there is little data, where noise
 * makes for several optima, and for an anchor; else the anchor's optimum, joined by another start in turn at
 * every fourth number of rows. Beyond, the anchor's optimum alone.
 */
static void plan_fits(struct fits *fits, int anchor)
{
    for (int j = 0; j < fits->models->outcomes; j++) {
        const struct ckg__surrogate *s = &fits->models->surrogate[j];
        const int n = s->series.n, warm = s->fitted.told > 0,
                  all = !warm || n < 20 || ((anchor || s->series.estimated) && n <= REFIT_ALWAYS);
        const int turn = n <= REFIT_ALWAYS && n % 4 == 0 ? 1 + n / 4 % CKG__FIT_STARTS : 0;
        for (int start = warm ? 0 : 1; n > 0 && start < TRIES; start++) {
            if (start && start != turn && !all)
                continue;
            fits->outcome[fits->count] = j;
            fits->start[fits->count++] = start;
        }
    }
}

static int fit_all(struct ckg__models *models, int anchor)
{
    struct ckg__arena_mark mark = ckg__arena_mark(&models->own);
    struct fits *fits = ckg__arena_get(&models->own, 1, sizeof *fits);
    if (!fits)
        return CKG_ERR_NOMEM;
    fits->models = models;
    fits->count = 0;
    fits->theta = ckg__arena_get(&models->own, CKG__MAX_OUTCOMES * TRIES, sizeof *fits->theta);
    if (!fits->theta)
        return CKG_ERR_NOMEM;
    plan_fits(fits, anchor);
    const int status = run(models, fits->count, fit_task, fits, fits->status);
    for (int i = 0; !status && i < fits->count; i++) {
        struct ckg__surrogate *s = &models->surrogate[fits->outcome[i]];
        int best = i;
        while (i + 1 < fits->count && fits->outcome[i + 1] == fits->outcome[best])
            best = fits->density[++i] > fits->density[best] ? i : best;
        if (isfinite(fits->density[best]))
            memcpy(s->fitted.theta, fits->theta[best], sizeof s->fitted.theta);
    }
    ckg__arena_release(&models->own, mark);
    return status;
}

/* --- warping --- */

struct warped {
    struct ckg__models *models;
    int outcome, trials;
    int status[WARPS + 1];
    struct ckg__fitted fitted[WARPS + 1]; /* start and optimum on each scale; the first is without a warp */
    double density[WARPS + 1];            /* comparable between scales */
};

/* Fits the outcome on one scale. */
static void warp_task(void *context, int index, int worker)
{
    struct warped *w = context;
    struct ckg__arena *arena = &w->models->arena[worker];
    struct ckg__arena_mark mark = ckg__arena_mark(arena);
    struct ckg__scaling scaling;
    struct ckg__series series;
    double *X;
    int status = lay_out(w->models, w->outcome, w->fitted[index].warp, w->trials, arena, &scaling, &series,
                         &X);
    if (!status) {
        struct ckg__fit fit = fit_of(w->models, &series, X);
        struct ckg__team team;
        share(w->models, worker, &team, &fit);
        status = ckg__fit_climb(&fit, 20, w->fitted[index].theta, &w->density[index], arena);
        w->density[index] += series.jacobian;
    }
    w->status[index] = status;
    ckg__arena_release(arena, mark);
}

/* Chooses outcome j's warp for these trials by the density, starting from the fit on the present scale. */
static int choose_warp(struct ckg__models *models, int j, int trials)
{
    struct ckg__surrogate *s = &models->surrogate[j];
    const struct ckg__series_source source = {j, 0, trials};
    struct warped w = {.models = models, .outcome = j, .trials = trials};
    double tail;
    int status = ckg__series_tail(models->data, &source, &models->own, &tail);
    if (status || s->series.n < 8 || (tail < warp_tail && !(s->fitted.warp > 0)))
        return status;
    const int count = tail >= warp_tail ? WARPS + 1 : 1;
    for (int i = 0; i < count; i++) {
        w.fitted[i] = s->fitted;
        w.fitted[i].warp = i ? warps[i - 1] : 0;
    }
    status = run(models, count, warp_task, &w, w.status);
    int best = 0;
    for (int i = 1; !status && i < count; i++)
        if (w.density[i] > w.density[best] + (best ? 0 : warp_gain))
            best = i;
    if (!status)
        s->fitted = w.fitted[best];
    return status;
}

/* --- which trials to fit to, and from where --- */

/* The trials whose fit serves a study of `trials`: all of them up to REFIT_ALWAYS, then at steps of 2 %. */
static int fit_point(int trials)
{
    int point = trials < REFIT_ALWAYS ? trials : REFIT_ALWAYS;
    while (point + point / 50 <= trials && trials > REFIT_ALWAYS)
        point += point / 50;
    return point;
}

static int ended(const struct ckg__trial *trial)
{
    return trial->state == CKG_COMPLETE || trial->state == CKG_FAILED;
}

static int told(const struct ckg__data *data, int trials)
{
    int count = 0;
    for (int t = 0; t < trials; t++)
        count += ended(&data->trial[t]);
    return count;
}

/* The trials up to the last that ended: pending ones behind it change no fit. */
static int trials_that_count(const struct ckg__data *data)
{
    int trials = data->trials;
    while (trials > 0 && !ended(&data->trial[trials - 1]))
        trials--;
    return trials;
}

/*
 * Fits all outcomes to the first `trials` trials, from what their surrogates hold now; more thoroughly where
 * that is an anchor.
 */
static int fit_to(struct ckg__models *models, int trials)
{
    const int anchor = trials % 16 == 0 && (trials / 16 & (trials / 16 - 1)) == 0;
    int status = lay_out_all(models, trials);
    if (!status)
        status = fit_all(models, anchor);
    /* beyond REFIT_ALWAYS a warp is chosen at the anchors, and kept between them */
    for (int j = 0;
         !status && models->warp && (anchor || trials <= REFIT_ALWAYS) && j < models->data->problem->outcomes;
         j++)
        status = choose_warp(models, j, trials);
    for (int j = 0; !status && j < models->outcomes; j++) {
        models->surrogate[j].fitted.trials = trials;
        models->surrogate[j].fitted.told = told(models->data, trials);
    }
    return status;
}

/* 1 when outcome j's hyperparameters are those of the first `trials` trials as they stand. */
static int is_fitted(const struct ckg__models *models, const struct ckg__fitted *fitted, int trials)
{
    return fitted->trials == trials && fitted->told == told(models->data, trials);
}

/* An unfitted surrogate: the first start's hyperparameters, no warp. */
static void forget_fits(struct ckg__models *models)
{
    for (int j = 0; j < models->outcomes; j++) {
        struct ckg__surrogate *s = &models->surrogate[j];
        const struct ckg__fit fit = fit_of(models, &s->series, NULL);
        s->fitted = (struct ckg__fitted){0};
        ckg__fit_start(&fit, 0, s->fitted.theta);
    }
}

/*
 * Fits to the trials due, starting from the last anchor before them; anchors that are missing or out of date
 * are fitted first, each from the one before.
 */
static int fit_from_anchors(struct ckg__models *models, int trials)
{
    int status = CKG_OK, current = 1;
    for (int j = 0; j < models->outcomes; j++)
        current &= is_fitted(models, &models->surrogate[j].fitted, trials);
    if (current && trials > 0)
        return CKG_OK;
    forget_fits(models);
    for (int level = 0; !status && level < CKG__ANCHORS && 16L << level < trials; level++) {
        const int at = 16 << level;
        int known = 1;
        for (int j = 0; j < models->outcomes; j++)
            known &= is_fitted(models, &models->surrogate[j].anchor[level], at);
        if (!known)
            status = fit_to(models, at);
        for (int j = 0; !status && j < models->outcomes; j++) {
            struct ckg__surrogate *s = &models->surrogate[j];
            if (known)
                s->fitted = s->anchor[level];
            else
                s->anchor[level] = s->fitted;
        }
    }
    return status ? status : fit_to(models, trials);
}

/* Fits to all trials from the optimum of the leading models. */
static int fit_from_lead(struct ckg__models *models, int trials)
{
    forget_fits(models);
    for (int j = 0; j < models->outcomes; j++) {
        const struct ckg__fitted *from = &models->lead->surrogate[j].fitted;
        if (from->told)
            models->surrogate[j].fitted = *from;
        models->surrogate[j].fitted.warp = 0;
    }
    return fit_to(models, trials);
}

/* --- sampling: a task per (outcome, chain) --- */

struct chains {
    struct ckg__models *models;
    int status[CKG__MAX_OUTCOMES * CKG__CHAINS], outcome[CKG__MAX_OUTCOMES * CKG__CHAINS];
    int count, dim;
    double *samples; /* outcomes × CKG__MAX_SAMPLES × dim */
};

static int wants_samples(const struct ckg__models *models, int j)
{
    const struct ckg__surrogate *s = &models->surrogate[j];
    const int noisy = s->series.estimated || s->series.typical_known > 0;
    if (j == models->data->problem->outcomes || s->series.n < 2 || s->series.n > SAMPLE_ROWS)
        return 0;
    return models->method == CKG__FIT_SAMPLE || (models->method == CKG__FIT_AUTO && noisy);
}

static void chain_task(void *context, int index, int worker)
{
    struct chains *chains = context;
    struct ckg__models *models = chains->models;
    const int j = chains->outcome[index], chain = index % CKG__CHAINS;
    const struct ckg__surrogate *s = &models->surrogate[j];
    struct ckg__fit fit = fit_of(models, &s->series, models->X[j]);
    struct ckg__team team;
    share(models, worker, &team, &fit);
    const int first = chain * models->samples / CKG__CHAINS,
              last = (chain + 1) * models->samples / CKG__CHAINS;
    struct ckg__rng rng;
    ckg__rng_seed(&rng, models->seed, (uint64_t)told(models->data, models->data->trials),
                  100 + (uint64_t)(j * CKG__CHAINS + chain));
    double theta[CKG_MAX_PARAMETERS + 2];
    memcpy(theta, s->fitted.theta, sizeof theta);
    chains->status[index] = ckg__fit_sample(&fit, &rng, BURN, last - first, THIN, theta,
                                            chains->samples + ((size_t)j * CKG__MAX_SAMPLES + (size_t)first) *
                                                                  (size_t)chains->dim,
                                            &models->arena[worker]);
}

static int sample_all(struct ckg__models *models, struct chains *chains)
{
    chains->models = models;
    chains->count = 0;
    chains->dim = models->data->problem->d + 2;
    chains->samples = ckg__arena_doubles(&models->own,
                                         (size_t)models->outcomes * CKG__MAX_SAMPLES * (size_t)chains->dim);
    if (!chains->samples)
        return CKG_ERR_NOMEM;
    models->beliefs = 1;
    for (int j = 0; j < models->outcomes; j++) {
        struct ckg__surrogate *s = &models->surrogate[j];
        s->samples = wants_samples(models, j) ? models->samples : 1;
        models->beliefs = s->samples > models->beliefs ? s->samples : models->beliefs;
        for (int c = 0; s->samples > 1 && c < CKG__CHAINS; c++)
            chains->outcome[chains->count++] = j;
        if (s->samples == 1)
            memcpy(chains->samples + (size_t)j * CKG__MAX_SAMPLES * (size_t)chains->dim, s->fitted.theta,
                   (size_t)chains->dim * sizeof(double));
    }
    return run(models, chains->count, chain_task, chains, chains->status);
}

/* --- conditioning: a task per (outcome, sample) --- */

struct factors {
    struct ckg__models *models;
    const struct chains *chains;
    int *status, *outcome, *sample, count;
};

static void factor_task(void *context, int index, int worker)
{
    struct factors *f = context;
    struct ckg__models *models = f->models;
    const int j = f->outcome[index], sample = f->sample[index];
    struct ckg__surrogate *s = &models->surrogate[j];
    struct ckg__fit fit = fit_of(models, &s->series, models->X[j]);
    struct ckg__team team;
    share(models, worker, &team, &fit);
    f->status[index] = ckg__gp_set(&s->gp[sample], &fit.inputs,
                                   f->chains->samples + ((size_t)j * CKG__MAX_SAMPLES + (size_t)sample) *
                                                            (size_t)f->chains->dim,
                                   &models->arena[worker]);
}

static int reserve(struct ckg__models *models, int spare)
{
    for (int j = 0; j < models->outcomes; j++) {
        struct ckg__surrogate *s = &models->surrogate[j];
        if (s->room < s->samples) {
            void *grown = ckg__alloc_resize(s->gp, (size_t)s->room * sizeof *s->gp, (size_t)s->samples,
                                            sizeof *s->gp);
            if (!grown)
                return CKG_ERR_NOMEM;
            s->gp = grown;
            memset(s->gp + s->room, 0, (size_t)(s->samples - s->room) * sizeof *s->gp);
            s->room = s->samples;
        }
        const int need = s->series.n + spare;
        for (int i = 0; i < s->samples; i++)
            /* grow by an eighth, so that a growing study seldom allocates */
            if ((s->gp[i].capacity < need || !s->gp[i].L) &&
                ckg__gp_reserve(&s->gp[i], models->data->problem->D, need + need / 8 + 8))
                return CKG_ERR_NOMEM;
    }
    return CKG_OK;
}

static int factor_all(struct ckg__models *models, const struct chains *chains)
{
    const size_t most = CKG__MAX_OUTCOMES * CKG__MAX_SAMPLES;
    struct factors f = {models,
                        chains,
                        ckg__arena_ints(&models->own, most),
                        ckg__arena_ints(&models->own, most),
                        ckg__arena_ints(&models->own, most),
                        0};
    if (!f.status || !f.outcome || !f.sample)
        return CKG_ERR_NOMEM;
    for (int j = 0; j < models->outcomes; j++)
        for (int i = 0; i < models->surrogate[j].samples; i++) {
            f.outcome[f.count] = j;
            f.sample[f.count++] = i;
        }
    return run(models, f.count, factor_task, &f, f.status);
}

/* --- beliefs --- */

static void believe(struct ckg__models *models)
{
    const struct ckg_problem *problem = models->data->problem;
    for (int b = 0; b < models->beliefs; b++) {
        struct ckg__belief *belief = &models->belief[b];
        belief->outcomes = models->outcomes;
        for (int j = 0; j < models->outcomes; j++) {
            struct ckg__surrogate *s = &models->surrogate[j];
            const int latent = j == problem->outcomes;
            const double min = latent ? 0 : problem->outcome[j].min,
                         max = latent ? INFINITY : problem->outcome[j].max;
            belief->gp[j] = &s->gp[s->samples > 1 ? b : 0];
            belief->lower[j] = isinf(min) ? min : ckg__scaling_apply(&s->scaling, min);
            belief->upper[j] = isinf(max) ? max : ckg__scaling_apply(&s->scaling, max);
        }
        const struct ckg__scaling *scaling = &models->surrogate[0].scaling;
        if (!isnan(models->fixed_penalty)) /* given, so not rounded */
            belief->penalty = (ckg__scaling_warp(scaling, models->fixed_penalty) - scaling->centre) /
                              scaling->scale;
    }
}

/* 1 when every process can take `spare` more rows. */
static int has_room(const struct ckg__models *models, int spare)
{
    for (int j = 0; j < models->outcomes; j++)
        for (int s = 0; s < models->surrogate[j].samples; s++)
            if (models->surrogate[j].gp[s].capacity < models->surrogate[j].series.n + spare)
                return 0;
    return 1;
}

int ckg__models_update(struct ckg__models *models, uint64_t revision, int spare)
{
    if (models->revision == revision && has_room(models, spare))
        return CKG_OK;
    models->revision = 0;
    const struct ckg__arena_mark start = {NULL, 0};
    ckg__arena_release(&models->own, start);
    models->outcomes = models->data->problem->outcomes + (models->failures && any_failed(models->data));
    int status = lay_out_all(models, 0);
    if (!status && models->lead)
        status = fit_from_lead(models, trials_that_count(models->data));
    else if (!status)
        status = fit_from_anchors(models, fit_point(trials_that_count(models->data)));
    if (!status)
        status = lay_out_all(models, models->data->trials);
    struct chains *chains = status ? NULL : ckg__arena_get(&models->own, 1, sizeof *chains);
    if (!status)
        status = chains ? sample_all(models, chains) : CKG_ERR_NOMEM;
    if (!status)
        status = reserve(models, spare);
    if (!status)
        status = factor_all(models, chains);
    if (status)
        return status;
    believe(models);
    models->revision = revision;
    return CKG_OK;
}

/* --- pending designs --- */

int ckg__models_condition(struct ckg__models *models, int certain)
{
    const struct ckg__data *data = models->data;
    const size_t D = (size_t)data->problem->D;
    for (int t = 0; t < data->trials; t++) {
        if (data->trial[t].state != CKG_PENDING)
            continue;
        const double *u = data->u + (size_t)data->trial[t].design * D;
        for (int j = 0; j < models->outcomes; j++)
            for (int s = 0; s < models->surrogate[j].samples; s++) {
                struct ckg__gp *gp = &models->surrogate[j].gp[s];
                struct ckg__arena_mark mark = ckg__arena_mark(&models->arena[0]);
                struct ckg__view view;
                int status = ckg__view_make(&view, gp, 1, u, 1, &models->arena[0]);
                if (!status)
                    status = ckg__gp_append(gp, u, view.mean[0],
                                            certain ? 0 : gp->future - gp->s2 * gp->nugget);
                ckg__arena_release(&models->arena[0], mark);
                if (status)
                    return status;
            }
    }
    return CKG_OK;
}

void ckg__models_release(struct ckg__models *models)
{
    for (int j = 0; j < models->outcomes; j++)
        for (int s = 0; s < models->surrogate[j].samples; s++)
            ckg__gp_truncate(&models->surrogate[j].gp[s], models->surrogate[j].series.n);
}

int ckg__models_noisy(const struct ckg__models *models)
{
    for (int j = 0; j < models->data->problem->outcomes; j++)
        if (models->surrogate[j].series.estimated || models->surrogate[j].series.typical_known > 0)
            return 1;
    return 0;
}

/*
 * When models are refitted, to which trials, and from where.
 *
 * Models follow from the trials alone, not from when they were asked for. So a fit starts from an anchor: the
 * fit to the first 16, 32, 64, … trials, each begun at the one before. A missing or outdated anchor is fitted
 * first. Up to CKG__REFIT_ALWAYS trials every result leads to a new fit; beyond, one in every 2 %, and
 * between them the old hyperparameters are conditioned on the new data. Anchors end where a process no longer
 * sees every design (select.c).
 */
#include <assert.h>
#include <math.h>

#include "base/alloc.h"
#include "surrogate/stages.h"

/* Kernels are chosen at every fit up to so many trials, an anchor. */
enum { FIRST_ANCHOR = 16, SMOOTHED_ALWAYS = 64 };

/* The trials whose fit serves a study of `trials`. */
static int fit_point(int trials)
{
    int point = trials < CKG__REFIT_ALWAYS ? trials : CKG__REFIT_ALWAYS;
    while (point + point / 50 <= trials && trials > CKG__REFIT_ALWAYS)
        point += point / 50;
    return point;
}

static int is_anchor(int trials)
{
    const int times = trials / FIRST_ANCHOR;
    return trials % FIRST_ANCHOR == 0 && (times & (times - 1)) == 0;
}

/* 1 when the first `trials` trials have more designs than a process sees. */
static int is_crowded(const struct ckg__data *data, int trials)
{
    int last = -1;

    for (int t = 0; trials > CKG__MOST_DESIGNS && t < trials; t++)
        last = data->trial[t].design > last ? data->trial[t].design : last;
    return last >= CKG__MOST_DESIGNS;
}

static int ended(const struct ckg__trial *trial)
{
    return trial->state == CKG_COMPLETE || trial->state == CKG_FAILED;
}

int ckg__told(const struct ckg__data *data, int trials)
{
    int count = 0;

    assert(trials <= data->trials);
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

/* 1 when what is measured of outcome j has that trait. */
static int is_given(const struct ckg__surrogates *models, int j, enum ckg__likelihood_traits trait)
{
    return (ckg__likelihood_given(models->data->problem, j)->traits & (unsigned)trait) != 0;
}

/* Fits all outcomes to the first `trials` trials, from what their surrogates hold now. */
static int fit_to(struct ckg__surrogates *models, int trials)
{
    const int anchor = is_anchor(trials) && !is_crowded(models->data, trials);

    /* The hyperparameters. */
    int status = ckg__lay_out_all(models, trials, CKG__MOST_FITTED);
    if (!status)
        status = ckg__fit_all(models, anchor);

    /* The scales, then kernels and trends on them; in long studies they are chosen at the anchors alone. */
    const int chosen = anchor || trials <= CKG__REFIT_ALWAYS;
    const int smoothed = anchor || trials <= SMOOTHED_ALWAYS;
    for (int j = 0; !status && chosen && models->warp && j < models->outcomes; j++)
        status = is_given(models, j, CKG__UNSCALED) ? CKG_OK : ckg__choose_warp(models, j, trials);
    if (!status && smoothed && models->warp && models->choose_kernel)
        status = ckg__lay_out_all(models, trials, CKG__MOST_FITTED);
    for (int j = 0; !status && smoothed && models->choose_kernel && j < models->outcomes; j++)
        status = is_given(models, j, CKG__VAGUE) ? CKG_OK : ckg__choose_kernel(models, j);
    for (int j = 0; !status && smoothed && models->choose_kernel && j < models->outcomes; j++)
        status = ckg__choose_trend(models, j);

    /* What the values are measurements of. */
    if (!status)
        status = ckg__choose_likelihoods(models, trials);

    /* Which data that was. */
    for (int j = 0; !status && j < models->outcomes; j++) {
        if (ckg__surrogates_shared(models, j))
            continue;
        models->surrogate[j].fitted.trials = trials;
        models->surrogate[j].fitted.told = ckg__told(models->data, trials);
    }
    return status;
}

/* 1 when these are the hyperparameters of the first `trials` trials as they stand. */
static int is_fitted(const struct ckg__surrogates *models, const struct ckg__fitted *fitted, int trials)
{
    return fitted && fitted->trials == trials && fitted->told == ckg__told(models->data, trials);
}

/*
 * The kernel that an outcome begins with. Where the data choose, answers, successes and failures keep to the
 * Matérn 5/2: labels say little of smoothness, and no kernel predicts them better than another (log scores at
 * random designs on the three problems of bench/failures, 24 seeds, under an earlier prior of the signal:
 * 0.257, 0.161, 0.511 by the rbf, 0.255, 0.164, 0.513 by this one, 0.263, 0.156, 0.514 by the Matérn 3/2).
 */
static enum ckg__kernel first_kernel(const struct ckg__surrogates *models, int j)
{
    return models->choose_kernel && is_given(models, j, CKG__VAGUE) ? CKG__MATERN52 : models->kernel;
}

/* The scale that an outcome begins with; one that is declared positive keeps to the logarithm. */
static double first_warp(const struct ckg__surrogates *models, int j)
{
    return ckg__is_positive(models->data->problem, j) ? CKG__LOGARITHM : 0;
}

/* Unfitted surrogates: the first start's hyperparameters, the first kernel and scale. */
static void forget_fits(struct ckg__surrogates *models)
{
    for (int j = 0; j < models->outcomes; j++) {
        struct ckg__surrogate *s = &models->surrogate[j];
        ckg__fitted_free(&s->fitted);
        s->fitted = (struct ckg__fitted){.kernel = first_kernel(models, j), .warp = first_warp(models, j)};
        const struct ckg__fit fit = ckg__surrogates_fit(models, &s->fitted, &s->series, NULL, 0, NULL);
        ckg__fit_start(&fit, 0, s->fitted.theta);
    }
}

/* The surrogates hold the fit of one anchor afterwards, made anew where it is missing or out of date. */
static int stand_at_anchor(struct ckg__surrogates *models, int level)
{
    const int at = FIRST_ANCHOR << level;
    int known = 1;
    int status = CKG_OK;

    for (int j = 0; j < models->outcomes; j++)
        known &= ckg__surrogates_shared(models, j) ||
                 is_fitted(models, models->surrogate[j].anchor[level], at);
    if (!known)
        status = fit_to(models, at);
    for (int j = 0; !status && j < models->outcomes; j++) {
        struct ckg__surrogate *s = &models->surrogate[j];
        if (!known && !s->anchor[level])
            s->anchor[level] = ckg__alloc_zero(1, sizeof *s->anchor[level]);
        if (known && s->anchor[level])
            status = ckg__fitted_copy(&s->fitted, s->anchor[level]);
        else if (!known)
            status = s->anchor[level] ? ckg__fitted_copy(s->anchor[level], &s->fitted) : CKG_ERR_NOMEM;
    }
    return status;
}

/* Fits to the first `trials` trials from the last anchor before them. */
static int fit_from_anchors(struct ckg__surrogates *models, int trials)
{
    int status = CKG_OK;
    int current = trials > 0;

    for (int j = 0; j < models->outcomes; j++)
        current &= ckg__surrogates_shared(models, j) ||
                   is_fitted(models, &models->surrogate[j].fitted, trials);
    if (current)
        return CKG_OK;
    forget_fits(models);
    for (int level = 0; !status && level < CKG__ANCHORS && (long)FIRST_ANCHOR << level < trials; level++)
        if (!is_crowded(models->data, FIRST_ANCHOR << level))
            status = stand_at_anchor(models, level);
    return status ? status : fit_to(models, trials);
}

/* Fits to all trials from the optimum of the leading models. */
static int fit_from_lead(struct ckg__surrogates *models, int trials)
{
    forget_fits(models);
    for (int j = 0; j < models->outcomes; j++) {
        const struct ckg__fitted *from = &models->lead->surrogate[j].fitted;
        struct ckg__fitted *fitted = &models->surrogate[j].fitted;
        if (from->told)
            *fitted = *from;
        for (int i = 0; from->told && models->lead_sides && i < models->data->problem->d; i++)
            fitted->theta[i] -= models->lead_sides[i];
        if (!models->choose_kernel || !from->told)
            fitted->kernel = first_kernel(models, j);
        fitted->warp = first_warp(models, j);
        fitted->likelihood = NULL;
        fitted->state = NULL;
        /* values that were transformed are not linear; far values of a linear outcome are what they should be
         */
        fitted->linear &= models->lead_sides != NULL;
        fitted->strict = fitted->linear ? -1 : 0;
    }
    return fit_to(models, trials);
}

int ckg__fit_when_due(struct ckg__surrogates *models)
{
    const int trials = trials_that_count(models->data);
    return models->lead ? fit_from_lead(models, trials) : fit_from_anchors(models, fit_point(trials));
}

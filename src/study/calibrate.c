/*
 * What is stated, where policies search with less. Outcomes without noise are searched through the optimum of
 * their hyperparameters: one process, and fast. But a process under its most probable hyperparameters is
 * surer than the data are, most of all where a search has picked the design (bench/results/reliability.md).
 * So what is predicted, and stated of a recommendation, is under samples of the hyperparameters.
 */
#include "study/study.h"

/* Fewer would leave room between them for a search to find. */
enum { SAMPLES = 16 };

/* Settings that both have; the samples are drawn around what the policies' models have fitted. */
static void follow(ckg_study *s)
{
    s->calibrated.kernel = s->models.kernel;
    s->calibrated.choose_kernel = s->models.choose_kernel;
    s->calibrated.method = s->models.method;
    s->calibrated.samples = s->models.samples > SAMPLES ? s->models.samples : SAMPLES;
    s->calibrated.warp = s->models.warp;
    s->calibrated.vary = s->models.vary;
    s->calibrated.failures = s->models.failures;
    s->calibrated.seed = s->models.seed;
    s->calibrated.source = &s->models;
}

/* 1 when the models know an outcome by the optimum of its hyperparameters alone. */
static int any_exact(const struct ckg__surrogates *models)
{
    for (int j = 0; j < models->data->problem->outcomes; j++) {
        const struct ckg__surrogate *s = &models->surrogate[j];
        if (s->samples == 1 && s->series.n > 1 && !ckg__series_has(&s->series, CKG__VAGUE))
            return 1;
    }
    return 0;
}

int ckg__study_calibrate(ckg_study *s)
{
    /* Samples already, or none wanted. */
    if (s->models.method != CKG__FIT_AUTO || !any_exact(&s->models))
        return CKG_OK;

    follow(s);
    const int status = ckg__surrogates_update(&s->calibrated, s->revision, 0);
    if (!status)
        s->stated = &s->calibrated;
    return status;
}

/*
 * The models of a trust region: Gaussian processes of the transformed outcomes of its trials alone
 * (data/transform.h), beside the study's own models, which go on to predict and recommend. A transform
 * changes with every trial, so the data are laid out anew for every search, and fits start from the optimum
 * of the study's models. The kernel is the Matérn 5/2, as published: a transformed outcome is not as smooth
 * as the outcome.
 */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "study/study.h"

static int regional_new(ckg_study *s)
{
    struct ckg__regional *r = ckg__alloc_zero(1, sizeof *r);
    if (!r)
        return CKG_ERR_NOMEM;
    s->regional = r;
    r->problem = *s->problem;
    r->problem.goal = CKG_MAXIMIZE;
    r->data.problem = &r->problem;
    r->first = -1;
    ckg__arena_init(&r->own);
    const int status = ckg__models_init(&r->models, &r->data, s->pool, s->arena);
    if (status) {
        ckg__study_free_region(s);
        return status;
    }
    r->models.kernel = CKG__MATERN52;
    r->models.method = s->models.method;
    /* one of them is used */
    r->models.samples = s->models.samples < CKG__CHAINS ? s->models.samples : CKG__CHAINS;
    r->models.failures = s->models.failures;
    r->models.fixed_penalty = NAN;
    r->models.seed = s->seed;
    r->models.lead = &s->models;
    return CKG_OK;
}

void ckg__study_free_region(ckg_study *s)
{
    if (!s->regional)
        return;
    ckg__models_free(&s->regional->models);
    ckg__arena_free(&s->regional->own);
    ckg__free(s->regional);
    s->regional = NULL;
}

/*
 * The region's trials with room for other values; what was measured with noise has noise to be estimated, as
 * its scale is another.
 */
static int copy_trials(const ckg_study *s, struct ckg__regional *r)
{
    const int first = r->region.first, trials = s->data.trials - first;
    struct ckg__trial *trial = ckg__arena_get(&r->own, (size_t)trials + 1, sizeof *trial);
    if (!trial)
        return CKG_ERR_NOMEM;
    for (int t = 0; t < trials; t++) {
        trial[t] = s->data.trial[first + t];
        const struct ckg_measurement *from = trial[t].measured;
        trial[t].measured = ckg__arena_get(&r->own, (size_t)trial[t].count + 1, sizeof *from);
        if (!trial[t].measured)
            return CKG_ERR_NOMEM;
        for (int i = 0; i < trial[t].count; i++)
            trial[t].measured[i] = (struct ckg_measurement){
                from[i].outcome, from[i].value, ckg__data_exact(s->problem, &from[i]) ? 0 : CKG_SD_DEFAULT};
    }
    r->data.trials = trials;
    r->data.trial = trial;
    r->data.designs = s->data.designs;
    r->data.x = s->data.x;
    r->data.u = s->data.u;
    return CKG_OK;
}

/* The objective's values become their normal scores, larger being better. */
static int transform_objective(const ckg_study *s, struct ckg__regional *r)
{
    const size_t most = (size_t)r->data.trials + 1;
    double *value = ckg__arena_doubles(&r->own, most), *score = ckg__arena_doubles(&r->own, most);
    if (!value || !score)
        return CKG_ERR_NOMEM;
    for (int pass = 0; pass < 2; pass++) {
        int n = 0;
        for (int t = 0; t < r->data.trials; t++)
            for (int i = 0; i < r->data.trial[t].count; i++) {
                struct ckg_measurement *m = &r->data.trial[t].measured[i];
                if (m->outcome != 0)
                    continue;
                if (pass)
                    m->value = score[n];
                else
                    value[n] = s->problem->goal == CKG_MINIMIZE ? -m->value : m->value;
                n++;
            }
        if (!pass && ckg__copula(n, value, &r->own, score))
            return CKG_ERR_NOMEM;
    }
    return CKG_OK;
}

static void transform_constraints(const ckg_study *s, struct ckg__regional *r)
{
    for (int j = 0; j < s->problem->outcomes; j++) {
        const double min = s->problem->outcome[j].min, max = s->problem->outcome[j].max;
        r->problem.outcome[j].noise = CKG_NOISE_AUTO;
        r->problem.outcome[j].min = j && isfinite(min) ? ckg__bilog_apply(&r->region.bilog[j], min) : min;
        r->problem.outcome[j].max = j && isfinite(max) ? ckg__bilog_apply(&r->region.bilog[j], max) : max;
    }
    for (int t = 0; t < r->data.trials; t++)
        for (int i = 0; i < r->data.trial[t].count; i++) {
            struct ckg_measurement *m = &r->data.trial[t].measured[i];
            if (m->outcome)
                m->value = ckg__bilog_apply(&r->region.bilog[m->outcome], m->value);
        }
}

static int lay_out(ckg_study *s, const struct ckg__search *search)
{
    const struct ckg__arena_mark start = {NULL, 0};
    struct ckg__regional *r = s->regional;
    struct ckg__region_rule rule;
    ckg__arena_release(&r->own, start);
    ckg__region_rule(&rule, s->problem->d, s->initial,
                     s->initial ? s->initial : ckg__study_standard_initial(s->problem),
                     search->setting + CKG__REGION_SETTINGS);
    int status = ckg__region_replay(&s->data, &rule, &r->own, &r->region);
    if (!status)
        status = copy_trials(s, r);
    if (!status)
        status = transform_objective(s, r);
    if (!status)
        transform_constraints(s, r);
    return status;
}

int ckg__study_update_region(ckg_study *s, struct ckg__search *search)
{
    int status = s->regional ? CKG_OK : regional_new(s), pending = 0;
    if (!status)
        status = lay_out(s, search);
    if (status)
        return status;
    struct ckg__regional *r = s->regional;
    for (int t = 0; t < r->data.trials; t++)
        pending += r->data.trial[t].state == CKG_PENDING;
    if (r->first != r->region.first) /* another rule may have another region */
        r->models.revision = 0;
    r->first = r->region.first;
    search->region = &r->region;
    if (r->region.scouting)
        return CKG_OK;
    status = ckg__models_update(&r->models, s->revision, pending);
    return status ? status : ckg__models_condition(&r->models, 0);
}

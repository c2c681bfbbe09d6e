/*
 * The models of a trust region: Gaussian processes of the transformed outcomes of its trials alone
 * (search/transform.h), beside the study's own models, which go on to predict and recommend. A transform
 * changes with every trial, so the data are laid out anew for every search, and fits start from the optimum
 * of the study's models. The kernel is the Matérn 5/2, as published: a transformed outcome is not as smooth
 * as the outcome.
 */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "policy/regional.h"

static int regional_new(const struct ckg__search *search, struct ckg__regional **out)
{
    const struct ckg__models *study = search->scope->models;
    struct ckg__regional *r = ckg__alloc_zero(1, sizeof *r);

    if (!r)
        return CKG_ERR_NOMEM;

    /* Data of its own, on a problem that differs in the outcomes. */
    r->problem = *search->scope->problem;
    r->problem.goal = CKG_MAXIMIZE;
    r->data.problem = &r->problem;
    r->first = -1;
    ckg__arena_init(&r->own);
    const int status = ckg__models_init(&r->models, &r->data, search->pool, search->arena);
    if (status) {
        ckg__regional_free(r);
        return status;
    }

    /* Models that are fitted like the study's. */
    r->models.kernel = CKG__MATERN52;
    r->models.method = study->method;
    /* one of them is used */
    r->models.samples = study->samples < CKG__CHAINS ? study->samples : CKG__CHAINS;
    r->models.failures = study->failures;
    r->models.seed = search->seed;
    *out = r;
    return CKG_OK;
}

void ckg__regional_free(struct ckg__regional *r)
{
    if (!r)
        return;
    ckg__models_free(&r->models);
    ckg__arena_free(&r->own);
    ckg__free(r);
}

/*
 * The region's trials with room for other values; what was measured with noise has noise to be estimated, as
 * its scale is another.
 */
static int copy_trials(const struct ckg__data *data, struct ckg__regional *r)
{
    const int first = r->region.first;
    const int trials = data->trials - first;
    struct ckg__trial *trial = ckg__arena_get(&r->own, (size_t)trials + 1, sizeof *trial);

    r->data.newest = ckg__arena_ints(&r->own, (size_t)data->designs + 1);
    r->data.trial = trial;
    if (!trial || !r->data.newest)
        return CKG_ERR_NOMEM;
    for (int i = 0; i < data->designs; i++)
        r->data.newest[i] = -1;
    for (int t = 0; t < trials; t++) {
        trial[t] = data->trial[first + t];
        ckg__data_chain(&r->data, t);
        const struct ckg_measurement *from = trial[t].measured;
        trial[t].measured = ckg__arena_get(&r->own, (size_t)trial[t].count + 1, sizeof *from);
        if (!trial[t].measured)
            return CKG_ERR_NOMEM;
        for (int i = 0; i < trial[t].count; i++)
            trial[t].measured[i] = (struct ckg_measurement){
                from[i].outcome, from[i].value, ckg__data_exact(data, &from[i]) ? 0 : CKG_SD_DEFAULT};
    }
    r->data.trials = trials;
    r->data.designs = data->designs;
    r->data.x = data->x;
    r->data.u = data->u;
    r->data.slot = data->slot;
    r->data.slots = data->slots;
    return CKG_OK;
}

/* The objective's values become their normal scores, larger being better. */
static int transform_objective(const struct ckg__data *data, struct ckg__regional *r)
{
    const size_t most = (size_t)r->data.trials + 1;
    double *value = ckg__arena_doubles(&r->own, most);
    double *score = ckg__arena_doubles(&r->own, most);

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
                    value[n] = data->problem->goal == CKG_MINIMIZE ? -m->value : m->value;
                n++;
            }
        if (!pass && ckg__copula(n, value, &r->own, score))
            return CKG_ERR_NOMEM;
    }
    return CKG_OK;
}

/* An answer is one already. */
static double transform(const struct ckg__regional *r, int j, double value)
{
    return ckg__is_answer(&r->problem, j) ? value : ckg__bilog_apply(&r->region.bilog[j], value);
}

static void transform_constraints(const struct ckg__data *data, struct ckg__regional *r)
{
    for (int j = 0; j < data->problem->outcomes; j++) {
        const double min = data->problem->outcome[j].min;
        const double max = data->problem->outcome[j].max;
        r->problem.outcome[j].noise = CKG_NOISE_AUTO;
        r->problem.outcome[j].min = j && isfinite(min) ? transform(r, j, min) : min;
        r->problem.outcome[j].max = j && isfinite(max) ? transform(r, j, max) : max;
    }
    for (int t = 0; t < r->data.trials; t++)
        for (int i = 0; i < r->data.trial[t].count; i++) {
            struct ckg_measurement *m = &r->data.trial[t].measured[i];
            if (m->outcome)
                m->value = transform(r, m->outcome, m->value);
        }
}

/* The region as the trials have made it, and its trials' outcomes transformed. */
static int lay_out(const struct ckg__search *search, const struct ckg__region_rule *rule,
                   struct ckg__regional *r)
{
    const struct ckg__arena_mark start = {NULL, 0};

    ckg__arena_release(&r->own, start);
    int status = ckg__region_replay(search->scope->data, rule, &r->own, &r->region);
    if (!status)
        status = copy_trials(search->scope->data, r);
    if (!status)
        status = transform_objective(search->scope->data, r);
    if (!status)
        transform_constraints(search->scope->data, r);
    return status;
}

int ckg__regional_update(const struct ckg__search *search, const struct ckg__region_rule *rule,
                         struct ckg__regional **regional)
{
    int status = *regional ? CKG_OK : regional_new(search, regional);
    int pending = 0;

    if (!status)
        status = lay_out(search, rule, *regional);
    if (status)
        return status;

    /* Another rule may have another region. */
    struct ckg__regional *r = *regional;
    if (r->first != r->region.first)
        r->models.revision = 0;
    r->first = r->region.first;
    if (r->region.scouting)
        return CKG_OK;

    /* The models, and what is under way. */
    for (int t = 0; t < r->data.trials; t++)
        pending += r->data.trial[t].state == CKG_PENDING;
    r->models.lead = search->scope->models;
    r->scope = *search->scope;
    r->scope.outer = search->scope;
    r->scope.models = &r->models;
    status = ckg__models_update(&r->models, search->revision, pending);
    return status ? status : ckg__models_condition(&r->models, 0);
}

void ckg__regional_release(struct ckg__regional *r)
{
    if (r && r->models.revision)
        ckg__models_release(&r->models);
}

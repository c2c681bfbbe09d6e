/* The data and models of a region, kept between searches (regional.h). */
#include "search/regional.h"

#include "base/alloc.h"

int ckg__regional_keep(const struct ckg__search *search, size_t size)
{
    const struct ckg__surrogates *study = search->scope->models;
    struct ckg__regional *r = *search->kept;

    if (r)
        return CKG_OK;
    r = ckg__alloc_zero(1, size);
    if (!r)
        return CKG_ERR_NOMEM;
    r->problem = *search->scope->problem;
    r->data.problem = &r->problem;
    ckg__arena_init(&r->own);
    if (ckg__surrogates_init(&r->models, &r->data, search->pool, search->arena)) {
        ckg__regional_free(r);
        return CKG_ERR_NOMEM;
    }
    r->models.kernel = study->kernel;
    r->models.choose_kernel = study->choose_kernel;
    r->models.method = study->method;
    r->models.samples = study->samples;
    r->models.warp = study->warp;
    r->models.failures = study->failures;
    r->models.seed = study->seed;
    *search->kept = r;
    return CKG_OK;
}

void ckg__regional_free(void *kept)
{
    struct ckg__regional *r = kept;

    ckg__surrogates_free(&r->models);
    ckg__arena_free(&r->own);
    ckg__free(r);
}

void ckg__regional_release(void *kept)
{
    struct ckg__regional *r = kept;

    if (r->models.revision)
        ckg__surrogates_release(&r->models);
}

int ckg__regional_replay(const struct ckg__search *search, const struct ckg__region_rule *rule,
                         struct ckg__regional *r)
{
    const struct ckg__arena_mark start = {NULL, 0};

    ckg__arena_release(&r->own, start);
    return ckg__region_replay(search->scope->data, rule, &r->own, &r->region);
}

int ckg__regional_begin(const struct ckg__data *study, struct ckg__regional *r)
{
    struct ckg__data *data = &r->data;

    data->trials = 0;
    data->designs = study->designs;
    data->x = study->x;
    data->u = study->u;
    data->slot = study->slot;
    data->slots = study->slots;
    if (CKG__TAKE(&r->own, CKG__ROOM(data->trial, study->trials + 1),
                  CKG__ROOM(data->newest, study->designs + 1)))
        return CKG_ERR_NOMEM;
    for (int i = 0; i < study->designs; i++)
        data->newest[i] = -1;
    return CKG_OK;
}

struct ckg__trial *ckg__regional_add(const struct ckg__trial *trial, struct ckg__regional *r)
{
    const int t = r->data.trials++;

    r->data.trial[t] = *trial;
    ckg__data_chain(&r->data, t);
    return &r->data.trial[t];
}

int ckg__regional_update(const struct ckg__search *search, struct ckg__regional *r)
{
    int pending = 0;

    for (int t = 0; t < r->data.trials; t++)
        pending += r->data.trial[t].state == CKG_PENDING;
    r->models.lead = search->scope->models;
    const int status = ckg__surrogates_update(&r->models, search->revision, pending);
    return status ? status : ckg__surrogates_condition(&r->models, 0);
}

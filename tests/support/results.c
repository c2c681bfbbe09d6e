#include "support/results.h"

#include <string.h>

#include "support/test.h"

void result_put(struct result *r, int count, const double *numbers)
{
    assert_true(r->count + count <= RESULT_NUMBERS);
    memcpy(r->number + r->count, numbers, (size_t)count * sizeof *numbers);
    r->count += count;
}

int result_ask(ckg_study *study, struct result *r)
{
    ckg_suggestion *a = (ckg_suggestion *)(void *)study;
    const int status = ckg_study_ask(study, &a);

    if (status) {
        assert_null(a);
        return status;
    }
    result_put(r, a->dimension, a->x);
    result_put(r, 1 + a->constraints, a->mean);
    result_put(r, 1 + a->constraints, a->sd);
    result_put(r, 1, &a->value);
    result_put(r, 1, &(double){a->trial});
    result_put(r, 1, &(double){!strcmp(a->path, "explore")});
    ckg_suggestion_free(a);
    return CKG_OK;
}

int result_recommend(ckg_study *study, int rule, struct result *r)
{
    ckg_recommend_options o = CKG_RECOMMEND_OPTIONS_INIT;
    ckg_recommendation *a = (ckg_recommendation *)(void *)study;

    o.rule = rule;
    const int status = ckg_study_recommend(study, &o, &a);
    if (status) {
        assert_null(a);
        return status;
    }
    result_put(r, a->dimension, a->x);
    result_put(r, 1 + a->constraints, a->mean);
    result_put(r, 1, &a->utility);
    result_put(r, 1, &a->penalty);
    ckg_recommendation_free(a);
    return CKG_OK;
}

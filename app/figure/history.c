/*
 * The trials told again, one by one, to an engine of their own. Models follow from the trials alone, so that
 * engine recommends after n trials what the study's did. A fit costs n³: in a long study fewer points are
 * shown.
 */
#include "figure/history.h"

#include <assert.h>
#include <math.h>

/* How many recommendations can be afforded. */
static int affordable(int ended)
{
    return ended <= 60 ? ended : ended <= 150 ? APP_MAX_HISTORY : ended <= 400 ? 30 : 12;
}

static int note(struct app_history *out, const struct app_show *s, ckg_study *engine, int evaluations)
{
    ckg_recommendation *r;
    const int status = ckg_study_recommend(engine, NULL, &r);

    if (status == CKG_ERR_STATE) /* no objective yet: nothing to recommend, and no fault */
        return CKG_OK;
    if (status)
        return app_notebook_fail(s->notebook, status);

    assert(out->count < APP_MAX_HISTORY);
    out->evaluations[out->count] = evaluations;
    out->mean[out->count] = r->mean[0];
    out->sd[out->count] = r->sd[0];
    out->probability[out->count++] = r->probability_feasible;
    ckg_recommendation_free(r);
    return CKG_OK;
}

int app_history_make(struct app_history *out, const struct app_show *s)
{
    const int points = affordable(s->ended);
    ckg_study *engine = NULL;
    int ended = 0;
    int shown = 0;

    out->count = 0;

    int status = app_notebook_new_engine(s->notebook, &engine);
    for (int i = 0; !status && i < s->notebook->count; i++) {
        const struct app_trial *t = &s->notebook->trials[i];
        status = app_notebook_tell(s->notebook, engine, t);
        if (t->state != APP_COMPLETE && t->state != APP_FAILED_TRIAL)
            continue;

        ended++;
        if (!status && ended >= (int)ceil((double)s->ended * (shown + 1) / points - 1e-9)) {
            status = note(out, s, engine, ended);
            shown++;
        }
    }
    ckg_study_free(engine);
    return status;
}

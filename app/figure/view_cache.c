/* Kept with what is shown, until it is closed. */
#include "figure/view_cache.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

struct app_view_cache {
    int has_history, has_frontier, has_importance;
    struct app_history history;
    struct app_frontier frontier;
    struct app_importance importance;
};

struct app_view_cache *app_view_cache_new(void)
{
    return calloc(1, sizeof(struct app_view_cache));
}

void app_view_cache_free(struct app_view_cache *kept)
{
    if (!kept)
        return;
    app_frontier_free(&kept->frontier);
    app_importance_free(&kept->importance);
    free(kept);
}

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
        return app_study_fail(s->record, status);

    assert(out->count < APP_MAX_HISTORY);
    out->evaluations[out->count] = evaluations;
    out->mean[out->count] = r->mean[0];
    out->sd[out->count] = r->sd[0];
    out->probability[out->count++] = r->probability_feasible;
    ckg_recommendation_free(r);
    return CKG_OK;
}

/*
 * The trials told again, one by one, to an engine of their own. Models follow from the trials alone, so that
 * engine recommends after n trials what the study's did. A fit costs n³: in a long study fewer points are
 * shown.
 */
static int make_history(struct app_history *out, const struct app_show *s)
{
    const int points = affordable(s->ended);
    ckg_study *engine = NULL;
    int ended = 0;
    int shown = 0;

    out->count = 0;

    int status = app_study_new_engine(s->record, &engine);
    for (int i = 0; !status && i < s->record->count; i++) {
        const struct app_trial *t = &s->record->trials[i];
        status = app_study_tell(s->record, engine, t);
        if (!app_trial_ended(t))
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

int app_show_history(const struct app_show *s, const struct app_history **out)
{
    struct app_view_cache *kept = s->kept;
    const int status = kept->has_history ? CKG_OK : make_history(&kept->history, s);

    kept->has_history |= !status;
    *out = &kept->history;
    return status;
}

int app_show_frontier(const struct app_show *s, const struct app_frontier **out)
{
    struct app_view_cache *kept = s->kept;
    const int status = kept->has_frontier ? CKG_OK : app_frontier_find(&kept->frontier, s->record, s->engine);

    kept->has_frontier |= !status;
    *out = &kept->frontier;
    return status;
}

int app_show_importance(const struct app_show *s, const struct app_importance **out)
{
    struct app_view_cache *kept = s->kept;
    const int status = kept->has_importance ? CKG_OK
                                            : app_importance_find(&kept->importance, s->record, s->engine,
                                                                  s->outcomes.count, s->outcomes.outcome);

    kept->has_importance |= !status;
    *out = &kept->importance;
    return status;
}

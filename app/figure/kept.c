/* Kept with what is shown, until it is closed. */
#include "figure/kept.h"

#include <stdlib.h>

struct app_show_kept {
    int has_history, has_frontier, has_importance;
    struct app_history history;
    struct app_frontier frontier;
    struct app_importance importance;
};

struct app_show_kept *app_kept_new(void)
{
    return calloc(1, sizeof(struct app_show_kept));
}

void app_kept_free(struct app_show_kept *kept)
{
    if (!kept)
        return;
    app_frontier_free(&kept->frontier);
    app_importance_free(&kept->importance);
    free(kept);
}

int app_show_history(const struct app_show *s, const struct app_history **out)
{
    struct app_show_kept *kept = s->kept;
    const int status = kept->has_history ? CKG_OK : app_history_make(&kept->history, s);

    kept->has_history |= !status;
    *out = &kept->history;
    return status;
}

int app_show_frontier(const struct app_show *s, const struct app_frontier **out)
{
    struct app_show_kept *kept = s->kept;
    const int status = kept->has_frontier ? CKG_OK
                                          : app_frontier_find(&kept->frontier, s->notebook, s->engine);

    kept->has_frontier |= !status;
    *out = &kept->frontier;
    return status;
}

int app_show_importance(const struct app_show *s, const struct app_importance **out)
{
    struct app_show_kept *kept = s->kept;
    const int status = kept->has_importance ? CKG_OK
                                            : app_importance_find(&kept->importance, s->notebook, s->engine,
                                                                  s->outcomes.count, s->outcomes.outcome);

    kept->has_importance |= !status;
    *out = &kept->importance;
    return status;
}

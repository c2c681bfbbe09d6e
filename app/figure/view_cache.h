/* What takes long to find and several figures of a page show: found when it is first asked for. */
#ifndef CKG_APP_VIEW_CACHE_H
#define CKG_APP_VIEW_CACHE_H

#include "actions/effects.h"
#include "actions/frontier.h"
#include "figure/view.h"

/* What would have been recommended after some evaluations. */
enum { APP_MAX_HISTORY = 60 };

struct app_history {
    int count;
    int evaluations[APP_MAX_HISTORY];
    double mean[APP_MAX_HISTORY], sd[APP_MAX_HISTORY], probability[APP_MAX_HISTORY];
};

/* At most APP_MAX_HISTORY points, fewer in a long study; the last one is the present. */
int app_show_history(const struct app_show *show, const struct app_history **out);
int app_show_frontier(const struct app_show *show, const struct app_frontier **out);

/* Of the outcomes that are shown. */
int app_show_importance(const struct app_show *show, const struct app_importance **out);

struct app_view_cache *app_view_cache_new(void);
void app_view_cache_free(struct app_view_cache *kept);

#endif

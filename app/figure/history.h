/* What would have been recommended after each evaluation. */
#ifndef CKG_APP_HISTORY_H
#define CKG_APP_HISTORY_H

#include "figure/view.h"

enum { APP_MAX_HISTORY = 60 };

struct app_history {
    int count;
    int evaluations[APP_MAX_HISTORY];
    double mean[APP_MAX_HISTORY], sd[APP_MAX_HISTORY], probability[APP_MAX_HISTORY];
};

/* At most APP_MAX_HISTORY points, fewer in a long study; the last one is the present. */
int app_history_make(struct app_history *out, const struct app_show *show);

#endif

/* What would have been recommended after each evaluation. */
#ifndef CKG_APP_REPLAY_H
#define CKG_APP_REPLAY_H

#include "show/show.h"

enum { APP_MAX_REPLAY = 60 };

struct app_replay {
    int count;
    int evaluations[APP_MAX_REPLAY];
    double mean[APP_MAX_REPLAY], sd[APP_MAX_REPLAY], probability[APP_MAX_REPLAY];
};

/* At most APP_MAX_REPLAY points, fewer in a long study; the last one is the present. */
int app_replay_make(struct app_replay *out, const struct app_show *show);

#endif

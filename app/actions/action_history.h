/* All that people ever said of a trial. */
#ifndef CKG_APP_ACTION_HISTORY_H
#define CKG_APP_ACTION_HISTORY_H

#include "base/pool.h"
#include "study/record.h"

/* The trial as a change found it and left it, and as undoing the change put it aside. */
enum app_side { APP_BEFORE, APP_AFTER, APP_PUT_ASIDE, APP_SIDES };

/* A change that touched the trial. Of a side only state, parameters, outcomes, why and notes are known. */
struct app_touched {
    struct app_change change;
    const struct app_trial *side[APP_SIDES]; /* NULL: there is none */
};

struct app_trial_history {
    int count;
    struct app_touched *touched; /* (count) in their order */
    struct app_pool pool;
};

/* To be freed whatever came of it. */
int app_trial_history_find(struct app_study *record, int trial, struct app_trial_history *out);
void app_trial_history_free(struct app_trial_history *history);

#endif

/* A design of the user's own, for a run to evaluate. */
#ifndef CKG_APP_ACTION_QUEUE_H
#define CKG_APP_ACTION_QUEUE_H

#include "study/record.h"

/* A design of the user's own that was queued. */
struct app_queued {
    int number;      /* of its trial */
    const char *why; /* as app_study_known says of before, with that trial */
    int known;
};

/*
 * Queues the design for a run, as a change that can be undone; `command` as it was typed. CKG_ERR_INVALID: it
 * cannot be made as it is; CKG_ERR_STATE: the budget has no room for it.
 */
int app_study_queue(struct app_study *record, const double *x, const char *command, struct app_queued *out);

/* Why another evaluation of x would only repeat that trial, as the rest of a sentence; NULL: it would not. */
const char *app_study_known(const struct app_study *record, const double *x, int *trial);

#endif

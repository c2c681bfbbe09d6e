/* All that people ever said of a trial. */
#ifndef CKG_APP_ACTION_HISTORY_H
#define CKG_APP_ACTION_HISTORY_H

#include "study/record.h"

/*
 * Adds a few lines for each change that touched the trial; with `json` the list of objects that goes into an
 * object that is open.
 */
int app_history_write(struct app_study *record, int trial, int json, struct app_text *out);

#endif

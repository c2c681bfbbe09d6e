/* Answers of the spool, brought into the store. */
#ifndef CKG_APP_DELIVER_H
#define CKG_APP_DELIVER_H

#include "run/run_steps.h"

/*
 * Brings what waits for this study. An answer is its trial's where that has none yet, and stands in its notes
 * otherwise. Where the trial is another by now, as in a store that was begun anew, the file stays with the
 * ending .unused. Both are said.
 */
int app_deliver(struct app_spool *spool, struct app_steps *steps);

#endif

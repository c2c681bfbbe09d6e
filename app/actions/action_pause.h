/* What people want of whoever evaluates. */
#ifndef CKG_APP_ACTION_PAUSE_H
#define CKG_APP_ACTION_PAUSE_H

#include "study/record.h"

/* Whoever evaluates the study holds back, ends, or goes on. */
int app_study_pause(struct app_study *record, enum app_pause_state paused);

/*
 * The budget from now on, also for runs under way and for those to come, until the problem file gives
 * another. CKG_ERR_INVALID: it is none.
 */
int app_study_set_budget(struct app_study *record, int budget);

#endif

/* Trials as a process that evaluates them has them: `ckg run`, or a program of somebody's own. */
#ifndef CKG_APP_STUDY_WORK_H
#define CKG_APP_STUDY_WORK_H

#include "study/record.h"

/* This process, for app_store_worker_add; `machine` must live as long. */
void app_worker_here(struct app_worker *out, char machine[256]);

/*
 * After a claim: what a lost worker left running is killed before the trial is evaluated again, and the
 * notebook knows that it is ours.
 */
int app_work_inherit(struct app_notebook *notebook, const struct app_worker *worker,
                     const struct app_claim *claim);

/*
 * A new design, as a trial of the worker's, NULL: for whoever is free first, unless there are `budget` trials
 * already; *number 0: there are or, with *taken 0, the turn is another's. CKG_ERR_EXHAUSTED,
 * CKG_ERR_CANCELLED: as ckg_study_ask.
 */
int app_work_choose(struct app_notebook *notebook, const struct app_worker *worker, int budget, int *taken,
                    int *number);

/*
 * The trial was not evaluated to its end, and waits for another run. The store may be what is broken, so
 * nothing is said of it here.
 */
void app_work_hand_back(struct app_notebook *notebook, const struct app_worker *worker, int number);

#endif

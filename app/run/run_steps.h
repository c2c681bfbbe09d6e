/*
 * The steps of a study whose evaluations run here, at places that it may share with others. Whoever makes
 * them reads requests to stop and keeps the worker's heartbeat.
 */
#ifndef CKG_APP_RUN_STEPS_H
#define CKG_APP_RUN_STEPS_H

#include "run/run_study.h"

/* The study, whose record is open, is going to be run, and what dead runs left of it is killed. */
void app_steps_begin(struct app_run_study *study);
/* Everything of it has ended. */
void app_steps_end(struct app_run_study *study);

/* One pass: free places get evaluations, what has ended becomes results, what others did is read. */
void app_steps_go(struct app_run_study *study);

/* Takes leave of every evaluation that has ended. */
void app_steps_reap(struct app_run_study *study);

/*
 * When to look again what others do, INFINITY: there is no need. The longer nothing has changed, the more
 * rarely.
 */
double app_steps_look(const struct app_run_study *study);

/*
 * Seconds between two looks when nothing has changed for so long: a tenth of that, from `least` to `most`,
 * and a little more or less for every worker, so that a thousand that began together do not look together.
 */
double app_outage(const struct app_worker *worker, double quiet, double least, double most);

#endif

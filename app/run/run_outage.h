/*
 * What a run does about failures in a row that look like an outage (actions/outage.h): it pauses. The next
 * run tries one of these trials again before anything else. When that works, the outage is over and the
 * others are evaluated again too. When it fails in the same way, that run ends at once, with nothing spent.
 * When it fails otherwise, its design may be at fault, and the next one is tried.
 */
#ifndef CKG_APP_RUN_OUTAGE_H
#define CKG_APP_RUN_OUTAGE_H

#include "actions/outage.h"

struct app_run_outage {
    int paused;               /* nothing new is to be started */
    int probe;                /* the trial that is tried again, alone; 0: none */
    struct app_outage outage; /* what made the run before pause */
    struct app_message why;   /* its reason, which outage.why does not keep */
};

struct app_run_study;

/* A run begins: where the study was paused, one of its failed trials is pending again. */
int app_run_outage_begin(struct app_run_study *study);

/* Some trials have ended, here or elsewhere: is the study to be paused, or is an outage over? */
int app_run_outage_judge(struct app_run_study *study);

#endif

/*
 * A process that evaluates for a store, as long as it is wanted: trials of every study that it has a problem
 * file for. It takes up what waits, chooses designs where nothing does, and brings answers to the store
 * however long that is away.
 */
#ifndef CKG_APP_WORKER_H
#define CKG_APP_WORKER_H

#include "run/progress.h"
#include "run/evaluators.h"

/* What a worker is to do. */
struct app_worker_orders {
    const char *url; /* of the store */
    const struct app_evaluators *evaluators;
    int study_count; /* 0: all that there is a problem file for */
    const char *const *studies;
    int label_count;
    const char *const *labels; /* (label_count) licence=cfd, … */
    int slots;                 /* evaluations at once; 0: it chooses designs alone, for others */
    int drain;                 /* 1: it chooses nothing, and ends when nothing waits */
    int until_idle;            /* 1: it ends when there is nothing left to do here or elsewhere */
    int begin;                 /* 1: studies that the store does not have are begun */
    double grace;              /* seconds that evaluations have to end when it is terminated */
    const char *spool;         /* the folder where answers wait, NULL: the user's own */
    int threads;
    enum app_progress_kind shown;
    int stop; /* as in struct app_run_host */
};

/* Works until it is asked to stop, or the orders say that it is done. Trouble on the way is said. */
int app_worker_work(const struct app_worker_orders *orders, struct app_message *message);

#endif

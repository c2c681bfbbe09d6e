/*
 * The loop of `ckg run` and of `ckg worker`, from the inside. The steps of its studies share one set of
 * places and one connection to the store. Trouble with a store that is away holds everything back but the
 * evaluations that run: their answers go into the spool, and the store is tried again until it is there.
 */
#ifndef CKG_APP_RUNNER_H
#define CKG_APP_RUNNER_H

#include "run/run_steps.h"

struct app_runner {
    const struct app_runner_options *options;
    const char *url; /* of the store */
    struct app_store *store;
    struct app_slots slots;
    struct app_run_self self;
    struct app_text about; /* what others are told of us */
    int count;
    struct app_run_study *studies; /* (count) */
    int first_study;               /* whose turn it is to begin a round */
    double beaten, drawn;
    double search;  /* when to look for studies again, INFINITY: never */
    double changed; /* when something last happened */
    double again,
        wait;    /* when a store that is away is tried again, INFINITY: it is there; how long after that */
    double lost; /* since when it is away, 0: it is not */
};

/* From here on calls wait no longer for the store than the evaluations can. */
void app_runner_be_brief(struct app_runner *runner);

/* How long to wait with the next look at what changes rarely. */
double app_runner_pause(const struct app_runner *runner, double least);

/* Nothing of the study runs any longer, and it is given up. */
void app_runner_close(struct app_run_study *study);

/* --- what it runs (worker.c) --- */

/* The store, the process as its worker, and the studies that are there; app_runner_end gives all of it back.
 */
int app_runner_begin(struct app_runner *runner, struct app_message *message);
void app_runner_end(struct app_runner *runner);

/* Opens studies that have appeared, closes those that have changed, and sets `search`. */
void app_runner_look(struct app_runner *runner);

/* --- the store (reconnect.c) --- */

/* The first and the longest wait for a store that is away. */
enum { APP_LONGEST_WAIT = 10 };
static const double app_first_wait = 0.25;

/* Brings answers of before into the store; trouble is that of the store. */
void app_runner_deliver(struct app_runner *runner);

/* Connects anew, and goes on where it stopped. */
void app_runner_reconnect(struct app_runner *runner);

#endif

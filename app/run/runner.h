/*
 * The loop of `ckg run` and of `ckg worker`. The steps of its studies share one set of places and one
 * connection to the store. Trouble with a store that is away holds everything back but the evaluations that
 * run: their answers go into the spool, and the store is tried again until it is there.
 */
#ifndef CKG_APP_RUNNER_H
#define CKG_APP_RUNNER_H

#include "run/run_steps.h"

struct app_evaluator;
struct app_worker_orders;

/* A study that is worked for. */
struct app_runner_study {
    const char *name;
    struct app_notebook *n;                /* while it is open */
    const struct app_evaluator *evaluator; /* of a worker */
    struct app_notebook notebook;          /* where the caller has none */
    struct app_message message;            /* that notebook's */
    struct app_message said;               /* the last that was said of it, "": nothing */
    struct app_steps steps;
    int open;
    int leaving; /* it is closed when nothing of it runs any longer */
    int unfit;   /* it needs what we have not */
    int paused;  /* it was said that evaluations fail */
};

/* The caller sets what stands first; the rest begins with zeroes, `again` and `search` with INFINITY. */
struct app_runner {
    const char *url; /* of the store */
    enum app_progress_kind shown;
    int solo;       /* 1: one study is run, shown as that of the process */
    int drain;      /* 1: nothing is chosen, and it ends when nothing waits */
    int until_idle; /* 1: it ends when there is nothing left to do here or elsewhere */
    double grace;   /* seconds that evaluations have to end when it is terminated */
    double unsaid;  /* seconds that a store may be away before that is said */
    /* Opens studies that have appeared, closes those that have changed, and sets `search`. */
    void (*look)(struct app_runner *runner);
    const struct app_worker_orders *orders; /* of a worker */

    struct app_store *store;
    struct app_places places;
    struct app_worker self;
    char machine[256];
    struct app_text about;  /* what others are told of us */
    struct app_spool spool; /* folder NULL: there is none */
    int count;
    struct app_runner_study *studies; /* (count) */
    int turn;                         /* which of them is first */
    double beaten, drawn;
    double search;      /* when to look for studies again */
    double changed;     /* when something last happened */
    double again, wait; /* when a store that is away is tried again, and how long after that */
    double lost;        /* since when it is away, 0: it is not */
};

/* Until it is asked to stop, or is done. */
void app_runner_loop(struct app_runner *runner);

/* From here on calls wait no longer for the store than the evaluations can. */
void app_runner_be_brief(struct app_runner *runner);

/* How long to wait with the next look at what changes rarely. */
double app_runner_pause(const struct app_runner *runner, double least);

/* A line about a study, once. */
void app_runner_say(const struct app_runner *runner, struct app_runner_study *study, const char *text);

/* Nothing of the study runs any longer, and it is given up. */
void app_runner_close(struct app_runner_study *study);

/* Adds how many answers the store has not got, where there are any. */
void app_runner_left(const struct app_runner *runner, struct app_text *out);

/* --- the store (reconnect.c) --- */

/* The first and the longest wait for a store that is away. */
enum { APP_LONGEST_WAIT = 10 };
static const double app_first_wait = 0.25;

/* A heartbeat; who was forgotten, having been silent for long, begins anew. */
int app_runner_beat(struct app_runner *runner, struct app_message *message);

/* Brings answers of before into the store; trouble is that of the store. */
void app_runner_deliver(struct app_runner *runner);

/* Connects anew, and goes on where it stopped. */
void app_runner_reconnect(struct app_runner *runner);

#endif

/*
 * A study that a process evaluates designs of: which trial is next, and what becomes of its result. `ckg
 * run`, `ckg worker` and Python's loop go by these same steps; where evaluations run is in run/run_steps.h.
 */
#ifndef CKG_APP_RUN_STUDY_H
#define CKG_APP_RUN_STUDY_H

#include "actions/action_stop.h"
#include "evaluate/jobs.h"
#include "run/slots.h"
#include "run/run.h"
#include "run/run_outage.h"
#include "run/spool.h"

/* This process as a store knows it, and where its answers wait: folder NULL, nowhere. */
struct app_run_self {
    struct app_worker worker;
    char machine[256];
    struct app_spool spool;
};

/*
 * Makes it known to the store, with self->worker.slots and .about as the caller set them, and finds out who
 * it is; app_run_leave makes it forgotten.
 */
int app_run_enrol(struct app_run_self *self, struct app_store *store, struct app_message *message);
void app_run_leave(struct app_run_self *self, struct app_store *store);

/*
 * Where answers wait while a server is away. A file does not go away, and needs no such place; nor is there
 * one where the user's own folder cannot be written to.
 */
void app_run_open_spool(struct app_run_self *self, const char *url);

/* A heartbeat; who was forgotten, having been silent for long, begins anew. */
int app_run_beat(struct app_run_self *self, struct app_store *store, struct app_message *message);

/* What the process has to do with a study. */
enum app_run_state {
    APP_STUDY_CLOSED,
    APP_STUDY_UNFIT,  /* it needs what we have not */
    APP_STUDY_OPEN,   /* from here on its record is */
    APP_STUDY_LEAVING /* it is closed when nothing of it runs any longer */
};

/* The caller sets what stands first; the rest begins with zeroes. */
struct app_run_study {
    struct app_study *n; /* the caller's, or the one below */
    struct app_slots *slots;
    struct app_run_self *self;
    const struct app_runner_options *options;
    const struct app_evaluator *evaluator; /* of a worker */
    int budget;                            /* 0: the study's own */
    struct app_progress progress;          /* with its kind, and how it names the study */

    enum app_run_state state;
    struct app_study record;    /* of a worker */
    struct app_message message; /* that record's */

    /* Evaluations. */
    int running;           /* of the places */
    struct app_jobs *jobs; /* where they are jobs of a cluster; NULL until the first one */
    char word[80];         /* what they carry in their environment */

    /* What is next. */
    int exhausted; /* no design is left to be evaluated */
    int unseen;    /* trials have ended since it was looked whether the run may end before its budget */
    struct app_stop_watch watch;
    int waiting;      /* the lock is another's */
    double waits;     /* since when that is so, by app_clock; 0: it is not */
    int64_t seen;     /* the last revision of the store */
    double changed;   /* when that was new, or something was begun here */
    int chosen_ahead; /* a design has just been chosen ahead */

    /* What holds it back. */
    struct app_run_outage outage;
    int64_t stopped; /* as in struct app_pause, when it was begun: what came later is for us */
    int broken;      /* a status; its message is the record's, empty when it was said already */
    int away;        /* the trouble holds the study back until `broken` is 0 again */

    /* What was said of that last. */
    int said_ahead;  /* another machine's clock is ahead of ours */
    int said_outage; /* evaluations fail */
    enum app_pause_state said_pause;
    struct app_message said; /* any other trouble */
};

/* What the study is at. */
enum app_phase {
    APP_WORKING,
    APP_PROBING,   /* one trial is evaluated, alone, to see whether an outage is over */
    APP_PAUSED,    /* a person wants it so, or wants runs to end */
    APP_OUTAGE,    /* failures in a row: what runs may end */
    APP_OFFLINE,   /* the store is away: answers go into the spool */
    APP_FINISHING, /* asked to stop, or in trouble: what runs may end */
    APP_KILLING    /* asked twice */
};
enum app_phase app_run_phase(const struct app_run_study *study);

/* What is allowed beside taking leave of what has ended, which always is. */
struct app_run_may {
    unsigned claim : 1, choose : 1, sync : 1, kill : 1;
};
struct app_run_may app_run_may(const struct app_run_study *study);

/* 1 when there is nothing left to do here or elsewhere; 1 when there may be another design. */
int app_run_over(const struct app_run_study *study);
int app_run_wants(const struct app_run_study *study);

/* 1 when a person wants the study's runs to end. */
int app_run_stopped(const struct app_run_study *study);

/*
 * The next trial to evaluate, which is ours from here on: one that waits or that a dead process left, else a
 * new one. *number 0: there is none now. CKG_ERR_CANCELLED: choosing one was no longer wanted.
 */
int app_run_take(struct app_run_study *study, int *number);

/* Chooses a design for whoever is free first. */
int app_run_choose_ahead(struct app_run_study *study);

/*
 * The result of a trial of ours into the spool, then into the store, and shown. *kept as app_store_finish has
 * it; APP_STORED too where it waits in the spool.
 */
int app_run_finish(struct app_run_study *study, const struct app_trial *result, int *stored);

/* A trial of ours that is not evaluated to its end waits for the next run. */
void app_run_hand_back(struct app_run_study *study, int number);

/*
 * Brings what waits in the spool for this study. An answer is its trial's where that has none yet, and stands
 * in its notes otherwise. Where the trial is another by now, as in a store that was begun anew, the file
 * stays with the ending .unused. Both are said.
 */
int app_run_deliver(struct app_run_study *study);

/* What others did since the last look. */
int app_run_sync(struct app_run_study *study);

/* The run ends with this, after what runs, or waits; `others`: how many evaluations that are. */
void app_run_break(struct app_run_study *study, int status, int others);

/* A line about the study, once. */
void app_run_say(struct app_run_study *study, const char *text);

#endif

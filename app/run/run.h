/*
 * Evaluates designs until the budget is spent: suggestions, child processes, results into the store. All its
 * state is its own, so that a process can run several studies, each in a thread, beside whatever else it
 * does.
 */
#ifndef CKG_APP_RUN_H
#define CKG_APP_RUN_H

#include "run/progress.h"

enum app_run_end {
    APP_RUN_SPENT,       /* the budget is spent, or every design has been evaluated */
    APP_RUN_PAUSED,      /* failures in a row look like an outage (notebook/pause.h); the study can go on */
    APP_RUN_STOPPED,     /* the rest of the budget is expected to gain too little */
    APP_RUN_ENDED,       /* a person has asked for that (`ckg pause --stop`); the study can go on */
    APP_RUN_INTERRUPTED, /* it was asked to stop; the study can go on */
    APP_RUN_BROKEN       /* by an error that is in the notebook's message, or was said; the study can go on */
};

/* Requests to stop, as the bytes that are read from `stop`; two of the first are one of the second. */
enum app_stop {
    APP_STOP_FINISH = 1, /* what runs may end first */
    APP_STOP_KILL = 2,   /* what runs is killed, and waits for the next run */
    APP_STOP_SOON = 3    /* as the first; who runs it may set a limit to that */
};

/* What the run may do with the process that it is part of, and how the two talk. */
struct app_run_host {
    enum app_progress_kind shown; /* on standard output */
    /*
     * 1: the process exists for this run alone. It becomes the parent of orphans below it and kills what
     * evaluations leave behind, marked or not. 0: no child is touched but the run's own.
     */
    int alone;
    int to_the_end; /* 1: the budget is spent whatever it is expected to gain */
    int stop;       /* a descriptor that does not block and can be read when there is a request; -1: none */
    /* Trouble on the way, a line each; NULL: on standard error. */
    void (*say)(void *context, const char *line);
    void *context;
};

/*
 * Runs the study; other threads, with notebooks of their own, and other processes may do so at the same time.
 * The notebook was opened for writing.
 */
enum app_run_end app_run(struct app_notebook *notebook, const struct app_run_host *host);

#endif

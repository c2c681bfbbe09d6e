/*
 * Evaluates designs: `ckg run` those of one study until its budget is spent, `ckg worker` those of every
 * study of a store that it has a problem file for, as long as it is wanted. Suggestions, evaluations, results
 * into the store. All its state is its own, so that a process can run several studies, each in a thread,
 * beside whatever else it does.
 */
#ifndef CKG_APP_RUN_H
#define CKG_APP_RUN_H

#include "run/evaluators.h"
#include "run/progress.h"

enum app_run_end {
    APP_RUN_SPENT,       /* the budget is spent, or every design has been evaluated */
    APP_RUN_PAUSED,      /* failures in a row look like an outage (actions/outage.h); the study can go on */
    APP_RUN_STOPPED,     /* the rest of the budget is expected to gain too little */
    APP_RUN_ENDED,       /* a person has asked for that (`ckg pause --stop`); the study can go on */
    APP_RUN_INTERRUPTED, /* it was asked to stop; the study can go on */
    APP_RUN_BROKEN       /* by an error that is in the message, or was said; the study can go on */
};

/* Requests to stop, as the bytes that are read from `stop`; two of the first are one of the second. */
enum app_stop {
    APP_STOP_FINISH = 1, /* what runs may end first */
    APP_STOP_KILL = 2,   /* what runs is killed, and waits for the next run */
    APP_STOP_SOON = 3    /* as the first; who runs it may set a limit to that */
};

struct app_runner_options {
    /* One study, opened for writing, until it is done; or NULL: those of a store, as they appear there. */
    struct app_study *study;
    int to_the_end; /* 1: its budget is spent whatever it is expected to gain */
    int keeps_on;   /* 1: failures in a row are no outage, for whoever runs it knows what they are */

    /* Of a worker. */
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

    /* The process that it is part of, and how the two talk. */
    enum app_progress_kind shown; /* on standard output */
    /*
     * 1: the process exists for this alone. It becomes the parent of orphans below it and kills what
     * evaluations leave behind, marked or not. 0: no child is touched but the run's own.
     */
    int alone;
    int stop; /* a descriptor that does not block and can be read when there is a request; -1: none */
    /* Trouble on the way, a line each; NULL: on standard error. */
    void (*say)(void *context, const char *line);
    void *context;
};

/*
 * Works until it is done, or is asked to stop; other threads, with studies of their own, and other processes
 * may do so at the same time. An error is one of its beginning: what comes later is said.
 */
int app_runner_work(const struct app_runner_options *options, enum app_run_end *end,
                    struct app_message *message);

#endif

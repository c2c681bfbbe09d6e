/*
 * Schedulers of clusters: what evaluations as jobs need of one, as a table. slurm.c fills it; PBS, LSF or
 * Kubernetes would be another file and a line in scheduler.c. evaluate/jobs.h does all the rest: files,
 * submissions, finding jobs again, results.
 */
#ifndef CKG_APP_SCHEDULER_H
#define CKG_APP_SCHEDULER_H

#include "definition/definition.h"

enum { APP_JOB_ID = 64, APP_JOB_NAME = 64 };

/* What has become of a job. */
enum app_job_phase {
    APP_JOB_ALIVE,     /* it waits or runs; one that was preempted or requeued waits again */
    APP_JOB_ENDED,     /* its script has ended, with `code` */
    APP_JOB_LIMITED,   /* it was ended because it took too much: time or memory */
    APP_JOB_LOST,      /* the cluster has ended it: a node failed, it was preempted for good */
    APP_JOB_CANCELLED, /* a person has ended it */
    APP_JOB_FORGOTTEN  /* the scheduler does not know of it, any longer or at all */
};

/* A job, and what the scheduler says of it. */
struct app_job_view {
    const char *id;
    enum app_job_phase phase;
    int code;       /* an exit status as shells have it: 128 + n for signal n */
    char what[128]; /* more about it in words; of one that is alive: why it will not run by itself */
};

/* Tasks that are submitted together. */
struct app_batch {
    const struct app_cluster *cluster;
    const char *name;    /* no other job of the cluster's has it */
    const char *comment; /* for people who look at the queue */
    const char *script;  /* a shell's; each task finds its number, from 0, in the variable `index` */
    const char *log;     /* where the cluster writes what it has to say, up to the task's number */
    int count;
    char *const *environment; /* of the call */
};

/*
 * Functions return CKG_OK; CKG_ERR_STATE when the scheduler does not answer and may do so later;
 * CKG_ERR_EXHAUSTED, of submit alone, when it does not want so many; another error when it never will.
 */
struct app_scheduler {
    const char *name;    /* the key of problem files */
    const char *index;   /* the variable with a task's number */
    const char *program; /* what must be installed */

    /* Submits the tasks; `base` is what the scheduler calls them all. */
    int (*submit)(const struct app_batch *batch, char base[APP_JOB_ID], struct app_message *message);
    /* What the jobs of that name are called; "" for none. */
    int (*find)(const char *name, char base[APP_JOB_ID], struct app_message *message);
    /* What a task of them is called. */
    void (*task)(const char *base, int index, char id[APP_JOB_ID]);
    /* Looks at all of them at once. */
    int (*poll)(int count, struct app_job_view *views, struct app_message *message);
    /* Ends them; those that have ended are no trouble. */
    int (*cancel)(int count, const char *const *ids, struct app_message *message);
};

/* The scheduler of that name, NULL: there is none. */
const struct app_scheduler *app_scheduler_find(const char *name);

#endif

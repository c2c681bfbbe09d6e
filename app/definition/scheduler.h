/*
 * Schedulers of clusters: what evaluations as jobs need of one, as a table. evaluate/slurm.c fills it; PBS,
 * LSF or Kubernetes would be another file and a line in APP_SCHEDULERS. evaluate/jobs.h does all the rest:
 * files, submissions, finding jobs again, results.
 */
#ifndef CKG_APP_SCHEDULER_H
#define CKG_APP_SCHEDULER_H

#include "definition/file_schema.h"

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
    const void *options; /* what the problem file says under the scheduler's name */
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

    /* Its mapping under `evaluate`, and the struct that it fills; `time` and `concurrent` are among the keys.
     */
    const struct app_schema *keys;
    size_t options_size;

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

/* Every scheduler, with the meaning of its key: app_scheduler_NAME, whose table is app_schema_NAME. */
#define APP_SCHEDULERS(X)                                                                                    \
    X(slurm, "evaluations as jobs of a Slurm cluster; instead of `parallel` and `timeout`")

#define APP_SCHEDULER_DECLARED(name, meaning)                                                                \
    extern const struct app_scheduler app_scheduler_##name;                                                  \
    extern const struct app_schema app_schema_##name;
APP_SCHEDULERS(APP_SCHEDULER_DECLARED)

/* Reads and writes how many jobs at once: `parallel` under a scheduler's name. */
int app_read_concurrent(struct app_reader *r, const yaml_node_t *node);
void app_write_concurrent(const struct app_definition *definition, const char *name, struct app_text *out);

/* The row of `concurrent`. */
#define APP_CONCURRENT_KEY                                                                                   \
    {                                                                                                        \
        "concurrent", "an integer", "10", "how many jobs at once, waiting ones included",                    \
            .read = app_read_concurrent, .write = app_write_concurrent                                       \
    }

#endif

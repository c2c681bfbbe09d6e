/*
 * Where studies are kept. The table app_store_table is what a study needs of a store; store/store.c fills it once for every SQL database, by the
 * drivers of store/sql.h. Every change is one transaction. Trials are numbered from 1 without gaps, and every change of a trial has a revision
 * larger than all before it in the study.
 */
#ifndef CKG_APP_STORE_H
#define CKG_APP_STORE_H

#include <stdint.h>

#include "base/text.h"

struct app_store;

/* A trial as it is kept: parameters and outcomes as JSON objects. Strings may be NULL. */
struct app_record {
    int number;
    int64_t revision;
    const char *state;      /* "pending", "running", "complete", "failed" */
    const char *origin;     /* "design", "policy", "user" */
    int queued;             /* 1: for a run to evaluate, 0: for whoever asked for it */
    const char *parameters;
    const char *outcomes;   /* when complete */
    const char *why;        /* when failed: the reason; when it is to be tried again: the last one */
    const char *log;        /* the end of what the evaluation wrote on standard error */
    double seconds;         /* of the evaluation, NAN when not known */
    int starts, failures;   /* evaluations begun, and ended without an answer */
};

/* A study as it is kept; the strings are the caller's to free. */
struct app_study_record {
    int64_t id;
    char *name, *definition; /* JSON in the shape of a problem file */
    char *folder;            /* where its evaluations run */
    uint64_t seed;
};

/* A process that evaluates. */
struct app_worker {
    int64_t id;
    const char *machine;   /* the same for processes that can see each other */
    int64_t process, born; /* its number and its time of birth there */
};

typedef int app_record_visit(void *context, const struct app_record *record);
typedef int app_name_visit(void *context, const char *name);

/* 1 when the process can no longer be alive; asked for workers of this machine alone. */
typedef int app_is_gone(int64_t process, int64_t born);

struct app_store_table {
    const char *name;
    int (*open)(struct app_store **out, const char *url, int create, struct app_message *message);
    void (*close)(struct app_store *store);

    int (*study_names)(struct app_store *store, app_name_visit *visit, void *context, struct app_message *message);
    /* CKG_ERR_NOT_FOUND where there is none of that name. */
    int (*study_find)(struct app_store *store, const char *name, struct app_study_record *out, struct app_message *message);
    /* The study of that name: this one, or the one that another process has made first. */
    int (*study_create)(struct app_store *store, const struct app_study_record *study, struct app_study_record *out, struct app_message *message);
    int (*study_update)(struct app_store *store, const struct app_study_record *study, struct app_message *message);

    int (*trials_since)(struct app_store *store, int64_t study, int64_t revision, app_record_visit *visit, void *context, struct app_message *message);
    /* Adds trials numbered from `first`, all or none; CKG_ERR_STATE when that number is taken. worker 0: none evaluates it yet. */
    int (*add)(struct app_store *store, int64_t study, int first, int count, const struct app_record *records, int64_t worker,
               struct app_message *message);
    /* The first trial that waits for a run, or whose worker is gone, is now the worker's; *number 0 where there is none. *orphan: the
       process that the lost worker left behind, 0 for none, and its time of birth. */
    int (*claim)(struct app_store *store, int64_t study, const struct app_worker *worker, app_is_gone *gone, int *number, int64_t *orphan,
                 int64_t *orphan_born, struct app_message *message);
    /* The evaluation runs as this process. */
    int (*started)(struct app_store *store, int64_t study, int number, int64_t worker, int64_t process, int64_t born, struct app_message *message);
    /* The result: state "complete", "failed", or "pending" for one to be tried again. *kept 0: the trial was complete or failed already. */
    int (*finish)(struct app_store *store, int64_t study, const struct app_record *result, int *kept, struct app_message *message);

    int (*worker_add)(struct app_store *store, struct app_worker *worker, struct app_message *message);
    int (*heartbeat)(struct app_store *store, const struct app_worker *worker, struct app_message *message);
    void (*worker_remove)(struct app_store *store, const struct app_worker *worker);

    /* The right to add trials to the study, one process at a time; *taken 0: another has it. */
    int (*turn_take)(struct app_store *store, int64_t study, int *taken, struct app_message *message);
    void (*turn_give)(struct app_store *store, int64_t study);
};

/* Every store begins with its table. */
struct app_store {
    const struct app_store_table *table;
};

extern const struct app_store_table app_store_sql;

/* Opens the store of that URL ("sqlite:PATH"); CKG_ERR_NOT_FOUND where there is none and `create` is 0. */
int app_store_open(struct app_store **out, const char *url, int create, struct app_message *message);

void app_study_record_free(struct app_study_record *study);

#endif

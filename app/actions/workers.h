/* Who evaluates for a study at the moment, and what. */
#ifndef CKG_APP_WORKERS_H
#define CKG_APP_WORKERS_H

#include "study/record.h"

/* A worker of the store. */
struct app_member {
    int64_t id, process;
    char host[64];
    int slots;     /* 0: not known */
    char *labels;  /* a JSON list, or NULL */
    double age;    /* seconds since it began, NAN: not known */
    double silent; /* seconds since its last sign */
    int alive;     /* 0: it is gone, or has been silent for so long that its trials are others' */
};

/* A trial that it evaluates. */
struct app_assigned {
    int64_t worker;
    int number;
    double left; /* seconds until it is others' without a further sign, NAN: not known */
};

struct app_workers {
    int count;
    struct app_member *member; /* (count) those that live, and those that have a trial of the study */
    int assigned_count;
    struct app_assigned *assigned; /* (assigned_count) trials of the study, in their order */
};

/* Freed by app_workers_free, whatever came of it. */
int app_workers_find(const struct app_study *record, struct app_workers *out);
void app_workers_free(struct app_workers *workers);

/*
 * Who has the trial, as "host 4711", or else who evaluated it; NULL: nobody, or it is not known. `buffer`
 * holds 96 bytes.
 */
const char *app_workers_worker(const struct app_workers *workers, const struct app_trial *trial,
                               char *buffer);

/* Designs that were chosen a minute, by the last twenty of them; NAN: fewer than two were. */
double app_study_pace(const struct app_study *record);

#endif

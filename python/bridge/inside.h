/* What the files of the bridge share. */
#ifndef PYCKG_INSIDE_H
#define PYCKG_INSIDE_H

#include "bridge/study.h"
#include "api/api.h"
#include "run/run_study.h"

struct pyckg_study {
    struct app_api_study study;
    struct app_text text;
    struct app_message noted;
    int threads;
    int (*interrupt)(void *);
    void *context;

    /* Of a process that evaluates; self.worker.id 0: this one does not. */
    struct app_run_self self;
    struct app_run_study run;
    struct app_slots slots; /* none */
    int *taken;             /* (taken_count) the trials that it evaluates */
    int taken_count;
};

/* It is open; what the last call gave is forgotten. */
int pyckg_check_open(pyckg_study *record);

/* Something is to be added: both hold, and a study of a problem file has begun. */
int pyckg_begin(pyckg_study *record);

/* Values as the store keeps them. */
int pyckg_write_values(pyckg_study *record, int count, const ckg_measurement *measured, struct app_text *out);

/* Nobody waits for a process that has gone. */
void pyckg_leave(pyckg_study *record);

#endif

/*
 * A trial, in the one shape that the program has for it. A store fills the part that it keeps, with texts
 * that are borrowed; app_trial_decode of study/record.h makes a trial of a study of it, which owns what it
 * points to and has its design and values as numbers too.
 */
#ifndef CKG_APP_TRIAL_H
#define CKG_APP_TRIAL_H

#include <stdint.h>

#include "definition/values.h"

/* Discarded: set aside, so that neither models nor budget know of it. */
enum app_state { APP_PENDING, APP_RUNNING, APP_COMPLETE, APP_FAILED_TRIAL, APP_DISCARDED, APP_STATES };

/* "pending", "running", …; NULL for APP_STATES, which stands for a word that is no state. */
const char *app_state_name(enum app_state state);
enum app_state app_state_named(const char *name);

/* Texts may be NULL: there is none. */
struct app_trial {
    int number;       /* from 1 */
    int64_t revision; /* of the store, as it was read; 0: it is in none */
    enum app_state state;
    const char *origin;     /* "design", "policy", "user" */
    int queued;             /* 1: for a run to evaluate, 0: for whoever asked for it */
    const char *parameters; /* the design as a JSON object, with what is to be measured there */
    const char *outcomes;   /* when complete, as a JSON object; a discarded one keeps its own */
    const char *why;        /* when failed: the reason; when it is to be tried again: the last one */
    const char *log;        /* the end of what the evaluation wrote on standard error */
    const char *answer;     /* all that the evaluation answered, as it came */
    const char *extra;      /* a JSON object: what the answer has beyond the outcomes */
    const char *notes;      /* lines for people: what was odd about the answer, what somebody remarked */
    double seconds;         /* of the evaluation, NAN: not known */
    int starts, failures;   /* evaluations begun, and ended without an answer */
    double asked, ended; /* when it was asked for and got its result: seconds since 1970, or NAN; read only */
    const char *chosen_by; /* a policy's name, "initial", "local", …, or "user" */
    const char *reason;    /* one sentence for people why this design */
    /* read only: the machine and the process that evaluated it, "HOST … 4711"; of a study's: "HOST 4711" */
    const char *evaluator;

    /* Of a study's trial. */
    const double *x;                 /* (d) */
    struct app_wants wants;          /* what it is to measure */
    int count;                       /* 0 for a discarded one, whatever it measured */
    int stored;                      /* of a discarded one: how many values it has all the same */
    const ckg_measurement *measured; /* (count or kept) */
    int feasible;                    /* 1, 0, -1: not known, or discarded */
    void *block;                     /* what all of this lies in, where it is the trial's own */
};

#endif

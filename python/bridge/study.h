/*
 * A study in the program's own store, or one that is only looked at, for Python: the program's record
 * (app/study, app/actions) without its command line. Nothing here prints, asks or ends the process.
 *
 * Every function but those that free returns CKG_OK or one of the library's statuses, and then
 * pyckg_study_message has one line that says why. Trials are numbered from 1. One thread at a time may use
 * a record, and never a process that was forked since it was opened.
 */
#ifndef PYCKG_RECORD_H
#define PYCKG_RECORD_H

#include <stddef.h>

#include <ckg/ckg.h>

typedef struct pyckg_study pyckg_study;

/* --- opening --- */

/*
 * The study of a problem file or of a store, as `ckg` finds it; name NULL: the only one of the store. Nothing
 * is written before somebody asks for a design. *out is to be closed whatever comes back, and NULL without
 * memory.
 */
int pyckg_study_open(pyckg_study **out, const char *study, const char *store, const char *name, int threads);

/*
 * The study of a definition, in the shape of a problem file: begun in the store, or opened there as it is
 * kept where it is the same problem. store NULL: it is kept nowhere, and the action `put` brings its
 * trials.
 */
int pyckg_study_define(pyckg_study **out, const char *definition, const char *store, int threads);

void pyckg_study_close(pyckg_study *record);

/*
 * In the child of a fork: the record is the parent's, and is never used or closed here. It is left behind
 * so that the parent's death frees what it held.
 */
void pyckg_study_forked(pyckg_study *record);

/* What went wrong last, borrowed; and what the last function that gives a text gave. */
const char *pyckg_study_message(const pyckg_study *record);
const char *pyckg_study_text(const pyckg_study *record, size_t *length);

/* A line for people about how the study goes on, said once; else empty. Borrowed until the next. */
const char *pyckg_study_note(pyckg_study *record);

/* As ckg_study_set_interrupt, also while another process has the lock. */
void pyckg_study_set_interrupt(pyckg_study *record, int (*interrupt)(void *context), void *context);

/*
 * What a program may ask of a study, or do with it, by its name (app/api/), with an object of JSON, NULL:
 * none; gives a text. After a `change`, or where an `undo` gives "problem": true, the record is to be
 * closed and the study opened again by its store and name.
 */
int pyckg_study_call(pyckg_study *record, const char *action, const char *in);

/* The kinds of plots; NULL behind the last. */
const char *pyckg_plot_name(int index);
const char *pyckg_plot_title(int index);

/* --- trials --- */

/* A trial; what it points to is borrowed until the next call. */
typedef struct pyckg_trial {
    int number;
    const char *state;
    const double *x; /* (d) */
    int count;
    const ckg_measurement *measured; /* (count) of a discarded one too */
    int feasible;
    const char *origin;
    const char *why;                /* NULL: none */
    double seconds;                 /* NAN: not known */
    const char *chosen_by, *reason; /* NULL: not known */
} pyckg_trial;

/* One of them as it was read last. */
int pyckg_study_trial(pyckg_study *record, int number, pyckg_trial *out);

/* How many there are now, whoever added them: in all, and pending, running, complete, failed and discarded.
 */
typedef struct pyckg_standing {
    int count, tally[5];
    int best; /* the best that measured feasible; 0: none */
} pyckg_standing;
int pyckg_study_stands(pyckg_study *record, pyckg_standing *out);

/* The library's study with all trials as they are now, borrowed until the next call that is not const. */
int pyckg_study_engine(pyckg_study *record, ckg_study **out);

/* As `ckg ask`: a pending trial for the caller; *out NULL where the problem file gave the design. */
int pyckg_study_ask(pyckg_study *record, ckg_suggestion **out, int *number);

/* --- evaluating, as `ckg run` does --- */

/*
 * What became of a request for work: a trial is this process's to evaluate; others evaluate or choose, so ask
 * again soon; the budget is spent; every design was evaluated; the rest is expected to gain too little.
 */
enum pyckg_work { PYCKG_TAKEN, PYCKG_WAITING, PYCKG_SPENT, PYCKG_EXHAUSTED, PYCKG_STOPPED };

/* A trial that waits or that a dead process left, else a new one while there are fewer than `budget`. */
int pyckg_study_take(pyckg_study *record, int budget, int *number, int *work);

/*
 * Its result; why NULL: these values, else it failed. Where the trial is no longer ours, values are kept
 * beside its own, which the message says then, and for anything else it is CKG_ERR_STATE. While a server is
 * away the result waits on this machine for the next process that evaluates here: the error says so.
 */
int pyckg_study_finish(pyckg_study *record, int number, int count, const ckg_measurement *measured,
                       const char *why, const char *log, double seconds);

/* It was not evaluated to its end, and waits for whoever takes it up. */
int pyckg_study_hand_back(pyckg_study *record, int number);

/* Tells others that this process lives; every ten seconds while it evaluates. */
int pyckg_study_heartbeat(pyckg_study *record);

#endif

/* What people change of trials: put together here, and made by the store in one transaction. */
#ifndef CKG_APP_ACTION_EDIT_H
#define CKG_APP_ACTION_EDIT_H

#include "study/record.h"

/* A change of trials that is being put together; zeroes but for the record: an empty one. */
struct app_edit {
    struct app_study *record;
    int count, capacity;
    struct app_trial *trials; /* (count) */
    struct app_pool pool;     /* of all that */
};

/*
 * The trial is to become what it says here: a changed copy of one of the record's, or a new one, with
 * revision 0 and the next number. Its texts must live until the change is made.
 */
int app_edit_trial(struct app_edit *edit, const struct app_trial *trial);

/* The record's definition, as it is now, becomes the problem of the study, with these trials. */
int app_edit_make_problem(struct app_edit *edit, const char *command);

/*
 * Makes the change, all of it or nothing, and reads it back. `kind` as in struct app_change, `command` as it
 * was typed; `definition` is what the problem becomes, NULL: it stays.
 */
int app_edit_make(struct app_edit *edit, const char *kind, const char *command, const char *definition);

void app_edit_free(struct app_edit *edit);

/* The trial's notes get another behind them, NULL: none. */
int app_edit_note(struct app_edit *edit, struct app_trial *trial, const char *note);

/* The trial of that number, as typed; CKG_ERR_INVALID where there is none. */
int app_study_find(const struct app_study *record, const char *word, int *number);

/*
 * A trial that runs is taken from its run if that was killed, and what it left is ended; CKG_ERR_STATE when
 * the run may live, with how it stands with that where it is another machine's. The record knows the new
 * state then.
 */
int app_study_release(struct app_study *record, int number, struct app_remote_run *remote);

/*
 * The same with patience: where a run of another machine has the trial and by the clocks it is not clear
 * whether that lives, a sign of life is waited for. `say` is called before that; NULL: nothing is said.
 */
int app_study_release_patiently(struct app_study *record, int number,
                                void (*say)(const struct app_remote_run *remote));

#endif

/*
 * Seals: a checksum of everything that a row says, kept in the row, and looked at whenever the row is read.
 * So a bit that turned on the disk is an error of one line, never another digit. What a seal covers is a list
 * of columns that begins a SELECT; its own column is the next one.
 *
 * A study's row seals its definition, the number of its last trial, and the sum of its trials' seals: a trial
 * that is missing, or that is not its latest version, is noticed too. A change's row does the same for its
 * images, and the study's for its changes. Who evaluates a trial is not sealed: that is proved otherwise.
 */
#ifndef CKG_APP_CHECKSUM_H
#define CKG_APP_CHECKSUM_H

#include <stddef.h>

#include "store/sql.h"

/* --- what is sealed; trials are `t`, changes `c`, images `i` in these statements --- */

#define APP_CHECKSUM_OF_STUDY                                                                                \
    "id, name, definition, folder, seed, revision, redefined, created, last, trials, changes, seal"
enum {
    APP_STUDY_ID,
    APP_STUDY_NAME,
    APP_STUDY_DEFINITION,
    APP_STUDY_FOLDER,
    APP_STUDY_SEED,
    APP_STUDY_REVISION,
    APP_STUDY_REDEFINED,
    APP_STUDY_CREATED,
    APP_STUDY_LAST,
    APP_STUDY_TRIALS,
    APP_STUDY_CHANGES,
    APP_STUDY_CHECKSUM
};

/*
 * X(NAME, name, KIND): the columns of a trial that are sealed, behind its study's; each is a member of struct
 * app_trial. Those between are what an image has too.
 */
#define APP_RESULT_COLUMNS(X)                                                                                \
    X(QUEUED, queued, INTEGER)                                                                               \
    X(PARAMETERS, parameters, TEXT)                                                                          \
    X(OUTCOMES, outcomes, TEXT)                                                                              \
    X(WHY, why, TEXT)                                                                                        \
    X(LOG, log, TEXT)                                                                                        \
    X(ANSWER, answer, TEXT)                                                                                  \
    X(EXTRA, extra, TEXT)                                                                                    \
    X(NOTES, notes, TEXT)                                                                                    \
    X(SECONDS, seconds, REAL)                                                                                \
    X(STARTS, starts, INTEGER)                                                                               \
    X(FAILURES, failures, INTEGER)
#define APP_TRIAL_COLUMNS(X)                                                                                 \
    X(NUMBER, number, INTEGER)                                                                               \
    X(REVISION, revision, INTEGER)                                                                           \
    X(STATE, state, STATE)                                                                                   \
    X(ORIGIN, origin, TEXT)                                                                                  \
    APP_RESULT_COLUMNS(X)                                                                                    \
    X(ASKED, asked, REAL)                                                                                    \
    X(ENDED, ended, REAL)                                                                                    \
    X(CHOSEN_BY, chosen_by, TEXT)                                                                            \
    X(REASON, reason, TEXT)
#define APP_IMAGE_COLUMNS(X) X(STATE, state, STATE) APP_RESULT_COLUMNS(X) X(ENDED, ended, REAL)

/* Such columns in a statement, behind one; of a table that is called t, where it is. */
#define APP_COLUMN(NAME, name, KIND) ", " #name
#define APP_COLUMN_OF_T(NAME, name, KIND) ", t." #name
#define APP_COLUMN_OF_I(NAME, name, KIND) ", i." #name

#define APP_CHECKSUM_OF_TRIAL "t.study" APP_TRIAL_COLUMNS(APP_COLUMN_OF_T) ", t.seal"
/* The same behind INSERT and RETURNING, where every database has its own idea of a table's other name. */
#define APP_WRITTEN_TRIAL "study" APP_TRIAL_COLUMNS(APP_COLUMN)
#define APP_RETURNED_TRIAL APP_WRITTEN_TRIAL ", seal"
#define APP_TRIAL_PLACE(NAME, name, KIND) APP_TRIAL_##NAME,
enum { APP_TRIAL_STUDY, APP_TRIAL_COLUMNS(APP_TRIAL_PLACE) APP_TRIAL_CHECKSUM, APP_TRIAL_COUNT };
/* From here on what is missing is not sealed: older rows have none of it. */
enum { APP_TRIAL_LATER = APP_TRIAL_CHOSEN_BY };

#define APP_CHECKSUM_OF_CHANGE                                                                               \
    "c.study, c.number, c.kind, c.command, c.who, c.made, c.undone, c.undone_by, c.definition_before,"       \
    " c.definition_after, c.images, c.seal"
enum {
    APP_CHANGE_STUDY,
    APP_CHANGE_NUMBER,
    APP_CHANGE_KIND,
    APP_CHANGE_COMMAND,
    APP_CHANGE_WHO,
    APP_CHANGE_MADE,
    APP_CHANGE_UNDONE,
    APP_CHANGE_UNDONE_BY,
    APP_CHANGE_BEFORE,
    APP_CHANGE_AFTER,
    APP_CHANGE_IMAGES,
    APP_CHANGE_CHECKSUM,
    APP_CHANGE_COLUMNS
};

#define APP_CHECKSUM_OF_IMAGE                                                                                \
    "i.study, i.change, i.trial, i.side" APP_IMAGE_COLUMNS(APP_COLUMN_OF_I) ", i.seal"
#define APP_IMAGE_PLACE(NAME, name, KIND) APP_IMAGE_##NAME,
enum {
    APP_IMAGE_STUDY,
    APP_IMAGE_CHANGE,
    APP_IMAGE_TRIAL,
    APP_IMAGE_SIDE,
    APP_IMAGE_COLUMNS(APP_IMAGE_PLACE) APP_IMAGE_CHECKSUM
};

/* --- seals --- */

/* CRC-64/XZ of the bytes, going on from `before`, which is 0 at the start. */
uint64_t app_checksum_bytes(uint64_t before, size_t count, const void *bytes);

/* A row is not what was written: the status, which is that of a call. */
int app_sql_damaged(const char *what, int64_t number, struct app_message *message);

/* The seal of the columns before the one at `seal`. */
uint64_t app_checksum_of(const struct app_sql_value *columns, int checksum);

/* 1 when the column `seal` is that of the columns before it. */
int app_checksum_matches(const struct app_sql_value *columns, int checksum);

/* --- after a change, in its transaction --- */

/* What a transaction has done to a study, to be sealed at its end. */
struct app_checksum_update {
    int64_t study;
    int64_t revision; /* of its changes: trials of this and later ones are sealed anew */
    uint64_t trials;  /* the seals of trials that it has deleted, by exclusive or */
    uint64_t changes; /* of app_checksum_change */
    int wakes;        /* 1: those who listen to the study are told */

    /* Of app_checksum_lock_row: trials are sealed one by one, and nothing else of the study changes. */
    int locked;
    uint64_t row;     /* the seal of the study's columns up to its last trial */
    int64_t last;     /* its last trial, */
    uint64_t sums[2]; /* and the sums that follow */
};

/*
 * Takes hold of the study's row, which must be what was written, for a transaction that changes trials alone;
 * checksum->revision is theirs, 0: there is no such study. Each trial that it inserts or changes is given by
 * RETURNING APP_RETURNED_TRIAL to app_checksum_take, and sealed by app_checksum_trial.
 */
void app_checksum_lock_row(struct app_sql *sql, int64_t study, struct app_checksum_update *checksum);

/* A trial as it was left, to be sealed. */
struct app_checksum_pair {
    int64_t number; /* 0: none was given */
    uint64_t before, after;
};
int app_checksum_take(void *pair, const struct app_sql_value *columns, struct app_message *message);
void app_checksum_trial(struct app_sql *sql, struct app_checksum_update *checksum,
                        const struct app_checksum_pair *pair);

/* The change and its images, or its row alone; what that means for the study is noted in `checksum`. */
void app_checksum_change(struct app_sql *sql, struct app_checksum_update *checksum, int64_t change);
void app_checksum_change_row(struct app_sql *sql, struct app_checksum_update *checksum, int64_t change);

/* The trials, and the study. */
void app_checksum_study(struct app_sql *sql, const struct app_checksum_update *checksum);

/* Everything, in a store that has no seals yet. */
void app_checksum_all(struct app_sql *sql);

#endif

/* What the files of the SQL store share, and nobody else sees. */
#ifndef CKG_APP_SQL_STORE_H
#define CKG_APP_SQL_STORE_H

#include <math.h>

#include "store/checksum.h"
#include "store/heartbeats.h"
#include "store/sql.h"
#include "store/store.h"

struct app_store {
    struct app_sql sql;
    double synced; /* when a result last was made durable, by app_clock */
    struct app_heartbeats heartbeats;
};

/* What a column has, as a member of its KIND (store/checksum.h), and such a member as a value. */
#define APP_READ_INTEGER(column) (column).integer
#define APP_READ_REAL(column) app_sql_number(&(column))
#define APP_READ_TEXT(column) (column).text
#define APP_READ_STATE(column) app_state_named((column).text)
#define APP_GIVE_INTEGER(member) app_sql_integer(member)
#define APP_GIVE_REAL(member) app_sql_real(member)
#define APP_GIVE_TEXT(member) app_sql_text(member)
#define APP_GIVE_STATE(member) app_sql_text(app_state_name(member))

/* Whatever has become of the file, columns that are never empty here are looked at before they are used. */
int app_sql_are_texts(const struct app_sql_value *columns, int first, int last);

/* --- trials --- */

/*
 * The row is what was written, or there is none. What is to be sealed anew is looked at first; the trial is
 * this transaction's from here on.
 */
void app_sql_check_study(struct app_sql *sql, int64_t study);
void app_sql_check_trial(struct app_sql *sql, int64_t study, int number);

/* A new revision of the study, whose row is this transaction's from here on; app_checksum_study is its end.
 */
void app_sql_revise(struct app_sql *sql, int64_t study, struct app_checksum_update *checksum);
/* The same for a transaction that changes trials alone, by app_checksum_trial. */
void app_sql_lock_row(struct app_sql *sql, int64_t study, struct app_checksum_update *checksum);

/*
 * A statement that writes a trial and ends in RETURNING APP_RETURNED_TRIAL: $1 … $20 are the trial's columns
 * as in store/checksum.h, with this revision; the caller's numbers are $21 and $22. *sealed: what was
 * written, for app_checksum_trial; NULL: that is not asked for.
 */
void app_sql_write_trial(struct app_sql *sql, const char *statement, int64_t study, int64_t revision,
                         const struct app_trial *record, int64_t first, int64_t second,
                         struct app_checksum_pair *pair);

/* A new trial, worker 0: which nobody evaluates. */
void app_sql_insert(struct app_sql *sql, int64_t study, int64_t revision, const struct app_trial *record,
                    int64_t worker, struct app_checksum_pair *pair);

/* Gives the trial of that statement's, where there is one and it is whole, and its seal. */
int app_sql_visit_trial(struct app_sql *sql, const char *statement, int64_t study, int number,
                        app_trial_visit *visit, void *context, uint64_t *checksum);

/* The change and its images are what was written. */
int app_sql_check_change(struct app_sql *sql, int64_t study, int number);

#endif

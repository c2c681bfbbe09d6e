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
    struct app_sightings sightings;
};

/* --- values --- */

static inline struct app_sql_value app_sql_text(const char *value)
{
    return (struct app_sql_value){
        .type = value ? APP_SQL_TEXT : APP_SQL_NULL, .otherwise = APP_SQL_TEXT, .text = value};
}

static inline struct app_sql_value app_sql_integer(int64_t value)
{
    return (struct app_sql_value){.type = APP_SQL_INTEGER, .integer = value};
}

static inline struct app_sql_value app_sql_real(double value)
{
    return (struct app_sql_value){
        .type = isfinite(value) ? APP_SQL_REAL : APP_SQL_NULL, .otherwise = APP_SQL_REAL, .real = value};
}

/* A number read, NAN where there is none. */
static inline double app_sql_number(const struct app_sql_value *column)
{
    return column->type == APP_SQL_NULL ? NAN : column->real;
}

/* What a column has, as a member of its KIND (store/checksum.h), and such a member as a value. */
#define APP_READ_INTEGER(column) (column).integer
#define APP_READ_REAL(column) app_sql_number(&(column))
#define APP_READ_TEXT(column) (column).text
#define APP_READ_STATE(column) app_state_named((column).text)
#define APP_GIVE_INTEGER(member) app_sql_integer(member)
#define APP_GIVE_REAL(member) app_sql_real(member)
#define APP_GIVE_TEXT(member) app_sql_text(member)
#define APP_GIVE_STATE(member) app_sql_text(app_state_name(member))

/* --- statements --- */

/* A statement with the values of its parameters. */
#define APP_SQL_RUN(s, statement, row, context, changed, message, ...)                                       \
    app_sql_run(&(s)->sql, statement,                                                                        \
                (int)(sizeof((struct app_sql_value[]){__VA_ARGS__}) / sizeof(struct app_sql_value)),         \
                (struct app_sql_value[]){__VA_ARGS__}, row, context, changed, message)

/* A row's first column, an integer, into the int64_t that the context is. */
int app_sql_first_integer(void *context, const struct app_sql_value *columns, struct app_message *message);

/* Whatever has become of the file, columns that are never empty here are looked at before they are used. */
int app_sql_are_texts(const struct app_sql_value *columns, int first, int last);
int app_sql_damaged(const char *what, int64_t number, struct app_message *message);

/* --- trials --- */

/*
 * The row is what was written, or there is none. What is to be sealed anew is looked at first; the trial is
 * this transaction's from here on.
 */
int app_sql_check_study(struct app_store *s, int64_t study, struct app_message *message);
int app_sql_check_trial(struct app_store *s, int64_t study, int number, struct app_message *message);

/*
 * A new revision of the study, whose row is this transaction's from here on; and the end of that transaction,
 * as app_sql_end, all that it changed being sealed before.
 */
int app_sql_revise(struct app_store *s, int64_t study, struct app_sealing *sealing,
                   struct app_message *message);
/* The same for a transaction that changes trials alone, by app_seal_trial. */
int app_sql_hold(struct app_store *s, int64_t study, struct app_sealing *sealing,
                 struct app_message *message);
int app_sql_seal_and_end(struct app_store *s, const struct app_sealing *sealing, int status,
                         struct app_message *message);

/*
 * A statement that writes a trial and ends in RETURNING APP_RETURNED_TRIAL: $1 … $20 are the trial's columns
 * as in store/checksum.h, with this revision; the caller's numbers are $21 and $22. *sealed: what was
 * written, for app_seal_trial; NULL: that is not asked for.
 */
int app_sql_write_trial(struct app_store *s, const char *statement, int64_t study, int64_t revision,
                        const struct app_trial *record, int64_t first, int64_t second,
                        struct app_sealed *sealed, struct app_message *message);

/* A new trial, worker 0: which nobody evaluates. */
int app_sql_insert(struct app_store *s, int64_t study, int64_t revision, const struct app_trial *record,
                   int64_t worker, struct app_sealed *sealed, struct app_message *message);

/* The number of the last trial, 0: there is none. */
int app_sql_last(struct app_store *s, int64_t study, int64_t *last, struct app_message *message);

/* Gives the trial of that statement's, where there is one and it is whole, and its seal. */
int app_sql_visit_trial(struct app_store *s, const char *statement, int64_t study, int number,
                        app_trial_visit *visit, void *context, uint64_t *seal, struct app_message *message);

/* The change and its images are what was written. */
int app_sql_check_change(struct app_store *s, int64_t study, int number, struct app_message *message);

#endif

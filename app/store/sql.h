/*
 * The lower of a store's two tables: what an SQL database must be able to do. The statements are
 * store/store.c's and the same for every driver; parameters are $1, $2, … in the order of their first use.
 * Every function returns a CKG status and leaves the line for the user in `message`.
 */
#ifndef CKG_APP_SQL_H
#define CKG_APP_SQL_H

#include <stdint.h>

#include "base/text.h"

/* A value bound to a statement or read from a row. */
struct app_sql_value {
    enum { APP_SQL_NULL, APP_SQL_INTEGER, APP_SQL_REAL, APP_SQL_TEXT } type;
    int64_t integer;
    double real;
    const char *text; /* read: borrowed until the next row */
};

/* Called for every row; a status other than CKG_OK ends the query, with the message set. */
typedef int app_sql_row(void *context, const struct app_sql_value *columns, struct app_message *message);

struct app_sql_driver {
    const char *prefix; /* of the URLs it opens */
    /*
     * An existing database, or a new one where `create` is 1. What others may have put into it is not
     * touched.
     */
    int (*open)(void **out, const char *url, int create, struct app_message *message);
    /* It is a store, or empty and to become one: settings that the database itself keeps. */
    int (*settle)(void *database, struct app_message *message);
    void (*close)(void *database);
    /* 1 when the table exists; table NULL: when any does. */
    int (*has_table)(void *database, const char *table, int *out, struct app_message *message);
    /*
     * A transaction that writes: from here to the end no other begins. `durable`: it must outlive a power
     * failure once it is committed.
     */
    int (*begin)(void *database, int durable, struct app_message *message);
    int (*commit)(void *database, struct app_message *message);
    void (*rollback)(void *database);
    /* One statement; row may be NULL, changed (rows written) too. */
    int (*run)(void *database, const char *sql, int count, const struct app_sql_value *values,
               app_sql_row *row, void *context, int64_t *changed, struct app_message *message);
    /*
     * The right to add trials to a study, held by one process at a time and given back when that process ends
     * however it does.
     */
    int (*turn_take)(void *database, int64_t study, int *taken, struct app_message *message);
    void (*turn_give)(void *database, int64_t study);
};

extern const struct app_sql_driver app_sql_sqlite;

#endif

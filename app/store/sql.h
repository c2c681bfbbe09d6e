/*
 * What an SQL database must be able to do. Store and schema hold every
 * statement once and run it by app_sql_run, which writes it in the database's dialect first. A driver's
 * functions return a CKG status and leave the line for the user in `message`.
 *
 * Statements. Parameters are $1, $2, …; not all of them need be used. {id}, {integer}, {real}, {text},
 * {now}, {up}, {tables}, {schema}, {claim}, {lock}, {wake}, {relaxed} and {check} stand for what the dialect
 * has in their place. A table's name follows FROM, JOIN, INTO, UPDATE, TABLE or REFERENCES, in capitals, and
 * gets the dialect's schema there. Besides, every database must know INSERT … ON CONFLICT (…) DO NOTHING,
 * RETURNING, COALESCE and CHECK. A statement is a string constant: its address tells it from others, so that
 * it is translated, and may be prepared, once for each database.
 */
#ifndef CKG_APP_SQL_H
#define CKG_APP_SQL_H

#include <math.h>
#include <stdint.h>

#include "base/asking.h"
#include "base/text.h"

/* A value bound to a statement or read from a row. */
struct app_sql_value {
    enum app_sql_type { APP_SQL_NULL, APP_SQL_INTEGER, APP_SQL_REAL, APP_SQL_TEXT } type;
    enum app_sql_type otherwise; /* bound as NULL: what it would be if it were there */
    int64_t integer;
    double real;
    const char *text; /* read: borrowed until the next row */
};

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

/* Called for every row; a status other than CKG_OK ends the query, with the message set. */
typedef int app_sql_row(void *context, const struct app_sql_value *columns, struct app_message *message);

/* --- what a driver gives --- */

/* What a statement says in each database in its own way. */
struct app_sql_dialect {
    const char *id;      /* {id}: type and rule of a key that the database numbers, from 1 */
    const char *integer; /* {integer}: the type of 64 bits */
    const char *real;    /* {real}: the type of a double */
    const char *text;    /* {text}: the type of a text that is ordered by its bytes */
    const char *now;  /* {now}: seconds since 1970, by the one clock that all clients of the database share */
    const char *up;   /* {up}: seconds since the database can be reached */
    int shared_clock; /* 1: {now} is one clock, the database's; 0: it is each client's own */
    const char *tables; /* {tables}: a table whose column `name` has the names of all tables */
    const char *schema; /* {schema}: stands before the name of a table, "": nothing */
    /*
     * {claim}: ends a SELECT from trial t whose row this transaction is going to take; rows that another
     * transaction has taken are passed over. "" where `begin` keeps all others out.
     */
    const char *claim;
    /* {lock}: ends a SELECT of one row that this transaction is going to change; another's is waited for */
    const char *lock_row;
    /* {wake}: in a change of a row of `study`, tells those who listen to it; to a new one, to 0 */
    const char *wake;
    /* {relaxed}: a condition that always holds; its statement, alone, need not be made safe */
    const char *relaxed;
    /* {check}: a statement that gives a line for everything that is wrong with the database itself, or "ok"
     */
    const char *check;
};

struct app_sql_driver {
    const char *scheme; /* what its URLs begin with, colon included */
    const char *alias;  /* the same in other words, or NULL */
    /* 1 when the file of that path is a database of this kind; NULL: its databases are no files. */
    int (*is_file)(const char *path);
    struct app_sql_dialect dialect;
    /*
     * An existing database, or a new one where `create` is 1. What others may have put into it is not
     * touched. `asking` NULL: it is wanted however long it takes.
     */
    int (*open)(void **out, const char *url, int create, const struct app_asking *asking,
                struct app_message *message);
    /* After that has failed, as app_store_away says; NULL: what is not there does not come. */
    int (*away)(const char *url);
    /* It is a store, or empty and to become one: settings that the database itself keeps. NULL: there are
     * none. */
    int (*settle)(void *database, struct app_message *message);
    void (*close)(void *database);
    /*
     * A transaction that writes: until its end no other does, or none that changes the same rows. `durable`:
     * 1: it must outlive a power failure once it is committed; 0: the end of a process; -1: a sign of life,
     * which need not outlive anything: statements with {relaxed}, none of which needs another, and which may
     * be given while the lock is held.
     */
    int (*begin)(void *database, int durable, struct app_message *message);
    int (*commit)(void *database, struct app_message *message);
    void (*rollback)(void *database);
    /* In a transaction: until its end nobody else makes tables or changes them. NULL: `begin` sees to it. */
    int (*alone)(void *database, struct app_message *message);
    /*
     * 1: the transaction that has just failed was not at fault and may be tried again, as the connection was
     * lost and is there again, or as another transaction stood in its way. NULL: that never happens.
     */
    int (*again)(void *database);
    /* What was committed has not been taken away since, by another program or a person. NULL: nobody could.
     */
    int (*stored)(void *database, struct app_message *message);
    /* One statement in its dialect; row NULL: what it gives is not asked for. */
    int (*run)(void *database, const char *sql, int count, const struct app_sql_value *values,
               app_sql_row *row, void *context, struct app_message *message);
    /*
     * The right to add trials to a study, held by one opened database at a time and given back when its
     * process ends however it does.
     */
    int (*lock)(void *database, int64_t study, int *taken, struct app_message *message);
    void (*unlock)(void *database, int64_t study);
    /* In the child of a fork: lets go of what would hold the lock when the parent is gone. */
    void (*forked)(void *database);
    /*
     * From now on changes of the study ({wake}) are heard, 0: of new ones: a descriptor for poll, -1: there
     * is none. `heard` is 1 when there was something since it was last asked. NULL: nothing is ever heard.
     */
    int (*listen)(void *database, int64_t study);
    int (*heard)(void *database);
    /* 1: the server went away, and has not come back; NULL: there is none. */
    int (*lost)(void *database);
    /* So many seconds it waits for a server that went away, while that is wanted; NULL: it never does. */
    void (*set_patience)(void *database, double seconds, const struct app_asking *asking);
};

/* The driver for the URL, NULL when there is none; the one for paths. */
const struct app_sql_driver *app_sql_driver_of(const char *url);
const struct app_sql_driver *app_sql_driver_first(void);

/* 1 when some driver says so of the file. */
int app_sql_is_file(const char *path);

/* --- what store and schema use --- */

/*
 * An open database; zeroes: none. What is asked of it is a call: its first failure stays, with its message,
 * and whatever follows in the same call does nothing.
 */
struct app_sql {
    const struct app_sql_driver *driver;
    void *database;
    char *url;
    int count;
    struct app_sql_statement *statements; /* (count) translated */
    int status;                           /* of the call */
    struct app_message *message;          /* of whoever makes the call */
};

int app_sql_open(struct app_sql *out, const char *url, int create, const struct app_asking *asking,
                 struct app_message *message);
void app_sql_close(struct app_sql *sql);

/* A call begins, of statements that read. */
void app_sql_call(struct app_sql *sql, struct app_message *message);

/*
 * A call begins that is a transaction, as the driver's. Its end commits it where it has not failed, and else
 * rolls it back; 1: it may be tried again from its beginning, as the driver's `again` says. A cancelled one
 * has done nothing. Beginning, end and each statement is a place where tests let the database fail.
 */
void app_sql_begin(struct app_sql *sql, int durable, struct app_message *message);
int app_sql_end(struct app_sql *sql);
void app_sql_cancel(struct app_sql *sql);

/* A statement of the call; the call's status. */
int app_sql_run(struct app_sql *sql, const char *statement, int count, const struct app_sql_value *values,
                app_sql_row *row, void *context);

/* The same with the values of its parameters, one to six, as they are in C. */
#define APP_SQL(sql, statement, row, context, ...)                                                           \
    app_sql_run(                                                                                             \
        sql, statement,                                                                                      \
        (int)(sizeof((struct app_sql_value[]){APP_SQL_VALUES(__VA_ARGS__)}) / sizeof(struct app_sql_value)), \
        (struct app_sql_value[]){APP_SQL_VALUES(__VA_ARGS__)}, row, context)

#define APP_SQL_VALUE(x)                                                                                     \
    _Generic((x), char *: app_sql_text, const char *: app_sql_text, double: app_sql_real,                    \
             default: app_sql_integer)(x)
#define APP_SQL_1(x) APP_SQL_VALUE(x)
#define APP_SQL_2(x, ...) APP_SQL_VALUE(x), APP_SQL_1(__VA_ARGS__)
#define APP_SQL_3(x, ...) APP_SQL_VALUE(x), APP_SQL_2(__VA_ARGS__)
#define APP_SQL_4(x, ...) APP_SQL_VALUE(x), APP_SQL_3(__VA_ARGS__)
#define APP_SQL_5(x, ...) APP_SQL_VALUE(x), APP_SQL_4(__VA_ARGS__)
#define APP_SQL_6(x, ...) APP_SQL_VALUE(x), APP_SQL_5(__VA_ARGS__)
#define APP_SQL_SEVENTH(a, b, c, d, e, f, seventh, ...) seventh
#define APP_SQL_VALUES(...)                                                                                  \
    APP_SQL_SEVENTH(__VA_ARGS__, APP_SQL_6, APP_SQL_5, APP_SQL_4, APP_SQL_3, APP_SQL_2, APP_SQL_1, 0)        \
    (__VA_ARGS__)

/* 1 when the table exists; table NULL: when any does. */
int app_sql_has_table(struct app_sql *sql, const char *table);

/* A row's first column, an integer, into the int64_t that the context is; or behind those of rows before. */
int app_sql_first_integer(void *context, const struct app_sql_value *columns, struct app_message *message);

struct app_sql_numbers {
    int count;
    int64_t *number; /* (count) the caller's to free */
};
int app_sql_each_integer(void *numbers, const struct app_sql_value *columns, struct app_message *message);

#endif

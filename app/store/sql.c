/*
 * What is the same for every SQL database: the registry of drivers, statements written in a database's
 * dialect, and the places where tests let it fail.
 */
#include "store/sql.h"

#include <assert.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include <ckg/status.h>

#include "store/drivers.h"
#include "store/fault.h"
#include "store/store.h"

/* --- drivers --- */

#define DECLARE(name, urls) extern const struct app_sql_driver app_sql_##name;
#define LIST(name, urls) &app_sql_##name,

APP_SQL_DRIVERS(DECLARE, DECLARE)

static const struct app_sql_driver *const drivers[] = {APP_SQL_DRIVERS(LIST, LIST)};

static int begins(const char *url, const char *scheme)
{
    return scheme && !strncmp(url, scheme, strlen(scheme));
}

const struct app_sql_driver *app_sql_driver_of(const char *url)
{
    for (size_t i = 0; i < sizeof drivers / sizeof *drivers; i++)
        if (begins(url, drivers[i]->scheme) || begins(url, drivers[i]->alias))
            return drivers[i];
    return NULL;
}

const struct app_sql_driver *app_sql_driver_first(void)
{
    return drivers[0];
}

int app_sql_is_file(const char *path)
{
    for (size_t i = 0; i < sizeof drivers / sizeof *drivers; i++)
        if (drivers[i]->is_file && drivers[i]->is_file(path))
            return 1;
    return 0;
}

/* --- dialects --- */

/* A statement as it was given, and in the database's dialect. */
struct app_sql_statement {
    const char *given;
    char *written;
};

/* What stands for the word of that many characters. */
static const char *word_of(const struct app_sql_dialect *d, const char *word, size_t length)
{
    const struct {
        const char *name;
        const char *text;
    } words[] = {
        {"id", d->id},           {"integer", d->integer}, {"real", d->real},     {"text", d->text},
        {"now", d->now},         {"up", d->up},           {"wake", d->wake},     {"tables", d->tables},
        {"schema", d->schema},   {"claim", d->claim},     {"lock", d->lock_row}, {"check", d->check},
        {"relaxed", d->relaxed},
    };

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i].name) == length && !strncmp(words[i].name, word, length))
            return words[i].text;
    return NULL;
}

/* 1 when what is written ends with a word that the name of a table follows. */
static int expects_table(const struct app_text *out)
{
    static const char *const words[] = {"FROM ", "JOIN ", "INTO ", "UPDATE ", "TABLE ", "REFERENCES "};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const size_t length = strlen(words[i]);
        if (out->length >= length && !memcmp(out->data + out->length - length, words[i], length))
            return 1;
    }
    return 0;
}

/* Adds the statement up to its next {word}, with the schema before each table; what follows. */
static const char *add_plain(struct app_text *out, const char *schema, const char *statement)
{
    while (*statement && *statement != '{') {
        const size_t word = strcspn(statement, " {");
        const size_t space = statement[word] == ' ';

        if (islower((unsigned char)*statement) && expects_table(out))
            app_text_add(out, schema, strlen(schema));
        app_text_add(out, statement, word + space);
        statement += word + space;
    }
    return statement;
}

/* The statement with every {word} replaced; NULL without memory. */
static char *translate(const struct app_sql_dialect *dialect, const char *statement)
{
    struct app_text out = {0};

    while (*statement) {
        statement = add_plain(&out, dialect->schema, statement);
        if (!*statement)
            break;

        const size_t length = strcspn(statement + 1, "}");
        const char *text = word_of(dialect, statement + 1, length);
        assert(text);
        app_text_add(&out, text, strlen(text));
        statement += length + 2;
    }
    if (out.failed)
        app_text_free(&out);
    return out.data;
}

/* The statement in the database's dialect, translated the first time it is asked for, by its address; NULL
 * without memory. */
static const char *translated(struct app_sql *sql, const char *statement)
{
    for (int i = 0; i < sql->count; i++)
        if (sql->statements[i].given == statement)
            return sql->statements[i].written;

    struct app_sql_statement *grown = realloc(sql->statements, ((size_t)sql->count + 1) * sizeof *grown);
    if (!grown)
        return NULL;
    sql->statements = grown;

    char *text = translate(&sql->driver->dialect, statement);
    if (text)
        sql->statements[sql->count++] = (struct app_sql_statement){statement, text};
    return text;
}

/* --- faults --- */

/* CKG_OK, or what tests want in its place. */
static int pass_fault(const struct app_sql *sql)
{
    if (!app_fault())
        return CKG_OK;
    return app_fail(sql->message, CKG_ERR_SYSTEM,
                    "%s: database or disk is full; free some space, then run the same command again",
                    sql->url + strlen(sql->driver->scheme));
}

/* --- use --- */

int app_sql_open(struct app_sql *out, const char *url, int create, const struct app_asking *asking,
                 struct app_message *message)
{
    *out = (struct app_sql){.driver = app_sql_driver_of(url)};
    if (!out->driver)
        return app_fail(message, CKG_ERR_INVALID, "%s: there is no such kind of store; this program has %s",
                        url, APP_STORE_URLS);

    out->url = app_copy(url);
    const int status = out->url ? out->driver->open(&out->database, url, create, asking, message)
                                : app_no_memory(message);
    if (status)
        app_sql_close(out);
    return status;
}

void app_sql_close(struct app_sql *sql)
{
    if (sql->database)
        sql->driver->close(sql->database);
    for (int i = 0; i < sql->count; i++)
        free(sql->statements[i].written);
    free(sql->statements);
    free(sql->url);
    *sql = (struct app_sql){0};
}

void app_sql_call(struct app_sql *sql, struct app_message *message)
{
    sql->message = message;
    sql->status = CKG_OK;
}

void app_sql_begin(struct app_sql *sql, int durable, struct app_message *message)
{
    app_sql_call(sql, message);
    sql->status = pass_fault(sql);
    if (!sql->status)
        sql->status = sql->driver->begin(sql->database, durable, message);
}

int app_sql_run(struct app_sql *sql, const char *statement, int count, const struct app_sql_value *values,
                app_sql_row *row, void *context)
{
    struct app_message *message = sql->message;

    if (sql->status)
        return sql->status;
    sql->status = pass_fault(sql);
    const char *text = sql->status ? NULL : translated(sql, statement);
    if (text)
        sql->status = sql->driver->run(sql->database, text, count, values, row, context, message);
    else if (!sql->status)
        sql->status = app_no_memory(message);
    sql->message = message; /* who visits rows may have called meanwhile */
    return sql->status;
}

int app_sql_end(struct app_sql *sql)
{
    if (!sql->status)
        sql->status = pass_fault(sql);
    if (!sql->status)
        sql->status = sql->driver->commit(sql->database, sql->message);
    if (!sql->status)
        return 0;
    sql->driver->rollback(sql->database);
    return sql->driver->again && sql->driver->again(sql->database);
}

void app_sql_cancel(struct app_sql *sql)
{
    sql->driver->rollback(sql->database);
}

int app_sql_first_integer(void *context, const struct app_sql_value *columns, struct app_message *message)
{
    (void)message;

    *(int64_t *)context = columns[0].integer;
    return CKG_OK;
}

int app_sql_each_integer(void *numbers, const struct app_sql_value *columns, struct app_message *message)
{
    struct app_sql_numbers *all = numbers;
    int64_t *grown = realloc(all->number, ((size_t)all->count + 1) * sizeof *grown);

    if (!grown)
        return app_no_memory(message);
    all->number = grown;
    grown[all->count++] = columns[0].integer;
    return CKG_OK;
}

int app_sql_has_table(struct app_sql *sql, const char *table)
{
    int64_t found = 0;

    APP_SQL(sql, "SELECT 1 FROM {tables} WHERE name = COALESCE($1, name)", app_sql_first_integer, &found,
            table);
    return found != 0;
}

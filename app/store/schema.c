/*
 * A database is brought from version v to v + 1 by the statements of step v. What a released version wrote
 * stays readable for ever, so steps are added and never changed. The version is in ckg_store, written in the
 * same transaction.
 */
#include "store/schema.h"

#include <stddef.h>

#include <ckg/status.h>

static const char *const step_0[] = {
    "CREATE TABLE ckg_store (version INTEGER NOT NULL)",
    "INSERT INTO ckg_store (version) VALUES (0)",
    "CREATE TABLE study ("
    " id INTEGER PRIMARY KEY,"
    " name TEXT NOT NULL UNIQUE CHECK (length(name) > 0),"
    " definition TEXT NOT NULL,"
    " folder TEXT NOT NULL,"
    " seed TEXT NOT NULL,"
    " revision INTEGER NOT NULL DEFAULT 0 CHECK (revision >= 0),"
    " created REAL NOT NULL)",
    "CREATE TABLE worker ("
    " id INTEGER PRIMARY KEY,"
    " machine TEXT NOT NULL,"
    " process INTEGER NOT NULL,"
    " born INTEGER NOT NULL,"
    " heartbeat REAL NOT NULL)",
    "CREATE TABLE trial ("
    " study INTEGER NOT NULL REFERENCES study (id) ON DELETE CASCADE,"
    " number INTEGER NOT NULL CHECK (number >= 1),"
    " revision INTEGER NOT NULL CHECK (revision >= 1),"
    " state TEXT NOT NULL CHECK (state IN ('pending', 'running', 'complete', 'failed')),"
    " origin TEXT NOT NULL CHECK (origin IN ('design', 'policy', 'user')),"
    " queued INTEGER NOT NULL CHECK (queued IN (0, 1)),"
    " parameters TEXT NOT NULL,"
    " outcomes TEXT,"
    " why TEXT,"
    " log TEXT,"
    " seconds REAL,"
    " starts INTEGER NOT NULL DEFAULT 0,"
    " failures INTEGER NOT NULL DEFAULT 0,"
    " worker INTEGER REFERENCES worker (id),"
    " process INTEGER,"
    " born INTEGER,"
    " asked REAL NOT NULL,"
    " ended REAL,"
    " PRIMARY KEY (study, number),"
    " CHECK ((state = 'running') = (worker IS NOT NULL)),"
    " CHECK ((state = 'complete') = (outcomes IS NOT NULL)),"
    " CHECK (state <> 'failed' OR why IS NOT NULL))",
    "CREATE INDEX trial_revision ON trial (study, revision)",
    NULL,
};

static const char *const *const steps[] = {step_0};

enum { VERSION = sizeof steps / sizeof *steps };

static int read_version(void *context, const struct app_sql_value *columns, struct app_message *message)
{
    (void)message;
    *(int64_t *)context = columns[0].integer;
    return CKG_OK;
}

static int find_version(const struct app_sql_driver *driver, void *database, const char *url,
                        int64_t *version, struct app_message *message)
{
    int ours = 0, any = 0;
    int status = driver->has_table(database, NULL, &any, message);
    /* in this order: another process may make the store, all its tables at once, between the two */
    if (!status && any)
        status = driver->has_table(database, "ckg_store", &ours, message);
    *version = 0;
    if (!status && any && !ours)
        return app_fail(message, CKG_ERR_INVALID,
                        "%s: the database of another program; give another path by --store", url);
    if (!status && ours)
        status = driver->run(database, "SELECT version FROM ckg_store", 0, NULL, read_version, version, NULL,
                             message);
    if (!status && ours && *version < 1)
        return app_fail(message, CKG_ERR_INVALID,
                        "%s: the store is damaged: it has no version; put a copy of it in its place", url);
    if (!status && *version > VERSION)
        return app_fail(
            message, CKG_ERR_INVALID,
            "%s: written by a newer ckg (store version %d, this program knows %d); install that version", url,
            (int)*version, (int)VERSION);
    return status;
}

/* The steps that are missing, as one transaction; another process may have made them meanwhile. */
static int migrate(const struct app_sql_driver *driver, void *database, const char *url,
                   struct app_message *message)
{
    int64_t version;
    int status = driver->begin(database, 1, message);
    if (status)
        return status;
    status = find_version(driver, database, url, &version, message);
    for (; !status && version < VERSION; version++) {
        const struct app_sql_value next = {.type = APP_SQL_INTEGER, .integer = version + 1};
        for (const char *const *sql = steps[version]; !status && *sql; sql++)
            status = driver->run(database, *sql, 0, NULL, NULL, NULL, NULL, message);
        if (!status)
            status = driver->run(database, "UPDATE ckg_store SET version = $1", 1, &next, NULL, NULL, NULL,
                                 message);
    }
    if (!status)
        status = driver->commit(database, message);
    if (status)
        driver->rollback(database);
    return status;
}

int app_schema_open(const struct app_sql_driver *driver, void *database, const char *url, int create,
                    struct app_message *message)
{
    int64_t version;
    int status = find_version(driver, database, url, &version, message);
    if (status || version == VERSION)
        return status;
    if (!version && !create)
        return app_fail(message, CKG_ERR_NOT_FOUND,
                        "%s: there is no study in it yet; `ckg run` or `ckg ask` begins one", url);
    status = driver->settle(database, message);
    return status ? status : migrate(driver, database, url, message);
}

/*
 * A database is brought from version v to v + 1 by the statements of step v. What a released version wrote
 * stays readable for ever, so steps are added and never changed. The version is in ckg_store, written in the
 * same transaction. Types are words of the database's dialect (store/sql.h).
 */
#include "store/schema.h"

#include <stddef.h>

#include <ckg/status.h>

#include "store/checksum.h"
#include "store/rename_policy.h"

static const char *const step_0[] = {
    "CREATE TABLE ckg_store (version {integer} NOT NULL)",
    "INSERT INTO ckg_store (version) VALUES (0)",
    "CREATE TABLE study ("
    " id {id},"
    " name {text} NOT NULL UNIQUE CHECK (length(name) > 0),"
    " definition TEXT NOT NULL,"
    " folder TEXT NOT NULL,"
    " seed TEXT NOT NULL,"
    " revision {integer} NOT NULL DEFAULT 0 CHECK (revision >= 0),"
    " created {real} NOT NULL)",
    "CREATE TABLE worker ("
    " id {id},"
    " machine TEXT NOT NULL,"
    " process {integer} NOT NULL,"
    " born {integer} NOT NULL,"
    " heartbeat {real} NOT NULL)",
    "CREATE TABLE trial ("
    " study {integer} NOT NULL REFERENCES study (id) ON DELETE CASCADE,"
    " number {integer} NOT NULL CHECK (number >= 1),"
    " revision {integer} NOT NULL CHECK (revision >= 1),"
    " state TEXT NOT NULL CHECK (state IN ('pending', 'running', 'complete', 'failed')),"
    " origin TEXT NOT NULL CHECK (origin IN ('design', 'policy', 'user')),"
    " queued {integer} NOT NULL CHECK (queued IN (0, 1)),"
    " parameters TEXT NOT NULL,"
    " outcomes TEXT,"
    " why TEXT,"
    " log TEXT,"
    " seconds {real},"
    " starts {integer} NOT NULL DEFAULT 0,"
    " failures {integer} NOT NULL DEFAULT 0,"
    " worker {integer} REFERENCES worker (id),"
    " process {integer},"
    " born {integer},"
    " asked {real} NOT NULL,"
    " ended {real},"
    " PRIMARY KEY (study, number),"
    " CHECK ((state = 'running') = (worker IS NOT NULL)),"
    " CHECK ((state = 'complete') = (outcomes IS NOT NULL)),"
    " CHECK (state <> 'failed' OR why IS NOT NULL))",
    "CREATE INDEX trial_revision ON {schema}trial (study, revision)",
    NULL,
};

/*
 * What was told can be mended, and everything that was ever said is kept. A trial may be set aside; it keeps
 * the whole answer of its evaluation, what that said beyond the outcomes, and notes. A change is what a
 * person did by one command: the definition before and after where that changed, and an image of each trial
 * that it touched, before and after. A trial that it added has no image of before. "undone" is an image of
 * what an undo put aside. A rule on states cannot be altered everywhere, so the table is made anew.
 */
static const char *const step_1[] = {
    "CREATE TABLE trial_1 ("
    " study {integer} NOT NULL REFERENCES study (id) ON DELETE CASCADE,"
    " number {integer} NOT NULL CHECK (number >= 1),"
    " revision {integer} NOT NULL CHECK (revision >= 1),"
    " state TEXT NOT NULL CHECK (state IN ('pending', 'running', 'complete', 'failed', 'discarded')),"
    " origin TEXT NOT NULL CHECK (origin IN ('design', 'policy', 'user')),"
    " queued {integer} NOT NULL CHECK (queued IN (0, 1)),"
    " parameters TEXT NOT NULL,"
    " outcomes TEXT,"
    " why TEXT,"
    " log TEXT,"
    " answer TEXT,"
    " extra TEXT,"
    " notes TEXT,"
    " seconds {real},"
    " starts {integer} NOT NULL DEFAULT 0,"
    " failures {integer} NOT NULL DEFAULT 0,"
    " worker {integer} REFERENCES worker (id),"
    " process {integer},"
    " born {integer},"
    " asked {real} NOT NULL,"
    " ended {real},"
    " PRIMARY KEY (study, number),"
    " CHECK ((state = 'running') = (worker IS NOT NULL)),"
    " CHECK (state = 'discarded' OR (state = 'complete') = (outcomes IS NOT NULL)),"
    " CHECK (state <> 'failed' OR why IS NOT NULL))",
    "INSERT INTO trial_1 (study, number, revision, state, origin, queued, parameters, outcomes, why, log,"
    " seconds, starts, failures, worker, process, born, asked, ended)"
    " SELECT study, number, revision, state, origin, queued, parameters, outcomes, why, log,"
    " seconds, starts, failures, worker, process, born, asked, ended FROM trial",
    "DROP TABLE trial",
    "ALTER TABLE trial_1 RENAME TO trial",
    "CREATE INDEX trial_revision ON {schema}trial (study, revision)",
    "ALTER TABLE study ADD COLUMN redefined {integer} NOT NULL DEFAULT 0",
    "CREATE TABLE change ("
    " study {integer} NOT NULL REFERENCES study (id) ON DELETE CASCADE,"
    " number {integer} NOT NULL CHECK (number >= 1),"
    " kind TEXT NOT NULL,"
    " command TEXT NOT NULL,"
    " who TEXT NOT NULL,"
    " made {real} NOT NULL,"
    " undone {real},"
    " undone_by TEXT,"
    " definition_before TEXT,"
    " definition_after TEXT,"
    " PRIMARY KEY (study, number))",
    "CREATE TABLE image ("
    " study {integer} NOT NULL,"
    " change {integer} NOT NULL,"
    " trial {integer} NOT NULL,"
    " side TEXT NOT NULL CHECK (side IN ('before', 'after', 'undone')),"
    " state TEXT NOT NULL,"
    " queued {integer} NOT NULL,"
    " parameters TEXT NOT NULL,"
    " outcomes TEXT,"
    " why TEXT,"
    " log TEXT,"
    " answer TEXT,"
    " extra TEXT,"
    " notes TEXT,"
    " seconds {real},"
    " starts {integer} NOT NULL,"
    " failures {integer} NOT NULL,"
    " ended {real},"
    " PRIMARY KEY (study, change, trial, side),"
    " FOREIGN KEY (study, change) REFERENCES change (study, number) ON DELETE CASCADE)",
    NULL,
};

/* Seals (store/seal.h): of what there is already by app_checksum_all, of the rest as it is written. */
static const char *const step_2[] = {
    "ALTER TABLE study ADD COLUMN last {integer} NOT NULL DEFAULT 0",
    "ALTER TABLE study ADD COLUMN trials {integer} NOT NULL DEFAULT 0",
    "ALTER TABLE study ADD COLUMN changes {integer} NOT NULL DEFAULT 0",
    "ALTER TABLE study ADD COLUMN seal {integer} NOT NULL DEFAULT 0",
    "ALTER TABLE trial ADD COLUMN seal {integer} NOT NULL DEFAULT 0",
    "ALTER TABLE change ADD COLUMN images {integer} NOT NULL DEFAULT 0",
    "ALTER TABLE change ADD COLUMN seal {integer} NOT NULL DEFAULT 0",
    "ALTER TABLE image ADD COLUMN seal {integer} NOT NULL DEFAULT 0",
    NULL,
};

/*
 * Leases: until when a trial is its worker's, by the clock of the database; and what workers say of
 * themselves.
 */
static const char *const step_3[] = {
    "ALTER TABLE trial ADD COLUMN lease {real}",
    "ALTER TABLE worker ADD COLUMN began {real} NOT NULL DEFAULT 0",
    "ALTER TABLE worker ADD COLUMN slots {integer} NOT NULL DEFAULT 0",
    "ALTER TABLE worker ADD COLUMN about TEXT",
    "UPDATE trial SET lease = {now} + 60 WHERE state = 'running'",
    "CREATE INDEX trial_worker ON {schema}trial (worker) WHERE worker IS NOT NULL",
    "CREATE INDEX trial_open ON {schema}trial (study, number) WHERE state IN ('pending', 'running')",
    NULL,
};

/*
 * What people want of whoever evaluates: that it holds back (`held`: 1, 2: for good), that runs begun before
 * a revision end (`stopped`), and another budget than the definition's. None of it is sealed: it is no
 * result.
 */
static const char *const step_4[] = {
    "ALTER TABLE study ADD COLUMN held {integer} NOT NULL DEFAULT 0",
    "ALTER TABLE study ADD COLUMN held_by TEXT",
    "ALTER TABLE study ADD COLUMN held_at {real}",
    "ALTER TABLE study ADD COLUMN stopped {integer} NOT NULL DEFAULT 0",
    "ALTER TABLE study ADD COLUMN budget {integer} NOT NULL DEFAULT 0",
    NULL,
};

/* Who evaluated a trial, for people: the worker's machine and process. Not sealed either. */
static const char *const step_5[] = {
    "ALTER TABLE trial ADD COLUMN evaluator TEXT",
    NULL,
};

/*
 * The policy that was called `ckg` is `auto`: app_rename_policy. The definition says that it was, as long as
 * a problem file may still mean it by the former name.
 */
static const char *const step_6[] = {NULL};

/* Who chose a trial's design, and why. A trial that has neither keeps the seal that it had. */
static const char *const step_7[] = {
    "ALTER TABLE trial ADD COLUMN chosen_by TEXT",
    "ALTER TABLE trial ADD COLUMN reason TEXT",
    NULL,
};

/* A step: its statements, and what is done after them, or NULL. */
static const struct {
    const char *const *statements;
    void (*then)(struct app_sql *sql);
} steps[] = {{step_0, NULL}, {step_1, NULL}, {step_2, app_checksum_all},  {step_3, NULL},
             {step_4, NULL}, {step_5, NULL}, {step_6, app_rename_policy}, {step_7, NULL}};

enum { VERSION = sizeof steps / sizeof *steps };

/*
 * The version of the store; 0: the database is empty. What is no store of ours, or a newer one, is refused.
 */
static int64_t find_version(struct app_sql *sql)
{
    int64_t version = 0;

    /* In this order: another process may make the store, all its tables at once, between the two. */
    const int any = app_sql_has_table(sql, NULL);
    const int ours = any && app_sql_has_table(sql, "ckg_store");
    if (ours)
        app_sql_run(sql, "SELECT version FROM ckg_store", 0, NULL, app_sql_first_integer, &version);
    if (sql->status || !any)
        return 0;

    if (!ours)
        sql->status = app_fail(
            sql->message, CKG_ERR_INVALID,
            "%s: this database belongs to another program; choose another path with --store", sql->url);
    else if (version < 1)
        sql->status = app_fail(sql->message, CKG_ERR_INVALID,
                               "%s: the store is damaged: it has no version; restore it from a backup",
                               sql->url);
    else if (version > VERSION)
        sql->status = app_fail(
            sql->message, CKG_ERR_INVALID,
            "%s: written by a newer ckg (store version %d, this program knows %d); install that version",
            sql->url, (int)version, (int)VERSION);
    return version;
}

/*
 * From this version to the last: all tables first, so that what is done after them finds them as they are
 * now.
 */
static void make_steps(struct app_sql *sql, int64_t version)
{
    for (int64_t v = version; v < VERSION; v++)
        for (const char *const *statement = steps[v].statements; *statement; statement++)
            app_sql_run(sql, *statement, 0, NULL, NULL, NULL);
    for (int64_t v = version; v < VERSION; v++)
        if (steps[v].then && !sql->status)
            steps[v].then(sql);
    APP_SQL(sql, "UPDATE ckg_store SET version = $1", NULL, NULL, VERSION);
}

/* The steps that are missing, as one transaction; another process may have made them meanwhile. */
static int migrate(struct app_sql *sql, struct app_message *message)
{
    do {
        app_sql_begin(sql, 1, message);
        if (!sql->status && sql->driver->alone)
            sql->status = sql->driver->alone(sql->database, message);
        const int64_t version = find_version(sql);
        if (!sql->status && version < VERSION)
            make_steps(sql, version);
    } while (app_sql_end(sql));
    return sql->status;
}

int app_schema_open(struct app_sql *sql, int create, struct app_message *message)
{
    app_sql_call(sql, message);
    const int64_t version = find_version(sql);

    if (sql->status || version == VERSION)
        return sql->status;
    if (!version && !create)
        return app_fail(message, CKG_ERR_NOT_FOUND,
                        "%s: there is no study in it yet; `ckg run` or `ckg ask` starts one", sql->url);
    const int status = sql->driver->settle ? sql->driver->settle(sql->database, message) : CKG_OK;
    return status ? status : migrate(sql, message);
}

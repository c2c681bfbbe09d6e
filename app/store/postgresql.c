/*
 * The PostgreSQL driver, by libpq. Everything is in the schema `ckg` of a database of the user's. Nothing is
 * kept in a session but the channels that are listened to, so that connections may come from pgbouncer in
 * transaction mode: no prepared statements, settings and locks of transactions alone. Parameters and results
 * are sent in binary, so that numbers come back bit for bit.
 *
 * A lost connection is made anew, half a minute long. What was under way then is rolled back by the server,
 * and tried again by the store; whether a commit was one that the server did not live to confirm, its
 * transaction's number tells.
 *
 * The lock is an advisory lock of a transaction, which the server gives back when the connection ends.
 * Nothing is written in that transaction until there is a design, so that nobody else waits for it; its
 * commit gives the lock back, and the next statement takes it again. Signs of life in between go by a
 * connection of their own.
 *
 * What is listened to is the session's, so whoever lends sessions out, as pgbouncer does, passes nothing on:
 * then there is nothing to listen to, and one looks instead.
 */
#include <libpq-fe.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <ckg/status.h>

#include "base/clock.h"
#include "store/postgresql_connect.h"
#include "store/postgresql_values.h"
#include "store/sql.h"
#include "store/store.h"

/* Seconds: how long a server that went away is waited for, unless somebody says otherwise. */
static const double usual_patience = APP_STORE_PATIENCE;

/* The first half of the numbers of our advisory locks: the letters ckg; and the oldest server. */
#define LOCKS "6515559"
enum { OLDEST = 120000 };

struct database {
    PGconn *connection;
    char *url;
    int broken;               /* libpq has failed on it, whatever it says of its state */
    int writing;              /* between begin and its end */
    int sent;                 /* statements of it whose answers have not been looked at */
    char number[24];          /* of that transaction */
    char began[32];           /* when the server did, as it said then */
    int may_try;              /* the last failure was none of the statement's */
    double patience;          /* seconds that a server that went away is waited for */
    double trouble;           /* since when such failures follow each other, by app_clock; 0: they do not */
    struct app_asking asking; /* whether a connection is still wanted */
    int64_t lock;             /* the study that is locked, 0: none */
    int lock_open;            /* its transaction is open */
    int sign;                 /* a sign of life is given, without a transaction */
    PGconn *inside;           /* the lock's connection, while a sign goes by another; else NULL */
    int lent;                 /* 1: the session is not ours alone, 0: it is; -1: not known */
    int channels;             /* how many studies we listen to */
    int64_t *listened;        /* (channels) */
    int news;                 /* something was heard */
};

/* --- complaints --- */

/* What to do about it, by the server's code. */
static const struct {
    const char *code;
    const char *text;
} advices[] = {
    {"42501", "; its owner can help: GRANT CREATE ON DATABASE, or GRANT ALL ON SCHEMA ckg and its tables"},
    {"55P03", "; another program is using it, try again"},
    {"53100", "; free some space there, then run the same command again"},
    {"53300", "; it has too many connections, see max_connections or pgbouncer"},
    {"XX001", "; restore it from a backup, or see what `ckg check` can save"},
};

/* Failures that are the server's or another transaction's: its end, its start, deadlocks. */
static int is_passing(const char *code)
{
    static const char *const codes[] = {"57P01", "57P02", "57P03", "25P03", "40001", "40P01"};

    for (size_t i = 0; code && i < sizeof codes / sizeof *codes; i++)
        if (!strcmp(code, codes[i]))
            return 1;
    return code && !strncmp(code, "08", 2);
}

static int pg_lost(void *database)
{
    const struct database *db = database;

    return db->broken || PQstatus(db->connection) != CONNECTION_OK;
}

static int is_good(const PGresult *result)
{
    const ExecStatusType status = PQresultStatus(result);

    return status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK;
}

/*
 * A failure that has no code of the server's is the connection's; libpq may still take that for good when it
 * could not send.
 */
static PGresult *note(struct database *db, PGresult *result)
{
    if (!is_good(result) && !PQresultErrorField(result, PG_DIAG_SQLSTATE))
        db->broken = 1;
    return result;
}

/* Words whose answer does not matter. */
static void tell(struct database *db, const char *words)
{
    if (!pg_lost(db))
        PQclear(note(db, PQexec(db->connection, words)));
}

/* The result is freed; NULL: there is none. */
static int complain(struct database *db, PGresult *result, struct app_message *message)
{
    const char *code = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    const char *text = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
    const char *advice = pg_lost(db) ? "; see that the server runs, then run the same command again" : "";

    for (size_t i = 0; code && i < sizeof advices / sizeof *advices; i++)
        if (!strcmp(code, advices[i].code))
            advice = advices[i].text;
    if (!text)
        text = PQerrorMessage(db->connection);
    if (!*text)
        text = "timeout expired";
    db->may_try = pg_lost(db) || is_passing(code);

    const int length = (int)strcspn(text, "\n");
    const int status = app_fail(message, CKG_ERR_SYSTEM, "%s: %.*s%s", db->url, length, text, advice);
    PQclear(result);
    return status;
}

/* --- the connection --- */

static void rest(double seconds)
{
    nanosleep(&(struct timespec){.tv_nsec = (long)(seconds * 1e9)}, NULL);
}

static void listen_to(struct database *db, int64_t study)
{
    char words[64];

    snprintf(words, sizeof words, "LISTEN ckg_%lld", (long long)study);
    tell(db, words);
}

/* 1 when there is a connection, made anew where it was lost. */
static int reconnect(struct database *db)
{
    const double until = (db->trouble > 0 ? db->trouble : app_clock()) + db->patience;

    while (pg_lost(db) && app_clock() < until && !app_is_unwanted(&db->asking)) {
        PGconn *fresh = app_pg_connect(db->url, &db->asking);
        if (PQstatus(fresh) == CONNECTION_OK) {
            PQfinish(db->connection);
            db->connection = fresh;
            db->broken = 0;
            db->lock_open = 0;
            db->sent = 0;
            db->lent = -1;
            db->news = db->channels > 0; /* which are the connection's, so a new one is told */
            for (int i = 0; i < db->channels; i++)
                listen_to(db, db->listened[i]);
        } else {
            PQfinish(fresh);
            rest(0.2);
        }
    }
    return !pg_lost(db);
}

static int pg_again(void *database)
{
    struct database *db = database;
    const int may_try = db->may_try;

    db->may_try = 0;
    if (!may_try)
        return 0;
    if (!(db->trouble > 0))
        db->trouble = app_clock();
    if (app_clock() - db->trouble >= db->patience)
        return 0;
    if (!pg_lost(db))
        rest(0.01 + 0.02 * (double)(getpid() % 16) / 16); /* two that met do not meet again */
    return reconnect(db);
}

static void pg_set_patience(void *database, double seconds, const struct app_asking *asking)
{
    struct database *db = database;

    db->patience = seconds;
    db->asking = *asking;
}

static void pg_close(void *database)
{
    struct database *db = database;

    if (!db)
        return;
    PQfinish(db->connection);
    PQfinish(db->inside);
    free(db->listened);
    free(db->url);
    free(db);
}

/* A server that can do what is needed of it. */
static int check_server(struct database *db, struct app_message *message)
{
    const char *encoding = PQparameterStatus(db->connection, "server_encoding");

    if (PQserverVersion(db->connection) < OLDEST)
        return app_fail(message, CKG_ERR_INVALID,
                        "%s: PostgreSQL is older than 12; a store needs that or later", db->url);
    if (encoding && strcmp(encoding, "UTF8") != 0)
        return app_fail(
            message, CKG_ERR_INVALID,
            "%s: the database has the encoding %s; make one for the store: CREATE DATABASE … ENCODING "
            "'UTF8' TEMPLATE template0",
            db->url, encoding);
    return CKG_OK;
}

static int pg_open(void **out, const char *url, int create, const struct app_asking *asking,
                   struct app_message *message)
{
    struct database *db = calloc(1, sizeof *db);
    char *wrong = NULL;

    (void)create;
    *out = NULL;
    if (db) {
        db->url = app_copy(url);
        db->patience = usual_patience;
        db->lent = -1;
    }
    if (!db || !db->url) {
        pg_close(db);
        return app_no_memory(message);
    }

    /* As libpq reads it: the URL that has no password in it may be shown. */
    PQconninfoOption *parts = PQconninfoParse(url, &wrong);
    int status = parts ? CKG_OK : app_fail(message, CKG_ERR_INVALID, "%s", wrong ? wrong : "out of memory");
    PQconninfoFree(parts);
    PQfreemem(wrong);

    if (!status) {
        db->connection = app_pg_connect(url, asking);
        status = pg_lost(db) ? complain(db, NULL, message) : check_server(db, message);
    }
    if (status)
        pg_close(db);
    else
        *out = db;
    return status;
}

/* --- statements --- */

/*
 * The answers of all that was sent, and of `last` behind it, NULL: nothing; the first that is not good, or
 * else the last of them.
 */
static PGresult *collect(struct database *db, const char *last)
{
    const int count = db->sent + (last != NULL);
    PGresult *stored = NULL;

    if ((last && !PQsendQueryParams(db->connection, last, 0, NULL, NULL, NULL, NULL, 1)) ||
        !PQpipelineSync(db->connection))
        db->broken = 1;
    for (int i = 0; i < count; i++) {
        PGresult *result = PQgetResult(db->connection);
        PGresult *end = result ? PQgetResult(db->connection) : NULL;

        /* Each ends with a NULL; behind a bad one there is nothing to be known. */
        for (; end; end = PQgetResult(db->connection))
            PQclear(end);
        if (!stored || is_good(stored)) {
            PQclear(stored);
            stored = result;
        } else
            PQclear(result);
    }
    PQclear(PQgetResult(db->connection));
    PQexitPipelineMode(db->connection);
    db->sent = 0;
    return note(db, stored);
}

/* What was sent has worked; NULL, or the bad answer. */
static PGresult *settle(struct database *db)
{
    PGresult *result = db->sent ? collect(db, NULL) : NULL;

    if (!result || !is_good(result))
        return result;
    PQclear(result);
    return NULL;
}

/* Words without parameters, several statements perhaps; the last result, NULL: it failed. */
static PGresult *say(struct database *db, const char *words, struct app_message *message)
{
    PGresult *bad = settle(db);
    PGresult *result = bad ? bad : note(db, PQexec(db->connection, words));

    if (is_good(result))
        return result;
    complain(db, result, message);
    return NULL;
}

static int say_only(struct database *db, const char *words, struct app_message *message)
{
    PGresult *result = say(db, words, message);

    PQclear(result);
    return result ? CKG_OK : CKG_ERR_SYSTEM;
}

/* The transaction of a lock, which `how` takes. */
static PGresult *open_lock(struct database *db, const char *how, int64_t study, struct app_message *message)
{
    char words[256];

    snprintf(words, sizeof words,
             "BEGIN; SET LOCAL lock_timeout = '60s'; SET LOCAL idle_in_transaction_session_timeout = '30min';"
             " SELECT %s(" LOCKS ", %d)",
             how, (int)(study & 0x7FFFFFFF));
    return say(db, words, message);
}

/* A lock whose transaction was committed, or lost, is taken again before anything else is read. */
static void regain_lock(struct database *db)
{
    struct app_message unheard;

    if (!db->lock || db->lock_open)
        return;
    PGresult *result = open_lock(db, "pg_advisory_xact_lock", db->lock, &unheard);
    db->lock_open = result != NULL;
    PQclear(result);
    if (!db->lock_open && !pg_lost(db)) {
        tell(db, "ROLLBACK");
        db->lock = 0;
    }
}

/* Nothing of the lock's transaction is left after a failure in it. */
static void drop_lock(struct database *db)
{
    if (db->lock_open)
        tell(db, "ROLLBACK");
    db->lock_open = 0;
}

static PGresult *execute(struct database *db, const char *sql, int count, struct app_pg_bound *b)
{
    PGresult *bad = settle(db);

    if (bad)
        return bad;
    if (!db->writing)
        regain_lock(db);
    return note(db, PQexecParams(db->connection, sql, count, b->types, b->values, b->lengths, b->formats, 1));
}

/* One alone, not in a transaction that writes, only reads: it is tried again where the connection was lost.
 */
static PGresult *execute_alone(struct database *db, const char *sql, int count, struct app_pg_bound *b)
{
    PGresult *result = execute(db, sql, count, b);

    while (!is_good(result) && (pg_lost(db) || is_passing(PQresultErrorField(result, PG_DIAG_SQLSTATE)))) {
        db->may_try = 1;
        drop_lock(db);
        if (!pg_again(db))
            break;
        PQclear(result);
        result = execute(db, sql, count, b);
    }
    if (is_good(result))
        db->trouble = 0;
    else
        drop_lock(db);
    return result;
}

/*
 * In a transaction nobody waits for a statement that says nothing: it is sent, and whether it worked is known
 * before the transaction ends, or before the next one that says something.
 */
static int send_only(struct database *db, const char *sql, int count, const struct app_pg_bound *b,
                     struct app_message *message)
{
    if ((!db->sent && !PQenterPipelineMode(db->connection)) ||
        !PQsendQueryParams(db->connection, sql, count, b->types, b->values, b->lengths, b->formats, 1)) {
        db->broken = 1;
        return complain(db, NULL, message);
    }
    db->sent++;
    return CKG_OK;
}

static int pg_run(void *database, const char *sql, int count, const struct app_sql_value *values,
                  app_sql_row *row, void *context, struct app_message *message)
{
    struct database *db = database;
    struct app_pg_bound b;
    int bound = 0;

    /* What it is about. */
    while (bound < count && bound < APP_PG_PARAMETERS && app_pg_bind(&b, bound, &values[bound]))
        bound++;
    if (bound < count) {
        app_pg_unbind(&b, bound);
        return app_no_memory(message);
    }

    if (db->writing && !row) {
        const int status = send_only(db, sql, count, &b, message);
        app_pg_unbind(&b, bound);
        return status;
    }

    /* All rows are here before the first is given. */
    PGresult *result = (db->writing || db->inside ? execute : execute_alone)(db, sql, count, &b);
    app_pg_unbind(&b, bound);
    if (!is_good(result))
        return complain(db, result, message);
    const int status = row ? app_pg_give_rows(result, row, context, message) : CKG_OK;
    PQclear(result);
    return status;
}

/* --- transactions --- */

/*
 * A sign of life: each statement alone, as none needs the others, and not waited for to be safe ({relaxed}).
 * In the lock, whose transaction stays as it is, they go by a connection of their own.
 */
static int begin_sign(struct database *db, struct app_message *message)
{
    db->sign = 1;
    if (!db->lock_open)
        return CKG_OK;

    db->inside = db->connection;
    db->connection = app_pg_connect(db->url, &db->asking);
    return pg_lost(db) ? complain(db, NULL, message) : CKG_OK;
}

static void end_sign(struct database *db)
{
    if (db->inside) {
        PQfinish(db->connection);
        db->connection = db->inside;
        db->inside = NULL;
        db->broken = 0;
    }
    db->sign = 0;
}

#define BEGAN "extract(epoch FROM pg_postmaster_start_time())"
#define NUMBERED "SELECT txid_current(), " BEGAN

/*
 * The transaction has a number from its beginning on. Everything but signs of life is made durable: a server
 * may end as well as a process.
 */
static int begin_once(struct database *db, struct app_message *message)
{
    regain_lock(db);
    PGresult *result = say(db,
                           db->lock_open ? NUMBERED
                                         : "BEGIN; SET LOCAL lock_timeout = '30s'; SET LOCAL "
                                           "idle_in_transaction_session_timeout = '60s'; " NUMBERED,
                           message);

    if (!result)
        return CKG_ERR_SYSTEM;
    snprintf(db->number, sizeof db->number, "%s", PQgetvalue(result, 0, 0));
    snprintf(db->began, sizeof db->began, "%s", PQgetvalue(result, 0, 1));
    PQclear(result);
    db->writing = 1;
    db->may_try = 0;
    return CKG_OK;
}

static int pg_begin(void *database, int durable, struct app_message *message)
{
    struct database *db = database;
    int status;

    if (durable < 0)
        return begin_sign(db, message);
    do
        status = begin_once(db, message);
    while (status && pg_again(db));
    return status;
}

static void pg_rollback(void *database)
{
    struct database *db = database;

    if (db->sign) {
        end_sign(db);
        return;
    }
    PQclear(settle(db));
    if (db->writing || db->lock_open)
        tell(db, "ROLLBACK");
    db->writing = 0;
    db->lock_open = 0;
}

/*
 * The words that ask for the transaction's end. A server that has crashed since then may give numbers that it
 * did not come to write down a second time: those from the one on that it stood at when it was back, which
 * its first checkpoint has.
 */
static void write_question(const struct database *db, struct app_text *out)
{
    app_text_print(out,
                   "SELECT CASE WHEN " BEGAN " <> %s AND %s >="
                   " (split_part(next_xid, ':', 1)::bigint << 32) + split_part(next_xid, ':', 2)::bigint"
                   " THEN 'aborted' ELSE txid_status(%s) END FROM pg_control_checkpoint()",
                   db->began, db->number, db->number);
}

/* What the server says: 1 it was made, 0 it was not, -1: nothing. */
static int ask_end(struct database *db)
{
    struct app_text words = {0};
    int made = -1;

    write_question(db, &words);
    PGresult *result = words.data ? note(db, PQexec(db->connection, words.data)) : NULL;
    if (is_good(result) && !PQgetisnull(result, 0, 0)) {
        const char *word = PQgetvalue(result, 0, 0);
        made = !strcmp(word, "committed") ? 1 : !strcmp(word, "aborted") ? 0 : -1;
    }
    PQclear(result);
    app_text_free(&words);
    return made;
}

/*
 * A commit whose answer did not come: 1 when it was made, 0 when it was not, -1: the server does not say.
 * That is worth half a minute to whoever has less patience otherwise: a trial that was claimed must not be
 * forgotten.
 */
static int was_committed(struct database *db)
{
    int made = -1;

    for (double until = app_clock() + usual_patience; made < 0 && app_clock() < until;) {
        db->trouble = 0;
        made = reconnect(db) ? ask_end(db) : -1;
        if (made < 0)
            rest(0.05);
    }
    return made;
}

/* Where the server did not live to say whether a commit was made, it is asked when it is back. */
static int find_out(struct database *db, PGresult *result, struct app_message *message)
{
    const int lost = pg_lost(db);
    const int status = complain(db, result, message);

    if (!lost) {
        tell(db, "ROLLBACK"); /* where a statement before it failed, it was not tried */
        return status;
    }
    const int made = was_committed(db);
    db->may_try = made == 0;
    return made > 0 ? CKG_OK : status;
}

static int pg_commit(void *database, struct app_message *message)
{
    struct database *db = database;

    if (db->sign) {
        end_sign(db);
        return CKG_OK;
    }
    PGresult *result = db->sent ? collect(db, "COMMIT") : note(db, PQexec(db->connection, "COMMIT"));
    const int made = is_good(result) && !strcmp(PQcmdStatus(result), "COMMIT");

    db->writing = 0;
    db->lock_open = 0;
    if (!made)
        return find_out(db, result, message);
    PQclear(result);
    db->trouble = 0;
    return CKG_OK;
}

/* Whoever makes tables makes their schema too, where its owner has not. */
static int pg_alone(void *database, struct app_message *message)
{
    struct database *db = database;

    if (say_only(db, "SELECT pg_advisory_xact_lock(" LOCKS ", 0)", message))
        return CKG_ERR_SYSTEM;
    PGresult *result = say(db, "SELECT 1 FROM pg_catalog.pg_namespace WHERE nspname = 'ckg'", message);
    if (!result)
        return CKG_ERR_SYSTEM;
    const int there = PQntuples(result) > 0;
    PQclear(result);
    return there ? CKG_OK : say_only(db, "CREATE SCHEMA ckg", message);
}

/* --- the lock --- */

static void pg_unlock(void *database, int64_t study)
{
    struct database *db = database;

    (void)study;
    if (db->lock_open && !db->writing)
        drop_lock(db);
    db->lock = 0;
}

static int pg_lock(void *database, int64_t study, int *taken, struct app_message *message)
{
    struct database *db = database;
    PGresult *result;

    /* One at a time. */
    *taken = db->lock == study;
    if (*taken)
        return CKG_OK;
    pg_unlock(db, db->lock);

    do
        result = open_lock(db, "pg_try_advisory_xact_lock", study, message);
    while (!result && pg_again(db));
    if (!result)
        return CKG_ERR_SYSTEM;
    *taken = PQgetvalue(result, 0, 0)[0] == 't';
    PQclear(result);
    db->lock_open = 1;
    if (*taken)
        db->lock = study;
    else
        drop_lock(db);
    return CKG_OK;
}

/* The connection is the parent's; the child only lets go of its end. */
static void pg_forked(void *database)
{
    struct database *db = database;

    if (PQsocket(db->connection) >= 0)
        close(PQsocket(db->connection));
}

/* --- waiting --- */

static int pg_heard(void *database)
{
    struct database *db = database;
    PGnotify *notice;

    if (!pg_lost(db))
        PQconsumeInput(db->connection);
    while (!pg_lost(db) && (notice = PQnotifies(db->connection))) {
        PQfreemem(notice);
        db->news = 1;
    }
    const int news = db->news;
    db->news = 0;
    return news;
}

/* 1 when the study is among those that are listened to, as far as there is memory. */
static int is_listened(const struct database *db, int64_t study)
{
    for (int i = 0; i < db->channels; i++)
        if (db->listened[i] == study)
            return 1;
    return 0;
}

/*
 * 1 when somebody between us and the server lends us its sessions: then the one that a statement ran in is
 * not the one that we have been told of.
 */
static int is_lent(struct database *db)
{
    if (db->lent < 0) {
        PGresult *result = note(db, PQexec(db->connection, "SELECT pg_backend_pid()"));
        db->lent = !is_good(result) || atoi(PQgetvalue(result, 0, 0)) != PQbackendPID(db->connection);
        PQclear(result);
    }
    return db->lent;
}

static int pg_listen(void *database, int64_t study)
{
    struct database *db = database;

    if (pg_lost(db) || db->lock_open || db->writing || is_lent(db))
        return -1;
    if (!is_listened(db, study)) {
        int64_t *grown = realloc(db->listened, ((size_t)db->channels + 1) * sizeof *grown);
        if (!grown)
            return -1;
        grown[db->channels++] = study;
        db->listened = grown;
        listen_to(db, study);
    }
    return pg_lost(db) ? -1 : PQsocket(db->connection);
}

const struct app_sql_driver app_sql_postgresql = {
    .scheme = "postgresql:",
    .alias = "postgres:",
    .dialect =
        {
            .id = "BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY",
            .integer = "BIGINT",
            .real = "DOUBLE PRECISION",
            .text = "TEXT COLLATE \"C\"",
            .now = "(extract(epoch FROM clock_timestamp())::double precision)",
            .up = "(extract(epoch FROM clock_timestamp() - pg_postmaster_start_time())::double precision)",
            .shared_clock = 1,
            .tables = "(SELECT c.relname::text AS name FROM pg_catalog.pg_class c"
                      " JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace"
                      " WHERE n.nspname = 'ckg' AND c.relkind IN ('r', 'p')) AS found",
            .schema = "ckg.",
            .claim = "FOR UPDATE OF t SKIP LOCKED",
            .lock_row = "FOR UPDATE",
            .wake = "(SELECT 1 FROM pg_notify('ckg_' || CASE WHEN revision = 0 THEN 0 ELSE id END, ''))",
            .relaxed = "set_config('synchronous_commit', 'off', true) = 'off'",
            .check = "SELECT COALESCE((SELECT 'the index ' || c.relname || ' is not valid' FROM "
                     "pg_catalog.pg_index i"
                     " JOIN pg_catalog.pg_class c ON c.oid = i.indexrelid"
                     " JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace"
                     " WHERE n.nspname = 'ckg' AND NOT i.indisvalid LIMIT 1), 'ok')",
        },
    .open = pg_open,
    .away = app_pg_away,
    .close = pg_close,
    .alone = pg_alone,
    .begin = pg_begin,
    .commit = pg_commit,
    .rollback = pg_rollback,
    .again = pg_again,
    .run = pg_run,
    .lock = pg_lock,
    .unlock = pg_unlock,
    .forked = pg_forked,
    .listen = pg_listen,
    .heard = pg_heard,
    .lost = pg_lost,
    .set_patience = pg_set_patience,
};

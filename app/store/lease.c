/*
 * Who evaluates which trial. A trial is claimed, renewed and finished in one transaction each that looks at
 * its state first. A lease ends by the database's clock where it has one; where each client has its own, by
 * what is seen of the worker.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <ckg/status.h>

#include "base/clock.h"
#include "store/sql_store.h"

/* The seconds of the worker's leases. */
static double lease_of(const struct app_worker *worker)
{
    return worker->lease > 0 ? worker->lease : APP_STORE_SILENCE;
}

/* --- claiming --- */

struct waiting {
    const char *machine;
    int number; /* 0: any */
    app_is_gone *gone;
    struct app_heartbeats *heartbeats;
    int shared_clock;
    struct app_claim found;
    int was_claimed; /* it was a worker's before */
};

static struct waiting wait_for(struct app_store *s, const char *machine, int number, app_is_gone *gone)
{
    return (struct waiting){
        .machine = machine,
        .number = number,
        .gone = gone,
        .heartbeats = &s->heartbeats,
        .shared_clock = s->sql.driver->dialect.shared_clock,
    };
}

/*
 * The columns of a trial that is open: its number, how often it was begun, its worker if it has one, what is
 * left of the lease, and its process. A server that has just come back gives workers time to say that they
 * live.
 */
enum { NUMBER, STARTS, MACHINE, WORKER, WORKER_PROCESS, WORKER_BORN, HEARTBEAT, AGE, LEFT, PROCESS, BORN };

#define OPEN_COLUMNS                                                                                         \
    "SELECT t.number, t.starts, w.machine, w.id, w.process, w.born, w.heartbeat, {now} - w.heartbeat,"       \
    " CASE WHEN {up} < 15.0 THEN 1.0 ELSE COALESCE(t.lease, 0.0) - {now} END, t.process, t.born"             \
    " FROM trial t LEFT JOIN worker w ON w.id = t.worker"                                                    \
    " WHERE t.study = $1 AND t.state IN ('pending', 'running') AND t.queued = 1"

/* By its silence, as we have waited for it. */
static int is_silent(struct waiting *w, const struct app_sql_value *columns)
{
    const struct app_heartbeat *seen = app_heartbeats_note(w->heartbeats, columns[WORKER].integer,
                                                           columns[HEARTBEAT].real);

    return seen && app_clock() - seen->since >= APP_STORE_SILENCE;
}

/* The first that is left alone is remembered. */
static void note_remote(struct waiting *w, const struct app_sql_value *columns)
{
    struct app_remote_run *e = &w->found.remote;
    const struct app_heartbeat *seen = app_heartbeats_note(w->heartbeats, columns[WORKER].integer,
                                                           columns[HEARTBEAT].real);

    if (e->trial)
        return;
    e->trial = (int)columns[NUMBER].integer;
    e->age = columns[AGE].real;
    e->heard = seen && seen->changed;
    snprintf(e->host, sizeof e->host, "%.*s", (int)strcspn(columns[MACHINE].text, " "),
             columns[MACHINE].text);
}

/*
 * A worker of the same machine is asked for directly. Where there is one clock, the lease decides; else a
 * worker of another machine is gone by its silence.
 */
static int may_live(struct waiting *w, const struct app_sql_value *columns, int here, int gone)
{
    if (gone)
        return 0;
    if (w->shared_clock ? columns[LEFT].real < 0 : !here && is_silent(w, columns))
        return 0;
    if (!here)
        note_remote(w, columns);
    return 1;
}

/* The first trial that nobody evaluates any longer. */
static int take_waiting(void *context, const struct app_sql_value *columns, struct app_message *message)
{
    struct waiting *w = context;

    if (w->found.number || (w->number && w->number != columns[NUMBER].integer))
        return CKG_OK;

    /* One that waits has no worker. */
    w->was_claimed = columns[MACHINE].type != APP_SQL_NULL;
    if (w->was_claimed) {
        if (!columns[MACHINE].text)
            return app_sql_damaged("the worker of trial", columns[NUMBER].integer, message);
        const int here = !strcmp(columns[MACHINE].text, w->machine);
        const int gone = here && w->gone(columns[WORKER_PROCESS].integer, columns[WORKER_BORN].integer);
        if (may_live(w, columns, here, gone))
            return CKG_OK;
        w->found.lost = gone;
        w->found.worker_process = columns[WORKER_PROCESS].integer;
        w->found.worker_born = columns[WORKER_BORN].integer;
        w->found.process = columns[PROCESS].integer;
        w->found.born = columns[BORN].integer;
    }
    w->found.number = (int)columns[NUMBER].integer;
    w->found.starts = (int)columns[STARTS].integer + 1;
    return CKG_OK;
}

/* A look that takes nothing; of those that wait the first is enough. */
static void look_for_waiting(struct app_sql *sql, int64_t study, struct waiting *w)
{
    w->found = (struct app_claim){0};
    APP_SQL(sql,
            OPEN_COLUMNS " AND (t.state = 'running' OR t.number = (SELECT MIN(p.number) FROM trial p"
                         " WHERE p.study = $1 AND p.state = 'pending' AND p.queued = 1))"
                         " ORDER BY t.number",
            take_waiting, w, study);
}

/*
 * The same in a transaction that is going to change the trial, whichever waits or the one of that number;
 * `checksum` has what its change gets.
 */
static void lock_waiting(struct app_sql *sql, int64_t study, int number, struct waiting *w,
                         struct app_checksum_update *checksum)
{
    w->found = (struct app_claim){0};
    if (number)
        APP_SQL(sql, OPEN_COLUMNS " AND t.number = $2 {claim}", take_waiting, w, study, number);
    else
        APP_SQL(sql, OPEN_COLUMNS " AND t.state = 'pending' ORDER BY t.number LIMIT 1 {claim}", take_waiting,
                w, study);

    if (!w->found.number)
        return;
    app_sql_check_trial(sql, study, w->found.number);
    app_sql_lock_row(sql, study, checksum);
}

/* What became of it, before the end of such a transaction; found.number 0: nothing. */
static void let_go(struct app_sql *sql, const struct waiting *w, struct app_checksum_update *checksum,
                   const struct app_checksum_pair *pair)
{
    if (!w->found.number)
        return;
    app_checksum_trial(sql, checksum, pair);
    app_checksum_study(sql, checksum);
}

/* Takes the trial that a look has found, or another that waits as well; found.number 0: somebody was first.
 */
static int take(struct app_sql *sql, int64_t study, const struct app_worker *worker, struct waiting *w,
                struct app_message *message)
{
    const int number = w->was_claimed ? w->found.number : 0;
    struct app_checksum_update checksum = {0};
    struct app_checksum_pair pair;

    do {
        pair = (struct app_checksum_pair){0};
        app_sql_begin(sql, 0, message);
        lock_waiting(sql, study, number, w, &checksum);
        if (w->found.number)
            APP_SQL(sql,
                    "UPDATE trial SET state = 'running', revision = $1, worker = $2, starts = starts + 1,"
                    " process = NULL, born = NULL, lease = {now} + $3 WHERE study = $4 AND number = $5"
                    " RETURNING " APP_RETURNED_TRIAL,
                    app_checksum_take, &pair, checksum.revision, worker->id, lease_of(worker), study,
                    w->found.number);
        let_go(sql, w, &checksum, &pair);
    } while (app_sql_end(sql));
    return sql->status;
}

int app_store_claim(struct app_store *s, int64_t study, const struct app_worker *worker, app_is_gone *gone,
                    struct app_claim *out, struct app_message *message)
{
    enum { TRIES = 8 };
    struct waiting w = wait_for(s, worker->machine, 0, gone);
    int status = CKG_OK;

    *out = (struct app_claim){0};
    for (int i = 0; !status && !out->number && i < TRIES; i++) {
        /* First without a transaction: mostly there is none. */
        app_sql_call(&s->sql, message);
        look_for_waiting(&s->sql, study, &w);
        out->remote = w.found.remote;
        if (s->sql.status || !w.found.number)
            return s->sql.status;

        /* Where somebody else was faster, there may be another. */
        status = take(&s->sql, study, worker, &w, message);
        if (!status && w.found.number)
            *out = w.found;
    }
    return status;
}

int app_store_release(struct app_store *s, int64_t study, int number, const char *machine, app_is_gone *gone,
                      struct app_claim *out, struct app_message *message)
{
    struct waiting w = wait_for(s, machine, number, gone);
    struct app_checksum_update checksum = {0};
    struct app_checksum_pair pair;
    struct app_sql *sql = &s->sql;

    *out = (struct app_claim){0};
    do {
        pair = (struct app_checksum_pair){0};
        app_sql_begin(sql, 1, message);
        lock_waiting(sql, study, number, &w, &checksum);
        checksum.wakes = 1;
        if (w.found.number)
            APP_SQL(sql,
                    "UPDATE trial SET state = 'pending', revision = $1, worker = NULL, process = NULL,"
                    " born = NULL, lease = NULL WHERE study = $2 AND number = $3 AND state = 'running'"
                    " RETURNING " APP_RETURNED_TRIAL,
                    app_checksum_take, &pair, checksum.revision, study, number);
        let_go(sql, &w, &checksum, &pair);
    } while (app_sql_end(sql));

    out->remote = w.found.remote;
    if (!sql->status && pair.number)
        *out = w.found;
    return sql->status;
}

int app_store_started(struct app_store *s, int64_t study, int number, int64_t worker, int64_t process,
                      int64_t born, struct app_message *message)
{
    do {
        app_sql_begin(&s->sql, -1, message);
        APP_SQL(&s->sql,
                "UPDATE trial SET process = $1, born = $2 WHERE study = $3 AND number = $4 AND worker = $5"
                " AND {relaxed}",
                NULL, NULL, process, born, study, number, worker);
    } while (app_sql_end(&s->sql));
    return s->sql.status;
}

/* --- finishing --- */

/*
 * A result that took long, or comes long after the last that was made safe against a power failure, is made
 * safe at once; of quick ones a power failure may take the last half second, the death of a process none.
 */
static int is_precious(const struct app_store *s, const struct app_trial *result)
{
    return !(result->seconds < 0.2) || app_clock() - s->synced > 0.5;
}

/* The result is the trial's where that is open, and this worker's or, if `late`, anybody's. */
static void write_result(struct app_sql *sql, const struct app_checksum_update *checksum,
                         const struct app_trial *r, int64_t worker, int late, struct app_checksum_pair *pair)
{
    app_sql_write_trial(
        sql,
        "UPDATE trial SET state = $4, revision = $3, outcomes = $8, why = $9, log = $10, answer = $11,"
        " extra = $12, notes = $13, seconds = $14, failures = failures + $16,"
        " ended = CASE WHEN $4 <> 'pending' THEN {now} END,"
        " evaluator = CASE WHEN $4 <> 'pending' THEN"
        " (SELECT w.machine || ' ' || w.process FROM worker w WHERE w.id = $21) END,"
        " worker = NULL, process = NULL, born = NULL, lease = NULL"
        " WHERE study = $1 AND number = $2 AND state IN ('pending', 'running')"
        " AND (COALESCE(worker, 0) = $21 OR $22 = 1) RETURNING " APP_RETURNED_TRIAL,
        checksum->study, checksum->revision, r, worker, late, pair);
}

/* How a trial stands to an answer that is not its worker's. */
struct against {
    int found;
    int open;     /* nobody has answered */
    int known;    /* it was begun as often as the answer says, and has the design of the answer */
    int the_same; /* this very answer is its own */
};

static int take_against(void *context, const struct app_sql_value *columns, struct app_message *message)
{
    struct against *a = context;

    (void)message;
    *a = (struct against){1, (int)columns[0].integer, (int)columns[1].integer, (int)columns[2].integer};
    return CKG_OK;
}

static void compare_late(struct app_sql *sql, int64_t study, const struct app_trial *r, struct against *out)
{
    *out = (struct against){0};
    APP_SQL(sql,
            "SELECT CASE WHEN state IN ('pending', 'running') THEN 1 ELSE 0 END,"
            " CASE WHEN starts >= $1 AND parameters = COALESCE($2, parameters) THEN 1 ELSE 0 END,"
            " CASE WHEN state = 'complete' AND outcomes = $3 AND seconds = $4 THEN 1 ELSE 0 END"
            " FROM trial WHERE study = $5 AND number = $6",
            take_against, out, r->starts, r->parameters, r->outcomes, r->seconds, study, r->number);
}

/* The answer as another line of the trial's notes. */
static void keep_beside(struct app_sql *sql, const struct app_checksum_update *checksum,
                        const struct app_trial *r, struct app_checksum_pair *pair)
{
    struct app_trial beside = *r;
    struct app_text note = {0};

    app_text_print(&note, "a late answer that was not used: %s", r->outcomes);
    if (isfinite(r->seconds))
        app_text_print(&note, " after %.3g s", r->seconds);
    if (note.failed)
        sql->status = app_no_memory(sql->message);
    beside.notes = note.data;
    app_sql_write_trial(sql,
                        "UPDATE trial SET revision = $3, notes = COALESCE(notes || '\n', '') || $13"
                        " WHERE study = $1 AND number = $2 RETURNING " APP_RETURNED_TRIAL,
                        checksum->study, checksum->revision, &beside, 0, 0, pair);
    app_text_free(&note);
}

/* Values that come when the trial is no longer their worker's. */
static enum app_stored take_late(struct app_sql *sql, const struct app_checksum_update *checksum,
                                 const struct app_trial *r, int64_t worker, struct app_checksum_pair *pair)
{
    struct against trial;

    compare_late(sql, checksum->study, r, &trial);
    if (!trial.found)
        return APP_NOT_STORED;
    if (trial.the_same)
        return APP_STORED;
    if (!trial.open || !trial.known) {
        keep_beside(sql, checksum, r, pair);
        return APP_STORED_BESIDE;
    }
    write_result(sql, checksum, r, worker, 1, pair);
    return APP_STORED;
}

/* The result as it counts, in a transaction whose end seals it. */
static enum app_stored keep_result(struct app_sql *sql, struct app_checksum_update *checksum,
                                   const struct app_trial *r, int64_t worker)
{
    struct app_checksum_pair pair = {0};
    enum app_stored stored = APP_NOT_STORED;

    /* It counts where the trial is still open, and this worker's; what was measured is kept all the same. */
    write_result(sql, checksum, r, worker, 0, &pair);
    if (pair.number)
        stored = APP_STORED;
    else if (r->starts > 0 && r->state == APP_COMPLETE)
        stored = take_late(sql, checksum, r, worker, &pair);
    app_checksum_trial(sql, checksum, &pair);
    return stored;
}

int app_store_finish(struct app_store *s, int64_t study, const struct app_trial *r, int64_t worker,
                     int *stored, struct app_message *message)
{
    const int durable = is_precious(s, r);
    struct app_checksum_update checksum;
    struct app_sql *sql = &s->sql;

    do {
        app_sql_begin(sql, durable, message);
        app_sql_check_trial(sql, study, r->number);
        app_sql_lock_row(sql, study, &checksum);
        checksum.wakes = 1;
        *stored = keep_result(sql, &checksum, r, worker);
        app_checksum_study(sql, &checksum);
    } while (app_sql_end(sql));

    /* Only what was committed has been kept. */
    if (sql->status)
        *stored = APP_NOT_STORED;
    else if (durable)
        s->synced = app_clock();
    return sql->status;
}

/* --- workers --- */

int app_store_worker_add(struct app_store *s, struct app_worker *worker, struct app_message *message)
{
    enum { MANY = 1000 };
    struct app_sql *sql = &s->sql;

    do {
        app_sql_begin(sql, 0, message);

        /*
         * Those of long ago that have nothing are forgotten: by their number, for clocks can be wrong, and by
         * their silence, for a thousand may be alive.
         */
        APP_SQL(sql,
                "DELETE FROM worker WHERE id <= (SELECT MAX(id) FROM worker) - $1"
                " AND {now} - heartbeat > 3600"
                " AND id NOT IN (SELECT worker FROM trial WHERE worker IS NOT NULL)",
                NULL, NULL, MANY);
        APP_SQL(sql,
                "INSERT INTO worker (machine, process, born, slots, about, heartbeat, began)"
                " VALUES ($1, $2, $3, $4, $5, {now}, {now}) RETURNING id",
                app_sql_first_integer, &worker->id, worker->machine, worker->process, worker->born,
                worker->slots, worker->about);
    } while (app_sql_end(sql));
    return sql->status;
}

int app_store_heartbeat(struct app_store *s, const struct app_worker *worker, struct app_message *message)
{
    struct app_sql *sql = &s->sql;
    int64_t trials; /* how many it has, -1: the store does not know it */

    do {
        trials = -1;
        app_sql_begin(sql, -1, message);

        /* It is another every time, whatever is done to the clock. */
        APP_SQL(sql,
                "UPDATE worker SET heartbeat = CASE WHEN heartbeat = {now}"
                " THEN heartbeat + 0.001 ELSE {now} END WHERE id = $1 AND {relaxed}"
                " RETURNING (SELECT COUNT(*) FROM trial t WHERE t.worker = worker.id)",
                app_sql_first_integer, &trials, worker->id);
        if (trials > 0)
            APP_SQL(sql, "UPDATE trial SET lease = {now} + $1 WHERE worker = $2 AND {relaxed}", NULL, NULL,
                    lease_of(worker), worker->id);
    } while (app_sql_end(sql));
    return sql->status || trials >= 0
               ? sql->status
               : app_fail(message, CKG_ERR_NOT_FOUND, "the store has forgotten this worker");
}

void app_store_worker_remove(struct app_store *s, const struct app_worker *worker)
{
    struct app_message unheard;

    do {
        app_sql_begin(&s->sql, 0, &unheard);
        APP_SQL(&s->sql,
                "DELETE FROM worker WHERE id = $1"
                " AND id NOT IN (SELECT worker FROM trial WHERE worker IS NOT NULL)",
                NULL, NULL, worker->id);
    } while (app_sql_end(&s->sql));
}

/* --- who is there --- */

struct visit {
    app_worker_visit *worker;
    app_lease_visit *lease;
    void *context;
};

/* The worker whose columns begin there: its id, machine, process, birth. */
static struct app_worker worker_at(const struct app_sql_value *columns)
{
    return (struct app_worker){.id = columns[0].integer,
                               .machine = columns[1].text ? columns[1].text : "",
                               .process = columns[2].integer,
                               .born = columns[3].integer};
}

static int take_worker(void *context, const struct app_sql_value *columns, struct app_message *message)
{
    const struct visit *to = context;
    struct app_worker_seen seen = {.worker = worker_at(columns),
                                   .age = app_sql_number(&columns[6]),
                                   .silent = columns[7].real,
                                   .trials = (int)columns[8].integer};

    (void)message;
    seen.worker.slots = (int)columns[4].integer;
    seen.worker.about = columns[5].text;
    return to->worker(to->context, &seen);
}

int app_store_workers(struct app_store *s, app_worker_visit *visit, void *context,
                      struct app_message *message)
{
    struct visit to = {.worker = visit, .context = context};

    app_sql_call(&s->sql, message);
    return app_sql_run(&s->sql,
                       "SELECT w.id, w.machine, w.process, w.born, w.slots, w.about,"
                       " CASE WHEN w.began > 0 THEN {now} - w.began END, {now} - w.heartbeat,"
                       " (SELECT COUNT(*) FROM trial t WHERE t.worker = w.id) FROM worker w ORDER BY w.id",
                       0, NULL, take_worker, &to);
}

static int take_lease(void *context, const struct app_sql_value *columns, struct app_message *message)
{
    const struct visit *to = context;
    const struct app_lease lease = {.number = (int)columns[6].integer,
                                    .worker = worker_at(columns),
                                    .left = app_sql_number(&columns[5]),
                                    .silent = columns[4].real};

    (void)message;
    return to->lease(to->context, &lease);
}

int app_store_leases(struct app_store *s, int64_t study, app_lease_visit *visit, void *context,
                     struct app_message *message)
{
    struct visit to = {.lease = visit, .context = context};

    app_sql_call(&s->sql, message);
    return APP_SQL(&s->sql,
                   "SELECT w.id, w.machine, w.process, w.born, {now} - w.heartbeat, t.lease - {now},"
                   " t.number FROM trial t JOIN worker w ON w.id = t.worker WHERE t.study = $1"
                   " AND t.state = 'running' ORDER BY t.number",
                   take_lease, &to, study);
}

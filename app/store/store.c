/*
 * A store in an SQL database: studies and their trials. Trials are added only by who holds the lock; who
 * evaluates them is in store/lease.c. Every change is a transaction that is tried again where the connection
 * was lost on the way, and never made twice.
 */
#include "store/store.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ckg/status.h>

#include "base/clock.h"
#include "store/sql_store.h"
#include "store/schema.h"
#include "store/secret.h"

static const char *const state_names[APP_STATES] = {"pending", "running", "complete", "failed", "discarded"};

const char *app_state_name(enum app_state state)
{
    return state < APP_STATES ? state_names[state] : NULL;
}

enum app_state app_state_named(const char *name)
{
    int state = 0;

    while (state < APP_STATES && (!name || strcmp(name, state_names[state]) != 0))
        state++;
    return (enum app_state)state;
}

int app_sql_are_texts(const struct app_sql_value *columns, int first, int last)
{
    for (int i = first; i <= last; i++)
        if (!columns[i].text)
            return 0;
    return 1;
}

int app_sql_damaged(const char *what, int64_t number, struct app_message *message)
{
    return app_fail(
        message, CKG_ERR_SYSTEM,
        "the store is damaged: %s %lld is not what was written; `ckg check` says what can be saved", what,
        (long long)number);
}

/* --- studies --- */

void app_study_record_free(struct app_study_record *study)
{
    free(study->name);
    free(study->definition);
    free(study->folder);
    *study = (struct app_study_record){0};
}

struct glance {
    app_study_visit *visit;
    void *context;
};

static int take_glance(void *context, const struct app_sql_value *columns, struct app_message *message)
{
    const struct glance *to = context;
    const struct app_study_seen seen = {.name = columns[0].text,
                                        .definition = columns[1].text,
                                        .created = app_sql_number(&columns[2]),
                                        .ended = app_sql_number(&columns[3]),
                                        .complete = (int)columns[4].integer,
                                        .failed = (int)columns[5].integer,
                                        .running = (int)columns[6].integer,
                                        .pending = (int)columns[7].integer,
                                        .discarded = (int)columns[8].integer};

    return app_sql_are_texts(columns, 0, 1) ? to->visit(to->context, &seen)
                                            : app_sql_damaged("a study", 0, message);
}

int app_store_studies(struct app_store *s, app_study_visit *visit, void *context, struct app_message *message)
{
    struct glance to = {visit, context};

    app_sql_call(&s->sql, message);
    return app_sql_run(&s->sql,
                       "SELECT s.name, s.definition, s.created, MAX(t.ended),"
                       " COUNT(CASE WHEN t.state = 'complete' THEN 1 END),"
                       " COUNT(CASE WHEN t.state = 'failed' THEN 1 END),"
                       " COUNT(CASE WHEN t.state = 'running' THEN 1 END),"
                       " COUNT(CASE WHEN t.state = 'pending' THEN 1 END),"
                       " COUNT(CASE WHEN t.state = 'discarded' THEN 1 END)"
                       " FROM study s LEFT JOIN trial t ON t.study = s.id"
                       " GROUP BY s.id, s.name, s.definition, s.created ORDER BY s.name",
                       0, NULL, take_glance, &to);
}

struct names {
    app_name_visit *visit;
    void *context;
};

static int take_name(void *context, const struct app_sql_value *columns, struct app_message *message)
{
    const struct names *to = context;

    return columns[0].text ? to->visit(to->context, columns[0].text) : app_sql_damaged("a study", 0, message);
}

int app_store_study_names(struct app_store *s, app_name_visit *visit, void *context,
                          struct app_message *message)
{
    struct names to = {visit, context};

    app_sql_call(&s->sql, message);
    return app_sql_run(&s->sql, "SELECT name FROM study ORDER BY name", 0, NULL, take_name, &to);
}

static int take_study(void *context, const struct app_sql_value *columns, struct app_message *message)
{
    struct app_study_record *out = context;

    if (!app_checksum_matches(columns, APP_STUDY_CHECKSUM) ||
        !app_sql_are_texts(columns, APP_STUDY_NAME, APP_STUDY_SEED))
        return app_sql_damaged("study", columns[APP_STUDY_ID].integer, message);

    out->id = columns[APP_STUDY_ID].integer;
    out->name = app_copy(columns[APP_STUDY_NAME].text);
    out->definition = app_copy(columns[APP_STUDY_DEFINITION].text);
    out->folder = app_copy(columns[APP_STUDY_FOLDER].text);
    out->seed = strtoull(columns[APP_STUDY_SEED].text, NULL, 10);
    out->redefined = columns[APP_STUDY_REDEFINED].integer;
    return out->name && out->definition && out->folder ? CKG_OK : app_no_memory(message);
}

/* A study that was not asked for, by its name: the context, or NULL. */
static int take_other(void *context, const struct app_sql_value *columns, struct app_message *message)
{
    const char *asked = context;
    const int found = asked && columns[APP_STUDY_NAME].text && !strcmp(asked, columns[APP_STUDY_NAME].text);

    return app_checksum_matches(columns, APP_STUDY_CHECKSUM) && !found
               ? CKG_OK
               : app_sql_damaged("study", columns[APP_STUDY_ID].integer, message);
}

/* Before a study is said not to be there: none has lost its name or its place, and no trial its study. */
static int check_lost(struct app_sql *sql, const char *name)
{
    struct app_text asked = {0};
    int64_t orphans = 0;

    app_text_print(&asked, "%s", name);
    app_sql_run(sql, "SELECT " APP_CHECKSUM_OF_STUDY " FROM study ORDER BY id", 0, NULL, take_other,
                asked.data);
    app_text_free(&asked);
    app_sql_run(sql, "SELECT COUNT(*) FROM trial t WHERE NOT EXISTS (SELECT 1 FROM study WHERE id = t.study)",
                0, NULL, app_sql_first_integer, &orphans);
    if (!sql->status && orphans)
        sql->status = app_fail(
            sql->message, CKG_ERR_SYSTEM,
            "the store is damaged: %lld trials have no study; `ckg check` says what can be saved",
            (long long)orphans);
    return sql->status;
}

static int look_up(struct app_sql *sql, const char *name, struct app_study_record *out)
{
    *out = (struct app_study_record){0};
    return APP_SQL(sql, "SELECT " APP_CHECKSUM_OF_STUDY " FROM study WHERE name = $1", take_study, out, name);
}

static int find(struct app_sql *sql, const char *name, struct app_study_record *out)
{
    /* What was not there when it was looked for may have been made since, by another program. */
    if (!look_up(sql, name, out) && !out->id && check_lost(sql, name)) {
        struct app_message *message = sql->message;
        struct app_message unheard;
        const int lost = sql->status;

        app_sql_call(sql, &unheard);
        sql->status = !look_up(sql, name, out) && out->id ? CKG_OK : lost;
        sql->message = message;
    }
    if (!sql->status && !out->id)
        sql->status = app_fail(sql->message, CKG_ERR_NOT_FOUND, "there is no study '%s' in the store", name);
    if (sql->status)
        app_study_record_free(out);
    return sql->status;
}

int app_store_study_find(struct app_store *s, const char *name, struct app_study_record *out,
                         struct app_message *message)
{
    app_sql_call(&s->sql, message);
    return find(&s->sql, name, out);
}

static const char *seed_text(uint64_t seed, char buffer[24])
{
    size_t at = 23;

    buffer[at] = 0;
    do
        buffer[--at] = (char)('0' + seed % 10);
    while (seed /= 10);
    return buffer + at;
}

int app_store_study_create(struct app_store *s, const struct app_study_record *study,
                           struct app_study_record *out, struct app_message *message)
{
    struct app_sql *sql = &s->sql;
    char seed[24];

    *out = (struct app_study_record){0};
    do {
        struct app_checksum_update checksum = {.wakes = 1};

        /* Where another was first, that one stays. */
        app_study_record_free(out);
        app_sql_begin(sql, 1, message);
        APP_SQL(sql,
                "INSERT INTO study (name, definition, folder, seed, created) VALUES ($1, $2, $3, $4, {now})"
                " ON CONFLICT (name) DO NOTHING RETURNING id",
                app_sql_first_integer, &checksum.study, study->name, study->definition, study->folder,
                seed_text(study->seed, seed));
        if (checksum.study)
            app_checksum_study(sql, &checksum);
        find(sql, study->name, out);
    } while (app_sql_end(sql));
    if (sql->status)
        app_study_record_free(out);
    return sql->status;
}

int app_store_study_update(struct app_store *s, const struct app_study_record *study,
                           struct app_message *message)
{
    const struct app_checksum_update checksum = {.study = study->id, .revision = INT64_MAX, .wakes = 1};
    struct app_sql *sql = &s->sql;
    char seed[24];

    do {
        app_sql_begin(sql, 1, message);
        app_sql_check_study(sql, study->id);
        APP_SQL(sql,
                "UPDATE study SET definition = $1, folder = $2, seed = $3 WHERE id = $4 AND redefined = $5",
                NULL, NULL, study->definition, study->folder, seed_text(study->seed, seed), study->id,
                study->redefined);
        app_checksum_study(sql, &checksum);
    } while (app_sql_end(sql));
    return sql->status;
}

/* --- trials --- */

static int take_standing(void *context, const struct app_sql_value *columns, struct app_message *message)
{
    struct app_study_state *out = context;
    const int64_t paused = columns[2].integer;

    (void)message;
    *out = (struct app_study_state){.last = (int)columns[0].integer,
                                    .redefined = columns[1].integer,
                                    .budget = (int)columns[6].integer,
                                    .pause = {.paused = paused == APP_PAUSED_BY_USER || paused == APP_STOPPED
                                                            ? (enum app_pause_state)paused
                                                            : APP_NOT_PAUSED,
                                              .since = app_sql_number(&columns[4]),
                                              .stopped = columns[5].integer}};
    snprintf(out->pause.by, sizeof out->pause.by, "%.127s", columns[3].text ? columns[3].text : "");
    return CKG_OK;
}

int app_store_study_state(struct app_store *s, int64_t study, struct app_study_state *out,
                          struct app_message *message)
{
    *out = (struct app_study_state){0};
    app_sql_call(&s->sql, message);
    return APP_SQL(&s->sql,
                   "SELECT (SELECT COALESCE(MAX(t.number), 0) FROM trial t WHERE t.study = $1),"
                   " redefined, held, held_by, held_at, stopped, budget FROM study WHERE id = $1",
                   take_standing, out, study);
}

struct visit {
    app_trial_visit *visit;
    void *context;
    uint64_t sum, expected; /* of the trials' seals */
    const char *evaluator;  /* of the trial, where the statement asks for it */
};

#define READ(NAME, name, KIND) .name = APP_READ_##KIND(columns[APP_TRIAL_##NAME]),

static int take_trial(void *context, const struct app_sql_value *columns, struct app_message *message)
{
    struct visit *to = context;
    const struct app_trial record = {.evaluator = to->evaluator, APP_TRIAL_COLUMNS(READ)};

    if (!app_checksum_matches(columns, APP_TRIAL_CHECKSUM) || record.state == APP_STATES || !record.origin ||
        !record.parameters)
        return app_sql_damaged("trial", columns[APP_TRIAL_NUMBER].integer, message);
    to->sum ^= (uint64_t)columns[APP_TRIAL_CHECKSUM].integer;
    return to->visit ? to->visit(to->context, &record) : CKG_OK;
}

/* A trial with the study's sum of all seals and who evaluated it; where there is none, the sum alone. */
static int take_trial_of_study(void *context, const struct app_sql_value *columns,
                               struct app_message *message)
{
    struct visit *to = context;

    to->expected = (uint64_t)columns[APP_TRIAL_COUNT].integer;
    to->evaluator = columns[APP_TRIAL_COUNT + 1].text;
    return columns[APP_TRIAL_STUDY].type == APP_SQL_NULL ? CKG_OK : take_trial(context, columns, message);
}

int app_store_trials_since(struct app_store *s, int64_t study, int64_t revision, app_trial_visit *visit,
                           void *context, struct app_message *message)
{
    struct visit to = {.visit = visit, .context = context};

    app_sql_call(&s->sql, message);
    APP_SQL(&s->sql,
            "SELECT " APP_CHECKSUM_OF_TRIAL ", s.trials, t.evaluator FROM study s LEFT JOIN trial t"
            " ON t.study = s.id AND t.revision > $1 WHERE s.id = $2 ORDER BY t.number",
            take_trial_of_study, &to, revision, study);

    /* All of them: then none is missing, and each is its latest. */
    if (!s->sql.status && !revision && to.sum != to.expected)
        return app_fail(message, CKG_ERR_SYSTEM,
                        "the store is damaged: trials are missing or older than the study; `ckg check` says "
                        "what can be saved");
    return s->sql.status;
}

int app_sql_visit_trial(struct app_sql *sql, const char *statement, int64_t study, int number,
                        app_trial_visit *visit, void *context, uint64_t *checksum)
{
    struct visit to = {.visit = visit, .context = context};

    APP_SQL(sql, statement, take_trial, &to, study, number);
    *checksum = to.sum;
    return sql->status;
}

void app_sql_check_trial(struct app_sql *sql, int64_t study, int number)
{
    struct visit nobody = {0};

    APP_SQL(sql, "SELECT " APP_CHECKSUM_OF_TRIAL " FROM trial t WHERE t.study = $1 AND t.number = $2 {lock}",
            take_trial, &nobody, study, number);
}

void app_sql_check_study(struct app_sql *sql, int64_t study)
{
    APP_SQL(sql, "SELECT " APP_CHECKSUM_OF_STUDY " FROM study WHERE id = $1", take_other, NULL, study);
}

/* Where it got no revision there is no such study. */
static void check_revision(struct app_sql *sql, const struct app_checksum_update *checksum)
{
    if (!sql->status && !checksum->revision)
        sql->status = app_fail(sql->message, CKG_ERR_NOT_FOUND, "the study has been deleted from its store");
}

void app_sql_revise(struct app_sql *sql, int64_t study, struct app_checksum_update *checksum)
{
    *checksum = (struct app_checksum_update){.study = study, .wakes = 1};
    app_sql_check_study(sql, study);
    APP_SQL(sql, "UPDATE study SET revision = revision + 1 WHERE id = $1 RETURNING revision",
            app_sql_first_integer, &checksum->revision, study);
    check_revision(sql, checksum);
}

void app_sql_lock_row(struct app_sql *sql, int64_t study, struct app_checksum_update *checksum)
{
    app_checksum_lock_row(sql, study, checksum);
    check_revision(sql, checksum);
}

#define GIVE(NAME, name, KIND) [APP_TRIAL_##NAME] = APP_GIVE_##KIND(r->name),

void app_sql_write_trial(struct app_sql *sql, const char *statement, int64_t study, int64_t revision,
                         const struct app_trial *r, int64_t first, int64_t second,
                         struct app_checksum_pair *pair)
{
    struct app_sql_value values[] = {[APP_TRIAL_STUDY] = app_sql_integer(study),
                                     [APP_TRIAL_CHECKSUM] = app_sql_integer(first),
                                     [APP_TRIAL_COUNT] = app_sql_integer(second),
                                     APP_TRIAL_COLUMNS(GIVE)};

    values[APP_TRIAL_REVISION].integer = revision;
    app_sql_run(sql, statement, APP_TRIAL_COUNT + 1, values, pair ? app_checksum_take : NULL, pair);
}

void app_sql_insert(struct app_sql *sql, int64_t study, int64_t revision, const struct app_trial *record,
                    int64_t worker, struct app_checksum_pair *pair)
{
    app_sql_write_trial(
        sql,
        "INSERT INTO trial (" APP_WRITTEN_TRIAL ", worker, lease)"
        " VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, {now},"
        " CASE WHEN $4 IN ('complete', 'failed') THEN {now} END, $19, $20, NULLIF($21, 0),"
        " CASE WHEN $4 = 'running' THEN {now} + $22 END) RETURNING " APP_RETURNED_TRIAL,
        study, revision, record, worker, APP_STORE_SILENCE, pair);
}

static void add_one(struct app_sql *sql, struct app_checksum_update *checksum, int number,
                    const struct app_trial *record, int64_t worker)
{
    struct app_trial numbered = *record;
    struct app_checksum_pair pair = {0};

    numbered.number = number;
    app_sql_insert(sql, checksum->study, checksum->revision, &numbered, worker, &pair);
    app_checksum_trial(sql, checksum, &pair);
}

int app_store_add(struct app_store *s, int64_t study, int first, int count, const struct app_trial *records,
                  int64_t worker, struct app_message *message)
{
    struct app_sql *sql = &s->sql;
    struct app_checksum_update checksum;

    do {
        app_sql_begin(sql, !worker, message);

        /* The first of them must be the next. */
        app_sql_lock_row(sql, study, &checksum);
        checksum.wakes = !worker;
        if (!sql->status && checksum.last != first - 1)
            sql->status = app_fail(message, CKG_ERR_STATE,
                                   "another program has just added trial %d; try again", first);

        for (int i = 0; !sql->status && i < count; i++)
            add_one(sql, &checksum, first + i, &records[i], worker);
        app_checksum_study(sql, &checksum);
    } while (app_sql_end(sql));
    return sql->status;
}

/* --- turns, waiting, opening --- */

int app_store_is_intact(struct app_store *s, struct app_message *message)
{
    return s->sql.driver->stored ? s->sql.driver->stored(s->sql.database, message) : CKG_OK;
}

int app_store_lock(struct app_store *s, int64_t study, int *taken, struct app_message *message)
{
    return s->sql.driver->lock(s->sql.database, study, taken, message);
}

void app_store_unlock(struct app_store *s, int64_t study)
{
    s->sql.driver->unlock(s->sql.database, study);
}

int app_store_listen(struct app_store *s, int64_t study)
{
    return s->sql.driver->listen ? s->sql.driver->listen(s->sql.database, study) : -1;
}

int app_store_heard(struct app_store *s)
{
    return s->sql.driver->heard && s->sql.driver->heard(s->sql.database);
}

void app_store_set_patience(struct app_store *s, double seconds, const struct app_asking *asking)
{
    if (s->sql.driver->set_patience)
        s->sql.driver->set_patience(s->sql.database, seconds, asking);
}

int app_store_lost(struct app_store *s)
{
    return s->sql.driver->lost && s->sql.driver->lost(s->sql.database);
}

void app_store_forked(struct app_store *s)
{
    s->sql.driver->forked(s->sql.database);
}

void app_store_close(struct app_store *s)
{
    if (s) {
        app_sql_close(&s->sql);
        app_heartbeats_free(&s->heartbeats);
    }
    free(s);
}

int app_store_open_while(struct app_store **out, const char *url, int create, const struct app_asking *asking,
                         struct app_message *message)
{
    struct app_store *s = calloc(1, sizeof *s);

    *out = NULL;
    if (!s)
        return app_no_memory(message);
    int status = app_sql_open(&s->sql, url, create, asking, message);
    if (!status)
        status = app_schema_open(&s->sql, create, message);
    if (status)
        app_store_close(s);
    else
        *out = s;
    return status;
}

int app_store_open(struct app_store **out, const char *url, int create, struct app_message *message)
{
    return app_store_open_while(out, url, create, NULL, message);
}

enum app_away app_store_away(const char *url)
{
    const struct app_sql_driver *driver = app_sql_driver_of(url);

    return driver && driver->away ? (enum app_away)driver->away(url) : APP_AWAY_NOT;
}

char *app_store_url(const char *given, const char *file)
{
    const char *scheme = app_sql_driver_first()->scheme;
    struct app_text url = {0};

    if (given) {
        app_text_print(&url, "%s%s", strchr(given, ':') ? "" : scheme, given);
        if (!url.data || !app_secret_take(url.data))
            app_text_free(&url);
        return url.data;
    }

    /* spring.yaml → sqlite:spring.db, in the same folder. */
    const char *slash = strrchr(file, '/');
    const char *dot = strrchr(file, '.');
    const size_t length = dot && dot > (slash ? slash + 1 : file) ? (size_t)(dot - file) : strlen(file);
    app_text_print(&url, "%s%.*s%s", scheme, (int)length, file, APP_STORE_ENDING);
    return url.data;
}

const char *app_store_file(const char *url)
{
    const struct app_sql_driver *driver = app_sql_driver_of(url);

    return driver && driver->is_file ? url + strlen(driver->scheme) : "";
}

int app_store_is(const char *word)
{
    const size_t length = strlen(word);
    const size_t ending = strlen(APP_STORE_ENDING);

    return app_sql_driver_of(word) || app_sql_is_file(word) ||
           (length > ending && !strcmp(word + length - ending, APP_STORE_ENDING));
}

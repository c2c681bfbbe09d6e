/*
 * Changes that people make: each is a row of `change` with images of the trials it touches, written in the
 * same transaction as the change itself. The images are copied by the database, so that undoing gives back
 * what was there to the last bit.
 */
#include <string.h>

#include <ckg/status.h>

#include "store/sql_store.h"

/* The columns of a trial that an image keeps, behind another. */
#define STORED APP_IMAGE_COLUMNS(APP_COLUMN)

/* --- making a change --- */

/* The change must rest on the problem as it is. */
static void check_problem(struct app_sql *sql, int64_t study, int64_t redefined)
{
    int64_t now = redefined;

    APP_SQL(sql, "SELECT redefined FROM study WHERE id = $1", app_sql_first_integer, &now, study);
    if (!sql->status && now != redefined)
        sql->status = app_fail(sql->message, CKG_ERR_STATE,
                               "another program has just changed the problem; run the same command again");
}

/* The row of the change; what it is called. */
static int64_t insert_change(struct app_sql *sql, int64_t study, const struct app_change *change)
{
    int64_t number = 0;

    APP_SQL(sql,
            "INSERT INTO change (study, number, kind, command, who, made, definition_before,"
            " definition_after) SELECT id, (SELECT COALESCE(MAX(c.number), 0) + 1 FROM change c"
            " WHERE c.study = $1), $2, $3, $4, {now},"
            " CASE WHEN $5 IS NOT NULL THEN definition END, $5 FROM study WHERE id = $1"
            " RETURNING number",
            app_sql_first_integer, &number, study, change->kind, change->command, change->who,
            change->definition_after);
    return number;
}

/* How the trial stands, for the change. */
static void insert_image(struct app_sql *sql, int64_t study, int64_t change, int trial, const char *side)
{
    APP_SQL(sql,
            "INSERT INTO image (study, change, trial, side" STORED ")"
            " SELECT study, $1, number, $2" STORED " FROM trial WHERE study = $3 AND number = $4",
            NULL, NULL, change, side, study, trial);
}

/* One trial of the change: as it was, what the record says that it becomes, as it is then. */
static void change_trial(struct app_sql *sql, const struct app_checksum_update *checksum, int64_t change,
                         const struct app_trial *r)
{
    const int64_t study = checksum->study;
    struct app_checksum_pair pair = {0};

    app_sql_check_trial(sql, study, r->number);
    insert_image(sql, study, change, r->number, "before");
    app_sql_write_trial(
        sql,
        "UPDATE trial SET state = $4, revision = $3, queued = $6, parameters = COALESCE($7, parameters),"
        " outcomes = $8, why = $9, log = $10, answer = $11, extra = $12, notes = $13, seconds = $14,"
        " starts = $15, failures = $16,"
        " ended = CASE WHEN $4 IN ('complete', 'failed') THEN COALESCE(ended, {now})"
        " WHEN $4 = 'discarded' THEN ended END,"
        " evaluator = CASE WHEN $4 <> 'pending' THEN evaluator END"
        " WHERE study = $1 AND number = $2 AND revision = $21 AND state <> 'running'"
        " RETURNING " APP_RETURNED_TRIAL,
        study, checksum->revision, r, r->revision, 0, &pair);
    if (!sql->status && !pair.number)
        sql->status = app_fail(sql->message, CKG_ERR_STATE,
                               "another program has just changed trial %d; look at it again", r->number);
    insert_image(sql, study, change, r->number, "after");
}

/* All trials of the change; those that it adds follow the last one without a gap. */
static void change_trials(struct app_sql *sql, const struct app_checksum_update *checksum, int64_t change,
                          int count, const struct app_trial *records)
{
    const int64_t study = checksum->study;
    int64_t last = 0;

    APP_SQL(sql, "SELECT COALESCE(MAX(number), 0) FROM trial WHERE study = $1", app_sql_first_integer, &last,
            study);
    for (int i = 0; !sql->status && i < count; i++) {
        const struct app_trial *r = &records[i];
        if (r->revision)
            change_trial(sql, checksum, change, r);
        else if (r->number == ++last) {
            app_sql_insert(sql, study, checksum->revision, r, 0, NULL);
            insert_image(sql, study, change, r->number, "after");
        } else
            sql->status = app_fail(sql->message, CKG_ERR_STATE,
                                   "another program has just added trial %d; try again", r->number);
    }
}

int app_store_change(struct app_store *s, int64_t study, const struct app_change *change, int count,
                     const struct app_trial *records, struct app_message *message)
{
    struct app_sql *sql = &s->sql;
    struct app_checksum_update checksum;

    do {
        /* On top of what it was made for. */
        app_sql_begin(sql, 1, message);
        app_sql_revise(sql, study, &checksum);
        check_problem(sql, study, change->redefined);

        /* What is done, to which trials, and what the problem becomes. */
        const int64_t number = insert_change(sql, study, change);
        change_trials(sql, &checksum, number, count, records);
        if (change->definition_after)
            APP_SQL(sql, "UPDATE study SET definition = $1, redefined = $2 WHERE id = $3", NULL, NULL,
                    change->definition_after, checksum.revision, study);
        app_checksum_change(sql, &checksum, number);
        app_checksum_study(sql, &checksum);
    } while (app_sql_end(sql));
    return sql->status;
}

/* --- taking one back --- */

/* The one number that a statement about the change gives. */
static int64_t ask(struct app_sql *sql, const char *statement, int64_t study, int64_t number)
{
    int64_t out = 0;

    APP_SQL(sql, statement, app_sql_first_integer, &out, study, number);
    return out;
}

/* Only the last change that holds is taken back. */
static void check_last(struct app_sql *sql, int64_t study, int number)
{
    const int64_t last = ask(
        sql, "SELECT COALESCE(MAX(number), 0) FROM change WHERE study = $1 AND undone IS NULL", study,
        number);

    if (!sql->status && last != number)
        sql->status = app_fail(sql->message, CKG_ERR_STATE,
                               "another program has just changed the study; look at it again");
}

/* Trials of the change that are no longer as it left them: somebody evaluated them. */
#define MOVED                                                                                                \
    " FROM trial t JOIN image i ON i.study = t.study AND i.trial = t.number"                                 \
    " WHERE t.study = $1 AND i.change = $2 AND i.side = 'after'"                                             \
    " AND (t.state <> i.state OR COALESCE(t.outcomes, '') <> COALESCE(i.outcomes, ''))"

static void check_running(struct app_sql *sql, int64_t study, int number)
{
    const int64_t running = ask(sql, "SELECT COALESCE(MIN(t.number), 0)" MOVED " AND t.state = 'running'",
                                study, number);

    if (!sql->status && running)
        sql->status = app_fail(sql->message, CKG_ERR_STATE,
                               "trial %lld is being evaluated by `ckg run`; wait for it, or stop the run",
                               (long long)running);
}

/* Trials that came after those it added would be left without numbers before theirs. */
static void check_added(struct app_sql *sql, int64_t study, int number)
{
    const int64_t first = ask(sql,
                              "SELECT COALESCE(MIN(a.trial), 0) FROM image a WHERE a.study = $1"
                              " AND a.change = $2 AND a.side = 'after' AND NOT EXISTS (SELECT 1 FROM image b"
                              " WHERE b.study = a.study AND b.change = a.change AND b.trial = a.trial"
                              " AND b.side = 'before')",
                              study, number);
    int64_t behind = 0;

    if (first)
        APP_SQL(sql,
                "SELECT COUNT(*) FROM trial WHERE study = $1 AND number > $2 AND number NOT IN"
                " (SELECT trial FROM image WHERE study = $1 AND change = $3 AND side = 'after')",
                app_sql_first_integer, &behind, study, first, number);
    if (!sql->status && behind)
        sql->status = app_fail(
            sql->message, CKG_ERR_STATE,
            "%lld trial%s followed those that it added from number %lld on, so it cannot be taken "
            "back; `ckg discard` sets them aside",
            (long long)behind, behind > 1 ? "s have" : " has", (long long)first);
}

/* The trials that the change added. */
#define ADDED                                                                                                \
    " FROM trial WHERE study = $1 AND number IN (SELECT a.trial FROM image a"                                \
    " WHERE a.study = $1 AND a.change = $2 AND a.side = 'after') AND number NOT IN"                          \
    " (SELECT b.trial FROM image b WHERE b.study = $1 AND b.change = $2 AND b.side = 'before')"

static int sum_checksums(void *context, const struct app_sql_value *columns, struct app_message *message)
{
    (void)message;

    *(uint64_t *)context ^= (uint64_t)columns[0].integer;
    return CKG_OK;
}

/* Every trial of the change is what it was before; those that were not there are gone again. */
static void restore_trials(struct app_sql *sql, struct app_checksum_update *checksum, int number)
{
    const int64_t study = checksum->study;

    APP_SQL(sql,
            "UPDATE trial SET revision = $1, worker = NULL, process = NULL, born = NULL, lease = NULL,"
            " (number" STORED ") = (SELECT trial" STORED
            " FROM image i WHERE i.study = $2 AND i.change = $3 AND i.trial = trial.number"
            " AND i.side = 'before') WHERE study = $2 AND number IN (SELECT b.trial FROM image b"
            " WHERE b.study = $2 AND b.change = $3 AND b.side = 'before')",
            NULL, NULL, checksum->revision, study, number);
    APP_SQL(sql, "SELECT seal" ADDED, sum_checksums, &checksum->trials, study, number);
    APP_SQL(sql, "DELETE" ADDED, NULL, NULL, study, number);
}

/* The problem as it was before, where the change was one of the problem; and the note that it was undone. */
static void restore_problem(struct app_sql *sql, const struct app_checksum_update *checksum, int number,
                            const char *who)
{
    APP_SQL(sql,
            "UPDATE study SET redefined = $1, definition = (SELECT c.definition_before"
            " FROM change c WHERE c.study = $2 AND c.number = $3) WHERE id = $2 AND EXISTS"
            " (SELECT 1 FROM change c WHERE c.study = $2 AND c.number = $3"
            " AND c.definition_before IS NOT NULL)",
            NULL, NULL, checksum->revision, checksum->study, number);
    APP_SQL(sql, "UPDATE change SET undone = {now}, undone_by = $1 WHERE study = $2 AND number = $3", NULL,
            NULL, who, checksum->study, number);
}

/* Whether it may be taken back; the first trial that has got a result since, 0: none. */
static int64_t check_undo(struct app_sql *sql, int64_t study, int number)
{
    check_last(sql, study, number);
    app_sql_check_change(sql, study, number);
    check_running(sql, study, number);
    check_added(sql, study, number);
    return ask(sql, "SELECT COALESCE(MIN(t.number), 0)" MOVED, study, number);
}

/* It is as it was before, and what runs have measured since is kept as images of what is put aside. */
static void take_back(struct app_sql *sql, struct app_checksum_update *checksum, int number, const char *who)
{
    APP_SQL(sql,
            "INSERT INTO image (study, change, trial, side" STORED ")"
            " SELECT t.study, i.change, t.number, 'undone'" APP_IMAGE_COLUMNS(APP_COLUMN_OF_T) MOVED,
            NULL, NULL, checksum->study, number);
    restore_trials(sql, checksum, number);
    restore_problem(sql, checksum, number, who);
    app_checksum_change(sql, checksum, number);
    app_checksum_study(sql, checksum);
}

int app_store_undo(struct app_store *s, int64_t study, int number, const char *who, int give_up, int *moved,
                   struct app_message *message)
{
    struct app_sql *sql = &s->sql;
    struct app_checksum_update checksum;

    do {
        /* Whether that loses anything. */
        app_sql_begin(sql, 1, message);
        app_sql_revise(sql, study, &checksum);
        *moved = (int)check_undo(sql, study, number);
        if (*moved && !give_up) {
            app_sql_cancel(sql);
            return CKG_OK;
        }
        take_back(sql, &checksum, number, who);
    } while (app_sql_end(sql));
    return sql->status;
}

/* --- what was done --- */

struct visit {
    app_change_visit *change;
    app_image_visit *image;
    void *context;
    uint64_t sum, expected; /* of the changes' seals, or of a change's images' */
};

static int take_change(void *context, const struct app_sql_value *columns, struct app_message *message)
{
    struct visit *to = context;
    const struct app_change change = {.number = (int)columns[APP_CHANGE_NUMBER].integer,
                                      .kind = columns[APP_CHANGE_KIND].text,
                                      .command = columns[APP_CHANGE_COMMAND].text,
                                      .who = columns[APP_CHANGE_WHO].text,
                                      .made = columns[APP_CHANGE_MADE].real,
                                      .undone = app_sql_number(&columns[APP_CHANGE_UNDONE]),
                                      .undone_by = columns[APP_CHANGE_UNDONE_BY].text,
                                      .definition_before = columns[APP_CHANGE_BEFORE].text,
                                      .definition_after = columns[APP_CHANGE_AFTER].text};

    /* Where there is none, the study stands alone. */
    to->expected = (uint64_t)columns[APP_CHANGE_COLUMNS].integer;
    if (columns[APP_CHANGE_STUDY].type == APP_SQL_NULL)
        return CKG_OK;

    if (!app_checksum_matches(columns, APP_CHANGE_CHECKSUM) ||
        !app_sql_are_texts(columns, APP_CHANGE_KIND, APP_CHANGE_WHO))
        return app_sql_damaged("change", columns[APP_CHANGE_NUMBER].integer, message);
    to->sum ^= (uint64_t)columns[APP_CHANGE_CHECKSUM].integer;
    return to->change(to->context, &change);
}

int app_store_changes(struct app_store *s, int64_t study, app_change_visit *visit, void *context,
                      struct app_message *message)
{
    struct visit to = {.change = visit, .context = context};

    app_sql_call(&s->sql, message);
    const int status = APP_SQL(&s->sql,
                               "SELECT " APP_CHECKSUM_OF_CHANGE
                               ", s.changes FROM study s LEFT JOIN change c ON c.study = s.id"
                               " WHERE s.id = $1 ORDER BY c.number",
                               take_change, &to, study);

    if (!status && to.sum != to.expected)
        return app_fail(message, CKG_ERR_SYSTEM,
                        "the store is damaged: changes are missing from its history; `ckg check` says what "
                        "can be saved");
    return status;
}

#define READ(NAME, name, KIND) .name = APP_READ_##KIND(columns[APP_IMAGE_##NAME]),

static int take_image(void *context, const struct app_sql_value *columns, struct app_message *message)
{
    struct visit *to = context;
    const struct app_image image = {
        .change = (int)columns[APP_IMAGE_CHANGE].integer,
        .side = columns[APP_IMAGE_SIDE].text,
        .record = {.number = (int)columns[APP_IMAGE_TRIAL].integer, .asked = NAN, APP_IMAGE_COLUMNS(READ)},
    };

    if (!app_checksum_matches(columns, APP_IMAGE_CHECKSUM) || !image.side ||
        image.record.state == APP_STATES || !image.record.parameters)
        return app_sql_damaged("the history of trial", columns[APP_IMAGE_TRIAL].integer, message);
    to->sum ^= (uint64_t)columns[APP_IMAGE_CHECKSUM].integer;
    return to->image ? to->image(to->context, &image) : CKG_OK;
}

int app_store_images(struct app_store *s, int64_t study, int trial, app_image_visit *visit, void *context,
                     struct app_message *message)
{
    struct visit to = {.image = visit, .context = context};

    app_sql_call(&s->sql, message);
    return APP_SQL(&s->sql,
                   "SELECT " APP_CHECKSUM_OF_IMAGE " FROM image i WHERE i.study = $1 AND i.trial = $2"
                   " ORDER BY i.change, CASE i.side WHEN 'before' THEN 1 WHEN 'after' THEN 2 ELSE 3 END",
                   take_image, &to, study, trial);
}

static int take_images(void *context, const struct app_sql_value *columns, struct app_message *message)
{
    struct visit *to = context;

    if (!app_checksum_matches(columns, APP_CHANGE_CHECKSUM))
        return app_sql_damaged("change", columns[APP_CHANGE_NUMBER].integer, message);
    to->expected = (uint64_t)columns[APP_CHANGE_IMAGES].integer;
    return CKG_OK;
}

int app_sql_check_change(struct app_sql *sql, int64_t study, int number)
{
    struct visit to = {0};

    APP_SQL(sql, "SELECT " APP_CHECKSUM_OF_CHANGE " FROM change c WHERE c.study = $1 AND c.number = $2",
            take_images, &to, study, number);
    APP_SQL(sql, "SELECT " APP_CHECKSUM_OF_IMAGE " FROM image i WHERE i.study = $1 AND i.change = $2",
            take_image, &to, study, number);
    if (!sql->status && to.sum != to.expected)
        sql->status = app_sql_damaged("change", number, sql->message);
    return sql->status;
}

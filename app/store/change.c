/*
 * Changes that people make: each is a row of `change` with images of the trials it touches, written in the
 * same transaction as the change itself. The images are copied by the database, so that undoing gives back
 * what was there to the last bit.
 */
#include <string.h>

#include <ckg/status.h>

#include "store/sql_store.h"

/* The columns of a trial that an image keeps, behind another. */
#define KEPT APP_IMAGE_COLUMNS(APP_COLUMN)

/* --- making a change --- */

/* The change must rest on the problem as it is. */
static int check_problem(struct app_store *s, int64_t study, int64_t redefined, struct app_message *message)
{
    int64_t now = 0;
    const int status = APP_SQL_RUN(s, "SELECT redefined FROM study WHERE id = $1", app_sql_first_integer,
                                   &now, NULL, message, app_sql_integer(study));

    if (!status && now != redefined)
        return app_fail(message, CKG_ERR_STATE,
                        "another program has just changed the problem; run the same command again");
    return status;
}

/* The row of the change; *number is what it is called. */
static int insert_change(struct app_store *s, int64_t study, const struct app_change *change, int64_t *number,
                         struct app_message *message)
{
    *number = 0;
    return APP_SQL_RUN(s,
                       "INSERT INTO change (study, number, kind, command, who, made, definition_before,"
                       " definition_after) SELECT id, (SELECT COALESCE(MAX(c.number), 0) + 1 FROM change c"
                       " WHERE c.study = $1), $2, $3, $4, {now},"
                       " CASE WHEN $5 IS NOT NULL THEN definition END, $5 FROM study WHERE id = $1"
                       " RETURNING number",
                       app_sql_first_integer, number, NULL, message, app_sql_integer(study),
                       app_sql_text(change->kind), app_sql_text(change->command), app_sql_text(change->who),
                       app_sql_text(change->definition_after));
}

/* How the trial stands, for the change. */
static int insert_image(struct app_store *s, int64_t study, int64_t change, int trial, const char *side,
                        struct app_message *message)
{
    return APP_SQL_RUN(s,
                       "INSERT INTO image (study, change, trial, side" KEPT ")"
                       " SELECT study, $1, number, $2" KEPT " FROM trial WHERE study = $3 AND number = $4",
                       NULL, NULL, NULL, message, app_sql_integer(change), app_sql_text(side),
                       app_sql_integer(study), app_sql_integer(trial));
}

/* The trial becomes what the record says; sealed->number 0: it is not what it was read as. */
static int rewrite(struct app_store *s, int64_t study, int64_t revision, const struct app_trial *r,
                   struct app_sealed *sealed, struct app_message *message)
{
    return app_sql_write_trial(
        s,
        "UPDATE trial SET state = $4, revision = $3, queued = $6, parameters = COALESCE($7, parameters),"
        " outcomes = $8, why = $9, log = $10, answer = $11, extra = $12, notes = $13, seconds = $14,"
        " starts = $15, failures = $16,"
        " ended = CASE WHEN $4 IN ('complete', 'failed') THEN COALESCE(ended, {now})"
        " WHEN $4 = 'discarded' THEN ended END,"
        " evaluator = CASE WHEN $4 <> 'pending' THEN evaluator END"
        " WHERE study = $1 AND number = $2 AND revision = $21 AND state <> 'running'"
        " RETURNING " APP_RETURNED_TRIAL,
        study, revision, r, r->revision, 0, sealed, message);
}

/* One trial of the change: as it was, what it becomes, as it is then. */
static int change_trial(struct app_store *s, int64_t study, int64_t revision, int64_t change,
                        const struct app_trial *r, struct app_message *message)
{
    struct app_sealed sealed = {0};
    int status = app_sql_check_trial(s, study, r->number, message);

    if (!status)
        status = insert_image(s, study, change, r->number, "before", message);
    if (!status)
        status = rewrite(s, study, revision, r, &sealed, message);
    if (!status && !sealed.number)
        status = app_fail(message, CKG_ERR_STATE,
                          "another program has just changed trial %d; look at it again", r->number);
    return status ? status : insert_image(s, study, change, r->number, "after", message);
}

static int add_trial(struct app_store *s, int64_t study, int64_t revision, int64_t change,
                     const struct app_trial *r, struct app_message *message)
{
    const int status = app_sql_insert(s, study, revision, r, 0, NULL, message);

    return status ? status : insert_image(s, study, change, r->number, "after", message);
}

/* All trials of the change; those that it adds follow the last one without a gap. */
static int change_trials(struct app_store *s, int64_t study, int64_t revision, int64_t change, int count,
                         const struct app_trial *records, struct app_message *message)
{
    int64_t last;
    int status = app_sql_last(s, study, &last, message);

    for (int i = 0; !status && i < count; i++) {
        if (records[i].revision)
            status = change_trial(s, study, revision, change, &records[i], message);
        else if (records[i].number == ++last)
            status = add_trial(s, study, revision, change, &records[i], message);
        else
            status = app_fail(message, CKG_ERR_STATE, "another program has just added trial %d; try again",
                              records[i].number);
    }
    return status;
}

/* The problem becomes what the change says. */
static int redefine(struct app_store *s, int64_t study, int64_t revision, const char *definition,
                    struct app_message *message)
{
    return APP_SQL_RUN(s, "UPDATE study SET definition = $1, redefined = $2 WHERE id = $3", NULL, NULL, NULL,
                       message, app_sql_text(definition), app_sql_integer(revision), app_sql_integer(study));
}

int app_store_change(struct app_store *s, int64_t study, const struct app_change *change, int count,
                     const struct app_trial *records, struct app_message *message)
{
    struct app_sealing sealing;
    int64_t number;
    int status;

    do {
        /* On top of what it was made for. */
        status = app_sql_begin(&s->sql, 1, message);
        if (!status)
            status = app_sql_revise(s, study, &sealing, message);
        sealing.wakes = 1;
        if (!status)
            status = check_problem(s, study, change->redefined, message);

        /* What is done, and to which trials. */
        if (!status)
            status = insert_change(s, study, change, &number, message);
        if (!status)
            status = change_trials(s, study, sealing.revision, number, count, records, message);
        if (!status && change->definition_after)
            status = redefine(s, study, sealing.revision, change->definition_after, message);
        if (!status)
            status = app_seal_change(&s->sql, &sealing, number, message);
        status = app_sql_seal_and_end(s, &sealing, status, message);
    } while (app_sql_again(&s->sql, status));
    return status;
}

/* --- taking one back --- */

/* The last change that holds. */
static int check_last(struct app_store *s, int64_t study, int number, struct app_message *message)
{
    int64_t last = 0;
    const int status = APP_SQL_RUN(
        s, "SELECT COALESCE(MAX(number), 0) FROM change WHERE study = $1 AND undone IS NULL",
        app_sql_first_integer, &last, NULL, message, app_sql_integer(study));

    if (!status && last != number)
        return app_fail(message, CKG_ERR_STATE,
                        "another program has just changed the study; look at it again");
    return status;
}

/* Trials of the change that are no longer as it left them: somebody evaluated them. */
#define MOVED                                                                                                \
    " FROM trial t JOIN image i ON i.study = t.study AND i.trial = t.number"                                 \
    " WHERE t.study = $1 AND i.change = $2 AND i.side = 'after'"                                             \
    " AND (t.state <> i.state OR COALESCE(t.outcomes, '') <> COALESCE(i.outcomes, ''))"

static int check_running(struct app_store *s, int64_t study, int number, struct app_message *message)
{
    int64_t running = 0;
    const int status = APP_SQL_RUN(s, "SELECT COALESCE(MIN(t.number), 0)" MOVED " AND t.state = 'running'",
                                   app_sql_first_integer, &running, NULL, message, app_sql_integer(study),
                                   app_sql_integer(number));

    if (!status && running)
        return app_fail(message, CKG_ERR_STATE,
                        "trial %lld is being evaluated by `ckg run`; wait for it, or stop the run",
                        (long long)running);
    return status;
}

/* Trials that came after those it added would be left without numbers before theirs. */
static int check_added(struct app_store *s, int64_t study, int number, struct app_message *message)
{
    int64_t first = 0;
    int64_t behind = 0;
    int status = APP_SQL_RUN(s,
                             "SELECT COALESCE(MIN(a.trial), 0) FROM image a WHERE a.study = $1"
                             " AND a.change = $2 AND a.side = 'after' AND NOT EXISTS (SELECT 1 FROM image b"
                             " WHERE b.study = a.study AND b.change = a.change AND b.trial = a.trial"
                             " AND b.side = 'before')",
                             app_sql_first_integer, &first, NULL, message, app_sql_integer(study),
                             app_sql_integer(number));

    if (!status && first)
        status = APP_SQL_RUN(s,
                             "SELECT COUNT(*) FROM trial WHERE study = $1 AND number > $2 AND number NOT IN"
                             " (SELECT trial FROM image WHERE study = $1 AND change = $3 AND side = 'after')",
                             app_sql_first_integer, &behind, NULL, message, app_sql_integer(study),
                             app_sql_integer(first), app_sql_integer(number));
    if (!status && behind)
        return app_fail(
            message, CKG_ERR_STATE,
            "%lld trial%s followed those that it added from number %lld on, so it cannot be taken "
            "back; `ckg discard` sets them aside",
            (long long)behind, behind > 1 ? "s have" : " has", (long long)first);
    return status;
}

/* What runs have measured since, as images of what is put aside. */
static int keep_moved(struct app_store *s, int64_t study, int number, struct app_message *message)
{
    return APP_SQL_RUN(s,
                       "INSERT INTO image (study, change, trial, side" KEPT ")"
                       " SELECT t.study, i.change, t.number, 'undone'" APP_IMAGE_COLUMNS(APP_COLUMN_OF_T)
                           MOVED,
                       NULL, NULL, NULL, message, app_sql_integer(study), app_sql_integer(number));
}

/* The trials that the change added. */
#define ADDED                                                                                                \
    " FROM trial WHERE study = $1 AND number IN (SELECT a.trial FROM image a"                                \
    " WHERE a.study = $1 AND a.change = $2 AND a.side = 'after') AND number NOT IN"                          \
    " (SELECT b.trial FROM image b WHERE b.study = $1 AND b.change = $2 AND b.side = 'before')"

static int sum_seals(void *context, const struct app_sql_value *columns, struct app_message *message)
{
    (void)message;

    *(uint64_t *)context ^= (uint64_t)columns[0].integer;
    return CKG_OK;
}

/* Every trial of the change is what it was before; those that were not there are gone again. */
static int restore_trials(struct app_store *s, struct app_sealing *sealing, int number,
                          struct app_message *message)
{
    const int64_t study = sealing->study;
    int status = APP_SQL_RUN(
        s,
        "UPDATE trial SET revision = $1, worker = NULL, process = NULL, born = NULL, lease = NULL,"
        " (number" KEPT ") = (SELECT trial" KEPT
        " FROM image i WHERE i.study = $2 AND i.change = $3 AND i.trial = trial.number"
        " AND i.side = 'before') WHERE study = $2 AND number IN (SELECT b.trial FROM image b"
        " WHERE b.study = $2 AND b.change = $3 AND b.side = 'before')",
        NULL, NULL, NULL, message, app_sql_integer(sealing->revision), app_sql_integer(study),
        app_sql_integer(number));

    if (!status)
        status = APP_SQL_RUN(s, "SELECT seal" ADDED, sum_seals, &sealing->trials, NULL, message,
                             app_sql_integer(study), app_sql_integer(number));
    if (!status)
        status = APP_SQL_RUN(s, "DELETE" ADDED, NULL, NULL, NULL, message, app_sql_integer(study),
                             app_sql_integer(number));
    return status;
}

/* The problem as it was before, where the change was one of the problem; and the note that it was undone. */
static int restore_problem(struct app_store *s, int64_t study, int64_t revision, int number, const char *who,
                           struct app_message *message)
{
    int status = APP_SQL_RUN(s,
                             "UPDATE study SET redefined = $1, definition = (SELECT c.definition_before"
                             " FROM change c WHERE c.study = $2 AND c.number = $3) WHERE id = $2 AND EXISTS"
                             " (SELECT 1 FROM change c WHERE c.study = $2 AND c.number = $3"
                             " AND c.definition_before IS NOT NULL)",
                             NULL, NULL, NULL, message, app_sql_integer(revision), app_sql_integer(study),
                             app_sql_integer(number));

    if (!status)
        status = APP_SQL_RUN(
            s, "UPDATE change SET undone = {now}, undone_by = $1 WHERE study = $2 AND number = $3", NULL,
            NULL, NULL, message, app_sql_text(who), app_sql_integer(study), app_sql_integer(number));
    return status;
}

/* Whether it may be taken back; *moved as in the table. */
static int check_undo(struct app_store *s, int64_t study, int number, int64_t *moved,
                      struct app_message *message)
{
    int status = check_last(s, study, number, message);

    if (!status)
        status = app_sql_check_change(s, study, number, message);
    if (!status)
        status = check_running(s, study, number, message);
    if (!status)
        status = check_added(s, study, number, message);
    if (!status)
        status = APP_SQL_RUN(s, "SELECT COALESCE(MIN(t.number), 0)" MOVED, app_sql_first_integer, moved, NULL,
                             message, app_sql_integer(study), app_sql_integer(number));
    return status;
}

/* It is as it was before. */
static int take_back(struct app_store *s, struct app_sealing *sealing, int number, const char *who,
                     struct app_message *message)
{
    int status = keep_moved(s, sealing->study, number, message);

    if (!status)
        status = restore_trials(s, sealing, number, message);
    if (!status)
        status = restore_problem(s, sealing->study, sealing->revision, number, who, message);
    return status ? status : app_seal_change(&s->sql, sealing, number, message);
}

int app_store_undo(struct app_store *s, int64_t study, int number, const char *who, int give_up, int *moved,
                   struct app_message *message)
{
    struct app_sealing sealing;
    int status;

    do {
        int64_t found = 0;

        /* Whether that loses anything. */
        status = app_sql_begin(&s->sql, 1, message);
        if (!status)
            status = app_sql_revise(s, study, &sealing, message);
        sealing.wakes = 1;
        if (!status)
            status = check_undo(s, study, number, &found, message);
        *moved = (int)found;
        if (!status && found && !give_up) {
            app_sql_end(&s->sql, CKG_ERR_STATE, message); /* nothing has been done */
            return CKG_OK;
        }

        if (!status)
            status = take_back(s, &sealing, number, who, message);
        status = app_sql_seal_and_end(s, &sealing, status, message);
    } while (app_sql_again(&s->sql, status));
    return status;
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

    if (!app_seal_holds(columns, APP_CHANGE_SEAL) ||
        !app_sql_are_texts(columns, APP_CHANGE_KIND, APP_CHANGE_WHO))
        return app_sql_damaged("change", columns[APP_CHANGE_NUMBER].integer, message);
    to->sum ^= (uint64_t)columns[APP_CHANGE_SEAL].integer;
    return to->change(to->context, &change);
}

int app_store_changes(struct app_store *s, int64_t study, app_change_visit *visit, void *context,
                      struct app_message *message)
{
    struct visit to = {.change = visit, .context = context};
    const int status = APP_SQL_RUN(s,
                                   "SELECT " APP_SEALED_CHANGE
                                   ", s.changes FROM study s LEFT JOIN change c ON c.study = s.id"
                                   " WHERE s.id = $1 ORDER BY c.number",
                                   take_change, &to, NULL, message, app_sql_integer(study));

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

    if (!app_seal_holds(columns, APP_IMAGE_SEAL) || !image.side || image.record.state == APP_STATES ||
        !image.record.parameters)
        return app_sql_damaged("the history of trial", columns[APP_IMAGE_TRIAL].integer, message);
    to->sum ^= (uint64_t)columns[APP_IMAGE_SEAL].integer;
    return to->image ? to->image(to->context, &image) : CKG_OK;
}

int app_store_images(struct app_store *s, int64_t study, int trial, app_image_visit *visit, void *context,
                     struct app_message *message)
{
    struct visit to = {.image = visit, .context = context};

    return APP_SQL_RUN(s,
                       "SELECT " APP_SEALED_IMAGE " FROM image i WHERE i.study = $1 AND i.trial = $2"
                       " ORDER BY i.change, CASE i.side WHEN 'before' THEN 1 WHEN 'after' THEN 2 ELSE 3 END",
                       take_image, &to, NULL, message, app_sql_integer(study), app_sql_integer(trial));
}

static int take_images(void *context, const struct app_sql_value *columns, struct app_message *message)
{
    struct visit *to = context;

    if (!app_seal_holds(columns, APP_CHANGE_SEAL))
        return app_sql_damaged("change", columns[APP_CHANGE_NUMBER].integer, message);
    to->expected = (uint64_t)columns[APP_CHANGE_IMAGES].integer;
    return CKG_OK;
}

int app_sql_check_change(struct app_store *s, int64_t study, int number, struct app_message *message)
{
    struct visit to = {0};
    int status = APP_SQL_RUN(
        s, "SELECT " APP_SEALED_CHANGE " FROM change c WHERE c.study = $1 AND c.number = $2", take_images,
        &to, NULL, message, app_sql_integer(study), app_sql_integer(number));

    if (!status)
        status = APP_SQL_RUN(s,
                             "SELECT " APP_SEALED_IMAGE " FROM image i WHERE i.study = $1 AND i.change = $2",
                             take_image, &to, NULL, message, app_sql_integer(study), app_sql_integer(number));
    return !status && to.sum != to.expected ? app_sql_damaged("change", number, message) : status;
}

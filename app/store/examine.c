/*
 * Whether a store is whole: what the database says of itself, every seal and every sum of seals, references,
 * trials that are missing, and leases that nobody holds any longer. It goes on behind what is damaged, row by
 * row, so that all that is whole can be saved.
 */
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#include <ckg/status.h>

#include "store/sql_store.h"

/* More than this many is no study's number of trials: then that itself is damaged. */
enum { MOST_TRIALS = 10000000 };

struct examination {
    struct app_store *s;
    const struct app_examiner *by;
    struct app_message *message;
    const char *name; /* of the study that is asked for, NULL: the only one */

    /* What is found of it; id 0: nothing yet. */
    int found, whole;
    struct app_study_record study;
    int64_t last;
    uint64_t trials, changes;

    int damaged;  /* of the trials */
    uint64_t sum; /* of the seals of those that are whole */
};

static int tell(const struct examination *e, const char *part, int64_t number, int harmless, const char *text)
{
    const struct app_trouble trouble = {.part = part, .number = number, .harmless = harmless, .text = text};

    return e->by->trouble(e->by->context, &trouble);
}

/* --- the database --- */

static int take_word(void *context, const struct app_sql_value *columns, struct app_message *message)
{
    const char *text = columns[0].text;
    char line[256];
    int status = CKG_OK;

    (void)message;
    if (!text || !strcmp(text, "ok"))
        return CKG_OK;

    /* SQLite may say several things in one answer, below a headline. */
    for (size_t length; *text && !status; text += length + (text[length] == '\n')) {
        length = strcspn(text, "\n");
        snprintf(line, sizeof line, "%.*s", (int)length, text);
        if (length && line[0] != '*')
            status = tell(context, "file", 0, 0, line);
    }
    return status;
}

/* Where it cannot even be asked, its complaint is the finding. */
static int ask_database(struct examination *e)
{
    struct app_message why;

    app_sql_call(&e->s->sql, &why);
    const int status = app_sql_run(&e->s->sql, "{check}", 0, NULL, take_word, e);

    return status == CKG_ERR_SYSTEM || status == CKG_ERR_INVALID ? tell(e, "file", 0, 0, why.text) : status;
}

/* --- the study --- */

static int take_study(void *context, const struct app_sql_value *columns, struct app_message *message)
{
    struct examination *e = context;
    const char *name = columns[APP_STUDY_NAME].text;
    const int whole = app_checksum_matches(columns, APP_STUDY_CHECKSUM) && name &&
                      columns[APP_STUDY_DEFINITION].text != NULL;

    /* The one of that name; or a damaged one, where there is no such name. */
    const int named = e->name && name && !strcmp(name, e->name);
    if (e->found && !named && (e->name || whole))
        return CKG_OK;
    if (e->name && !named && whole)
        return CKG_OK;

    e->found = 1;
    e->whole = whole;
    e->last = columns[APP_STUDY_LAST].integer;
    e->trials = (uint64_t)columns[APP_STUDY_TRIALS].integer;
    e->changes = (uint64_t)columns[APP_STUDY_CHANGES].integer;
    app_study_record_free(&e->study);
    e->study = (struct app_study_record){.id = columns[APP_STUDY_ID].integer};
    if (whole) {
        e->study.name = app_copy(name);
        e->study.definition = app_copy(columns[APP_STUDY_DEFINITION].text);
    }
    return whole && (!e->study.name || !e->study.definition) ? app_no_memory(message) : CKG_OK;
}

static int find_study(struct examination *e)
{
    struct app_sql *sql = &e->s->sql;

    app_sql_call(sql, e->message);
    int status = app_sql_run(sql, "SELECT " APP_CHECKSUM_OF_STUDY " FROM study ORDER BY id", 0, NULL,
                             take_study, e);

    /* Trials whose study is gone are taken for those of the one that is asked for. */
    if (!e->found)
        status = app_sql_run(sql,
                             "SELECT COALESCE(MIN(t.study), 0) FROM trial t WHERE NOT EXISTS (SELECT 1"
                             " FROM study WHERE id = t.study)",
                             0, NULL, app_sql_first_integer, &e->study.id);
    if (!status && e->found && !e->whole)
        status = tell(e, "study", 0, 0, "its definition is not what was written");
    if (!status && !e->found && e->study.id)
        status = tell(e, "study", 0, 0, "its definition is missing");
    if (!status && !e->study.id)
        return app_fail(e->message, CKG_ERR_NOT_FOUND, "there is no such study in the store");

    /* How many trials it should have. */
    if (!status && (!e->whole || e->last < 0 || e->last > MOST_TRIALS))
        status = APP_SQL(sql, "SELECT COALESCE(MAX(number + 0), 0) FROM trial WHERE study + 0 = $1",
                         app_sql_first_integer, &e->last, e->study.id);
    if (e->last < 0 || e->last > MOST_TRIALS)
        e->last = 0;
    e->study.last = (int)e->last;
    return status ? status : e->by->study(e->by->context, &e->study);
}

/* --- trials --- */

struct look {
    const struct examination *e;
    int found;
    uint64_t checksum;
};

static int take_trial(void *context, const struct app_trial *record)
{
    struct look *look = context;

    look->found = 1;
    return look->e->by->trial(look->e->by->context, record);
}

/* One trial, by its key or, where that leads nowhere, by looking at all of them. */
static int look_at_trial(struct examination *e, int number)
{
    static const char *const ways[] = {
        "SELECT " APP_CHECKSUM_OF_TRIAL " FROM trial t WHERE t.study = $1 AND t.number = $2",
        "SELECT " APP_CHECKSUM_OF_TRIAL " FROM trial t WHERE t.study + 0 = $1 AND t.number + 0 = $2",
    };
    struct look look = {.e = e};
    struct app_message why;
    int status = CKG_OK;

    for (int way = 0; way < 2 && !look.found && status != CKG_ERR_NOMEM; way++) {
        app_sql_call(&e->s->sql, &why);
        status = app_sql_visit_trial(&e->s->sql, ways[way], e->study.id, number, take_trial, &look,
                                     &look.checksum);
    }
    if (status == CKG_ERR_NOMEM)
        return app_no_memory(e->message);

    if (look.found) {
        e->sum ^= look.checksum;
        return CKG_OK;
    }
    e->damaged++;
    return tell(e, "trial", number, 0, status ? "not what was written" : "missing");
}

static int look_at_trials(struct examination *e)
{
    int status = CKG_OK;

    for (int number = 1; !status && number <= e->last; number++)
        status = look_at_trial(e, number);

    /* Each may be whole, and one of them old. */
    if (!status && e->whole && !e->damaged && e->sum != e->trials)
        status = tell(e, "trial", 0, 0, "the trials together are not those that were written last");
    return status;
}

/* --- the rest --- */

static int take_change(void *context, const struct app_change *change)
{
    struct examination *e = context;
    struct app_message why;

    app_sql_call(&e->s->sql, &why);
    return app_sql_check_change(&e->s->sql, e->study.id, change->number)
               ? tell(e, "change", change->number, 0, "what it did is not what was written")
               : CKG_OK;
}

static int look_at_changes(struct examination *e)
{
    struct app_message why;
    const int status = app_store_changes(e->s, e->study.id, take_change, e, &why);

    return status == CKG_ERR_SYSTEM ? tell(e, "change", 0, 0, why.text) : status;
}

/* A trial that runs: its number, whether its worker is known, and for how long that was silent. */
static int take_lease(void *context, const struct app_sql_value *columns, struct app_message *message)
{
    struct examination *e = context;

    (void)message;
    if (columns[1].type == APP_SQL_NULL)
        return tell(e, "lease", columns[0].integer, 0, "it runs, and nobody is known to run it");
    if (columns[2].real < -60)
        return tell(e, "lease", columns[0].integer, 1, "the clock was ahead when its run last gave a sign");
    if (columns[2].real > 60)
        return tell(e, "lease", columns[0].integer, 1,
                    "its run has given no sign for a minute or more; the next `ckg run` takes it over");
    return CKG_OK;
}

static int look_at_leases(struct examination *e)
{
    app_sql_call(&e->s->sql, e->message);
    return APP_SQL(&e->s->sql,
                   "SELECT t.number, w.id, {now} - w.heartbeat FROM trial t LEFT JOIN worker w"
                   " ON w.id = t.worker WHERE t.study = $1 AND t.state = 'running' ORDER BY t.number",
                   take_lease, e, e->study.id);
}

int app_store_examine(struct app_store *s, const char *name, const struct app_examiner *by,
                      struct app_message *message)
{
    struct examination e = {.s = s, .by = by, .message = message, .name = name};
    int status = ask_database(&e);

    if (!status)
        status = find_study(&e);
    if (!status)
        status = look_at_trials(&e);
    if (!status)
        status = look_at_changes(&e);
    if (!status)
        status = look_at_leases(&e);
    app_study_record_free(&e.study);
    return status;
}

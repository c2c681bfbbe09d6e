/* Changes that people make to trials, put together here and made by the store in one transaction. */
#include <stdlib.h>
#include <time.h>

#include "base/who.h"
#include "evaluate/machine.h"
#include "study/record.h"

static int no_memory(const struct app_notebook *n)
{
    return app_fail(n->message, CKG_ERR_NOMEM, "out of memory");
}

/* Room for one more. */
static int grow(struct app_edit *e)
{
    if (e->count < e->capacity)
        return 1;

    const size_t capacity = 2 * (size_t)e->capacity + 16;
    struct app_record *records = realloc(e->records, capacity * sizeof *records);
    if (records)
        e->records = records;
    struct app_text *texts = realloc(e->texts, 2 * capacity * sizeof *texts);
    if (texts)
        e->texts = texts;
    if (!records || !texts)
        return 0;
    e->capacity = (int)capacity;
    return 1;
}

int app_edit_trial(struct app_edit *e, const struct app_trial *t)
{
    const struct app_definition *d = &e->notebook->definition;
    const int values = t->state == APP_DISCARDED ? t->kept : t->count;

    if (!grow(e))
        return no_memory(e->notebook);

    /* Design and values as the store keeps them. */
    struct app_text *design = &e->texts[2 * e->count];
    struct app_text *outcomes = design + 1;
    *design = (struct app_text){0};
    *outcomes = (struct app_text){0};
    app_task_write(d, t->x, &t->wants, design);
    if (values)
        app_outcomes_write(d, values, t->measured, outcomes);

    e->records[e->count++] = (struct app_record){.number = t->number,
                                                 .revision = t->revision,
                                                 .state = app_state_name(t->state),
                                                 .origin = t->revision ? NULL : t->origin,
                                                 .chosen_by = t->chosen_by,
                                                 .reason = t->reason,
                                                 .queued = t->queued,
                                                 .parameters = design->data,
                                                 .outcomes = outcomes->data,
                                                 .why = t->why,
                                                 .log = t->log,
                                                 .answer = t->answer,
                                                 .extra = t->extra,
                                                 .notes = t->notes,
                                                 .seconds = t->seconds,
                                                 .starts = t->starts,
                                                 .failures = t->failures};
    return design->failed || outcomes->failed ? no_memory(e->notebook) : CKG_OK;
}

int app_edit_make_problem(struct app_edit *e, const char *command)
{
    const struct app_notebook *n = e->notebook;
    struct app_text definition = {0};

    app_definition_write(&n->definition, n->definition.has_seed ? n->definition.seed : n->seed, &definition);
    const int status = definition.failed ? no_memory(n)
                                         : app_edit_make(e, "problem", command, definition.data);
    app_text_free(&definition);
    return status;
}

int app_edit_make(struct app_edit *e, const char *kind, const char *command, const char *definition)
{
    struct app_notebook *n = e->notebook;
    char who[300];

    app_who(who);
    const struct app_change change = {.kind = kind,
                                      .command = command,
                                      .who = who,
                                      .definition_after = definition,
                                      .redefined = n->redefined};
    const int status = app_store_change(n->store, n->study, &change, e->count, e->records, n->message);
    return status || definition ? status : app_notebook_sync(n);
}

void app_edit_free(struct app_edit *e)
{
    for (int i = 0; i < 2 * e->count; i++)
        app_text_free(&e->texts[i]);
    free(e->texts);
    free(e->records);
    *e = (struct app_edit){.notebook = e->notebook};
}

int app_note_add(const struct app_notebook *n, const struct app_trial *t, const char *note,
                 struct app_text *out)
{
    if (t->notes)
        app_text_print(out, "%s", t->notes);
    if (note)
        app_text_print(out, "%s%s", t->notes ? "\n" : "", note);
    return out->failed ? no_memory(n) : CKG_OK;
}

/* --- the trials it is about --- */

int app_notebook_find(const struct app_notebook *n, const char *word, int *number)
{
    char *stop;
    const long value = strtol(word, &stop, 10);

    if (stop == word || *stop || value < 1 || value > n->count)
        return app_fail(n->message, CKG_ERR_INVALID, "there is no trial '%s'; `ckg trials` lists them", word);
    *number = (int)value;
    return CKG_OK;
}

int app_notebook_release(struct app_notebook *n, int number, struct app_elsewhere *elsewhere)
{
    struct app_claim claim;
    char machine[256];
    char worker[48];

    *elsewhere = (struct app_elsewhere){0};
    if (n->trials[number - 1].state != APP_RUNNING)
        return CKG_OK;

    /* It is pending again if its run is gone. */
    app_machine_name(machine);
    const int status = app_store_release(n->store, n->study, number, machine, app_process_gone, &claim,
                                         n->message);
    if (status)
        return status;
    *elsewhere = claim.elsewhere;
    if (!claim.number)
        return app_fail(n->message, CKG_ERR_STATE, "trial %d is being evaluated by `ckg run`%s%s", number,
                        claim.elsewhere.trial ? " on " : "", claim.elsewhere.host);

    /* Nothing of it goes on. */
    app_worker_word(worker, claim.worker_process, claim.worker_born);
    if (claim.lost)
        app_kill_left(worker, claim.process, claim.born);
    return app_notebook_sync(n);
}

/* A heartbeat may lie so many seconds in our future without a word: clocks differ a little. */
static const double usual_difference = 5;

static int is_doubtful(const struct app_elsewhere *e)
{
    return e->trial && !e->heard && (e->age >= APP_STORE_SILENCE || e->age < -usual_difference);
}

/* The waiting is by our own clock, since the other machine's may be set to anything. */
int app_notebook_release_patiently(struct app_notebook *n, int number,
                                   void (*say)(const struct app_elsewhere *elsewhere))
{
    struct app_elsewhere elsewhere;
    int status = app_notebook_release(n, number, &elsewhere);

    if (status == CKG_ERR_STATE && is_doubtful(&elsewhere) && say)
        say(&elsewhere);
    while (status == CKG_ERR_STATE && is_doubtful(&elsewhere)) {
        if (n->interrupt && n->interrupt(n->context))
            return app_fail(n->message, CKG_ERR_CANCELLED, "cancelled while a sign of life was waited for");
        nanosleep(&(struct timespec){.tv_nsec = 250000000}, NULL);
        status = app_notebook_release(n, number, &elsewhere);
    }
    return status;
}

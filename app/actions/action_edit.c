/* Changes that people make to trials, put together here and made by the store in one transaction. */
#include "actions/action_edit.h"

#include <stdlib.h>
#include <time.h>

#include "base/who.h"
#include "evaluate/machine.h"

/* Room for one more. */
static int grow(struct app_edit *e)
{
    if (e->count < e->capacity)
        return 1;

    const int capacity = 2 * e->capacity + 16;
    struct app_trial *trials = app_pool_new(&e->pool, (size_t)capacity, sizeof *trials);
    if (!trials)
        return 0;
    for (int i = 0; i < e->count; i++)
        trials[i] = e->trials[i];
    e->trials = trials;
    e->capacity = capacity;
    return 1;
}

int app_edit_trial(struct app_edit *e, const struct app_trial *t)
{
    if (!grow(e))
        return app_no_memory(e->record->message);

    /* Design and values as the store keeps them. */
    struct app_trial *to = &e->trials[e->count++];
    *to = *t;
    return app_trial_encode(&e->record->definition, to, &e->pool) ? CKG_OK
                                                                  : app_no_memory(e->record->message);
}

int app_edit_make_problem(struct app_edit *e, const char *command)
{
    const struct app_study *n = e->record;
    struct app_text definition = {0};

    app_definition_write(&n->definition, n->definition.has_seed ? n->definition.seed : n->seed, &definition);
    const int status = definition.failed ? app_no_memory(n->message)
                                         : app_edit_make(e, "problem", command, definition.data);
    app_text_free(&definition);
    return status;
}

int app_edit_make(struct app_edit *e, const char *kind, const char *command, const char *definition)
{
    struct app_study *n = e->record;
    char who[300];

    app_who(who);
    const struct app_change change = {.kind = kind,
                                      .command = command,
                                      .who = who,
                                      .definition_after = definition,
                                      .redefined = n->redefined};
    const int status = app_store_change(n->store, n->id, &change, e->count, e->trials, n->message);
    return status || definition ? status : app_study_sync(n);
}

void app_edit_free(struct app_edit *e)
{
    app_pool_free(&e->pool);
    *e = (struct app_edit){.record = e->record};
}

int app_edit_note(struct app_edit *e, struct app_trial *t, const char *note)
{
    if (!note)
        return CKG_OK;
    t->notes = app_pool_print(&e->pool, "%s%s%s", t->notes ? t->notes : "", t->notes ? "\n" : "", note);
    return t->notes ? CKG_OK : app_no_memory(e->record->message);
}

/* --- the trials it is about --- */

int app_study_find(const struct app_study *n, const char *word, int *number)
{
    char *stop;
    const long value = strtol(word, &stop, 10);

    if (stop == word || *stop || value < 1 || value > n->count)
        return app_fail(n->message, CKG_ERR_INVALID, "there is no trial '%s'; `ckg trials` lists them", word);
    *number = (int)value;
    return CKG_OK;
}

int app_study_release(struct app_study *n, int number, struct app_remote_run *remote)
{
    struct app_claim claim;
    char machine[256];
    char worker[48];

    *remote = (struct app_remote_run){0};
    if (n->trials[number - 1].state != APP_RUNNING)
        return CKG_OK;

    /* It is pending again if its run is gone. */
    app_machine_name(machine);
    const int status = app_store_release(n->store, n->id, number, machine, app_process_gone, &claim,
                                         n->message);
    if (status)
        return status;
    *remote = claim.remote;
    if (!claim.number)
        return app_fail(n->message, CKG_ERR_STATE, "trial %d is being evaluated by `ckg run`%s%s", number,
                        claim.remote.trial ? " on " : "", claim.remote.host);

    /* Nothing of it goes on. */
    app_worker_word(worker, claim.worker_process, claim.worker_born);
    if (claim.lost)
        app_kill_left(worker, claim.process, claim.born);
    return app_study_sync(n);
}

/* A heartbeat may lie so many seconds in our future without a word: clocks differ a little. */
static const double usual_difference = 5;

static int is_doubtful(const struct app_remote_run *e)
{
    return e->trial && !e->heard && (e->age >= APP_STORE_SILENCE || e->age < -usual_difference);
}

/* The waiting is by our own clock, since the other machine's may be set to anything. */
int app_study_release_patiently(struct app_study *n, int number,
                                void (*say)(const struct app_remote_run *remote))
{
    struct app_remote_run remote;
    int status = app_study_release(n, number, &remote);

    if (status == CKG_ERR_STATE && is_doubtful(&remote) && say)
        say(&remote);
    while (status == CKG_ERR_STATE && is_doubtful(&remote)) {
        if (n->interrupt && n->interrupt(n->context))
            return app_fail(n->message, CKG_ERR_CANCELLED, "cancelled while a sign of life was waited for");
        nanosleep(&(struct timespec){.tv_nsec = 250000000}, NULL);
        status = app_study_release(n, number, &remote);
    }
    return status;
}

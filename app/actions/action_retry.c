/* What each way to mend makes of a trial; the change of several; the last one taken back. */
#include "actions/action_retry.h"

#include <math.h>
#include <stdlib.h>

#include "actions/action_change.h"
#include "actions/action_edit.h"
#include "base/who.h"

/* --- the ways --- */

/* Set aside, with what it measured. */
int app_correction_discard(const struct app_study *n, struct app_trial *t)
{
    if (t->state == APP_DISCARDED)
        return app_fail(n->message, CKG_ERR_STATE, "trial %d is discarded already", t->number);
    t->state = APP_DISCARDED;
    t->stored = t->count;
    t->queued = 0;
    return CKG_OK;
}

/* What it was before: its values say it, or its reason. */
int app_correction_restore(const struct app_study *n, struct app_trial *t)
{
    if (t->state != APP_DISCARDED)
        return app_fail(n->message, CKG_ERR_STATE, "trial %d is not discarded, but %s", t->number,
                        app_state_name(t->state));
    if (ckg_problem_check_design(n->definition.problem, t->x))
        return app_fail(n->message, CKG_ERR_STATE, "trial %d cannot be taken in again: %s", t->number,
                        ckg_error_message());
    t->state = t->stored ? APP_COMPLETE : t->why ? APP_FAILED_TRIAL : APP_PENDING;
    t->count = t->stored;
    return CKG_OK;
}

/* As if it had just been asked for: by a run where there is a command, else by whoever asked. */
int app_correction_retry(const struct app_study *n, struct app_trial *t)
{
    if (t->state == APP_PENDING)
        return app_fail(n->message, CKG_ERR_STATE, "trial %d is pending already", t->number);
    if (ckg_problem_check_design(n->definition.problem, t->x))
        return app_fail(n->message, CKG_ERR_STATE, "trial %d cannot be evaluated again: %s", t->number,
                        ckg_error_message());
    t->state = APP_PENDING;
    t->queued = n->definition.evaluate.count > 0;
    t->count = 0;
    t->stored = 0;
    t->why = NULL;
    t->log = NULL;
    t->answer = NULL;
    t->extra = NULL;
    t->seconds = NAN;
    t->failures = 0;
    return CKG_OK;
}

/* --- all of them at once --- */

int app_study_failed(const struct app_study *n, int from, double since, int *numbers)
{
    int count = 0;

    for (int i = 0; i < n->count; i++) {
        const struct app_trial *t = &n->trials[i];
        if (t->state == APP_FAILED_TRIAL && t->number >= from && !(t->ended < since))
            numbers[count++] = t->number;
    }
    return count;
}

int app_study_correct(struct app_study *n, int count, const int *numbers, const char *kind,
                      app_correction_make *correction, const char *note, const char *command)
{
    struct app_edit edit = {.record = n};
    int status = CKG_OK;

    /* Every trial goes into the change, in its new state. */
    for (int i = 0; !status && i < count; i++) {
        struct app_trial t = n->trials[numbers[i] - 1];

        status = correction(n, &t);
        if (!status)
            status = app_edit_note(&edit, &t, note);
        if (!status)
            status = app_edit_trial(&edit, &t);
    }
    if (!status)
        status = app_edit_make(&edit, kind, command, NULL);
    app_edit_free(&edit);
    return status;
}

/* --- the last change --- */

static int see(void *context, const struct app_change *change)
{
    struct app_last_change *last = context;

    if (!isnan(change->undone))
        return CKG_OK;
    last->left++;
    last->number = change->number;
    last->made = change->made;
    last->command.length = 0;
    last->who.length = 0;
    last->definition.length = 0;
    app_text_print(&last->command, "%s", change->command);
    app_text_print(&last->who, "%s", change->who);
    if (change->definition_before)
        app_text_print(&last->definition, "%s", change->definition_before);
    return CKG_OK;
}

/* Takes it back, unless that would put a result aside that nobody spoke of. */
static int take_back(struct app_study *n, int give_up, const struct app_last_change *last)
{
    char who[300];
    int moved;

    app_who(who);
    const int status = app_store_undo(n->store, n->id, last->number, who, give_up, &moved, n->message);
    if (!status && moved && !give_up)
        return app_fail(n->message, CKG_ERR_STATE,
                        "trial %d got a result after `ckg %.300s`; `ckg undo --yes` takes that back all the "
                        "same, and keeps the result in the trial's history",
                        moved, last->command.data);
    return status;
}

int app_study_undo(struct app_study *n, int give_up, struct app_last_change *last)
{
    *last = (struct app_last_change){0};
    int status = n->id ? app_store_changes(n->store, n->id, see, last, n->message) : CKG_OK;

    if (!status && (last->command.failed || last->who.failed || last->definition.failed))
        status = app_no_memory(n->message);
    if (!status && !last->number)
        status = app_fail(n->message, CKG_ERR_STATE, "there is nothing to undo");

    /* Nobody chooses a design meanwhile. */
    if (!status)
        status = app_study_lock(n);
    if (status)
        return status;
    if (last->definition.length)
        status = app_study_check_back(n, last->definition.data);
    if (!status)
        status = take_back(n, give_up, last);
    app_study_unlock(n);
    return status;
}

void app_last_free(struct app_last_change *last)
{
    app_text_free(&last->command);
    app_text_free(&last->who);
    app_text_free(&last->definition);
}

/*
 * Imported trials added to a study as one change, all or none: those that it has already are left out, the
 * budget must have room for what is queued, and the engine must take every one before any is written.
 */
#include "actions/action_import.h"

#include <stdlib.h>

#include "actions/action_edit.h"

/* --- what the engine takes --- */

static int try_one(ckg_study *engine, const struct app_trial *t)
{
    int index;
    const int status = ckg_study_add(engine, t->x, &index);

    if (status || t->state == APP_PENDING)
        return status;
    return t->state == APP_COMPLETE ? ckg_study_tell_measured(engine, index, t->count, t->measured)
                                    : ckg_study_tell_failed(engine, index);
}

/* The engine must take every trial before any is written. */
static int try_on_engine(struct app_study *n, const struct app_imported *from, const char *path)
{
    ckg_study *engine;
    int status = app_study_engine(n, &engine);

    for (int i = 0; !status && i < from->count; i++)
        if (try_one(engine, &from->trials[i]))
            status = app_fail(n->message, CKG_ERR_INVALID, "%s:%d: %s", path, from->trials[i].number,
                              ckg_error_message());
    return status;
}

/* --- what is there already --- */

/* A row without a result is there already where its design is, whatever became of it. */
static int same_trial(const struct app_definition *d, const struct app_trial *row, const struct app_trial *t)
{
    const int values = app_trial_values(t);
    const int failed = t->state == APP_FAILED_TRIAL || (t->state == APP_DISCARDED && !t->stored && t->why);
    int same = row->state == APP_PENDING ||
               ((row->state == APP_FAILED_TRIAL ? failed : values > 0) && row->count == values);

    for (int i = 0; same && i < app_dimension(d); i++)
        same = row->x[i] == t->x[i];
    for (int k = 0; same && k < row->count; k++)
        same = row->measured[k].outcome == t->measured[k].outcome &&
               row->measured[k].value == t->measured[k].value && row->measured[k].sd == t->measured[k].sd;
    return same;
}

/*
 * Rows that repeat a trial of the study are left out of `from`; each trial stands for one row, so a file with
 * repetitions of its own is recognised as a whole.
 */
static int leave_out_known(const struct app_study *n, struct app_imported *from)
{
    char *taken = calloc((size_t)n->count + 1, 1);
    int left = 0;

    if (!taken)
        return app_no_memory(n->message);
    from->queued = 0;
    for (int i = 0; i < from->count; i++) {
        int t = 0;
        while (t < n->count && (taken[t] || !same_trial(&n->definition, &from->trials[i], &n->trials[t])))
            t++;
        if (t < n->count) {
            taken[t] = 1;
            from->known++;
            continue;
        }
        from->queued += from->trials[i].state == APP_PENDING;
        from->trials[left++] = from->trials[i];
    }
    from->count = left;
    free(taken);
    return CKG_OK;
}

/* What was evaluated elsewhere is known in any case; what is queued must still fit into the budget. */
static int check_budget(const struct app_study *n, const struct app_imported *from)
{
    const int after = app_study_spent(n) + from->count;

    if (!from->queued || !n->definition.budget || after <= n->definition.budget)
        return CKG_OK;
    return app_fail(n->message, CKG_ERR_STATE,
                    "with the %d design%s to be queued there would be %d trials, and the budget is %d; raise "
                    "`budget` in the problem file",
                    from->queued, from->queued == 1 ? "" : "s", after, n->definition.budget);
}

int app_imported_check(struct app_study *n, struct app_imported *from, int again, const char *path)
{
    int status = app_study_lock(n);

    if (!status && !again)
        status = leave_out_known(n, from);
    if (!status)
        status = check_budget(n, from);
    return status ? status : try_on_engine(n, from, path);
}

/* --- adding --- */

int app_imported_add(struct app_study *n, const struct app_imported *from, const char *command)
{
    struct app_edit edit = {.record = n};
    int status = CKG_OK;

    for (int i = 0; !status && i < from->count; i++) {
        struct app_trial *t =
            &from->trials[i]; /* its texts, the origin too, are read when the change is made */

        t->number = n->count + i + 1;
        t->failures = t->state == APP_FAILED_TRIAL;
        status = app_edit_trial(&edit, t);
    }
    if (!status && from->count)
        status = app_edit_make(&edit, "import", command, NULL);
    app_edit_free(&edit);
    return status;
}

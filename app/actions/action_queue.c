/* Queued designs, and what is known of them already. */
#include "actions/action_queue.h"

#include "actions/action_edit.h"

/* As a change like others that people make, which can be undone. The caller holds the lock. */
static int queue(struct app_study *n, const double *x, const char *command)
{
    struct app_edit edit = {.record = n};
    const struct app_trial trial = app_user_trial(n, x, 0, 1);
    int status = app_edit_trial(&edit, &trial);

    if (!status)
        status = app_edit_make(&edit, "ask", command, NULL);
    app_edit_free(&edit);
    return status;
}

int app_study_queue(struct app_study *n, const double *x, const char *command, struct app_queued *out)
{
    int status = app_design_check(&n->definition, x, n->message);

    *out = (struct app_queued){0};
    if (!status)
        status = app_study_lock(n);
    if (status)
        return status;
    status = app_study_room(n, 1);
    if (!status) {
        out->number = n->count + 1;
        out->why = app_study_known(n, x, &out->known);
        status = queue(n, x, command);
    }
    app_study_unlock(n);
    return status;
}

/* 1 when every outcome of the trial was measured without noise, or its evaluation failed. */
static int is_settled(const struct app_definition *d, const struct app_trial *t)
{
    int exact = t->state == APP_COMPLETE && t->count == 1 + app_constraints(d);

    for (int i = 0; exact && i < t->count; i++)
        exact = t->measured[i].sd == 0 || (t->measured[i].sd == CKG_SD_DEFAULT &&
                                           app_outcome_at(d, t->measured[i].outcome).noise == CKG_NOISE_NONE);
    return exact || t->state == APP_FAILED_TRIAL;
}

const char *app_study_known(const struct app_study *n, const double *x, int *trial)
{
    const struct app_definition *d = &n->definition;

    for (int t = n->count - 1; t >= 0; t--) {
        const struct app_trial *one = &n->trials[t];

        if (!app_same_design(app_dimension(d), one->x, x))
            continue;
        *trial = one->number;
        if (one->state == APP_PENDING || one->state == APP_RUNNING)
            return "is still open";
        if (is_settled(d, one))
            return one->state == APP_COMPLETE ? "measured it without noise" : "failed";
    }
    return NULL;
}

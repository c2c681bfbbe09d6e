/* Designs of the user's own: those of the problem file that are still to be evaluated, and queued ones. */
#include "study/record.h"

#include <math.h>
#include <string.h>

static int same_design(int d, const double *a, const double *b)
{
    for (int i = 0; i < d; i++)
        if (a[i] != b[i])
            return 0;
    return 1;
}

/* --- designs of the file --- */

/* Whether a trial had the design x before somebody said that another one was made. */
struct search {
    const struct app_definition *definition;
    const double *x;
    int found;
};

static int look_at(void *context, const struct app_image *image)
{
    struct search *s = context;
    struct app_message unused;
    double x[CKG_MAX_PARAMETERS];
    json_t *design = image->record.parameters ? json_loads(image->record.parameters, 0, NULL) : NULL;

    if (design && !app_design_read(s->definition, design, x, &unused))
        s->found |= same_design(app_dimension(s->definition), x, s->x);
    json_decref(design);
    return CKG_OK;
}

static int had_design(struct app_notebook *n, const struct app_trial *t, const double *x, int *had)
{
    struct search s = {&n->definition, x, 0};
    const int status = strcmp(t->origin, "user")
                           ? CKG_OK
                           : app_store_images(n->store, n->study, t->number, look_at, &s, n->message);

    *had = s.found;
    return status;
}

/* How many trials are of design number k, or were when they were asked for. */
static int count_trials(struct app_notebook *n, int k, int needed, int *count)
{
    const int d = app_dimension(&n->definition);
    const double *x = n->definition.own + (size_t)k * (size_t)d;
    int status = CKG_OK;

    *count = 0;
    for (int t = 0; t < n->count; t++)
        *count += same_design(d, n->trials[t].x, x);
    for (int t = 0; !status && *count < needed && t < n->count; t++) {
        int had = 0;
        if (!same_design(d, n->trials[t].x, x))
            status = had_design(n, &n->trials[t], x, &had);
        *count += had;
    }
    return status;
}

/*
 * Which of the file's designs have been taken up follows from the trials, so there is nothing to keep in
 * step: a design that stands there twice needs two of them.
 */
int app_notebook_due(struct app_notebook *n, int *due)
{
    const struct app_definition *d = &n->definition;
    const size_t width = (size_t)app_dimension(d);
    int status = CKG_OK;

    *due = -1;
    for (int k = 0; !status && *due < 0 && k < d->own_count; k++) {
        int needed = 0;
        int count = 0;

        for (int i = 0; i <= k; i++)
            needed += same_design((int)width, d->own + (size_t)i * width, d->own + (size_t)k * width);
        status = count_trials(n, k, needed, &count);
        if (count < needed)
            *due = k;
    }
    return status;
}

/* --- trials of the user's own --- */

/* What it is to be. */
static struct app_trial own_trial(const struct app_notebook *n, const double *x, int64_t worker, int queued)
{
    return (struct app_trial){.number = n->count + 1,
                              .state = worker ? APP_RUNNING : APP_PENDING,
                              .origin = "user",
                              .chosen_by = "user",
                              .queued = queued,
                              .x = x,
                              .seconds = NAN,
                              .starts = worker != 0};
}

int app_notebook_add(struct app_notebook *n, const double *x, int64_t worker, int queued, int *number)
{
    struct app_trial trial = own_trial(n, x, worker, queued);
    struct app_pool pool = {0};
    int status = app_trial_encode(&n->definition, &trial, &pool)
                     ? app_store_add(n->store, n->study, trial.number, 1, &trial, worker, n->message)
                     : app_fail(n->message, CKG_ERR_NOMEM, "out of memory");

    app_pool_free(&pool);
    *number = trial.number;
    return status ? status : app_notebook_sync(n);
}

/* As a change like others that people make, which can be undone. The caller holds the turn. */
static int queue(struct app_notebook *n, const double *x, const char *command)
{
    struct app_edit edit = {.notebook = n};
    const struct app_trial trial = own_trial(n, x, 0, 1);
    int status = app_edit_trial(&edit, &trial);

    if (!status)
        status = app_edit_make(&edit, "ask", command, NULL);
    app_edit_free(&edit);
    return status;
}

int app_notebook_queue(struct app_notebook *n, const double *x, const char *command, struct app_queued *out)
{
    int status = app_design_check(&n->definition, x, n->message);

    *out = (struct app_queued){0};
    if (!status)
        status = app_notebook_turn(n);
    if (status)
        return status;
    status = app_notebook_room(n, 1);
    if (!status) {
        out->number = n->count + 1;
        out->why = app_notebook_known(n, x, &out->known);
        status = queue(n, x, command);
    }
    app_notebook_turn_give(n);
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

const char *app_notebook_known(const struct app_notebook *n, const double *x, int *trial)
{
    const struct app_definition *d = &n->definition;

    for (int t = n->count - 1; t >= 0; t--) {
        const struct app_trial *one = &n->trials[t];

        if (!same_design(app_dimension(d), one->x, x))
            continue;
        *trial = one->number;
        if (one->state == APP_PENDING || one->state == APP_RUNNING)
            return "is still open";
        if (is_settled(d, one))
            return one->state == APP_COMPLETE ? "measured it without noise" : "failed";
    }
    return NULL;
}

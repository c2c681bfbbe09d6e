/* Designs of the user's own: those of the problem file that are still to be evaluated, and trials of others.
 */
#include "study/record.h"

#include <math.h>
#include <string.h>

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
        s->found |= app_same_design(app_dimension(s->definition), x, s->x);
    json_decref(design);
    return CKG_OK;
}

static int had_design(struct app_study *n, const struct app_trial *t, const double *x, int *had)
{
    struct search s = {&n->definition, x, 0};
    const int status = strcmp(t->origin, "user")
                           ? CKG_OK
                           : app_store_images(n->store, n->id, t->number, look_at, &s, n->message);

    *had = s.found;
    return status;
}

/* How many trials are of design number k, or were when they were asked for. */
static int count_trials(struct app_study *n, int k, int needed, int *count)
{
    const int d = app_dimension(&n->definition);
    const double *x = n->definition.own + (size_t)k * (size_t)d;
    int status = CKG_OK;

    *count = 0;
    for (int t = 0; t < n->count; t++)
        *count += app_same_design(d, n->trials[t].x, x);
    for (int t = 0; !status && *count < needed && t < n->count; t++) {
        int had = 0;
        if (!app_same_design(d, n->trials[t].x, x))
            status = had_design(n, &n->trials[t], x, &had);
        *count += had;
    }
    return status;
}

/*
 * Which of the file's designs have been taken up follows from the trials, so there is nothing to keep in
 * step: a design that stands there twice needs two of them.
 */
int app_study_due(struct app_study *n, int *due)
{
    const struct app_definition *d = &n->definition;
    const size_t width = (size_t)app_dimension(d);
    int status = CKG_OK;

    *due = -1;
    for (int k = 0; !status && *due < 0 && k < d->own_count; k++) {
        int needed = 0;
        int count = 0;

        for (int i = 0; i <= k; i++)
            needed += app_same_design((int)width, d->own + (size_t)i * width, d->own + (size_t)k * width);
        status = count_trials(n, k, needed, &count);
        if (count < needed)
            *due = k;
    }
    return status;
}

/* --- trials of the user's own --- */

struct app_trial app_user_trial(const struct app_study *n, const double *x, int64_t worker, int queued)
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

int app_study_add(struct app_study *n, const double *x, int64_t worker, int queued, int *number)
{
    struct app_trial trial = app_user_trial(n, x, worker, queued);
    struct app_pool pool = {0};
    int status = app_trial_encode(&n->definition, &trial, &pool)
                     ? app_store_add(n->store, n->id, trial.number, 1, &trial, worker, n->message)
                     : app_no_memory(n->message);

    app_pool_free(&pool);
    *number = trial.number;
    return status ? status : app_study_sync(n);
}

/*
 * The trials of a study whose problem changes. Designs go by the names of the parameters, values by those of
 * the outcomes; a value that is no outcome any more stays beside its trial. A design outside the new ranges
 * cannot be modelled, so its trial is set aside with a note, and taken in again when a later change lets it.
 */
#include "actions/action_change.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "actions/action_edit.h"
#include "base/reserve.h"

static const char set_aside[] = "set aside by `ckg change`: outside the ranges";

struct work {
    struct app_study *n;
    const struct app_definition *old, *now;
    struct app_pool *pool; /* of the trials as they are to be */
    struct app_message *message;
};

/* --- designs --- */

/* The design as an object, with the values that new parameters had so far. */
static json_t *make_object(const struct work *w, const double *x)
{
    struct app_text text = {0};

    app_design_write(w->old, x, &text);
    json_t *object = app_json_take(&text);

    for (int i = 0; object && i < app_dimension(w->now); i++) {
        const struct app_parameter p = app_parameter_at(w->now, i);
        const char *was = p.label.was.text;

        if (was && !json_object_get(object, p.name))
            json_object_set_new(object, p.name,
                                p.kind == CKG_CATEGORICAL ? json_string(was) : json_real(strtod(was, NULL)));
    }
    return object;
}

/* The design by the new definition; what cannot be expressed in it is refused. */
static int adapt_design(const struct work *w, const struct app_trial *from, struct app_trial *to)
{
    struct app_message why;
    json_t *object = make_object(w, from->x);
    double *x = app_pool_new(w->pool, (size_t)app_dimension(w->now), sizeof *x);

    to->x = x;
    if (!object || !x) {
        json_decref(object);
        return app_no_memory(w->message);
    }
    int status = app_design_read_any(w->now, object, x, &why);
    json_decref(object);

    /* A number between the integers is no design of another range, but of another kind. */
    for (int i = 0; !status && i < app_dimension(w->now); i++)
        if (ckg_problem_parameter_kind(w->now->problem, i) == CKG_INTEGER && x[i] != floor(x[i]))
            status = app_fail(&why, CKG_ERR_INVALID, "parameter '%s' is %g, which is no integer",
                              app_parameter_name(w->now, i), x[i]);
    return status ? app_fail(w->message, CKG_ERR_INVALID, "trial %d would lose its meaning: %s", from->number,
                             why.text)
                  : CKG_OK;
}

/* --- values --- */

/* What the old outcome is called by now; -1: it is none any more. */
static int outcome_after(const struct work *w, int before)
{
    for (int j = 0; j <= app_constraints(w->now); j++)
        if (app_outcome_before(w->old, w->now, j) == before)
            return j;
    return -1;
}

/* Values of outcomes that stay; those of others go beside the trial. */
static void move_values(const struct work *w, const struct app_trial *from, int count, json_t *extra,
                        ckg_measurement *to, int *stored)
{
    for (int i = 0; i < count; i++) {
        const ckg_measurement *m = &from->measured[i];
        const int after = outcome_after(w, m->outcome);

        if (after >= 0) {
            to[*stored] = *m;
            to[(*stored)++].outcome = after;
        } else
            json_object_set_new(extra, app_outcome_name(w->old, m->outcome),
                                app_outcome_at(w->old, m->outcome).yesno ? json_boolean(m->value > 0)
                                : m->sd == CKG_SD_DEFAULT                ? json_real(m->value)
                                                          : json_pack("[ff]", m->value, m->sd));
    }
}

/* Values beside the trial that are outcomes now. */
static int take_values(const struct work *w, const struct app_trial *from, json_t *extra, ckg_measurement *to,
                       int *stored)
{
    struct app_message unheard;

    for (int j = 0; j <= app_constraints(w->now); j++) {
        const json_t *value = json_object_get(extra, app_outcome_name(w->now, j));
        int given = 0;

        if (!value || app_outcome_before(w->old, w->now, j) >= 0 || from->state == APP_FAILED_TRIAL)
            continue;
        if (!app_outcome_read(w->now, j, value, &to[*stored], &given, &unheard) && given) {
            (*stored)++;
            json_object_del(extra, app_outcome_name(w->now, j));
        }
    }
    return ckg_problem_check_measured(w->now->problem, *stored, to)
               ? app_fail(w->message, CKG_ERR_INVALID, "trial %d would lose its meaning: %s", from->number,
                          ckg_error_message())
               : CKG_OK;
}

static int adapt_values(const struct work *w, const struct app_trial *from, struct app_trial *to)
{
    json_t *extra = from->extra ? json_loads(from->extra, 0, NULL) : json_object();
    ckg_measurement *measured = app_pool_new(w->pool, (size_t)app_constraints(w->now) + 1, sizeof *measured);
    int count = 0;

    if (!extra || !measured) {
        json_decref(extra);
        return app_no_memory(w->message);
    }
    move_values(w, from, app_trial_values(from), extra, measured, &count);
    const int status = take_values(w, from, extra, measured, &count);
    app_measurements_sort(measured, count);
    to->measured = measured;
    to->count = count;
    to->stored = count;

    /* What is beside the trial then. */
    char *written = json_object_size(extra) ? json_dumps(extra, JSON_REAL_PRECISION(17)) : NULL;
    to->extra = written ? app_pool_copy(w->pool, written) : NULL;
    const int lost = json_object_size(extra) && !to->extra;
    app_json_free(written);
    json_decref(extra);
    return lost ? app_no_memory(w->message) : status;
}

/* --- whether it is seen --- */

/* The notes without, or with, the one that says that it was set aside. */
static int adapt_notes(const struct work *w, int aside, struct app_trial *to)
{
    const char *notes = to->notes ? to->notes : "";
    const char *found = strstr(notes, set_aside);
    struct app_text out = {0};

    app_text_print(&out, "%.*s", found ? (int)(found - notes) : (int)strlen(notes), notes);
    if (found)
        app_text_print(&out, "%s", found + strlen(set_aside) + (found[strlen(set_aside)] == '\n'));
    while (out.length && out.data[out.length - 1] == '\n')
        out.data[--out.length] = 0;
    if (aside)
        app_text_print(&out, "%s%s", out.length ? "\n" : "", set_aside);
    to->notes = out.length && !out.failed ? app_pool_copy(w->pool, out.data) : NULL;
    const int lost = out.failed || (out.length && !to->notes);
    app_text_free(&out);
    return lost ? app_no_memory(w->message) : CKG_OK;
}

/* Outside of the ranges it is set aside; inside again it is what it was. */
static int adapt_state(const struct work *w, const struct app_trial *from, struct app_trial *to)
{
    const int inside = !ckg_problem_check_design(w->now->problem, to->x);
    const int marked = from->state == APP_DISCARDED && from->notes && strstr(from->notes, set_aside);

    if (to->state == APP_COMPLETE && !to->count)
        return app_fail(w->message, CKG_ERR_INVALID,
                        "nothing would be left of trial %d, which measured nothing else; `ckg discard` it",
                        from->number);
    const int aside = !inside && (marked || from->state != APP_DISCARDED);
    if (marked && inside)
        to->state = to->stored ? APP_COMPLETE : to->why ? APP_FAILED_TRIAL : APP_PENDING;
    else if (aside)
        to->state = APP_DISCARDED;
    if (to->state == APP_DISCARDED)
        to->count = 0;
    return adapt_notes(w, aside, to);
}

/* --- all of them --- */

/* What it is to measure, by the outcomes of now. */
static void adapt_wants(const struct work *w, const struct app_trial *from, struct app_trial *to)
{
    to->wants = (struct app_wants){.given = from->wants.given};
    for (int j = 0; j <= app_constraints(w->now); j++) {
        const int before = app_outcome_before(w->old, w->now, j);

        to->wants.has[j] = before >= 0 && from->wants.has[before];
    }
}

/* *changed: whether the trial is written otherwise than it was. */
static int compare(const struct work *w, const struct app_trial *from, struct app_trial *to, int *changed)
{
    struct app_trial before = *from;

    if (!app_trial_encode(w->old, &before, w->pool) || !app_trial_encode(w->now, to, w->pool))
        return app_no_memory(w->message);
    *changed = before.state != to->state || strcmp(before.parameters, to->parameters) != 0 ||
               !before.outcomes != !to->outcomes ||
               (to->outcomes && strcmp(before.outcomes, to->outcomes) != 0);
    return CKG_OK;
}

static int adapt_trial(const struct work *w, const struct app_trial *from, struct app_trial *to, int *changed)
{
    *to = *from;
    if (from->state == APP_RUNNING)
        return app_fail(w->message, CKG_ERR_STATE,
                        "trial %d is being evaluated by `ckg run`; stop the run, or wait for its end",
                        from->number);
    int status = adapt_design(w, from, to);
    if (!status)
        status = adapt_values(w, from, to);
    if (!status)
        status = adapt_state(w, from, to);
    if (status)
        return status;
    adapt_wants(w, from, to);
    to->feasible = app_feasible(w->now, to->x, to->count, to->measured);
    return compare(w, from, to, changed);
}

/* Counts what becomes of it. */
static void count_trial(struct app_changed *out, const struct app_trial *from, const struct app_trial *to)
{
    if (from->state != APP_DISCARDED && to->state == APP_DISCARDED)
        out->aside_number[out->aside++] = to->number;
    if (from->state == APP_DISCARDED && to->state != APP_DISCARDED)
        out->back_number[out->back++] = to->number;
    out->feasible_before += from->state == APP_COMPLETE && from->feasible == 1;
    out->feasible_after += to->state == APP_COMPLETE && to->feasible == 1;
}

/* Those that change are put into the edit; `now` and the record's definition change places. */
static int adapt(struct app_study *n, struct app_definition *now, struct app_edit *edit,
                 struct app_changed *out)
{
    const struct work w = {
        .n = n, .old = &n->definition, .now = now, .pool = &out->pool, .message = n->message};
    const size_t count = (size_t)n->count + 1;
    int *changed = app_pool_new(&out->pool, count, sizeof *changed);
    int status = CKG_OK;

    out->trials = app_pool_new(&out->pool, count, sizeof *out->trials);
    out->aside_number = app_pool_new(&out->pool, count, sizeof(int));
    out->back_number = app_pool_new(&out->pool, count, sizeof(int));
    if (!changed || !out->trials || !out->aside_number || !out->back_number)
        status = app_no_memory(w.message);

    /* Every trial by the new definition. */
    for (int i = 0; !status && i < n->count; i++) {
        status = adapt_trial(&w, &n->trials[i], &out->trials[i], &changed[i]);
        out->count++;
        if (!status)
            count_trial(out, &n->trials[i], &out->trials[i]);
    }

    /* Those that it changes, as they are to be written. */
    const struct app_definition old = n->definition;
    n->definition = *now;
    *now = old;
    for (int i = 0; !status && i < n->count; i++)
        if (changed[i])
            status = app_edit_trial(edit, &out->trials[i]);
    return status;
}

/* --- the change --- */

/* The trials would lose their meaning. */
static int refuse(struct app_study *n, const struct app_definition *now, const char *why)
{
    return n->file
               ? app_fail(
                     n->message, CKG_ERR_INVALID,
                     "%s: %.600s; that needs a new study: `ckg export --store '%s' --study '%s' >old.csv`, "
                     "change `name`, then `ckg import %s old.csv`",
                     n->file, why, n->url, now->name, n->file)
               : app_fail(n->message, CKG_ERR_INVALID, "%.900s; that needs a new study", why);
}

/* What changes; then, where it is wanted, the problem and its trials, all at once. */
static int make_change(struct app_study *n, struct app_definition *now, const struct app_changing *how,
                       struct app_changed *out)
{
    struct app_edit edit = {.record = n};
    int status = CKG_OK;

    app_difference_find(&out->difference, &n->definition, now);
    if (out->difference.refused.text[0])
        return refuse(n, now, out->difference.refused.text);
    status = adapt(n, now, &edit, out);
    if (!status && out->difference.count && how->agrees)
        status = how->agrees(how->context, n, out);
    if (!status && out->difference.count && how->command)
        status = app_edit_make_problem(&edit, how->command);
    app_edit_free(&edit);
    return status;
}

int app_change(struct app_study *n, struct app_definition *now, const struct app_changing *how,
               struct app_changed *out)
{
    *out = (struct app_changed){0};

    /* Nobody chooses a design meanwhile. */
    int status = app_study_lock(n);
    if (status)
        return status;
    status = make_change(n, now, how, out);
    app_study_unlock(n);
    return status;
}

void app_changed_free(struct app_changed *c)
{
    app_difference_free(&c->difference);
    app_pool_free(&c->pool);
    *c = (struct app_changed){0};
}

/* --- going back --- */

/* 1 when the trial as it is written now could be read by that definition. */
static int is_readable(const struct app_definition *old, const struct app_trial *t)
{
    struct app_message unheard;
    struct app_trial before;

    if (app_trial_decode(old, t, &before, &unheard))
        return 0;
    app_trial_free(&before);
    return 1;
}

int app_study_check_back(struct app_study *n, const char *definition)
{
    struct app_definition old;
    int status = app_definition_parse(&old, definition, strlen(definition), "the definition of before",
                                      n->message);

    if (status)
        return status;
    for (int i = 0; !status && i < n->count; i++)
        if (n->trials[i].revision > n->redefined && !is_readable(&old, &n->trials[i]))
            status = app_fail(n->message, CKG_ERR_STATE,
                              "trial %d belongs to the changed problem, so that cannot be undone; change the "
                              "problem file back, and `ckg change` takes that over",
                              n->trials[i].number);
    app_definition_free(&old);
    return status;
}

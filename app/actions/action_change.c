/*
 * The trials of a study whose problem changes. Designs go by the names of the parameters, values by those of
 * the outcomes; a value that is no outcome any more stays beside its trial. A design outside the new ranges
 * cannot be modelled, so its trial is set aside with a note, and taken in again when a later change lets it.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/reserve.h"
#include "definition/difference.h"
#include "study/record.h"

static const char set_aside[] = "set aside by `ckg change`: outside the ranges";

struct work {
    struct app_notebook *n;
    const struct app_definition *old, *now;
    struct app_message *message;
};

static int no_memory(const struct work *w)
{
    return app_fail(w->message, CKG_ERR_NOMEM, "out of memory");
}

/* --- designs --- */

/* The design as an object, with the values that new parameters had so far. */
static json_t *make_object(const struct work *w, const double *x)
{
    struct app_text text = {0};

    app_design_write(w->old, x, &text);
    json_t *object = app_json_take(&text);

    for (int i = 0; object && i < app_dimension(w->now); i++) {
        const struct app_parameter p = app_parameter_at(w->now, i);
        const char *was = p.label ? p.label->was : NULL;

        if (was && !json_object_get(object, p.name))
            json_object_set_new(object, p.name,
                                p.kind == CKG_CATEGORICAL ? json_string(was) : json_real(strtod(was, NULL)));
    }
    return object;
}

/* x (d) by the new definition; what cannot be expressed in it is refused. */
static int adapt_design(const struct work *w, const struct app_trial *from, struct app_trial *to)
{
    struct app_message why;
    json_t *object = make_object(w, from->x);

    to->x = calloc((size_t)app_dimension(w->now), sizeof *to->x);
    if (!object || !to->x) {
        json_decref(object);
        return no_memory(w);
    }
    int status = app_design_read_any(w->now, object, to->x, &why);
    json_decref(object);

    /* A number between the integers is no design of another range, but of another kind. */
    for (int i = 0; !status && i < app_dimension(w->now); i++)
        if (ckg_problem_parameter_kind(w->now->problem, i) == CKG_INTEGER && to->x[i] != floor(to->x[i]))
            status = app_fail(&why, CKG_ERR_INVALID, "parameter '%s' is %g, which is no integer",
                              app_parameter_name(w->now, i), to->x[i]);
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
                        ckg_measurement *to, int *kept)
{
    for (int i = 0; i < count; i++) {
        const ckg_measurement *m = &from->measured[i];
        const int after = outcome_after(w, m->outcome);

        if (after >= 0) {
            to[*kept] = *m;
            to[(*kept)++].outcome = after;
        } else
            json_object_set_new(extra, app_outcome_name(w->old, m->outcome),
                                app_outcome_at(w->old, m->outcome).yesno ? json_boolean(m->value > 0)
                                : m->sd == CKG_SD_DEFAULT                ? json_real(m->value)
                                                          : json_pack("[ff]", m->value, m->sd));
    }
}

/* Values beside the trial that are outcomes now. */
static int take_values(const struct work *w, const struct app_trial *from, json_t *extra, ckg_measurement *to,
                       int *kept)
{
    struct app_message unheard;

    for (int j = 0; j <= app_constraints(w->now); j++) {
        const json_t *value = json_object_get(extra, app_outcome_name(w->now, j));
        int given = 0;

        if (!value || app_outcome_before(w->old, w->now, j) >= 0 || from->state == APP_FAILED_TRIAL)
            continue;
        if (!app_outcome_read(w->now, j, value, &to[*kept], &given, &unheard) && given) {
            (*kept)++;
            json_object_del(extra, app_outcome_name(w->now, j));
        }
    }
    return ckg_problem_check_measured(w->now->problem, *kept, to)
               ? app_fail(w->message, CKG_ERR_INVALID, "trial %d would lose its meaning: %s", from->number,
                          ckg_error_message())
               : CKG_OK;
}

static int by_outcome(const void *a, const void *b)
{
    const ckg_measurement *one = a;
    const ckg_measurement *other = b;

    return (one->outcome > other->outcome) - (one->outcome < other->outcome);
}

static int adapt_values(const struct work *w, const struct app_trial *from, struct app_trial *to,
                        struct app_text *text)
{
    const int before = from->state == APP_DISCARDED ? from->kept : from->count;
    json_t *extra = from->extra ? json_loads(from->extra, 0, NULL) : json_object();
    int count = 0;

    to->measured = calloc((size_t)app_constraints(w->now) + 1, sizeof *to->measured);
    if (!extra || !to->measured) {
        json_decref(extra);
        return no_memory(w);
    }
    move_values(w, from, before, extra, to->measured, &count);
    const int status = take_values(w, from, extra, to->measured, &count);
    qsort(to->measured, (size_t)count, sizeof *to->measured, by_outcome);
    to->count = count;
    to->kept = count;

    /* What is beside the trial then. */
    char *written = json_object_size(extra) ? json_dumps(extra, JSON_REAL_PRECISION(17)) : NULL;
    if (written)
        app_text_print(text, "%s", written);
    app_json_free(written);
    json_decref(extra);
    to->extra = text->data;
    return status;
}

/* --- whether it is seen --- */

/* The notes without, or with, the one that says that it was set aside. */
static int adapt_notes(const struct work *w, const struct app_trial *from, int aside, struct app_text *out)
{
    const char *notes = from->notes ? from->notes : "";
    const char *found = strstr(notes, set_aside);

    app_text_print(out, "%.*s", found ? (int)(found - notes) : (int)strlen(notes), notes);
    if (found)
        app_text_print(out, "%s", found + strlen(set_aside) + (found[strlen(set_aside)] == '\n'));
    while (out->length && out->data[out->length - 1] == '\n')
        out->data[--out->length] = 0;
    if (aside)
        app_text_print(out, "%s%s", out->length ? "\n" : "", set_aside);
    return out->failed ? no_memory(w) : CKG_OK;
}

/* Outside of the ranges it is set aside; inside again it is what it was. */
static int adapt_state(const struct work *w, const struct app_trial *from, struct app_trial *to,
                       struct app_text *notes)
{
    const int inside = !ckg_problem_check_design(w->now->problem, to->x);
    const int marked = from->state == APP_DISCARDED && from->notes && strstr(from->notes, set_aside);
    const int back = marked && inside;
    const int nothing = to->state == APP_COMPLETE && !to->count;

    if (nothing)
        return app_fail(w->message, CKG_ERR_INVALID,
                        "nothing would be left of trial %d, which measured nothing else; `ckg discard` it",
                        from->number);
    if (back)
        to->state = to->kept ? APP_COMPLETE : to->why ? APP_FAILED_TRIAL : APP_PENDING;
    else if (!inside && from->state != APP_DISCARDED)
        to->state = APP_DISCARDED;
    const int status = adapt_notes(w, from, (marked && !inside) || (!inside && from->state != APP_DISCARDED),
                                   notes);
    to->notes = notes->length ? notes->data : NULL;
    if (to->state == APP_DISCARDED)
        to->count = 0;
    return status;
}

/* --- all of them --- */

/* 1 when the trial would be written otherwise than it is. */
static int is_changed(const struct work *w, const struct app_trial *a, const struct app_trial *b)
{
    struct app_text text[4] = {{0}};
    const int before = a->state == APP_DISCARDED ? a->kept : a->count;
    const int after = b->state == APP_DISCARDED ? b->kept : b->count;

    app_design_write(w->old, a->x, &text[0]);
    app_design_write(w->now, b->x, &text[1]);
    app_outcomes_write(w->old, before, a->measured, &text[2]);
    app_outcomes_write(w->now, after, b->measured, &text[3]);
    int changed = a->state != b->state;
    for (int i = 0; i < 4; i += 2)
        changed = changed || !text[i].data || !text[i + 1].data ||
                  strcmp(text[i].data, text[i + 1].data) != 0;
    for (int i = 0; i < 4; i++)
        app_text_free(&text[i]);
    return changed;
}

static int adapt_trial(const struct work *w, const struct app_trial *from, struct app_trial *to,
                       struct app_text texts[2])
{
    *to = *from;
    to->x = NULL;
    to->measured = NULL;
    if (from->state == APP_RUNNING)
        return app_fail(w->message, CKG_ERR_STATE,
                        "trial %d is being evaluated by `ckg run`; stop the run, or wait for its end",
                        from->number);
    int status = adapt_design(w, from, to);
    if (!status)
        status = adapt_values(w, from, to, &texts[0]);
    if (!status)
        status = adapt_state(w, from, to, &texts[1]);
    to->feasible = status ? -1 : app_feasible(w->now, to->x, to->count, to->measured);
    return status;
}

/* Counts what becomes of it. */
static void count_trial(struct app_adapted *out, const struct app_trial *from, const struct app_trial *to)
{
    if (from->state != APP_DISCARDED && to->state == APP_DISCARDED)
        out->aside_number[out->aside++] = to->number;
    if (from->state == APP_DISCARDED && to->state != APP_DISCARDED)
        out->back_number[out->back++] = to->number;
    out->feasible_before += from->state == APP_COMPLETE && from->feasible == 1;
    out->feasible_after += to->state == APP_COMPLETE && to->feasible == 1;
}

int app_notebook_adapt(struct app_notebook *n, struct app_definition *now, struct app_edit *edit,
                       struct app_adapted *out)
{
    const struct work w = {.n = n, .old = &n->definition, .now = now, .message = n->message};
    const size_t count = (size_t)n->count + 1;
    int status = CKG_OK;

    *out = (struct app_adapted){.trials = calloc(count, sizeof *out->trials),
                                .texts = calloc(2 * count, sizeof *out->texts),
                                .aside_number = calloc(count, sizeof(int)),
                                .back_number = calloc(count, sizeof(int))};
    if (!out->trials || !out->texts || !out->aside_number || !out->back_number)
        status = no_memory(&w);

    /* Every trial by the new definition. */
    for (int i = 0; !status && i < n->count; i++) {
        status = adapt_trial(&w, &n->trials[i], &out->trials[i], &out->texts[2 * i]);
        out->count++;
        if (!status)
            count_trial(out, &n->trials[i], &out->trials[i]);
    }

    /* Those that it changes, as they are to be written. */
    char *changed = calloc(count, 1);
    for (int i = 0; !status && changed && i < n->count; i++)
        changed[i] = (char)is_changed(&w, &n->trials[i], &out->trials[i]);
    const struct app_definition old = n->definition;
    n->definition = *now;
    *now = old;
    for (int i = 0; !status && changed && i < n->count; i++)
        if (changed[i])
            status = app_edit_trial(edit, &out->trials[i]);
    free(changed);
    return status || changed ? status : no_memory(&w);
}

void app_adapted_free(struct app_adapted *a)
{
    for (int i = 0; a->trials && i < a->count; i++) {
        free(a->trials[i].x);
        free(a->trials[i].measured);
        app_text_free(&a->texts[2 * i]);
        app_text_free(&a->texts[2 * i + 1]);
    }
    free(a->trials);
    free(a->texts);
    free(a->aside_number);
    free(a->back_number);
    *a = (struct app_adapted){0};
}

/* --- going back --- */

/* 1 when the trial as it is written now could be read by that definition. */
static int is_readable(const struct app_definition *now, const struct app_definition *old,
                       const struct app_trial *t)
{
    struct app_text text[2] = {{0}};
    struct app_message unheard;
    ckg_measurement measured[CKG_MAX_CONSTRAINTS + 1];
    double x[CKG_MAX_PARAMETERS];
    int count;

    app_design_write(now, t->x, &text[0]);
    app_outcomes_write(now, t->state == APP_DISCARDED ? t->kept : t->count, t->measured, &text[1]);
    json_t *design = app_json_take(&text[0]);
    json_t *outcomes = app_json_take(&text[1]);
    const int any = t->state == APP_DISCARDED;
    const int readable = design && outcomes &&
                         !(any ? app_design_read_any : app_design_read)(old, design, x, &unheard) &&
                         !app_outcomes_read(old, outcomes, measured, &count, &unheard);

    json_decref(design);
    json_decref(outcomes);
    return readable;
}

int app_notebook_check_back(struct app_notebook *n, const char *definition)
{
    struct app_definition old;
    int status = app_definition_parse(&old, definition, strlen(definition), "the definition of before",
                                      n->message);

    if (status)
        return status;
    for (int i = 0; !status && i < n->count; i++)
        if (n->trials[i].revision > n->redefined && !is_readable(&n->definition, &old, &n->trials[i]))
            status = app_fail(n->message, CKG_ERR_STATE,
                              "trial %d belongs to the changed problem, so that cannot be undone; change the "
                              "problem file back, and `ckg change` takes that over",
                              n->trials[i].number);
    app_definition_free(&old);
    return status;
}

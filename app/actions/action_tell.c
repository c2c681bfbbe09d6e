/* What is said, what may be said, and what that makes of the trial. */
#include "actions/action_tell.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "actions/action_edit.h"

/* --- what is said --- */

int app_telling_new(struct app_telling *out, const struct app_study *n, int number)
{
    const size_t outcomes = (size_t)app_constraints(&n->definition) + 1;
    const size_t d = (size_t)app_dimension(&n->definition);

    *out = (struct app_telling){.measured = calloc(outcomes, sizeof *out->measured),
                                .named = calloc(outcomes, 1),
                                .x = calloc(d, sizeof *out->x)};
    if (!out->measured || !out->named || !out->x) {
        app_telling_free(out);
        return app_no_memory(n->message);
    }
    memcpy(out->x, n->trials[number - 1].x, d * sizeof *out->x);
    return CKG_OK;
}

void app_telling_free(struct app_telling *telling)
{
    free(telling->measured);
    free(telling->named);
    free(telling->x);
    *telling = (struct app_telling){0};
}

int app_telling_add(const struct app_study *n, struct app_telling *telling, int outcome, int given,
                    const ckg_measurement *measured)
{
    if (telling->named[outcome])
        return app_fail(n->message, CKG_ERR_INVALID, "'%s' is given twice",
                        app_outcome_name(&n->definition, outcome));
    telling->named[outcome] = 1;
    telling->names++;
    if (given)
        telling->measured[telling->count++] = *measured;
    return CKG_OK;
}

/* One by one: what is null is said not to have been measured. */
static int read_values(const struct app_study *n, const json_t *values, struct app_telling *telling)
{
    const struct app_definition *d = &n->definition;
    ckg_measurement all[CKG_MAX_CONSTRAINTS + 1];
    int count;
    int status = values ? app_outcomes_read(d, values, all, &count, n->message) : CKG_OK;

    for (int j = 0; values && !status && j <= app_constraints(d); j++) {
        const json_t *value = json_object_get(values, app_outcome_name(d, j));
        ckg_measurement measured;
        int given = 0;

        if (value)
            status = app_outcome_read(d, j, value, &measured, &given, n->message);
        if (value && !status)
            status = app_telling_add(n, telling, j, given, &measured);
    }
    return status;
}

/* The design that was really made: the trial's, but for the parameters that are given. */
static int read_made(const struct app_study *n, const json_t *at, struct app_telling *telling)
{
    struct app_text text = {0};

    if (!at)
        return CKG_OK;
    app_design_write(&n->definition, telling->x, &text);
    json_t *design = app_json_take(&text);
    if (!design || json_object_update(design, (json_t *)at)) {
        json_decref(design);
        return app_no_memory(n->message);
    }
    const int status = app_design_read_any(&n->definition, design, telling->x, n->message);
    telling->moved = 1;
    json_decref(design);
    return status;
}

int app_telling_read(const struct app_study *n, const json_t *values, const json_t *at,
                     struct app_telling *telling)
{
    const int status = read_values(n, values, telling);

    return status ? status : read_made(n, at, telling);
}

/* --- what may be said --- */

int app_telling_check(const struct app_study *n, const struct app_telling *telling)
{
    if (telling->moved && ckg_problem_check_design(n->definition.problem, telling->x))
        return app_fail(n->message, CKG_ERR_INVALID, "--at: %s", ckg_error_message());
    if (!telling->names && !telling->moved && !telling->why && !telling->note)
        return app_fail(n->message, CKG_ERR_INVALID,
                        "no value is given; write NAME=VALUE…, or --failed \"why\"");
    return telling->why && telling->names
               ? app_fail(n->message, CKG_ERR_INVALID, "a failed trial has no values")
               : CKG_OK;
}

void app_telling_words(const struct app_study *n, int number, const struct app_telling *telling,
                       const char *where, struct app_text *out)
{
    app_text_print(out, "tell %d%s ", number, telling->replace ? " --replace" : "");
    if (telling->why)
        app_text_print(out, "--failed '%s'", telling->why);
    else
        app_outcomes_write(&n->definition, telling->count, telling->measured, out);
    app_text_print(out, " (from %s)", where);
}

/* A value with all its digits, or an answer. */
static const char *telling_text(const struct app_definition *d, const ckg_measurement *m, char buffer[32])
{
    if (ckg_problem_yesno(d->problem, m->outcome) == 1)
        return m->value > 0 ? "yes" : "no";
    return app_number(m->value, buffer);
}

/* Without `replace` nothing that was told before is changed; the line says how to. */
static int check_plain(const struct app_study *n, const struct app_trial *t,
                       const struct app_telling *telling)
{
    const int remark = !telling->names && !telling->moved && !telling->why;
    char number[32];

    if (t->state == APP_PENDING || remark)
        return CKG_OK;
    if (t->state != APP_COMPLETE || telling->why)
        return app_fail(n->message, CKG_ERR_STATE,
                        "trial %d is already %s; with --replace it becomes what you say", t->number,
                        app_state_name(t->state));
    for (int i = 0; i < t->count; i++)
        if (telling->named[t->measured[i].outcome])
            return app_fail(n->message, CKG_ERR_STATE,
                            "trial %d is already complete with %s = %s; --replace corrects it", t->number,
                            app_outcome_name(&n->definition, t->measured[i].outcome),
                            telling_text(&n->definition, &t->measured[i], number));
    return telling->moved ? app_fail(n->message, CKG_ERR_STATE,
                                     "trial %d is already complete; --replace corrects its design", t->number)
                          : CKG_OK;
}

/* --- what it becomes --- */

/* The values told before that are not named now stay. Into `all` (1 + K). */
static int merge(const struct app_trial *t, const struct app_telling *telling, ckg_measurement *all)
{
    int count = 0;

    for (int i = 0; i < app_trial_values(t); i++)
        if (!telling->named[t->measured[i].outcome])
            all[count++] = t->measured[i];
    for (int i = 0; i < telling->count; i++)
        all[count++] = telling->measured[i];
    return count;
}

/* The trial gets values, those of before included; `all` has room for them. */
static int apply_values(const struct app_study *n, const struct app_telling *telling, struct app_trial *t,
                        ckg_measurement *all)
{
    const int count = merge(t, telling, all);

    if (!count && t->state == APP_PENDING)
        return app_fail(n->message, CKG_ERR_INVALID,
                        "no value is given; write NAME=VALUE…, or --failed \"why\"");
    if (!count)
        return app_fail(n->message, CKG_ERR_INVALID,
                        "nothing would be left of trial %d; `ckg discard` sets it aside", t->number);
    app_measurements_sort(all, count);
    t->state = APP_COMPLETE;
    t->measured = all;
    t->count = count;
    t->why = NULL;
    return CKG_OK;
}

/* The trial as it is to be. */
static int apply(const struct app_study *n, const struct app_telling *telling, struct app_trial *t,
                 ckg_measurement *all)
{
    /* What an earlier try of a run left is no part of what a person says. */
    if (t->state == APP_PENDING && (telling->names || telling->why)) {
        t->seconds = NAN;
        t->log = NULL;
    }

    if (telling->moved)
        t->x = telling->x;
    if (telling->names)
        return apply_values(n, telling, t, all);
    if (telling->why) {
        t->state = APP_FAILED_TRIAL;
        t->count = 0;
        t->why = telling->why;
        t->failures += 1;
    }
    return CKG_OK;
}

/* The trial as it was, or as it is to be: what it owns stays the record's or the caller's. */
static int change(struct app_study *n, struct app_trial t, const struct app_telling *telling,
                  ckg_measurement *all, const char *command)
{
    struct app_edit edit = {.record = n};
    const int open = t.state == APP_PENDING;
    int status = app_edit_note(&edit, &t, telling->note);

    if (!status)
        status = apply(n, telling, &t, all);
    if (!status)
        status = app_edit_trial(&edit, &t);
    if (!status)
        status = app_edit_make(&edit, open ? "tell" : "replace", command, NULL);
    app_edit_free(&edit);
    return status;
}

int app_telling_record(struct app_study *n, int number, const struct app_telling *telling,
                       const char *command)
{
    const struct app_trial *t = &n->trials[number - 1];
    int status = telling->replace ? CKG_OK : check_plain(n, t, telling);

    if (status)
        return status;
    ckg_measurement *all = calloc((size_t)app_constraints(&n->definition) + 1, sizeof *all);
    status = all ? change(n, *t, telling, all, command) : app_no_memory(n->message);
    free(all);
    return status;
}

/* Part by part, each difference a line of its own. */
#include "definition/difference.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "definition/file_schema.h"

/* The next line to write into; the last one is written over where there are too many. */
static struct app_text *next(struct app_difference *d)
{
    if (d->count < APP_MOST_DIFFERENCES)
        return &d->line[d->count++];
    d->line[d->count - 1].length = 0;
    return &d->line[d->count - 1];
}

/* The first reason stays. */
static void refuse(struct app_difference *d, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void refuse(struct app_difference *d, const char *format, ...)
{
    va_list list;

    if (d->refused.text[0])
        return;
    va_start(list, format);
    vsnprintf(d->refused.text, sizeof d->refused.text, format, list);
    va_end(list);
}

/* The number behind these words; -0 is 0. */
static void add_number(struct app_text *out, const char *before, double value)
{
    char number[32];

    app_text_print(out, "%s%s", before, app_number(value + 0.0, number));
}

/* Where a difference of a key goes, and whose it is. */
struct place {
    struct app_difference *difference;
    const char *name; /* NULL: the file's */
};

/* "limit of stress from 0 to 5" */
static void add_line(void *context, const char *what, const char *old, const char *now)
{
    const struct place *place = context;
    const char *name = place->name;

    app_text_print(next(place->difference), "%s%s%s from %s to %s", what, name ? " of " : "",
                   name ? name : "", old, now);
}

static void compare_keys(struct app_difference *d, const struct app_schema *schema, const char *name,
                         const void *old, const void *now)
{
    app_schema_compare(schema, old, now, add_line, &(struct place){d, name});
}

/* --- outcomes --- */

int app_outcome_before(const struct app_definition *old, const struct app_definition *now, int j)
{
    const struct app_outcome b = app_outcome_at(now, j);
    const int same = ckg_problem_outcome_find(old->problem, b.name);

    if (same >= 0)
        return same;
    if (j > app_constraints(old) || ckg_problem_outcome_find(now->problem, app_outcome_name(old, j)) >= 0)
        return -1;
    const struct app_outcome a = app_outcome_at(old, j);
    return !j || (a.min == b.min && a.max == b.max) ? j : -1;
}

/* A single limit as a number where both sides have the same one, else both ends. */
static void write_limits(const struct app_outcome *o, int alike, struct app_text *out)
{
    const int equality = o->tolerance > 0;

    if (equality || !isinf(o->min))
        add_number(out, alike || !isinf(o->max) ? "" : "at least ", equality ? o->equal : o->min);
    if (equality)
        add_number(out, " ± ", o->tolerance);
    else if (!isinf(o->max))
        add_number(out, !isinf(o->min) ? " … " : alike ? "" : "at most ", o->max);
}

static void compare_limits(struct app_difference *d, const struct app_outcome *a, const struct app_outcome *b)
{
    const int alike = isinf(a->min) == isinf(b->min) && isinf(a->max) == isinf(b->max);
    const int one = alike && (isinf(a->min) || isinf(a->max));
    struct app_text texts[2] = {{0}};

    if (a->yesno != b->yesno) {
        app_text_print(next(d), "%s %s", b->name, b->yesno ? "answers yes or no now" : "is a number now");
        return;
    }
    if (b->yesno)
        return;
    write_limits(a, alike, &texts[0]);
    write_limits(b, alike, &texts[1]);
    app_text_differ(&texts[0], &texts[1], one ? "limit" : "limits", add_line, &(struct place){d, b->name});
}

/* One outcome against the one whose values it has. */
static void compare_outcome(struct app_difference *d, const struct app_definition *old, int before,
                            const struct app_definition *now, int j)
{
    const struct app_outcome a = app_outcome_at(old, before);
    const struct app_outcome b = app_outcome_at(now, j);

    if (strcmp(a.name, b.name) != 0)
        app_text_print(next(d), "%s's name from '%s' to '%s'", j ? "a constraint" : "the objective", a.name,
                       b.name);
    if (!j && before)
        app_text_print(next(d), "the constraint %s is the objective now", b.name);
    else if (j && !before)
        app_text_print(next(d), "the objective %s is a constraint now", b.name);
    else if (j)
        compare_limits(d, &a, &b);

    if (!a.yesno && !b.yesno)
        compare_keys(d, &app_schema_constraint, b.name, &a, &b);
    if (a.positive != b.positive)
        app_text_print(next(d), "%s %s declared positive", b.name, b.positive ? "is" : "is no longer");
}

/* 1 when some outcome of the new definition has the old one's values. */
static int is_still_there(const struct app_definition *old, const struct app_definition *now, int before)
{
    for (int j = 0; j <= app_constraints(now); j++)
        if (app_outcome_before(old, now, j) == before)
            return 1;
    return 0;
}

static void compare_outcomes(struct app_difference *d, const struct app_definition *old,
                             const struct app_definition *now)
{
    int order = -1;
    int moved = 0;

    /* What is there now. */
    for (int j = 0; j <= app_constraints(now); j++) {
        const int before = app_outcome_before(old, now, j);

        if (before < 0 && !j)
            refuse(d, "the objective was '%s' and is now '%s'", app_outcome_name(old, 0),
                   app_outcome_name(now, 0));
        else if (before < 0)
            app_text_print(next(d), "new constraint %s", app_outcome_name(now, j));
        else {
            compare_outcome(d, old, before, now, j);
            moved = moved || (j && before && before < order);
            order = before > order ? before : order;
        }
    }

    /* What is gone. */
    for (int j = 0; j <= app_constraints(old); j++)
        if (!is_still_there(old, now, j))
            app_text_print(next(d), "%s %s is gone", j ? "the constraint" : "the objective",
                           app_outcome_name(old, j));
    if (moved)
        app_text_print(next(d), "the order of the constraints");
}

/* --- parameters --- */

/* A parameter that varied before and does so now; an integer has a step by itself. */
static void compare_parameter(struct app_difference *d, struct app_parameter a, struct app_parameter b)
{
    if ((a.kind == CKG_CATEGORICAL) != (b.kind == CKG_CATEGORICAL)) {
        refuse(d, "parameter '%s' was %s and is now %s", b.name, app_kind_names[a.kind],
               app_kind_names[b.kind]);
        return;
    }
    if (a.kind != b.kind)
        a.step = b.step = 0;
    compare_keys(d, &app_schema_parameter, b.name, &a, &b);
}

/* A parameter that varies now, whatever it was. */
static void compare_varied(struct app_difference *d, const struct app_definition *old,
                           const struct app_definition *now, int i)
{
    const struct app_parameter b = app_parameter_at(now, i);
    const int at = ckg_problem_parameter_find(old->problem, b.name);
    const struct app_fixed *fixed = app_fixed_find(old, b.name);

    if (at >= 0)
        compare_parameter(d, app_parameter_at(old, at), b);
    else if (fixed)
        app_text_print(next(d), "%s varies now; it was fixed at %s", b.name, fixed->value.text);
    else if (b.label.was.text)
        app_text_print(next(d), "new parameter %s, which was %s so far", b.name, b.label.was.text);
    else
        refuse(d, "parameter '%s' is new; say which value it had so far with `was: VALUE`", b.name);
}

/* A parameter that is fixed now. */
static void compare_fixed(struct app_difference *d, const struct app_definition *old,
                          const struct app_fixed *now)
{
    const struct app_fixed *before = app_fixed_find(old, now->name);

    if (before && strcmp(before->value.text, now->value.text) != 0)
        refuse(d, "parameter '%s' was fixed at %s and is now fixed at %s", now->name, before->value.text,
               now->value.text);
    else if (!before && ckg_problem_parameter_find(old->problem, now->name) >= 0)
        app_text_print(next(d), "%s is fixed at %s now", now->name, now->value.text);
    else if (!before)
        app_text_print(next(d), "new parameter %s, fixed at %s", now->name, now->value.text);
}

static void compare_parameters(struct app_difference *d, const struct app_definition *old,
                               const struct app_definition *now)
{
    int order = -1;
    int moved = 0;

    /* What is there now. */
    for (int i = 0; i < app_dimension(now); i++) {
        const int at = ckg_problem_parameter_find(old->problem, app_parameter_name(now, i));

        compare_varied(d, old, now, i);
        moved = moved || (at >= 0 && at < order);
        order = at > order ? at : order;
    }
    for (int i = 0; i < now->fixed_count; i++)
        compare_fixed(d, old, &now->fixed[i]);
    if (moved)
        app_text_print(next(d), "the order of the parameters");

    /* What is gone. */
    for (int i = 0; i < app_dimension(old) + old->fixed_count; i++) {
        const char *name = i < app_dimension(old) ? app_parameter_name(old, i)
                                                  : old->fixed[i - app_dimension(old)].name;

        if (!app_fixed_find(now, name) && ckg_problem_parameter_find(now->problem, name) < 0)
            refuse(d, "parameter '%s' is gone; fix it with `%s: {value: …}` instead", name, name);
    }
}

/* --- rules --- */

/* 1 when the problem has that rule. */
static int has_rule(const struct app_definition *d, const char *text)
{
    for (int i = 0; i < ckg_problem_rules(d->problem); i++)
        if (!strcmp(ckg_problem_rule(d->problem, i), text))
            return 1;
    return 0;
}

/* The rules of one that the other lacks. */
static void list_rules(struct app_difference *d, const struct app_definition *of,
                       const struct app_definition *other, const char *before, const char *behind)
{
    for (int i = 0; i < ckg_problem_rules(of->problem); i++) {
        const char *rule = ckg_problem_rule(of->problem, i);

        if (!has_rule(other, rule))
            app_text_print(next(d), "%s %s%s", before, rule, behind);
    }
}

/* --- designs to choose from --- */

static void compare_designs(struct app_difference *d, const struct app_definition *old,
                            const struct app_definition *now)
{
    const int before = ckg_problem_designs(old->problem);
    const int after = ckg_problem_designs(now->problem);
    const size_t width = (size_t)app_dimension(now) * sizeof(double);
    int same = before == after && (!after || app_dimension(old) == app_dimension(now));

    for (int i = 0; same && i < after; i++)
        same = !memcmp(ckg_problem_design(old->problem, i), ckg_problem_design(now->problem, i), width);
    if (!same)
        app_text_print(next(d), "the list of designs to choose from (%d, and %d before)", after, before);
}

/*
 * A policy may change at any time; only where a name has changed its meaning since the study began is a
 * person asked.
 */
static void compare_policies(struct app_difference *out, const struct app_definition *old,
                             const struct app_definition *now)
{
    if (old->was_ckg && !strcmp(now->policy, "ckg"))
        app_text_print(next(out),
                       "policy from auto, once called ckg, to ckg, which looks ahead at every step");
}

/* --- all of it --- */

static void compare_problems(struct app_difference *out, const struct app_definition *old,
                             const struct app_definition *now)
{
    *out = (struct app_difference){0};
    compare_keys(out, &app_schema_file, NULL, old, now);
    compare_outcomes(out, old, now);
    compare_parameters(out, old, now);
    list_rules(out, now, old, "new rule", "");
    list_rules(out, old, now, "the rule", " is gone");
    compare_designs(out, old, now);
}

void app_difference_find(struct app_difference *out, const struct app_definition *old,
                         const struct app_definition *now)
{
    compare_problems(out, old, now);
    compare_policies(out, old, now);
}

int app_definition_same(const struct app_definition *old, const struct app_definition *now,
                        struct app_message *message)
{
    struct app_difference d;
    struct app_text lines = {0};
    const long failures = app_memory_failures();
    int status = CKG_OK;

    compare_problems(&d, old, now);
    app_difference_write(&d, ", ", &lines);
    if (d.count || d.refused.text[0])
        status = app_fail(message, CKG_ERR_INVALID, "%s", d.refused.text[0] ? d.refused.text : lines.data);
    if (app_memory_failures() > failures)
        status = app_no_memory(message);
    app_difference_free(&d);
    app_text_free(&lines);
    return status;
}

void app_difference_write(const struct app_difference *d, const char *between, struct app_text *out)
{
    for (int i = 0; i < d->count; i++)
        app_text_print(out, "%s%s", i ? between : "", d->line[i].data ? d->line[i].data : "…");
}

void app_difference_free(struct app_difference *d)
{
    for (int i = 0; i < d->count; i++)
        app_text_free(&d->line[i]);
    d->count = 0;
}

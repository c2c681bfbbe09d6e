/* Part by part, each difference a line of its own. */
#include "definition/difference.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"

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

static void write_noise(struct app_text *out, const struct app_outcome *o)
{
    char number[32];

    app_text_print(out, "%s",
                   o->noise == CKG_NOISE_KNOWN ? app_number(o->sd, number) : app_noise_word(o->noise));
}

/* A single limit as a number where both sides have the same one, else both ends. */
static void write_limits(struct app_text *out, const struct app_outcome *o, int alike)
{
    char number[32];

    if (o->tolerance > 0) {
        app_text_print(out, "%s", app_number(o->equal, number));
        app_text_print(out, " ± %s", app_number(o->tolerance, number));
    } else if (isinf(o->min))
        app_text_print(out, "%s%s", alike ? "" : "at most ", app_number(o->max, number));
    else if (isinf(o->max))
        app_text_print(out, "%s%s", alike ? "" : "at least ", app_number(o->min, number));
    else {
        app_text_print(out, "%s", app_number(o->min, number));
        app_text_print(out, " … %s", app_number(o->max, number));
    }
}

static void compare_limits(struct app_difference *d, const struct app_outcome *a, const struct app_outcome *b)
{
    const int alike = isinf(a->min) == isinf(b->min) && isinf(a->max) == isinf(b->max);

    if (a->yesno != b->yesno) {
        app_text_print(next(d), "%s %s", b->name, b->yesno ? "answers yes or no now" : "is a number now");
        return;
    }
    if (a->min == b->min && a->max == b->max && a->equal == b->equal && a->tolerance == b->tolerance)
        return;
    struct app_text *line = next(d);
    app_text_print(line, "limit%s of %s from ", alike && (isinf(a->min) || isinf(a->max)) ? "" : "s",
                   b->name);
    write_limits(line, a, alike);
    app_text_print(line, " to ");
    write_limits(line, b, alike);
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

    if (!a.yesno && !b.yesno && (a.noise != b.noise || a.sd != b.sd)) {
        struct app_text *line = next(d);
        app_text_print(line, "noise of %s from ", b.name);
        write_noise(line, &a);
        app_text_print(line, " to ");
        write_noise(line, &b);
    }
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

static void write_range(struct app_text *out, const struct app_parameter *p)
{
    char number[32];

    if (p->kind != CKG_CATEGORICAL) {
        app_text_print(out, "%s", app_number(p->low, number));
        app_text_print(out, " … %s", app_number(p->high, number));
        return;
    }
    for (int i = 0; i < p->count; i++)
        app_text_print(out, "%s%s", i ? ", " : "[", ckg_problem_category(p->problem, p->index, i));
    app_text_print(out, "]");
}

static int same_range(const struct app_parameter *a, const struct app_parameter *b)
{
    int same = a->low == b->low && a->high == b->high && a->count == b->count;

    for (int i = 0; same && i < a->count; i++)
        same = !strcmp(ckg_problem_category(a->problem, a->index, i),
                       ckg_problem_category(b->problem, b->index, i));
    return same;
}

/* A parameter that varied before and does so now. */
static void compare_parameter(struct app_difference *d, const struct app_parameter *a,
                              const struct app_parameter *b)
{
    static const char *const kinds[] = {
        [CKG_REAL] = "real", [CKG_INTEGER] = "integer", [CKG_CATEGORICAL] = "categorical"};
    static const char *const scales[] = {[CKG_LINEAR] = "linear", [CKG_LOG] = "log"};
    char step[2][32];

    if ((a->kind == CKG_CATEGORICAL) != (b->kind == CKG_CATEGORICAL)) {
        refuse(d, "parameter '%s' was %s and is now %s", b->name, kinds[a->kind], kinds[b->kind]);
        return;
    }
    if (a->kind != b->kind)
        app_text_print(next(d), "type of %s from %s to %s", b->name, kinds[a->kind], kinds[b->kind]);
    if (!same_range(a, b)) {
        struct app_text *line = next(d);
        app_text_print(line, "%s of %s from ", b->kind == CKG_CATEGORICAL ? "values" : "range", b->name);
        write_range(line, a);
        app_text_print(line, " to ");
        write_range(line, b);
    }
    if (a->scale != b->scale)
        app_text_print(next(d), "scale of %s from %s to %s", b->name, scales[a->scale], scales[b->scale]);
    if (a->step != b->step && a->kind == b->kind)
        app_text_print(next(d), "step of %s from %s to %s", b->name,
                       a->step > 0 ? app_number(a->step, step[0]) : "none",
                       b->step > 0 ? app_number(b->step, step[1]) : "none");
}

/* A parameter that varies now, whatever it was. */
static void compare_varied(struct app_difference *d, const struct app_definition *old,
                           const struct app_definition *now, int i)
{
    const struct app_parameter b = app_parameter_at(now, i);
    const int at = ckg_problem_parameter_find(old->problem, b.name);
    const struct app_fixed *fixed = app_fixed_find(old, b.name);

    if (at >= 0) {
        const struct app_parameter a = app_parameter_at(old, at);
        compare_parameter(d, &a, &b);
    } else if (fixed)
        app_text_print(next(d), "%s varies now; it was fixed at %s", b.name, fixed->text);
    else if (b.label && b.label->was)
        app_text_print(next(d), "new parameter %s, which was %s so far", b.name, b.label->was);
    else
        refuse(d, "parameter '%s' is new; say which value it had so far with `was: VALUE`", b.name);
}

/* A parameter that is fixed now. */
static void compare_fixed(struct app_difference *d, const struct app_definition *old,
                          const struct app_fixed *now)
{
    const struct app_fixed *before = app_fixed_find(old, now->name);

    if (before && strcmp(before->text, now->text) != 0)
        refuse(d, "parameter '%s' was fixed at %s and is now fixed at %s", now->name, before->text,
               now->text);
    else if (!before && ckg_problem_parameter_find(old->problem, now->name) >= 0)
        app_text_print(next(d), "%s is fixed at %s now", now->name, now->text);
    else if (!before)
        app_text_print(next(d), "new parameter %s, fixed at %s", now->name, now->text);
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

static void compare_rules(struct app_difference *d, const struct app_definition *old,
                          const struct app_definition *now)
{
    for (int i = 0; i < ckg_problem_rules(now->problem); i++)
        if (!has_rule(old, ckg_problem_rule(now->problem, i)))
            app_text_print(next(d), "new rule %s", ckg_problem_rule(now->problem, i));
    for (int i = 0; i < ckg_problem_rules(old->problem); i++)
        if (!has_rule(now, ckg_problem_rule(old->problem, i)))
            app_text_print(next(d), "the rule %s is gone", ckg_problem_rule(old->problem, i));
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

void app_difference_find(struct app_difference *out, const struct app_definition *old,
                         const struct app_definition *now)
{
    memset(out, 0, sizeof *out);
    if (ckg_problem_goal(old->problem) != ckg_problem_goal(now->problem))
        app_text_print(next(out), "goal from %s",
                       ckg_problem_goal(old->problem) == CKG_MAXIMIZE ? "maximize to minimize"
                                                                      : "minimize to maximize");
    compare_outcomes(out, old, now);
    compare_parameters(out, old, now);
    compare_rules(out, old, now);
    compare_designs(out, old, now);
    compare_policies(out, old, now);
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

/* --- the first difference, as a refusal --- */

static int same_parameter(const struct app_parameter *a, const struct app_parameter *b)
{
    return a->kind == b->kind && a->scale == b->scale && a->step == b->step && same_range(a, b);
}

static int same_noise(const struct app_outcome *a, const struct app_outcome *b)
{
    return a->noise == b->noise && a->sd == b->sd && a->positive == b->positive;
}

static int same_limits(const struct app_outcome *a, const struct app_outcome *b)
{
    return a->yesno == b->yesno && a->min == b->min && a->max == b->max && a->equal == b->equal &&
           a->tolerance == b->tolerance;
}

/* Both sides as they would stand in a file, for a message that shows the difference. */
static int differ(struct app_message *message, const char *what, const char *name, struct app_text *old,
                  struct app_text *now)
{
    app_fail(message, CKG_ERR_INVALID, "%s '%s' was %s and is now %s", what, name, old->data ? old->data : "",
             now->data ? now->data : "");
    app_text_free(old);
    app_text_free(now);
    return CKG_ERR_INVALID;
}

/* Adds what the parameter of that name is. */
static void add_named(const struct app_definition *d, const char *name, struct app_text *out)
{
    const int i = ckg_problem_parameter_find(d->problem, name);
    const struct app_parameter p = i < 0 ? (struct app_parameter){0} : app_parameter_at(d, i);

    if (i < 0)
        app_fixed_write(NULL, app_fixed_find(d, name), out);
    else
        app_parameter_write(NULL, &p, out);
}

/* A parameter that is fixed on one side is fixed at the same value on the other. */
static int same_fixed(const struct app_definition *old, const struct app_definition *now, const char *name,
                      struct app_message *message)
{
    const struct app_fixed *a = app_fixed_find(old, name);
    const struct app_fixed *b = app_fixed_find(now, name);
    struct app_text before = {0};
    struct app_text after = {0};

    if ((!a && !b) || (a && b && !strcmp(a->text, b->text)))
        return CKG_OK;
    add_named(old, name, &before);
    add_named(now, name, &after);
    return differ(message, "parameter", name, &before, &after);
}

static int same_parameters(const struct app_definition *old, const struct app_definition *now,
                           struct app_message *message)
{
    /* None is gone, and those that were fixed still are. */
    for (int i = 0; i < app_dimension(old) + old->fixed_count; i++) {
        const char *name = i < app_dimension(old) ? app_parameter_name(old, i)
                                                  : old->fixed[i - app_dimension(old)].name;

        if (!app_fixed_find(now, name) && ckg_problem_parameter_find(now->problem, name) < 0)
            return app_fail(message, CKG_ERR_INVALID, "parameter '%s' is gone", name);
        if (same_fixed(old, now, name, message))
            return CKG_ERR_INVALID;
    }
    for (int i = 0; i < now->fixed_count; i++)
        if (!app_fixed_find(old, now->fixed[i].name))
            return app_fail(message, CKG_ERR_INVALID, "parameter '%s' is new", now->fixed[i].name);

    /* Each was there, at the same place, and is what it was. */
    for (int i = 0; i < app_dimension(now); i++) {
        const struct app_parameter b = app_parameter_at(now, i);
        const int at = ckg_problem_parameter_find(old->problem, b.name);
        struct app_text before = {0};
        struct app_text after = {0};

        if (at < 0)
            return app_fail(message, CKG_ERR_INVALID, "parameter '%s' is new", b.name);
        if (at != i)
            return app_fail(message, CKG_ERR_INVALID,
                            "parameter '%s' has moved to another place in the order", b.name);
        const struct app_parameter a = app_parameter_at(old, i);
        if (same_parameter(&a, &b))
            continue;
        app_parameter_write(NULL, &a, &before);
        app_parameter_write(NULL, &b, &after);
        return differ(message, "parameter", b.name, &before, &after);
    }
    return CKG_OK;
}

static int same_constraints(const struct app_definition *old, const struct app_definition *now,
                            struct app_message *message)
{
    /* None is gone. */
    for (int j = 1; j <= app_constraints(old); j++) {
        const char *name = ckg_problem_outcome_name(old->problem, j);

        if (ckg_problem_outcome_find(now->problem, name) < 1)
            return app_fail(message, CKG_ERR_INVALID, "constraint '%s' is gone", name);
    }

    /* Each was there, at the same place, and is what it was. */
    for (int j = 1; j <= app_constraints(now); j++) {
        const struct app_outcome b = app_outcome_at(now, j);
        const int at = ckg_problem_outcome_find(old->problem, b.name);
        struct app_text before = {0};
        struct app_text after = {0};

        if (at < 1)
            return app_fail(message, CKG_ERR_INVALID, "constraint '%s' is new", b.name);
        if (at != j)
            return app_fail(message, CKG_ERR_INVALID,
                            "constraint '%s' has moved to another place in the order", b.name);
        const struct app_outcome a = app_outcome_at(old, j);
        if (same_noise(&a, &b) && same_limits(&a, &b))
            continue;
        app_constraint_write(NULL, &a, &before);
        app_constraint_write(NULL, &b, &after);
        return differ(message, "constraint", b.name, &before, &after);
    }
    return CKG_OK;
}

/* The rules are the same, whatever their order. */
static int same_rules(const struct app_definition *old, const struct app_definition *now,
                      struct app_message *message)
{
    for (int i = 0; i < ckg_problem_rules(old->problem); i++)
        if (!has_rule(now, ckg_problem_rule(old->problem, i)))
            return app_fail(message, CKG_ERR_INVALID, "the rule '%s' is gone",
                            ckg_problem_rule(old->problem, i));
    for (int i = 0; i < ckg_problem_rules(now->problem); i++)
        if (!has_rule(old, ckg_problem_rule(now->problem, i)))
            return app_fail(message, CKG_ERR_INVALID, "the rule '%s' is new",
                            ckg_problem_rule(now->problem, i));
    return CKG_OK;
}

/* The same designs to choose from, in the same order; what is passed on with them may change. */
static int same_lists(const struct app_definition *old, const struct app_definition *now,
                      struct app_message *message)
{
    const int before = ckg_problem_designs(old->problem);
    const int after = ckg_problem_designs(now->problem);

    if (before != after)
        return app_fail(message, CKG_ERR_INVALID, "there were %d designs to choose from and are now %d",
                        before, after);
    for (int n = 0; n < before; n++)
        if (memcmp(ckg_problem_design(old->problem, n), ckg_problem_design(now->problem, n),
                   (size_t)app_dimension(old) * sizeof(double)) != 0)
            return app_fail(message, CKG_ERR_INVALID, "design %d of those to choose from has changed", n + 1);
    return CKG_OK;
}

int app_definition_same(const struct app_definition *old, const struct app_definition *now,
                        struct app_message *message)
{
    const struct app_outcome a = app_outcome_at(old, 0);
    const struct app_outcome b = app_outcome_at(now, 0);

    if (ckg_problem_goal(old->problem) != ckg_problem_goal(now->problem))
        return app_fail(message, CKG_ERR_INVALID, "the goal was %s and is now %s", app_goal_name(old),
                        app_goal_name(now));
    if (strcmp(a.name, b.name) != 0)
        return app_fail(message, CKG_ERR_INVALID, "the objective was '%s' and is now '%s'", a.name, b.name);
    if (!same_noise(&a, &b))
        return app_fail(message, CKG_ERR_INVALID, "the %s of the objective '%s' has changed",
                        a.positive != b.positive ? "sign" : "noise", a.name);
    int status = same_parameters(old, now, message);
    if (!status)
        status = same_rules(old, now, message);
    if (!status)
        status = same_lists(old, now, message);
    return status ? status : same_constraints(old, now, message);
}

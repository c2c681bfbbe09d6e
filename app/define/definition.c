/* A definition as a whole: written as JSON, compared, freed. */
#include "define/definition.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"

struct app_parameter app_parameter_at(const struct app_definition *d, int i)
{
    struct app_parameter p = {
        .problem = d->problem,
        .index = i,
        .name = ckg_problem_parameter_name(d->problem, i),
        .kind = ckg_problem_parameter_kind(d->problem, i),
        .scale = ckg_problem_parameter_scale(d->problem, i),
        .count = ckg_problem_categories(d->problem, i),
    };

    ckg_problem_parameter_range(d->problem, i, &p.low, &p.high);
    return p;
}

struct app_outcome app_outcome_at(const struct app_definition *d, int j)
{
    struct app_outcome o = {.name = app_outcome_name(d, j)};

    o.noise = ckg_problem_noise(d->problem, j, &o.sd);
    ckg_problem_limits(d->problem, j, &o.min, &o.max);
    return o;
}

/* --- as JSON --- */

static const char *goal_name(const struct app_definition *d)
{
    return ckg_problem_goal(d->problem) == CKG_MAXIMIZE ? "maximize" : "minimize";
}

static void add_categories(struct app_text *out, const struct app_parameter *p)
{
    app_json_open(out, "values", '[');
    for (int i = 0; i < p->count; i++)
        app_json_add_string(out, NULL, ckg_problem_category(p->problem, p->index, i));
    app_json_close(out, ']');
}

static void add_parameter(struct app_text *out, const char *key, const struct app_parameter *p)
{
    static const char *const kinds[] = {
        [CKG_REAL] = "real", [CKG_INTEGER] = "integer", [CKG_CATEGORICAL] = "categorical"};

    app_json_open(out, key, '{');
    app_json_add_string(out, "type", kinds[p->kind]);
    if (p->kind == CKG_CATEGORICAL)
        add_categories(out, p);
    else {
        app_json_add_number(out, "low", p->low);
        app_json_add_number(out, "high", p->high);
    }
    if (p->scale == CKG_LOG)
        app_json_add_string(out, "scale", "log");
    app_json_close(out, '}');
}

static void add_noise(struct app_text *out, const struct app_outcome *o)
{
    if (o->noise == CKG_NOISE_KNOWN)
        app_json_add_number(out, "noise", o->sd);
    else
        app_json_add_string(out, "noise", o->noise == CKG_NOISE_NONE ? "none" : "auto");
}

static void add_constraint(struct app_text *out, const char *key, const struct app_outcome *o)
{
    app_json_open(out, key, '{');
    if (!isinf(o->min))
        app_json_add_number(out, "min", o->min);
    if (!isinf(o->max))
        app_json_add_number(out, "max", o->max);
    add_noise(out, o);
    app_json_close(out, '}');
}

static void add_policy(struct app_text *out, const struct app_definition *d)
{
    app_json_open(out, "policy", '{');
    app_json_add_string(out, "name", d->policy);
    for (int i = 0; i < d->settings_count; i++)
        app_json_add_number(out, d->settings[i].name, d->settings[i].value);
    app_json_close(out, '}');
}

static void add_parameters(struct app_text *out, const struct app_definition *d)
{
    app_json_open(out, "parameters", '{');
    for (int i = 0; i < app_dimension(d); i++) {
        const struct app_parameter p = app_parameter_at(d, i);

        add_parameter(out, p.name, &p);
    }
    app_json_close(out, '}');
}

static void add_outcomes(struct app_text *out, const struct app_definition *d)
{
    const struct app_outcome objective = app_outcome_at(d, 0);

    app_json_open(out, "objective", '{');
    app_json_add_string(out, "name", objective.name);
    add_noise(out, &objective);
    app_json_close(out, '}');

    app_json_open(out, "constraints", '{');
    for (int j = 1; j <= app_constraints(d); j++) {
        const struct app_outcome o = app_outcome_at(d, j);

        add_constraint(out, o.name, &o);
    }
    app_json_close(out, '}');
}

static void add_command(struct app_text *out, const struct app_evaluate *e)
{
    app_json_open(out, "command", '[');
    for (int i = 0; i < e->count; i++)
        app_json_add_string(out, NULL, e->command[i]);
    app_json_close(out, ']');
}

static void add_evaluate(struct app_text *out, const struct app_evaluate *e)
{
    app_json_open(out, "evaluate", '{');
    add_command(out, e);
    if (e->timeout > 0)
        app_json_add_number(out, "timeout", e->timeout);
    app_json_add_integer(out, "parallel", e->parallel);
    app_json_add_integer(out, "retries", e->retries);
    app_json_close(out, '}');
}

void app_definition_write(const struct app_definition *d, uint64_t seed, struct app_text *out)
{
    app_json_open(out, NULL, '{');
    app_json_add_string(out, "name", d->name);

    /* What is asked, and how it is looked for. */
    app_json_add_string(out, "goal", goal_name(d));
    if (d->budget > 0)
        app_json_add_integer(out, "budget", d->budget);
    if (d->initial >= 0)
        app_json_add_integer(out, "initial", d->initial);
    add_policy(out, d);
    app_json_member(out, "seed");
    app_text_print(out, "%llu", (unsigned long long)seed);
    app_json_add_string(out, "failures", d->failures);
    app_model_write(d, out);

    /* What may be varied, what is measured, and by which command. */
    add_parameters(out, d);
    add_outcomes(out, d);
    if (d->evaluate.count)
        add_evaluate(out, &d->evaluate);
    app_json_close(out, '}');
}

/* --- compared --- */

static int same_parameter(const struct app_parameter *a, const struct app_parameter *b)
{
    int same = a->kind == b->kind && a->scale == b->scale && a->low == b->low && a->high == b->high &&
               a->count == b->count;

    for (int i = 0; same && i < a->count; i++)
        same = !strcmp(ckg_problem_category(a->problem, a->index, i),
                       ckg_problem_category(b->problem, b->index, i));
    return same;
}

static int same_noise(const struct app_outcome *a, const struct app_outcome *b)
{
    return a->noise == b->noise && a->sd == b->sd;
}

static int same_limits(const struct app_outcome *a, const struct app_outcome *b)
{
    return a->min == b->min && a->max == b->max;
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

static int same_parameters(const struct app_definition *old, const struct app_definition *now,
                           struct app_message *message)
{
    /* None is gone. */
    for (int i = 0; i < app_dimension(old); i++) {
        const char *name = ckg_problem_parameter_name(old->problem, i);

        if (ckg_problem_parameter_find(now->problem, name) < 0)
            return app_fail(message, CKG_ERR_INVALID, "parameter '%s' is gone", name);
    }

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
        add_parameter(&before, NULL, &a);
        add_parameter(&after, NULL, &b);
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
        add_constraint(&before, NULL, &a);
        add_constraint(&after, NULL, &b);
        return differ(message, "constraint", b.name, &before, &after);
    }
    return CKG_OK;
}

int app_definition_same(const struct app_definition *old, const struct app_definition *now,
                        struct app_message *message)
{
    const struct app_outcome a = app_outcome_at(old, 0);
    const struct app_outcome b = app_outcome_at(now, 0);

    if (ckg_problem_goal(old->problem) != ckg_problem_goal(now->problem))
        return app_fail(message, CKG_ERR_INVALID, "the goal was %s and is now %s", goal_name(old),
                        goal_name(now));
    if (strcmp(a.name, b.name) != 0)
        return app_fail(message, CKG_ERR_INVALID, "the objective was '%s' and is now '%s'", a.name, b.name);
    if (!same_noise(&a, &b))
        return app_fail(message, CKG_ERR_INVALID, "the noise of the objective '%s' has changed", a.name);
    const int status = same_parameters(old, now, message);
    return status ? status : same_constraints(old, now, message);
}

/* --- freed --- */

void app_definition_free(struct app_definition *d)
{
    for (int i = 0; i < d->evaluate.count; i++)
        free(d->evaluate.command[i]);
    free(d->evaluate.command);
    free(d->evaluate.at);
    free(d->warnings);
    free(d->name);
    free(d->policy);
    free(d->settings);
    free(d->failures);
    app_model_free(d);
    ckg_problem_free(d->problem);
    *d = (struct app_definition){0};
}

/* A definition as a whole: written as JSON, compared, freed. */
#include "define/definition.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"

int app_definition_parameter(const struct app_definition *d, const char *name)
{
    for (int i = 0; i < d->d; i++)
        if (d->parameters[i].name && !strcmp(d->parameters[i].name, name))
            return i;
    return -1;
}

int app_definition_outcome(const struct app_definition *d, const char *name)
{
    for (int j = 0; d->outcomes && j <= d->K; j++)
        if (d->outcomes[j].name && !strcmp(d->outcomes[j].name, name))
            return j;
    return -1;
}

int app_parameter_category(const struct app_parameter *p, const char *value)
{
    for (int i = 0; i < p->count; i++)
        if (!strcmp(p->values[i], value))
            return i;
    return -1;
}

/* --- as JSON --- */

static void add_strings(struct app_text *out, const char *key, int count, char *const *strings)
{
    app_json_open(out, key, '[');
    for (int i = 0; i < count; i++)
        app_json_add_string(out, NULL, strings[i]);
    app_json_close(out, ']');
}

static void add_parameter(struct app_text *out, const char *key, const struct app_parameter *p)
{
    static const char *const kinds[] = {
        [CKG_REAL] = "real", [CKG_INTEGER] = "integer", [CKG_CATEGORICAL] = "categorical"};

    app_json_open(out, key, '{');
    app_json_add_string(out, "type", kinds[p->kind]);
    if (p->kind == CKG_CATEGORICAL)
        add_strings(out, "values", p->count, p->values);
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

static void add_outcomes(struct app_text *out, const struct app_definition *d)
{
    app_json_open(out, "objective", '{');
    app_json_add_string(out, "name", d->outcomes[0].name);
    add_noise(out, &d->outcomes[0]);
    app_json_close(out, '}');

    app_json_open(out, "constraints", '{');
    for (int j = 1; j <= d->K; j++)
        add_constraint(out, d->outcomes[j].name, &d->outcomes[j]);
    app_json_close(out, '}');
}

static void add_evaluate(struct app_text *out, const struct app_evaluate *e)
{
    app_json_open(out, "evaluate", '{');
    add_strings(out, "command", e->count, e->command);
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
    app_json_add_string(out, "goal", d->goal == CKG_MAXIMIZE ? "maximize" : "minimize");
    if (d->budget > 0)
        app_json_add_integer(out, "budget", d->budget);
    if (d->initial >= 0)
        app_json_add_integer(out, "initial", d->initial);
    add_policy(out, d);
    app_json_member(out, "seed");
    app_text_print(out, "%llu", (unsigned long long)seed);
    app_json_add_string(out, "failures", d->failures);

    /* What may be varied, what is measured, and by which command. */
    app_json_open(out, "parameters", '{');
    for (int i = 0; i < d->d; i++)
        add_parameter(out, d->parameters[i].name, &d->parameters[i]);
    app_json_close(out, '}');
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
        same = !strcmp(a->values[i], b->values[i]);
    return same;
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
    for (int i = 0; i < old->d; i++)
        if (app_definition_parameter(now, old->parameters[i].name) < 0)
            return app_fail(message, CKG_ERR_INVALID, "parameter '%s' is gone", old->parameters[i].name);
    for (int i = 0; i < now->d; i++) {
        const char *name = now->parameters[i].name;
        struct app_text before = {0}, after = {0};
        const int at = app_definition_parameter(old, name);
        if (at < 0)
            return app_fail(message, CKG_ERR_INVALID, "parameter '%s' is new", name);
        if (at != i)
            return app_fail(message, CKG_ERR_INVALID,
                            "parameter '%s' has moved to another place in the order", name);
        if (same_parameter(&old->parameters[i], &now->parameters[i]))
            continue;
        add_parameter(&before, NULL, &old->parameters[i]);
        add_parameter(&after, NULL, &now->parameters[i]);
        return differ(message, "parameter", name, &before, &after);
    }
    return CKG_OK;
}

static int same_constraints(const struct app_definition *old, const struct app_definition *now,
                            struct app_message *message)
{
    for (int j = 1; j <= old->K; j++)
        if (app_definition_outcome(now, old->outcomes[j].name) < 1)
            return app_fail(message, CKG_ERR_INVALID, "constraint '%s' is gone", old->outcomes[j].name);
    for (int j = 1; j <= now->K; j++) {
        const struct app_outcome *b = &now->outcomes[j];
        struct app_text before = {0}, after = {0};
        const int at = app_definition_outcome(old, b->name);
        if (at < 1)
            return app_fail(message, CKG_ERR_INVALID, "constraint '%s' is new", b->name);
        if (at != j)
            return app_fail(message, CKG_ERR_INVALID,
                            "constraint '%s' has moved to another place in the order", b->name);
        const struct app_outcome *a = &old->outcomes[j];
        if (a->noise == b->noise && a->sd == b->sd && a->min == b->min && a->max == b->max)
            continue;
        add_constraint(&before, NULL, a);
        add_constraint(&after, NULL, b);
        return differ(message, "constraint", b->name, &before, &after);
    }
    return CKG_OK;
}

int app_definition_same(const struct app_definition *old, const struct app_definition *now,
                        struct app_message *message)
{
    const struct app_outcome *a = old->outcomes, *b = now->outcomes;
    if (old->goal != now->goal)
        return app_fail(message, CKG_ERR_INVALID, "the goal was %s and is now %s",
                        old->goal == CKG_MAXIMIZE ? "maximize" : "minimize",
                        now->goal == CKG_MAXIMIZE ? "maximize" : "minimize");
    if (strcmp(a->name, b->name) != 0)
        return app_fail(message, CKG_ERR_INVALID, "the objective was '%s' and is now '%s'", a->name, b->name);
    if (a->noise != b->noise || a->sd != b->sd)
        return app_fail(message, CKG_ERR_INVALID, "the noise of the objective '%s' has changed", a->name);
    const int status = same_parameters(old, now, message);
    return status ? status : same_constraints(old, now, message);
}

/* --- freed --- */

void app_definition_free(struct app_definition *d)
{
    for (int i = 0; i < d->d; i++) {
        free(d->parameters[i].name);
        for (int k = 0; k < d->parameters[i].count; k++)
            free(d->parameters[i].values[k]);
        free(d->parameters[i].values);
    }
    for (int j = 0; d->outcomes && j <= d->K; j++)
        free(d->outcomes[j].name);
    for (int i = 0; i < d->evaluate.count; i++)
        free(d->evaluate.command[i]);
    free(d->parameters);
    free(d->outcomes);
    free(d->evaluate.command);
    free(d->name);
    free(d->policy);
    free(d->settings);
    free(d->failures);
    ckg_problem_free(d->problem);
    *d = (struct app_definition){0};
}

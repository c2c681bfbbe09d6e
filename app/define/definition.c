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

static void write_text(struct app_text *out, const char *key, const char *value, int *first)
{
    app_json_key(out, key, first);
    app_json_string(out, value);
}

static void write_number(struct app_text *out, const char *key, double value, int *first)
{
    app_json_key(out, key, first);
    app_json_number(out, value);
}

static void write_parameter(struct app_text *out, const struct app_parameter *p)
{
    static const char *const kinds[] = {
        [CKG_REAL] = "real", [CKG_INTEGER] = "integer", [CKG_CATEGORICAL] = "categorical"};
    int first = 1;
    app_text_print(out, "{");
    write_text(out, "type", kinds[p->kind], &first);
    if (p->kind == CKG_CATEGORICAL) {
        app_json_key(out, "values", &first);
        for (int i = 0; i < p->count; i++) {
            app_text_print(out, i ? ", " : "[");
            app_json_string(out, p->values[i]);
        }
        app_text_print(out, "]");
    } else {
        write_number(out, "low", p->low, &first);
        write_number(out, "high", p->high, &first);
    }
    if (p->scale == CKG_LOG)
        write_text(out, "scale", "log", &first);
    app_text_print(out, "}");
}

static void write_noise(struct app_text *out, const struct app_outcome *o, int *first)
{
    if (o->noise == CKG_NOISE_KNOWN)
        write_number(out, "noise", o->sd, first);
    else
        write_text(out, "noise", o->noise == CKG_NOISE_NONE ? "none" : "auto", first);
}

static void write_constraint(struct app_text *out, const struct app_outcome *o)
{
    int first = 1;
    app_text_print(out, "{");
    if (!isinf(o->min))
        write_number(out, "min", o->min, &first);
    if (!isinf(o->max))
        write_number(out, "max", o->max, &first);
    write_noise(out, o, &first);
    app_text_print(out, "}");
}

static void write_evaluate(struct app_text *out, const struct app_evaluate *e)
{
    int first = 1;
    app_text_print(out, "{");
    app_json_key(out, "command", &first);
    for (int i = 0; i < e->count; i++) {
        app_text_print(out, i ? ", " : "[");
        app_json_string(out, e->command[i]);
    }
    app_text_print(out, "]");
    if (e->timeout > 0)
        write_number(out, "timeout", e->timeout, &first);
    write_number(out, "parallel", e->parallel, &first);
    write_number(out, "retries", e->retries, &first);
    app_text_print(out, "}");
}

static void write_policy(struct app_text *out, const struct app_definition *d)
{
    int first = 1;
    app_text_print(out, "{");
    write_text(out, "name", d->policy, &first);
    for (int i = 0; i < d->settings_count; i++)
        write_number(out, d->settings[i].name, d->settings[i].value, &first);
    app_text_print(out, "}");
}

void app_definition_write(const struct app_definition *d, uint64_t seed, struct app_text *out)
{
    int first = 1;
    app_text_print(out, "{");
    write_text(out, "name", d->name, &first);
    write_text(out, "goal", d->goal == CKG_MAXIMIZE ? "maximize" : "minimize", &first);
    if (d->budget > 0)
        write_number(out, "budget", d->budget, &first);
    if (d->initial >= 0)
        write_number(out, "initial", d->initial, &first);
    app_json_key(out, "policy", &first);
    write_policy(out, d);
    app_json_key(out, "seed", &first);
    app_text_print(out, "%llu", (unsigned long long)seed);
    write_text(out, "failures", d->failures, &first);
    app_json_key(out, "parameters", &first);
    for (int i = 0, one = 1; i < d->d; i++) {
        app_text_print(out, i ? "" : "{");
        app_json_key(out, d->parameters[i].name, &one);
        write_parameter(out, &d->parameters[i]);
    }
    app_text_print(out, "}, \"objective\": {");
    int one = 1;
    write_text(out, "name", d->outcomes[0].name, &one);
    write_noise(out, &d->outcomes[0], &one);
    app_text_print(out, "}, \"constraints\": {");
    one = 1;
    for (int j = 1; j <= d->K; j++) {
        app_json_key(out, d->outcomes[j].name, &one);
        write_constraint(out, &d->outcomes[j]);
    }
    app_text_print(out, "}");
    if (d->evaluate.count) {
        app_json_key(out, "evaluate", &first);
        write_evaluate(out, &d->evaluate);
    }
    app_text_print(out, "}");
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
        write_parameter(&before, &old->parameters[i]);
        write_parameter(&after, &now->parameters[i]);
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
        write_constraint(&before, a);
        write_constraint(&after, b);
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

/*
 * From a problem file to a definition. The file's shape is one table per mapping: what is not in the table is
 * refused, and a complaint points at the node it is about.
 */
#include "define/definition.h"

#include <assert.h>
#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "define/node.h"

/* Values are measured below this, so limits beyond it mean nothing. */
static const double largest_value = 1e150;
static const double largest_whole = 9007199254740992.0; /* 2^53: every integer up to it is a double */
static const double longest_time = 1e9;                 /* seconds */

enum { LARGEST_COUNT = 1000000000, MOST_PARALLEL = 1000, MOST_RETRIES = 1000, MOST_POLICIES = 64 };

struct reader {
    struct app_document document;
    struct app_definition *out;
    enum ckg_goal goal;
};

#define KEYS(table) (int)(sizeof table / sizeof *table), table

static int no_memory(struct reader *r)
{
    return app_node_no_memory(&r->document);
}

/* What the library refused, at the node that gave it the words. */
static int refuse(struct reader *r, const yaml_node_t *node, int status)
{
    return status == CKG_ERR_NOMEM ? no_memory(r)
                                   : app_node_complain(&r->document, node, "%s", ckg_error_message());
}

static const yaml_node_t *item_of(struct reader *r, const yaml_node_t *list, int index)
{
    return app_document_node(&r->document, list->data.sequence.items.start[index]);
}

static const yaml_node_t *key_of(struct reader *r, const yaml_node_t *mapping, int index)
{
    return app_document_node(&r->document, mapping->data.mapping.pairs.start[index].key);
}

static const yaml_node_t *value_of(struct reader *r, const yaml_node_t *mapping, int index)
{
    return app_document_node(&r->document, mapping->data.mapping.pairs.start[index].value);
}

/* --- parameters --- */

struct parameter {
    const yaml_node_t *type, *scale, *low, *high, *values;
};

static const struct app_node_key parameter_keys[] = {
    {"type", offsetof(struct parameter, type)},     {"scale", offsetof(struct parameter, scale)},
    {"low", offsetof(struct parameter, low)},       {"high", offsetof(struct parameter, high)},
    {"values", offsetof(struct parameter, values)},
};

/* Reads count values of a categorical, freed by the caller whatever comes of it. */
static int read_categories(struct reader *r, const yaml_node_t *list, int count, char **values)
{
    for (int i = 0; i < count; i++) {
        const yaml_node_t *node = item_of(r, list, i);
        const int status = app_node_name(&r->document, node, &values[i]);

        if (status)
            return status;
        for (int k = 0; k < i; k++)
            if (!strcmp(values[k], values[i]))
                return app_node_complain(&r->document, node, "the value '%s' is listed twice", values[i]);
    }
    return CKG_OK;
}

/* How many values a categorical has, checked. */
static int count_categories(struct reader *r, const yaml_node_t *node, const struct parameter *from,
                            int *count)
{
    const yaml_node_t *stray = from->scale ? from->scale : from->low ? from->low : from->high;

    if (stray)
        return app_node_complain(&r->document, stray,
                                 "a categorical parameter takes `values: [a, b, …]`, not scale, low or high");
    if (!from->values)
        return app_node_complain(&r->document, node, "a categorical parameter needs `values: [a, b, …]`");
    if (from->values->type != YAML_SEQUENCE_NODE)
        return app_node_expect(&r->document, from->values, "a list of values [a, b, …]");
    *count = app_node_items(from->values);
    if (*count < 2)
        return app_node_complain(&r->document, from->values,
                                 "a categorical parameter needs at least 2 values");
    if (*count > CKG_MAX_CATEGORIES)
        return app_node_complain(&r->document, item_of(r, from->values, CKG_MAX_CATEGORIES),
                                 "a categorical parameter may have at most %d values, not %d",
                                 CKG_MAX_CATEGORIES, *count);
    return CKG_OK;
}

static int add_categorical(struct reader *r, const char *name, const yaml_node_t *node,
                           const struct parameter *from)
{
    char *values[CKG_MAX_CATEGORIES] = {0};
    int count = 0;
    int status = count_categories(r, node, from, &count);

    if (!status)
        status = read_categories(r, from->values, count, values);
    if (!status) {
        status = ckg_problem_add_categorical(r->out->problem, name, count, (const char *const *)values);
        status = status ? refuse(r, from->values, status) : CKG_OK;
    }
    for (int i = 0; i < CKG_MAX_CATEGORIES; i++)
        free(values[i]);
    return status;
}

static int read_bound(struct reader *r, const yaml_node_t *node, int integer, double *out)
{
    const int status = app_node_number(&r->document, node, -INFINITY, INFINITY, out);
    if (status || !integer || (*out == floor(*out) && fabs(*out) <= largest_whole))
        return status;
    return app_node_expect(&r->document, node,
                           *out == floor(*out) ? "an integer within ±2^53" : "an integer");
}

static int add_number(struct reader *r, const char *name, const yaml_node_t *node,
                      const struct parameter *from, int integer)
{
    const int logarithmic = app_node_is_word(from->scale, "log");
    double low = 0;
    double high = 0;

    if (from->values)
        return app_node_complain(&r->document, from->values, "only categorical parameters have `values`");
    if (!from->low || !from->high)
        return app_node_complain(&r->document, node, "`%s` is missing", from->low ? "high" : "low");
    if (from->scale && !logarithmic && !app_node_is_word(from->scale, "linear"))
        return app_node_expect(&r->document, from->scale, "scale linear or log");
    if (integer && logarithmic)
        return app_node_complain(&r->document, from->scale, "an integer can only have a linear scale");

    int status = read_bound(r, from->low, integer, &low);
    if (!status)
        status = read_bound(r, from->high, integer, &high);
    if (status)
        return status;

    status = integer
                 ? ckg_problem_add_integer(r->out->problem, name, low, high)
                 : ckg_problem_add_real(r->out->problem, name, low, high, logarithmic ? CKG_LOG : CKG_LINEAR);
    return status ? refuse(r, from->low, status) : CKG_OK;
}

static int add_parameter_named(struct reader *r, const char *name, const yaml_node_t *node)
{
    static const char *const kinds[] = {"real", "integer", "categorical"};
    struct parameter from = {0};
    const int status = app_node_mapping(&r->document, node, "a parameter", KEYS(parameter_keys), &from);

    if (status)
        return status;
    if (!from.type)
        return app_node_complain(&r->document, node, "`type` is missing: real, integer or categorical");
    if (app_node_is_word(from.type, "categorical"))
        return add_categorical(r, name, node, &from);
    if (!app_node_is_word(from.type, "real") && !app_node_is_word(from.type, "integer"))
        return app_node_unknown(&r->document, from.type, "type", "", 3, kinds);
    return add_number(r, name, node, &from, app_node_is_word(from.type, "integer"));
}

static int add_parameter(struct reader *r, const yaml_node_t *key, const yaml_node_t *node)
{
    char *name = NULL;
    int status = app_node_name(&r->document, key, &name);

    if (!status)
        status = add_parameter_named(r, name, node);
    free(name);
    return status;
}

/* Calls add for every pair of a mapping of names. */
static int each_name(struct reader *r, const yaml_node_t *node,
                     int (*add)(struct reader *, const yaml_node_t *, const yaml_node_t *))
{
    int status = CKG_OK;
    for (int i = 0; !status && i < app_node_pairs(node); i++) {
        status = app_node_check_key(&r->document, node, i);
        if (!status)
            status = add(r, key_of(r, node, i), value_of(r, node, i));
    }
    return status;
}

static int read_parameters(struct reader *r, const yaml_node_t *node)
{
    if (node->type != YAML_MAPPING_NODE)
        return app_node_expect(&r->document, node, "a mapping of parameters, `name: {type: …}`");
    const int count = app_node_pairs(node);
    if (!count)
        return app_node_complain(&r->document, node, "there must be at least one parameter");
    if (count > CKG_MAX_PARAMETERS)
        return app_node_complain(&r->document, key_of(r, node, CKG_MAX_PARAMETERS),
                                 "there may be at most %d parameters, not %d", CKG_MAX_PARAMETERS, count);
    return each_name(r, node, add_parameter);
}

/* --- outcomes --- */

struct outcome {
    const yaml_node_t *name, *min, *max, *noise;
};

static const struct app_node_key objective_keys[] = {
    {"name", offsetof(struct outcome, name)},
    {"noise", offsetof(struct outcome, noise)},
};

static const struct app_node_key constraint_keys[] = {
    {"min", offsetof(struct outcome, min)},
    {"max", offsetof(struct outcome, max)},
    {"noise", offsetof(struct outcome, noise)},
};

/* Outcomes and parameters stand in one table, so they share one set of names. The caller frees *name. */
static int read_outcome_name(struct reader *r, const yaml_node_t *node, int constraint, char **name)
{
    const int status = app_node_name(&r->document, node, name);

    if (status)
        return status;
    if (ckg_problem_parameter_find(r->out->problem, *name) >= 0)
        return app_node_complain(&r->document, node, "'%s' is already a parameter", *name);
    if (constraint && ckg_problem_outcome_find(r->out->problem, *name) == 0)
        return app_node_complain(&r->document, node, "'%s' is already the objective", *name);
    return CKG_OK;
}

/* noise: auto, none, or a standard deviation; a NULL node stands for auto. */
static int read_noise(struct reader *r, const yaml_node_t *node, const char *outcome)
{
    struct app_message unused;
    struct app_document quiet = {.path = "", .message = &unused};
    enum ckg_noise noise = app_node_is_word(node, "none") ? CKG_NOISE_NONE : CKG_NOISE_AUTO;
    double sd = 0;

    if (node && !app_node_is_word(node, "auto") && !app_node_is_word(node, "none")) {
        if (app_node_number(&quiet, node, 0, DBL_MAX, &sd))
            return app_node_expect(&r->document, node, "noise auto, none or a standard deviation");
        noise = sd > 0 ? CKG_NOISE_KNOWN : CKG_NOISE_NONE;
    }
    const int refused = ckg_problem_set_noise(r->out->problem, outcome, noise, sd);
    return refused ? refuse(r, node, refused) : CKG_OK;
}

static int read_limit(struct reader *r, const yaml_node_t *node, double *out)
{
    return node ? app_node_number(&r->document, node, -largest_value, largest_value, out) : CKG_OK;
}

static int add_constraint_named(struct reader *r, const char *name, const yaml_node_t *node)
{
    struct outcome from = {0};
    double min = -INFINITY;
    double max = INFINITY;
    int status = app_node_mapping(&r->document, node, "a constraint", KEYS(constraint_keys), &from);

    if (!status && !from.min && !from.max)
        status = app_node_complain(&r->document, node, "a constraint needs `min`, `max` or both");
    if (!status)
        status = read_limit(r, from.min, &min);
    if (!status)
        status = read_limit(r, from.max, &max);
    if (status)
        return status;

    status = ckg_problem_add_constraint(r->out->problem, name, min, max);
    return status ? refuse(r, from.min ? from.min : from.max, status) : read_noise(r, from.noise, name);
}

static int add_constraint(struct reader *r, const yaml_node_t *key, const yaml_node_t *node)
{
    char *name = NULL;
    int status = read_outcome_name(r, key, 1, &name);

    if (!status)
        status = add_constraint_named(r, name, node);
    free(name);
    return status;
}

static int read_constraints(struct reader *r, const yaml_node_t *node)
{
    if (node->type != YAML_MAPPING_NODE)
        return app_node_expect(&r->document, node, "a mapping of constraints, `name: {min: …, max: …}`");
    const int count = app_node_pairs(node);
    if (count > CKG_MAX_CONSTRAINTS)
        return app_node_complain(&r->document, key_of(r, node, CKG_MAX_CONSTRAINTS),
                                 "there may be at most %d constraints, not %d", CKG_MAX_CONSTRAINTS, count);
    return each_name(r, node, add_constraint);
}

static int read_objective(struct reader *r, const yaml_node_t *node)
{
    struct outcome from = {0};
    char *name = NULL;
    int status = app_node_mapping(&r->document, node, "the objective", KEYS(objective_keys), &from);

    if (!status)
        status = from.name ? read_outcome_name(r, from.name, 0, &name)
                           : app_node_complain(&r->document, node, "the objective needs a `name`");
    if (!status) {
        const int refused = ckg_problem_set_objective(r->out->problem, name, r->goal);

        status = refused ? refuse(r, from.name, refused) : read_noise(r, from.noise, name);
    }
    free(name);
    return status;
}

/* --- the command --- */

struct evaluate {
    const yaml_node_t *command, *timeout, *parallel, *retries;
};

static const struct app_node_key evaluate_keys[] = {
    {"command", offsetof(struct evaluate, command)},
    {"timeout", offsetof(struct evaluate, timeout)},
    {"parallel", offsetof(struct evaluate, parallel)},
    {"retries", offsetof(struct evaluate, retries)},
};

static int read_command(struct reader *r, const yaml_node_t *node, struct app_evaluate *e)
{
    if (node->type != YAML_SEQUENCE_NODE)
        return app_node_expect(&r->document, node, "a command as a list of words [program, argument, …]");
    const int count = app_node_items(node);
    if (!count)
        return app_node_complain(&r->document, node, "the command is empty; expected [program, argument, …]");
    e->command = calloc((size_t)count + 1, sizeof *e->command);
    if (!e->command)
        return no_memory(r);
    for (; e->count < count; e->count++) {
        const yaml_node_t *item = item_of(r, node, e->count);
        if (!app_node_is_text(item) || app_node_is_nothing(item))
            return app_node_expect(&r->document, item, "a word of the command");
        if (!e->count && !*app_node_text(item))
            return app_node_complain(&r->document, item, "the program's name must not be empty");
        e->command[e->count] = app_copy(app_node_text(item));
        if (!e->command[e->count])
            return no_memory(r);
    }
    return CKG_OK;
}

static int read_seconds(struct reader *r, const yaml_node_t *node, double *out)
{
    const int status = app_node_number(&r->document, node, -INFINITY, INFINITY, out);
    if (status || (*out > 0 && *out <= longest_time))
        return status;
    return app_node_expect(&r->document, node, "a number of seconds above 0 and at most 1e9");
}

static int read_evaluate(struct reader *r, const yaml_node_t *node, struct app_evaluate *out)
{
    struct evaluate from = {0};
    int status = app_node_mapping(&r->document, node, "`evaluate`", KEYS(evaluate_keys), &from);

    if (!status)
        status = from.command ? read_command(r, from.command, out)
                              : app_node_complain(&r->document, node, "`evaluate` needs a `command`");
    if (!status && from.timeout)
        status = read_seconds(r, from.timeout, &out->timeout);
    if (!status && from.parallel)
        status = app_node_whole(&r->document, from.parallel, 1, MOST_PARALLEL, &out->parallel);
    if (!status && from.retries)
        status = app_node_whole(&r->document, from.retries, 0, MOST_RETRIES, &out->retries);
    return status;
}

/* --- the policy --- */

static int read_policy_name(struct reader *r, const yaml_node_t *node, ckg_policy_info *policy)
{
    const char *names[MOST_POLICIES];
    int count = 0;

    for (; count < MOST_POLICIES && !ckg_policy_at(count, policy); count++) {
        names[count] = policy->name;
        if (app_node_is_word(node, policy->name))
            return (r->out->policy = app_copy(policy->name)) ? CKG_OK : no_memory(r);
    }
    return app_node_unknown(&r->document, node, "policy", "", count, names);
}

static int read_setting(struct reader *r, const ckg_policy_info *policy, const yaml_node_t *key,
                        const yaml_node_t *value, ckg_setting *out)
{
    struct app_message of;
    const char *names[MOST_POLICIES];
    const ckg_policy_parameter *p = NULL;

    for (int k = 0; k < policy->count && k < MOST_POLICIES; k++) {
        names[k] = policy->parameters[k].name;
        if (app_node_is_word(key, names[k]))
            p = &policy->parameters[k];
    }
    if (!p) {
        app_fail(&of, 0, " of policy %s", policy->name);
        return app_node_unknown(&r->document, key, "parameter", of.text, policy->count, names);
    }
    out->name = p->name;
    const int status = app_node_number(&r->document, value, p->low, p->high, &out->value);
    return status || !p->integer || out->value == floor(out->value)
               ? status
               : app_node_expect(&r->document, value, "an integer");
}

/* A policy's name, or {name: …, parameter: value, …}. */
static int read_policy(struct reader *r, const yaml_node_t *node)
{
    struct app_definition *out = r->out;
    ckg_policy_info policy;
    const int count = node->type == YAML_MAPPING_NODE ? app_node_pairs(node) : 0;

    const yaml_node_t *name = node->type == YAML_MAPPING_NODE ? NULL : node;
    int status = CKG_OK;
    for (int i = 0; !name && i < count; i++)
        if (app_node_is_word(key_of(r, node, i), "name"))
            name = value_of(r, node, i);
    if (!name)
        return app_node_complain(&r->document, node, "the policy needs a `name`");
    status = read_policy_name(r, name, &policy);
    if (!status && count > 1 && !(out->settings = calloc((size_t)count, sizeof *out->settings)))
        status = no_memory(r);
    for (int i = 0; !status && i < count; i++) {
        status = app_node_check_key(&r->document, node, i);
        if (!status && !app_node_is_word(key_of(r, node, i), "name"))
            status = read_setting(r, &policy, key_of(r, node, i), value_of(r, node, i),
                                  &out->settings[out->settings_count++]);
    }
    return status;
}

/* --- the models --- */

/* A word of the option, or a number in its range. */
static int check_option(struct reader *r, const yaml_node_t *node, const ckg_option_info *info)
{
    const int empty = info->count && !*info->words[0]; /* is not worth listing */
    char wanted[256];
    double number;

    /* One of its words. */
    for (int k = 0; !app_node_is_nothing(node) && k < info->count; k++)
        if (app_node_is_word(node, info->words[k]))
            return CKG_OK;
    if (!info->number)
        return app_node_unknown(&r->document, node, info->name, "", info->count - empty, info->words + empty);

    /* Or a number, bare and in range. */
    struct app_message unused;
    struct app_document quiet = {.path = "", .message = &unused};
    if (app_node_number(&quiet, node, info->low, info->high, &number) ||
        (info->integer && number != floor(number)))
        return app_node_expect(&r->document, node, ckg_option_values_text(info, wanted, sizeof wanted));
    return CKG_OK;
}

/* The settings of the models, by the library's list of options. */
static int read_model(struct reader *r, const yaml_node_t *node)
{
    const yaml_node_t *given[APP_MODEL_OPTIONS] = {0};
    struct app_node_key keys[APP_MODEL_OPTIONS];
    ckg_option_info info;
    const int count = ckg_option_count();

    /* The keys it may have. */
    assert(count <= APP_MODEL_OPTIONS);
    for (int i = 0; !ckg_option_at(i, &info); i++)
        keys[i] = (struct app_node_key){info.name, (size_t)i * sizeof *given};
    int status = app_node_mapping(&r->document, node, "`model`", count, keys, given);

    /* The value of each. */
    for (int i = 0; !status && !ckg_option_at(i, &info); i++) {
        if (!given[i])
            continue;
        status = check_option(r, given[i], &info);
        if (status)
            return status;
        status = app_model_set(r->out, info.name, app_node_text(given[i]));
        if (status)
            return refuse(r, given[i], status);
    }
    return status;
}

/* --- the file --- */

static int read_goal(struct reader *r, const yaml_node_t *node)
{
    if (!app_node_is_word(node, "minimize") && !app_node_is_word(node, "maximize"))
        return app_node_expect(&r->document, node, "minimize or maximize");
    r->goal = app_node_is_word(node, "maximize") ? CKG_MAXIMIZE : CKG_MINIMIZE;
    return CKG_OK;
}

/* Digits alone: every one of the 64 bits counts, and strtod would round. */
static int read_seed(struct reader *r, const yaml_node_t *node)
{
    const char *digits = app_node_is_text(node) && node->data.scalar.style == YAML_PLAIN_SCALAR_STYLE
                             ? app_node_text(node)
                             : "";

    errno = 0;
    r->out->seed = strtoull(digits, NULL, 10);
    if (!*digits || strspn(digits, "0123456789") != strlen(digits) || errno)
        return app_node_expect(&r->document, node, "an integer from 0 to 18446744073709551615");
    r->out->has_seed = 1;
    return CKG_OK;
}

static int read_failures(struct reader *r, const yaml_node_t *node)
{
    if (node && !app_node_is_word(node, "model") && !app_node_is_word(node, "ignore"))
        return app_node_expect(&r->document, node, "model or ignore");
    r->out->failures = app_copy(node ? app_node_text(node) : "model");
    return r->out->failures ? CKG_OK : no_memory(r);
}

/* The file's keys in the order they are needed, whatever their order in the file. */
struct top {
    const yaml_node_t *name, *goal, *budget, *initial, *policy, *seed, *failures, *model, *parameters,
        *objective, *constraints, *evaluate;
};

static const struct app_node_key top_keys[] = {
    {"name", offsetof(struct top, name)},
    {"goal", offsetof(struct top, goal)},
    {"budget", offsetof(struct top, budget)},
    {"initial", offsetof(struct top, initial)},
    {"policy", offsetof(struct top, policy)},
    {"seed", offsetof(struct top, seed)},
    {"failures", offsetof(struct top, failures)},
    {"model", offsetof(struct top, model)},
    {"parameters", offsetof(struct top, parameters)},
    {"objective", offsetof(struct top, objective)},
    {"constraints", offsetof(struct top, constraints)},
    {"evaluate", offsetof(struct top, evaluate)},
};

static int check_missing(struct reader *r, const yaml_node_t *root, const struct top *top)
{
    const char *what = !top->name         ? "`name: …`"
                       : !top->goal       ? "`goal: minimize` or `goal: maximize`"
                       : !top->budget     ? "`budget: …`, the number of evaluations,"
                       : !top->parameters ? "`parameters: {…}`"
                       : !top->objective  ? "`objective: {name: …}`"
                                          : NULL;
    return what ? app_node_complain(&r->document, root, "%s is missing", what) : CKG_OK;
}

static int read_top(struct reader *r, const yaml_node_t *root)
{
    struct app_definition *out = r->out;
    struct top top = {0};
    int status = app_node_mapping(&r->document, root, "a problem file", KEYS(top_keys), &top);

    /* What every file must have. */
    if (!status)
        status = check_missing(r, root, &top);

    /* What the study is and how long it runs. */
    if (!status)
        status = app_node_name(&r->document, top.name, &out->name);
    if (!status)
        status = read_goal(r, top.goal);
    if (!status)
        status = app_node_whole(&r->document, top.budget, 1, LARGEST_COUNT, &out->budget);
    if (!status && top.initial)
        status = app_node_whole(&r->document, top.initial, 0, LARGEST_COUNT, &out->initial);

    /* How designs are chosen, and what becomes of those that fail. */
    if (!status)
        status = top.policy                        ? read_policy(r, top.policy)
                 : (out->policy = app_copy("ckg")) ? CKG_OK
                                                   : no_memory(r);
    if (!status && top.seed)
        status = read_seed(r, top.seed);
    if (!status)
        status = read_failures(r, top.failures);
    if (!status && top.model)
        status = read_model(r, top.model);

    /* The problem itself. */
    if (!status)
        status = read_parameters(r, top.parameters);
    if (!status)
        status = read_objective(r, top.objective);
    if (!status && top.constraints)
        status = read_constraints(r, top.constraints);

    /* How a design is evaluated. */
    if (!status && top.evaluate)
        status = read_evaluate(r, top.evaluate, &out->evaluate);
    return status;
}

int app_definition_parse(struct app_definition *out, const char *text, size_t length, const char *path,
                         struct app_message *message)
{
    struct reader r = {.out = out};

    const yaml_node_t *root;
    *out = (struct app_definition){.initial = -1, .evaluate = {.parallel = 1}};
    int status = app_document_open(&r.document, text, length, path, message, &root);
    if (status)
        return status;
    status = ckg_problem_new(&out->problem) ? no_memory(&r) : read_top(&r, root);
    app_document_close(&r.document);
    if (status)
        app_definition_free(out);
    return status;
}

int app_definition_read(struct app_definition *out, const char *path, struct app_message *message)
{
    char *text;
    size_t length;
    *out = (struct app_definition){0};
    int status = app_read_file(path, &text, &length, message);
    if (!status)
        status = app_definition_parse(out, text, length, path, message);
    free(text);
    return status;
}

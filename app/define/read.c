/*
 * From a problem file to a definition. The file's shape is one table per mapping: every key has a reader, what is not in the table is refused,
 * and a complaint points at the node it is about.
 */
#include "define/definition.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <yaml.h>

struct reader {
    yaml_document_t document;
    const char *path;
    struct app_definition *out;
    struct app_message *message;
};

/* A key of a mapping and what reads its value. */
struct key {
    const char *name;
    int (*read)(struct reader *r, const yaml_node_t *node, void *target);
    size_t offset; /* of the target in the struct that is being filled */
};

static int complain(struct reader *r, const yaml_node_t *node, const char *what, const char *detail)
{
    return app_fail(r->message, CKG_ERR_INVALID, "%s:%zu:%zu: %s%s", r->path, node->start_mark.line + 1, node->start_mark.column + 1, what, detail);
}

static int no_memory(struct reader *r)
{
    return app_fail(r->message, CKG_ERR_NOMEM, "out of memory");
}

/* What the library refused, at the node that gave it the words. */
static int refuse(struct reader *r, const yaml_node_t *node, int status)
{
    return status == CKG_ERR_NOMEM ? no_memory(r) : complain(r, node, ckg_error_message(), "");
}

/* --- nodes --- */

static const yaml_node_t *node_at(struct reader *r, int index)
{
    return yaml_document_get_node(&r->document, index);
}

static const char *text_of(const yaml_node_t *node)
{
    return (const char *)node->data.scalar.value;
}

/* A scalar without a zero byte inside. */
static int is_text(const yaml_node_t *node)
{
    return node->type == YAML_SCALAR_NODE && strlen(text_of(node)) == node->data.scalar.length;
}

/* 1 when the scalar was written bare, so that it may be a number, a word or nothing. */
static int is_plain(const yaml_node_t *node)
{
    return is_text(node) && node->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
}

static int pairs_of(const yaml_node_t *node)
{
    return (int)(node->data.mapping.pairs.top - node->data.mapping.pairs.start);
}

static int items_of(const yaml_node_t *node)
{
    return (int)(node->data.sequence.items.top - node->data.sequence.items.start);
}

/* --- scalars --- */

static int read_number(struct reader *r, const yaml_node_t *node, void *target)
{
    char *end;
    if (!is_plain(node) || !*text_of(node))
        return complain(r, node, "a number is expected", "");
    errno = 0;
    const double value = strtod(text_of(node), &end);
    if (*end || !isfinite(value) || strpbrk(text_of(node), "xX"))
        return complain(r, node, "not a number: ", text_of(node));
    *(double *)target = value;
    return CKG_OK;
}

static int read_whole(struct reader *r, const yaml_node_t *node, double low, double high, double *out)
{
    const int status = read_number(r, node, out);
    if (status)
        return status;
    if (*out != floor(*out))
        return complain(r, node, "a whole number is expected, not ", text_of(node));
    if (*out < low || *out > high)
        return complain(r, node, "out of range: ", text_of(node));
    return CKG_OK;
}

static int read_count(struct reader *r, const yaml_node_t *node, void *target)
{
    double value = 0;
    const int status = read_whole(r, node, 1, 1e9, &value);
    if (!status)
        *(int *)target = (int)value;
    return status;
}

static int read_count_or_none(struct reader *r, const yaml_node_t *node, void *target)
{
    double value = 0;
    const int status = read_whole(r, node, 0, 1e9, &value);
    if (!status)
        *(int *)target = (int)value;
    return status;
}

static int read_text(struct reader *r, const yaml_node_t *node, void *target)
{
    if (!is_text(node) || !*text_of(node))
        return complain(r, node, "a text is expected", "");
    free(*(char **)target);
    *(char **)target = app_copy(text_of(node));
    return *(char **)target ? CKG_OK : no_memory(r);
}

static int read_seconds(struct reader *r, const yaml_node_t *node, void *target)
{
    const int status = read_number(r, node, target);
    if (!status && !(*(double *)target > 0))
        return complain(r, node, "a positive number of seconds is expected, not ", text_of(node));
    return status;
}

/* --- mappings --- */

/* Every pair of the mapping by its key's reader; a key that is not in the table or stands twice is refused. */
static int read_mapping(struct reader *r, const yaml_node_t *node, const struct key *keys, int count, void *target)
{
    if (node->type != YAML_MAPPING_NODE)
        return complain(r, node, "a mapping is expected", "");
    const yaml_node_pair_t *pairs = node->data.mapping.pairs.start;
    for (int i = 0; i < pairs_of(node); i++) {
        const yaml_node_t *key = node_at(r, pairs[i].key), *value = node_at(r, pairs[i].value);
        const struct key *found = NULL;
        if (!is_text(key))
            return complain(r, key, "a key must be a text", "");
        for (int k = 0; k < count; k++)
            if (!strcmp(keys[k].name, text_of(key)))
                found = &keys[k];
        if (!found)
            return complain(r, key, "unknown key: ", text_of(key));
        for (int k = 0; k < i; k++)
            if (!strcmp(text_of(node_at(r, pairs[k].key)), text_of(key)))
                return complain(r, key, "stands twice: ", text_of(key));
        const int status = found->read(r, value, (char *)target + found->offset);
        if (status)
            return status;
    }
    return CKG_OK;
}

/* --- names --- */

enum { LONGEST_NAME = 200 };

/* A name goes into tables, pages, files and arguments: any text of one line. */
static int check_name(struct reader *r, const yaml_node_t *node)
{
    if (!is_text(node) || !*text_of(node))
        return complain(r, node, "a name must be a text", "");
    if (strlen(text_of(node)) > LONGEST_NAME)
        return complain(r, node, "a name is at most 200 bytes long", "");
    for (const unsigned char *c = (const unsigned char *)text_of(node); *c; c++)
        if (*c < ' ' || *c == 127)
            return complain(r, node, "a name is one line without control characters", "");
    return CKG_OK;
}

static int read_name(struct reader *r, const yaml_node_t *node, void *target)
{
    const int status = check_name(r, node);
    return status ? status : read_text(r, node, target);
}

/* --- parameters --- */

struct parameter {
    const yaml_node_t *type, *scale, *low, *high, *values;
};

static int read_node(struct reader *r, const yaml_node_t *node, void *target)
{
    (void)r;
    *(const yaml_node_t **)target = node;
    return CKG_OK;
}

static const struct key parameter_keys[] = {
    {"type", read_node, offsetof(struct parameter, type)},     {"scale", read_node, offsetof(struct parameter, scale)},
    {"low", read_node, offsetof(struct parameter, low)},       {"high", read_node, offsetof(struct parameter, high)},
    {"values", read_node, offsetof(struct parameter, values)},
};

#define KEYS(table) table, (int)(sizeof table / sizeof *table)

static int is_word(const yaml_node_t *node, const char *word)
{
    return node && is_text(node) && !strcmp(text_of(node), word);
}

static int add_categorical(struct reader *r, const yaml_node_t *node, const struct parameter *from, struct app_parameter *p)
{
    const yaml_node_t *stray = from->scale ? from->scale : from->low ? from->low : from->high;
    if (stray)
        return complain(r, stray, "a categorical parameter has `values` alone: ", p->name);
    if (!from->values || from->values->type != YAML_SEQUENCE_NODE)
        return complain(r, from->values ? from->values : node, "a categorical parameter needs `values: [a, b, …]`: ", p->name);
    const int count = items_of(from->values);
    p->values = calloc((size_t)count + 1, sizeof *p->values);
    if (!p->values)
        return no_memory(r);
    for (; p->count < count; p->count++) {
        const yaml_node_t *item = node_at(r, from->values->data.sequence.items.start[p->count]);
        const int status = read_name(r, item, &p->values[p->count]);
        if (status)
            return status;
    }
    p->high = count - 1;
    const int refused = ckg_problem_add_categorical(r->out->problem, p->name, count, (const char *const *)p->values);
    return refused ? refuse(r, from->values, refused) : CKG_OK;
}

static int add_number(struct reader *r, const yaml_node_t *node, const struct parameter *from, struct app_parameter *p)
{
    const int integer = p->kind == CKG_INTEGER;
    if (!from->low || !from->high)
        return complain(r, node, "a parameter needs `low` and `high`: ", p->name);
    if (from->values)
        return complain(r, from->values, "only a categorical parameter has `values`: ", p->name);
    if (is_word(from->scale, "log") && !integer)
        p->scale = CKG_LOG;
    else if (from->scale && !is_word(from->scale, "linear"))
        return complain(r, from->scale, integer ? "the scale of an integer can only be linear: " : "a scale is linear or log: ", p->name);
    int status = read_number(r, from->low, &p->low);
    if (!status)
        status = read_number(r, from->high, &p->high);
    if (status)
        return status;
    const int refused = integer ? ckg_problem_add_integer(r->out->problem, p->name, p->low, p->high)
                                : ckg_problem_add_real(r->out->problem, p->name, p->low, p->high, p->scale);
    return refused ? refuse(r, from->low, refused) : CKG_OK;
}

static int add_parameter(struct reader *r, const yaml_node_t *name, const yaml_node_t *node)
{
    struct parameter from = {0};
    struct app_parameter *p = &r->out->parameters[r->out->d++];
    int status = read_name(r, name, &p->name);
    if (!status)
        status = read_mapping(r, node, KEYS(parameter_keys), &from);
    if (status)
        return status;
    if (app_definition_parameter(r->out, p->name) < r->out->d - 1)
        return complain(r, name, "stands twice: ", p->name);
    if (!from.type)
        return complain(r, node, "a parameter needs a type (real, integer or categorical): ", p->name);
    p->kind = is_word(from.type, "real") ? CKG_REAL : is_word(from.type, "integer") ? CKG_INTEGER : CKG_CATEGORICAL;
    if (p->kind == CKG_CATEGORICAL && !is_word(from.type, "categorical"))
        return complain(r, from.type, "a type is real, integer or categorical: ", p->name);
    return p->kind == CKG_CATEGORICAL ? add_categorical(r, node, &from, p) : add_number(r, node, &from, p);
}

/* Calls add for every pair of a mapping of names. */
static int each_name(struct reader *r, const yaml_node_t *node, int (*add)(struct reader *, const yaml_node_t *, const yaml_node_t *))
{
    int status = CKG_OK;
    for (int i = 0; !status && i < pairs_of(node); i++) {
        const yaml_node_pair_t *pair = &node->data.mapping.pairs.start[i];
        status = add(r, node_at(r, pair->key), node_at(r, pair->value));
    }
    return status;
}

static int read_parameters(struct reader *r, const yaml_node_t *node)
{
    if (node->type != YAML_MAPPING_NODE || !pairs_of(node))
        return complain(r, node, "parameters are a mapping `name: {type: …}` with at least one name", "");
    r->out->parameters = calloc((size_t)pairs_of(node), sizeof *r->out->parameters);
    return r->out->parameters ? each_name(r, node, add_parameter) : no_memory(r);
}

/* --- outcomes --- */

/* noise: auto, none, or a standard deviation. */
static int read_noise(struct reader *r, const yaml_node_t *node, void *target)
{
    struct app_outcome *o = target;
    if (is_word(node, "auto") || is_word(node, "none")) {
        o->noise = is_word(node, "auto") ? CKG_NOISE_AUTO : CKG_NOISE_NONE;
        return CKG_OK;
    }
    if (read_number(r, node, &o->sd) || !(o->sd >= 0))
        return complain(r, node, "noise is auto, none or a standard deviation", "");
    o->noise = o->sd > 0 ? CKG_NOISE_KNOWN : CKG_NOISE_NONE;
    return CKG_OK;
}

static const struct key objective_keys[] = {
    {"name", read_name, offsetof(struct app_outcome, name)},
    {"noise", read_noise, 0},
};

static const struct key constraint_keys[] = {
    {"min", read_number, offsetof(struct app_outcome, min)},
    {"max", read_number, offsetof(struct app_outcome, max)},
    {"noise", read_noise, 0},
};

/* Outcomes and parameters stand in one table, so they share one set of names. */
static int check_outcome(struct reader *r, const yaml_node_t *node, int index)
{
    const char *name = r->out->outcomes[index].name;
    if (app_definition_parameter(r->out, name) >= 0)
        return complain(r, node, "is a parameter already: ", name);
    if (app_definition_outcome(r->out, name) < index)
        return complain(r, node, "stands twice: ", name);
    return CKG_OK;
}

static int set_noise(struct reader *r, const yaml_node_t *node, const struct app_outcome *o)
{
    const int refused = ckg_problem_set_noise(r->out->problem, o->name, o->noise, o->sd);
    return refused ? refuse(r, node, refused) : CKG_OK;
}

static int add_constraint(struct reader *r, const yaml_node_t *name, const yaml_node_t *node)
{
    const int index = ++r->out->K;
    struct app_outcome *o = &r->out->outcomes[index];
    o->min = -INFINITY;
    o->max = INFINITY;
    int status = read_name(r, name, &o->name);
    if (!status)
        status = check_outcome(r, name, index);
    if (!status)
        status = read_mapping(r, node, KEYS(constraint_keys), o);
    if (!status && isinf(o->min) && isinf(o->max))
        status = complain(r, node, "a constraint needs `min`, `max` or both: ", o->name);
    if (status)
        return status;
    const int refused = ckg_problem_add_constraint(r->out->problem, o->name, o->min, o->max);
    return refused ? refuse(r, node, refused) : set_noise(r, node, o);
}

static int read_constraints(struct reader *r, const yaml_node_t *node)
{
    if (node->type != YAML_MAPPING_NODE)
        return complain(r, node, "constraints are a mapping `name: {min: …, max: …}`", "");
    struct app_outcome *grown = realloc(r->out->outcomes, ((size_t)pairs_of(node) + 1) * sizeof *grown);
    if (!grown)
        return no_memory(r);
    memset(grown + 1, 0, (size_t)pairs_of(node) * sizeof *grown);
    r->out->outcomes = grown;
    return each_name(r, node, add_constraint);
}

/* --- the command --- */

static int read_command(struct reader *r, const yaml_node_t *node, void *target)
{
    struct app_evaluate *e = target;
    if (node->type != YAML_SEQUENCE_NODE || !items_of(node))
        return complain(r, node, "a command is a list of words: [program, argument, …]", "");
    e->command = calloc((size_t)items_of(node) + 1, sizeof *e->command);
    if (!e->command)
        return no_memory(r);
    for (; e->count < items_of(node); e->count++) {
        const yaml_node_t *item = node_at(r, node->data.sequence.items.start[e->count]);
        if (!is_text(item))
            return complain(r, item, "a word of the command must be a text", "");
        e->command[e->count] = app_copy(text_of(item));
        if (!e->command[e->count])
            return no_memory(r);
    }
    return CKG_OK;
}

static const struct key evaluate_keys[] = {
    {"command", read_command, 0},
    {"timeout", read_seconds, offsetof(struct app_evaluate, timeout)},
    {"parallel", read_count, offsetof(struct app_evaluate, parallel)},
    {"retries", read_count_or_none, offsetof(struct app_evaluate, retries)},
};

static int read_evaluate(struct reader *r, const yaml_node_t *node, void *target)
{
    const int status = read_mapping(r, node, KEYS(evaluate_keys), target);
    if (!status && !((struct app_evaluate *)target)->count)
        return complain(r, node, "`evaluate` needs a command", "");
    return status;
}

/* --- the file --- */

static int read_seed(struct reader *r, const yaml_node_t *node, void *target)
{
    struct app_definition *out = target;
    char *end;
    errno = 0;
    const unsigned long long value = is_plain(node) ? strtoull(text_of(node), &end, 10) : 0;
    if (!is_plain(node) || !*text_of(node) || *end || errno || *text_of(node) == '-' || *text_of(node) == '+')
        return complain(r, node, "a seed is a whole number from 0 to 2^64 − 1", "");
    out->seed = value;
    out->has_seed = 1;
    return CKG_OK;
}

static const ckg_policy_parameter *policy_parameter(const ckg_policy_info *policy, const yaml_node_t *key)
{
    for (int k = 0; k < policy->count; k++)
        if (is_word(key, policy->parameters[k].name))
            return &policy->parameters[k];
    return NULL;
}

static int read_setting(struct reader *r, const ckg_policy_info *policy, const yaml_node_t *key, const yaml_node_t *value, ckg_setting *out)
{
    const ckg_policy_parameter *parameter = policy_parameter(policy, key);
    if (!parameter)
        return complain(r, key, "the policy has no such parameter: ", is_text(key) ? text_of(key) : "not a text");
    out->name = parameter->name;
    const int status = read_number(r, value, &out->value);
    if (status)
        return status;
    if (out->value < parameter->low || out->value > parameter->high || (parameter->whole && out->value != floor(out->value)))
        return complain(r, value, "out of the policy's range: ", parameter->name);
    return CKG_OK;
}

/* A policy's name, or {name: …, parameter: value, …}. */
static int read_policy(struct reader *r, const yaml_node_t *node, struct app_definition *out)
{
    ckg_policy_info policy;
    const int count = node->type == YAML_MAPPING_NODE ? pairs_of(node) : 0;
    const yaml_node_pair_t *pairs = count ? node->data.mapping.pairs.start : NULL;
    const yaml_node_t *name = node->type == YAML_MAPPING_NODE ? NULL : node;
    for (int i = 0; i < count; i++)
        if (is_word(node_at(r, pairs[i].key), "name"))
            name = node_at(r, pairs[i].value);
    if (!name)
        return complain(r, node, "a policy needs a name", "");
    int status = read_text(r, name, &out->policy);
    if (!status && ckg_policy_named(out->policy, &policy))
        status = complain(r, name, ckg_error_message(), "; `ckg policies` lists them");
    if (!status && count > 1 && !(out->settings = calloc((size_t)count, sizeof *out->settings)))
        status = no_memory(r);
    for (int i = 0; !status && i < count; i++)
        if (!is_word(node_at(r, pairs[i].key), "name"))
            status = read_setting(r, &policy, node_at(r, pairs[i].key), node_at(r, pairs[i].value), &out->settings[out->settings_count++]);
    return status;
}

/* The file's keys in the order they are needed, whatever their order in the file. */
struct top {
    const yaml_node_t *name, *goal, *budget, *initial, *policy, *seed, *failures, *parameters, *objective, *constraints, *evaluate;
};

static const struct key top_keys[] = {
    {"name", read_node, offsetof(struct top, name)},           {"goal", read_node, offsetof(struct top, goal)},
    {"budget", read_node, offsetof(struct top, budget)},       {"initial", read_node, offsetof(struct top, initial)},
    {"policy", read_node, offsetof(struct top, policy)},       {"seed", read_node, offsetof(struct top, seed)},
    {"failures", read_node, offsetof(struct top, failures)},   {"parameters", read_node, offsetof(struct top, parameters)},
    {"objective", read_node, offsetof(struct top, objective)}, {"constraints", read_node, offsetof(struct top, constraints)},
    {"evaluate", read_node, offsetof(struct top, evaluate)},
};

static int read_objective(struct reader *r, const struct top *top, const yaml_node_t *root)
{
    struct app_definition *out = r->out;
    if (!top->goal)
        return complain(r, root, "`goal: minimize` or `goal: maximize` is missing", "");
    if (!is_word(top->goal, "minimize") && !is_word(top->goal, "maximize"))
        return complain(r, top->goal, "a goal is minimize or maximize", "");
    out->goal = is_word(top->goal, "maximize") ? CKG_MAXIMIZE : CKG_MINIMIZE;
    if (!top->objective)
        return complain(r, root, "`objective: {name: …}` is missing", "");
    out->outcomes = calloc(1, sizeof *out->outcomes);
    if (!out->outcomes)
        return no_memory(r);
    out->outcomes->min = -INFINITY;
    out->outcomes->max = INFINITY;
    int status = read_mapping(r, top->objective, KEYS(objective_keys), out->outcomes);
    if (!status && !out->outcomes->name)
        status = complain(r, top->objective, "the objective needs a name", "");
    if (!status)
        status = check_outcome(r, top->objective, 0);
    if (status)
        return status;
    const int refused = ckg_problem_set_objective(out->problem, out->outcomes->name, out->goal);
    return refused ? refuse(r, top->objective, refused) : set_noise(r, top->objective, out->outcomes);
}

static int read_failures(struct reader *r, const yaml_node_t *node)
{
    if (!is_text(node) || (strcmp(text_of(node), "model") != 0 && strcmp(text_of(node), "ignore") != 0))
        return complain(r, node, "failures are to model or to ignore", "");
    return read_text(r, node, &r->out->failures);
}

static int read_top(struct reader *r, const yaml_node_t *root)
{
    struct app_definition *out = r->out;
    struct top top = {0};
    int status = read_mapping(r, root, KEYS(top_keys), &top);
    if (!status && !top.name)
        status = complain(r, root, "`name` is missing", "");
    if (!status)
        status = read_name(r, top.name, &out->name);
    if (!status)
        status = top.budget ? read_count(r, top.budget, &out->budget) : complain(r, root, "`budget` is missing", "");
    if (!status && top.initial)
        status = read_count_or_none(r, top.initial, &out->initial);
    if (!status && top.policy)
        status = read_policy(r, top.policy, out);
    if (!status && top.seed)
        status = read_seed(r, top.seed, out);
    if (!status && top.failures)
        status = read_failures(r, top.failures);
    if (!status && !top.parameters)
        status = complain(r, root, "`parameters` are missing", "");
    if (!status)
        status = read_parameters(r, top.parameters);
    if (!status)
        status = read_objective(r, &top, root);
    if (!status && top.constraints)
        status = read_constraints(r, top.constraints);
    if (!status && top.evaluate)
        status = read_evaluate(r, top.evaluate, &out->evaluate);
    return status;
}

/* What libyaml could not read, where it says so. */
static int complain_of_yaml(struct reader *r, const yaml_parser_t *parser)
{
    const yaml_mark_t *at = parser->problem_mark.index ? &parser->problem_mark : &parser->context_mark;
    return app_fail(r->message, CKG_ERR_INVALID, "%s:%zu:%zu: %s", r->path, at->line + 1, at->column + 1, parser->problem ? parser->problem : "not YAML");
}

static int read_document(struct reader *r, yaml_parser_t *parser)
{
    if (!yaml_parser_load(parser, &r->document))
        return parser->error == YAML_MEMORY_ERROR ? no_memory(r) : complain_of_yaml(r, parser);
    const yaml_node_t *root = yaml_document_get_root_node(&r->document);
    const int status = root ? read_top(r, root) : app_fail(r->message, CKG_ERR_INVALID, "%s:1:1: the file is empty", r->path);
    yaml_document_delete(&r->document);
    return status;
}

int app_definition_parse(struct app_definition *out, const char *text, size_t length, const char *path, struct app_message *message)
{
    struct reader r = {.path = path, .out = out, .message = message};
    yaml_parser_t parser;
    *out = (struct app_definition){.initial = -1, .evaluate = {.parallel = 1}};
    if (!yaml_parser_initialize(&parser))
        return no_memory(&r);
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, length);
    int status = ckg_problem_new(&out->problem) ? no_memory(&r) : read_document(&r, &parser);
    yaml_parser_delete(&parser);
    if (!status && !out->policy)
        status = (out->policy = app_copy("ckg")) ? CKG_OK : no_memory(&r);
    if (!status && !out->failures)
        status = (out->failures = app_copy("model")) ? CKG_OK : no_memory(&r);
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

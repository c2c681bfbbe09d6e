/*
 * The parameters of a problem file.
 */
#include "definition/design_list.h"
#include "definition/file_schema.h"

#include <math.h>
#include <string.h>

static const double largest_whole = 9007199254740992.0; /* 2^53: every integer up to it is a double */

struct parameter {
    const yaml_node_t *type, *scale, *low, *high, *step, *values, *value, *was, *unit, *description;
};

static const struct app_key parameter_keys[] = {
    APP_NODE_KEY(struct parameter, type, "`real`, `integer`, `categorical`", "needed unless fixed",
                 "what kind of values it has"),
    APP_NODE_KEY(struct parameter, low, "a number", "needed for numbers", "its smallest value"),
    APP_NODE_KEY(struct parameter, high, "a number", "needed for numbers", "its largest value"),
    APP_NODE_KEY(struct parameter, step, "a number", "none; 1 for an integer",
                 "only low, low + step, low + 2·step, … are used; high need not be one of them"),
    APP_NODE_KEY(struct parameter, scale, "`linear`, `log`", "`linear`",
                 "`log` where ratios count rather than differences: a rate from 0.0001 to 0.1, a batch from "
                 "1 to 1024"),
    APP_NODE_KEY(struct parameter, values, "`[steel, brass]`, `[8, 32, 128]`", "needed if categorical",
                 "the categories; numbers, true and false arrive as such in JSON, in quotes they are texts"),
    APP_NODE_KEY(struct parameter, value, "a number, a text, `true`, `false`", "it varies",
                 "fixes it: passed on to the evaluation and shown, not varied"),
    APP_NODE_KEY(
        struct parameter, was, "a value", "none",
        "of a parameter that is new in a study with trials: the value that it had in all of them, for `ckg "
        "change`"),
    APP_NODE_KEY(struct parameter, unit, "a text", "none", "shown beside its name: `mm`"),
    APP_NODE_KEY(struct parameter, description, "a text", "none", "a line about it, for the report"),
};

const struct app_schema app_schema_parameter = {"a parameter", "A parameter", "parameters: {NAME: {…}}",
                                                APP_KEYS(parameter_keys), NULL};

/* Reads count values of a categorical with their types. */
static int read_categories(struct app_reader *r, const yaml_node_t *list, int count, char **values,
                           unsigned char *types)
{
    for (int i = 0; i < count; i++) {
        const yaml_node_t *node = app_reader_item(r, list, i);
        int type;
        const int status = app_reader_typed(r, node, &values[i], &type);

        if (status)
            return status;
        types[i] = (unsigned char)type;
        for (int k = 0; k < i; k++)
            if (!strcmp(values[k], values[i]))
                return app_node_complain(r, node, "the value '%s' is listed twice", values[i]);
    }
    return CKG_OK;
}

/* How many values a categorical has, checked. */
static int count_categories(struct app_reader *r, const yaml_node_t *node, const struct parameter *from,
                            int *count)
{
    const yaml_node_t *stray = from->scale  ? from->scale
                               : from->low  ? from->low
                               : from->high ? from->high
                                            : from->step;

    if (stray)
        return app_node_complain(
            r, stray, "a categorical parameter takes `values: [a, b, …]`, not scale, low, high or step");
    if (!from->values)
        return app_node_complain(r, node, "a categorical parameter needs `values: [a, b, …]`");
    if (from->values->type != YAML_SEQUENCE_NODE)
        return app_node_expect(r, from->values, "a list of values [a, b, …]");
    *count = app_node_items(from->values);
    if (*count < 2)
        return app_node_complain(r, from->values, "a categorical parameter needs at least 2 values");
    if (*count > CKG_MAX_CATEGORIES)
        return app_node_complain(r, app_reader_item(r, from->values, CKG_MAX_CATEGORIES),
                                 "a categorical parameter may have at most %d values, not %d",
                                 CKG_MAX_CATEGORIES, *count);
    return CKG_OK;
}

static int add_categorical(struct app_reader *r, const char *name, const yaml_node_t *node,
                           const struct parameter *from)
{
    struct app_label *label = &r->out->parameter[app_dimension(r->out)];
    char *values[CKG_MAX_CATEGORIES];
    int count = 0;
    int status = count_categories(r, node, from, &count);

    label->types = app_pool_new(&r->out->pool, CKG_MAX_CATEGORIES, sizeof *label->types);
    if (!status && !label->types)
        status = app_node_no_memory(r);
    if (!status)
        status = read_categories(r, from->values, count, values, label->types);
    return status ? status
                  : app_reader_check(r, from->values,
                                     ckg_problem_add_categorical(r->out->problem, name, count,
                                                                 (const char *const *)values));
}

static int read_bound(struct app_reader *r, const yaml_node_t *node, int integer, double *out)
{
    const int status = app_node_number(r, node, -INFINITY, INFINITY, out);
    if (status || !integer || (*out == floor(*out) && fabs(*out) <= largest_whole))
        return status;
    return app_node_expect(r, node, *out == floor(*out) ? "an integer within ±2^53" : "an integer");
}

static int set_step(struct app_reader *r, const char *name, const yaml_node_t *node)
{
    double step;
    const int status = app_node_number(r, node, -INFINITY, INFINITY, &step);

    return status ? status : app_reader_check(r, node, ckg_problem_set_step(r->out->problem, name, step));
}

/* The range of the column in the list of designs; 0: there is none. */
static int listed_range(const struct app_reader *r, const char *name, double *low, double *high)
{
    const int column = r->choice ? app_choice_find(r->choice, name) : -1;

    return column >= 0 && app_choice_range(r->choice, column, low, high);
}

static int add_number(struct app_reader *r, const char *name, const yaml_node_t *node,
                      const struct parameter *from, int integer)
{
    const int logarithmic = app_node_is_word(from->scale, "log");
    double low = 0;
    double high = 0;

    if (from->values)
        return app_node_complain(r, from->values, "only categorical parameters have `values`");
    if ((!from->low || !from->high) && !listed_range(r, name, &low, &high))
        return app_node_complain(r, node, "`%s` is missing", from->low ? "high" : "low");
    if (from->scale && !logarithmic && !app_node_is_word(from->scale, "linear"))
        return app_node_expect(r, from->scale, "scale linear or log");

    int status = from->low ? read_bound(r, from->low, integer, &low) : CKG_OK;
    if (!status && from->high)
        status = read_bound(r, from->high, integer, &high);
    if (status)
        return status;

    status = integer ? ckg_problem_add_integer(r->out->problem, name, low, high)
                     : ckg_problem_add_real(r->out->problem, name, low, high, CKG_LINEAR);
    if (!status && logarithmic)
        status = ckg_problem_set_scale(r->out->problem, name, CKG_LOG);
    status = app_reader_check(r, from->low ? from->low : node, status);
    return !status && from->step ? set_step(r, name, from->step) : status;
}

/* A parameter that varies. */
static int add_varied(struct app_reader *r, const char *name, const yaml_node_t *node,
                      const struct parameter *from)
{
    if (!from->type)
        return app_node_complain(r, node,
                                 "`type` is missing: real, integer or categorical; or `value` to fix it");
    const int column = r->choice ? app_choice_find(r->choice, name) : -1;
    if (app_node_is_word(from->type, "categorical") && !from->values && column >= 0)
        return app_choice_categorical(r, r->choice, column);
    if (app_node_is_word(from->type, "categorical"))
        return add_categorical(r, name, node, from);
    if (!app_node_is_word(from->type, "real") && !app_node_is_word(from->type, "integer"))
        return app_node_unknown(r, from->type, "type", "", 3, app_kind_names);
    return add_number(r, name, node, from, app_node_is_word(from->type, "integer"));
}

/* A parameter that is passed on and not varied. */
static int add_fixed(struct app_reader *r, const char *name, const struct parameter *from)
{
    struct app_definition *out = r->out;
    const yaml_node_t *const others[] = {from->type, from->scale,  from->low, from->high,
                                         from->step, from->values, from->was};

    for (int i = 0; i < 7; i++)
        if (others[i])
            return app_node_complain(r, others[i],
                                     "a parameter with a fixed `value` takes unit and description beside it, "
                                     "nothing else");

    struct app_fixed *fixed = &out->fixed[out->fixed_count++];
    int type = APP_TEXT;
    int status = app_reader_keep(r, name, &fixed->name);
    if (!status)
        status = app_reader_typed(r, from->value, &fixed->text, &type);
    fixed->type = (enum app_type)type;
    return status ? status : app_read_label(r, name, from->unit, from->description, &fixed->label);
}

/* The value that a new parameter had so far; it may lie outside the range that it has now. */
static int read_was(struct app_reader *r, const char *name, const yaml_node_t *node, struct app_label *label)
{
    const int parameter = ckg_problem_parameter_find(r->out->problem, name);
    const int kind = ckg_problem_parameter_kind(r->out->problem, parameter);
    int type;
    double value;

    if (!node)
        return CKG_OK;
    if (kind != CKG_CATEGORICAL) {
        const int status = read_bound(r, node, kind == CKG_INTEGER, &value);
        if (status)
            return status;
    }
    const int status = app_reader_typed(r, node, &label->was, &type);
    if (!status && kind == CKG_CATEGORICAL &&
        ckg_problem_category_find(r->out->problem, parameter, label->was) < 0)
        return app_node_complain(r, node, "'%s' is not one of the parameter's values", label->was);
    return status;
}

static int add_parameter(struct app_reader *r, const yaml_node_t *key, const yaml_node_t *node)
{
    struct parameter from = {0};
    const char *name = "";
    int status = app_node_name(r, key, &name);

    if (!status)
        status = app_schema_read(r, node, &app_schema_parameter, &from);

    if (status)
        return status;
    if (from.value)
        return add_fixed(r, name, &from);
    struct app_label *label = &r->out->parameter[app_dimension(r->out)];
    status = add_varied(r, name, node, &from);
    if (!status)
        status = read_was(r, name, from.was, label);
    return status ? status : app_read_label(r, name, from.unit, from.description, label);
}

int app_read_parameters(struct app_reader *r, const yaml_node_t *node)
{
    if (node->type != YAML_MAPPING_NODE)
        return app_node_expect(r, node, "a mapping of parameters, `name: {type: …}`");
    const int count = app_node_pairs(node);
    if (!count)
        return app_node_complain(r, node, "there must be at least one parameter");
    if (count > CKG_MAX_PARAMETERS)
        return app_node_complain(r, app_reader_key(r, node, CKG_MAX_PARAMETERS),
                                 "there may be at most %d parameters, not %d", CKG_MAX_PARAMETERS, count);
    int status = app_reader_variables(r, count);
    if (!status)
        status = app_reader_each(r, node, add_parameter);
    if (!status && !app_dimension(r->out))
        return app_node_complain(r, node, "every parameter has a fixed `value`; at least one must vary");
    return status;
}

/*
 * The parameters of a problem file.
 */
#include "define/reader.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double largest_whole = 9007199254740992.0; /* 2^53: every integer up to it is a double */

struct parameter {
    const yaml_node_t *type, *scale, *low, *high, *values;
};

static const struct app_node_key parameter_keys[] = {
    {"type", offsetof(struct parameter, type)},     {"scale", offsetof(struct parameter, scale)},
    {"low", offsetof(struct parameter, low)},       {"high", offsetof(struct parameter, high)},
    {"values", offsetof(struct parameter, values)},
};

/* Reads count values of a categorical, freed by the caller whatever comes of it. */
static int read_categories(struct app_reader *r, const yaml_node_t *list, int count, char **values)
{
    for (int i = 0; i < count; i++) {
        const yaml_node_t *node = app_reader_item(r, list, i);
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
static int count_categories(struct app_reader *r, const yaml_node_t *node, const struct parameter *from,
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
        return app_node_complain(&r->document, app_reader_item(r, from->values, CKG_MAX_CATEGORIES),
                                 "a categorical parameter may have at most %d values, not %d",
                                 CKG_MAX_CATEGORIES, *count);
    return CKG_OK;
}

static int add_categorical(struct app_reader *r, const char *name, const yaml_node_t *node,
                           const struct parameter *from)
{
    char *values[CKG_MAX_CATEGORIES] = {0};
    int count = 0;
    int status = count_categories(r, node, from, &count);

    if (!status)
        status = read_categories(r, from->values, count, values);
    if (!status) {
        status = ckg_problem_add_categorical(r->out->problem, name, count, (const char *const *)values);
        status = status ? app_reader_refuse(r, from->values, status) : CKG_OK;
    }
    for (int i = 0; i < CKG_MAX_CATEGORIES; i++)
        free(values[i]);
    return status;
}

static int read_bound(struct app_reader *r, const yaml_node_t *node, int integer, double *out)
{
    const int status = app_node_number(&r->document, node, -INFINITY, INFINITY, out);
    if (status || !integer || (*out == floor(*out) && fabs(*out) <= largest_whole))
        return status;
    return app_node_expect(&r->document, node,
                           *out == floor(*out) ? "an integer within ±2^53" : "an integer");
}

static int add_number(struct app_reader *r, const char *name, const yaml_node_t *node,
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
    return status ? app_reader_refuse(r, from->low, status) : CKG_OK;
}

static int add_parameter_named(struct app_reader *r, const char *name, const yaml_node_t *node)
{
    static const char *const kinds[] = {"real", "integer", "categorical"};
    struct parameter from = {0};
    const int status = app_node_mapping(&r->document, node, "a parameter", APP_KEYS(parameter_keys), &from);

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

static int add_parameter(struct app_reader *r, const yaml_node_t *key, const yaml_node_t *node)
{
    char *name = NULL;
    int status = app_node_name(&r->document, key, &name);

    if (!status)
        status = add_parameter_named(r, name, node);
    free(name);
    return status;
}

int app_read_parameters(struct app_reader *r, const yaml_node_t *node)
{
    if (node->type != YAML_MAPPING_NODE)
        return app_node_expect(&r->document, node, "a mapping of parameters, `name: {type: …}`");
    const int count = app_node_pairs(node);
    if (!count)
        return app_node_complain(&r->document, node, "there must be at least one parameter");
    if (count > CKG_MAX_PARAMETERS)
        return app_node_complain(&r->document, app_reader_key(r, node, CKG_MAX_PARAMETERS),
                                 "there may be at most %d parameters, not %d", CKG_MAX_PARAMETERS, count);
    return app_reader_each(r, node, add_parameter);
}

/*
 * Designs that a problem file gives, one mapping of names and values each.
 */
#include "definition/reader.h"

#include <string.h>

#include "definition/values.h"

/* The value of parameter p at the node. */
static int read_value(struct app_reader *r, const struct app_parameter *p, const yaml_node_t *node,
                      double *out)
{
    char number[32];
    struct app_value value;

    if (p->kind != CKG_CATEGORICAL)
        return app_node_number(r, node, p->low, p->high, out);
    const int status = app_node_typed(r, node, number, &value);
    if (status)
        return status;
    *out = ckg_problem_category_find(p->problem, p->index, value.text);
    return *out < 0 ? app_node_complain(r, node, "'%s' is not one of the values of '%s'", value.text, p->name)
                    : CKG_OK;
}

/* A fixed parameter may stand there with the value that it has. */
static int check_fixed(struct app_reader *r, const struct app_fixed *fixed, const yaml_node_t *node)
{
    char number[32];
    struct app_value value;
    const int status = app_node_typed(r, node, number, &value);

    return status || !strcmp(value.text, fixed->value.text)
               ? status
               : app_node_complain(r, node, "parameter '%s' is fixed at %s", fixed->name, fixed->value.text);
}

/* One pair of a design. */
static int read_pair(struct app_reader *r, const yaml_node_t *design, int pair, double *x, char *given)
{
    const struct app_definition *d = r->out;
    const yaml_node_t *key = app_reader_key(r, design, pair);
    const yaml_node_t *value = app_reader_value(r, design, pair);
    const char *names[CKG_MAX_PARAMETERS];
    const int status = app_node_check_key(r, design, pair);

    if (status)
        return status;
    const int i = ckg_problem_parameter_find(d->problem, app_node_text(key));
    const struct app_fixed *fixed = app_fixed_find(d, app_node_text(key));
    if (fixed)
        return check_fixed(r, fixed, value);
    if (app_carried_find(d, app_node_text(key)) >= 0)
        return CKG_OK;
    for (int k = 0; k < app_dimension(d); k++)
        names[k] = app_parameter_name(d, k);
    if (i < 0)
        return app_node_unknown(r, key, "parameter", "", app_dimension(d), names);

    const struct app_parameter p = app_parameter_at(d, i);
    given[i] = 1;
    return read_value(r, &p, value, &x[i]);
}

/* x (d) ← the design at the node. */
static int read_design(struct app_reader *r, const yaml_node_t *node, double *x)
{
    const struct app_definition *d = r->out;
    struct app_message why;
    char given[CKG_MAX_PARAMETERS] = {0};
    int status = CKG_OK;

    /* Every parameter, once. */
    if (node->type != YAML_MAPPING_NODE)
        return app_node_expect(r, node, "a design {name: value, …}");
    for (int pair = 0; !status && pair < app_node_pairs(node); pair++)
        status = read_pair(r, node, pair, x, given);
    for (int i = 0; !status && i < app_dimension(d); i++)
        if (!given[i])
            return app_node_complain(r, node, "parameter '%s' is missing in this design",
                                     app_parameter_name(d, i));

    /* And a design that can be made. */
    if (!status && app_design_check(d, x, &why))
        status = app_node_complain(r, node, "%s", why.text);
    return status;
}

int app_read_designs(struct app_reader *r, const yaml_node_t *node)
{
    struct app_definition *out = r->out;
    const size_t d = (size_t)app_dimension(out);
    int status = CKG_OK;

    if (node->type != YAML_SEQUENCE_NODE)
        return app_node_expect(r, node, "a list of designs [{name: value, …}, …]");
    out->own_count = app_node_items(node);
    out->own = app_pool_new(&out->pool, (size_t)out->own_count * d, sizeof *out->own);
    if (!out->own)
        return app_node_no_memory(r);
    for (int i = 0; !status && i < out->own_count; i++)
        status = read_design(r, app_reader_item(r, node, i), out->own + (size_t)i * d);
    if (!status && out->budget && out->own_count > out->budget)
        app_reader_warn(r, node, "there are %d `designs` and the `budget` is only %d", out->own_count,
                        out->budget);
    return status;
}

/* --- written --- */

static void add_designs(const struct app_definition *d, const char *name, int count, const double *X,
                        struct app_text *out)
{
    if (!count)
        return;
    app_json_open(out, name, '[');
    for (int i = 0; i < count; i++) {
        app_json_member(out, NULL);
        app_design_write(d, X + (size_t)i * (size_t)app_dimension(d), out);
    }
    app_json_close(out, ']');
}

/* Both lists, behind what they are made of: those to choose from are read before it. */
void app_write_designs(const struct app_definition *d, const char *name, struct app_text *out)
{
    add_designs(d, "choose_from", ckg_problem_designs(d->problem), ckg_problem_design(d->problem, 0), out);
    add_designs(d, name, d->own_count, d->own, out);
}

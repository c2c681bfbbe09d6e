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
    if (app_node_typed(r, node, number, &value))
        return r->status;
    *out = ckg_problem_category_find(p->problem, p->index, value.text);
    return *out < 0 ? app_node_complain(r, node, "'%s' is not one of the values of '%s'", value.text, p->name)
                    : CKG_OK;
}

/* A fixed parameter may stand there with the value that it has. */
static int check_fixed(struct app_reader *r, const struct app_fixed *fixed, const yaml_node_t *node)
{
    char number[32];
    struct app_value value;

    return app_node_typed(r, node, number, &value) || !strcmp(value.text, fixed->value.text)
               ? r->status
               : app_node_complain(r, node, "parameter '%s' is fixed at %s", fixed->name, fixed->value.text);
}

/* One pair of a design. */
static int read_pair(struct app_reader *r, const yaml_node_t *design, int pair, double *x, char *given)
{
    const struct app_definition *d = r->out;
    const yaml_node_t *key = app_reader_key(r, design, pair);
    const yaml_node_t *value = app_reader_value(r, design, pair);
    const char *names[CKG_MAX_PARAMETERS];
    const int i = ckg_problem_parameter_find(d->problem, app_node_text(key));
    const struct app_fixed *fixed = app_fixed_find(d, app_node_text(key));
    if (fixed)
        return check_fixed(r, fixed, value);
    if (app_carried_find(d, app_node_text(key)) >= 0)
        return CKG_OK;
    if (i < 0)
        return app_node_unknown(r, key, "parameter", "", app_parameter_names(d, names), names);

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

    /* Every parameter, once. */
    if (node->type != YAML_MAPPING_NODE)
        return app_node_expect(r, node, "a design {name: value, …}");
    for (int pair = 0; app_reader_has_pair(r, node, pair); pair++)
        read_pair(r, node, pair, x, given);
    for (int i = 0; i < app_dimension(d); i++)
        if (!given[i])
            return app_node_complain(r, node, "parameter '%s' is missing in this design",
                                     app_parameter_name(d, i));

    /* And a design that can be made. */
    return !r->status && app_design_check(d, x, &why) ? app_node_complain(r, node, "%s", why.text)
                                                      : r->status;
}

int app_read_designs(struct app_reader *r, const yaml_node_t *node)
{
    struct app_definition *out = r->out;
    const int d = app_dimension(out);

    if (node->type != YAML_SEQUENCE_NODE)
        return app_node_expect(r, node, "a list of designs [{name: value, …}, …]");
    out->own_count = app_node_items(node);
    out->own = app_reader_new(r, out->own_count, (size_t)d * sizeof *out->own);
    for (int i = 0; app_reader_has_item(r, node, i); i++)
        read_design(r, app_reader_item(r, node, i), out->own + (size_t)i * (size_t)d);
    if (out->budget && out->own_count > out->budget)
        app_reader_warn(r, node, "there are %d `designs` and the `budget` is only %d", out->own_count,
                        out->budget);
    return r->status;
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

/* The rules between parameters, each a text that the library reads. */
#include <stdlib.h>

#include "definition/reader.h"

/* What the library refused, where in the rule it is. */
static int refuse_rule(struct app_reader *r, const yaml_node_t *list, const yaml_node_t *item, int at)
{
    const int cut = list->data.sequence.style == YAML_FLOW_SEQUENCE_STYLE &&
                    item->data.scalar.style == YAML_PLAIN_SCALAR_STYLE && !app_node_text(item)[at];

    return app_node_complain_inside(r, item, at, "%s%s", ckg_error_message(),
                                    cut ? "; in a [ ] list a rule with a comma needs quotes" : "");
}

static int read_rule(struct app_reader *r, const yaml_node_t *list, const yaml_node_t *item)
{
    int at;

    if (!app_node_is_text(item) || app_node_is_nothing(item))
        return app_node_expect(r, item, "a rule such as `pitch >= 1.2 * od`");
    const int status = ckg_problem_add_rule(r->out->problem, app_node_text(item), &at);
    if (status == CKG_ERR_INVALID)
        return refuse_rule(r, list, item, at);
    return app_reader_check(r, item, status);
}

/* Parameters that are fixed at a number may stand in a rule too. */
static int add_constants(struct app_reader *r, const yaml_node_t *node)
{
    const struct app_definition *d = r->out;
    int status = CKG_OK;

    for (int i = 0; !status && i < d->fixed_count; i++)
        if (d->fixed[i].type == APP_NUMBER)
            status = ckg_problem_add_constant(d->problem, d->fixed[i].name, strtod(d->fixed[i].text, NULL));
    return app_reader_check(r, node, status);
}

int app_read_rules(struct app_reader *r, const yaml_node_t *node)
{
    int status = CKG_OK;

    if (node->type != YAML_SEQUENCE_NODE)
        return app_node_expect(r, node, "a list of rules [\"pitch >= 1.2 * od\", …]");
    const int count = app_node_items(node);
    if (count > CKG_MAX_RULES)
        return app_node_complain(r, app_reader_item(r, node, CKG_MAX_RULES),
                                 "there may be at most %d rules, not %d", CKG_MAX_RULES, count);
    status = add_constants(r, node);
    for (int i = 0; !status && i < count; i++)
        status = read_rule(r, node, app_reader_item(r, node, i));
    return status;
}

int app_check_rules(struct app_reader *r, const yaml_node_t *node)
{
    double x[CKG_MAX_PARAMETERS];

    return app_reader_check(r, node, ckg_problem_find_allowed(r->out->problem, x));
}

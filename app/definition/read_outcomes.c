/*
 * The objective and the constraints of a problem file.
 */
#include "definition/file_schema.h"

#include <float.h>
#include <math.h>

/* Values are measured below this, so limits beyond it mean nothing. */
static const double largest_value = 1e150;

struct outcome {
    const yaml_node_t *name, *type, *min, *max, *equal, *tolerance, *noise, *positive, *cost, *unit,
        *description;
};

static const struct app_key objective_keys[] = {
    APP_NODE_KEY(struct outcome, name, "a text", "needed", "what the evaluation's answer calls it"),
    APP_NODE_KEY(struct outcome, noise, "`auto`, `varying`, `none`, a standard deviation",
                 "`auto`: estimated",
                 "whether a second evaluation of the same design would differ, and by how much; `varying`: "
                 "more in some "
                 "places than in others"),
    APP_NODE_KEY(struct outcome, positive, "`true`, `false`", "`false`",
                 "`true` where it can only be above 0, like a mass: modelled by its logarithm, and a value "
                 "that is not "
                 "above 0 is refused"),
    APP_NODE_KEY(struct outcome, cost, "a number", "all outcomes are measured together",
                 "what measuring it alone costs; once one outcome has a cost, each step says which to "
                 "measure, and the "
                 "others cost 1"),
    APP_NODE_KEY(struct outcome, unit, "a text", "none", "shown beside its name: `kg`"),
    APP_NODE_KEY(struct outcome, description, "a text", "none", "a line about it, for the report"),
};

const struct app_schema app_schema_objective = {"the objective", "The objective", "objective: {…}",
                                                APP_KEYS(objective_keys), NULL};

static const struct app_key constraint_keys[] = {
    APP_NODE_KEY(struct outcome, min, "a number", "no lower limit", "feasible at this value and above"),
    APP_NODE_KEY(struct outcome, max, "a number", "no upper limit",
                 "feasible at this value and below; one of the two, or `equal`, is needed"),
    APP_NODE_KEY(struct outcome, equal, "a number", "no equality",
                 "feasible at this value, give or take the tolerance; instead of limits"),
    APP_NODE_KEY(struct outcome, tolerance, "a number above 0", "needed with `equal`",
                 "how far from `equal` is still good, in the outcome's unit"),
    APP_NODE_KEY(struct outcome, type, "`yesno`", "a number with limits",
                 "`yesno` where only yes or no is known, `true` or `false`: feasible where it is yes; "
                 "without limits and "
                 "noise"),
    APP_NODE_KEY(struct outcome, noise, "`auto`, `varying`, `none`, a standard deviation",
                 "`auto`: estimated", "as for the objective"),
    APP_NODE_KEY(struct outcome, positive, "`true`, `false`", "`false`", "as for the objective"),
    APP_NODE_KEY(struct outcome, cost, "a number", "all outcomes are measured together",
                 "as for the objective"),
    APP_NODE_KEY(struct outcome, unit, "a text", "none", "as for the objective"),
    APP_NODE_KEY(struct outcome, description, "a text", "none", "as for the objective"),
};

const struct app_schema app_schema_constraint = {"a constraint", "A constraint", "constraints: {NAME: {…}}",
                                                 APP_KEYS(constraint_keys), NULL};

/* Outcomes and parameters stand in one table, so they share one set of names. */
static int read_outcome_name(struct app_reader *r, const yaml_node_t *node, int constraint, const char **name)
{
    const int status = app_node_name(r, node, name);

    if (status)
        return status;
    if (ckg_problem_parameter_find(r->out->problem, *name) >= 0 || app_fixed_find(r->out, *name) ||
        app_carried_find(r->out, *name) >= 0)
        return app_node_complain(r, node, "'%s' is already a parameter", *name);
    if (constraint && ckg_problem_outcome_find(r->out->problem, *name) == 0)
        return app_node_complain(r, node, "'%s' is already the objective", *name);
    return CKG_OK;
}

/* noise: a word, or a standard deviation; a NULL node stands for auto. */
static int read_noise(struct app_reader *r, const yaml_node_t *node, const char *outcome)
{
    int noise = CKG_NOISE_AUTO;
    double sd = 0;

    while (node && noise <= CKG_NOISE_VARYING &&
           (noise == CKG_NOISE_KNOWN || !app_node_is_word(node, app_noise_word(noise))))
        noise++;
    if (noise > CKG_NOISE_VARYING) {
        if (!app_node_is_number(node, 0, DBL_MAX, &sd))
            return app_node_expect(r, node, "noise auto, varying, none or a standard deviation");
        noise = sd > 0 ? CKG_NOISE_KNOWN : CKG_NOISE_NONE;
    }
    return app_reader_check(r, node,
                            ckg_problem_set_noise(r->out->problem, outcome, (enum ckg_noise)noise, sd));
}

/* cost: what measuring it alone costs. */
static int read_cost(struct app_reader *r, const yaml_node_t *node, const char *outcome)
{
    double cost = 0;
    const int status = app_node_number(r, node, 0, largest_value, &cost);

    return status ? status : app_reader_check(r, node, ckg_problem_set_cost(r->out->problem, outcome, cost));
}

/* What objective and constraints share, once the library knows the outcome. */
static int read_rest(struct app_reader *r, const char *name, const struct outcome *from)
{
    const int outcome = ckg_problem_outcome_find(r->out->problem, name);
    int positive = 0;
    int status = from->type ? CKG_OK : read_noise(r, from->noise, name);

    if (!status && from->positive)
        status = app_node_truth(r, from->positive, &positive);
    if (!status && positive)
        status = app_reader_check(r, from->positive, ckg_problem_set_positive(r->out->problem, name, 1));
    if (!status && from->cost)
        status = read_cost(r, from->cost, name);
    return status ? status
                  : app_read_label(r, name, from->unit, from->description, &r->out->outcome[outcome]);
}

static int read_limit(struct app_reader *r, const yaml_node_t *node, double *out)
{
    return node ? app_node_number(r, node, -largest_value, largest_value, out) : CKG_OK;
}

/* min, max or both. */
static int add_limits(struct app_reader *r, const char *name, const struct outcome *from)
{
    double min = -INFINITY;
    double max = INFINITY;
    int status = read_limit(r, from->min, &min);

    if (!status)
        status = read_limit(r, from->max, &max);
    if (status)
        return status;
    return app_reader_check(r, from->min ? from->min : from->max,
                            ckg_problem_add_constraint(r->out->problem, name, min, max));
}

/* equal with its tolerance, which nobody but the user can know. */
static int add_equality(struct app_reader *r, const char *name, const struct outcome *from)
{
    double value = 0;
    double tolerance = 0;
    int status = read_limit(r, from->equal, &value);

    if (!status && (from->min || from->max))
        status = app_node_complain(r, from->min ? from->min : from->max,
                                   "a constraint has `equal` or limits, not both");
    if (!status && !from->tolerance)
        status = app_node_complain(r, from->equal,
                                   "`equal` needs a `tolerance`: how far from %g is still good", value);
    if (!status)
        status = app_node_number(r, from->tolerance, 0, largest_value, &tolerance);
    if (status)
        return status;
    return app_reader_check(r, from->tolerance,
                            ckg_problem_add_equality(r->out->problem, name, value, tolerance));
}

/* type: yesno, and nothing that numbers have. */
static int add_yesno(struct app_reader *r, const char *name, const struct outcome *from)
{
    const struct {
        const char *key;
        const yaml_node_t *node;
    } others[] = {{"min", from->min},     {"max", from->max},
                  {"equal", from->equal}, {"tolerance", from->tolerance},
                  {"noise", from->noise}, {"positive", from->positive},
                  {"unit", from->unit}};

    if (!app_node_is_word(from->type, "yesno"))
        return app_node_expect(r, from->type, "`yesno`, the only type of a constraint");
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (others[i].node)
            return app_node_complain(r, others[i].node,
                                     "a yesno constraint answers yes or no and has no `%s`", others[i].key);
    return app_reader_check(r, from->type, ckg_problem_add_yesno(r->out->problem, name));
}

static int add_constraint(struct app_reader *r, const yaml_node_t *key, const yaml_node_t *node)
{
    struct outcome from = {0};
    const char *name = "";
    int status = read_outcome_name(r, key, 1, &name);

    if (!status)
        status = app_schema_read(r, node, &app_schema_constraint, &from);

    if (!status && !from.type && !from.min && !from.max && !from.equal)
        status = app_node_complain(r, node,
                                   "a constraint needs `min`, `max` or both, or `equal`, or `type: yesno`");
    if (!status && !from.type && from.tolerance && !from.equal)
        status = app_node_complain(r, from.tolerance, "a `tolerance` belongs to `equal`");
    if (!status)
        status = from.type    ? add_yesno(r, name, &from)
                 : from.equal ? add_equality(r, name, &from)
                              : add_limits(r, name, &from);
    return status ? status : read_rest(r, name, &from);
}

int app_read_constraints(struct app_reader *r, const yaml_node_t *node)
{
    if (node->type != YAML_MAPPING_NODE)
        return app_node_expect(r, node, "a mapping of constraints, `name: {min: …, max: …}`");
    const int count = app_node_pairs(node);
    if (count > CKG_MAX_CONSTRAINTS)
        return app_node_complain(r, app_reader_key(r, node, CKG_MAX_CONSTRAINTS),
                                 "there may be at most %d constraints, not %d", CKG_MAX_CONSTRAINTS, count);
    return app_reader_each(r, node, add_constraint);
}

int app_read_objective(struct app_reader *r, const yaml_node_t *node)
{
    struct outcome from = {0};
    const char *name = "";
    int status = app_schema_read(r, node, &app_schema_objective, &from);

    r->out->outcome = app_pool_new(&r->out->pool, 1 + CKG_MAX_CONSTRAINTS, sizeof *r->out->outcome);
    if (!status && !r->out->outcome)
        status = app_node_no_memory(r);

    if (!status)
        status = from.name ? read_outcome_name(r, from.name, 0, &name)
                           : app_node_complain(r, node, "the objective needs a `name`");
    if (!status)
        status = app_reader_check(
            r, from.name, ckg_problem_set_objective(r->out->problem, name, (enum ckg_goal)r->out->goal));
    return status ? status : read_rest(r, name, &from);
}

/* --- groups --- */

/* One group: a list of names. */
static int read_group(struct app_reader *r, const yaml_node_t *node)
{
    const char *names[1 + CKG_MAX_CONSTRAINTS];
    const int count = node->type == YAML_SEQUENCE_NODE ? app_node_items(node) : 0;

    if (count < 2 || count > 1 + CKG_MAX_CONSTRAINTS)
        return app_node_expect(r, node, "a list of outcomes that come together, [weight, height]");
    for (int i = 0; i < count; i++) {
        const yaml_node_t *item = app_reader_item(r, node, i);
        if (!app_node_is_text(item))
            return app_node_expect(r, item, "the name of an outcome");
        names[i] = app_node_text(item);
    }
    return app_reader_check(r, node, ckg_problem_add_group(r->out->problem, count, names));
}

int app_read_groups(struct app_reader *r, const yaml_node_t *node)
{
    int status = CKG_OK;

    if (node->type != YAML_SEQUENCE_NODE)
        return app_node_expect(r, node, "a list of groups, [[weight, height], …]");
    for (int i = 0; !status && i < app_node_items(node); i++)
        status = read_group(r, app_reader_item(r, node, i));
    return status;
}

/* What an outcome by itself costs must be something, and what a trial is to measure has a name of its own. */
int app_check_costs(struct app_reader *r, const yaml_node_t *node)
{
    const ckg_problem *p = r->out->problem;

    if (ckg_problem_separate(p) != 1)
        return CKG_OK;
    if (ckg_problem_parameter_find(p, "measure") >= 0)
        return app_node_complain(r, node, "where outcomes have costs, no parameter may be called 'measure'");
    for (int j = 0; j <= ckg_problem_constraints(p); j++)
        if (!(ckg_problem_cost(p, j) > 0) && ckg_problem_group(p, j) < 0)
            return app_node_complain(
                r, node, "'%s' costs nothing: put it into one of the `groups` with what it comes with",
                ckg_problem_outcome_name(p, j));
    return CKG_OK;
}

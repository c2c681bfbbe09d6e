/*
 * The objective and the constraints of a problem file: the tables of their keys, and what must agree between
 * them; which outcomes are measured together.
 */
#include "definition/file_schema.h"

#include <float.h>
#include <math.h>

/* Values are measured below this, so limits beyond it mean nothing. */
#define LARGEST_VALUE 1e150

/* --- the tables --- */

/* noise: a word, or a standard deviation. */
static int read_noise(struct app_reader *r, const yaml_node_t *node)
{
    struct app_outcome *out = r->into;

    for (out->noise = CKG_NOISE_AUTO; out->noise <= CKG_NOISE_VARYING; out->noise++)
        if (out->noise != CKG_NOISE_KNOWN && app_node_is_word(node, app_noise_word(out->noise)))
            return CKG_OK;
    if (!app_node_is_number(node, 0, DBL_MAX, &out->sd))
        return app_node_expect(r, node, "noise auto, varying, none or a standard deviation");
    out->noise = out->sd > 0 ? CKG_NOISE_KNOWN : CKG_NOISE_NONE;
    return CKG_OK;
}

static void add_noise(const void *from, const char *name, struct app_text *out)
{
    const struct app_outcome *o = from;

    if (o->noise == CKG_NOISE_KNOWN)
        app_json_add_number(out, name, o->sd);
    else if (!o->yesno)
        app_json_add_string(out, name, app_noise_word(o->noise));
}

#define AT(member) .at = offsetof(struct app_outcome, member)

/* Behind `unit`. */
#define VALUE .kind = APP_KEY_REAL, .low = -LARGEST_VALUE, .high = LARGEST_VALUE, .always = 1
#define NOISE .read = read_noise, .add = add_noise, .changed = "noise"
#define COST .kind = APP_KEY_REAL, AT(cost), .high = LARGEST_VALUE, .always = 1

static const struct app_key objective_keys[] = {
    {"name", "a text", "needed", "what the evaluation's answer calls it", .kind = APP_KEY_LINE, AT(name),
     .high = APP_LONGEST_NAME, .what = "a name", .missing = "the objective needs a `name`"},
    {"noise", "`auto`, `varying`, `none`, a standard deviation", "`auto`: estimated",
     "whether a second evaluation of the same design would differ, and by how much; `varying`: more in some "
     "places than in others",
     NOISE},
    {"positive", "`true`, `false`", "`false`",
     "`true` where it can only be above 0, like a mass: modelled by its logarithm, and a value that is not "
     "above 0 is refused",
     .kind = APP_KEY_BOOLEAN, AT(positive)},
    {"cost", "a number", "all outcomes are measured together",
     "what measuring it alone costs; once one outcome has a cost, each step says which to measure, and the "
     "others cost 1",
     COST},
    {"unit", "a text", "none", "shown beside its name: `kg`", APP_UNIT_KEY, AT(label.unit)},
    {"description", "a text", "none", "a line about it, for the report", APP_DESCRIPTION_KEY,
     AT(label.description)},
};

const struct app_schema app_schema_objective = {"the objective", "The objective", "objective: {…}",
                                                APP_KEYS(objective_keys)};

static const char *const type_names[] = {"yesno", NULL};

static const struct app_key constraint_keys[] = {
    {"min", "a number", "no lower limit", "feasible at this value and above", VALUE, AT(min)},
    {"max", "a number", "no upper limit",
     "feasible at this value and below; one of the two, or `equal`, is needed", VALUE, AT(max)},
    {"equal", "a number", "no equality",
     "feasible at this value, give or take the tolerance; instead of limits", VALUE, AT(equal)},
    {"tolerance", "a number above 0", "needed with `equal`",
     "how far from `equal` is still good, in the outcome's unit", .kind = APP_KEY_REAL, AT(tolerance),
     .high = LARGEST_VALUE},
    {"type", "`yesno`", "a number with limits",
     "`yesno` where only yes or no is known, `true` or `false`: feasible where it is yes; without limits and "
     "noise",
     .kind = APP_KEY_WORD, AT(yesno), .low = 1, .words = type_names,
     .expected = "`yesno`, the only type of a constraint"},
    {"noise", "`auto`, `varying`, `none`, a standard deviation", "`auto`: estimated", "as for the objective",
     NOISE},
    {"positive", "`true`, `false`", "`false`", "as for the objective", .kind = APP_KEY_BOOLEAN, AT(positive)},
    {"cost", "a number", "all outcomes are measured together", "as for the objective", COST},
    {"unit", "a text", "none", "as for the objective", APP_UNIT_KEY, AT(label.unit)},
    {"description", "a text", "none", "as for the objective", APP_DESCRIPTION_KEY, AT(label.description)},
};

const struct app_schema app_schema_constraint = {"a constraint", "A constraint", "constraints: {NAME: {…}}",
                                                 APP_KEYS(constraint_keys)};

/* --- what both have --- */

/* An outcome of which nothing is said. */
static const struct app_outcome unsaid = {
    .noise = CKG_NOISE_AUTO, .min = -INFINITY, .max = INFINITY, .equal = NAN, .tolerance = NAN, .cost = NAN};

/* Outcomes and parameters stand in one table, so they share one set of names. */
static int check_name(struct app_reader *r, const yaml_node_t *node, const char *name, int constraint)
{
    if (ckg_problem_parameter_find(r->out->problem, name) >= 0 || app_fixed_find(r->out, name) ||
        app_carried_find(r->out, name) >= 0)
        return app_node_complain(r, node, "'%s' is already a parameter", name);
    if (constraint && ckg_problem_outcome_find(r->out->problem, name) == 0)
        return app_node_complain(r, node, "'%s' is already the objective", name);
    return CKG_OK;
}

/* What objective and constraints share, once the library knows the outcome; complaints are at its key. */
static int add_rest(struct app_reader *r, const yaml_node_t *mapping, struct app_outcome *from)
{
    ckg_problem *problem = r->out->problem;

    if (r->status)
        return r->status;
    if (!from->yesno)
        app_reader_check(r, app_reader_find(r, mapping, "noise"),
                         ckg_problem_set_noise(problem, from->name, (enum ckg_noise)from->noise, from->sd));
    if (from->positive)
        app_reader_check(r, app_reader_find(r, mapping, "positive"),
                         ckg_problem_set_positive(problem, from->name, 1));
    if (!isnan(from->cost))
        app_reader_check(r, app_reader_find(r, mapping, "cost"),
                         ckg_problem_set_cost(problem, from->name, from->cost));
    app_read_title(r, from->name, &from->label);
    r->out->outcome[ckg_problem_outcome_find(problem, from->name)] = from->label;
    return r->status;
}

int app_read_objective(struct app_reader *r, const yaml_node_t *node)
{
    struct app_outcome from = unsaid;

    r->out->outcome = app_reader_new(r, 1 + CKG_MAX_CONSTRAINTS, sizeof *r->out->outcome);
    if (app_schema_read(r, node, &app_schema_objective, &from))
        return r->status;
    const yaml_node_t *name = app_reader_find(r, node, "name");
    if (!check_name(r, name, from.name, 0))
        app_reader_check(r, name,
                         ckg_problem_set_objective(r->out->problem, from.name, (enum ckg_goal)r->out->goal));
    return add_rest(r, node, &from);
}

/* --- a constraint --- */

/* equal with its tolerance, which nobody but the user can know. */
static int add_equality(struct app_reader *r, const yaml_node_t *node, const struct app_outcome *from)
{
    const yaml_node_t *min = app_reader_find(r, node, "min");
    const yaml_node_t *max = app_reader_find(r, node, "max");

    if (min || max)
        return app_node_complain(r, min ? min : max, "a constraint has `equal` or limits, not both");
    if (isnan(from->tolerance))
        return app_node_complain(r, app_reader_find(r, node, "equal"),
                                 "`equal` needs a `tolerance`: how far from %g is still good", from->equal);
    return app_reader_check(
        r, app_reader_find(r, node, "tolerance"),
        ckg_problem_add_equality(r->out->problem, from->name, from->equal, from->tolerance));
}

/* type: yesno, and nothing that numbers have. */
static int add_yesno(struct app_reader *r, const yaml_node_t *node, const struct app_outcome *from)
{
    static const char *const others[] = {"min", "max", "equal", "tolerance", "noise", "positive", "unit"};

    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (app_reader_find(r, node, others[i]))
            return app_node_complain(r, app_reader_find(r, node, others[i]),
                                     "a yesno constraint answers yes or no and has no `%s`", others[i]);
    return app_reader_check(r, app_reader_find(r, node, "type"),
                            ckg_problem_add_yesno(r->out->problem, from->name));
}

/* min, max or both. */
static int add_limits(struct app_reader *r, const yaml_node_t *node, const struct app_outcome *from)
{
    const yaml_node_t *min = app_reader_find(r, node, "min");
    const yaml_node_t *max = app_reader_find(r, node, "max");

    if (!min && !max)
        return app_node_complain(r, node,
                                 "a constraint needs `min`, `max` or both, or `equal`, or `type: yesno`");
    if (!isnan(from->tolerance))
        return app_node_complain(r, app_reader_find(r, node, "tolerance"),
                                 "a `tolerance` belongs to `equal`");
    return app_reader_check(r, min ? min : max,
                            ckg_problem_add_constraint(r->out->problem, from->name, from->min, from->max));
}

int app_read_constraint(struct app_reader *r, const yaml_node_t *key, const yaml_node_t *node, char **name)
{
    struct app_outcome from = unsaid;

    if (app_reader_line(r, key, "a name", APP_LONGEST_NAME, name) || check_name(r, key, *name, 1) ||
        app_schema_read(r, node, &app_schema_constraint, &from))
        return r->status;
    from.name = *name;
    if (from.yesno)
        add_yesno(r, node, &from);
    else if (!isnan(from.equal))
        add_equality(r, node, &from);
    else
        add_limits(r, node, &from);
    return add_rest(r, node, &from);
}

/* --- written --- */

/* As the file says it: limits that follow from the rest are none of its own. */
static struct app_outcome say(const struct app_definition *d, int j)
{
    struct app_outcome o = app_outcome_at(d, j);

    if (o.yesno || o.tolerance > 0) {
        o.min = -INFINITY;
        o.max = INFINITY;
    }
    if (!(o.tolerance > 0))
        o.equal = NAN;
    return o;
}

void app_write_objective(const struct app_definition *d, const char *name, struct app_text *out)
{
    const struct app_outcome o = say(d, 0);

    app_schema_write(d, &app_schema_objective, &o, name, out);
}

void app_write_constraints(const struct app_definition *d, const char *name, struct app_text *out)
{
    app_json_open(out, name, '{');
    for (int j = 1; j <= app_constraints(d); j++) {
        const struct app_outcome o = say(d, j);

        app_schema_write(d, &app_schema_constraint, &o, o.name, out);
    }
    app_json_close(out, '}');
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
    if (node->type != YAML_SEQUENCE_NODE)
        return app_node_expect(r, node, "a list of groups, [[weight, height], …]");
    for (int i = 0; app_reader_has_item(r, node, i); i++)
        read_group(r, app_reader_item(r, node, i));
    return r->status;
}

void app_write_groups(const struct app_definition *d, const char *name, struct app_text *out)
{
    if (!ckg_problem_groups(d->problem))
        return;
    app_json_open(out, name, '[');
    for (int group = 0; group < ckg_problem_groups(d->problem); group++) {
        app_json_open(out, NULL, '[');
        for (int j = 0; j <= app_constraints(d); j++)
            if (ckg_problem_group(d->problem, j) == group)
                app_json_add_string(out, NULL, app_outcome_name(d, j));
        app_json_close(out, ']');
    }
    app_json_close(out, ']');
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

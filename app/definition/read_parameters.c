/*
 * The parameters of a problem file: the table of their keys, and what must agree between them.
 */
#include "definition/design_list.h"
#include "definition/file_schema.h"

#include <math.h>
#include <string.h>

static const double largest_whole = 9007199254740992.0; /* 2^53: every integer up to it is a double */

/* --- the table --- */

/* The values of a categorical, each with its type, no two the same. */
static int read_values(struct app_reader *r, const yaml_node_t *list)
{
    struct app_parameter *out = r->into;

    if (list->type != YAML_SEQUENCE_NODE)
        return app_node_expect(r, list, "a list of values [a, b, …]");
    out->count = app_node_items(list);
    if (out->count < 2)
        return app_node_complain(r, list, "a categorical parameter needs at least 2 values");
    if (out->count > CKG_MAX_CATEGORIES)
        return app_node_complain(r, app_reader_item(r, list, CKG_MAX_CATEGORIES),
                                 "a categorical parameter may have at most %d values, not %d",
                                 CKG_MAX_CATEGORIES, out->count);

    struct app_value *values = app_reader_new(r, out->count, sizeof *values);
    out->label.values = values;
    for (int i = 0; app_reader_has_item(r, list, i); i++) {
        const yaml_node_t *node = app_reader_item(r, list, i);

        app_reader_typed(r, node, &values[i]);
        for (int k = 0; !r->status && k < i; k++)
            if (!strcmp(values[k].text, values[i].text))
                app_node_complain(r, node, "the value '%s' is listed twice", values[i].text);
    }
    return r->status;
}

static void add_values(const void *from, const char *name, struct app_text *out)
{
    const struct app_parameter *p = from;

    if (p->kind != CKG_CATEGORICAL)
        return;
    app_json_open(out, name, '[');
    for (int i = 0; i < p->count; i++)
        app_typed_add(out, NULL, &p->label.values[i]);
    app_json_close(out, ']');
}

static void show_values(const void *from, struct app_text *out)
{
    const struct app_parameter *p = from;

    for (int i = 0; p->kind == CKG_CATEGORICAL && i < p->count; i++)
        app_text_print(out, "%s%s%s", i ? ", " : "[", p->label.values[i].text, i + 1 < p->count ? "" : "]");
}

static void show_range(const void *from, struct app_text *out)
{
    const struct app_parameter *p = from;
    char low[32];
    char high[32];

    if (p->kind != CKG_CATEGORICAL) /* -0 is 0 */
        app_text_print(out, "%s … %s", app_number(p->low + 0.0, low), app_number(p->high + 0.0, high));
}

#define AT(member) .at = offsetof(struct app_parameter, member)

static const char *const scale_names[] = {[CKG_LINEAR] = "linear", [CKG_LOG] = "log", NULL};

static const struct app_key parameter_keys[] = {
    {"type", "`real`, `integer`, `categorical`", "needed unless fixed", "what kind of values it has",
     .kind = APP_KEY_WORD, AT(kind), .words = app_kind_names, .always = 1, .changed = "type"},
    {"low", "a number", "needed for numbers", "its smallest value", .kind = APP_KEY_REAL, AT(low),
     .always = 1, .changed = "range", .show = show_range},
    {"high", "a number", "needed for numbers", "its largest value", .kind = APP_KEY_REAL, AT(high),
     .always = 1},
    {"step", "a number", "none; 1 for an integer",
     "only low, low + step, low + 2·step, … are used; high need not be one of them", .kind = APP_KEY_REAL,
     AT(step), .changed = "step"},
    {"scale", "`linear`, `log`", "`linear`",
     "`log` where ratios count rather than differences: a rate from 0.0001 to 0.1, a batch from 1 to 1024",
     .kind = APP_KEY_WORD, AT(scale), .words = scale_names, .expected = "scale linear or log",
     .changed = "scale"},
    {"values", "`[steel, brass]`, `[8, 32, 128]`", "needed if categorical",
     "the categories; numbers, true and false arrive as such in JSON, in quotes they are texts",
     .read = read_values, .add = add_values, .changed = "values", .show = show_values},
    {"value", "a number, a text, `true`, `false`", "it varies",
     "fixes it: passed on to the evaluation and shown, not varied", .kind = APP_KEY_VALUE, AT(value)},
    {"was", "a value", "none",
     "of a parameter that is new in a study with trials: the value that it had in all of them, for `ckg "
     "change`",
     .kind = APP_KEY_VALUE, AT(label.was), .add = app_key_unwritten},
    {"unit", "a text", "none", "shown beside its name: `mm`", APP_UNIT_KEY, AT(label.unit)},
    {"description", "a text", "none", "a line about it, for the report", APP_DESCRIPTION_KEY,
     AT(label.description)},
};

const struct app_schema app_schema_parameter = {"a parameter", "A parameter", "parameters: {NAME: {…}}",
                                                APP_KEYS(parameter_keys)};

/* --- one that varies --- */

/* The first of the keys that is given in the mapping, NULL: none. */
static const yaml_node_t *find_any(struct app_reader *r, const yaml_node_t *node, const char *const *keys)
{
    const yaml_node_t *found = NULL;

    for (; *keys && !found; keys++)
        found = app_reader_find(r, node, *keys);
    return found;
}

static int add_categorical(struct app_reader *r, const yaml_node_t *node, const struct app_parameter *from)
{
    static const char *const strays[] = {"scale", "low", "high", "step", NULL};
    const yaml_node_t *stray = find_any(r, node, strays);
    const char *values[CKG_MAX_CATEGORIES];

    if (stray)
        return app_node_complain(
            r, stray, "a categorical parameter takes `values: [a, b, …]`, not scale, low, high or step");
    if (!from->label.values)
        return app_node_complain(r, node, "a categorical parameter needs `values: [a, b, …]`");
    for (int i = 0; i < from->count; i++)
        values[i] = from->label.values[i].text;
    return app_reader_check(r, app_reader_find(r, node, "values"),
                            ckg_problem_add_categorical(r->out->problem, from->name, from->count, values));
}

/* A number of an integer's. */
static int check_integer(struct app_reader *r, const yaml_node_t *node, double value)
{
    const int whole = value == floor(value);

    return whole && fabs(value) <= largest_whole
               ? CKG_OK
               : app_node_expect(r, node, whole ? "an integer within ±2^53" : "an integer");
}

/* Where an end of the range is not given, that of the column in the list of designs. */
static int find_range(struct app_reader *r, const yaml_node_t *node, const struct app_parameter *from,
                      double ends[2])
{
    static const char *const names[] = {"low", "high"};
    const double given[] = {from->low, from->high};
    const int column = r->choice ? app_choice_find(r->choice, from->name) : -1;
    const int listed = column >= 0 && app_choice_range(r->choice, column, &ends[0], &ends[1]);

    for (int i = 0; i < 2; i++)
        if (isnan(given[i]) && !listed)
            return app_node_complain(r, node, "`%s` is missing", names[i]);
    for (int i = 0; i < 2; i++) {
        ends[i] = isnan(given[i]) ? ends[i] : given[i];
        if (!isnan(given[i]) && from->kind == CKG_INTEGER)
            check_integer(r, app_reader_find(r, node, names[i]), given[i]);
    }
    return r->status;
}

static int add_number(struct app_reader *r, const yaml_node_t *node, const struct app_parameter *from)
{
    ckg_problem *problem = r->out->problem;
    const yaml_node_t *low = app_reader_find(r, node, "low");
    double ends[2];

    if (from->label.values)
        return app_node_complain(r, app_reader_find(r, node, "values"),
                                 "only categorical parameters have `values`");
    if (find_range(r, node, from, ends))
        return r->status;
    int status = from->kind == CKG_INTEGER
                     ? ckg_problem_add_integer(problem, from->name, ends[0], ends[1])
                     : ckg_problem_add_real(problem, from->name, ends[0], ends[1], CKG_LINEAR);
    if (!status && from->scale == CKG_LOG)
        status = ckg_problem_set_scale(problem, from->name, CKG_LOG);
    if (!app_reader_check(r, low ? low : node, status) && !isnan(from->step))
        app_reader_check(r, app_reader_find(r, node, "step"),
                         ckg_problem_set_step(problem, from->name, from->step));
    return r->status;
}

/* The value that a new parameter had so far; it may lie outside the range that it has now. */
static int check_was(struct app_reader *r, const yaml_node_t *mapping, const struct app_parameter *p)
{
    const yaml_node_t *node = app_reader_find(r, mapping, "was");
    const int at = ckg_problem_parameter_find(r->out->problem, p->name);
    double value = 0;

    if (!node)
        return CKG_OK;
    if (p->kind == CKG_CATEGORICAL)
        return ckg_problem_category_find(r->out->problem, at, p->label.was.text) >= 0
                   ? CKG_OK
                   : app_node_complain(r, node, "'%s' is not one of the parameter's values",
                                       p->label.was.text);
    return app_node_number(r, node, -INFINITY, INFINITY, &value) || p->kind == CKG_REAL
               ? r->status
               : check_integer(r, node, value);
}

static int add_varied(struct app_reader *r, const yaml_node_t *node, struct app_parameter *from)
{
    struct app_label *label = &r->out->parameter[app_dimension(r->out)];
    const int column = r->choice ? app_choice_find(r->choice, from->name) : -1;

    /* What it is, to the library. */
    if (from->kind < 0)
        return app_node_complain(r, node,
                                 "`type` is missing: real, integer or categorical; or `value` to fix it");
    if (from->kind == CKG_CATEGORICAL && !from->label.values && column >= 0)
        app_choice_categorical(r, r->choice, column, &from->label.values);
    else if (from->kind == CKG_CATEGORICAL)
        add_categorical(r, node, from);
    else
        add_number(r, node, from);

    /* What only the program knows. */
    *label = from->label;
    return r->status ? r->status : check_was(r, node, from);
}

/* --- all of them --- */

/* A parameter that is passed on and not varied. */
static int add_fixed(struct app_reader *r, const yaml_node_t *node, const struct app_parameter *from)
{
    static const char *const others[] = {"type", "scale", "low", "high", "step", "values", "was", NULL};
    const yaml_node_t *other = find_any(r, node, others);

    if (other)
        return app_node_complain(r, other,
                                 "a parameter with a fixed `value` takes unit and description beside it, "
                                 "nothing else");
    r->out->fixed[r->out->fixed_count++] = (struct app_fixed){from->name, from->value, from->label};
    return CKG_OK;
}

static int add_parameter(struct app_reader *r, const yaml_node_t *key, const yaml_node_t *node, char **name)
{
    struct app_parameter from = {.kind = -1, .low = NAN, .high = NAN, .step = NAN};

    if (app_reader_line(r, key, "a name", APP_LONGEST_NAME, name) ||
        app_schema_read(r, node, &app_schema_parameter, &from))
        return r->status;
    from.name = *name;
    app_read_title(r, from.name, &from.label);
    return from.value.text ? add_fixed(r, node, &from) : add_varied(r, node, &from);
}

int app_read_parameters(struct app_reader *r, const yaml_node_t *node)
{
    static const struct app_key row = {.name = "parameters",
                                       .expected = "a mapping of parameters, `name: {type: …}`",
                                       .high = CKG_MAX_PARAMETERS,
                                       .each = add_parameter};

    if (node->type == YAML_MAPPING_NODE && !app_node_pairs(node))
        return app_node_complain(r, node, "there must be at least one parameter");
    if (!app_reader_variables(r, node->type == YAML_MAPPING_NODE ? app_node_pairs(node) : 0))
        app_schema_each(r, &row, node, NULL);
    return app_dimension(r->out)
               ? r->status
               : app_node_complain(r, node, "every parameter has a fixed `value`; at least one must vary");
}

/* --- written --- */

/* What varies, and what is fixed. */
void app_write_parameters(const struct app_definition *d, const char *name, struct app_text *out)
{
    app_json_open(out, name, '{');
    for (int i = 0; i < app_dimension(d); i++) {
        struct app_parameter p = app_parameter_at(d, i);

        if (p.kind == CKG_CATEGORICAL)
            p.low = p.high = NAN;
        if (p.kind == CKG_INTEGER && p.step == 1)
            p.step = NAN;
        app_schema_write(d, &app_schema_parameter, &p, p.name, out);
    }
    for (int i = 0; i < d->fixed_count; i++) {
        const struct app_fixed *f = &d->fixed[i];
        const struct app_parameter p = {
            .kind = -1, .low = NAN, .high = NAN, .value = f->value, .label = f->label};

        app_schema_write(d, &app_schema_parameter, &p, f->name, out);
    }
    app_json_close(out, '}');
}

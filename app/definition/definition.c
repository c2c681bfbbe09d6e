/* A definition as a whole: read from a problem file, written as JSON, freed. What is not in a table is
 * refused. */
#include "definition/definition.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "definition/design_list.h"
#include "definition/file_schema.h"
#include "definition/values.h"

enum { LARGEST_COUNT = 1000000000, MOST_INITIAL = 100000, LONGEST_NAME = 200, LONGEST_STORE = 2000 };

const char *const app_kind_names[] = {
    [CKG_REAL] = "real", [CKG_INTEGER] = "integer", [CKG_CATEGORICAL] = "categorical"};

const char *const app_goal_names[] = {[CKG_MINIMIZE] = "minimize", [CKG_MAXIMIZE] = "maximize", NULL};
static const char *const failure_names[] = {"model", "ignore", NULL};

static const struct app_label unlabelled;

static const struct app_label *label_of(const struct app_label *labels, int i)
{
    return labels && i >= 0 ? &labels[i] : &unlabelled;
}

const char *app_parameter_title(const struct app_definition *d, int i)
{
    const struct app_label *label = label_of(d->parameter, i);

    return label->title ? label->title : app_parameter_name(d, i);
}

const char *app_outcome_title(const struct app_definition *d, int j)
{
    const struct app_label *label = label_of(d->outcome, j);

    return label->title ? label->title : app_outcome_name(d, j);
}

enum app_type app_category_type(const struct app_definition *d, int parameter, int value)
{
    const struct app_label *label = label_of(d->parameter, parameter);

    return label->types ? (enum app_type)label->types[value] : APP_TEXT;
}

const struct app_fixed *app_fixed_find(const struct app_definition *d, const char *name)
{
    for (int i = 0; i < d->fixed_count; i++)
        if (!strcmp(d->fixed[i].name, name))
            return &d->fixed[i];
    return NULL;
}

int app_listed(const struct app_definition *d, const double *x)
{
    const int count = ckg_problem_designs(d->problem);

    for (int n = 0; n < count; n++) {
        const double *design = ckg_problem_design(d->problem, n);
        int k = 0;
        while (k < app_dimension(d) && design[k] == x[k])
            k++;
        if (k == app_dimension(d))
            return n;
    }
    return -1;
}

int app_carried_find(const struct app_definition *d, const char *name)
{
    for (int i = 0; i < d->carried_count; i++)
        if (!strcmp(d->carried[i].name, name))
            return i;
    return -1;
}

const char *app_carried_text(const struct app_definition *d, int column, const double *x)
{
    const int row = app_listed(d, x);

    return row < 0 ? NULL : d->carried[column].text[row];
}

struct app_parameter app_parameter_at(const struct app_definition *d, int i)
{
    struct app_parameter p = {
        .problem = d->problem,
        .index = i,
        .name = ckg_problem_parameter_name(d->problem, i),
        .kind = ckg_problem_parameter_kind(d->problem, i),
        .scale = ckg_problem_parameter_scale(d->problem, i),
        .step = ckg_problem_parameter_step(d->problem, i),
        .count = ckg_problem_categories(d->problem, i),
        .title = app_parameter_title(d, i),
        .label = label_of(d->parameter, i),
    };

    ckg_problem_parameter_range(d->problem, i, &p.low, &p.high);
    return p;
}

struct app_outcome app_outcome_at(const struct app_definition *d, int j)
{
    struct app_outcome o = {.name = app_outcome_name(d, j),
                            .positive = ckg_problem_positive(d->problem, j),
                            .yesno = ckg_problem_yesno(d->problem, j) == 1,
                            .cost = ckg_problem_separate(d->problem) == 1 ? ckg_problem_cost(d->problem, j)
                                                                          : NAN,
                            .group = ckg_problem_group(d->problem, j),
                            .title = app_outcome_title(d, j),
                            .label = label_of(d->outcome, j)};

    o.noise = ckg_problem_noise(d->problem, j, &o.sd);
    ckg_problem_limits(d->problem, j, &o.min, &o.max);
    ckg_problem_equality(d->problem, j, &o.equal, &o.tolerance);
    return o;
}

/* --- as JSON --- */

static void add_label(const struct app_label *label, struct app_text *out)
{
    if (label->unit)
        app_json_add_string(out, "unit", label->unit);
    if (label->description)
        app_json_add_string(out, "description", label->description);
}

static void add_categories(const struct app_definition *d, const struct app_parameter *p,
                           struct app_text *out)
{
    app_json_open(out, "values", '[');
    for (int i = 0; i < p->count; i++)
        app_typed_add(out, NULL, ckg_problem_category(d->problem, p->index, i),
                      app_category_type(d, p->index, i));
    app_json_close(out, ']');
}

/* What varies, and what is fixed. */
static void write_parameters(const struct app_definition *d, const char *name, struct app_text *out)
{
    app_json_open(out, name, '{');
    for (int i = 0; i < app_dimension(d); i++) {
        const struct app_parameter p = app_parameter_at(d, i);

        app_json_print(out, "%s:{type:%s", p.name, app_kind_names[p.kind]);
        if (p.kind == CKG_CATEGORICAL)
            add_categories(d, &p, out);
        else
            app_json_print(out, "low:%g high:%g", p.low, p.high);
        if (p.scale == CKG_LOG)
            app_json_print(out, "scale:%s", "log");
        if (p.step > 0 && (p.kind == CKG_REAL || p.step != 1))
            app_json_print(out, "step:%g", p.step);
        add_label(p.label, out);
        app_json_close(out, '}');
    }
    for (int i = 0; i < d->fixed_count; i++) {
        app_json_open(out, d->fixed[i].name, '{');
        app_typed_add(out, "value", d->fixed[i].text, d->fixed[i].type);
        add_label(&d->fixed[i].label, out);
        app_json_close(out, '}');
    }
    app_json_close(out, '}');
}

static void write_rules(const struct app_definition *d, const char *name, struct app_text *out)
{
    if (!ckg_problem_rules(d->problem))
        return;
    app_json_open(out, name, '[');
    for (int i = 0; i < ckg_problem_rules(d->problem); i++)
        app_json_add_string(out, NULL, ckg_problem_rule(d->problem, i));
    app_json_close(out, ']');
}

const char *app_noise_word(int noise)
{
    return noise == CKG_NOISE_NONE ? "none" : noise == CKG_NOISE_VARYING ? "varying" : "auto";
}

/* What is good, where it is a constraint, and how it is measured. */
static void add_outcome(const struct app_outcome *o, struct app_text *out)
{
    const int limits = !o->yesno && !(o->tolerance > 0);

    if (o->yesno)
        app_json_print(out, "type:%s", "yesno");
    if (o->tolerance > 0)
        app_json_print(out, "equal:%g tolerance:%g", o->equal, o->tolerance);
    if (limits && !isinf(o->min))
        app_json_print(out, "min:%g", o->min);
    if (limits && !isinf(o->max))
        app_json_print(out, "max:%g", o->max);

    if (o->noise == CKG_NOISE_KNOWN)
        app_json_print(out, "noise:%g", o->sd);
    else if (!o->yesno)
        app_json_print(out, "noise:%s", app_noise_word(o->noise));
    if (o->positive)
        app_json_print(out, "positive:%i", 1);
    if (!isnan(o->cost))
        app_json_print(out, "cost:%g", o->cost);
    add_label(o->label, out);
    app_json_close(out, '}');
}

static void write_objective(const struct app_definition *d, const char *name, struct app_text *out)
{
    const struct app_outcome o = app_outcome_at(d, 0);

    app_json_print(out, "%s:{name:%s", name, o.name);
    add_outcome(&o, out);
}

static void write_constraints(const struct app_definition *d, const char *name, struct app_text *out)
{
    app_json_open(out, name, '{');
    for (int j = 1; j <= app_constraints(d); j++) {
        const struct app_outcome o = app_outcome_at(d, j);

        app_json_open(out, o.name, '{');
        add_outcome(&o, out);
    }
    app_json_close(out, '}');
}

static void write_groups(const struct app_definition *d, const char *name, struct app_text *out)
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
static void write_designs(const struct app_definition *d, const char *name, struct app_text *out)
{
    add_designs(d, "choose_from", ckg_problem_designs(d->problem), ckg_problem_design(d->problem, 0), out);
    add_designs(d, name, d->own_count, d->own, out);
}

static void write_seed(const struct app_definition *d, const char *name, struct app_text *out)
{
    app_json_member(out, name);
    app_text_print(out, "%llu", (unsigned long long)d->seed);
}

static void write_policy(const struct app_definition *d, const char *name, struct app_text *out)
{
    app_json_print(out, "%s:{name:%s", name, d->policy);
    if (d->was_ckg)
        app_json_print(out, "was:%s", d->was_ckg == APP_WAS_CKG ? "ckg" : "ckg, said");
    for (int i = 0; i < d->settings_count; i++)
        app_json_add_number(out, d->settings[i].name, d->settings[i].value);
    app_json_close(out, '}');
}

static void write_evaluate(const struct app_definition *d, const char *name, struct app_text *out)
{
    if (!d->evaluate.count)
        return;
    app_json_open(out, name, '{');
    app_schema_write(d, &app_schema_evaluate, &d->evaluate, out);
    app_json_close(out, '}');
}

/* --- the file --- */

/* Digits alone: every one of the 64 bits counts, and strtod would round. */
static int read_seed(struct app_reader *r, const yaml_node_t *node)
{
    const char *digits = app_node_is_text(node) && node->data.scalar.style == YAML_PLAIN_SCALAR_STYLE
                             ? app_node_text(node)
                             : "";

    errno = 0;
    r->out->seed = strtoull(digits, NULL, 10);
    if (!*digits || strspn(digits, "0123456789") != strlen(digits) || errno)
        return app_node_expect(r, node, "an integer from 0 to 18446744073709551615");
    r->out->has_seed = 1;
    return CKG_OK;
}

static int read_initial(struct app_reader *r, const yaml_node_t *node)
{
    struct app_definition *out = r->out;
    const int status = app_node_whole(r, node, 0, MOST_INITIAL, &out->initial);

    if (!status && out->budget && out->initial > out->budget)
        app_reader_warn(r, node,
                        "`initial` is %d and the `budget` only %d, so no design will be chosen by the policy",
                        out->initial, out->budget);
    return status;
}

static int read_evaluate(struct app_reader *r, const yaml_node_t *node)
{
    return app_schema_read(r, node, &app_schema_evaluate, &r->out->evaluate);
}

static int read_store(struct app_reader *r, const yaml_node_t *node)
{
    return app_reader_line(r, node, "a store", LONGEST_STORE, &r->out->store);
}

/* What may be varied: parameters over their ranges, or a list of designs; read at the first of the two keys.
 */
static int read_variables(struct app_reader *r, const yaml_node_t *node)
{
    const yaml_node_t *parameters = app_reader_find(r, r->mapping, "parameters");
    const yaml_node_t *list = app_reader_find(r, r->mapping, "choose_from");
    struct app_choice choice = {0};

    if (parameters && node != parameters)
        return CKG_OK;
    int status = list ? app_choice_read(r, list, &choice) : CKG_OK;
    r->choice = list ? &choice : NULL;
    if (!status)
        status = parameters ? app_read_parameters(r, parameters) : app_choice_parameters(r, list, &choice);
    if (!status && list)
        status = app_choice_apply(r, list, &choice);
    app_pool_free(&choice.pool);
    r->choice = NULL;
    return status;
}

static const struct app_key file_keys[] = {
    {"name", "a text", "needed", "the study's name in its store", .kind = APP_KEY_LINE,
     .at = offsetof(struct app_definition, name), .high = LONGEST_NAME, .what = "a name"},
    {"goal", "`minimize`, `maximize`", "needed", "what is wanted of the objective", .kind = APP_KEY_WORD,
     .at = offsetof(struct app_definition, goal), .words = app_goal_names,
     .expected = "minimize or maximize"},
    {"budget", "an integer", "needed",
     "evaluations in all, the initial design included; what they may cost in all where outcomes have a "
     "`cost`",
     .kind = APP_KEY_WHOLE, .at = offsetof(struct app_definition, budget), .low = 1, .high = LARGEST_COUNT},
    {"initial", "an integer", "max(10, 2(d+1))",
     "designs that fill the space before the policy takes over; d is the number of parameters",
     .kind = APP_KEY_WHOLE, .at = offsetof(struct app_definition, initial), .always = 1,
     .read = read_initial},
    {"stop", "`{gain: 1%}`", "the whole budget is spent",
     "ends a run once the rest of the budget is expected to gain too little", .kind = APP_KEY_MAPPING,
     .at = offsetof(struct app_definition, stop), .schema = &app_schema_stop,
     .used = offsetof(struct app_definition, stop.used)},
    {"policy", "a name, or `{name: auto, candidates: 200}`", "`auto`",
     "how designs are chosen, with settings of its own; `ckg policies` lists them", .read = app_read_policy,
     .write = write_policy},
    {"seed", "an integer", "drawn and recorded", "same seed, same designs", .read = read_seed,
     .write = write_seed},
    {"failures", "`model`, `ignore`", "`model`",
     "learn where evaluations fail and keep away, or take no notice", .kind = APP_KEY_LINE,
     .at = offsetof(struct app_definition, failures), .words = failure_names, .expected = "model or ignore"},
    {"model", "a mapping", "the library's", "how outcomes are modelled", .read = app_read_model,
     .write = app_model_write},
    {"parameters", "`{NAME: {…}, …}`", "needed, or the columns of `choose_from`", "what may be varied",
     .read = read_variables, .write = write_parameters},
    {"choose_from", "a CSV file, or `[{NAME: value, …}, …]`", "all designs within the ranges",
     "a finite list of designs: `parameters` may be left out then, or say less; columns that are no "
     "parameters "
     "are passed on",
     .read = read_variables},
    {"rules", "`[\"pitch >= 1.2 * od\", …]`", "none",
     "what is known of the parameters before any evaluation; no design that is chosen breaks one",
     .read = app_read_rules, .write = write_rules},
    {"objective", "a mapping", "needed", "the outcome to make as small or as large as possible",
     .read = app_read_objective, .write = write_objective},
    {"constraints", "`{NAME: {…}, …}`", "none", "outcomes that must keep within limits",
     .read = app_read_constraints, .write = write_constraints},
    {"groups", "`[[weight, height], …]`", "each outcome by itself",
     "outcomes that are always measured together, where outcomes can be measured one at a time",
     .read = app_read_groups, .write = write_groups},
    {"designs", "`[{NAME: value, …}, …]`", "none",
     "designs of your own, evaluated first and in this order; they count towards `budget` and `initial`",
     .read = app_read_designs, .write = write_designs},
    {"evaluate", "a mapping", "people or other programs evaluate",
     "the command that evaluates a design; without it use `ckg ask` and `ckg tell`", .read = read_evaluate,
     .write = write_evaluate},
    {"store", "a path, or `postgresql://HOST/DATABASE`", "the file's own path with the ending `.db`",
     "where the study is kept, unless `--store` says otherwise; a path begins at the file's folder",
     .read = read_store},
};

static int check_file(struct app_reader *r, const yaml_node_t *file)
{
    const struct {
        const char *key, *instead, *what;
    } needed[] = {{"name", NULL, "`name: …`"},
                  {"goal", NULL, "`goal: minimize` or `goal: maximize`"},
                  {r->is_file ? "budget" : "name", NULL, "`budget: …`, the number of evaluations,"},
                  {"parameters", "choose_from", "`parameters: {…}`"},
                  {"objective", NULL, "`objective: {name: …}`"}};

    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        if (!app_reader_find(r, file, needed[i].key) &&
            (!needed[i].instead || !app_reader_find(r, file, needed[i].instead)))
            return app_node_complain(r, file, "%s is missing", needed[i].what);
    return CKG_OK;
}

const struct app_schema app_schema_file = {"a problem file", "The file", "", APP_KEYS(file_keys), check_file};

void app_definition_write(const struct app_definition *d, uint64_t seed, struct app_text *out)
{
    struct app_definition seeded = *d;

    seeded.seed = seed;
    app_json_open(out, NULL, '{');
    app_schema_write(&seeded, &app_schema_file, &seeded, out);
    app_json_close(out, '}');
}

/* The keys, and what only all of them together say. */
static int read_file(struct app_reader *r, const yaml_node_t *root)
{
    int status = app_reader_keep(r, "auto", &r->out->policy);

    if (!status)
        status = app_reader_keep(r, "model", &r->out->failures);
    if (!status)
        status = app_schema_read(r, root, &app_schema_file, r->out);
    if (!status)
        status = app_check_costs(r, root);
    return !status && ckg_problem_rules(r->out->problem)
               ? app_check_rules(r, app_reader_find(r, root, "rules"))
               : status;
}

static int parse(struct app_definition *out, const char *text, size_t length, const char *path, int is_file,
                 struct app_message *message)
{
    struct app_reader r = {.path = path, .message = message, .out = out, .is_file = is_file};

    const yaml_node_t *root;
    *out = (struct app_definition){
        .initial = -1, .stop.patience = APP_PATIENCE, .evaluate = {.parallel = 1, .pause_after = -1}};
    int status = app_node_open(&r, text, length, &root);
    if (status)
        return status;
    status = ckg_problem_new(&out->problem) ? app_node_no_memory(&r) : read_file(&r, root);
    yaml_document_delete(&r.yaml);
    if (!status && r.warnings.length)
        status = app_reader_keep(&r, r.warnings.data, &out->warnings);
    app_text_free(&r.warnings);
    if (status)
        app_definition_free(out);
    return status;
}

int app_definition_parse(struct app_definition *out, const char *text, size_t length, const char *path,
                         struct app_message *message)
{
    return parse(out, text, length, path, 0, message);
}

int app_definition_read(struct app_definition *out, const char *path, struct app_message *message)
{
    char *text;
    size_t length;
    *out = (struct app_definition){0};
    int status = app_read_file(path, &text, &length, message);
    if (!status)
        status = parse(out, text, length, path, 1, message);
    free(text);
    return status;
}

/* --- freed --- */

void app_definition_free(struct app_definition *d)
{
    ckg_problem_free(d->problem);
    app_pool_free(&d->pool);
    *d = (struct app_definition){0};
}

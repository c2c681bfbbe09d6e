/* The tables of a problem file as a whole and of `stop`, and what they cannot say. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "definition/design_list.h"
#include "definition/file_schema.h"

enum { LARGEST_COUNT = 1000000000, MOST_INITIAL = 100000, LONGEST_NAME = 200, LONGEST_STORE = 2000 };
enum { MOST_PATIENCE = 1000 };

static const double largest_gain = 1e150;
static const double most_percent = 100;

static const char *const goal_names[] = {[CKG_MINIMIZE] = "minimize", [CKG_MAXIMIZE] = "maximize", NULL};
static const char *const failure_names[] = {"model", "ignore", NULL};

/* --- when to stop --- */

/* A number above 0, or one followed by %. */
static int read_gain(struct app_reader *r, const yaml_node_t *node)
{
    struct app_stop_rule *out = &r->out->stop;
    static const char expected[] = "a gain above 0, such as 0.1 in the objective's units or 1%";
    const char *text = app_node_is_text(node) ? app_node_text(node) : "";
    const size_t length = strlen(text);
    char digits[64];

    /* What stands before the percent sign, in quotes or without; or a bare number. */
    out->percent = length > 1 && length < sizeof digits && text[length - 1] == '%';
    snprintf(digits, sizeof digits, "%.*s", out->percent ? (int)length - 1 : 0, text);
    const int found = out->percent ? app_is_decimal(digits, &out->gain)
                                   : app_node_is_number(node, 0, largest_gain, &out->gain);
    return found && out->gain > 0 && (!out->percent || out->gain <= most_percent)
               ? CKG_OK
               : app_node_expect(r, node, expected);
}

static void write_gain(const struct app_definition *d, const char *name, struct app_text *out)
{
    char number[32];

    if (d->stop.percent) {
        app_json_member(out, name);
        app_text_print(out, "\"%s%%\"", app_number(d->stop.gain, number));
    } else
        app_json_add_number(out, name, d->stop.gain);
}

static const struct app_key stop_keys[] = {
    {"gain", "a number, or a share such as `1%`", "needed",
     "the run ends when the rest of the budget is expected to gain less: in the objective's units, or as a "
     "share of the objective of what is recommended",
     .read = read_gain, .write = write_gain, .missing = "`stop` needs a `gain`"},
    {"patience", "an integer", "5", "after so many evaluations in a row of which that was said",
     .kind = APP_KEY_WHOLE, .at = offsetof(struct app_stop_rule, patience), .low = 1, .high = MOST_PATIENCE},
};

const struct app_schema app_schema_stop = {"`stop`", "When to stop", "stop: {…}", APP_KEYS(stop_keys)};

/* --- rules --- */

/* What the library refused, where in the rule it is. */
static int refuse_rule(struct app_reader *r, const yaml_node_t *list, const yaml_node_t *item, int at)
{
    const int cut = list->data.sequence.style == YAML_FLOW_SEQUENCE_STYLE &&
                    item->data.scalar.style == YAML_PLAIN_SCALAR_STYLE && !app_node_text(item)[at];

    struct app_message what;

    app_fail(&what, 0, "%s%s", ckg_error_message(),
             cut ? "; in a [ ] list a rule with a comma needs quotes" : "");
    return app_node_complain_inside(r, item, at, what.text);
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
        if (d->fixed[i].value.type == APP_NUMBER)
            status = ckg_problem_add_constant(d->problem, d->fixed[i].name,
                                              strtod(d->fixed[i].value.text, NULL));
    return app_reader_check(r, node, status);
}

static int read_rules(struct app_reader *r, const yaml_node_t *node)
{
    if (node->type != YAML_SEQUENCE_NODE)
        return app_node_expect(r, node, "a list of rules [\"pitch >= 1.2 * od\", …]");
    const int count = app_node_items(node);
    if (count > CKG_MAX_RULES)
        return app_node_complain(r, app_reader_item(r, node, CKG_MAX_RULES),
                                 "there may be at most %d rules, not %d", CKG_MAX_RULES, count);
    add_constants(r, node);
    for (int i = 0; app_reader_has_item(r, node, i); i++)
        read_rule(r, node, app_reader_item(r, node, i));
    return r->status;
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

int app_check_rules(struct app_reader *r, const yaml_node_t *node)
{
    double x[CKG_MAX_PARAMETERS];

    return app_reader_check(r, node, ckg_problem_find_allowed(r->out->problem, x));
}

/* --- the rest --- */

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

static void write_seed(const struct app_definition *d, const char *name, struct app_text *out)
{
    app_json_member(out, name);
    app_text_print(out, "%llu", (unsigned long long)d->seed);
}

static int check_initial(struct app_reader *r, const yaml_node_t *node)
{
    const struct app_definition *out = r->out;

    if (out->budget && out->initial > out->budget)
        app_reader_warn(r, node,
                        "`initial` is %d and the `budget` only %d, so no design will be chosen by the policy",
                        out->initial, out->budget);
    return CKG_OK;
}

/* What may be varied: parameters over their ranges, or a list of designs; read at the first of the keys. */
static int read_variables(struct app_reader *r, const yaml_node_t *node)
{
    const yaml_node_t *parameters = app_reader_find(r, r->mapping, "parameters");
    const yaml_node_t *list = app_reader_find(r, r->mapping, "choose_from");
    struct app_choice choice = {0};

    if (parameters && node != parameters)
        return CKG_OK;
    if (list)
        app_choice_read(r, list, &choice);
    r->choice = list ? &choice : NULL;
    if (!r->status && parameters)
        app_read_parameters(r, parameters);
    else if (!r->status)
        app_choice_parameters(r, list, &choice);
    if (!r->status && list)
        app_choice_apply(r, list, &choice);
    app_pool_free(&choice.pool);
    r->choice = NULL;
    return r->status;
}

#define AT(member) .at = offsetof(struct app_definition, member)
#define AT_USED(member) .used = offsetof(struct app_definition, member.used)

static const struct app_key file_keys[] = {
    {"name", "a text", "needed", "the study's name in its store", .kind = APP_KEY_LINE, AT(name),
     .high = LONGEST_NAME, .what = "a name", .missing = "`name: …` is missing"},
    {"goal", "`minimize`, `maximize`", "needed", "what is wanted of the objective", .kind = APP_KEY_WORD,
     AT(goal), .words = goal_names, .expected = "minimize or maximize", .always = 1, .changed = "goal",
     .missing = "`goal: minimize` or `goal: maximize` is missing"},
    {"budget", "an integer", "needed",
     "evaluations in all, the initial design included; what they may cost in all where outcomes have a "
     "`cost`",
     .kind = APP_KEY_WHOLE, AT(budget), .low = 1, .high = LARGEST_COUNT,
     .missing = "`budget: …`, the number of evaluations, is missing", .of_files = 1},
    {"initial", "an integer", "max(10, 2(d+1))",
     "designs that fill the space before the policy takes over; d is the number of parameters",
     .kind = APP_KEY_WHOLE, AT(initial), .high = MOST_INITIAL, .always = 1, .check = check_initial},
    {"stop", "`{gain: 1%}`", "the whole budget is spent",
     "ends a run once the rest of the budget is expected to gain too little", .kind = APP_KEY_MAPPING,
     AT(stop), .schema = &app_schema_stop, AT_USED(stop)},
    {"policy", "a name, or `{name: auto, candidates: 200}`", "`auto`",
     "how designs are chosen, with settings of its own; `ckg policies` lists them", .read = app_read_policy,
     .write = app_write_policy},
    {"seed", "an integer", "drawn and recorded", "same seed, same designs", .read = read_seed,
     .write = write_seed},
    {"failures", "`model`, `ignore`", "`model`",
     "learn where evaluations fail and keep away, or take no notice", .kind = APP_KEY_LINE, AT(failures),
     .words = failure_names, .expected = "model or ignore"},
    {"model", "a mapping", "the library's", "how outcomes are modelled", .read = app_read_model,
     .write = app_write_model},
    {"parameters", "`{NAME: {…}, …}`", "needed, or the columns of `choose_from`", "what may be varied",
     .read = read_variables, .write = app_write_parameters, .missing = "`parameters: {…}` is missing",
     .instead = "choose_from"},
    {"choose_from", "a CSV file, or `[{NAME: value, …}, …]`", "all designs within the ranges",
     "a finite list of designs: `parameters` may be left out then, or say less; columns that are no "
     "parameters "
     "are passed on",
     .read = read_variables},
    {"rules", "`[\"pitch >= 1.2 * od\", …]`", "none",
     "what is known of the parameters before any evaluation; no design that is chosen breaks one",
     .read = read_rules, .write = write_rules},
    {"objective", "a mapping", "needed", "the outcome to make as small or as large as possible",
     .read = app_read_objective, .write = app_write_objective,
     .missing = "`objective: {name: …}` is missing"},
    {"constraints", "`{NAME: {…}, …}`", "none", "outcomes that must keep within limits",
     .kind = APP_KEY_NAMED, .high = CKG_MAX_CONSTRAINTS, .each = app_read_constraint,
     .expected = "a mapping of constraints, `name: {min: …, max: …}`", .write = app_write_constraints},
    {"groups", "`[[weight, height], …]`", "each outcome by itself",
     "outcomes that are always measured together, where outcomes can be measured one at a time",
     .read = app_read_groups, .write = app_write_groups},
    {"designs", "`[{NAME: value, …}, …]`", "none",
     "designs of your own, evaluated first and in this order; they count towards `budget` and `initial`",
     .read = app_read_designs, .write = app_write_designs},
    {"evaluate", "a mapping", "people or other programs evaluate",
     "the command that evaluates a design; without it use `ckg ask` and `ckg tell`", .kind = APP_KEY_MAPPING,
     AT(evaluate), .schema = &app_schema_evaluate, AT_USED(evaluate)},
    {"store", "a path, or `postgresql://HOST/DATABASE`", "the file's own path with the ending `.db`",
     "where the study is kept, unless `--store` says otherwise; a path begins at the file's folder",
     .kind = APP_KEY_LINE, AT(store), .high = LONGEST_STORE, .what = "a store", .add = app_key_unwritten},
};

const struct app_schema app_schema_file = {"a problem file", "The file", "", APP_KEYS(file_keys)};

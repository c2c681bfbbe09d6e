/*
 * From a problem file to a definition. The file's shape is one table per mapping: what is not in the table is
 * refused, and a complaint points at the node it is about.
 */
#include "definition/definition.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "definition/design_list.h"

enum { LARGEST_COUNT = 1000000000, MOST_INITIAL = 100000, LONGEST_STORE = 2000 };

static int read_name(struct app_reader *r, const yaml_node_t *node)
{
    const char *name;
    const int status = app_node_name(&r->document, node, &name);

    return status ? status : app_reader_keep(r, name, &r->out->name);
}

static int read_goal(struct app_reader *r, const yaml_node_t *node)
{
    if (!app_node_is_word(node, "minimize") && !app_node_is_word(node, "maximize"))
        return app_node_expect(&r->document, node, "minimize or maximize");
    r->goal = app_node_is_word(node, "maximize") ? CKG_MAXIMIZE : CKG_MINIMIZE;
    return CKG_OK;
}

/* Digits alone: every one of the 64 bits counts, and strtod would round. */
static int read_seed(struct app_reader *r, const yaml_node_t *node)
{
    const char *digits = app_node_is_text(node) && node->data.scalar.style == YAML_PLAIN_SCALAR_STYLE
                             ? app_node_text(node)
                             : "";

    errno = 0;
    r->out->seed = strtoull(digits, NULL, 10);
    if (!*digits || strspn(digits, "0123456789") != strlen(digits) || errno)
        return app_node_expect(&r->document, node, "an integer from 0 to 18446744073709551615");
    r->out->has_seed = 1;
    return CKG_OK;
}

static int read_failures(struct app_reader *r, const yaml_node_t *node)
{
    if (node && !app_node_is_word(node, "model") && !app_node_is_word(node, "ignore"))
        return app_node_expect(&r->document, node, "model or ignore");
    return app_reader_keep(r, node ? app_node_text(node) : "model", &r->out->failures);
}

/* The file's keys in the order they are needed, whatever their order in the file. */
struct top {
    const yaml_node_t *name, *goal, *budget, *initial, *stop, *policy, *seed, *failures, *model, *parameters,
        *rules, *objective, *constraints, *groups, *designs, *choose_from, *evaluate, *store;
};

static const struct app_node_key top_keys[] = {
    {"name", offsetof(struct top, name)},
    {"goal", offsetof(struct top, goal)},
    {"budget", offsetof(struct top, budget)},
    {"initial", offsetof(struct top, initial)},
    {"stop", offsetof(struct top, stop)},
    {"policy", offsetof(struct top, policy)},
    {"seed", offsetof(struct top, seed)},
    {"failures", offsetof(struct top, failures)},
    {"model", offsetof(struct top, model)},
    {"parameters", offsetof(struct top, parameters)},
    {"rules", offsetof(struct top, rules)},
    {"objective", offsetof(struct top, objective)},
    {"constraints", offsetof(struct top, constraints)},
    {"groups", offsetof(struct top, groups)},
    {"designs", offsetof(struct top, designs)},
    {"choose_from", offsetof(struct top, choose_from)},
    {"evaluate", offsetof(struct top, evaluate)},
    {"store", offsetof(struct top, store)},
};

static int check_missing(struct app_reader *r, const yaml_node_t *root, const struct top *top)
{
    const char *what = !top->name                              ? "`name: …`"
                       : !top->goal                            ? "`goal: minimize` or `goal: maximize`"
                       : !top->budget && r->is_file            ? "`budget: …`, the number of evaluations,"
                       : !top->parameters && !top->choose_from ? "`parameters: {…}`"
                       : !top->objective                       ? "`objective: {name: …}`"
                                                               : NULL;
    return what ? app_node_complain(&r->document, root, "%s is missing", what) : CKG_OK;
}

/* What may be varied: parameters over their ranges, or a list of designs. */
static int read_variables(struct app_reader *r, const struct top *top)
{
    struct app_choice choice = {0};
    int status = top->choose_from ? app_choice_read(r, top->choose_from, &choice) : CKG_OK;

    r->choice = top->choose_from ? &choice : NULL;
    if (!status)
        status = top->parameters ? app_read_parameters(r, top->parameters)
                                 : app_choice_parameters(r, top->choose_from, &choice);
    if (!status && top->choose_from)
        status = app_choice_apply(r, top->choose_from, &choice);
    app_pool_free(&choice.pool);
    r->choice = NULL;
    return status;
}

static int read_top(struct app_reader *r, const yaml_node_t *root)
{
    struct app_definition *out = r->out;
    struct top top = {0};
    int status = app_node_mapping(&r->document, root, "a problem file", APP_KEYS(top_keys), &top);

    /* What every file must have. */
    if (!status)
        status = check_missing(r, root, &top);

    /* What the study is and how long it runs. */
    if (!status)
        status = read_name(r, top.name);
    if (!status)
        status = read_goal(r, top.goal);
    if (!status && top.budget)
        status = app_node_whole(&r->document, top.budget, 1, LARGEST_COUNT, &out->budget);
    if (!status && top.initial)
        status = app_node_whole(&r->document, top.initial, 0, MOST_INITIAL, &out->initial);
    if (!status && out->budget && out->initial > out->budget)
        app_reader_warn(r, top.initial,
                        "`initial` is %d and the `budget` only %d, so no design will be chosen by the policy",
                        out->initial, out->budget);
    if (!status && top.stop)
        status = app_read_stop(r, top.stop);

    /* How designs are chosen, and what becomes of those that fail. */
    if (!status)
        status = top.policy ? app_read_policy(r, top.policy) : app_reader_keep(r, "auto", &out->policy);
    if (!status && top.seed)
        status = read_seed(r, top.seed);
    if (!status)
        status = read_failures(r, top.failures);
    if (!status && top.model)
        status = app_read_model(r, top.model);

    /* The problem itself. */
    if (!status)
        status = read_variables(r, &top);
    if (!status && top.rules)
        status = app_read_rules(r, top.rules);
    if (!status)
        status = app_read_objective(r, top.objective);
    if (!status && top.constraints)
        status = app_read_constraints(r, top.constraints);
    if (!status && top.groups)
        status = app_read_groups(r, top.groups);
    if (!status)
        status = app_check_costs(r, root);
    if (!status && top.rules)
        status = app_check_rules(r, top.rules);
    if (!status && top.designs)
        status = app_read_designs(r, top.designs);

    /* How a design is evaluated. */
    if (!status && top.evaluate)
        status = app_read_evaluate(r, top.evaluate);
    if (!status && top.store)
        status = app_reader_line(r, top.store, "a store", LONGEST_STORE, &out->store);
    return status;
}

static int parse(struct app_definition *out, const char *text, size_t length, const char *path, int is_file,
                 struct app_message *message)
{
    struct app_reader r = {.out = out, .is_file = is_file};

    const yaml_node_t *root;
    *out = (struct app_definition){.initial = -1, .evaluate = {.parallel = 1, .pause_after = -1}};
    int status = app_document_open(&r.document, text, length, path, message, &root);
    if (status)
        return status;
    status = ckg_problem_new(&out->problem) ? app_reader_no_memory(&r) : read_top(&r, root);
    app_document_close(&r.document);
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

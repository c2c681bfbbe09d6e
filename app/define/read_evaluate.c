/*
 * How a design is evaluated: the command of a problem file.
 */
#include "define/reader.h"

#include <math.h>
#include <stdlib.h>

static const double longest_time = 1e9; /* seconds */

enum { MOST_PARALLEL = 1000, MOST_RETRIES = 1000 };

struct evaluate {
    const yaml_node_t *command, *timeout, *parallel, *retries;
};

static const struct app_node_key evaluate_keys[] = {
    {"command", offsetof(struct evaluate, command)},
    {"timeout", offsetof(struct evaluate, timeout)},
    {"parallel", offsetof(struct evaluate, parallel)},
    {"retries", offsetof(struct evaluate, retries)},
};

static int read_command(struct app_reader *r, const yaml_node_t *node, struct app_evaluate *e)
{
    if (node->type != YAML_SEQUENCE_NODE)
        return app_node_expect(&r->document, node, "a command as a list of words [program, argument, …]");
    const int count = app_node_items(node);
    if (!count)
        return app_node_complain(&r->document, node, "the command is empty; expected [program, argument, …]");
    e->command = calloc((size_t)count + 1, sizeof *e->command);
    if (!e->command)
        return app_reader_no_memory(r);
    for (; e->count < count; e->count++) {
        const yaml_node_t *item = app_reader_item(r, node, e->count);
        if (!app_node_is_text(item) || app_node_is_nothing(item))
            return app_node_expect(&r->document, item, "a word of the command");
        if (!e->count && !*app_node_text(item))
            return app_node_complain(&r->document, item, "the program's name must not be empty");
        e->command[e->count] = app_copy(app_node_text(item));
        if (!e->command[e->count])
            return app_reader_no_memory(r);
    }
    return CKG_OK;
}

static int read_seconds(struct app_reader *r, const yaml_node_t *node, double *out)
{
    const int status = app_node_number(&r->document, node, -INFINITY, INFINITY, out);
    if (status || (*out > 0 && *out <= longest_time))
        return status;
    return app_node_expect(&r->document, node, "a number of seconds above 0 and at most 1e9");
}

int app_read_evaluate(struct app_reader *r, const yaml_node_t *node)
{
    struct app_evaluate *out = &r->out->evaluate;
    struct evaluate from = {0};
    int status = app_node_mapping(&r->document, node, "`evaluate`", APP_KEYS(evaluate_keys), &from);

    if (!status)
        status = from.command ? read_command(r, from.command, out)
                              : app_node_complain(&r->document, node, "`evaluate` needs a `command`");
    if (!status && from.timeout)
        status = read_seconds(r, from.timeout, &out->timeout);
    if (!status && from.parallel)
        status = app_node_whole(&r->document, from.parallel, 1, MOST_PARALLEL, &out->parallel);
    if (!status && from.retries)
        status = app_node_whole(&r->document, from.retries, 0, MOST_RETRIES, &out->retries);
    return status;
}

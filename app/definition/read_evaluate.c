/*
 * How a design is evaluated: the command of a problem file.
 */
#include "definition/reader.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/meant.h"
#include "definition/substitute.h"

/* Seconds: the most that a time-out may be; what is probably a slip of the unit. */
static const double longest_time = 1e9;
static const double too_short = 0.01;
static const double too_long = 1e7;

enum { MOST_PARALLEL = 1000, MOST_RETRIES = 1000, MOST_FAILURES = 1000, MOST_AHEAD = 1000 };

struct evaluate {
    const yaml_node_t *command, *commands, *timeout, *parallel, *retries, *pause_after, *ahead, *needs,
        *slurm, *work, *results, *environment, *before;
};

static const struct app_node_key evaluate_keys[] = {
    {"command", offsetof(struct evaluate, command)}, {"commands", offsetof(struct evaluate, commands)},
    {"timeout", offsetof(struct evaluate, timeout)}, {"parallel", offsetof(struct evaluate, parallel)},
    {"retries", offsetof(struct evaluate, retries)}, {"pause_after", offsetof(struct evaluate, pause_after)},
    {"ahead", offsetof(struct evaluate, ahead)},     {"needs", offsetof(struct evaluate, needs)},
    {"slurm", offsetof(struct evaluate, slurm)},     {"work", offsetof(struct evaluate, work)},
    {"results", offsetof(struct evaluate, results)}, {"environment", offsetof(struct evaluate, environment)},
    {"before", offsetof(struct evaluate, before)},
};

/* The names of all parameters. */
static int list_parameters(const struct app_definition *d, const char *names[CKG_MAX_PARAMETERS])
{
    const int count = app_dimension(d);

    for (int i = 0; i < count; i++)
        names[i] = app_parameter_name(d, i);
    return count;
}

/* {radios} in a word, where there is a {radius}; a name like no parameter's may belong to a script. */
static int check_placeholders(struct app_reader *r, const yaml_node_t *node)
{
    enum { SHORTEST = 3, LONGEST = 200 };
    const char *names[CKG_MAX_PARAMETERS];
    const char *word = app_node_text(node);
    const char *stray;
    char name[LONGEST + 1];
    const int count = list_parameters(r->out, names);
    const size_t length = app_substitute_stray(r->out, word, &stray);

    if (!length || length > LONGEST)
        return CKG_OK;
    snprintf(name, sizeof name, "%.*s", (int)length, stray);

    /* Like a parameter's. */
    const char *meant = length >= SHORTEST ? app_meant(name, count, names) : NULL;
    if (meant)
        return app_node_complain(
            &r->document, node,
            "there is no parameter '%s'; did you mean {%s}? For the text {%s} itself, write {{%s}}", name,
            meant, name, name);

    /* Like none, but alone in its word or behind an equals sign: no script. */
    if ((stray == word + 1 || stray[-2] == '=') && !stray[length + 1])
        app_reader_warn(r, node,
                        "there is no parameter '%s', so {%s} stays as it is; {{%s}} says that this is meant",
                        name, name, name);
    return CKG_OK;
}

/* One word of the command, and where it stands. */
static int read_word(struct app_reader *r, const yaml_node_t *node, struct app_evaluate *e)
{
    if (!app_node_is_text(node) || app_node_is_nothing(node))
        return app_node_expect(&r->document, node, "a word of the command");
    if (!e->count && !*app_node_text(node))
        return app_node_complain(&r->document, node, "the program's name must not be empty");

    const int status = check_placeholders(r, node);
    if (status)
        return status;

    e->at[e->count][0] = (int)node->start_mark.line + 1;
    e->at[e->count][1] = (int)node->start_mark.column + 1;
    return app_reader_keep(r, app_node_text(node), &e->command[e->count]);
}

static int read_command(struct app_reader *r, const yaml_node_t *node, struct app_evaluate *e)
{
    if (node->type != YAML_SEQUENCE_NODE)
        return app_node_expect(&r->document, node, "a command as a list of words [program, argument, …]");
    const int count = app_node_items(node);
    if (!count)
        return app_node_complain(&r->document, node, "the command is empty; expected [program, argument, …]");
    e->command = app_pool_new(&r->out->pool, (size_t)count + 1, sizeof *e->command);
    e->at = app_pool_new(&r->out->pool, (size_t)count, sizeof *e->at);
    if (!e->command || !e->at)
        return app_reader_no_memory(r);

    int status = CKG_OK;
    for (; !status && e->count < count; e->count += !status)
        status = read_word(r, app_reader_item(r, node, e->count), e);
    return status;
}

/* --- a command for each outcome or group --- */

/* 1 when both are measured by the same command. */
static int come_together(const ckg_problem *problem, int j, int other)
{
    return j == other || (ckg_problem_group(problem, j) >= 0 &&
                          ckg_problem_group(problem, j) == ckg_problem_group(problem, other));
}

/* The command under the name of an outcome. */
static int add_part(struct app_reader *r, const yaml_node_t *key, const yaml_node_t *value)
{
    struct app_evaluate *e = &r->out->evaluate;
    const ckg_problem *problem = r->out->problem;
    const int j = ckg_problem_outcome_find(problem, app_node_text(key));
    struct app_evaluate one = {0};

    /* Whose it is. */
    if (j < 0)
        return app_node_complain(&r->document, key, "there is no outcome '%s'", app_node_text(key));
    for (int i = 0; i < e->part_count; i++)
        if (come_together(problem, j, e->parts[i].outcome))
            return app_node_complain(
                &r->document, key, "'%s' comes together with '%s', which has a command already",
                app_node_text(key), ckg_problem_outcome_name(problem, e->parts[i].outcome));

    /* Its words. */
    const int status = read_command(r, value, &one);
    e->parts[e->part_count++] = (struct app_part){j, one.count, one.command, one.at};
    return status;
}

/* Every outcome has one. */
static int check_parts(struct app_reader *r, const yaml_node_t *node)
{
    const struct app_evaluate *e = &r->out->evaluate;
    const ckg_problem *problem = r->out->problem;

    for (int j = 0; j <= ckg_problem_constraints(problem); j++) {
        int found = 0;
        for (int i = 0; i < e->part_count; i++)
            found |= come_together(problem, j, e->parts[i].outcome);
        if (!found)
            return app_node_complain(&r->document, node, "no command measures '%s'",
                                     ckg_problem_outcome_name(problem, j));
    }
    return CKG_OK;
}

/* What goes with one command alone. */
static int check_alone(struct app_reader *r, const struct evaluate *from)
{
    if (from->command)
        return app_node_complain(&r->document, from->commands,
                                 "`command` evaluates everything, `commands` an outcome or a group each: "
                                 "give one of them");
    if (ckg_problem_separate(r->out->problem) != 1)
        return app_node_complain(&r->document, from->commands,
                                 "`commands` are for outcomes that are measured one at a time: give each "
                                 "outcome its `cost`, or use one `command`");
    if (from->results)
        return app_node_complain(&r->document, from->results,
                                 "`results` goes with one `command`; each of the `commands` answers on "
                                 "standard output");
    return CKG_OK;
}

/* `commands`: the first of them stands for all where one command is looked at. */
static int read_commands(struct app_reader *r, const struct evaluate *from)
{
    struct app_evaluate *e = &r->out->evaluate;
    int status = check_alone(r, from);

    if (!status && from->commands->type != YAML_MAPPING_NODE)
        status = app_node_expect(&r->document, from->commands, "a mapping such as {weight: [program, …]}");
    if (!status) {
        const size_t most = (size_t)app_node_pairs(from->commands);
        e->parts = app_pool_new(&r->out->pool, most, sizeof *e->parts);
        status = e->parts ? app_reader_each(r, from->commands, add_part) : app_reader_no_memory(r);
    }
    if (!status)
        status = check_parts(r, from->commands);
    return status ? status : read_command(r, app_reader_value(r, from->commands, 0), e);
}

static int read_seconds(struct app_reader *r, const yaml_node_t *node, double *out)
{
    const int status = app_node_number(&r->document, node, -INFINITY, INFINITY, out);
    if (status)
        return status;
    if (*out > 0 && (*out < too_short || *out > too_long))
        app_reader_warn(r, node, "`timeout` is in seconds: %g s is %s", *out,
                        *out < too_short ? "too short to start a program" : "more than a hundred days");
    if (*out > 0 && *out <= longest_time)
        return CKG_OK;
    return app_node_expect(&r->document, node, "a number of seconds above 0 and at most 1e9");
}

/* One of `needs`, the name of a label and what it must be. */
static int read_need(struct app_reader *r, const yaml_node_t *key, const yaml_node_t *value, char **out)
{
    enum { LONGEST_LABEL = 200 };

    if (!*app_node_text(key) || strchr(app_node_text(key), '='))
        return app_node_complain(&r->document, key,
                                 "the name of a label has no equals sign and is not empty");
    return app_reader_line(r, value, "a label", LONGEST_LABEL, out);
}

/* What concerns other machines: who may evaluate, and how many designs wait for them. */
static int read_sharing(struct app_reader *r, const struct evaluate *from)
{
    int status = CKG_OK;

    if (from->ahead)
        status = app_node_whole(&r->document, from->ahead, 0, MOST_AHEAD, &r->out->evaluate.ahead);
    if (!status && from->needs)
        status = app_reader_pairs(r, from->needs, "a mapping such as {licence: cfd}", read_need,
                                  &r->out->evaluate.needs_count, &r->out->evaluate.needs);
    return status;
}

/* What the scheduler's own keys say better. */
static int check_cluster(struct app_reader *r, const struct evaluate *from)
{
    if (from->parallel)
        return app_node_complain(&r->document, from->parallel,
                                 "with `slurm`, its `concurrent` says how many evaluations at once");
    if (from->timeout)
        return app_node_complain(&r->document, from->timeout,
                                 "with `slurm`, its `time` limits an evaluation");
    return CKG_OK;
}

int app_read_evaluate(struct app_reader *r, const yaml_node_t *node)
{
    struct app_evaluate *out = &r->out->evaluate;
    struct evaluate from = {0};
    int status = app_node_mapping(&r->document, node, "`evaluate`", APP_KEYS(evaluate_keys), &from);

    if (!status)
        status = from.commands  ? read_commands(r, &from)
                 : from.command ? read_command(r, from.command, out)
                                : app_node_complain(&r->document, node, "`evaluate` needs a `command`");
    if (!status && from.timeout)
        status = read_seconds(r, from.timeout, &out->timeout);
    if (!status && from.parallel)
        status = app_node_whole(&r->document, from.parallel, 1, MOST_PARALLEL, &out->parallel);
    if (!status && from.slurm)
        status = check_cluster(r, &from);
    if (!status && from.slurm)
        status = app_read_cluster(r, "slurm", from.slurm);
    if (!status && r->out->budget && from.parallel && out->parallel > r->out->budget)
        app_reader_warn(r, from.parallel,
                        "`parallel` is %d and the `budget` only %d, so everything is evaluated at once, and "
                        "nothing is learnt in between",
                        out->parallel, r->out->budget);
    if (!status && from.retries)
        status = app_node_whole(&r->document, from.retries, 0, MOST_RETRIES, &out->retries);
    if (!status && from.pause_after)
        status = app_node_whole(&r->document, from.pause_after, 0, MOST_FAILURES, &out->pause_after);
    if (!status && from.work)
        status = app_read_work(r, from.work);
    if (!status && from.results)
        status = app_read_results(r, from.results);
    if (!status && out->results.file && !out->workspace.used)
        status = app_node_complain(
            &r->document, from.results,
            "results in a file need `work: {}`: each trial must have a file of its own");
    if (!status)
        status = app_read_surroundings(r, from.environment, from.before);
    return status ? status : read_sharing(r, &from);
}

/*
 * How a design is evaluated: the tables of `evaluate`, its folders and its results, and what they cannot say.
 */
#include "definition/scheduler.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/meant.h"
#include "definition/substitute.h"

/* Seconds: the most that a time-out may be; what is probably a slip of the unit. */
static const double longest_time = 1e9;
static const double too_short = 0.01;
static const double too_long = 1e7;

enum { LONGEST_LINE = 2000, LONGEST_PATH = 1000, LONGEST_LABEL = 200 };
enum { MOST_PARALLEL = 1000, MOST_RETRIES = 1000, MOST_FAILURES = 1000, MOST_AHEAD = 1000 };
enum { CONCURRENT = 10, MOST_CONCURRENT = 1000 };

static const char *const keep_names[] = {"all", "failed", "none", NULL};

/* --- the command --- */

/* {radios} in a word, where there is a {radius}; a name like no parameter's may belong to a script. */
static int check_placeholders(struct app_reader *r, const yaml_node_t *node)
{
    enum { SHORTEST = 3, LONGEST = 200 };
    const char *names[CKG_MAX_PARAMETERS];
    const char *word = app_node_text(node);
    const char *stray;
    char name[LONGEST + 1];
    const int count = app_parameter_names(r->out, names);
    const size_t length = app_substitute_stray(r->out, word, &stray);

    if (!length || length > LONGEST)
        return CKG_OK;
    snprintf(name, sizeof name, "%.*s", (int)length, stray);

    /* Like a parameter's. */
    const char *meant = length >= SHORTEST ? app_meant(name, count, names) : NULL;
    if (meant)
        return app_node_complain(
            r, node, "there is no parameter '%s'; did you mean {%s}? For the text {%s} itself, write {{%s}}",
            name, meant, name, name);

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
        return app_node_expect(r, node, "a word of the command");
    if (!e->count && !*app_node_text(node))
        return app_node_complain(r, node, "the program's name must not be empty");

    check_placeholders(r, node);
    e->at[e->count][0] = (int)node->start_mark.line + 1;
    e->at[e->count][1] = (int)node->start_mark.column + 1;
    return app_reader_keep(r, app_node_text(node), &e->command[e->count]);
}

static int read_command(struct app_reader *r, const yaml_node_t *node, struct app_evaluate *e)
{
    if (node->type != YAML_SEQUENCE_NODE)
        return app_node_expect(r, node, "a command as a list of words [program, argument, …]");
    const int count = app_node_items(node);
    if (!count)
        return app_node_complain(r, node, "the command is empty; expected [program, argument, …]");
    e->command = app_reader_new(r, count + 1, sizeof *e->command);
    e->at = app_reader_new(r, count, sizeof *e->at);
    for (; app_reader_has_item(r, node, e->count); e->count++)
        read_word(r, app_reader_item(r, node, e->count), e);
    return r->status;
}

/* --- a command for each outcome or group --- */

/* 1 when both are measured by the same command. */
static int come_together(const ckg_problem *problem, int j, int other)
{
    return j == other || (ckg_problem_group(problem, j) >= 0 &&
                          ckg_problem_group(problem, j) == ckg_problem_group(problem, other));
}

/* The command under the name of an outcome. */
static int add_part(struct app_reader *r, const yaml_node_t *key, const yaml_node_t *value, char **name)
{
    struct app_evaluate *e = &r->out->evaluate;
    const ckg_problem *problem = r->out->problem;
    const int j = ckg_problem_outcome_find(problem, app_node_text(key));
    struct app_evaluate one = {0};

    /* Whose it is. */
    (void)name;
    if (j < 0)
        return app_node_complain(r, key, "there is no outcome '%s'", app_node_text(key));
    for (int i = 0; i < e->part_count; i++)
        if (come_together(problem, j, e->parts[i].outcome))
            return app_node_complain(r, key, "'%s' comes together with '%s', which has a command already",
                                     app_node_text(key),
                                     ckg_problem_outcome_name(problem, e->parts[i].outcome));

    /* Its words. */
    read_command(r, value, &one);
    e->parts[e->part_count++] = (struct app_part){j, one.count, one.command, one.at};
    return r->status;
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
            return app_node_complain(r, node, "no command measures '%s'",
                                     ckg_problem_outcome_name(problem, j));
    }
    return CKG_OK;
}

/* What goes with one command alone. */
static int check_alone(struct app_reader *r, const yaml_node_t *node)
{
    const yaml_node_t *results = app_reader_find(r, r->mapping, "results");

    if (app_reader_find(r, r->mapping, "command"))
        return app_node_complain(r, node,
                                 "`command` evaluates everything, `commands` an outcome or a group each: "
                                 "give one of them");
    if (ckg_problem_separate(r->out->problem) != 1)
        return app_node_complain(r, node,
                                 "`commands` are for outcomes that are measured one at a time: give each "
                                 "outcome its `cost`, or use one `command`");
    if (results)
        return app_node_complain(r, results,
                                 "`results` goes with one `command`; each of the `commands` answers on "
                                 "standard output");
    return CKG_OK;
}

/* `commands`: the first of them stands for all where one command is looked at. */
static int read_commands(struct app_reader *r, const yaml_node_t *node)
{
    static const struct app_key row = {.name = "commands",
                                       .expected = "a mapping such as {weight: [program, …]}",
                                       .high = 1 + CKG_MAX_CONSTRAINTS,
                                       .each = add_part};
    struct app_evaluate *e = &r->out->evaluate;

    check_alone(r, node);
    e->parts = app_reader_new(r, 1 + CKG_MAX_CONSTRAINTS, sizeof *e->parts);
    if (r->status || app_schema_each(r, &row, node, NULL) || check_parts(r, node))
        return r->status;
    return read_command(r, app_reader_value(r, node, 0), e);
}

static int read_only_command(struct app_reader *r, const yaml_node_t *node)
{
    return app_reader_find(r, r->mapping, "commands") ? CKG_OK : read_command(r, node, &r->out->evaluate);
}

static void write_command(const struct app_definition *d, const char *name, struct app_text *out)
{
    if (!d->evaluate.part_count)
        app_words_write(name, d->evaluate.count, d->evaluate.command, out);
}

static void write_commands(const struct app_definition *d, const char *name, struct app_text *out)
{
    if (!d->evaluate.part_count)
        return;
    app_json_open(out, name, '{');
    for (int i = 0; i < d->evaluate.part_count; i++) {
        const struct app_part *part = &d->evaluate.parts[i];
        app_words_write(app_outcome_name(d, part->outcome), part->count, part->command, out);
    }
    app_json_close(out, '}');
}

/* --- work --- */

/* A path below a folder: not absolute, and never up and out of it. */
static int check_inside(struct app_reader *r, const yaml_node_t *node)
{
    const char *path = app_node_text(node);

    for (const char *at = path; at; at = strchr(at, '/') ? strchr(at, '/') + 1 : NULL)
        if (!strncmp(at, "..", 2) && (!at[2] || at[2] == '/'))
            return app_node_complain(r, node, "'%s' is not inside the trial's folder", path);
    if (path[0] == '/')
        return app_node_complain(r, node, "'%s' is not inside the trial's folder", path);
    return CKG_OK;
}

/* "2 GB": a number and a unit. */
static int read_quota(struct app_reader *r, const yaml_node_t *node)
{
    struct app_workspace *out = &r->out->evaluate.workspace;
    static const struct {
        const char *name;
        double bytes;
    } units[] = {{"B", 1}, {"kB", 1e3}, {"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12}};
    const char *text = app_node_is_text(node) ? app_node_text(node) : "";
    char *end = NULL;
    const double number = isdigit((unsigned char)text[0]) ? strtod(text, &end) : 0;

    while (end && *end == ' ')
        end++;
    for (size_t i = 0; end && number > 0 && number < 1e15 && i < sizeof units / sizeof *units; i++)
        if (!strcmp(end, units[i].name)) {
            out->quota = round(number * units[i].bytes);
            if (out->quota >= 1)
                return CKG_OK;
        }
    return app_node_expect(r, node, "a size such as 500 MB or 2 GB");
}

static int read_template(struct app_reader *r, const yaml_node_t *key, const yaml_node_t *value, char **out)
{
    check_inside(r, key);
    return app_reader_line(r, value, "a template's file", LONGEST_PATH, out);
}

static void write_quota(const struct app_definition *d, const char *name, struct app_text *out)
{
    if (!(d->evaluate.workspace.quota > 0))
        return;
    app_json_member(out, name);
    app_text_print(out, "\"%.0f B\"", d->evaluate.workspace.quota);
}

static const struct app_key work_keys[] = {
    {"folder", "a path", "NAME.work", "where the folders of trials are; each is called by its number",
     .kind = APP_KEY_LINE, .at = offsetof(struct app_workspace, folder), .high = LONGEST_PATH,
     .what = "a folder"},
    {"keep", "`all`, `failed`, `none`", "`all`", "which of them stay when their trial has ended",
     .kind = APP_KEY_WORD, .at = offsetof(struct app_workspace, keep), .words = keep_names,
     .expected = "`all`, `failed` or `none`", .always = 1},
    {"quota", "a size such as `2 GB`", "any size",
     "of all that stay together; the oldest go where it would be more", .read = read_quota,
     .write = write_quota},
    {"files", "`[mesh.dat, solve.py]`", "none",
     "files and folders beside the problem file that each trial finds in its own folder, as symbolic links",
     .kind = APP_KEY_LINES, .at = offsetof(struct app_workspace, files), .high = LONGEST_PATH,
     .what = "a file", .expected = "a list of files such as [mesh.dat, solve.py]"},
    {"templates", "`{deck.inp: deck.template}`", "none",
     "files to be written for each trial, and what they are made from: `{{NAME}}` becomes that parameter's "
     "value, `{{NAME:%10.4e}}` the same in a format of C",
     .kind = APP_KEY_PAIRS, .at = offsetof(struct app_workspace, templates),
     .expected = "a mapping such as {deck.inp: deck.template}", .each = read_template},
};

const struct app_schema app_schema_work = {"`work`", "A folder for each trial", "evaluate: {work: {…}}",
                                           APP_KEYS(work_keys)};

/* --- results --- */

static int read_result_file(struct app_reader *r, const yaml_node_t *node)
{
    struct app_result_place *out = &r->out->evaluate.results;

    return app_reader_line(r, node, "a file", LONGEST_PATH, &out->file) ? r->status : check_inside(r, node);
}

static int read_find(struct app_reader *r, const yaml_node_t *key, const yaml_node_t *value, char **out)
{
    const char *names[CKG_MAX_CONSTRAINTS + 1];
    const int count = app_constraints(r->out) + 1;

    for (int j = 0; j < count; j++)
        names[j] = app_outcome_name(r->out, j);
    if (ckg_problem_outcome_find(r->out->problem, app_node_text(key)) < 0)
        return app_node_unknown(r, key, "outcome", "", count, names);
    return app_reader_line(r, value, "the text before the number", LONGEST_LINE, out);
}

static const struct app_key results_keys[] = {
    {"file", "a path", "standard output", "the file to look at", .kind = APP_KEY_LINE,
     .at = offsetof(struct app_result_place, file), .read = read_result_file},
    {"find", "`{mass: \"MASS =\"}`", "a JSON object",
     "each outcome's number stands behind this text, where that comes last; any space matches any other",
     .kind = APP_KEY_PAIRS, .at = offsetof(struct app_result_place, find),
     .expected = "a mapping such as {mass: \"MASS =\"}", .each = read_find},
};

const struct app_schema app_schema_results = {"`results`", "Results in a file", "evaluate: {results: {…}}",
                                              APP_KEYS(results_keys)};

static int read_results(struct app_reader *r, const yaml_node_t *node)
{
    struct app_result_place *out = &r->out->evaluate.results;

    /* A file's name alone, or a mapping. */
    if (node->type == YAML_SCALAR_NODE ? read_result_file(r, node)
                                       : app_schema_read(r, node, &app_schema_results, out))
        return r->status;
    if (!out->file && !app_reader_find(r, node, "find"))
        return app_node_complain(r, node, "`results` needs a `file`, or what to `find`");
    if (out->file && !app_reader_find(r, r->mapping, "work"))
        return app_node_complain(r, node,
                                 "results in a file need `work: {}`: each trial must have a file of its own");
    return r->status;
}

/* --- where, how long, how many --- */

#define SCHEDULER(name, meaning) &app_scheduler_##name,
static const struct app_scheduler *const schedulers[] = {APP_SCHEDULERS(SCHEDULER) NULL};

/* The scheduler's own keys say better what two of the others say. */
static int check_others(struct app_reader *r, const char *name)
{
    const yaml_node_t *parallel = app_reader_find(r, r->mapping, "parallel");
    const yaml_node_t *timeout = app_reader_find(r, r->mapping, "timeout");

    if (parallel)
        return app_node_complain(r, parallel, "with `%s`, its `concurrent` says how many evaluations at once",
                                 name);
    return timeout ? app_node_complain(r, timeout, "with `%s`, its `time` limits an evaluation", name)
                   : CKG_OK;
}

/* What stands under the name of a scheduler. */
static int read_scheduler(struct app_reader *r, const yaml_node_t *node)
{
    struct app_evaluate *e = &r->out->evaluate;
    const struct app_scheduler *const *s = schedulers;

    while (app_reader_find(r, r->mapping, (*s)->name) != node)
        s++;
    if (e->cluster.scheduler)
        return app_node_complain(r, node, "jobs are of one scheduler, `%s` or `%s`",
                                 e->cluster.scheduler->name, (*s)->name);
    e->parallel = CONCURRENT;
    e->cluster = (struct app_cluster){*s, app_reader_new(r, 1, (*s)->options_size)};
    check_others(r, (*s)->name);
    return r->status ? r->status : app_schema_read(r, node, (*s)->keys, e->cluster.options);
}

static void write_scheduler(const struct app_definition *d, const char *name, struct app_text *out)
{
    const struct app_cluster *cluster = &d->evaluate.cluster;

    if (cluster->scheduler && !strcmp(cluster->scheduler->name, name))
        app_schema_write(d, cluster->scheduler->keys, cluster->options, name, out);
}

int app_read_concurrent(struct app_reader *r, const yaml_node_t *node)
{
    return app_node_whole(r, node, 1, MOST_CONCURRENT, &r->out->evaluate.parallel);
}

void app_write_concurrent(const struct app_definition *d, const char *name, struct app_text *out)
{
    app_json_add_integer(out, name, d->evaluate.parallel);
}

static int read_seconds(struct app_reader *r, const yaml_node_t *node)
{
    double *out = &r->out->evaluate.timeout;

    if (app_node_number(r, node, -INFINITY, INFINITY, out))
        return r->status;
    if (*out > 0 && (*out < too_short || *out > too_long))
        app_reader_warn(r, node, "`timeout` is in seconds: %g s is %s", *out,
                        *out < too_short ? "too short to start a program" : "more than a hundred days");
    if (*out > 0 && *out <= longest_time)
        return CKG_OK;
    return app_node_expect(r, node, "a number of seconds above 0 and at most 1e9");
}

/* One of `needs`, the name of a label and what it must be. */
static int read_need(struct app_reader *r, const yaml_node_t *key, const yaml_node_t *value, char **out)
{
    if (!*app_node_text(key) || strchr(app_node_text(key), '='))
        return app_node_complain(r, key, "the name of a label has no equals sign and is not empty");
    return app_reader_line(r, value, "a label", LONGEST_LABEL, out);
}

static int check_parallel(struct app_reader *r, const yaml_node_t *node)
{
    const int parallel = r->out->evaluate.parallel;

    if (r->out->budget && parallel > r->out->budget)
        app_reader_warn(r, node,
                        "`parallel` is %d and the `budget` only %d, so everything is evaluated at once, and "
                        "nothing is learnt in between",
                        parallel, r->out->budget);
    return CKG_OK;
}

static void write_parallel(const struct app_definition *d, const char *name, struct app_text *out)
{
    if (!d->evaluate.cluster.scheduler)
        app_json_add_integer(out, name, d->evaluate.parallel);
}

static int read_variable(struct app_reader *r, const yaml_node_t *key, const yaml_node_t *value, char **out)
{
    const char *name = app_node_text(key);
    const char *c = name;

    while (isalnum((unsigned char)*c) || *c == '_')
        c++;
    if (*c || !*name || isdigit((unsigned char)*name))
        return app_node_complain(r, key,
                                 "a variable's name has letters, digits and _ and begins with no digit");
    if (!strncmp(name, "CKG_", 4))
        return app_node_complain(r, key, "`ckg` sets variables that begin with CKG_ itself");
    if (!app_node_is_text(value) || app_node_is_nothing(value))
        return app_node_expect(r, value, "a text or a number");
    return app_reader_keep(r, app_node_text(value), out);
}

/* --- the table --- */

#define AT(member) .at = offsetof(struct app_evaluate, member)
#define SCHEDULER_KEY(name, meaning)                                                                         \
    {#name,                                                                                                  \
     "a mapping",                                                                                            \
     "evaluations are processes of this machine",                                                            \
     meaning,                                                                                                \
     .read = read_scheduler,                                                                                 \
     .write = write_scheduler},

static const struct app_key evaluate_keys[] = {
    {"command", "`[program, argument, …]`", "needed, or `commands`",
     "a list of words, never a shell line; it runs in the file's folder, gets the design as JSON on standard "
     "input, and `{NAME}` in an argument becomes that parameter's value; `{{NAME}}` is the text `{NAME}`",
     .read = read_only_command, .write = write_command, .missing = "`evaluate` needs a `command`",
     .instead = "commands"},
    {"commands", "`{OUTCOME: [program, …], …}`", "one `command` for all",
     "where outcomes have costs, a command for each, or for a group under the name of one of its outcomes; "
     "those that are wanted run one after another, and their answers count together",
     .read = read_commands, .write = write_commands},
    {"environment", "`{OMP_NUM_THREADS: 4}`", "none",
     "variables for the command, beside those of `ckg`'s own", .kind = APP_KEY_PAIRS, AT(environment),
     .expected = "a mapping such as {OMP_NUM_THREADS: 4}", .each = read_variable},
    {"before", "`[module load gcc, …]`", "none",
     "lines of shell, run by bash before the command, which finds the variables that they have set",
     .kind = APP_KEY_LINES, AT(before), .high = LONGEST_LINE, .what = "a line of shell",
     .expected = "a list of lines such as [module load gcc]"},
    {"work", "a mapping, `{}`", "the command runs in the file's folder",
     "a folder for each trial, in which its command runs", .kind = APP_KEY_MAPPING, AT(workspace),
     .schema = &app_schema_work, .used = offsetof(struct app_evaluate, workspace.used)},
    {"results", "a file, or a mapping", "standard output",
     "where the answer is; the file is looked for where the command runs, and has a JSON object, as standard "
     "output would",
     .kind = APP_KEY_MAPPING, AT(results), .schema = &app_schema_results,
     .used = offsetof(struct app_evaluate, results.used), .read = read_results},
    {"timeout", "seconds", "none", "an evaluation that takes longer has failed", .kind = APP_KEY_REAL,
     AT(timeout), .read = read_seconds},
    /* clang-format off */
    APP_SCHEDULERS(SCHEDULER_KEY)
    /* clang-format on */
    {"parallel", "an integer", "1", "how many evaluations at once", .kind = APP_KEY_WHOLE, AT(parallel),
     .low = 1, .high = MOST_PARALLEL, .check = check_parallel, .write = write_parallel},
    {"retries", "an integer", "0", "how often a failed evaluation is tried again", .kind = APP_KEY_WHOLE,
     AT(retries), .low = 0, .high = MOST_RETRIES, .always = 1},
    {"pause_after", "an integer, 0: never", "as many as look like an outage",
     "failures in a row that pause the run", .kind = APP_KEY_WHOLE, AT(pause_after), .low = 0,
     .high = MOST_FAILURES, .always = 1},
    {"ahead", "an integer", "0",
     "how many designs are chosen before anybody is free to evaluate them, so that workers need not wait; "
     "they know less than designs that are chosen later",
     .kind = APP_KEY_WHOLE, AT(ahead), .low = 0, .high = MOST_AHEAD},
    {"needs", "`{licence: cfd}`", "nothing", "labels that a `ckg worker` must have to evaluate this study",
     .kind = APP_KEY_PAIRS, AT(needs), .expected = "a mapping such as {licence: cfd}", .each = read_need},
};

const struct app_schema app_schema_evaluate = {"`evaluate`", "The evaluation", "evaluate: {…}",
                                               APP_KEYS(evaluate_keys)};

/*
 * What simulators are used to: a folder for each trial with files and filled-in templates (`work`), results
 * in a file (`results`), variables and lines of shell before the command (`environment`, `before`).
 */
#include "base/json.h"
#include "definition/file_schema.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_PATH = 1000, LONGEST_LINE = 2000 };

const char *const app_keep_names[] = {"all", "failed", "none", NULL};

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
    const int status = check_inside(r, key);

    return status ? status : app_reader_line(r, value, "a template's file", LONGEST_PATH, out);
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
     .kind = APP_KEY_WORD, .at = offsetof(struct app_workspace, keep), .words = app_keep_names,
     .expected = "`all`, `failed` or `none`"},
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
     .expected = "a mapping such as {deck.inp: deck.template}", .read_value = read_template},
};

const struct app_schema app_schema_work = {"`work`", "A folder for each trial", "evaluate: {work: {…}}",
                                           APP_KEYS(work_keys), NULL};

/* --- results --- */

static int read_result_file(struct app_reader *r, const yaml_node_t *node)
{
    struct app_result_place *out = &r->out->evaluate.results;
    const int status = app_reader_line(r, node, "a file", LONGEST_PATH, &out->file);

    return status ? status : check_inside(r, node);
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
     .expected = "a mapping such as {mass: \"MASS =\"}", .read_value = read_find},
};

const struct app_schema app_schema_results = {"`results`", "Results in a file", "evaluate: {results: {…}}",
                                              APP_KEYS(results_keys), NULL};

int app_read_results(struct app_reader *r, const yaml_node_t *node)
{
    struct app_result_place *out = &r->out->evaluate.results;

    /* A file's name alone, or a mapping. */
    int status = node->type == YAML_SCALAR_NODE ? read_result_file(r, node)
                                                : app_schema_read(r, node, &app_schema_results, out);
    if (!status && !out->file && !app_reader_find(r, node, "find"))
        status = app_node_complain(r, node, "`results` needs a `file`, or what to `find`");
    if (!status && out->file && !app_reader_find(r, r->mapping, "work"))
        status = app_node_complain(
            r, node, "results in a file need `work: {}`: each trial must have a file of its own");
    return status;
}

/* --- the environment --- */

int app_read_variable(struct app_reader *r, const yaml_node_t *key, const yaml_node_t *value, char **out)
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

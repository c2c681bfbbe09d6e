/*
 * What simulators are used to: a folder for each trial with files and filled-in templates (`work`), results
 * in a file (`results`), variables and lines of shell before the command (`environment`, `before`).
 */
#include "definition/reader.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_PATH = 1000, LONGEST_LINE = 2000, MOST_WORDS = 1000 };

const char *const app_keep_names[] = {"all", "failed", "none"};

struct work {
    const yaml_node_t *folder, *keep, *quota, *files, *templates;
};

static const struct app_node_key work_keys[] = {
    {"folder", offsetof(struct work, folder)},       {"keep", offsetof(struct work, keep)},
    {"quota", offsetof(struct work, quota)},         {"files", offsetof(struct work, files)},
    {"templates", offsetof(struct work, templates)},
};

struct results {
    const yaml_node_t *file, *find;
};

static const struct app_node_key results_keys[] = {
    {"file", offsetof(struct results, file)},
    {"find", offsetof(struct results, find)},
};

/* --- words and pairs --- */

/* A list of texts that complaints call `what`. */
static int read_words(struct app_reader *r, const yaml_node_t *node, const char *expected, const char *what,
                      int most, int *count, char ***out)
{
    int status = CKG_OK;

    if (node->type != YAML_SEQUENCE_NODE || app_node_items(node) > MOST_WORDS)
        return app_node_expect(&r->document, node, expected);
    *out = app_pool_new(&r->out->pool, (size_t)app_node_items(node), sizeof **out);
    if (!*out)
        return app_reader_no_memory(r);
    for (int i = 0; !status && i < app_node_items(node); i++) {
        *count = i + 1;
        status = app_reader_line(r, app_reader_item(r, node, i), what, most, &(*out)[i]);
    }
    return status;
}

/* A path below a folder: not absolute, and never up and out of it. */
static int check_inside(struct app_reader *r, const yaml_node_t *node)
{
    const char *path = app_node_text(node);

    for (const char *at = path; at; at = strchr(at, '/') ? strchr(at, '/') + 1 : NULL)
        if (!strncmp(at, "..", 2) && (!at[2] || at[2] == '/'))
            return app_node_complain(&r->document, node, "'%s' is not inside the trial's folder", path);
    if (path[0] == '/')
        return app_node_complain(&r->document, node, "'%s' is not inside the trial's folder", path);
    return CKG_OK;
}

/* --- work --- */

static int read_keep(struct app_reader *r, const yaml_node_t *node, enum app_keep *out)
{
    enum { COUNT = sizeof app_keep_names / sizeof *app_keep_names };

    for (int i = 0; i < COUNT; i++)
        if (app_node_is_word(node, app_keep_names[i])) {
            *out = (enum app_keep)i;
            return CKG_OK;
        }
    return app_node_expect(&r->document, node, "`all`, `failed` or `none`");
}

/* "2 GB": a number and a unit. */
static int read_quota(struct app_reader *r, const yaml_node_t *node, double *out)
{
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
            *out = round(number * units[i].bytes);
            if (*out >= 1)
                return CKG_OK;
        }
    return app_node_expect(&r->document, node, "a size such as 500 MB or 2 GB");
}

static int read_template(struct app_reader *r, const yaml_node_t *key, const yaml_node_t *value, char **out)
{
    const int status = check_inside(r, key);

    return status ? status : app_reader_line(r, value, "a template's file", LONGEST_PATH, out);
}

int app_read_work(struct app_reader *r, const yaml_node_t *node)
{
    struct app_workspace *out = &r->out->evaluate.workspace;
    struct work from = {0};
    int status = app_node_mapping(&r->document, node, "`work`", APP_KEYS(work_keys), &from);

    out->used = 1;
    if (!status && from.folder)
        status = app_reader_line(r, from.folder, "a folder", LONGEST_PATH, &out->folder);
    if (!status && from.keep)
        status = read_keep(r, from.keep, &out->keep);
    if (!status && from.quota)
        status = read_quota(r, from.quota, &out->quota);
    if (!status && from.files)
        status = read_words(r, from.files, "a list of files such as [mesh.dat, solve.py]", "a file",
                            LONGEST_PATH, &out->file_count, &out->files);
    if (!status && from.templates)
        status = app_reader_pairs(r, from.templates, "a mapping such as {deck.inp: deck.template}",
                                  read_template, &out->template_count, &out->templates);
    return status;
}

/* --- results --- */

static int read_find(struct app_reader *r, const yaml_node_t *key, const yaml_node_t *value, char **out)
{
    const char *names[CKG_MAX_CONSTRAINTS + 1];
    const int count = app_constraints(r->out) + 1;

    for (int j = 0; j < count; j++)
        names[j] = app_outcome_name(r->out, j);
    if (ckg_problem_outcome_find(r->out->problem, app_node_text(key)) < 0)
        return app_node_unknown(&r->document, key, "outcome", "", count, names);
    return app_reader_line(r, value, "the text before the number", LONGEST_LINE, out);
}

int app_read_results(struct app_reader *r, const yaml_node_t *node)
{
    struct app_result_place *out = &r->out->evaluate.results;
    struct results from = {.file = node};
    int status = CKG_OK;

    /* A file's name alone, or a mapping. */
    if (node->type != YAML_SCALAR_NODE) {
        from = (struct results){0};
        status = app_node_mapping(&r->document, node, "`results`", APP_KEYS(results_keys), &from);
        if (!status && !from.file && !from.find)
            status = app_node_complain(&r->document, node, "`results` needs a `file`, or what to `find`");
    }
    if (!status && from.file)
        status = app_reader_line(r, from.file, "a file", LONGEST_PATH, &out->file);
    if (!status && from.file)
        status = check_inside(r, from.file);
    if (!status && from.find)
        status = app_reader_pairs(r, from.find, "a mapping such as {mass: \"MASS =\"}", read_find,
                                  &out->find_count, &out->find);
    return status;
}

/* --- environment and before --- */

static int read_variable(struct app_reader *r, const yaml_node_t *key, const yaml_node_t *value, char **out)
{
    const char *name = app_node_text(key);
    const char *c = name;

    while (isalnum((unsigned char)*c) || *c == '_')
        c++;
    if (*c || !*name || isdigit((unsigned char)*name))
        return app_node_complain(&r->document, key,
                                 "a variable's name has letters, digits and _ and begins with no digit");
    if (!strncmp(name, "CKG_", 4))
        return app_node_complain(&r->document, key, "`ckg` sets variables that begin with CKG_ itself");
    if (!app_node_is_text(value) || app_node_is_nothing(value))
        return app_node_expect(&r->document, value, "a text or a number");
    return app_reader_keep(r, app_node_text(value), out);
}

int app_read_surroundings(struct app_reader *r, const yaml_node_t *environment, const yaml_node_t *before)
{
    struct app_evaluate *e = &r->out->evaluate;
    int status = CKG_OK;

    if (environment)
        status = app_reader_pairs(r, environment, "a mapping such as {OMP_NUM_THREADS: 4}", read_variable,
                                  &e->environment_count, &e->environment);
    if (!status && before)
        status = read_words(r, before, "a list of lines such as [module load gcc]", "a line of shell",
                            LONGEST_LINE, &e->before_count, &e->before);
    return status;
}

/* Results from their files. */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv.h"
#include "bench/protocol.h"
#include "bench/summary.h"

/* A folder that is read. */
struct reading {
    const char *folder;
    struct app_results *out;
    int room;
    struct app_message *message;
};

static int damaged(const struct reading *r, const char *name, int line)
{
    return app_fail(r->message, CKG_ERR_SYSTEM, "%s:%d: not a line of `ckg bench`", name, line);
}

/* The table of a file; a line of it has so many columns at least. */
static int read_csv(const struct reading *r, const char *name, int columns, struct app_csv *out)
{
    char path[512];
    char *text;
    size_t length;

    snprintf(path, sizeof path, "%s/%s", r->folder, name);
    int status = app_read_file(path, &text, &length, r->message);
    if (status)
        return status;
    status = app_csv_read(out, text, length, path, r->message);
    free(text);
    for (int i = 1; !status && i < out->rows; i++)
        if (out->row[i].count < columns) {
            status = damaged(r, name, out->row[i].line);
            app_csv_free(out);
        }
    return status;
}

/* --- a cell --- */

/* Where a replication and an evaluation are kept; NULL: nowhere. */
static struct app_scored *place(const struct app_result *c, const char *replication, const char *evaluation)
{
    const int a = atoi(replication) - 1;
    const int b = atoi(evaluation) - c->first;
    const int steps = c->last - c->first + 1;

    return a < 0 || a >= c->replications || b < 0 || b >= steps ? NULL : &c->scored[a * steps + b];
}

/* How many replications, and which evaluations; there is room for all of them then. */
static int make_room(const struct reading *r, const struct app_csv *csv, const char *name,
                     struct app_result *c)
{
    c->first = INT_MAX;
    for (int i = 1; i < csv->rows; i++) {
        const int replication = atoi(csv->row[i].field[3]);
        const int evaluation = atoi(csv->row[i].field[4]);
        c->replications = replication > c->replications ? replication : c->replications;
        c->first = evaluation < c->first ? evaluation : c->first;
        c->last = evaluation > c->last ? evaluation : c->last;
    }
    const size_t size = csv->rows > 1 ? (size_t)c->replications * (size_t)(c->last - c->first + 1) : 0;
    if (!size || size != (size_t)csv->rows - 1)
        return app_fail(r->message, CKG_ERR_SYSTEM, "%s: the results are not complete", name);

    c->scored = app_pool_new(&r->out->pool, size, sizeof *c->scored);
    c->scratch = app_pool_new(&r->out->pool, (size_t)c->replications, sizeof *c->scratch);
    c->problem = app_pool_copy(&r->out->pool, csv->row[1].field[0]);
    c->policy = app_pool_copy(&r->out->pool, csv->row[1].field[2]);
    c->noise = strtod(csv->row[1].field[1], NULL);
    return c->scored && c->scratch && c->problem && c->policy ? CKG_OK : app_no_memory(r->message);
}

static int fill_rows(const struct reading *r, const char *name, struct app_result *c)
{
    struct app_csv csv;
    int status = read_csv(r, name, APP_ROWS_COLUMNS, &csv);

    if (status)
        return status;
    status = make_room(r, &csv, name, c);
    for (int i = 1; !status && i < csv.rows; i++) {
        char *const *f = csv.row[i].field;
        struct app_scored *at = place(c, f[3], f[4]);
        if (at)
            *at = (struct app_scored){strtod(f[5], NULL), strtod(f[6], NULL), atoi(f[7]), 0};
        else
            status = damaged(r, name, csv.row[i].line);
    }
    app_csv_free(&csv);
    return status;
}

/* Which recommendations were in the right part of the feasible region. */
static int fill_right(const struct reading *r, const char *name, struct app_result *c)
{
    char path[300];
    struct app_csv csv;

    snprintf(path, sizeof path, "designs/%s", name);
    const int status = read_csv(r, path, APP_DESIGNS_COLUMNS, &csv);
    if (status)
        return status;
    for (int i = 1; i < csv.rows; i++) {
        struct app_scored *at = place(c, csv.row[i].field[0], csv.row[i].field[1]);
        if (at)
            at->right = atoi(csv.row[i].field[2]);
    }
    app_csv_free(&csv);
    return CKG_OK;
}

static int add(struct reading *r, const char *name)
{
    struct app_results *out = r->out;
    struct app_result one = {.seconds = NAN};

    if (out->count == r->room) {
        r->room = 2 * r->room + 16;
        struct app_result *grown = app_pool_new(&out->pool, (size_t)r->room, sizeof *grown);
        if (!grown)
            return app_no_memory(r->message);
        if (out->count)
            memcpy(grown, out->result, (size_t)out->count * sizeof *grown);
        out->result = grown;
    }
    int status = fill_rows(r, name, &one);
    if (!status)
        status = fill_right(r, name, &one);
    if (!status)
        out->result[out->count++] = one;
    return status;
}

/* Mean seconds of each cell; a missing file says nothing. */
static int fill_seconds(const struct reading *r)
{
    struct app_csv csv;
    struct app_message unheard;
    const int status = read_csv(&(struct reading){r->folder, r->out, 0, &unheard}, "timing.csv", 0, &csv);

    if (status)
        return status == CKG_ERR_NOMEM ? app_no_memory(r->message) : CKG_OK;
    for (int k = 0; k < r->out->count; k++) {
        struct app_result *c = &r->out->result[k];
        double sum = 0;
        int count = 0;
        for (int i = 1; i < csv.rows; i++) {
            char *const *f = csv.row[i].field;
            if (csv.row[i].count != APP_TIMING_COLUMNS || strcmp(f[0], c->problem) ||
                strtod(f[1], NULL) != c->noise || strcmp(f[2], c->policy))
                continue;
            sum += strtod(f[5], NULL);
            count++;
        }
        c->seconds = count ? sum / count : NAN;
    }
    app_csv_free(&csv);
    return CKG_OK;
}

/* --- their order --- */

static int problem_rank(const char *name)
{
    int i = 0;

    while (app_problems[i] && strcmp(app_problems[i]->name, name) != 0)
        i++;
    return i;
}

int app_policy_rank(const char *name)
{
    ckg_policy_info info;
    int i = 0;

    while (!ckg_policy_at(i, &info) && strcmp(info.name, name) != 0)
        i++;
    return i;
}

static int in_order(const void *a, const void *b)
{
    const struct app_result *x = a;
    const struct app_result *y = b;
    const int ranks = problem_rank(x->problem) - problem_rank(y->problem);
    const int problems = ranks ? ranks : strcmp(x->problem, y->problem);
    const int policies = app_policy_rank(x->policy) - app_policy_rank(y->policy);

    return problems               ? problems
           : x->noise != y->noise ? (x->noise > y->noise) - (x->noise < y->noise)
                                  : policies;
}

/* --- a folder --- */

static int is_cell(const char *name)
{
    const size_t length = strlen(name);

    return length > 4 && !strcmp(name + length - 4, ".csv") && strcmp(name, "timing.csv") != 0;
}

int app_results_read(struct app_results *out, const char *folder, struct app_message *message)
{
    struct reading r = {.folder = folder, .out = out, .message = message};
    DIR *directory = opendir(folder);
    const struct dirent *entry;
    int status = CKG_OK;

    *out = (struct app_results){0};
    if (!directory && errno == ENOMEM)
        return app_no_memory(r.message);
    if (!directory)
        return app_fail(message, CKG_ERR_INVALID, "%s: %s", folder, strerror(errno));
    while (!status && (entry = readdir(directory)))
        if (is_cell(entry->d_name))
            status = add(&r, entry->d_name);
    closedir(directory);
    if (!status && !out->count)
        status = app_fail(message, CKG_ERR_INVALID, "%s: no results of `ckg bench` here", folder);
    if (!status) {
        qsort(out->result, (size_t)out->count, sizeof *out->result, in_order);
        status = fill_seconds(&r);
    }
    if (status)
        app_pool_free(&out->pool);
    return status;
}

/* Results from their files. */
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/summary.h"
#include "base/csv.h"

static int read_csv(const char *folder, const char *name, struct app_csv *out, struct app_message *message)
{
    char path[512];
    char *text;
    size_t length;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    int status = app_read_file(path, &text, &length, message);
    if (!status)
        status = app_csv_read(out, text, length, path, message);
    free(text);
    return status;
}

static int damaged(const char *name, int line, struct app_message *message)
{
    return app_fail(message, CKG_ERR_SYSTEM, "%s:%d: not a line of `ckg bench`", name, line);
}

/* Where the replication and evaluation of a line stand in the arrays, -1: nowhere. */
static int place(const struct app_result *r, const char *replication, const char *evaluation)
{
    const int a = atoi(replication) - 1;
    const int b = atoi(evaluation) - r->first;

    return a < 0 || a >= r->replications || b < 0 || b > r->last - r->first
               ? -1
               : a * (r->last - r->first + 1) + b;
}

/* Sizes from the rows, then the rows into the arrays. */
static int fill_rows(struct app_result *r, const struct app_csv *csv, const char *name,
                     struct app_message *message)
{
    enum { COLUMNS = 8 };

    /* How many replications, and which evaluations. */
    r->first = 1 << 30;
    for (int i = 1; i < csv->rows; i++) {
        char *const *f = csv->row[i].field;
        if (csv->row[i].count != COLUMNS)
            return damaged(name, csv->row[i].line, message);
        r->replications = atoi(f[3]) > r->replications ? atoi(f[3]) : r->replications;
        r->first = atoi(f[4]) < r->first ? atoi(f[4]) : r->first;
        r->last = atoi(f[4]) > r->last ? atoi(f[4]) : r->last;
    }
    const size_t size = csv->rows > 1 ? (size_t)r->replications * (size_t)(r->last - r->first + 1) : 0;
    if (!size || size != (size_t)csv->rows - 1)
        return app_fail(message, CKG_ERR_SYSTEM, "%s: the results are not complete", name);

    /* Room for them. */
    r->cost = calloc(size, sizeof *r->cost);
    r->best = calloc(size, sizeof *r->best);
    r->feasible = calloc(size, 1);
    r->right = calloc(size, 1);
    r->scratch = calloc((size_t)r->replications, sizeof *r->scratch);
    if (!r->cost || !r->best || !r->feasible || !r->right || !r->scratch)
        return app_fail(message, CKG_ERR_NOMEM, "out of memory");

    /* Each row in its place, and whose they are. */
    for (int i = 1; i < csv->rows; i++) {
        char *const *f = csv->row[i].field;
        const int at = place(r, f[3], f[4]);
        if (at < 0)
            return damaged(name, csv->row[i].line, message);
        r->cost[at] = strtod(f[5], NULL);
        r->best[at] = strtod(f[6], NULL);
        r->feasible[at] = (char)atoi(f[7]);
    }
    snprintf(r->problem, sizeof r->problem, "%s", csv->row[1].field[0]);
    r->noise = strtod(csv->row[1].field[1], NULL);
    snprintf(r->policy, sizeof r->policy, "%s", csv->row[1].field[2]);
    return CKG_OK;
}

/* Which recommendations were in the right part of the feasible region. */
static int fill_right(struct app_result *r, const char *folder, const char *name, struct app_message *message)
{
    char path[300];
    struct app_csv csv;

    snprintf(path, sizeof path, "designs/%s", name);
    const int status = read_csv(folder, path, &csv, message);
    for (int i = 1; !status && i < csv.rows; i++) {
        const int at = csv.row[i].count > 3 ? place(r, csv.row[i].field[0], csv.row[i].field[1]) : -1;
        if (at >= 0)
            r->right[at] = (char)atoi(csv.row[i].field[2]);
    }
    if (!status)
        app_csv_free(&csv);
    return status;
}

/* Mean seconds of each cell; a missing file says nothing. */
static int fill_seconds(struct app_results *all, const char *folder, struct app_message *message)
{
    struct app_csv csv;
    struct app_message unheard;
    const int status = read_csv(folder, "timing.csv", &csv, &unheard);

    if (status)
        return status == CKG_ERR_NOMEM ? app_fail(message, status, "out of memory") : CKG_OK;
    for (int k = 0; k < all->count; k++) {
        struct app_result *r = &all->result[k];
        double sum = 0;
        int count = 0;
        for (int i = 1; i < csv.rows; i++) {
            char *const *f = csv.row[i].field;
            if (csv.row[i].count != 6 || strcmp(f[0], r->problem) || strtod(f[1], NULL) != r->noise ||
                strcmp(f[2], r->policy))
                continue;
            sum += strtod(f[5], NULL);
            count++;
        }
        r->seconds = count ? sum / count : NAN;
    }
    app_csv_free(&csv);
    return CKG_OK;
}

static void free_result(struct app_result *r)
{
    free(r->cost);
    free(r->best);
    free(r->feasible);
    free(r->right);
    free(r->scratch);
}

static int add(struct app_results *all, const char *folder, const char *name, struct app_message *message)
{
    struct app_csv csv;
    struct app_result one = {.seconds = NAN};
    struct app_result *grown = realloc(all->result, ((size_t)all->count + 1) * sizeof *grown);

    if (!grown)
        return app_fail(message, CKG_ERR_NOMEM, "out of memory");
    all->result = grown;
    int status = read_csv(folder, name, &csv, message);
    if (status)
        return status;
    status = fill_rows(&one, &csv, name, message);
    app_csv_free(&csv);
    if (!status)
        status = fill_right(&one, folder, name, message);
    if (status)
        free_result(&one);
    else
        all->result[all->count++] = one;
    return status;
}

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

    for (int i = 0; i < ckg_policy_count(); i++)
        if (!ckg_policy_at(i, &info) && !strcmp(info.name, name))
            return i;
    return ckg_policy_count();
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

int app_results_read(struct app_results *out, const char *folder, struct app_message *message)
{
    DIR *directory = opendir(folder);
    const struct dirent *entry;
    int status = CKG_OK;

    *out = (struct app_results){0};
    if (!directory && errno == ENOMEM)
        return app_fail(message, CKG_ERR_NOMEM, "out of memory");
    if (!directory)
        return app_fail(message, CKG_ERR_INVALID, "%s: %s", folder, strerror(errno));
    while (!status && (entry = readdir(directory))) {
        const size_t length = strlen(entry->d_name);
        if (length > 4 && !strcmp(entry->d_name + length - 4, ".csv") &&
            strcmp(entry->d_name, "timing.csv") != 0)
            status = add(out, folder, entry->d_name, message);
    }
    closedir(directory);
    if (!status && !out->count)
        status = app_fail(message, CKG_ERR_INVALID, "%s: no results of `ckg bench` here", folder);
    if (status) {
        app_results_free(out);
        return status;
    }
    qsort(out->result, (size_t)out->count, sizeof *out->result, in_order);
    status = fill_seconds(out, folder, message);
    if (status)
        app_results_free(out);
    return status;
}

void app_results_free(struct app_results *results)
{
    for (int i = 0; i < results->count; i++)
        free_result(&results->result[i]);
    free(results->result);
    *results = (struct app_results){0};
}

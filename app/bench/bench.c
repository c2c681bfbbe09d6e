/*
 * The plan's replications over all threads. Each one that ends is kept as files in FOLDER/parts, written
 * whole or not at all; when all of a cell are there they are joined, in order, into the cell's files. Started
 * again, what is in parts or joined is not done again.
 */
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/json.h"
#include "bench/plan.h"

struct work {
    const struct app_plan *plan;
    struct app_cell *cells;
    struct app_components **components; /* (cells) shared by cells of one problem */
    int count;
    int *left;            /* (cells) replications to do */
    int next, done, todo; /* replications: the next to look at, done in this run, to be done in it */
    double started, shown;
    pthread_mutex_t lock;
    int failed;
    struct app_message *message;
};

void app_cell_name(const struct app_cell *cell, char name[128])
{
    snprintf(name, 128, "%s_%g_%s", cell->problem->name, cell->noise, cell->policy);
}

/* --- files --- */

enum kind { ROWS, DESIGNS, TIMING };

static void part_path(const struct work *w, int cell, int replication, enum kind kind, char path[512])
{
    static const char *const endings[] = {"rows", "designs", "timing"};
    char name[128];
    app_cell_name(&w->cells[cell], name);
    snprintf(path, 512, "%s/parts/%s.%04d.%s", w->plan->folder, name, replication, endings[kind]);
}

static void cell_path(const struct work *w, int cell, enum kind kind, char path[512])
{
    char name[128];
    app_cell_name(&w->cells[cell], name);
    snprintf(path, 512, "%s/%s%s.csv", w->plan->folder, kind == DESIGNS ? "designs/" : "", name);
}

static int exists(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0;
}

static int make_folder(const char *folder, const char *below, struct app_message *message)
{
    char path[512];
    snprintf(path, sizeof path, "%s%s", folder, below);
    return mkdir(path, 0777) && errno != EEXIST
               ? app_fail(message, CKG_ERR_SYSTEM, "%s: %s", path, strerror(errno))
               : CKG_OK;
}

/* The rows come last: where they are, the rest is. */
static int keep_part(struct work *w, int cell, int replication, const struct app_replication *part,
                     struct app_message *message)
{
    const struct app_text *texts[] = {&part->designs, &part->timing, &part->rows};
    static const enum kind kinds[] = {DESIGNS, TIMING, ROWS};
    int status = CKG_OK;
    for (int i = 0; !status && i < 3; i++) {
        char path[512];
        part_path(w, cell, replication, kinds[i], path);
        status = app_write_file(path, texts[i]->data ? texts[i]->data : "", texts[i]->length, message);
    }
    return status;
}

/* All parts of one kind behind what `out` has. */
static int gather(struct work *w, int cell, enum kind kind, struct app_text *out)
{
    int status = CKG_OK;
    for (int r = 1; !status && r <= w->plan->replications; r++) {
        char path[512], *text;
        size_t length;
        part_path(w, cell, r, kind, path);
        status = app_read_file(path, &text, &length, w->message);
        if (!status)
            app_text_add(out, text, length);
        free(text);
    }
    return status;
}

/* timing.csv as it is, the lines of this cell left out: it may be joined for the second time. */
static int old_timing(struct work *w, int cell, const char *path, struct app_text *out)
{
    char start[192], *text;
    size_t length;
    const struct app_cell *c = &w->cells[cell];
    if (!exists(path)) {
        app_text_add(out, app_timing_header, strlen(app_timing_header));
        return CKG_OK;
    }
    const int status = app_read_file(path, &text, &length, w->message);
    snprintf(start, sizeof start, "%s,%g,%s,", c->problem->name, c->noise, c->policy);
    for (char *line = text; !status && *line;) {
        const size_t size = strcspn(line, "\n") + (line[strcspn(line, "\n")] == '\n');
        if (strncmp(line, start, strlen(start)) != 0)
            app_text_add(out, line, size);
        line += size;
    }
    free(text);
    return status;
}

static void remove_parts(const struct work *w, int cell)
{
    for (int r = 1; r <= w->plan->replications; r++)
        for (int kind = ROWS; kind <= TIMING; kind++) {
            char path[512];
            part_path(w, cell, r, (enum kind)kind, path);
            unlink(path);
        }
}

/* The cell's files from its parts, the CSV of the contract last. */
static int join(struct work *w, int cell)
{
    struct app_text rows = {0}, designs = {0}, timing = {0};
    char path[512];
    snprintf(path, sizeof path, "%s/timing.csv", w->plan->folder);
    int status = old_timing(w, cell, path, &timing);
    if (!status)
        status = gather(w, cell, TIMING, &timing);
    if (!status)
        status = app_write_file(path, timing.data, timing.length, w->message);
    app_designs_header(w->cells[cell].problem, &designs);
    app_text_add(&rows, app_rows_header, strlen(app_rows_header));
    if (!status)
        status = gather(w, cell, DESIGNS, &designs);
    if (!status)
        status = gather(w, cell, ROWS, &rows);
    if (!status && (rows.failed || designs.failed))
        status = app_fail(w->message, CKG_ERR_NOMEM, "out of memory");
    cell_path(w, cell, DESIGNS, path);
    if (!status)
        status = app_write_file(path, designs.data, designs.length, w->message);
    cell_path(w, cell, ROWS, path);
    if (!status)
        status = app_write_file(path, rows.data, rows.length, w->message);
    if (!status)
        remove_parts(w, cell);
    app_text_free(&rows);
    app_text_free(&designs);
    app_text_free(&timing);
    return status;
}

/* The settings that all results of a folder share. */
static int check_settings(const struct app_plan *plan, struct app_message *message)
{
    struct app_text text = {0};
    char path[512], *old = NULL;
    size_t length;
    app_text_print(&text, "{\"initial\": %d, \"evaluations\": %d, \"replications\": %d, \"seed\": %llu}\n",
                   plan->initial, plan->evaluations, plan->replications, (unsigned long long)plan->seed);
    snprintf(path, sizeof path, "%s/bench.json", plan->folder);
    int status = text.failed ? app_fail(message, CKG_ERR_NOMEM, "out of memory") : CKG_OK;
    if (!status && exists(path)) {
        status = app_read_file(path, &old, &length, message);
        if (!status && strcmp(old, text.data) != 0) {
            old[strcspn(old, "\n")] = 0;
            status = app_fail(message, CKG_ERR_INVALID,
                              "%s has results with other settings: %s; give another folder by --out",
                              plan->folder, old);
        }
    } else if (!status)
        status = app_write_file(path, text.data, text.length, message);
    free(old);
    app_text_free(&text);
    return status;
}

/* --- progress --- */

static void show_progress(struct work *w)
{
    const double elapsed = app_clock() - w->started,
                 left = w->done ? elapsed / w->done * (w->todo - w->done) : NAN;
    const int terminal = isatty(STDERR_FILENO);
    if (w->plan->quiet || (w->done < w->todo && app_clock() - w->shown < (terminal ? 0.2 : 10)))
        return;
    w->shown = app_clock();
    fprintf(stderr, "%s%d of %d replications, %.0f s", terminal ? "\r\033[K" : "", w->done, w->todo, elapsed);
    if (w->done < w->todo && w->done)
        fprintf(stderr, ", about %.0f s left", left);
    fprintf(stderr, "%s", !terminal || w->done == w->todo ? "\n" : "");
}

/* --- work --- */

/* The next replication that is not there; 0: none is left. */
static int take(struct work *w, int *cell, int *replication)
{
    while (!w->failed && w->next < w->count * w->plan->replications) {
        char path[512];
        *cell = w->next / w->plan->replications;
        *replication = w->next % w->plan->replications + 1;
        w->next++;
        if (!w->left[*cell])
            continue;
        part_path(w, *cell, *replication, ROWS, path);
        if (!exists(path))
            return 1;
    }
    return 0;
}

static void *labour(void *context)
{
    struct work *w = context;
    int cell, replication;
    pthread_mutex_lock(&w->lock);
    while (take(w, &cell, &replication)) {
        struct app_replication part;
        struct app_message why;
        pthread_mutex_unlock(&w->lock);
        int status = app_replicate(w->plan, &w->cells[cell], w->components[cell], replication, &part, &why);
        if (!status)
            status = keep_part(w, cell, replication, &part, &why);
        app_text_free(&part.rows);
        app_text_free(&part.designs);
        app_text_free(&part.timing);
        pthread_mutex_lock(&w->lock);
        if (status && !w->failed)
            *w->message = why;
        if (!status && --w->left[cell] == 0 && !w->failed)
            status = join(w, cell);
        if (status && !w->failed)
            w->failed = status;
        w->done += !status;
        show_progress(w);
    }
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

/* What is there already. A cell whose parts are all there was killed before it was joined. */
static int survey(struct work *w)
{
    int status = CKG_OK;
    for (int c = 0; !status && c < w->count; c++) {
        char path[512];
        cell_path(w, c, ROWS, path);
        if (exists(path)) {
            remove_parts(w, c); /* killed while it did */
            continue;
        }
        for (int r = 1; r <= w->plan->replications; r++) {
            part_path(w, c, r, ROWS, path);
            w->left[c] += !exists(path);
        }
        w->todo += w->left[c];
        if (!w->left[c])
            status = join(w, c);
    }
    return status;
}

static int make_cells(struct work *w)
{
    const struct app_plan *plan = w->plan;
    for (int p = 0; p < plan->problems; p++) {
        struct app_components *components = app_components_find(plan->problem[p]);
        if (!components)
            return app_fail(w->message, CKG_ERR_NOMEM, "out of memory");
        for (int n = 0; n < plan->noises; n++)
            for (int k = 0; k < plan->policies; k++) {
                w->cells[w->count] = (struct app_cell){plan->problem[p], plan->noise[n], plan->policy[k]};
                w->components[w->count++] = components;
            }
    }
    return CKG_OK;
}

static void free_work(struct work *w)
{
    for (int c = 0; w->components && c < w->count; c += w->plan->noises * w->plan->policies)
        app_components_free(w->components[c]);
    free(w->cells);
    free(w->components);
    free(w->left);
    pthread_mutex_destroy(&w->lock);
}

static int work_through(struct work *w)
{
    pthread_t threads[256];
    int started = 0;
    w->started = app_clock();
    while (started < w->plan->threads && started < w->todo &&
           !pthread_create(&threads[started], NULL, labour, w))
        started++;
    if (!started && w->todo)
        labour(w);
    for (int t = 0; t < started; t++)
        pthread_join(threads[t], NULL);
    return w->failed;
}

static void sweep(const char *folder)
{
    static const char *const below[] = {"", "/parts", "/designs"};
    for (size_t i = 0; i < sizeof below / sizeof *below; i++) {
        char path[512];
        snprintf(path, sizeof path, "%s%s", folder, below[i]);
        app_sweep_files(path);
    }
}

int app_bench_run(const struct app_plan *plan, struct app_message *message)
{
    const size_t cells = (size_t)plan->problems * (size_t)plan->noises * (size_t)plan->policies;
    struct work w = {.plan = plan,
                     .cells = calloc(cells, sizeof *w.cells),
                     .components = calloc(cells, sizeof *w.components),
                     .left = calloc(cells, sizeof *w.left),
                     .message = message};
    char path[512];
    pthread_mutex_init(&w.lock, NULL);
    int status = w.cells && w.components && w.left ? CKG_OK
                                                   : app_fail(message, CKG_ERR_NOMEM, "out of memory");
    if (!status)
        status = make_folder(plan->folder, "", message);
    if (!status)
        status = check_settings(plan, message);
    if (!status)
        status = make_folder(plan->folder, "/parts", message);
    if (!status)
        status = make_folder(plan->folder, "/designs", message);
    if (!status)
        sweep(plan->folder);
    if (!status)
        status = make_cells(&w);
    if (!status)
        status = survey(&w);
    if (!status)
        status = work_through(&w);
    snprintf(path, sizeof path, "%s/parts", plan->folder);
    if (!status)
        rmdir(path);
    free_work(&w);
    return status;
}

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
#include "base/parallel.h"
#include "base/pool.h"
#include "base/visible.h"
#include "bench/protocol.h"

/* A replication (from 1) of a cell that is to be done. */
struct task {
    int cell;
    int replication;
};

struct work {
    struct app_pool pool; /* of the lists */
    const struct app_plan *plan;
    struct app_cell *cells;
    struct app_components **components; /* (cells) shared by cells of one problem */
    int count;
    int *left; /* (cells) replications to do */
    struct task *tasks;
    int todo;
    pthread_mutex_t lock; /* of `left`, what follows, and the files of cells */
    int done;
    double started;
    double shown;
    struct app_message *message;
};

/* The name of the cell's file without its ending, such as mystery_1_ckg. */
static void name_cell(const struct app_cell *cell, char name[128])
{
    snprintf(name, 128, "%s_%g_%s", cell->problem->name, cell->noise, cell->policy);
}

/* --- files --- */

/* What a replication keeps meanwhile, and where the cell has it in the end; all cells share their timing. */
static const struct {
    const char *part, *cell;
} files[APP_PROTOCOL_KINDS] = {[APP_PROTOCOL_ROWS] = {"rows", "%s/%s.csv"},
                               [APP_PROTOCOL_DESIGNS] = {"designs", "%s/designs/%s.csv"},
                               [APP_PROTOCOL_TIMING] = {"timing", "%s/timing.csv"}};

static void part_path(const struct work *w, struct task task, enum app_protocol_kind kind, char path[512])
{
    char name[128];

    name_cell(&w->cells[task.cell], name);
    snprintf(path, 512, "%s/parts/%s.%04d.%s", w->plan->folder, name, task.replication, files[kind].part);
}

static void cell_path(const struct work *w, int cell, enum app_protocol_kind kind, char path[512])
{
    char name[128];

    name_cell(&w->cells[cell], name);
    snprintf(path, 512, files[kind].cell, w->plan->folder, name);
}

static int exists(const char *path)
{
    struct stat info;

    return stat(path, &info) == 0;
}

/* In this order: where the rows are, the rest is. */
static const enum app_protocol_kind order[APP_PROTOCOL_KINDS] = {APP_PROTOCOL_TIMING, APP_PROTOCOL_DESIGNS,
                                                                 APP_PROTOCOL_ROWS};

static int keep_part(const struct work *w, struct task task, const struct app_replication *part,
                     struct app_message *message)
{
    int status = CKG_OK;

    for (int i = 0; !status && i < APP_PROTOCOL_KINDS; i++) {
        const struct app_text *text = &part->text[order[i]];
        char path[512];
        part_path(w, task, order[i], path);
        status = app_write_file(path, text->data ? text->data : "", text->length, message);
    }
    return status;
}

/* All parts of one kind behind what `out` has. */
static int gather(const struct work *w, int cell, enum app_protocol_kind kind, struct app_text *out,
                  struct app_message *message)
{
    int status = CKG_OK;

    for (int r = 1; !status && r <= w->plan->replications; r++) {
        char path[512];
        char *text;
        size_t length;
        part_path(w, (struct task){cell, r}, kind, path);
        status = app_read_file(path, &text, &length, message);
        if (!status)
            app_text_add(out, text, length);
        free(text);
    }
    return status;
}

/* timing.csv as it is, the lines of this cell left out: it may be joined for the second time. */
static int old_timing(const struct work *w, int cell, const char *path, struct app_text *out,
                      struct app_message *message)
{
    const struct app_cell *c = &w->cells[cell];
    char start[192];
    char *text;
    size_t length;
    const int status = app_read_file(path, &text, &length, message);

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

/* The cell's file of one kind, from its parts. */
static int join_kind(const struct work *w, int cell, enum app_protocol_kind kind, struct app_message *message)
{
    struct app_text text = {0};
    char path[512];
    int status = CKG_OK;

    cell_path(w, cell, kind, path);
    if (kind == APP_PROTOCOL_TIMING && exists(path))
        status = old_timing(w, cell, path, &text, message);
    else
        app_protocol_header(kind, w->cells[cell].problem, &text);

    if (!status)
        status = gather(w, cell, kind, &text, message);
    if (!status && text.failed)
        status = app_no_memory(message);
    if (!status)
        status = app_write_file(path, text.data, text.length, message);
    app_text_free(&text);
    return status;
}

static void remove_parts(const struct work *w, int cell)
{
    for (int r = 1; r <= w->plan->replications; r++)
        for (int kind = 0; kind < APP_PROTOCOL_KINDS; kind++) {
            char path[512];
            part_path(w, (struct task){cell, r}, (enum app_protocol_kind)kind, path);
            unlink(path);
        }
}

/* The cell's files from its parts. */
static int join(const struct work *w, int cell, struct app_message *message)
{
    int status = CKG_OK;

    for (int i = 0; !status && i < APP_PROTOCOL_KINDS; i++)
        status = join_kind(w, cell, order[i], message);
    if (!status)
        remove_parts(w, cell);
    return status;
}

/* The settings that all results of a folder share. */
static int check_settings(const struct app_plan *plan, struct app_message *message)
{
    struct app_text text = {0};
    char path[512];
    char *old = NULL;
    size_t length;

    app_text_print(&text, "{\"initial\": %d, \"evaluations\": %d, \"replications\": %d, \"seed\": %llu",
                   plan->initial, plan->evaluations, plan->replications, (unsigned long long)plan->seed);
    if (plan->settings_text)
        app_text_print(&text, ", \"model\": \"%s\"", plan->settings_text);
    if (plan->files_text)
        app_text_print(&text, ", \"files\": \"%s\"", plan->files_text);
    app_text_print(&text, "}\n");
    snprintf(path, sizeof path, "%s/bench.json", plan->folder);
    int status = text.failed ? app_no_memory(message) : CKG_OK;
    if (!status && exists(path)) {
        status = app_read_file(path, &old, &length, message);
        if (!status && strcmp(old, text.data) != 0) {
            old[strcspn(old, "\n")] = 0;
            status = app_fail(message, CKG_ERR_INVALID,
                              "%s has results with other settings: %s; choose another folder with --out",
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
    const double elapsed = app_clock() - w->started;
    const double left = w->done ? elapsed / w->done * (w->todo - w->done) : NAN;
    const int terminal = isatty(STDERR_FILENO);

    if (w->plan->quiet || (w->done < w->todo && app_clock() - w->shown < (terminal ? 0.2 : 10)))
        return;
    w->shown = app_clock();
    app_warn("%s%d of %d replications, %.0f s", terminal ? "\r\033[K" : "", w->done, w->todo, elapsed);
    if (w->done < w->todo && w->done)
        app_warn(", about %.0f s left", left);
    app_warn("%s", !terminal || w->done == w->todo ? "\n" : "");
}

/* --- work --- */

/* One replication. The last of a cell joins its files. */
static int do_task(void *context, int index, struct app_message *message)
{
    struct work *w = context;
    const struct task task = w->tasks[index];
    struct app_replication part;

    int status = app_protocol_make(w->plan, &w->cells[task.cell], w->components[task.cell], task.replication,
                                   &part, message);
    if (!status)
        status = keep_part(w, task, &part, message);
    app_replication_free(&part);
    if (status)
        return status;

    pthread_mutex_lock(&w->lock);
    if (--w->left[task.cell] == 0)
        status = join(w, task.cell, message);
    w->done += !status;
    show_progress(w);
    pthread_mutex_unlock(&w->lock);
    return status;
}

/* What of the cell is not there yet. */
static void list_tasks(struct work *w, int cell)
{
    for (int r = 1; r <= w->plan->replications; r++) {
        const struct task task = {cell, r};
        char path[512];
        part_path(w, task, APP_PROTOCOL_ROWS, path);
        if (exists(path))
            continue;
        w->tasks[w->todo++] = task;
        w->left[cell]++;
    }
}

/* What is there already. A cell whose parts are all there was killed before it was joined. */
static int find_tasks(struct work *w)
{
    int status = CKG_OK;

    for (int c = 0; !status && c < w->count; c++) {
        char path[512];
        cell_path(w, c, APP_PROTOCOL_ROWS, path);
        if (exists(path)) {
            remove_parts(w, c); /* killed while it did */
            continue;
        }
        list_tasks(w, c);
        if (!w->left[c])
            status = join(w, c, w->message);
    }
    return status;
}

static int make_cells(struct work *w)
{
    const struct app_plan *plan = w->plan;

    for (int p = 0; p < plan->problems; p++) {
        struct app_components *components = app_components_find(plan->problem[p]);
        if (!components)
            return app_no_memory(w->message);
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
    app_pool_free(&w->pool);
    pthread_mutex_destroy(&w->lock);
}

/* The folder with all that is written into, free of what killed writers left. */
static int make_folders(const struct app_plan *plan, struct app_message *message)
{
    static const char *const below[] = {"", "/parts", "/designs"};

    for (size_t i = 0; i < sizeof below / sizeof *below; i++) {
        char path[512];
        snprintf(path, sizeof path, "%s%s", plan->folder, below[i]);
        if (mkdir(path, 0777) && errno != EEXIST)
            return app_fail(message, CKG_ERR_SYSTEM, "%s: %s", path, strerror(errno));
        const int status = i ? CKG_OK : check_settings(plan, message);
        if (status)
            return status;
        app_sweep_files(path);
    }
    return CKG_OK;
}

int app_bench_run(const struct app_plan *plan, struct app_message *message)
{
    const size_t cells = (size_t)plan->problems * (size_t)plan->noises * (size_t)plan->policies;
    struct work w = {.plan = plan, .message = message};
    char path[512];

    pthread_mutex_init(&w.lock, NULL);
    w.cells = app_pool_new(&w.pool, cells, sizeof *w.cells);
    w.components = app_pool_new(&w.pool, cells, sizeof *w.components);
    w.left = app_pool_new(&w.pool, cells, sizeof *w.left);
    w.tasks = app_pool_new(&w.pool, cells * (size_t)plan->replications, sizeof *w.tasks);
    int status = w.cells && w.components && w.left && w.tasks ? CKG_OK : app_no_memory(message);

    /* What there is to do. */
    if (!status)
        status = make_folders(plan, message);
    if (!status)
        status = make_cells(&w);
    if (!status)
        status = find_tasks(&w);

    /* It is done. */
    w.started = app_clock();
    if (!status)
        status = app_parallel(w.todo, plan->threads, do_task, &w, message);
    snprintf(path, sizeof path, "%s/parts", plan->folder);
    if (!status)
        rmdir(path);
    free_work(&w);
    return status;
}

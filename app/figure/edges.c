/* Bisection on all steep edges of the grid at once. */
#include "figure/edges.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 5 };
static const double levels[APP_EDGE_LEVELS] = {0.05, 0.5, 0.95};
static const double steep = 0.15; /* an edge over which the probability changes by less is even enough */

/* One level on one edge between nodes a and b of the grid, and where it is known to lie. */
struct task {
    int level, edge, a, b;
    int along; /* the parameter that changes */
    double low, high;
    int rising;
};

struct work {
    const struct app_show *show;
    const struct app_grid *grid;
    int count, room;
    struct task *tasks;
    double *X, *chance;
};

/* The value at a share of the way between two values of a parameter, as the axis has it. */
static double between(struct app_parameter p, double from, double to, double share)
{
    return p.scale == CKG_LOG ? from * pow(to / from, share) : from + share * (to - from);
}

/* Only a parameter that takes every value has something between its nodes. */
static int is_smooth(struct app_parameter p, const struct app_nodes *nodes)
{
    return p.kind == CKG_REAL && !(p.step > 0) && !nodes->stepped;
}

static int add_tasks(struct work *w, struct task task)
{
    const double first = w->grid->chance[task.a];
    const double second = w->grid->chance[task.b];

    for (int k = 0; k < APP_EDGE_LEVELS; k++) {
        if (fabs(first - second) < steep || (first >= levels[k]) == (second >= levels[k]))
            continue;
        if (w->count == w->room) {
            const int room = 2 * w->room + 64;
            struct task *tasks = realloc(w->tasks, (size_t)room * sizeof *tasks);
            if (!tasks)
                return 0;
            w->tasks = tasks;
            w->room = room;
        }
        task.level = k;
        task.low = 0;
        task.high = 1;
        task.rising = second > first;
        w->tasks[w->count++] = task;
    }
    return 1;
}

/* The edges of the grid that are steep, along x and along y. */
static int list_tasks(struct work *w, int x, const struct app_nodes *nx, int y, const struct app_nodes *ny)
{
    const struct app_definition *d = w->show->definition;
    const int smooth[2] = {is_smooth(app_parameter_at(d, x), nx), is_smooth(app_parameter_at(d, y), ny)};
    const int nodes = nx->drawn * ny->drawn;

    for (int e = 0; e < 2 * nodes; e++) {
        const int up = e >= nodes;
        const int i = e % nodes % nx->drawn;
        const int j = e % nodes / nx->drawn;
        if (!smooth[up] || i + !up >= nx->drawn || j + up >= ny->drawn)
            continue;
        const struct task task = {.edge = e,
                                  .a = ny->of[j] * nx->count + nx->of[i],
                                  .b = ny->of[j + up] * nx->count + nx->of[i + !up],
                                  .along = up ? y : x};
        if (!add_tasks(w, task))
            return 0;
    }
    return 1;
}

/* Halves where each level may lie. */
static int halve(struct work *w)
{
    const struct app_show *s = w->show;
    const size_t d = (size_t)app_dimension(s->definition);

    for (int t = 0; t < w->count; t++) {
        const struct task *task = &w->tasks[t];
        const double *from = w->grid->X + (size_t)task->a * d;
        const double *to = w->grid->X + (size_t)task->b * d;
        double *x = w->X + (size_t)t * d;
        memcpy(x, from, d * sizeof *x);
        x[task->along] = between(app_parameter_at(s->definition, task->along), from[task->along],
                                 to[task->along], 0.5 * (task->low + task->high));
    }

    const int status = app_show_chances(s, w->count, w->X, w->chance);
    if (status)
        return status;
    for (int t = 0; t < w->count; t++) {
        struct task *task = &w->tasks[t];
        const double middle = 0.5 * (task->low + task->high);
        if ((w->chance[t] >= levels[task->level]) == task->rising)
            task->high = middle;
        else
            task->low = middle;
    }
    return CKG_OK;
}

static int take_room(struct app_edges *out, struct app_pool *pool, int nodes)
{
    *out = (struct app_edges){.nodes = nodes};
    for (int k = 0; k < APP_EDGE_LEVELS; k++) {
        out->at[k] = app_pool_new(pool, 2 * (size_t)nodes, sizeof *out->at[k]);
        for (int e = 0; out->at[k] && e < 2 * nodes; e++)
            out->at[k][e] = NAN;
    }
    return out->at[0] && out->at[1] && out->at[2];
}

int app_edges_find(struct app_edges *out, struct app_pool *pool, const struct app_show *s,
                   const struct app_grid *grid, int x, const struct app_nodes *nodes_x, int y,
                   const struct app_nodes *nodes_y)
{
    struct work w = {.show = s, .grid = grid};
    const size_t d = (size_t)app_dimension(s->definition);
    int made = take_room(out, pool, nodes_x->drawn * nodes_y->drawn) &&
               list_tasks(&w, x, nodes_x, y, nodes_y);

    /* The levels on all edges together, round by round. */
    w.X = malloc(((size_t)w.count * d + 1) * sizeof *w.X);
    w.chance = malloc(((size_t)w.count + 1) * sizeof *w.chance);
    made = made && w.X && w.chance;
    int status = made ? CKG_OK : app_no_memory(s->record->message);
    for (int round = 0; !status && w.count && round < ROUNDS; round++)
        status = halve(&w);
    for (int t = 0; !status && t < w.count; t++)
        out->at[w.tasks[t].level][w.tasks[t].edge] = 0.5 * (w.tasks[t].low + w.tasks[t].high);

    free(w.tasks);
    free(w.X);
    free(w.chance);
    return status;
}

double app_edges_between(const void *context, int edge, double first, double second, double level)
{
    const struct app_edges *edges = context;
    double before = 0; /* where the nearest known points are, and their values */
    double after = 1;
    double below = first;
    double above = second;

    /* Evenly between the nearest levels on either side. */
    for (int k = 0; k < APP_EDGE_LEVELS; k++) {
        const double at = edges->at[k][edge];
        if (isnan(at))
            continue;
        if (levels[k] == level)
            return at;
        if ((levels[k] < level) == (second > first) && at >= before) {
            before = at;
            below = levels[k];
        } else if ((levels[k] < level) != (second > first) && at <= after) {
            after = at;
            above = levels[k];
        }
    }
    return before + (level - below) / (above - below) * (after - before);
}

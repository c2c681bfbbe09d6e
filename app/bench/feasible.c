/*
 * A problem of two parameters as a picture. The objective is shaded everywhere, in steps that each cover the
 * same share of the feasible region; what is infeasible is then covered. The region's edge is the level line
 * max c = 0.
 */
#include <math.h>
#include <stdlib.h>

#include "bench/bench_figure.h"
#include "figure/draw/contour.h"

enum { N = 131, STEPS = 9 };

static const struct app_pen cover_pen = {.fill = APP_INK_GRID},
                            edge_pen = {.stroke = APP_INK_LIMIT, .width = 1.1};
static const struct app_pen shade_pen = {.fill = APP_INK_MEAN, .clear = 0.87},
                            line_pen = {.stroke = APP_INK_RULE, .width = 0.5};
static const struct app_pen star_pen = {.stroke = APP_INK_TEXT, .fill = APP_INK_STAR, .width = 1};

struct grid {
    /* excess: the largest constraint; inside: the feasible objectives, sorted */
    double x[N], y[N], objective[N * N], excess[N * N], inside[N * N];
    int count;
};

static int ascending(const void *a, const void *b)
{
    return (*(const double *)a > *(const double *)b) - (*(const double *)a < *(const double *)b);
}

/* Minus the objective, so that a level's region is what is better. */
static void evaluate(const struct app_chart *c, const struct app_problem *p, struct grid *g)
{
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++) {
            const double x[2] = {p->low[0] + (p->high[0] - p->low[0]) * i / (N - 1),
                                 p->low[1] + (p->high[1] - p->low[1]) * j / (N - 1)};
            double values[1 + APP_PROBLEM_CONSTRAINTS];
            p->evaluate(x, values);
            g->x[i] = app_chart_x(c, x[0]);
            g->y[j] = app_chart_y(c, x[1]);
            g->objective[j * N + i] = -values[0];
            g->excess[j * N + i] = values[1];
            for (int k = 2; k <= p->K; k++)
                g->excess[j * N + i] = fmax(g->excess[j * N + i], values[k]);
            if (g->excess[j * N + i] <= 0)
                g->inside[g->count++] = -values[0];
        }
    qsort(g->inside, (size_t)g->count, sizeof *g->inside, ascending);
}

static int fill_level(const struct app_chart *c, const struct app_field *field, double level,
                      const struct app_pen *pen)
{
    struct app_path path = {0};
    const int made = app_contour_region(field, level, &path);

    app_draw(c->canvas, &path, pen);
    return made;
}

static void visit(void *context, int count, const double *points, int closed)
{
    struct app_path *path = context;

    for (int i = 0; i < count - closed; i++)
        (i ? app_path_line : app_path_move)(path, points[2 * i], points[2 * i + 1]);
    if (closed)
        app_path_close(path);
}

static int draw_level(const struct app_chart *c, const struct app_field *field, double level,
                      const struct app_pen *pen)
{
    struct app_path path = {0};
    const int made = app_contour_lines(field, level, visit, &path);

    app_draw(c->canvas, &path, pen);
    return made;
}

int app_region_draw(const struct app_chart *c, const struct app_problem *p)
{
    struct grid *g = calloc(1, sizeof *g);

    if (!g)
        return 0;
    evaluate(c, p, g);
    const struct app_field objective = {.nx = N, .ny = N, .x = g->x, .y = g->y, .z = g->objective};
    const struct app_field excess = {.nx = N, .ny = N, .x = g->x, .y = g->y, .z = g->excess};
    int made = 1;
    c->canvas->table->clip(c->canvas, &c->box);
    for (int k = 0; made && g->count && k < STEPS; k++) {
        const double level = g->inside[(int)((k + 0.5) / STEPS * g->count)];
        made = fill_level(c, &objective, level, &shade_pen) && draw_level(c, &objective, level, &line_pen);
    }
    made = made && fill_level(c, &excess, 0, &cover_pen) && draw_level(c, &excess, 0, &edge_pen);
    c->canvas->table->unclip(c->canvas);
    app_draw_mark(c->canvas, APP_STAR, app_chart_x(c, p->best[0]), app_chart_y(c, p->best[1]), 6, &star_pen,
                  NULL);
    free(g);
    return made;
}

int app_region_make(const struct app_problem *p, const struct app_canvas_table *table, struct app_text *out,
                    struct app_message *message)
{
    static const struct app_key keys[] = {
        {APP_KEY_BAND, APP_CIRCLE, {.fill = APP_INK_MEAN, .clear = 0.4}, "feasible (strong: small f)"},
        {APP_KEY_BAND, APP_CIRCLE, {.fill = APP_INK_GRID}, "infeasible"},
        {APP_KEY_MARK, APP_STAR, {.stroke = APP_INK_TEXT, .fill = APP_INK_STAR, .width = 1}, "optimum"},
    };

    if (p->d != 2)
        return app_fail(message, CKG_ERR_INVALID, "%s has %d parameters; only problems with two can be drawn",
                        p->name, p->d);
    struct app_canvas *canvas = table->open(400, 400, p->name, 0);
    if (!canvas)
        return app_fail(message, CKG_ERR_NOMEM, "out of memory");
    struct app_chart chart = {.canvas = canvas,
                              .box = {52, 26, 330, 306},
                              .left = 44,
                              .title = p->name,
                              .x = {.low = p->low[0], .high = p->high[0], .label = "x1"},
                              .y = {.low = p->low[1], .high = p->high[1], .label = "x2"}};
    const int drawn = app_region_draw(&chart, p);
    app_chart_axes(&chart);
    app_chart_frame(&chart);
    app_keys_draw(canvas, keys, 3, 30, 374, 366);
    return table->close(canvas, drawn ? out : NULL) && drawn
               ? CKG_OK
               : app_fail(message, CKG_ERR_NOMEM, "out of memory");
}

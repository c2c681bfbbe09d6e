/*
 * A problem of two parameters as a picture. The objective is shaded everywhere, in steps that each cover the
 * same share of the feasible region; what is infeasible is then covered. The region's edge is the level line
 * max c = 0.
 */
#include <math.h>

#include "bench/bench_figure.h"

enum { N = 131, STEPS = 9 };

static const struct app_pen cover_pen = {.fill = APP_INK_GRID},
                            edge_pen = {.stroke = APP_INK_LIMIT, .width = 1.1};
static const struct app_pen shade_pen = {.fill = APP_INK_MEAN, .clear = 0.87},
                            line_pen = {.stroke = APP_INK_RULE, .width = 0.5};

struct grid {
    /* excess: the largest constraint; inside: the feasible objectives, sorted; x, y: parts of the axes */
    double place[N], objective[N * N], excess[N * N], inside[N * N], level[STEPS];
    int count;
};

/* Minus the objective, so that a level's region is what is better. */
static void evaluate(const struct app_problem *p, struct grid *g)
{
    for (int j = 0; j < N; j++) {
        g->place[j] = (double)j / (N - 1);
        for (int i = 0; i < N; i++) {
            const double x[2] = {p->low[0] + (p->high[0] - p->low[0]) * i / (N - 1),
                                 p->low[1] + (p->high[1] - p->low[1]) * j / (N - 1)};
            double values[1 + APP_PROBLEM_CONSTRAINTS];
            p->evaluate(x, values);
            g->objective[j * N + i] = -values[0];
            g->excess[j * N + i] = values[1];
            for (int k = 2; k <= p->K; k++)
                g->excess[j * N + i] = fmax(g->excess[j * N + i], values[k]);
            if (g->excess[j * N + i] <= 0)
                g->inside[g->count++] = -values[0];
        }
    }
    app_figure_sort(g->inside, g->count);
    for (int k = 0; g->count && k < STEPS; k++)
        g->level[k] = g->inside[(int)((k + 0.5) / STEPS * g->count)];
}

void app_region_add(struct app_panel *panel, const struct app_problem *p, int keys)
{
    struct grid *g = app_figure_new(panel->figure, 1, sizeof *g);

    panel->x = (struct app_axis){.low = p->low[0], .high = p->high[0], .label = "x1"};
    panel->y = (struct app_axis){.low = p->low[1], .high = p->high[1], .label = "x2"};
    panel->title = p->name;
    if (!g)
        return;
    evaluate(p, g);

    /* What is better in steps, then what is infeasible over it. */
    const struct app_field objective = {.nx = N, .ny = N, .x = g->place, .y = g->place, .z = g->objective};
    const struct app_field excess = {.nx = N, .ny = N, .x = g->place, .y = g->place, .z = g->excess};
    const int steps = g->count ? STEPS : 0;
    static const double edge[] = {0};
    app_panel_shade(panel, &objective, steps, g->level, shade_pen,
                    keys ? "feasible (strong: small f)" : NULL);
    for (int k = 0; k < steps; k++)
        app_panel_contour(panel, &objective, g->level[k], line_pen, NULL);
    app_panel_shade(panel, &excess, 1, edge, cover_pen, keys ? "infeasible" : NULL);
    app_panel_contour(panel, &excess, 0, edge_pen, NULL);

    struct app_layer *star = app_panel_layer(panel, APP_LAYER_MARKS, app_star_pen, keys ? "optimum" : NULL);
    star->shape = APP_STAR;
    star->size = 6;
    app_layer_xy(star, p->best[0], p->best[1]);
}

int app_region_draw(const struct app_problem *p, const struct app_canvas_table *table, struct app_text *out,
                    struct app_message *message)
{
    struct app_figure figure = {.title = p->name, .width = 376};

    if (p->d != 2)
        return app_fail(message, CKG_ERR_INVALID, "%s has %d parameters; only problems with two can be drawn",
                        p->name, p->d);
    struct app_panel *panel = app_figure_panel(&figure, 0, 0);
    app_region_add(panel, p, 1);
    panel->height = 306;
    const int made = app_figure_draw(&figure, table, 0, 0, out);
    app_figure_free(&figure);
    return made ? CKG_OK : app_no_memory(message);
}

/*
 * The frontier: the best predicted objective for a row of probabilities of being feasible, and the chosen
 * design among them. What a little more safety costs is read off its slope.
 */
#include <math.h>
#include <stdio.h>

#include "figure/draw/chart.h"
#include "figure/kept.h"
#include "figure/figure.h"

static const struct app_pen line_pen = {.stroke = APP_INK_MEAN, .width = 1.6};
static const struct app_pen bar_pen = {.stroke = APP_INK_MEAN, .width = 1};
static const struct app_pen mark_pen = {.stroke = APP_INK_PAPER, .fill = APP_INK_MEAN, .width = 0.8};
static const double lowest = 0.42;
static const double highest = 0.99965;

static int possible(const struct app_show *s, const struct app_plot_options *options)
{
    struct app_message *message = s->notebook->message;

    (void)options;
    if (!app_constraints(s->definition))
        return app_fail(message, CKG_ERR_STATE,
                        "%s: there are no constraints, so there is no trade-off with feasibility to show",
                        s->definition->name);
    if (!s->recommendation)
        return app_fail(message, CKG_ERR_STATE,
                        "%s: '%s' has not been measured yet, so there is no frontier to show",
                        s->definition->name, app_outcome_name(s->definition, 0));
    if (isnan(s->recommendation->probability_feasible))
        return app_fail(message, CKG_ERR_STATE,
                        "%s: a constraint has not been measured yet, so there is no frontier to show",
                        s->definition->name);
    return CKG_OK;
}

static void size(const struct app_show *s, const struct app_plot_options *options, double *width,
                 double *height)
{
    (void)s;
    *width = options->width > 0 ? options->width : 560;
    *height = 340;
}

/* The means, and the chosen one. */
static struct app_axis objective_axis(const struct app_show *s, const struct app_frontier *f)
{
    struct app_range range = APP_RANGE_INIT;

    app_range_add(&range, s->recommendation->mean[0]);
    for (int k = 0; k < APP_FRONTIER; k++)
        if (f->at[k])
            app_range_add(&range, f->at[k]->mean[0]);

    /* What is below the uncertainty is not worth a larger scale. */
    double sd = s->recommendation->sd[0];
    for (int k = 0; k < APP_FRONTIER; k++)
        if (f->at[k])
            sd = fmax(sd, fmin(f->at[k]->sd[0], range.high - range.low));
    app_range_add(&range, s->recommendation->mean[0] - 2 * sd);
    app_range_add(&range, s->recommendation->mean[0] + 2 * sd);
    return app_axis_over(&range, app_outcome_title(s->definition, 0));
}

static double chance_of(double p)
{
    return fmin(fmax(p, lowest + 0.02), highest);
}

static void draw_points(const struct app_chart *c, const struct app_frontier *f)
{
    struct app_path line = {0};

    /* The line, with a bar of two standard deviations at each point. */
    for (int k = 0; k < APP_FRONTIER; k++) {
        const ckg_recommendation *r = f->at[k];
        if (!r)
            continue;
        const double x = app_chart_x(c, app_frontier_chances[k]);
        (line.count ? app_path_line : app_path_move)(&line, x, app_chart_y(c, r->mean[0]));
        app_draw_line(c->canvas, x, app_chart_y(c, fmax(r->mean[0] - 2 * r->sd[0], c->y.low)), x,
                      app_chart_y(c, fmin(r->mean[0] + 2 * r->sd[0], c->y.high)), &bar_pen);
    }
    app_draw(c->canvas, &line, &line_pen);

    /* The designs. */
    for (int k = 0; k < APP_FRONTIER; k++) {
        const ckg_recommendation *r = f->at[k];
        char hint[160];
        if (!r)
            continue;
        snprintf(hint, sizeof hint, "feasible with probability %.4g or more: %.5g ± %.2g",
                 app_frontier_chances[k], r->mean[0], r->sd[0]);
        app_draw_mark(c->canvas, APP_CIRCLE, app_chart_x(c, app_frontier_chances[k]),
                      app_chart_y(c, r->mean[0]), 3.6, &mark_pen, hint);
    }
}

/* What no design reaches, in words. */
static void write_note(const struct app_frontier *f, size_t size, char *out)
{
    int reached = APP_FRONTIER - 1;

    while (reached >= 0 && !f->at[reached])
        reached--;
    if (reached < 0)
        snprintf(out, size, "no design is feasible with probability %g", app_frontier_chances[0]);
    else if (reached < APP_FRONTIER - 1)
        snprintf(out, size, "no design is feasible with probability %g", app_frontier_chances[reached + 1]);
    else
        snprintf(out, size, "the best prediction among designs that are at least so likely to be feasible");
}

static int draw(struct app_canvas *canvas, const struct app_show *s, const struct app_plot_options *options,
                const struct app_box *box)
{
    static const struct app_key keys[] = {
        {APP_KEY_SERIES, APP_CIRCLE, {.stroke = APP_INK_MEAN, .width = 1.6}, "best prediction, ±2 sd"},
        {APP_KEY_MARK, APP_STAR, {.stroke = APP_INK_TEXT, .fill = APP_INK_STAR, .width = 1}, "recommended"},
    };
    const struct app_frontier *frontier;
    const int status = app_show_frontier(s, &frontier);
    char note[120];

    (void)options;
    if (status)
        return status;

    /* The axes. */
    const double legend = app_keys_draw(NULL, keys, 2, 0, 0, box->width - 20);
    const struct app_box outer = {box->x, box->y, box->width, box->height - legend};
    write_note(frontier, sizeof note, note);
    struct app_chart c = {.canvas = canvas,
                          .x = {.kind = APP_AXIS_CHANCES,
                                .low = lowest,
                                .high = highest,
                                .label = "probability of being feasible"},
                          .y = objective_axis(s, frontier),
                          .title = "What safety costs",
                          .note = note,
                          .grid = 1};
    app_chart_fit(&c, &outer, 0);
    app_chart_axes(&c);

    /* The frontier, and the chosen design on top. */
    draw_points(&c, frontier);
    app_chart_frame(&c);
    app_draw_mark(canvas, APP_STAR, app_chart_x(&c, chance_of(s->recommendation->probability_feasible)),
                  app_chart_y(&c, s->recommendation->mean[0]), 8, &app_star_pen, "recommended");
    app_keys_draw(canvas, keys, 2, box->x + 10, box->y + box->height - legend + 2, box->width - 20);
    return CKG_OK;
}

const struct app_plot app_plot_frontier = {
    "frontier", "the best predicted objective by the probability of being feasible", possible, size, draw,
    NULL};

/*
 * Convergence: every value measured, the best feasible one so far, and what would have been recommended, with
 * the probability that it is feasible.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "show/chart.h"
#include "show/plot.h"
#include "show/history.h"

static const struct app_pen best_pen = {.stroke = APP_INK_BEST, .width = 1.8};
static const struct app_pen mean_pen = {.stroke = APP_INK_MEAN, .width = 1.6, .dash = APP_DASHED};
static const struct app_pen band_pen = {.fill = APP_INK_MEAN, .clear = 0.84};
static const struct app_pen start_pen = {.stroke = APP_INK_SOFT, .width = 1, .dash = APP_DOTTED};

static int possible(const struct app_show *s, const struct app_plot_options *options)
{
    (void)options;
    return s->ended ? CKG_OK
                    : app_fail(s->notebook->message, CKG_ERR_STATE,
                               "%s: no trial has ended yet, so there is no convergence to show",
                               s->definition->name);
}

static void size(const struct app_show *s, const struct app_plot_options *options, double *width,
                 double *height)
{
    (void)s;
    (void)options;
    *width = 640;
    *height = 400;
}

static int has_ended(const struct app_trial *t)
{
    return t->state == APP_COMPLETE || t->state == APP_FAILED_TRIAL;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;

    return (x > y) - (x < y);
}

/* The middle of the measured values: nine tenths, unless the rest is hardly further away. */
static int find_spread(const struct app_show *s, struct app_range *range)
{
    double *values = malloc((size_t)s->notebook->count * sizeof *values);
    int count = 0;

    if (!values)
        return app_show_no_memory(s);

    for (int i = 0; i < s->notebook->count; i++) {
        const double value = app_trial_value(&s->notebook->trials[i], 0);
        if (has_ended(&s->notebook->trials[i]) && isfinite(value))
            values[count++] = value;
    }

    qsort(values, (size_t)count, sizeof *values, ascending);
    if (count) {
        const double low = values[count / 20];
        const double high = values[count - 1 - count / 20];
        const double far = 0.6 * (high - low);
        app_range_add(range, values[0] < low - far ? low - 0.1 * far : values[0]);
        app_range_add(range, values[count - 1] > high + far ? high + 0.1 * far : values[count - 1]);
    }
    free(values);
    return CKG_OK;
}

static int choose_range(const struct app_show *s, const struct app_history *history, struct app_range *range)
{
    const int status = find_spread(s, range);

    if (s->best)
        app_range_add(range, app_trial_value(s->best, 0));

    /* Early predictions may be far off and unsure: they do not rule the axis. */
    const double span = range->high - range->low;
    for (int k = 0; k < history->count; k++) {
        if (!(span > 0) || fabs(history->mean[k] - 0.5 * (range->low + range->high)) < 1.2 * span)
            app_range_add(range, history->mean[k]);
    }
    return status;
}

/* A value beyond the axis is marked at its edge. */
static void draw_values(const struct app_chart *c, const struct app_show *s)
{
    const double radius = s->ended <= 150 ? 3.4 : s->ended <= 500 ? 2.6 : 1.9;
    int evaluation = 0;

    for (int i = 0; i < s->notebook->count; i++) {
        const struct app_trial *t = &s->notebook->trials[i];
        const double value = app_trial_value(t, 0);
        struct app_text hint = {0};

        if (!has_ended(t))
            continue;
        evaluation++;

        const struct app_look *look = &app_looks[app_trial_look(t)];
        const double at = isnan(value) ? c->y.low : fmin(fmax(value, c->y.low), c->y.high);
        const double inset = isnan(value) || value < c->y.low ? -5 : value > c->y.high ? 5 : 0;

        app_trial_hint(s->definition, t, &hint);
        app_draw_mark(c->canvas, look->shape, app_chart_x(c, evaluation), app_chart_y(c, at) + inset, radius,
                      &look->pen, hint.data);
        app_text_free(&hint);
    }
}

static void draw_best(const struct app_chart *c, const struct app_show *s)
{
    struct app_path path = {0};
    double best = NAN;
    int evaluation = 0;

    /* A step at every evaluation that improves on the best. */
    for (int i = 0; i < s->notebook->count; i++) {
        const struct app_trial *t = &s->notebook->trials[i];
        const double value = app_trial_value(t, 0);

        if (!has_ended(t))
            continue;
        evaluation++;
        if (app_trial_improves(s->definition->problem, t, best)) {
            if (isnan(best))
                app_path_move(&path, app_chart_x(c, evaluation), app_chart_y(c, value));
            else
                app_path_line(&path, app_chart_x(c, evaluation), app_chart_y(c, best));
            best = value;
            app_path_line(&path, app_chart_x(c, evaluation), app_chart_y(c, best));
        }
    }

    /* The last one holds to the end. */
    if (!isnan(best))
        app_path_line(&path, app_chart_x(c, s->ended), app_chart_y(c, best));
    app_draw(c->canvas, &path, &best_pen);
}

/*
 * Far outside the axis a coordinate is as good as at twice its height; some readers of SVG stumble over more.
 */
static double tame(const struct app_chart *c, double value)
{
    const double y = app_chart_y(c, value);
    const double far = 2 * c->box.height;

    return fmin(fmax(y, c->box.y - far), c->box.y + c->box.height + far);
}

static void draw_band(const struct app_chart *c, const struct app_history *r)
{
    struct app_path band = {0};

    /* Along the upper edge, and back along the lower. */
    for (int k = 0; k < r->count; k++)
        (k ? app_path_line : app_path_move)(&band, app_chart_x(c, r->evaluations[k]),
                                            tame(c, r->mean[k] + 2 * r->sd[k]));
    for (int k = r->count - 1; k >= 0; k--)
        app_path_line(&band, app_chart_x(c, r->evaluations[k]), tame(c, r->mean[k] - 2 * r->sd[k]));

    if (r->count)
        app_path_close(&band);
    app_draw(c->canvas, &band, &band_pen);
}

static void draw_line(const struct app_chart *c, const struct app_history *r)
{
    struct app_path line = {0};

    for (int k = 0; k < r->count; k++)
        (k ? app_path_line : app_path_move)(&line, app_chart_x(c, r->evaluations[k]), tame(c, r->mean[k]));
    if (r->count == 1) /* a line of one point shows nothing */
        app_path_line(&line, app_chart_x(c, r->evaluations[0] + 0.2), tame(c, r->mean[0]));
    app_draw(c->canvas, &line, &mean_pen);
}

/* Marks alone, and why there is no more. */
static void draw_nothing(const struct app_chart *c)
{
    static const struct app_lettering letters = {11, APP_INK_SOFT, APP_MIDDLE, 0, 0};

    app_draw_letters(c->canvas, c->box.x + c->box.width / 2, c->box.y + c->box.height / 2, &letters,
                     "the objective has not been measured yet");
}

/* Where the initial design ends, as far as trials came from it. */
static void draw_start(const struct app_chart *c, const struct app_show *s, int labelled)
{
    static const struct app_lettering letters = {10, APP_INK_SOFT, APP_END, 0, -90};
    int evaluation = 0;
    int last = 0;

    for (int i = 0; i < s->notebook->count; i++)
        if (has_ended(&s->notebook->trials[i])) {
            evaluation++;
            if (s->notebook->trials[i].origin[0] == 'd')
                last = evaluation;
        }

    if (!last || last >= s->ended)
        return;
    const double x = app_chart_x(c, last + 0.5);

    app_draw_line(c->canvas, x, c->box.y, x, c->box.y + c->box.height, &start_pen);
    if (labelled)
        app_draw_letters(c->canvas, x < c->box.x + 16 ? x + 11 : x - 4, c->box.y + 5, &letters,
                         "initial design");
}

/* 1 when the probability was known after some evaluation. */
static int has_probability(const struct app_history *r)
{
    for (int k = 0; k < r->count; k++)
        if (!isnan(r->probability[k]))
            return 1;
    return 0;
}

static void draw_probability(const struct app_chart *c, const struct app_show *s, const struct app_history *r)
{
    struct app_path line = {0};

    app_chart_axes(c);
    draw_start(c, s, 0);
    for (int k = 0; k < r->count; k++) {
        const int begins = !k || isnan(r->probability[k - 1]);
        if (!isnan(r->probability[k]))
            (begins ? app_path_move : app_path_line)(&line, app_chart_x(c, r->evaluations[k]),
                                                     app_chart_y(c, r->probability[k]));
    }
    app_draw(c->canvas, &line, &mean_pen);
    app_chart_frame(c);
}

static int make_keys(const struct app_show *s, const struct app_history *r, struct app_key *keys)
{
    int count = 0;

    if (s->best)
        keys[count++] = (struct app_key){
            .kind = APP_KEY_LINE, .pen = best_pen, .text = "best feasible so far"};
    if (r->count)
        keys[count++] = (struct app_key){
            .kind = APP_KEY_LINE, .pen = mean_pen, .text = "recommended, as predicted then, ±2 sd"};
    return count + app_look_keys(s, 0, keys + count);
}

/* Everything in the upper chart; what lies beyond the axis is cut off. */
static void draw_top(const struct app_chart *c, const struct app_show *s, const struct app_history *history)
{
    app_chart_axes(c);
    c->canvas->table->clip(c->canvas, &c->box);
    draw_band(c, history);
    draw_start(c, s, 1);
    if (c->y.bare)
        draw_nothing(c);
    draw_values(c, s);
    draw_best(c, s);
    draw_line(c, history);
    c->canvas->table->unclip(c->canvas);
    app_chart_frame(c);
}

static void draw_charts(struct app_canvas *canvas, const struct app_show *s,
                        const struct app_history *history, const struct app_range *range,
                        const struct app_box *box)
{
    const struct app_axis evaluations = {
        .kind = APP_AXIS_INTEGER, .low = 0.2, .high = s->ended + 0.8, .label = "evaluations"};
    struct app_key keys[APP_LOOKS + 2];

    /* Legend at the bottom, above it a strip for the probability where there is one to show. */
    const int count = make_keys(s, history, keys);
    const int strip = app_constraints(s->definition) > 0 && has_probability(history);
    const double legend = app_keys_draw(NULL, keys, count, 0, 0, box->width - 60);
    const double low = strip ? 112 : 0;
    const struct app_box upper = {box->x, box->y, box->width, box->height - legend - low};
    const struct app_box lower = {box->x, box->y + upper.height, box->width, low};

    /* Both charts have their y axes in one line. */
    struct app_chart top = {.canvas = canvas,
                            .x = evaluations,
                            .y = app_axis_over(range, app_outcome_title(s->definition, 0)),
                            .title = "Convergence",
                            .grid = 1};
    struct app_chart below = {.canvas = canvas,
                              .x = evaluations,
                              .y = {.low = -0.04, .high = 1.04, .label = "P(feasible)"},
                              .grid = 1};
    top.x.bare = strip;
    top.y.bare = !(range->low <= range->high);
    const double high = upper.height - 20 - app_chart_below(&top.x, box->width - 60);
    const double left = fmax(app_chart_left(&top.y, high), strip ? app_chart_left(&below.y, 62) : 0);

    app_chart_fit(&top, &upper, left);
    draw_top(&top, s, history);
    if (strip) {
        app_chart_fit(&below, &lower, left);
        draw_probability(&below, s, history);
    }
    app_keys_draw(canvas, keys, count, top.box.x, box->y + box->height - legend + 2, box->width - 60);
}

static int draw(struct app_canvas *canvas, const struct app_show *s, const struct app_plot_options *options,
                const struct app_box *box)
{
    struct app_history history;
    struct app_range range = APP_RANGE_INIT;
    int status = app_history_make(&history, s);

    (void)options;
    if (!status)
        status = choose_range(s, &history, &range);
    if (!status)
        draw_charts(canvas, s, &history, &range, box);
    return status;
}

const struct app_plot app_plot_convergence = {
    "convergence", "the best feasible value and the recommendation after each evaluation", possible, size,
    draw};

/*
 * Predicted against measured: every trial's value as the model predicts it from all the other designs, with
 * ±2 sd of a measurement.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "figure/draw/chart.h"
#include "figure/figure.h"

static const struct app_pen diagonal_pen = {.stroke = APP_INK_SOFT, .width = 1};
static const struct app_pen limit_pen = {.stroke = APP_INK_LIMIT, .width = 1.2, .dash = APP_DASHED};
static const struct app_pen within_pen = {.stroke = APP_INK_MEAN, .width = 1},
                            outside_pen = {.stroke = APP_INK_LIMIT, .width = 1};
static const struct app_pen within_mark = {.stroke = APP_INK_PAPER, .fill = APP_INK_MEAN, .width = 0.6};
static const struct app_pen outside_mark = {.stroke = APP_INK_LIMIT, .fill = APP_INK_PAPER, .width = 1.3};

static void draw_limits(const struct app_chart *c, struct app_outcome o)
{
    const double limits[] = {o.min, o.max};

    for (int i = 0; i < 2; i++) {
        if (!(limits[i] > c->x.low && limits[i] < c->x.high))
            continue;
        const double x = app_chart_x(c, limits[i]);
        const double y = app_chart_y(c, limits[i]);
        app_draw_line(c->canvas, x, c->box.y, x, c->box.y + c->box.height, &limit_pen);
        app_draw_line(c->canvas, c->box.x, y, c->box.x + c->box.width, y, &limit_pen);
    }
}

static void draw_trial(const struct app_chart *c, const struct app_show *s, const struct app_trial *t,
                       double value, double mean, double sd)
{
    const int within = fabs(value - mean) <= 2 * sd * (1 + 1e-9);
    const double x = app_chart_x(c, value);
    const double reach = 3 * (c->y.high - c->y.low);
    struct app_text hint = {0};

    app_trial_hint(s->definition, t, &hint);
    app_text_print(&hint, "; predicted %.4g ± %.2g", mean, sd);

    app_draw_line(c->canvas, x, app_chart_y(c, fmax(mean - 2 * sd, c->y.low - reach)), x,
                  app_chart_y(c, fmin(mean + 2 * sd, c->y.high + reach)),
                  within ? &within_pen : &outside_pen);
    app_draw_mark(c->canvas, within ? APP_CIRCLE : APP_DIAMOND, x, app_chart_y(c, mean), 3,
                  within ? &within_mark : &outside_mark, hint.data);
    app_text_free(&hint);
}

static int draw(struct app_canvas *canvas, const struct app_show *s, int outcome, const double *mean,
                const double *sd, const struct app_box *box)
{
    const struct app_outcome o = app_outcome_at(s->definition, outcome);
    struct app_range range = APP_RANGE_INIT;
    int count = 0;
    int within = 0;
    char title[64];

    /* How many lie within two standard deviations, and the range of all. */
    for (int i = 0; i < s->notebook->count; i++) {
        const double value = app_trial_value(&s->notebook->trials[i], outcome);
        if (isnan(value) || isnan(mean[i]))
            continue;
        count++;
        within += fabs(value - mean[i]) <= 2 * sd[i] * (1 + 1e-9);
        app_range_add(&range, value);
    }
    snprintf(title, sizeof title, "%d of %d within 2 sd", within, count);

    /* The same axis both ways. */
    struct app_chart c = {.canvas = canvas, .x = app_axis_over(&range, NULL), .title = title, .grid = 1};
    c.y = c.x;
    c.x.label = "measured";
    c.y.label = "predicted from the others";
    app_chart_fit(&c, box, 0);
    app_chart_axes(&c);

    /* The diagonal, the limits, and a bar for each trial. */
    canvas->table->clip(canvas, &c.box);
    app_draw_line(canvas, app_chart_x(&c, c.x.low), app_chart_y(&c, c.x.low), app_chart_x(&c, c.x.high),
                  app_chart_y(&c, c.x.high), &diagonal_pen);
    if (outcome)
        draw_limits(&c, o);
    for (int i = 0; i < s->notebook->count; i++) {
        const double value = app_trial_value(&s->notebook->trials[i], outcome);
        if (!isnan(value) && !isnan(mean[i]))
            draw_trial(&c, s, &s->notebook->trials[i], value, mean[i], sd[i]);
    }

    canvas->table->unclip(canvas);
    app_chart_frame(&c);
    return CKG_OK;
}

int app_plot_residuals(struct app_canvas *canvas, const struct app_show *s, int outcome,
                       const struct app_box *box)
{
    const size_t trials = (size_t)s->notebook->count + 1;
    double *mean = malloc(trials * sizeof *mean);
    double *sd = malloc(trials * sizeof *sd);
    int status = mean && sd ? CKG_OK : app_show_no_memory(s);

    if (!status) {
        status = ckg_study_leave_one_out(s->engine, outcome, mean, NULL, sd);
        status = status ? app_notebook_fail(s->notebook, status) : draw(canvas, s, outcome, mean, sd, box);
    }
    free(mean);
    free(sd);
    return status;
}

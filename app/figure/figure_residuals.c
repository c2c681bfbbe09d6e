/*
 * Predicted against measured: every trial's value as the model predicts it from all the other designs, with
 * ±2 sd of a measurement. A panel for each outcome that has enough values, or for the one that is asked for.
 */
#include <math.h>

#include "figure/draw/ticks.h"
#include "figure/figure.h"

enum { COLUMNS = 3, NARROWEST = 200, WIDE = 380, HIGH = 240 };

static const struct app_pen diagonal_pen = {.stroke = APP_INK_SOFT, .width = 1};

/* What lies within two standard deviations, and what does not. */
static const struct app_pen bar_pens[2] = {{.stroke = APP_INK_LIMIT, .width = 1},
                                           {.stroke = APP_INK_MEAN, .width = 1}};
static const char *const keys[2] = {"beyond ±2 sd", "within ±2 sd"};
static const struct app_pen mark_pens[2] = {{.stroke = APP_INK_LIMIT, .fill = APP_INK_PAPER, .width = 1.3},
                                            {.stroke = APP_INK_PAPER, .fill = APP_INK_MEAN, .width = 0.6}};

/* The range of what was measured; *count of them, *within two standard deviations. */
static struct app_range find_range(const struct app_show *s, int outcome, const double *mean,
                                   const double *sd, int *count, int *within)
{
    struct app_range range = APP_RANGE_INIT;

    *count = *within = 0;
    for (int i = 0; i < s->record->count; i++) {
        const double value = app_trial_value(&s->record->trials[i], outcome);
        if (isnan(value) || isnan(mean[i]))
            continue;
        ++*count;
        *within += fabs(value - mean[i]) <= 2 * sd[i] * (1 + 1e-9);
        app_range_add(&range, value);
    }
    return range;
}

/* A bar and a mark for each trial, those beyond two standard deviations apart. */
static void add_trials(struct app_panel *p, const struct app_show *s, int outcome, const double *mean,
                       const double *sd)
{
    struct app_layer *bars[2];
    struct app_layer *marks[2];
    char predicted[64];
    char spread[64];

    for (int inside = 0; inside < 2; inside++)
        bars[inside] = app_panel_layer(p, APP_LAYER_BARS, bar_pens[inside], NULL);
    for (int inside = 0; inside < 2; inside++) {
        marks[inside] = app_panel_layer(p, APP_LAYER_MARKS, mark_pens[inside], keys[inside]);
        marks[inside]->shape = inside ? APP_CIRCLE : APP_DIAMOND;
        marks[inside]->size = 3;
    }
    for (int i = 0; i < s->record->count; i++) {
        const struct app_trial *t = &s->record->trials[i];
        const double value = app_trial_value(t, outcome);
        const int inside = fabs(value - mean[i]) <= 2 * sd[i] * (1 + 1e-9);
        if (isnan(value) || isnan(mean[i]))
            continue;
        const struct app_point at = {.x = value,
                                     .y = mean[i],
                                     .low = mean[i] - 2 * sd[i],
                                     .high = mean[i] + 2 * sd[i],
                                     .trial = t->number,
                                     .hint = app_figure_text(p->figure, "%s; predicted %s ± %s",
                                                             app_figure_hint(p->figure, s, t),
                                                             app_number_nice(mean[i], 4, predicted),
                                                             app_number_nice(sd[i], 2, spread))};
        app_layer_add(bars[inside], at);
        app_layer_add(marks[inside], at);
    }
}

static void add_panel(struct app_figure *f, const struct app_show *s, int column, int outcome,
                      const double *mean, const double *sd)
{
    const struct app_outcome o = app_outcome_at(s->definition, outcome);
    struct app_panel *p = app_figure_panel(f, 0, column);
    int count;
    int within;
    const struct app_range range = find_range(s, outcome, mean, sd, &count, &within);

    /* The same axis both ways. */
    p->x = p->y = app_axis_over(&range, NULL);
    p->x.label = "measured";
    p->y.label = "predicted from the others";
    p->title = app_outcome_at(s->definition, outcome).title;
    p->note = app_figure_text(f, "%d of %d within 2 sd", within, count);
    p->height = HIGH;
    p->grid = 1;

    struct app_layer *diagonal = app_panel_layer(p, APP_LAYER_LINE, diagonal_pen, NULL);
    app_layer_xy(diagonal, p->x.low, p->y.low);
    app_layer_xy(diagonal, p->x.high, p->y.high);
    for (int level = 0; outcome && level < 2; level++) {
        app_panel_limit(p, o.min, level);
        app_panel_limit(p, o.max, level);
    }
    add_trials(p, s, outcome, mean, sd);
}

static int make(struct app_figure *out, const struct app_show *s, const struct app_figure_options *options)
{
    const size_t trials = (size_t)s->record->count + 1;
    double *mean = app_figure_new(out, 2 * trials, sizeof *mean);
    int columns = 0;
    int status = CKG_OK;

    /* One that is asked for need not be among those that there is room for. */
    const int asked = options->outcome >= 0;
    for (int i = 0; mean && !status && i < (asked ? 1 : s->outcomes.count); i++) {
        const int outcome = asked ? options->outcome : s->outcomes.outcome[i];
        ckg_model_info model;
        status = ckg_study_model(s->engine, outcome, &model);
        if (!status && model.observations > 1) {
            status = ckg_study_leave_one_out(s->engine, outcome, mean, NULL, mean + trials);
            if (!status)
                add_panel(out, s, columns++, outcome, mean, mean + trials);
        }
        if (status)
            app_study_fail(s->record, status);
    }
    if (!status && mean && !columns)
        status = app_fail(s->record->message, CKG_ERR_STATE,
                          "%s: comparing predictions with measurements needs two measured designs",
                          s->definition->name);
    out->across = COLUMNS;
    out->narrowest = NARROWEST;
    out->width = columns < COLUMNS ? columns * WIDE : COLUMNS * WIDE;
    return status;
}

const struct app_figure_kind app_figure_residuals = {
    "residuals", "each value as its model predicts it from all the others, against what was measured", make};

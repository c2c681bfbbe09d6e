/*
 * The frontier: the best predicted objective for a row of probabilities of being feasible, and the chosen
 * design among them. What a little more safety costs is read off its slope.
 */
#include <math.h>

#include "figure/draw/ticks.h"
#include "figure/figure.h"
#include "figure/view_cache.h"

static const struct app_pen line_pen = {.stroke = APP_INK_MEAN, .width = 1.6};
static const struct app_pen bar_pen = {.stroke = APP_INK_MEAN, .width = 1};
static const struct app_pen mark_pen = {.stroke = APP_INK_PAPER, .fill = APP_INK_MEAN, .width = 0.8};
static const double lowest = 0.42;
static const double highest = 0.99965;

static int possible(const struct app_show *s)
{
    struct app_message *message = s->record->message;
    int tally[APP_STATES];

    app_study_tally(s->record, tally);
    if (!app_constraints(s->definition) && !tally[APP_FAILED_TRIAL])
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
    return app_axis_over(&range, app_outcome_at(s->definition, 0).title);
}

/* The line, with a bar of two standard deviations at each point, and the designs. */
static void add_points(struct app_panel *p, const struct app_frontier *f)
{
    struct app_layer *bars = app_panel_layer(p, APP_LAYER_BARS, bar_pen, NULL);
    struct app_layer *line = app_panel_layer(p, APP_LAYER_LINE, line_pen, "best prediction, ±2 sd");
    struct app_layer *marks = app_panel_layer(p, APP_LAYER_MARKS, mark_pen, NULL);

    line->shape = marks->shape = APP_CIRCLE;
    marks->size = 3.6;
    char predicted[64];
    char spread[64];
    for (int k = 0; k < APP_FRONTIER; k++) {
        const ckg_recommendation *r = f->at[k];
        if (!r)
            continue;
        const struct app_point at = {
            .x = app_frontier_chances[k],
            .y = r->mean[0],
            .low = fmax(r->mean[0] - 2 * r->sd[0], p->y.low),
            .high = fmin(r->mean[0] + 2 * r->sd[0], p->y.high),
            .hint = app_figure_text(p->figure, "feasible with probability %.4g or more: %s ± %s",
                                    app_frontier_chances[k], app_number_nice(r->mean[0], 5, predicted),
                                    app_number_nice(r->sd[0], 2, spread))};
        app_layer_add(bars, at);
        app_layer_add(line, at);
        app_layer_add(marks, at);
    }
}

/* What no design reaches, in words. */
static const char *note_of(struct app_figure *figure, const struct app_frontier *f)
{
    int least = 0; /* the least probability that no design has */

    for (int k = 0; k < APP_FRONTIER; k++)
        least = f->at[k] ? k + 1 : least;
    return least < APP_FRONTIER
               ? app_figure_text(figure, "no design is feasible with probability %g",
                                 app_frontier_chances[least])
               : "the best prediction among designs that are at least so likely to be feasible";
}

static int make(struct app_figure *out, const struct app_show *s, const struct app_figure_options *options)
{
    const struct app_frontier *frontier;
    int status = possible(s);

    (void)options;
    if (!status)
        status = app_show_frontier(s, &frontier);
    if (status)
        return status;

    struct app_panel *p = app_figure_panel(out, 0, 0);
    p->title = "Cost of safety";
    p->note = note_of(out, frontier);
    p->x = (struct app_axis){
        .kind = APP_AXIS_CHANCES, .low = lowest, .high = highest, .label = "probability of being feasible"};
    p->y = objective_axis(s, frontier);
    p->height = 230;
    p->grid = 1;
    add_points(p, frontier);
    app_panel_star(p, fmin(fmax(s->recommendation->probability_feasible, lowest + 0.02), highest),
                   s->recommendation->mean[0], 8);
    out->width = 560;
    return CKG_OK;
}

const struct app_figure_kind app_figure_frontier = {
    "frontier", "the best predicted objective by the probability of being feasible", make};

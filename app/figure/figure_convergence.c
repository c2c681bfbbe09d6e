/*
 * Convergence: every value measured, the best feasible one so far, and what would have been recommended; the
 * gap of all these to the best on a logarithmic axis, where the end of a study is seen as well as its
 * beginning; and the probability that what was recommended is feasible.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "figure/draw/chart.h"
#include "figure/figure.h"
#include "figure/kept.h"

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
    *width = options->width > 0 ? options->width : 640;
    *height = 540;
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

/* --- the gap to the best --- */

/* How far a value is behind the best, in the objective's units; negative: it is ahead. */
struct gap {
    int shown;
    double best, sign; /* 1 to minimize, −1 to maximize */
    double unit, largest;
};

static double gap_of(const struct gap *g, double value)
{
    return g->sign * (value - g->best);
}

/* The gaps of the trials that ended, those of the later half that are feasible, sorted; how many of each. */
struct gaps {
    double *all, *late;
    int alls, lates;
};

static void gather_gaps(const struct app_show *s, const struct gap *g, struct gaps *out)
{
    int evaluation = 0;

    for (int i = 0; i < s->notebook->count; i++) {
        const struct app_trial *t = &s->notebook->trials[i];
        const double gap = has_ended(t) ? gap_of(g, app_trial_value(t, 0)) : NAN;

        evaluation += has_ended(t);
        if (!(gap > 0) || !isfinite(gap))
            continue;
        out->all[out->alls++] = gap;
        if (t->feasible == 1 && 2 * evaluation > s->ended)
            out->late[out->lates++] = gap;
    }
    qsort(out->all, (size_t)out->alls, sizeof *out->all, ascending);
    qsort(out->late, (size_t)out->lates, sizeof *out->late, ascending);
}

/*
 * What a tenth of the later feasible designs are behind the best is the unit: less is as good as nothing. The
 * axis holds nine of ten gaps, and what is not much farther. Where gaps do not range over a decade they are
 * seen in the values themselves.
 */
static int find_gap(const struct app_show *s, struct gap *g)
{
    const size_t size = (size_t)s->notebook->count * sizeof(double);
    struct gaps gaps = {.all = malloc(size), .late = malloc(size)};
    const int status = gaps.all && gaps.late ? CKG_OK : app_show_no_memory(s);

    *g = (struct gap){.best = s->best ? app_trial_value(s->best, 0) : NAN,
                      .sign = ckg_problem_goal(s->definition->problem) == CKG_MAXIMIZE ? -1 : 1};
    if (!status && s->best)
        gather_gaps(s, g, &gaps);
    if (gaps.lates) {
        const double most = gaps.all[gaps.alls - 1 - gaps.alls / 10];
        g->largest = fmin(gaps.all[gaps.alls - 1], 3 * most);
        g->unit = fmax(gaps.late[gaps.lates / 10], 1e-6 * g->largest);
        g->shown = g->largest > 20 * g->unit;
    }
    free(gaps.all);
    free(gaps.late);
    return status;
}

/* --- drawing --- */

/* What is shown of a value: itself, or its gap. */
static double shown_of(const struct gap *g, double value)
{
    return g ? fmax(gap_of(g, value), 0) : value;
}

/* A value beyond the axis is marked at its edge. */
static void draw_values(const struct app_chart *c, const struct app_show *s, const struct gap *g)
{
    const double radius = s->ended <= 150 ? 3.4 : s->ended <= 500 ? 2.6 : 1.9;
    int evaluation = 0;

    for (int i = 0; i < s->notebook->count; i++) {
        const struct app_trial *t = &s->notebook->trials[i];
        const double measured = app_trial_value(t, 0);
        struct app_text hint = {0};

        if (!has_ended(t))
            continue;
        evaluation++;

        /* An infeasible design that is ahead of the best is marked below, like one that failed. */
        const double value = g ? gap_of(g, measured) : measured;
        const struct app_look *look = &app_looks[app_trial_look(t)];
        const double at = isnan(value) ? c->y.low : fmin(fmax(value, c->y.low), c->y.high);
        const double inset = isnan(value) || value < c->y.low ? -5 : value > c->y.high ? 5 : 0;
        const double y = g && inset < 0 ? c->box.y + c->box.height : app_chart_y(c, at);

        app_trial_hint(s->definition, t, &hint);
        app_draw_mark(c->canvas, look->shape, app_chart_x(c, evaluation), y + inset, radius, &look->pen,
                      hint.data);
        app_text_free(&hint);
    }
}

static void draw_best(const struct app_chart *c, const struct app_show *s, const struct gap *g)
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
                app_path_move(&path, app_chart_x(c, evaluation), app_chart_y(c, shown_of(g, value)));
            else
                app_path_line(&path, app_chart_x(c, evaluation), app_chart_y(c, shown_of(g, best)));
            best = value;
            app_path_line(&path, app_chart_x(c, evaluation), app_chart_y(c, shown_of(g, best)));
        }
    }

    /* The last one holds to the end. */
    if (!isnan(best))
        app_path_line(&path, app_chart_x(c, s->ended), app_chart_y(c, shown_of(g, best)));
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

static void draw_line(const struct app_chart *c, const struct app_history *r, const struct gap *g)
{
    struct app_path line = {0};

    for (int k = 0; k < r->count; k++)
        (k ? app_path_line : app_path_move)(&line, app_chart_x(c, r->evaluations[k]),
                                            tame(c, shown_of(g, r->mean[k])));
    if (r->count == 1) /* a line of one point shows nothing */
        app_path_line(&line, app_chart_x(c, r->evaluations[0] + 0.2), tame(c, shown_of(g, r->mean[0])));
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

/* Everything in the chart of values, or of gaps; what lies beyond the axis is cut off. */
static void draw_values_chart(const struct app_chart *c, const struct app_show *s,
                              const struct app_history *history, const struct gap *g)
{
    app_chart_axes(c);
    c->canvas->table->clip(c->canvas, &c->box);
    if (!g)
        draw_band(c, history);
    draw_start(c, s, !g);
    if (c->y.bare)
        draw_nothing(c);
    draw_values(c, s, g);
    draw_best(c, s, g);
    draw_line(c, history, g);
    c->canvas->table->unclip(c->canvas);
    app_chart_frame(c);
}

/* Up to three charts above each other over the same evaluations. */
enum { VALUES, GAPS, CHANCE, CHARTS };

struct stack {
    int shown[CHARTS];
    struct app_chart chart[CHARTS];
    char label[64]; /* of the gaps */
};

/* What is shown, and its axes. */
static void make_stack(struct stack *out, struct app_canvas *canvas, const struct app_show *s,
                       const struct app_history *history, const struct app_range *range, const struct gap *g)
{
    const struct app_axis evaluations = {
        .kind = APP_AXIS_INTEGER, .low = 0.2, .high = s->ended + 0.8, .label = "evaluations"};
    char number[64];

    snprintf(out->label, sizeof out->label, "gap to the best, %s", app_number_nice(g->best, 5, number));
    out->shown[VALUES] = 1;
    out->shown[GAPS] = g->shown;
    out->shown[CHANCE] = app_constraints(s->definition) > 0 && has_probability(history);

    out->chart[VALUES].y = app_axis_over(range, app_outcome_title(s->definition, 0));
    out->chart[VALUES].y.bare = !(range->low <= range->high);
    out->chart[VALUES].title = "Convergence";
    out->chart[GAPS].y = (struct app_axis){
        .kind = APP_AXIS_GAP, .high = 1.5 * g->largest, .unit = g->unit, .label = out->label};
    out->chart[CHANCE].y = (struct app_axis){.low = -0.04, .high = 1.04, .label = "P(feasible)"};

    /* The evaluations are named below the last of them. */
    int last = VALUES;
    for (int k = 0; k < CHARTS; k++) {
        out->chart[k].canvas = canvas;
        out->chart[k].grid = 1;
        out->chart[k].x = evaluations;
        out->chart[k].x.bare = 1;
        last = out->shown[k] ? k : last;
    }
    out->chart[last].x.bare = 0;
}

/* Where each chart goes: heights by what is shown, y axes in one line. */
static void lay_out(struct stack *stack, const struct app_box *box, double legend)
{
    const double names = app_chart_below(
        &(struct app_axis){.kind = APP_AXIS_INTEGER, .high = 10, .label = "e"}, box->width - 60);
    const double chance = stack->shown[CHANCE] ? 76 : 0;
    const double rest = box->height - legend - names - chance;
    const double high[CHARTS] = {stack->shown[GAPS] ? 0.46 * rest : rest,
                                 stack->shown[GAPS] ? 0.54 * rest : 0, chance};
    double left = 0;
    double y = box->y;

    for (int k = 0; k < CHARTS; k++)
        if (stack->shown[k])
            left = fmax(left, app_chart_left(&stack->chart[k].y, high[k] - 28));
    for (int k = 0; k < CHARTS; k++) {
        const struct app_box part = {box->x, y, box->width, high[k] + (stack->chart[k].x.bare ? 0 : names)};
        if (stack->shown[k])
            app_chart_fit(&stack->chart[k], &part, left);
        y += high[k];
    }
}

static void draw_charts(struct app_canvas *canvas, const struct app_show *s,
                        const struct app_history *history, const struct app_range *range, const struct gap *g,
                        const struct app_box *box)
{
    struct app_key keys[APP_LOOKS + 2];
    struct stack stack = {0};
    const int count = make_keys(s, history, keys);
    const double legend = app_keys_draw(NULL, keys, count, 0, 0, box->width - 20);

    make_stack(&stack, canvas, s, history, range, g);
    lay_out(&stack, box, legend);
    draw_values_chart(&stack.chart[VALUES], s, history, NULL);
    if (stack.shown[GAPS])
        draw_values_chart(&stack.chart[GAPS], s, history, g);
    if (stack.shown[CHANCE])
        draw_probability(&stack.chart[CHANCE], s, history);
    app_keys_draw(canvas, keys, count, box->x + 10, box->y + box->height - legend + 2, box->width - 20);
}

static int draw(struct app_canvas *canvas, const struct app_show *s, const struct app_plot_options *options,
                const struct app_box *box)
{
    struct app_range range = APP_RANGE_INIT;
    struct gap gap;
    const struct app_history *history;
    int status = app_show_history(s, &history);

    (void)options;
    if (!status)
        status = choose_range(s, history, &range);
    if (!status)
        status = find_gap(s, &gap);
    if (!status)
        draw_charts(canvas, s, history, &range, &gap, box);
    return status;
}

const struct app_plot app_plot_convergence = {
    "convergence", "the best feasible value and the recommendation after each evaluation", possible, size,
    draw};

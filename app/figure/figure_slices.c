/*
 * Slices through the recommendation: each outcome predicted along each parameter, the others held, with ±2 sd
 * and the limits. Columns are parameters, rows are outcomes; panels of a row share their axis. Many
 * parameters go on below, the ones that matter most first.
 */
#include <math.h>

#include "figure/figure.h"

enum { COLUMNS = 4, MOST = 8, WIDE = 210, HIGH = 136, NARROWEST = 100 };

static const struct app_pen mean_pen = {.stroke = APP_INK_MEAN, .width = 1.6},
                            band_pen = {.fill = APP_INK_MEAN, .clear = 0.8};
static const struct app_pen noise_pen = {.stroke = APP_INK_MEAN, .width = 0.8, .dash = APP_DOTTED};
static const struct app_pen beyond_pen = {.fill = APP_INK_LIMIT, .clear = 0.9};
static const struct app_pen here_pen = {.stroke = APP_INK_SOFT, .width = 0.9, .dash = APP_DOTTED};

struct slices {
    const struct app_show *show;
    int count;
    int parameter[MOST];
    struct app_nodes nodes[MOST];
    struct app_grid grid[MOST];
    double *noise_sd[MOST]; /* (nodes×(1+K)) */
};

static int choose(const struct app_show *s, const struct app_figure_options *o, int *parameter)
{
    int count = 0;

    if (o->x >= 0)
        parameter[count++] = o->x;
    if (o->y >= 0 && o->y != o->x)
        parameter[count++] = o->y;
    for (int i = 0; o->x < 0 && o->y < 0 && i < app_dimension(s->definition) && count < MOST; i++)
        parameter[count++] = app_dimension(s->definition) <= MOST ? i : s->order[i];
    return count;
}

/* An answer's curve is a probability: it has no band. */
static void drop_bands(const struct app_definition *d, int count, double *sd)
{
    const int outcomes = app_constraints(d) + 1;

    for (int j = 1; j < outcomes; j++)
        for (int i = 0; ckg_problem_yesno(d->problem, j) == 1 && i < count; i++)
            sd[i * outcomes + j] = 0;
}

static int predict(struct app_figure *f, struct slices *w, int k)
{
    const struct app_show *s = w->show;
    const size_t outcomes = (size_t)app_constraints(s->definition) + 1;
    struct app_grid *g = &w->grid[k];

    app_nodes_make(&w->nodes[k], app_parameter_at(s->definition, w->parameter[k]), app_show_fineness(s, 1));
    int status = app_grid_predict(g, &f->pool, s, w->parameter[k], &w->nodes[k], -1, NULL);
    w->noise_sd[k] = app_figure_new(f, (size_t)w->nodes[k].count * outcomes, sizeof *w->noise_sd[k]);
    if (status || !w->noise_sd[k])
        return status;
    if (ckg_study_predict_noise(s->engine, g->count, g->X, w->noise_sd[k]))
        status = app_study_fail(s->record, CKG_ERR_NUMERIC);
    drop_bands(s->definition, g->count, g->sd);
    return status;
}

/*
 * The edges of one band, without the outer quarters where those lie far from the middle: one steep curve must
 * not make all others flat.
 */
static void add_span(const struct slices *w, int k, int outcome, struct app_range *range)
{
    const int outcomes = app_constraints(w->show->definition) + 1;
    double edges[2 * APP_MAX_NODES];
    int count = 0;

    for (int i = 0; i < w->nodes[k].count; i++)
        for (int side = -1; side <= 1; side += 2) {
            const double edge = w->grid[k].mean[i * outcomes + outcome] +
                                2 * side * w->grid[k].sd[i * outcomes + outcome];
            if (isfinite(edge))
                edges[count++] = edge;
        }
    app_range_add_most(range, edges, count, 4, 1.5, 0.2);
}

/*
 * All charts of the row together. The steepest gets three times what the next one needs at most, around the
 * recommendation, unless all others are as good as flat.
 */
static void join_spans(const struct slices *w, int outcome, struct app_range *range)
{
    const double here = w->show->recommendation->mean[outcome];
    struct app_range each[MOST];
    double largest = 0;
    double next = 0;

    for (int k = 0; k < w->count; k++) {
        each[k] = (struct app_range)APP_RANGE_INIT;
        add_span(w, k, outcome, &each[k]);
        app_range_add(&each[k], here);
        const double span = each[k].high - each[k].low;
        next = span > largest ? largest : fmax(next, span);
        largest = fmax(largest, span);
    }

    const double most = next > 0.004 * largest ? 3 * next : INFINITY;
    for (int k = 0; k < w->count; k++) {
        app_range_add(range, fmax(each[k].low, here - most));
        app_range_add(range, fmin(each[k].high, here + most));
    }
}

/* What a row of charts must hold: the bands, the recommendation, and limits that are not far away. */
static struct app_axis row_axis(const struct slices *w, int outcome)
{
    const struct app_outcome o = app_outcome_at(w->show->definition, outcome);
    struct app_range range = APP_RANGE_INIT;

    join_spans(w, outcome, &range);

    const double span = range.high - range.low;
    if (outcome && isfinite(o.min) && o.min > range.low - span && o.min < range.high + span)
        app_range_add(&range, o.min);
    if (outcome && isfinite(o.max) && o.max > range.low - span && o.max < range.high + span)
        app_range_add(&range, o.max);
    return app_axis_over(&range, o.name);
}

/* --- the layers of a panel --- */

/* What lies beyond a limit, as far as the axis goes. */
static void add_limit(struct app_panel *p, double limit, int upper)
{
    const double edge = upper ? p->y.high : p->y.low;
    const double inside = fmin(fmax(limit, p->y.low), p->y.high);

    if (!isfinite(limit) || (upper ? limit > edge : limit < edge))
        return;
    struct app_layer *beyond = app_panel_layer(p, APP_LAYER_BAND, beyond_pen, NULL);
    for (int end = 0; end < 2; end++)
        app_layer_span(beyond, end ? p->x.high : p->x.low, upper ? inside : edge, upper ? edge : inside);
    app_panel_limit(p, limit, 1);
}

/* The band around the mean, and the mean. Between categories, or a few integers, there is nothing: a box and
 * a dash for each. */
static void add_curve(struct app_panel *p, const struct app_nodes *n, const double *mean, const double *sd,
                      int outcomes)
{
    struct app_layer *band = app_panel_layer(p, APP_LAYER_BAND, band_pen, "±2 sd");
    struct app_layer *line = app_panel_layer(p, APP_LAYER_LINE, mean_pen, "predicted mean");
    const double half = n->stepped ? fmin(0.36, 0.08 * n->count) : 0;

    for (int i = 0; i < n->count; i++) {
        const double reach = 2 * sd[i * outcomes];
        struct app_point at = {.y = mean[i * outcomes]};
        at.low = at.y - reach;
        at.high = at.y + reach;
        for (int side = -n->stepped; side <= n->stepped; side += 2) {
            at.x = n->value[i] + side * half;
            app_layer_add(band, at);
            app_layer_add(line, at);
            if (!n->stepped)
                break;
        }
        at.y = at.low = at.high = NAN;
        if (n->stepped) {
            app_layer_add(band, at);
            app_layer_add(line, at);
        }
    }
}

/* Where the noise varies: what a measurement there would be, between dotted lines. */
static void add_noise(struct app_panel *p, const struct app_nodes *n, const double *mean, const double *sd,
                      const double *noise_sd, int outcomes)
{
    for (int side = -1; side <= 1; side += 2) {
        struct app_layer *line = app_panel_layer(p, APP_LAYER_LINE, noise_pen, NULL);
        for (int i = 0; i < n->count; i++) {
            const int at = i * outcomes;
            const double reach = 2 * side * sqrt(sd[at] * sd[at] + noise_sd[at] * noise_sd[at]);
            app_layer_xy(line, n->value[i], mean[at] + reach);
        }
    }
}

/* 1 when the model of the outcome has noise that varies over the space. */
static int noise_varies(const struct app_show *s, int outcome)
{
    ckg_model_info info;

    return !ckg_study_model(s->engine, outcome, &info) && info.noise_varies;
}

/* --- all of them --- */

/* 1 when the slices go through the recommendation, and not through another design that was asked for. */
static int is_recommended(const struct app_show *s)
{
    int same = 1;

    for (int i = 0; i < app_dimension(s->definition); i++)
        same &= s->centre[i] == s->recommendation->x[i];
    return same;
}

static void add_panel(struct app_figure *f, const struct slices *w, int k, int row, struct app_axis axis)
{
    const struct app_show *s = w->show;
    const int outcome = s->outcomes.outcome[row];
    const int outcomes = app_constraints(s->definition) + 1;
    const double *mean = w->grid[k].mean + outcome;
    const double *sd = w->grid[k].sd + outcome;
    struct app_panel *p = app_figure_panel(f, row, k);

    p->height = HIGH;
    p->grid = 1;
    p->x = app_axis_of(app_parameter_at(s->definition, w->parameter[k]));
    p->x.bare = row < s->outcomes.count - 1;
    p->y = axis;
    p->y.shared = 1;
    if (isnan(s->recommendation->mean[outcome])) {
        p->y.bare = 1;
        p->empty = app_figure_text(f, "%s: not measured yet", axis.label);
        return;
    }

    if (outcome) {
        add_limit(p, app_outcome_at(s->definition, outcome).min, 0);
        add_limit(p, app_outcome_at(s->definition, outcome).max, 1);
    }
    app_panel_rule(p, here_pen, s->centre[w->parameter[k]], 0);
    add_curve(p, &w->nodes[k], mean, sd, outcomes);
    if (!w->nodes[k].stepped && noise_varies(s, outcome))
        add_noise(p, &w->nodes[k], mean, sd, w->noise_sd[k] + outcome, outcomes);
    if (is_recommended(s))
        app_panel_star(p, s->recommendation->x[w->parameter[k]], s->recommendation->mean[outcome], 6);
}

/* What is shown, where that is not everything. */
static const char *heading_of(struct app_figure *f, const struct slices *w)
{
    const int d = app_dimension(w->show->definition);
    const struct app_nearest *shown = &w->show->outcomes;

    return app_figure_text(
        f, "Slices through the %s%s%s", is_recommended(w->show) ? "recommendation" : "design",
        w->count < d ? app_figure_text(f, ", along %d of %d parameters", w->count, d) : "",
        shown->others
            ? app_figure_text(f, ", with the %d constraints nearest to their limits", shown->count - 1)
            : "");
}

static int make(struct app_figure *out, const struct app_show *s, const struct app_figure_options *options)
{
    struct slices *w = app_figure_new(out, 1, sizeof *w);
    int status = CKG_OK;

    if (!s->recommendation)
        return app_fail(s->record->message, CKG_ERR_STATE,
                        "%s: '%s' has not been measured yet, so there are no slices to show",
                        s->definition->name, app_outcome_name(s->definition, 0));
    if (!w)
        return CKG_OK;
    w->show = s;
    w->count = choose(s, options, w->parameter);
    for (int k = 0; !status && k < w->count && !out->failed; k++)
        status = predict(out, w, k);
    if (status || out->failed)
        return status;

    for (int row = 0; row < s->outcomes.count; row++) {
        const struct app_axis axis = row_axis(w, s->outcomes.outcome[row]);
        for (int k = 0; k < w->count; k++)
            add_panel(out, w, k, row, axis);
    }
    out->heading = heading_of(out, w);
    out->across = COLUMNS;
    out->narrowest = NARROWEST;
    out->width = fmax(80 + fmin(w->count, COLUMNS) * WIDE, 420);
    return CKG_OK;
}

const struct app_figure_kind app_figure_slices = {
    "slices", "every outcome along each parameter, through the recommendation", make};

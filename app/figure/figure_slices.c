/*
 * Slices through the recommendation: each outcome predicted along each parameter, the others held, with ±2 sd
 * and the limits. Columns are parameters, rows are outcomes; charts of a row share their axis. Many
 * parameters go on below, the ones that matter most first.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "figure/draw/chart.h"
#include "base/markup.h"
#include "figure/figure.h"

enum { COLUMNS = 4, MOST = 8, WIDE = 210, HIGH = 150, GAP = 26, NARROWEST = 130 };

static const struct app_pen mean_pen = {.stroke = APP_INK_MEAN, .width = 1.6},
                            band_pen = {.fill = APP_INK_MEAN, .clear = 0.8};
static const struct app_pen noise_pen = {.stroke = APP_INK_MEAN, .width = 0.8, .dash = APP_DOTTED};
static const struct app_pen limit_pen = {.stroke = APP_INK_LIMIT, .width = 1.3, .dash = APP_DASHED};
static const struct app_pen beyond_pen = {.fill = APP_INK_LIMIT, .clear = 0.9};
static const struct app_pen here_pen = {.stroke = APP_INK_SOFT, .width = 0.9, .dash = APP_DOTTED};

struct slices {
    const struct app_show *show;
    int count;
    int columns;
    int parameter[MOST];
    struct app_nodes nodes[MOST];
    double *mean[MOST];     /* (nodes×(1+K)) */
    double *sd[MOST];       /* (nodes×(1+K)) */
    double *noise_sd[MOST]; /* (nodes×(1+K)) */
};

static int possible(const struct app_show *s, const struct app_plot_options *options)
{
    (void)options;
    return s->recommendation ? CKG_OK
                             : app_fail(s->notebook->message, CKG_ERR_STATE,
                                        "%s: '%s' has not been measured yet, so there are no slices to show",
                                        s->definition->name, app_outcome_name(s->definition, 0));
}

static int choose(const struct app_show *s, const struct app_plot_options *o, int *parameter)
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

/* How many charts stand side by side: as many as there is room for, in rows that are about equally long. */
static int count_columns(int count, double width)
{
    const int most = width > 0 ? (int)fmin(COLUMNS, fmax(1, (width - 70) / NARROWEST)) : COLUMNS;
    const int rows = (count + most - 1) / most;

    return (count + rows - 1) / rows;
}

/* The room below the charts first … end−1: names may stand upright there. */
static double room_below(const struct app_show *s, int first, int end, const int *parameter, double width)
{
    double room = 0;

    for (int k = first; k < end; k++) {
        const struct app_axis axis = app_axis_of(app_parameter_at(s->definition, parameter[k]));
        room = fmax(room, app_chart_below(&axis, width));
    }
    return room;
}

static int least(int a, int b)
{
    return a < b ? a : b;
}

static void size(const struct app_show *s, const struct app_plot_options *options, double *width,
                 double *height)
{
    int parameter[MOST];
    const int count = choose(s, options, parameter);
    const int columns = count_columns(count, options->width);

    *width = options->width > 0 ? options->width : fmax(80 + columns * WIDE, 420);
    *height = 54;
    for (int first = 0; first < count; first += columns)
        *height += s->outcomes.count * HIGH + room_below(s, first, least(count, first + columns), parameter,
                                                         (*width - 70) / columns - GAP);
}

/* An answer's curve is a probability: it has no band. */
static void drop_bands(const struct app_definition *d, int count, double *sd)
{
    const int outcomes = app_constraints(d) + 1;

    for (int j = 1; j < outcomes; j++)
        for (int i = 0; ckg_problem_yesno(d->problem, j) == 1 && i < count; i++)
            sd[i * outcomes + j] = 0;
}

static int predict(struct slices *w, int k)
{
    const struct app_show *s = w->show;

    app_nodes_make(&w->nodes[k], app_parameter_at(s->definition, w->parameter[k]), app_show_fineness(s, 1));

    const size_t values = (size_t)w->nodes[k].count * ((size_t)app_constraints(s->definition) + 1);
    double *X = app_show_designs(s, w->parameter[k], &w->nodes[k], -1, NULL);
    w->mean[k] = malloc(values * sizeof *w->mean[k]);
    w->sd[k] = malloc(values * sizeof *w->sd[k]);
    w->noise_sd[k] = malloc(values * sizeof *w->noise_sd[k]);
    int status = X && w->mean[k] && w->sd[k] && w->noise_sd[k] ? CKG_OK : app_show_no_memory(s);

    if (!status && (ckg_study_predict(s->engine, w->nodes[k].count, X, w->mean[k], w->sd[k], NULL, NULL) ||
                    ckg_study_predict_noise(s->engine, w->nodes[k].count, X, w->noise_sd[k])))
        status = app_notebook_fail(s->notebook, CKG_ERR_NUMERIC);
    if (!status)
        drop_bands(s->definition, w->nodes[k].count, w->sd[k]);
    free(X);
    return status;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;

    return (x > y) - (x < y);
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
            const double edge = w->mean[k][i * outcomes + outcome] +
                                2 * side * w->sd[k][i * outcomes + outcome];
            if (isfinite(edge))
                edges[count++] = edge;
        }
    if (!count)
        return;

    qsort(edges, (size_t)count, sizeof *edges, ascending);
    const double low = edges[count / 4];
    const double high = edges[count - 1 - count / 4];
    const double far = 1.5 * (high - low);
    app_range_add(range, edges[0] < low - far ? low - 0.2 * far : edges[0]);
    app_range_add(range, edges[count - 1] > high + far ? high + 0.2 * far : edges[count - 1]);
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

/* --- one chart --- */

static void draw_limit(const struct app_chart *c, double limit, int upper)
{
    const double edge = upper ? c->y.high : c->y.low;

    if (!isfinite(limit) || (upper ? limit > edge : limit < edge))
        return;
    const double inside = fmin(fmax(limit, c->y.low), c->y.high);
    const double y = app_chart_y(c, inside);
    const struct app_box beyond = {c->box.x, upper ? c->box.y : y, c->box.width,
                                   upper ? y - c->box.y : c->box.y + c->box.height - y};
    app_draw_box(c->canvas, &beyond, &beyond_pen);
    if (inside == limit)
        app_draw_line(c->canvas, c->box.x, y, c->box.x + c->box.width, y, &limit_pen);
}

static void draw_curve(const struct app_chart *c, const struct app_nodes *n, const double *mean,
                       const double *sd, int outcomes)
{
    struct app_path band = {0};
    struct app_path line = {0};

    for (int i = 0; i < n->count; i++) {
        const double x = app_chart_x(c, n->value[i]);
        (i ? app_path_line : app_path_move)(&band, x,
                                            app_chart_y(c, mean[i * outcomes] + 2 * sd[i * outcomes]));
        (i ? app_path_line : app_path_move)(&line, x, app_chart_y(c, mean[i * outcomes]));
    }
    for (int i = n->count - 1; i >= 0; i--)
        app_path_line(&band, app_chart_x(c, n->value[i]),
                      app_chart_y(c, mean[i * outcomes] - 2 * sd[i * outcomes]));
    app_path_close(&band);
    app_draw(c->canvas, &band, &band_pen);
    app_draw(c->canvas, &line, &mean_pen);
}

/* Where the noise varies: what a measurement there would be, between dotted lines. */
static void draw_noise(const struct app_chart *c, const struct app_nodes *n, const double *mean,
                       const double *sd, const double *noise_sd, int outcomes)
{
    for (int side = -1; side <= 1; side += 2) {
        struct app_path line = {0};
        for (int i = 0; i < n->count; i++) {
            const int at = i * outcomes;
            const double reach = 2 * side * sqrt(sd[at] * sd[at] + noise_sd[at] * noise_sd[at]);
            (i ? app_path_line : app_path_move)(&line, app_chart_x(c, n->value[i]),
                                                app_chart_y(c, mean[at] + reach));
        }
        app_draw(c->canvas, &line, &noise_pen);
    }
}

/* 1 when the model of the outcome has noise that varies over the space. */
static int noise_varies(const struct app_show *s, int outcome)
{
    ckg_model_info info;

    return !ckg_study_model(s->engine, outcome, &info) && info.noise_varies;
}

/* Between categories, or a few integers, there is nothing: a bar and a dash for each. */
static void draw_steps(const struct app_chart *c, const struct app_nodes *n, const double *mean,
                       const double *sd, int outcomes)
{
    const double half = fmin(14, 0.36 * c->box.width / n->count);

    for (int i = 0; i < n->count; i++) {
        const double x = app_chart_x(c, n->value[i]);
        const double y = app_chart_y(c, mean[i * outcomes]);
        const double top = app_chart_y(c, mean[i * outcomes] + 2 * sd[i * outcomes]);
        const double bottom = app_chart_y(c, mean[i * outcomes] - 2 * sd[i * outcomes]);
        const struct app_box bar = {x - half, top, 2 * half, bottom - top};
        app_draw_box(c->canvas, &bar, &band_pen);
        app_draw_line(c->canvas, x - half, y, x + half, y, &mean_pen);
    }
}

/* Why there is nothing to see of an outcome. */
static void draw_nothing(const struct app_chart *c)
{
    static const struct app_lettering letters = {11, APP_INK_SOFT, APP_MIDDLE, 0, 0};
    struct app_text text = {0};
    struct app_lines lines;

    app_text_print(&text, "%s: not measured yet", c->y.label);
    app_wrap(text.failed ? "" : text.data, c->box.width - 12, letters.size, APP_LINES, &lines);
    for (int i = 0; i < lines.count; i++)
        app_draw_letters(c->canvas, c->box.x + c->box.width / 2,
                         c->box.y + c->box.height / 2 + 13 * (i - 0.5 * (lines.count - 1)), &letters,
                         lines.line[i]);
    app_text_free(&text);
}

static void draw_chart(const struct app_chart *c, const struct slices *w, int k, int outcome)
{
    const struct app_show *s = w->show;
    const struct app_nodes *n = &w->nodes[k];
    const int outcomes = app_constraints(s->definition) + 1;
    const double here = app_chart_x(c, s->centre[w->parameter[k]]);

    app_chart_axes(c);
    if (isnan(s->recommendation->mean[outcome])) {
        draw_nothing(c);
        app_chart_frame(c);
        return;
    }

    /* Limits and predictions, cut off at the axis. */
    c->canvas->table->clip(c->canvas, &c->box);
    if (outcome) {
        draw_limit(c, app_outcome_at(s->definition, outcome).min, 0);
        draw_limit(c, app_outcome_at(s->definition, outcome).max, 1);
    }
    app_draw_line(c->canvas, here, c->box.y, here, c->box.y + c->box.height, &here_pen);
    (n->stepped ? draw_steps : draw_curve)(c, n, w->mean[k] + outcome, w->sd[k] + outcome, outcomes);
    if (!n->stepped && noise_varies(s, outcome))
        draw_noise(c, n, w->mean[k] + outcome, w->sd[k] + outcome, w->noise_sd[k] + outcome, outcomes);

    /* The recommendation on top. */
    c->canvas->table->unclip(c->canvas);
    app_chart_frame(c);
    app_draw_mark(c->canvas, APP_STAR, here, app_chart_y(c, s->recommendation->mean[outcome]), 6,
                  &app_star_pen, "recommended");
}

/* --- all of them --- */

static void draw_row(struct app_canvas *canvas, const struct slices *w, int first, int outcome,
                     const struct app_box *row, double left, double cell)
{
    const int end = least(w->count, first + w->columns);
    const struct app_axis axis = row_axis(w, outcome);
    const struct app_nearest *shown = &w->show->outcomes;
    const int last = outcome == shown->outcome[shown->count - 1];

    for (int k = first; k < end; k++) {
        struct app_chart c = {.canvas = canvas,
                              .x = app_axis_of(app_parameter_at(w->show->definition, w->parameter[k])),
                              .y = axis,
                              .grid = 1};

        const double x = row->x + left + (k - first) * cell;
        c.x.bare = !last;
        c.y.bare = k > first || isnan(w->show->recommendation->mean[outcome]);
        c.left = left;
        c.box = (struct app_box){x, row->y + 8, cell - GAP, row->height - 14};
        draw_chart(&c, w, k, outcome);
    }
}

/* What is shown, where that is not everything. */
static void write_heading(const struct slices *w, size_t size, char *out)
{
    const int d = app_dimension(w->show->definition);
    const struct app_nearest *shown = &w->show->outcomes;
    int at = snprintf(out, size, "Slices through the recommendation");

    if (w->count < d)
        at += snprintf(out + at, size - (size_t)at, ", along %d of %d parameters", w->count, d);
    if (shown->others)
        snprintf(out + at, size - (size_t)at, ", with the %d constraints nearest to their limits",
                 shown->count - 1);
}

static void draw_all(struct app_canvas *canvas, const struct slices *w, const struct app_box *box)
{
    static const struct app_key keys[] = {
        {APP_KEY_LINE, APP_CIRCLE, {.stroke = APP_INK_MEAN, .width = 1.6}, "predicted mean"},
        {APP_KEY_BAND, APP_CIRCLE, {.fill = APP_INK_MEAN, .clear = 0.8}, "±2 sd"},
        {APP_KEY_MARK, APP_STAR, {.stroke = APP_INK_TEXT, .fill = APP_INK_STAR, .width = 1}, "recommended"},
        {APP_KEY_LINE, APP_CIRCLE, {.stroke = APP_INK_LIMIT, .width = 1.3, .dash = APP_DASHED}, "limit"},
    };
    static const struct app_lettering letters = {12, APP_INK_TEXT, APP_START, 1, 0};
    const struct app_nearest *shown = &w->show->outcomes;
    const int blocks = (w->count + w->columns - 1) / w->columns;
    const double legend = app_keys_draw(NULL, keys, shown->count > 1 ? 4 : 3, 0, 0, box->width - 20) + 3;
    const double title = 20;
    double left = 0;

    /* The height of a row: what the names below the blocks leave. */
    double names = 0;
    for (int b = 0; b < blocks; b++)
        names += room_below(w->show, b * w->columns, least(w->count, (b + 1) * w->columns), w->parameter,
                            (box->width - 70) / w->columns - GAP);
    const double high = (box->height - legend - title - names) / (blocks * shown->count);

    /* All rows have their y axes in one line. */
    for (int j = 0; j < shown->count; j++) {
        const struct app_axis axis = row_axis(w, shown->outcome[j]);
        left = fmax(left, app_chart_left(&axis, high - 14));
    }
    const double cell = (box->width - left + 12) / w->columns;

    /* The heading. */
    char heading[160];
    struct app_lines lines;
    write_heading(w, sizeof heading, heading);
    app_wrap(heading, box->width, 12, 1, &lines);
    app_draw_letters(canvas, box->x + (box->width > 500 ? left : 0), box->y + 13, &letters, lines.line[0]);

    /* The charts, a row for each outcome. */
    double y = box->y + title;
    for (int b = 0; b < blocks; b++) {
        for (int j = 0; j < shown->count; j++, y += high) {
            const struct app_box row = {box->x, y, box->width, high};
            draw_row(canvas, w, b * w->columns, shown->outcome[j], &row, left, cell);
        }
        y += room_below(w->show, b * w->columns, least(w->count, (b + 1) * w->columns), w->parameter,
                        cell - GAP);
    }

    app_keys_draw(canvas, keys, shown->count > 1 ? 4 : 3, box->x + fmin(left, 40),
                  box->y + box->height - legend + 4, box->width - 20);
}

static int draw(struct app_canvas *canvas, const struct app_show *s, const struct app_plot_options *options,
                const struct app_box *box)
{
    struct slices *w = calloc(1, sizeof *w);

    if (!w)
        return app_show_no_memory(s);

    w->show = s;
    w->count = choose(s, options, w->parameter);
    w->columns = count_columns(w->count, options->width);
    int status = CKG_OK;

    for (int k = 0; !status && k < w->count; k++)
        status = predict(w, k);
    if (!status)
        draw_all(canvas, w, box);

    for (int k = 0; k < w->count; k++) {
        free(w->mean[k]);
        free(w->sd[k]);
        free(w->noise_sd[k]);
    }
    free(w);
    return status;
}

const struct app_plot app_plot_slices = {
    "slices", "every outcome along each parameter, through the recommendation", possible, size, draw, NULL};

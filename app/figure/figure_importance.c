/*
 * What matters: a chart of bars for each outcome, a bar for each parameter, its total effect with a whisker
 * where nine of ten draws from the model lie. Parameters stand in the same order everywhere.
 */
#include <assert.h>
#include <math.h>
#include <stdio.h>

#include "figure/draw/chart.h"
#include "figure/kept.h"
#include "base/markup.h"
#include "figure/figure.h"

enum { MOST = 12, COLUMNS = 4, NARROWEST = 132, BAR = 19, LINE = 12, NAME_LINES = 3, GAP = 28 };

static const struct app_pen bar_pen = {.fill = APP_INK_MEAN, .clear = 0.35};
static const struct app_pen whisker_pen = {.stroke = APP_INK_TEXT, .width = 1.1};
static const struct app_lettering name_letters = {10.5, APP_INK_TEXT, APP_END, 0, 0};

/* The bars' rows, from the top. */
struct rows {
    int count;
    int parameter[MOST];
    struct app_lines name[MOST];
    double y[MOST + 1]; /* where each begins, and where the last ends */
    double left;        /* room for the names */
};

static int possible(const struct app_show *s, const struct app_plot_options *options)
{
    (void)options;
    return s->recommendation ? CKG_OK
                             : app_fail(s->notebook->message, CKG_ERR_STATE,
                                        "%s: '%s' has not been measured yet, so nobody knows what matters",
                                        s->definition->name, app_outcome_name(s->definition, 0));
}

/* The parameters that matter most anywhere, in the order in which they do for the objective. */
static int lay_rows(const struct app_show *s, const struct app_importance *im, double width, struct rows *out)
{
    const int d = app_dimension(s->definition);
    struct app_effect most[CKG_MAX_PARAMETERS];
    int order[CKG_MAX_PARAMETERS];

    /* Those with the largest effect on any outcome that is shown. */
    for (int i = 0; i < d; i++) {
        most[i] = (struct app_effect){0};
        for (int j = 0; j < s->outcomes.count; j++)
            most[i].total = fmax(most[i].total, app_importance_of(im, s->outcomes.outcome[j])[i].total);
    }
    app_importance_order(most, d, order);
    out->count = d < MOST ? d : MOST;

    /* Among them the order of the objective's. */
    struct app_effect kept[MOST];
    int place[MOST];
    for (int k = 0; k < out->count; k++)
        kept[k] = app_importance_of(im, 0)[order[k]];
    app_importance_order(kept, out->count, place);

    /* Names wrapped into a third of the figure at most. */
    const double room = fmin(170, 0.36 * width);
    out->left = 0;
    out->y[0] = 0;
    for (int k = 0; k < out->count; k++) {
        out->parameter[k] = order[place[k]];
        app_wrap(app_parameter_name(s->definition, out->parameter[k]), room, name_letters.size, NAME_LINES,
                 &out->name[k]);
        out->left = fmax(out->left, app_lines_width(&out->name[k], name_letters.size) + 8);
        out->y[k + 1] = out->y[k] + fmax(BAR, LINE * out->name[k].count + 5);
    }
    return out->count;
}

static int count_columns(const struct app_show *s, double width, double left)
{
    const int most = (int)fmin(COLUMNS, fmax(1, (width - left) / NARROWEST));
    const int rows = (s->outcomes.count + most - 1) / most;

    return (s->outcomes.count + rows - 1) / rows;
}

/* The lines of the heads of one row of charts. */
static int head_lines(const struct app_show *s, int first, int end, double width)
{
    int lines = 1;

    for (int j = first; j < end && j < s->outcomes.count; j++) {
        struct app_lines head;
        const int one = app_wrap(app_outcome_name(s->definition, s->outcomes.outcome[j]), width, 11,
                                 APP_LINES, &head);
        lines = one > lines ? one : lines;
    }
    return lines;
}

static double block_height(const struct rows *rows, int heads)
{
    return 14 * heads + 8 + rows->y[rows->count] + 28;
}

static double width_of(const struct app_plot_options *options)
{
    return options->width > 0 ? options->width : 760;
}

static void size(const struct app_show *s, const struct app_plot_options *options, double *width,
                 double *height)
{
    const struct app_importance *im;
    struct rows rows;

    *width = width_of(options);
    *height = 0;
    if (app_show_importance(s, &im))
        return; /* drawing it will fail the same way */
    lay_rows(s, im, *width, &rows);
    const int columns = count_columns(s, *width, rows.left);
    const double cell = (*width - rows.left) / columns;
    for (int first = 0; first < s->outcomes.count; first += columns)
        *height += block_height(&rows, head_lines(s, first, first + columns, cell - GAP));
    *height += 12;
}

/* --- drawing --- */

static void draw_names(struct app_canvas *canvas, const struct rows *rows, double x, double y)
{
    for (int k = 0; k < rows->count; k++) {
        const struct app_lines *name = &rows->name[k];
        const double middle = y + 0.5 * (rows->y[k] + rows->y[k + 1]);
        for (int i = 0; i < name->count; i++)
            app_draw_letters(canvas, x, middle + 3.5 + LINE * (i - 0.5 * (name->count - 1)), &name_letters,
                             name->line[i]);
    }
}

static void draw_bar(const struct app_chart *c, const struct app_effect *e, double top, double bottom,
                     const char *name)
{
    const double middle = 0.5 * (top + bottom);
    const struct app_box bar = {c->box.x, middle - 5.5, app_chart_x(c, e->total) - c->box.x, 11};
    struct app_path path = {0};
    struct app_text hint = {0};

    app_text_print(&hint, "%s: %.2f (%.2f … %.2f)", name, e->total, e->low, e->high);
    app_path_box(&path, &bar);
    c->canvas->failed |= path.failed;
    if (!c->canvas->failed)
        c->canvas->table->path(c->canvas, &path, &bar_pen, hint.data);
    app_path_free(&path);
    app_text_free(&hint);

    /* Where nine of ten draws lie. */
    const double low = app_chart_x(c, e->low);
    const double high = app_chart_x(c, e->high);
    app_draw_line(c->canvas, low, middle, high, middle, &whisker_pen);
    app_draw_line(c->canvas, low, middle - 3, low, middle + 3, &whisker_pen);
    app_draw_line(c->canvas, high, middle - 3, high, middle + 3, &whisker_pen);
}

static void draw_outcome(struct app_canvas *canvas, const struct app_show *s, const struct rows *rows,
                         const struct app_effect *effect, int outcome, const struct app_box *box, int heads)
{
    static const struct app_lettering head_letters = {11, APP_INK_TEXT, APP_START, 1, 0};
    static const struct app_lettering soft = {10.5, APP_INK_SOFT, APP_MIDDLE, 0, 0};
    struct app_chart c = {.canvas = canvas,
                          .box = {box->x, box->y + 14 * heads + 8, box->width, rows->y[rows->count]},
                          .x = {.low = 0, .high = 1},
                          .y = {.low = 0, .high = 1, .bare = 1, .kind = APP_AXIS_NAMES},
                          .grid = 1};
    struct app_lines lines;

    /* Its name, the last line just above the chart. */
    app_wrap(app_outcome_name(s->definition, outcome), box->width, head_letters.size, APP_LINES, &lines);
    for (int i = 0; i < lines.count; i++)
        app_draw_letters(canvas, box->x, c.box.y - 5 - 14 * (lines.count - 1 - i), &head_letters,
                         lines.line[i]);

    /* The bars. */
    app_chart_axes(&c);
    if (isnan(effect[0].total))
        app_draw_letters(canvas, c.box.x + 0.5 * c.box.width, c.box.y + 0.5 * c.box.height, &soft,
                         "not measured yet");
    for (int k = 0; k < rows->count && !isnan(effect[0].total); k++)
        draw_bar(&c, &effect[rows->parameter[k]], c.box.y + rows->y[k], c.box.y + rows->y[k + 1],
                 app_parameter_name(s->definition, rows->parameter[k]));
    app_chart_frame(&c);
}

/* What is shown, where that is not everything. */
static void draw_foot(struct app_canvas *canvas, const struct app_show *s, const struct rows *rows,
                      const struct app_box *box)
{
    static const struct app_lettering letters = {10, APP_INK_SOFT, APP_START, 0, 0};
    const int d = app_dimension(s->definition);
    struct app_lines lines;
    char text[160];

    if (rows->count < d)
        snprintf(text, sizeof text, "share of the variation (total effect); %d of %d parameters", rows->count,
                 d);
    else
        snprintf(text, sizeof text, "share of the variation (total effect), 0 … 1");
    app_wrap(text, box->width, letters.size, 1, &lines);
    app_draw_letters(canvas, box->x, box->y + box->height - 4, &letters, lines.line[0]);
}

static int draw(struct app_canvas *canvas, const struct app_show *s, const struct app_plot_options *options,
                const struct app_box *box)
{
    const struct app_importance *im;
    struct rows rows;
    const int status = app_show_importance(s, &im);

    (void)options;
    if (status)
        return status;

    lay_rows(s, im, box->width, &rows);
    const int columns = count_columns(s, box->width, rows.left);
    const double cell = (box->width - rows.left) / columns;
    double y = box->y;

    for (int first = 0; first < s->outcomes.count; first += columns) {
        const int heads = head_lines(s, first, first + columns, cell - GAP);
        draw_names(canvas, &rows, box->x + rows.left - 6, y + 14 * heads + 8);
        for (int j = first; j < first + columns && j < s->outcomes.count; j++) {
            const int outcome = s->outcomes.outcome[j];
            const struct app_box place = {box->x + rows.left + (j - first) * cell, y, cell - GAP, 0};
            draw_outcome(canvas, s, &rows, app_importance_of(im, outcome), outcome, &place, heads);
        }
        y += block_height(&rows, heads);
    }
    draw_foot(canvas, s, &rows, box);
    return CKG_OK;
}

const struct app_plot app_plot_importance = {
    "importance", "what each parameter matters for each outcome", possible, size, draw, NULL};

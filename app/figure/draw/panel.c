/*
 * Draws figures: where panels stand, their layers, colour bar and legend.
 *
 * Columns beyond those for which there is room go on below, in rows of about equal length: a *block* is what
 * stands side by side. All boxes are equally wide, and those of one row equally high.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/markup.h"
#include "figure/draw/line_labels.h"

static const double beside = 14; /* between a box and its colour bar */
static const double bar_width = 11;
static const double bar_room = 76;  /* with its numbers */
static const double least_gap = 32; /* between boxes side by side */
static const double heading_room = 20;
static const double note_room = 14;
static const double title_gap = 8; /* between what is below a box and the title of the next */
static const double sheet_gap = 16;

/* --- layout --- */

struct layout {
    const struct app_figure *figure;
    double width;
    int rows, columns, across, blocks;
    double left, between; /* left of the first box of a row, and of the others */
    double right;
    double cell;    /* the width of a box */
    double legend;  /* its height */
    double stretch; /* of the boxes' heights */
};

/* One row of one block. */
struct row {
    double above, high, below;
};

static double box_height(const struct app_panel *p, double cell)
{
    return p->height > 0 ? p->height : fmin(fmax(0.84 * cell, 230), 450);
}

static int is_shaded(const struct app_panel *p)
{
    for (const struct app_layer *l = p->first; l; l = l->next)
        if (l->kind == APP_LAYER_SHADE && l->shade.label)
            return 1;
    return 0;
}

/* The panel's axis along y where it stands. */
static struct app_axis axis_y(const struct layout *l, const struct app_panel *p)
{
    struct app_axis axis = p->y;

    axis.bare |= axis.shared && p->column % l->across;
    return axis;
}

static double legend_height(const struct app_figure *f, struct app_canvas *canvas, double x, double y,
                            double width);

/* With so many columns side by side at most, in blocks that are about equally wide. */
static struct layout lay_columns(const struct app_figure *f, double width, int rows, int columns, int most)
{
    const int blocks = (columns + most - 1) / most;
    struct layout l = {.figure = f,
                       .width = width,
                       .rows = rows,
                       .columns = columns,
                       .across = (columns + blocks - 1) / blocks,
                       .blocks = blocks,
                       .right = 8,
                       .stretch = 1};

    /* The room beside the boxes. */
    for (const struct app_panel *p = f->first; p; p = p->next) {
        const struct app_axis y = axis_y(&l, p);
        const double left = app_axis_room(&y, box_height(p, width / l.across - 70), 1);
        double *room = p->column % l.across ? &l.between : &l.left;
        *room = fmax(*room, left);
        l.right = fmax(l.right, is_shaded(p) ? bar_room : 0);
    }
    l.between = fmax(l.between, least_gap - l.right);
    l.cell = (width - l.left - (l.across - 1) * l.between - l.across * l.right) / l.across;
    return l;
}

/* As many columns side by side as there is room for. */
static struct layout lay_out(const struct app_figure *f, double width)
{
    int rows = 1;
    int columns = 1;

    for (const struct app_panel *p = f->first; p; p = p->next) {
        rows = p->row < rows ? rows : p->row + 1;
        columns = p->column < columns ? columns : p->column + 1;
    }

    int most = f->across ? f->across : columns;
    struct layout l = lay_columns(f, width, rows, columns, most);
    while (most > 1 && l.cell < f->narrowest)
        l = lay_columns(f, width, rows, columns, --most);
    l.legend = legend_height(f, NULL, 0, 0, width - 20);
    l.legend += l.legend > 0 ? 4 : 0;
    return l;
}

static struct row measure(const struct layout *l, int block, int row)
{
    struct row r = {0};

    for (const struct app_panel *p = l->figure->first; p; p = p->next) {
        if (p->row != row || p->column / l->across != block)
            continue;
        r.above = fmax(r.above, app_chart_above(p->title, p->note, l->cell) +
                                    (p->title && (block || row) ? title_gap : 0));
        r.high = fmax(r.high, l->stretch * box_height(p, l->cell));
        r.below = fmax(r.below, app_axis_room(&p->x, l->cell, 0));
    }
    return r;
}

/* The height of all; *boxes: what of it are boxes. */
static double total_height(const struct layout *l, double *boxes)
{
    double height = (l->figure->heading ? heading_room : 0) + (l->figure->note ? note_room : 0) + l->legend;

    *boxes = 0;
    for (int b = 0; b < l->blocks; b++)
        for (int k = 0; k < l->rows; k++) {
            const struct row row = measure(l, b, k);
            height += row.above + row.high + row.below;
            *boxes += row.high;
        }
    return height;
}

/* --- layers --- */

static struct app_path path_of(const struct app_chart *c, const struct app_points *points)
{
    struct app_path path = {0};
    int begins = 1;

    for (int i = 0; i < points->count; i++) {
        const struct app_point *p = &points->at[i];
        if (!isnan(p->y))
            (begins ? app_path_move : app_path_line)(&path, app_chart_x(c, p->x), app_chart_far_y(c, p->y));
        begins = isnan(p->y);
    }
    return path;
}

/* Each piece of the line with its label. */
static void draw_labelled(const struct app_chart *c, const struct app_layer *l, struct app_labels *labels)
{
    const struct app_point *at = l->points.at;
    double *page = malloc(((size_t)l->points.count + 1) * 2 * sizeof *page);

    c->canvas->failed |= !page;
    labels->text = l->label;
    for (int first = 0, end; page && first < l->points.count; first = end + 1) {
        for (end = first; end < l->points.count && !isnan(at[end].y); end++) {
            page[2 * (end - first)] = app_chart_x(c, at[end].x);
            page[2 * (end - first) + 1] = app_chart_y(c, at[end].y);
        }
        if (end > first + 1)
            app_labels_draw(labels, end - first, page, &l->pen);
    }
    free(page);
}

static void draw_line(const struct app_chart *c, const struct app_layer *l)
{
    struct app_path path = path_of(c, &l->points);

    if (path.count == 1) /* a line of one point shows nothing */
        app_path_line(&path, path.steps[0].x[0] + 2, path.steps[0].x[1]);
    app_draw(c->canvas, &path, &l->pen);
}

static void draw_steps(const struct app_chart *c, const struct app_layer *l)
{
    struct app_path path = {0};

    for (int i = 0; i < l->points.count; i++) {
        const struct app_point *p = &l->points.at[i];
        const double x = app_chart_x(c, p->x);
        if (i)
            app_path_line(&path, x, app_chart_far_y(c, p[-1].y));
        (i ? app_path_line : app_path_move)(&path, x, app_chart_far_y(c, p->y));
    }
    app_draw(c->canvas, &path, &l->pen);
}

/* Along the upper edge of each piece, and back along the lower. */
static void draw_band(const struct app_chart *c, const struct app_layer *l)
{
    const struct app_point *at = l->points.at;
    struct app_path path = {0};

    for (int first = 0, end; first < l->points.count; first = end + 1) {
        for (end = first; end < l->points.count && !isnan(at[end].low) && !isnan(at[end].high); end++)
            (end > first ? app_path_line : app_path_move)(&path, app_chart_x(c, at[end].x),
                                                          app_chart_far_y(c, at[end].high));
        for (int i = end - 1; i >= first; i--)
            app_path_line(&path, app_chart_x(c, at[i].x), app_chart_far_y(c, at[i].low));
        if (end > first)
            app_path_close(&path);
    }
    app_draw(c->canvas, &path, &l->pen);
}

/* A box, or a line with its ends; level ones along x. */
static void draw_bars(const struct app_chart *c, const struct app_layer *l)
{
    for (int i = 0; i < l->points.count; i++) {
        const struct app_point *p = &l->points.at[i];
        const double at = l->level ? app_chart_y(c, p->y) : app_chart_x(c, p->x);
        const double low = l->level ? app_chart_x(c, p->low) : app_chart_far_y(c, p->low);
        const double high = l->level ? app_chart_x(c, p->high) : app_chart_far_y(c, p->high);
        const double half = l->pen.fill ? 0.5 * l->size : l->size;
        const double ends[3][4] = {
            {low, at, high, at}, {low, at - half, low, at + half}, {high, at - half, high, at + half}};
        struct app_path path = {0};

        if (l->pen.fill)
            app_path_box(&path, l->level ? &(struct app_box){low, at - half, high - low, 2 * half}
                                         : &(struct app_box){at - half, high, 2 * half, low - high});
        for (int k = 0; !l->pen.fill && k < (half > 0 ? 3 : 1); k++) {
            app_path_move(&path, ends[k][!l->level], ends[k][l->level]);
            app_path_line(&path, ends[k][2 + !l->level], ends[k][2 + l->level]);
        }
        app_draw_pointed(c->canvas, &path, &l->pen, p->hint);
    }
}

static void draw_rules(const struct app_chart *c, const struct app_layer *l)
{
    static const struct app_lettering letters = {10, APP_INK_SOFT, APP_END, 0, -90};
    const struct app_box *b = &c->box;

    for (int i = 0; i < l->points.count; i++) {
        const double x = app_chart_x(c, l->points.at[i].x);
        const double y = app_chart_y(c, l->points.at[i].y);
        if (l->level)
            app_draw_line(c->canvas, b->x, y, b->x + b->width, y, &l->pen);
        else
            app_draw_line(c->canvas, x, b->y, x, b->y + b->height, &l->pen);
        if (l->label)
            app_draw_letters(c->canvas, x < b->x + 16 ? x + 11 : x - 4, b->y + 5, &letters, l->label);
    }
}

/* What lies beyond the axis is marked at its edge. */
static void draw_marks(const struct app_chart *c, const struct app_layer *l)
{
    for (int i = 0; i < l->points.count; i++) {
        const struct app_point *p = &l->points.at[i];
        const int below = isnan(p->y) || p->y < c->y.low;
        const double y = below              ? c->box.y + c->box.height - 5
                         : p->y > c->y.high ? c->box.y + 5
                                            : app_chart_y(c, p->y);
        struct app_pen pen = l->pen;

        pen.fade = p->fade;
        app_draw_mark(c->canvas, l->shape, app_chart_x(c, p->x), y, l->size, &pen, p->hint);
    }
}

static void draw_shade(const struct app_chart *c, const struct app_layer *l)
{
    for (int k = 0; k < l->shade.count; k++) {
        struct app_path path = path_of(c, &l->shade.region[k]);
        app_draw(c->canvas, &path, &l->pen);
    }
}

/* The words in their cells, upright where that is how they fit. */
static void draw_words(const struct app_chart *c, const struct app_layer *l)
{
    struct app_lettering letters = {9.5, APP_INK_TEXT, APP_MIDDLE, 0, 0};
    const double wide = app_chart_x(c, 1) - app_chart_x(c, 0);
    const double high = app_chart_y(c, 0) - app_chart_y(c, 1);
    double longest = 0;

    /* Level, upright, or not at all. */
    for (int i = 0; i < l->points.count; i++)
        longest = fmax(longest, app_letters_width(l->points.at[i].hint, letters.size));
    const int level = longest < wide - 4 && high > 14;
    const int upright = !level && longest < high - 4 && wide > 14;
    letters.angle = upright ? -90 : 0;
    letters.anchor = upright ? APP_END : APP_MIDDLE;

    for (int i = 0; (level || upright) && i < l->points.count; i++)
        app_draw_letters(c->canvas, app_chart_x(c, l->points.at[i].x) + (upright ? 3.5 : 0),
                         app_chart_y(c, l->points.at[i].y + 0.5) + (upright ? 4 : 11), &letters,
                         l->points.at[i].hint);
}

static void (*const drawers[APP_LAYER_KINDS])(const struct app_chart *chart,
                                              const struct app_layer *layer) = {
    [APP_LAYER_LINE] = draw_line,   [APP_LAYER_STEPS] = draw_steps, [APP_LAYER_BAND] = draw_band,
    [APP_LAYER_MARKS] = draw_marks, [APP_LAYER_BARS] = draw_bars,   [APP_LAYER_RULE] = draw_rules,
    [APP_LAYER_SHADE] = draw_shade, [APP_LAYER_TEXT] = draw_words};

/* --- panels --- */

static const struct app_lettering empty_letters = {11, APP_INK_SOFT, APP_MIDDLE, 0, 0};

static void draw_panel(const struct app_chart *c, const struct app_panel *p)
{
    struct app_labels labels = {.chart = c, .panel = p};

    app_chart_axes(c);

    /* What is cut off at the axes, then the marks on top. */
    c->canvas->table->clip(c->canvas, &c->box);
    for (const struct app_layer *l = p->first; l; l = l->next)
        if (l->kind == APP_LAYER_LINE && l->label)
            draw_labelled(c, l, &labels);
        else if (l->kind != APP_LAYER_MARKS)
            drawers[l->kind](c, l);
    if (p->empty)
        app_draw_wrapped(c->canvas, c->box.x + c->box.width / 2, c->box.y + c->box.height / 2, &empty_letters,
                         p->empty, c->box.width - 12, APP_LINES, 0.5);
    c->canvas->table->unclip(c->canvas);
    app_chart_frame(c);
    for (const struct app_layer *l = p->first; l; l = l->next) {
        const struct app_box bar = {c->box.x + c->box.width + beside, c->box.y, bar_width, c->box.height};
        if (l->kind == APP_LAYER_MARKS)
            draw_marks(c, l);
        if (l->kind == APP_LAYER_SHADE && l->shade.label)
            app_bar_draw(
                c->canvas, &bar, l->pen.fill, l->shade.count, l->pen.clear,
                &(struct app_axis){.low = l->shade.low, .high = l->shade.high, .label = l->shade.label});
    }
}

static void draw_row(struct app_canvas *canvas, const struct layout *l, int block, int row,
                     const struct row *room, double x, double y)
{
    for (const struct app_panel *p = l->figure->first; p; p = p->next) {
        const int place = p->column % l->across;
        if (p->row != row || p->column / l->across != block)
            continue;
        const struct app_chart c = {.canvas = canvas,
                                    .box = {x + l->left + place * (l->cell + l->between + l->right),
                                            y + room->above, l->cell, room->high},
                                    .left = place ? l->between : l->left,
                                    .x = p->x,
                                    .y = axis_y(l, p),
                                    .title = p->title,
                                    .note = p->note,
                                    .grid = p->grid};
        draw_panel(&c, p);
    }
}

/* --- the legend --- */

/* How a layer looks in it. */
static struct app_key key_of(const struct app_layer *l)
{
    const int area = l->kind == APP_LAYER_BAND || l->kind == APP_LAYER_SHADE ||
                     (l->kind == APP_LAYER_BARS && l->pen.fill);

    struct app_pen pen = l->pen;

    /* Shades above each other are stronger. */
    if (l->kind == APP_LAYER_SHADE)
        pen.clear = pow(pen.clear, 0.7 * l->shade.count);
    return (struct app_key){.kind = area                         ? APP_KEY_BAND
                                    : l->kind == APP_LAYER_MARKS ? APP_KEY_MARK
                                    : l->shape                   ? APP_KEY_SERIES
                                                                 : APP_KEY_LINE,
                            .shape = l->shape,
                            .pen = pen,
                            .text = l->key};
}

enum { MOST_KEYS = 40 };

/* Each once, in the order of the layers. Draws it unless there is no canvas; returns its height. */
static double legend_height(const struct app_figure *f, struct app_canvas *canvas, double x, double y,
                            double width)
{
    struct app_key keys[MOST_KEYS];
    int count = 0;

    for (const struct app_panel *p = f->first; p; p = p->next)
        for (const struct app_layer *l = p->first; l; l = l->next) {
            int known = !l->key || count == MOST_KEYS || !(l->points.count || l->shade.count);
            for (int k = 0; !known && k < count; k++)
                known = !strcmp(keys[k].text, l->key);
            if (!known)
                keys[count++] = key_of(l);
        }
    return app_keys_draw(canvas, keys, count, x, y, width);
}

/* --- all together --- */

static void draw_own(struct app_canvas *canvas, const struct app_figure *f, const struct app_box *box)
{
    static const struct app_lettering bold = {12, APP_INK_TEXT, APP_START, 1, 0};
    static const struct app_lettering soft = {10, APP_INK_SOFT, APP_START, 0, 0};
    struct layout l = lay_out(f, box->width);
    double boxes;
    double y = box->y + (f->heading ? heading_room : 0);

    /* Boxes take what of the height is left. */
    const double height = total_height(&l, &boxes);
    if (box->height > 0 && boxes > 0)
        l.stretch = fmax(0.3, 1 + (box->height - height) / boxes);

    if (f->heading)
        app_draw_wrapped(canvas, box->x + (box->width > 500 ? l.left : 0), box->y + 13, &bold, f->heading,
                         box->width - l.left, 1, 0);
    for (int b = 0; b < l.blocks; b++)
        for (int k = 0; k < l.rows; k++) {
            const struct row row = measure(&l, b, k);
            draw_row(canvas, &l, b, k, &row, box->x, y);
            y += row.above + row.high + row.below;
        }
    legend_height(f, canvas, box->x + 10, y + 4, box->width - 20);
    if (f->note)
        app_draw_wrapped(canvas, box->x, y + l.legend + 10, &soft, f->note, box->width, 1, 0);
}

/* Two parts side by side, as high as the higher of them, the last below; what is not there leaves no gap.
 * Gives their boxes and returns the size of all. */
static struct app_box lay_parts(const struct app_figure *f, double width,
                                struct app_box box[APP_FIGURE_PARTS])
{
    struct app_box all = {0};
    const double half = 0.5 * (width - sheet_gap);

    for (int k = 0; k < APP_FIGURE_PARTS; k++) {
        const struct app_figure *part = f->part[k];
        const int below = k == APP_FIGURE_PARTS - 1;
        const int alone = below || !f->part[!k];
        if (!part)
            continue;
        box[k].width = alone ? width : half;
        box[k].height = app_figure_height(part, box[k].width);
        if (below)
            box[k].y = all.height > 0 ? all.height + sheet_gap : 0;
        else if (k)
            box[k].x = alone ? 0 : half + sheet_gap;
        all.height = fmax(all.height, box[k].y + box[k].height);
    }
    box[0].height = box[1].height = fmax(box[0].height, box[1].height);
    all.width = width;
    return all;
}

static int has_parts(const struct app_figure *f)
{
    return f->part[0] || f->part[1] || f->part[2];
}

double app_figure_height(const struct app_figure *f, double width)
{
    struct app_box box[APP_FIGURE_PARTS] = {{0}};
    double boxes;

    if (has_parts(f))
        return lay_parts(f, width, box).height;
    const struct layout l = lay_out(f, width);
    return total_height(&l, &boxes);
}

void app_panels_draw(struct app_canvas *canvas, const struct app_figure *f, const struct app_box *where)
{
    struct app_box box[APP_FIGURE_PARTS] = {{0}};

    if (!has_parts(f)) {
        draw_own(canvas, f, where);
        return;
    }
    lay_parts(f, where->width, box);
    for (int k = 0; k < APP_FIGURE_PARTS; k++) {
        box[k].x += where->x;
        box[k].y += where->y;
        if (f->part[k])
            draw_own(canvas, f->part[k], &box[k]);
    }
}

int app_figure_draw(const struct app_figure *f, const struct app_canvas_table *table, int embedded,
                    double width, struct app_text *out)
{
    const double rim = embedded ? 4 : 12;
    const struct app_box box = {rim, rim, width > 0 ? width : f->width,
                                app_figure_height(f, width > 0 ? width : f->width)};
    struct app_canvas *canvas = f->failed ? NULL
                                          : table->open(box.width + 2 * rim, box.height + 2 * rim, f->title,
                                                        embedded);

    if (!canvas)
        return 0;
    app_panels_draw(canvas, f, &box);
    return table->close(canvas, out);
}

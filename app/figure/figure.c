/* Figures as data: how they are made and written. */
#include "figure/figure.h"

#include <stdarg.h>
#include <stddef.h>
#include <string.h>

/* --- making --- */

void *app_figure_new(struct app_figure *f, size_t count, size_t size)
{
    void *made = app_pool_new(&f->pool, count, size);

    f->failed |= !made;
    return made;
}

const char *app_figure_text(struct app_figure *f, const char *format, ...)
{
    va_list list;

    va_start(list, format);
    const char *text = app_pool_print_list(&f->pool, format, list);
    va_end(list);
    f->failed |= !text;
    return text ? text : "";
}

struct app_panel *app_figure_panel(struct app_figure *f, int row, int column)
{
    struct app_panel *p = app_figure_new(f, 1, sizeof *p);

    if (!p)
        p = &f->no_panel;
    else if (f->last)
        f->last->next = p;
    else
        f->first = p;
    *p = (struct app_panel){.row = row, .column = column, .figure = f};
    f->last = p == &f->no_panel ? f->last : p;
    return p;
}

struct app_layer *app_panel_layer(struct app_panel *p, enum app_layer_kind kind, struct app_pen pen,
                                  const char *key)
{
    struct app_figure *f = p->figure;
    struct app_layer *l = app_figure_new(f, 1, sizeof *l);

    if (!l)
        l = &f->no_layer;
    else if (p->last)
        p->last->next = l;
    else
        p->first = l;
    *l = (struct app_layer){.kind = kind, .pen = pen, .key = key, .figure = f};
    p->last = l == &f->no_layer ? p->last : l;
    return l;
}

void app_points_add(struct app_figure *f, struct app_points *points, struct app_point point)
{
    if (points->count == points->capacity) {
        const int capacity = 2 * points->capacity + 16;
        struct app_point *at = app_figure_new(f, (size_t)capacity, sizeof *at);
        if (!at)
            return;
        if (points->count)
            memcpy(at, points->at, (size_t)points->count * sizeof *at);
        points->at = at;
        points->capacity = capacity;
    }
    points->at[points->count++] = point;
}

void app_layer_add(struct app_layer *l, struct app_point point)
{
    app_points_add(l->figure, &l->points, point);
}

void app_layer_xy(struct app_layer *l, double x, double y)
{
    app_layer_add(l, (struct app_point){.x = x, .y = y});
}

void app_layer_span(struct app_layer *l, double x, double low, double high)
{
    app_layer_add(l, (struct app_point){.x = x, .low = low, .high = high});
}

void app_figure_free(struct app_figure *f)
{
    for (int k = 0; k < APP_FIGURE_PARTS; k++)
        if (f->part[k])
            app_figure_free(f->part[k]);
    app_pool_free(&f->pool);
}

/* --- writing --- */

static const char *const axis_kinds[] = {"linear", "log", "integer", "names", "gap", "chances"};
static const char *const layer_kinds[APP_LAYER_KINDS] = {"line", "steps", "band",  "marks",
                                                         "bars", "rule",  "shade", "text"};

/* Numbers that stand `stride` bytes apart. */
static void write_numbers(struct app_text *out, const char *key, const void *first, int count, size_t stride)
{
    app_json_open(out, key, '[');
    for (int i = 0; i < count; i++)
        app_json_add_drawn(out, *(const double *)((const char *)first + (size_t)i * stride));
    app_json_close(out, ']');
}

#define COLUMN(out, name, points)                                                                            \
    write_numbers(out, #name, (points)->count ? &(points)->at->name : NULL, (points)->count,                 \
                  sizeof(struct app_point))

static void write_points(struct app_text *out, const struct app_layer *l)
{
    const struct app_points *points = &l->points;
    const int spans = l->kind == APP_LAYER_BAND || l->kind == APP_LAYER_BARS;
    int fades = 0;
    int trials = 0;
    int hints = 0;

    if (!l->level)
        COLUMN(out, x, points);
    if (l->level || (l->kind != APP_LAYER_RULE && !spans))
        COLUMN(out, y, points);
    if (spans) {
        COLUMN(out, low, points);
        COLUMN(out, high, points);
    }

    /* What only some have. */
    for (int i = 0; i < points->count; i++) {
        fades |= points->at[i].fade > 0;
        trials |= points->at[i].trial > 0;
        hints |= points->at[i].hint != NULL;
    }
    if (fades)
        COLUMN(out, fade, points);
    if (trials) {
        app_json_open(out, "trial", '[');
        for (int i = 0; i < points->count; i++)
            app_json_add_integer(out, NULL, points->at[i].trial);
        app_json_close(out, ']');
    }
    if (hints) {
        app_json_open(out, "hint", '[');
        for (int i = 0; i < points->count; i++)
            app_json_add_string(out, NULL, points->at[i].hint);
        app_json_close(out, ']');
    }
}

static void write_shade(struct app_text *out, const struct app_shade *s)
{
    app_json_open(out, "shade", '{');
    write_numbers(out, "x", s->x, s->columns, sizeof(double));
    write_numbers(out, "y", s->y, s->rows, sizeof(double));
    write_numbers(out, "values", s->value, s->columns * s->rows, sizeof(double));
    app_json_print(out, "low:%g high:%g label:%s", s->low, s->high, s->label);
    app_json_open(out, "regions", '[');
    for (int k = 0; k < s->count; k++) {
        app_json_open(out, NULL, '{');
        app_json_add_number(out, "level", s->level[k]);
        COLUMN(out, x, &s->region[k]);
        COLUMN(out, y, &s->region[k]);
        app_json_close(out, '}');
    }
    app_json_close(out, ']');
    app_json_close(out, '}');
}

static void write_layer(struct app_text *out, const struct app_layer *l)
{
    const struct app_pen *pen = &l->pen;

    if (!l->points.count && !l->shade.count)
        return;
    app_json_open(out, NULL, '{');
    app_json_print(out, "kind:%s ink:%s fill:%s width:%g opacity:%g", layer_kinds[l->kind],
                   pen->stroke ? app_inks[pen->stroke].name : NULL,
                   pen->fill ? app_inks[pen->fill].name : NULL, pen->width, 1 - pen->clear);
    app_json_add_numbers(out, "dash", app_dashes[pen->dash].count, app_dashes[pen->dash].length);
    app_json_print(out, "shape:%s size:%g level:%i key:%s label:%s", app_shape_names[l->shape], l->size,
                   l->level, l->key, l->label);
    if (l->kind == APP_LAYER_SHADE)
        write_shade(out, &l->shade);
    else
        write_points(out, l);
    app_json_close(out, '}');
}

static void write_axis(struct app_text *out, const char *key, const struct app_axis *a)
{
    app_json_open(out, key, '{');
    app_json_print(out, "kind:%s low:%g high:%g label:%s", axis_kinds[a->kind], a->low, a->high, a->label);
    if (a->kind == APP_AXIS_GAP)
        app_json_add_number(out, "unit", a->unit);
    if (a->kind == APP_AXIS_NAMES) {
        app_json_open(out, "names", '[');
        for (int i = 0; i < a->count; i++)
            app_json_add_string(out, NULL, app_axis_name(a, i));
        app_json_close(out, ']');
    }
    app_json_print(out, "bare:%i shared:%i parameter:%s", a->bare, a->shared,
                   a->problem ? ckg_problem_parameter_name(a->problem, a->parameter) : NULL);
    app_json_close(out, '}');
}

/* `row`: how many rows stand above the figure's own. Returns how many there are then. */
static int write_panels(struct app_text *out, const struct app_figure *f, int row)
{
    int rows = row;

    for (const struct app_panel *p = f->first; p; p = p->next) {
        app_json_open(out, NULL, '{');
        app_json_print(out, "row:%d column:%d height:%g title:%s note:%s empty:%s grid:%i", row + p->row,
                       p->column, p->height, p->title, p->note, p->empty, p->grid);
        write_axis(out, "x", &p->x);
        write_axis(out, "y", &p->y);
        app_json_open(out, "layers", '[');
        for (const struct app_layer *l = p->first; l; l = l->next)
            write_layer(out, l);
        app_json_close(out, ']');
        app_json_close(out, '}');
        rows = rows > row + p->row + 1 ? rows : row + p->row + 1;
    }
    for (int k = 0; k < APP_FIGURE_PARTS; k++)
        if (f->part[k])
            rows = write_panels(out, f->part[k], rows);
    return rows;
}

void app_figure_write(const struct app_figure *f, struct app_text *out)
{
    app_json_open(out, NULL, '{');
    app_json_print(out, "title:%s heading:%s note:%s across:%d", f->title, f->heading, f->note, f->across);
    app_json_open(out, "panels", '[');
    write_panels(out, f, 0);
    app_json_close(out, ']');
    app_json_close(out, '}');
}

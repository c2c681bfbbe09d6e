/* What figures share: shades and contours of values over two parameters, trials, the recommendation. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "figure/figure.h"

void app_figure_pair(const struct app_show *s, const struct app_figure_options *o, int *x, int *y)
{
    *x = o->x;
    *y = o->y;

    /* What is not asked for, by how much it matters. */
    for (int k = 0; k < app_dimension(s->definition) && (*x < 0 || *y < 0); k++) {
        const int i = s->order[k];
        if (i == *x || i == *y)
            continue;
        if (*x < 0)
            *x = i;
        else
            *y = i;
    }

    /* Where both were chosen here, in the order of the file. */
    if (o->x < 0 && o->y < 0 && *x > *y && *y >= 0) {
        const int swap = *x;
        *x = *y;
        *y = swap;
    }
}

/* --- ranges --- */

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;

    return (x > y) - (x < y);
}

void app_figure_sort(double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, ascending);
}

void app_range_add_most(struct app_range *range, double *values, int count, int tail, double far, double more)
{
    if (!count)
        return;
    app_figure_sort(values, count);
    const double low = values[count / tail];
    const double high = values[count - 1 - count / tail];
    const double reach = far * (high - low);
    const double first = values[0];
    const double last = values[count - 1];
    app_range_add(range, first < low - reach ? low - more * reach : first);
    app_range_add(range, last > high + reach ? high + more * reach : last);
}

/* --- values over two parameters --- */

struct app_field app_panel_field(struct app_panel *p, const struct app_nodes *x, const struct app_nodes *y,
                                 const double *z, int stride)
{
    const size_t nx = (size_t)x->drawn;
    const size_t ny = (size_t)y->drawn;
    double *xs = app_figure_new(p->figure, nx * ny + nx + ny, sizeof *xs);

    if (!xs)
        return (struct app_field){0};

    /* Where the nodes are drawn. */
    double *ys = xs + nx;
    double *values = ys + ny;
    for (size_t i = 0; i < nx; i++)
        xs[i] = app_axis_place(&p->x, x->place[i]);
    for (size_t j = 0; j < ny; j++)
        ys[j] = app_axis_place(&p->y, y->place[j]);
    for (size_t j = 0; j < ny; j++)
        for (size_t i = 0; i < nx; i++) {
            const double value = z[((size_t)y->of[j] * (size_t)x->count + (size_t)x->of[i]) * (size_t)stride];
            values[j * nx + i] = isfinite(value) ? value : NAN;
        }
    return (struct app_field){x->drawn, y->drawn, xs, ys, values, NULL, NULL};
}

/* Lines over the panel become points of its axes, parted by gaps. */
struct tracing {
    struct app_panel *panel;
    struct app_points *points;
};

static void add_line(void *context, int count, const double *places, int closed)
{
    const struct tracing *t = context;
    const struct app_panel *p = t->panel;

    (void)closed;
    if (t->points->count)
        app_points_add(p->figure, t->points, (struct app_point){.x = NAN, .y = NAN});
    for (int i = 0; i < count; i++)
        app_points_add(p->figure, t->points,
                       (struct app_point){.x = app_axis_value(&p->x, places[2 * i]),
                                          .y = app_axis_value(&p->y, places[2 * i + 1])});
}

struct app_layer *app_panel_contour(struct app_panel *p, const struct app_field *field, double level,
                                    struct app_pen pen, const char *key)
{
    struct app_layer *l = app_panel_layer(p, APP_LAYER_LINE, pen, key);
    struct tracing tracing = {p, &l->points};

    p->figure->failed |= !app_contour_lines(field, level, add_line, &tracing);
    return l;
}

/* Places on an axis as its values. */
static double *values_of(struct app_figure *f, const struct app_axis *axis, int count, const double *places)
{
    double *values = app_figure_new(f, (size_t)count + 1, sizeof *values);

    for (int i = 0; values && i < count; i++)
        values[i] = app_axis_value(axis, places[i]);
    return values;
}

struct app_shade *app_panel_shade(struct app_panel *p, const struct app_field *field, int count,
                                  const double *level, struct app_pen pen, const char *key)
{
    struct app_figure *f = p->figure;
    struct app_layer *l = app_panel_layer(p, APP_LAYER_SHADE, pen, key);
    struct app_points *region = app_figure_new(f, (size_t)count + 1, sizeof *region);

    l->shade.columns = field->nx;
    l->shade.rows = field->ny;
    l->shade.x = values_of(f, &p->x, field->nx, field->x);
    l->shade.y = values_of(f, &p->y, field->ny, field->y);
    l->shade.value = field->z;
    l->shade.level = level;
    l->shade.region = region;
    for (int k = 0; k < count && !f->failed; k++) {
        struct tracing tracing = {p, &region[k]};
        f->failed |= !app_contour_region(field, level[k], add_line, &tracing);
        l->shade.count++;
    }
    return &l->shade;
}

void app_panel_shade_evenly(struct app_panel *p, const struct app_field *field, double low, double high,
                            int count, struct app_pen pen, const char *label)
{
    double *level = app_figure_new(p->figure, (size_t)count, sizeof *level);

    for (int k = 0; level && k < count; k++)
        level[k] = low + (high - low) * (k + 0.5) / count;
    struct app_shade *s = app_panel_shade(p, field, level ? count : 0, level, pen, NULL);
    s->low = low;
    s->high = high;
    s->label = label;
}

/* --- trials --- */

/*
 * Designs that share a category or an integer are set side by side around it, by the golden ratio, so
 * that none hides another.
 */
static double spread(struct app_parameter p, double value, int number)
{
    const double values = p.high - p.low + 1;

    if (p.kind == CKG_REAL || values > APP_FEW)
        return value;
    return value + 0.5 * (fmod(number * 0.6180339887, 1) - 0.5);
}

/* How far apart two values of a parameter are, in parts of its range; two categories are all of it apart. */
static double apart(struct app_parameter p, double a, double b)
{
    if (p.kind == CKG_CATEGORICAL)
        return a != b;
    if (p.scale == CKG_LOG)
        return fabs(log(a / b)) / log(p.high / p.low);
    return fabs(a - b) / (p.high - p.low);
}

/*
 * A design is drawn where it would be if its other parameters were those of the figure: the farther they are
 * from that, in the mean over them, the paler it is.
 */
static double paleness(const struct app_show *s, const struct app_trial *t, int x, int y)
{
    const int d = app_dimension(s->definition);
    double sum = 0;
    int others = 0;

    for (int i = 0; i < d; i++)
        if (i != x && i != y) {
            const double far = apart(app_parameter_at(s->definition, i), t->x[i], s->centre[i]);
            sum += far * far;
            others++;
        }
    const double far = others ? sqrt(sum / others) : 0;
    return 0.8 * (1 - exp(-far * far / (0.22 * 0.22)));
}

const char *app_figure_hint(struct app_figure *f, const struct app_show *s, const struct app_trial *t)
{
    struct app_text text = {0};

    app_trial_hint(s->definition, t, &text);
    f->failed |= text.failed;
    const char *hint = app_figure_text(f, "%s", text.data ? text.data : "");
    app_text_free(&text);
    return hint;
}

void app_panel_looks(struct app_panel *p, const struct app_show *s, struct app_layer *marks[APP_LOOKS])
{
    const int count = s->record->count;
    int occurs[APP_LOOKS + 1] = {0};

    /* What is feasible lies on top. */
    for (int i = 0; i < count; i++)
        occurs[app_trial_look(&s->record->trials[i])] = 1;
    for (int k = APP_LOOKS - 1; k >= 0; k--) {
        marks[k] = NULL;
        if (!occurs[k])
            continue;
        marks[k] = app_panel_layer(p, APP_LAYER_MARKS, app_looks[k].pen, app_looks[k].text);
        marks[k]->shape = app_looks[k].shape;
        marks[k]->size = count <= 150 ? 3.4 : count <= 500 ? 2.6 : 1.9;
    }
}

void app_panel_trials(struct app_panel *p, const struct app_show *s, int x, int y)
{
    struct app_layer *marks[APP_LOOKS];

    app_panel_looks(p, s, marks);
    for (int i = 0; i < s->record->count; i++) {
        const struct app_trial *t = &s->record->trials[i];
        const enum app_looks look = app_trial_look(t);
        if (look == APP_LOOKS)
            continue;
        app_layer_add(
            marks[look],
            (struct app_point){
                .x = spread(app_parameter_at(s->definition, x), t->x[x], t->number),
                .y = y < 0 ? NAN : spread(app_parameter_at(s->definition, y), t->x[y], 7 * t->number),
                .fade = paleness(s, t, x, y),
                .trial = t->number,
                .hint = app_figure_hint(p->figure, s, t)});
    }
}

void app_panel_star(struct app_panel *p, double x, double y, double size)
{
    struct app_layer *star = app_panel_layer(p, APP_LAYER_MARKS, app_star_pen, "recommended");

    star->shape = APP_STAR;
    star->size = size;
    app_layer_add(star, (struct app_point){.x = x, .y = y, .hint = "recommended"});
}

void app_panel_limit(struct app_panel *p, double limit, int level)
{
    const struct app_axis *axis = level ? &p->y : &p->x;

    if (!(limit >= axis->low && limit <= axis->high))
        return;
    struct app_layer *rule = app_panel_rule(p, app_limit_pen, limit, level);
    rule->key = "limit";
}

struct app_layer *app_panel_rule(struct app_panel *p, struct app_pen pen, double at, int level)
{
    struct app_layer *rule = app_panel_layer(p, APP_LAYER_RULE, pen, NULL);

    rule->level = level;
    app_layer_xy(rule, at, at);
    return rule;
}

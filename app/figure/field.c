/* What figures over two parameters share: fields, shades, trials. */
#include <math.h>
#include <stdlib.h>

#include "figure/draw/chart.h"
#include "figure/draw/contour.h"
#include "figure/figure.h"

void app_plot_pair(const struct app_show *s, const struct app_plot_options *o, int *x, int *y)
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

int app_field_make(const struct app_chart *c, const struct app_nodes *x, const struct app_nodes *y,
                   const double *z, int stride, struct app_field *out, double **block)
{
    const size_t nx = (size_t)x->drawn;
    const size_t ny = (size_t)y->drawn;

    *block = malloc((nx * ny + nx + ny) * sizeof **block);
    if (!*block)
        return 0;

    /* Where the nodes are drawn. */
    double *values = *block;
    double *xs = values + nx * ny;
    double *ys = xs + nx;
    for (size_t i = 0; i < nx; i++)
        xs[i] = app_chart_x(c, x->place[i]);
    for (size_t j = 0; j < ny; j++)
        ys[j] = app_chart_y(c, y->place[j]);
    for (size_t j = 0; j < ny; j++)
        for (size_t i = 0; i < nx; i++) {
            const double value = z[((size_t)y->of[j] * (size_t)x->count + (size_t)x->of[i]) * (size_t)stride];
            values[j * nx + i] = isfinite(value) ? value : NAN;
        }

    *out = (struct app_field){x->drawn, y->drawn, xs, ys, values, NULL, NULL};
    return 1;
}

int app_field_shade(struct app_canvas *canvas, const struct app_field *f, double low, double high,
                    enum app_ink ink, int steps, double clear)
{
    const struct app_pen pen = {.fill = ink, .clear = clear};

    for (int k = 0; k < steps; k++) {
        struct app_path path = {0};
        if (!app_contour_region(f, low + (high - low) * (k + 0.5) / steps, &path)) {
            app_path_free(&path);
            return 0;
        }
        app_draw(canvas, &path, &pen);
    }
    return 1;
}

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

/* Pending designs first, then the infeasible, so that what is feasible lies on top. */
void app_draw_trials(const struct app_chart *c, const struct app_show *s, int x, int y)
{
    const double radius = s->notebook->count <= 150 ? 3.4 : s->notebook->count <= 500 ? 2.6 : 1.9;

    for (int look = APP_LOOKS - 1; look >= 0; look--)
        for (int i = 0; i < s->notebook->count; i++) {
            const struct app_trial *t = &s->notebook->trials[i];
            struct app_text hint = {0};

            if ((int)app_trial_look(t) != look)
                continue;

            const double px = app_chart_x(c, spread(app_parameter_at(s->definition, x), t->x[x], t->number));
            const double py = y < 0 ? c->box.y + c->box.height - 6
                                    : app_chart_y(c, spread(app_parameter_at(s->definition, y), t->x[y],
                                                            7 * t->number));

            app_trial_hint(s->definition, t, &hint);
            struct app_pen pen = app_looks[look].pen;
            pen.fade = paleness(s, t, x, y);
            app_draw_mark(c->canvas, app_looks[look].shape, px, py, radius, &pen, hint.data);
            app_text_free(&hint);
        }
}

int app_look_keys(const struct app_show *s, int pending, struct app_key *keys)
{
    int occurs[APP_LOOKS] = {0};
    int count = 0;

    for (int i = 0; i < s->notebook->count; i++)
        if (app_trial_look(&s->notebook->trials[i]) < APP_LOOKS)
            occurs[app_trial_look(&s->notebook->trials[i])] = 1;
    for (int k = 0; k < APP_LOOKS; k++)
        if (occurs[k] && (pending || k != APP_LOOK_PENDING))
            keys[count++] = (struct app_key){.kind = APP_KEY_MARK,
                                             .shape = app_looks[k].shape,
                                             .pen = app_looks[k].pen,
                                             .text = app_looks[k].text};
    return count;
}

int app_trial_keys(const struct app_show *s, struct app_key *keys)
{
    int count = app_look_keys(s, 1, keys);

    if (s->recommendation)
        keys[count++] = (struct app_key){
            .kind = APP_KEY_MARK, .shape = APP_STAR, .pen = app_star_pen, .text = "recommended"};
    return count;
}

/* --- trials as layers --- */

const char *app_figure_hint(struct app_figure *f, const struct app_show *s, const struct app_trial *t)
{
    struct app_text text = {0};

    app_trial_hint(s->definition, t, &text);
    f->failed |= text.failed;
    const char *hint = app_figure_text(f, "%s", text.data ? text.data : "");
    app_text_free(&text);
    return hint;
}

void app_add_looks(struct app_panel *p, const struct app_show *s, struct app_layer *marks[APP_LOOKS])
{
    const int count = s->notebook->count;
    int occurs[APP_LOOKS + 1] = {0};

    /* What is feasible lies on top. */
    for (int i = 0; i < count; i++)
        occurs[app_trial_look(&s->notebook->trials[i])] = 1;
    for (int k = APP_LOOKS - 1; k >= 0; k--) {
        marks[k] = NULL;
        if (!occurs[k])
            continue;
        marks[k] = app_panel_layer(p, APP_LAYER_MARKS, app_looks[k].pen, app_looks[k].text);
        marks[k]->shape = app_looks[k].shape;
        marks[k]->size = count <= 150 ? 3.4 : count <= 500 ? 2.6 : 1.9;
    }
}

/*
 * The feasibility map of two parameters, the others at the recommendation: the probability of being feasible
 * as shades, the predicted objective as labelled contours, the designs by their state, the recommendation as
 * a star. Where both parameters take few values the predictions stand in the cells.
 */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "figure/draw/chart.h"
#include "figure/draw/contour.h"
#include "figure/edges.h"
#include "base/markup.h"
#include "figure/figure.h"

enum { SHADES = 10, LEVELS = 9, MAX_LEVELS = 30, MAX_LABELS = 64 };
static const double shade_clear = 0.915;

static const struct app_pen contour_pen = {.stroke = APP_INK_SOFT, .width = 0.9};
static const struct app_pen half_pen = {.stroke = APP_INK_LIMIT, .width = 1.4, .dash = APP_DASHED};

/* How far a step on the page goes; nothing overflows there. */
static double distance(double right, double down)
{
    return sqrt(right * right + down * down);
}

struct map {
    struct app_chart chart;
    const struct app_show *show;
    int x, y;
    struct app_nodes nodes_x, nodes_y;
    double *mean;                 /* (ny×nx×(1+K)) */
    double *feasible;             /* (ny×nx) */
    struct app_edges edges;       /* where it passes its levels between the nodes */
    char label[64];               /* of the level at hand */
    double labels[MAX_LABELS][2]; /* where labels stand */
    int labelled;
    /* 1: without constraints and failures everything is feasible, and there is nothing to shade */
    int certain;
    int unknown; /* 1: some constraint has not been measured, so no probability is known */
    int crossed; /* 1: the probability passes 0.5 somewhere */
};

static int possible(const struct app_show *s, const struct app_plot_options *o)
{
    (void)o;
    if (app_dimension(s->definition) < 2)
        return app_fail(s->notebook->message, CKG_ERR_STATE,
                        "%s: a map needs two parameters, but there is only one; use --kind slices",
                        s->definition->name);
    return s->notebook->count
               ? CKG_OK
               : app_fail(s->notebook->message, CKG_ERR_STATE,
                          "%s: there is no trial yet, so there is no map to show", s->definition->name);
}

static void size(const struct app_show *s, const struct app_plot_options *options, double *width,
                 double *height)
{
    (void)s;
    *width = options->width > 0 ? options->width : 560;
    *height = fmin(fmax(0.82 * *width, 360), 560);
}

/* --- predictions --- */

static int predict(struct map *m)
{
    const struct app_show *s = m->show;
    const int want = app_show_fineness(s, 2);
    const int count_of_outcomes = app_constraints(s->definition) + 1;

    app_nodes_make(&m->nodes_x, app_parameter_at(s->definition, m->x), want);
    app_nodes_make(&m->nodes_y, app_parameter_at(s->definition, m->y), want);

    /* Mean and probability on a grid. */
    const int count = m->nodes_x.count * m->nodes_y.count;
    double *X = app_show_designs(s, m->x, &m->nodes_x, m->y, &m->nodes_y);
    m->mean = malloc((size_t)count * (size_t)count_of_outcomes * sizeof *m->mean);
    m->feasible = malloc((size_t)count * sizeof *m->feasible);
    int status = X && m->mean && m->feasible ? CKG_OK : app_show_no_memory(s);
    if (!status)
        status = app_show_predict(s, count, X, m->mean, m->feasible);
    free(X);

    /* Whether there is anything to shade, and an edge to draw. */
    double low = 1;
    double high = 0;
    for (int i = 0; !status && i < count; i++) {
        low = fmin(low, m->feasible[i]);
        high = fmax(high, m->feasible[i]);
    }
    if (!status)
        status = app_edges_find(&m->edges, s, m->x, &m->nodes_x, m->y, &m->nodes_y, m->feasible);
    m->certain = app_constraints(s->definition) == 0 && low > 0.999999;
    m->unknown = !status && isnan(m->feasible[0]);
    m->crossed = low < 0.5 && high >= 0.5;
    return status;
}

static int is_shaded(const struct map *m)
{
    return !m->certain && !m->unknown;
}

/* --- contours --- */

/*
 * No other label is near, and no design hides what is written, unless there are so many that no place is
 * left.
 */
static int is_free(const struct map *m, double x, double y)
{
    for (int i = 0; m->show->notebook->count <= 150 && i < m->show->notebook->count; i++) {
        const double *design = m->show->notebook->trials[i].x;
        if (distance(app_chart_x(&m->chart, design[m->x]) - x, app_chart_y(&m->chart, design[m->y]) - y) < 15)
            return 0;
    }

    if (distance(app_chart_x(&m->chart, m->show->centre[m->x]) - x,
                 app_chart_y(&m->chart, m->show->centre[m->y]) - y) < 24)
        return 0;

    for (int i = 0; i < m->labelled; i++)
        if (distance(m->labels[i][0] - x, m->labels[i][1] - y) < 58)
            return 0;
    return m->labelled < MAX_LABELS;
}

/* Whether a label may stand there without leaving the chart. */
static int is_inside(const struct map *m, const double *at)
{
    const struct app_box *b = &m->chart.box;

    return at[0] > b->x + 18 && at[0] < b->x + b->width - 18 && at[1] > b->y + 18 &&
           at[1] < b->y + b->height - 10;
}

/* A straight stretch of the line, `length` long, for a label: points from … to, or 0 when there is none. */
static int find_stretch(const struct map *m, int count, const double *p, double length, int *from, int *to)
{
    const struct app_box *b = &m->chart.box;
    double best = 0.9; /* how straight it must be: the chord by the way along the line */
    int found = 0;

    for (int a = 0; a < count; a++) {
        double along = 0;
        int e = a;

        /* As far along the line as the label is long. */
        for (; e + 1 < count && along < length; e++)
            along += distance(p[2 * e + 2] - p[2 * e], p[2 * e + 3] - p[2 * e + 1]);
        if (along < length)
            break;

        /* Straight, within the box and free of everything else. */
        const double x = 0.5 * (p[2 * a] + p[2 * e]);
        const double y = 0.5 * (p[2 * a + 1] + p[2 * e + 1]);
        const double chord = distance(p[2 * e] - p[2 * a], p[2 * e + 1] - p[2 * a + 1]);
        const double straight = chord / along;
        const double margin = 0.5 * length;
        if (straight > best && x > b->x + margin && x < b->x + b->width - margin && y > b->y + 12 &&
            y < b->y + b->height - 12 && is_free(m, x, y)) {
            best = straight;
            *from = a;
            *to = e;
            found = 1;
        }
    }
    return found;
}

static double length_of(int count, const double *p)
{
    double length = 0;

    for (int i = 0; i + 1 < count; i++)
        length += distance(p[2 * i + 2] - p[2 * i], p[2 * i + 3] - p[2 * i + 1]);
    return length;
}

/* `lift`: how far above the line it stands; 0: in a gap of it. */
static void draw_label(struct map *m, const double *p, int from, int to, double lift)
{
    const double dx = p[2 * to] - p[2 * from];
    const double dy = p[2 * to + 1] - p[2 * from + 1];
    const double x = 0.5 * (p[2 * from] + p[2 * to]);
    const double y = 0.5 * (p[2 * from + 1] + p[2 * to + 1]);
    double angle = atan2(dy, dx);

    if (angle > 1.56) /* never upside down, and upwards where it stands upright */
        angle -= 3.14159265358979;
    else if (angle < -1.58)
        angle += 3.14159265358979;

    const struct app_lettering letters = {9.5, APP_INK_TEXT, APP_MIDDLE, 0, angle * 180 / 3.14159265358979};
    const double down = 3.3 - lift;
    app_draw_letters(m->chart.canvas, x - down * sin(angle), y + down * cos(angle), &letters, m->label);

    assert(m->labelled < MAX_LABELS);
    m->labels[m->labelled][0] = x;
    m->labels[m->labelled++][1] = y;
}

/*
 * Points at most 6 apart along the line, so that a label can cut it anywhere; *count of them, the caller's to
 * free. NULL without memory.
 */
static double *refine(int *count, const double *p)
{
    size_t total = 1;

    for (int i = 0; i + 1 < *count; i++)
        total += 1 + (size_t)(distance(p[2 * i + 2] - p[2 * i], p[2 * i + 3] - p[2 * i + 1]) / 6);

    double *fine = malloc(total * 2 * sizeof *fine);
    int n = 0;

    for (int i = 0; fine && i + 1 < *count; i++) {
        const int parts = 1 + (int)(distance(p[2 * i + 2] - p[2 * i], p[2 * i + 3] - p[2 * i + 1]) / 6);
        for (int k = 0; k < parts; k++, n++)
            for (int c = 0; c < 2; c++)
                fine[2 * n + c] = p[2 * i + c] + (p[2 * i + 2 + c] - p[2 * i + c]) * k / parts;
    }

    if (fine)
        memcpy(fine + 2 * n++, p + 2 * (*count - 1), 2 * sizeof *fine);
    *count = n;
    return fine;
}

static void draw_line(void *context, int count, const double *points, int closed)
{
    struct map *m = context;
    struct app_path path = {0};
    double *p = refine(&count, points);
    int from = count;
    int to = count;

    (void)closed;

    if (!p) {
        m->chart.canvas->failed = 1;
        return;
    }

    /* The line with a gap for its label; above it where the label would leave little of the line. */
    const double wide = app_letters_width(m->label, 9.5) + 6;
    const double length = length_of(count, p);
    const int mid = count / 2;
    if (length > 2.2 * wide && find_stretch(m, count, p, wide, &from, &to))
        draw_label(m, p, from, to, 0);
    else if (length > 0.7 * wide && length <= 2.2 * wide && count > 1 && is_inside(m, p + 2 * mid) &&
             is_free(m, p[2 * mid], p[2 * mid + 1]))
        draw_label(m, p, 0, count - 1, 7);
    for (int i = 0; i < count; i++)
        if (i <= from || i >= to)
            (i == 0 || i == to ? app_path_move : app_path_line)(&path, p[2 * i], p[2 * i + 1]);
    app_draw(m->chart.canvas, &path, &contour_pen);
    free(p);
}

static void draw_plain_line(void *context, int count, const double *p, int closed)
{
    struct map *m = context;
    struct app_path path = {0};

    (void)closed;
    for (int i = 0; i < count; i++)
        (i ? app_path_line : app_path_move)(&path, p[2 * i], p[2 * i + 1]);
    app_draw(m->chart.canvas, &path, &half_pen);
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Levels a nice step apart from low to high. */
static int even_levels(double low, double high, double *level)
{
    const double step = app_nice_step(high - low, LEVELS, 0);
    const double first = ceil(low / step);
    int count = 0;

    for (; count < MAX_LEVELS && (first + count) * step <= high; count++)
        level[count] = (first + count) * step;
    return count;
}

/* Levels that part the sorted values into about equally many, each rounded to what tells it from the others.
 */
static int quantile_levels(const double *sorted, size_t n, double *level)
{
    int count = 0;

    for (int k = 1; k < LEVELS; k++) {
        const double before = sorted[n * (size_t)(2 * k - 1) / (2 * LEVELS)];
        const double after = sorted[n * (size_t)(2 * k + 1) / (2 * LEVELS)];
        const double step = app_nice_step(fmax(after - before, 1e-9 * fabs(after)), 1, 0);
        const double one = round(sorted[n * (size_t)k / LEVELS] / step) * step;
        if (!count || one > level[count - 1])
            level[count++] = one;
    }
    return count;
}

/*
 * Evenly through the middle of the values, so that a peak somewhere does not take all of them; where most
 * values lie close together and a few far away, by how many values lie between.
 */
static int choose_levels(const struct app_field *f, double *level, int *count)
{
    const size_t size = (size_t)f->nx * (size_t)f->ny;
    double *sorted = malloc(size * sizeof *sorted);
    size_t n = 0;

    if (!sorted)
        return 0;

    /* The values in order. */
    for (size_t i = 0; i < size; i++)
        if (!isnan(f->z[i]))
            sorted[n++] = f->z[i];
    qsort(sorted, n, sizeof *sorted, ascending);

    /* Through all but the outermost fiftieth on either side. */
    *count = 0;
    if (n) {
        const double low = sorted[n / 50];
        const double high = sorted[n - 1 - n / 50];
        const double middle = sorted[n / 2];
        const int skewed = fmin(middle - low, high - middle) < 0.15 * (high - low);
        if (high - low > 1e-9 * fmax(fabs(low), fabs(high)))
            *count = skewed ? quantile_levels(sorted, n, level) : even_levels(low, high, level);
    }

    free(sorted);
    return 1;
}

static int draw_contours(struct map *m)
{
    struct app_field field;
    double *block;
    double level[MAX_LEVELS];
    int count = 0;
    int made = app_field_make(&m->chart, &m->nodes_x, &m->nodes_y, m->mean,
                              app_constraints(m->show->definition) + 1, &field, &block);

    if (made)
        made = choose_levels(&field, level, &count);

    for (int k = 0; made && k < count; k++) {
        const double near = k ? level[k] - level[k - 1] : 1;
        app_number_nice(fabs(level[k]) < 1e-9 * near ? 0 : level[k], 4, m->label);
        made = app_contour_lines(&field, level[k], draw_line, m);
    }

    free(block);
    return made;
}

/* --- cells --- */

/* The prediction in every cell, upright where that is how it fits. */
static void draw_cells(const struct map *m)
{
    struct app_lettering letters = {9.5, APP_INK_TEXT, APP_MIDDLE, 0, 0};
    const int outcomes = app_constraints(m->show->definition) + 1;
    const int count = m->nodes_x.count * m->nodes_y.count;
    const double wide = m->chart.box.width / m->nodes_x.count;
    const double high = m->chart.box.height / m->nodes_y.count;
    double longest = 0;
    char text[64];

    /* Level, upright, or not at all. */
    for (int i = 0; i < count; i++)
        longest = fmax(longest,
                       app_letters_width(app_number_nice(m->mean[i * outcomes], 3, text), letters.size));
    const int level = longest < wide - 4 && high > 14;
    const int upright = !level && longest < high - 4 && wide > 14;
    letters.angle = upright ? -90 : 0;
    letters.anchor = upright ? APP_END : APP_MIDDLE;

    /* The numbers in their cells. */
    for (int j = 0; (level || upright) && j < m->nodes_y.count; j++)
        for (int i = 0; i < m->nodes_x.count; i++) {
            const double x = app_chart_x(&m->chart, m->nodes_x.value[i]) + (upright ? 3.5 : 0);
            const double y = app_chart_y(&m->chart, m->nodes_y.value[j] + 0.5) + (upright ? 4 : 11);
            app_draw_letters(m->chart.canvas, x, y, &letters,
                             app_number_nice(m->mean[(j * m->nodes_x.count + i) * outcomes], 3, text));
        }
}

/* Paper between the steps of an axis, so that they are seen to be apart. */
static void draw_gaps(const struct map *m)
{
    static const struct app_pen gap = {.stroke = APP_INK_PAPER, .width = 2};
    const struct app_chart *c = &m->chart;

    for (int i = 1; m->nodes_x.stepped && i < m->nodes_x.count; i++) {
        const double x = app_chart_x(c, m->nodes_x.value[i] - 0.5);
        app_draw_line(c->canvas, x, c->box.y, x, c->box.y + c->box.height, &gap);
    }
    for (int j = 1; m->nodes_y.stepped && j < m->nodes_y.count; j++) {
        const double y = app_chart_y(c, m->nodes_y.value[j] - 0.5);
        app_draw_line(c->canvas, c->box.x, y, c->box.x + c->box.width, y, &gap);
    }
}

/* --- all together --- */

static int draw_surface(struct map *m)
{
    struct app_canvas *canvas = m->chart.canvas;
    struct app_field field;
    double *block;

    /* Shades, and the line of even chances. */
    int made = app_field_make(&m->chart, &m->nodes_x, &m->nodes_y, m->feasible, 1, &field, &block);

    field.between = app_edges_between;
    field.context = &m->edges;
    if (made && is_shaded(m))
        made = app_field_shade(canvas, &field, 0, 1, APP_INK_SHADE, SHADES, shade_clear);
    if (made)
        made = app_contour_lines(&field, 0.5, draw_plain_line, m);
    free(block);

    /* What is predicted, on top of them. */
    if (m->show->recommendation && made) {
        if (m->nodes_x.stepped && m->nodes_y.stepped)
            draw_cells(m);
        else
            made = draw_contours(m);
    }

    draw_gaps(m);
    return made;
}

static void draw_star(const struct map *m)
{
    const ckg_recommendation *r = m->show->recommendation;

    if (r)
        app_draw_mark(m->chart.canvas, APP_STAR, app_chart_x(&m->chart, r->x[m->x]),
                      app_chart_y(&m->chart, r->x[m->y]), 8, &app_star_pen, "recommended");
}

static int make_keys(const struct map *m, struct app_key *keys)
{
    int count = app_trial_keys(m->show, keys);

    if (m->show->recommendation && !(m->nodes_x.stepped && m->nodes_y.stepped))
        keys[count++] = (struct app_key){
            .kind = APP_KEY_LINE, .pen = contour_pen, .text = "predicted objective"};
    if (m->crossed)
        keys[count++] = (struct app_key){.kind = APP_KEY_LINE, .pen = half_pen, .text = "P(feasible) = 0.5"};
    return count;
}

static void draw_map(struct map *m, const struct app_box *box, int *made)
{
    static const struct app_axis probability = {
        .low = 0, .high = 1, .label = "probability of being feasible"};
    struct app_canvas *canvas = m->chart.canvas;
    struct app_key keys[APP_LOOKS + 3];
    const int count = make_keys(m, keys);
    const double legend = app_keys_draw(NULL, keys, count, 0, 0, box->width - 60);
    const struct app_box outer = {box->x, box->y, box->width - (is_shaded(m) ? 62 : 0), box->height - legend};

    /* The map. */
    app_chart_fit(&m->chart, &outer, 0);
    app_chart_axes(&m->chart);
    canvas->table->clip(canvas, &m->chart.box);
    *made = draw_surface(m);
    canvas->table->unclip(canvas);
    app_chart_frame(&m->chart);
    app_draw_trials(&m->chart, m->show, m->x, m->y);
    draw_star(m);

    /* Its scale and its legend. */
    const struct app_box bar = {m->chart.box.x + m->chart.box.width + 14, m->chart.box.y, 11,
                                m->chart.box.height};
    if (is_shaded(m))
        app_bar_draw(canvas, &bar, APP_INK_SHADE, SHADES, shade_clear, &probability);
    app_keys_draw(canvas, keys, count, m->chart.box.x, box->y + box->height - legend + 2, box->width - 60);
}

/* What the map shows, in a line; the caller frees it. */
static void write_title(const struct map *m, struct app_text *out)
{
    const struct app_show *s = m->show;

    if (s->recommendation)
        app_text_print(out, "Predicted %s", app_outcome_title(s->definition, 0));
    else
        app_text_print(out, "Designs");
    if (m->unknown)
        app_text_print(out, "; feasibility not known yet");
}

/* How the marks are to be read where there are more parameters than the two. */
static const char *note_of(const struct app_show *s)
{
    if (app_dimension(s->definition) <= 2)
        return NULL;
    return s->recommendation ? "others as recommended; marks are projections, the paler the farther from that"
                             : "others in the middle of their ranges; marks are projections, the paler the "
                               "farther from that";
}

static int draw(struct app_canvas *canvas, const struct app_show *s, const struct app_plot_options *options,
                const struct app_box *box)
{
    struct map *m = calloc(1, sizeof *m);
    struct app_text title = {0};
    int made = 0;

    if (!m)
        return app_show_no_memory(s);

    /* What to show. */
    m->show = s;
    app_plot_pair(s, options, &m->x, &m->y);

    /* The predictions. */
    int status = predict(m);

    /* The axes and the title. */
    write_title(m, &title);
    m->chart = (struct app_chart){.canvas = canvas,
                                  .x = app_axis_of(app_parameter_at(s->definition, m->x)),
                                  .y = app_axis_of(app_parameter_at(s->definition, m->y)),
                                  .title = title.failed ? "" : title.data,
                                  .note = note_of(s)};

    /* The map. */
    if (!status) {
        draw_map(m, box, &made);
        status = made && !title.failed ? CKG_OK : app_show_no_memory(s);
    }

    app_text_free(&title);
    app_edges_free(&m->edges);
    free(m->mean);
    free(m->feasible);
    free(m);
    return status;
}

const struct app_plot app_plot_map = {
    "map", "predicted objective and probability of being feasible over two parameters", possible, size, draw,
    NULL};

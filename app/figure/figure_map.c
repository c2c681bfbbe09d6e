/*
 * The feasibility map of two parameters, the others at the recommendation: the probability of being feasible
 * (or what is predicted of an outcome) as shades, the predicted objective as labelled contours, the designs
 * by their state, the recommendation as a star. Where both parameters take few values the predictions stand
 * in the cells.
 */
#include <math.h>

#include "figure/edges.h"
#include "figure/figure.h"

enum { SHADES = 10, LEVELS = 9, MAX_LEVELS = 30 };

static const struct app_pen shade_pen = {.fill = APP_INK_SHADE, .clear = 0.915};
static const struct app_pen contour_pen = {.stroke = APP_INK_SOFT, .width = 0.9};
static const struct app_pen half_pen = {.stroke = APP_INK_LIMIT, .width = 1.4, .dash = APP_DASHED};
static const struct app_pen gap_pen = {.stroke = APP_INK_PAPER, .width = 2};

struct map {
    const struct app_show *show;
    int x, y;
    struct app_nodes nodes_x, nodes_y;
    struct app_grid grid;
    struct app_edges edges; /* where the probability passes its levels between the nodes */
    double low, high;       /* of the probability */
};

static int possible(const struct app_show *s)
{
    if (app_dimension(s->definition) < 2)
        return app_fail(s->record->message, CKG_ERR_STATE,
                        "%s: a map needs two parameters, but there is only one; use --kind slices",
                        s->definition->name);
    return s->record->count
               ? CKG_OK
               : app_fail(s->record->message, CKG_ERR_STATE,
                          "%s: there is no trial yet, so there is no map to show", s->definition->name);
}

static int predict(struct map *m, struct app_figure *f)
{
    const struct app_show *s = m->show;
    const int want = app_show_fineness(s, 2);

    app_nodes_make(&m->nodes_x, app_parameter_at(s->definition, m->x), want);
    app_nodes_make(&m->nodes_y, app_parameter_at(s->definition, m->y), want);
    int status = app_grid_predict(&m->grid, &f->pool, s, m->x, &m->nodes_x, m->y, &m->nodes_y);

    m->low = 1;
    m->high = 0;
    for (int i = 0; !status && i < m->grid.count; i++) {
        m->low = fmin(m->low, m->grid.chance[i]);
        m->high = fmax(m->high, m->grid.chance[i]);
    }
    if (!status)
        status = app_edges_find(&m->edges, &f->pool, s, &m->grid, m->x, &m->nodes_x, m->y, &m->nodes_y);
    return status;
}

/* --- the levels of contours --- */

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
static int choose_levels(struct app_figure *f, const struct app_field *field, double *level)
{
    const size_t size = (size_t)field->nx * (size_t)field->ny;
    double *sorted = app_figure_new(f, size + 1, sizeof *sorted);
    size_t n = 0;

    /* The values in order. */
    for (size_t i = 0; sorted && i < size; i++)
        if (!isnan(field->z[i]))
            sorted[n++] = field->z[i];
    if (!n)
        return 0;
    app_figure_sort(sorted, (int)n);

    /* Through all but the outermost fiftieth on either side. */
    const double low = sorted[n / 50];
    const double high = sorted[n - 1 - n / 50];
    const double middle = sorted[n / 2];
    const int skewed = fmin(middle - low, high - middle) < 0.15 * (high - low);
    if (!(high - low > 1e-9 * fmax(fabs(low), fabs(high))))
        return 0;
    return skewed ? quantile_levels(sorted, n, level) : even_levels(low, high, level);
}

/* --- layers --- */

static void add_contours(struct app_panel *p, const struct map *m)
{
    const struct app_field field = app_panel_field(p, &m->nodes_x, &m->nodes_y, m->grid.mean,
                                                   app_constraints(m->show->definition) + 1);
    double level[MAX_LEVELS];
    const int count = choose_levels(p->figure, &field, level);

    for (int k = 0; k < count; k++) {
        const double near = k ? level[k] - level[k - 1] : 1;
        char number[64];
        app_number_nice(fabs(level[k]) < 1e-9 * near ? 0 : level[k], 4, number);
        struct app_layer *line = app_panel_contour(p, &field, level[k], contour_pen, "predicted objective");
        line->label = app_figure_text(p->figure, "%s", number);
    }
}

/* The prediction in every cell. */
static void add_words(struct app_panel *p, const struct map *m)
{
    const int outcomes = app_constraints(m->show->definition) + 1;
    struct app_layer *words = app_panel_layer(p, APP_LAYER_TEXT, contour_pen, NULL);
    char number[64];

    for (int j = 0; j < m->nodes_y.count; j++)
        for (int i = 0; i < m->nodes_x.count; i++) {
            const double mean = m->grid.mean[(j * m->nodes_x.count + i) * outcomes];
            app_layer_add(words, (struct app_point){.x = m->nodes_x.value[i],
                                                    .y = m->nodes_y.value[j],
                                                    .hint = app_figure_text(
                                                        p->figure, "%s", app_number_nice(mean, 3, number))});
        }
}

/* Paper between the steps of an axis, so that they are seen to be apart. */
static void add_gaps(struct app_panel *p, const struct app_nodes *nodes, int level)
{
    for (int i = 1; nodes->stepped && i < nodes->count; i++)
        app_panel_rule(p, gap_pen, nodes->value[i] - 0.5, level);
}

/* What is predicted of an outcome. */
static void add_outcome(struct app_panel *p, const struct map *m, int outcome)
{
    const struct app_definition *d = m->show->definition;
    const struct app_field field = app_panel_field(p, &m->nodes_x, &m->nodes_y, m->grid.mean + outcome,
                                                   app_constraints(d) + 1);
    struct app_range range = APP_RANGE_INIT;

    for (int i = 0; i < field.nx * field.ny; i++)
        app_range_add(&range, field.z[i]);
    if (range.high > range.low)
        app_panel_shade_evenly(p, &field, range.low, range.high, SHADES, shade_pen,
                               app_outcome_at(d, outcome).title);
}

/* The probability of being feasible, and the line of even chances. Where everything is feasible, without
 * constraints and failures, there is nothing to shade. */
static void add_chances(struct app_panel *p, const struct map *m, int outcome)
{
    const int certain = app_constraints(m->show->definition) == 0 && m->low > 0.999999;
    struct app_field field = app_panel_field(p, &m->nodes_x, &m->nodes_y, m->grid.chance, 1);

    field.between = app_edges_between;
    field.context = &m->edges;
    if (outcome >= 0)
        add_outcome(p, m, outcome);
    else if (!certain && !isnan(m->grid.chance[0]))
        app_panel_shade_evenly(p, &field, 0, 1, SHADES, shade_pen, "probability of being feasible");
    if (m->low < 0.5 && m->high >= 0.5)
        app_panel_contour(p, &field, 0.5, half_pen, "P(feasible) = 0.5");
}

static void add_layers(struct app_panel *p, const struct map *m, int outcome)
{
    const ckg_recommendation *r = m->show->recommendation;

    add_chances(p, m, outcome);
    if (r && m->nodes_x.stepped && m->nodes_y.stepped)
        add_words(p, m);
    else if (r)
        add_contours(p, m);
    add_gaps(p, &m->nodes_x, 0);
    add_gaps(p, &m->nodes_y, 1);
    app_panel_trials(p, m->show, m->x, m->y);
    if (r)
        app_panel_star(p, r->x[m->x], r->x[m->y], 8);
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

static int make(struct app_figure *out, const struct app_show *s, const struct app_figure_options *options)
{
    struct map *m = app_figure_new(out, 1, sizeof *m);
    int status = possible(s);

    if (status || !m)
        return status;

    /* What to show, and what is predicted of it. */
    m->show = s;
    app_figure_pair(s, options, &m->x, &m->y);
    status = predict(m, out);
    if (status)
        return status;

    struct app_panel *p = app_figure_panel(out, 0, 0);
    p->x = app_axis_of(app_parameter_at(s->definition, m->x));
    p->y = app_axis_of(app_parameter_at(s->definition, m->y));
    p->title = app_figure_text(out, "%s%s%s", s->recommendation ? "Predicted " : "Designs",
                               s->recommendation ? app_outcome_at(s->definition, 0).title : "",
                               isnan(m->grid.chance[0]) ? "; feasibility not known yet" : "");
    p->note = note_of(s);
    add_layers(p, m, options->outcome);
    out->width = 560;
    return CKG_OK;
}

const struct app_figure_kind app_figure_map = {
    "map", "predicted objective and probability of being feasible over two parameters", make};

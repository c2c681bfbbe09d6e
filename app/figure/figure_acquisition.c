/*
 * The policy's value of evaluating a design next, over one or two parameters, the others at the
 * recommendation. Larger is better.
 */
#include <math.h>
#include <stdlib.h>

#include "figure/figure.h"

enum { SHADES = 12 };

static const struct app_pen score_pen = {.stroke = APP_INK_SCORE, .width = 1.8};
static const struct app_pen shade_pen = {.fill = APP_INK_SCORE, .clear = 0.89};
static const struct app_pen top_pen = {.stroke = APP_INK_TEXT, .width = 1.6};

struct surface {
    const struct app_show *show;
    ckg_policy_info policy;
    int x, y; /* y -1: one parameter */
    struct app_nodes nodes_x, nodes_y;
    double *value; /* (ny×nx) */
    int top;       /* which is the largest, -1: none is a number */
    struct app_range range;
};

static void choose(const struct app_show *s, const struct app_figure_options *o, int *x, int *y)
{
    if (app_dimension(s->definition) == 1 || (o->x >= 0 && o->y < 0) || (o->x < 0 && o->y >= 0)) {
        *x = o->x >= 0 ? o->x : o->y >= 0 ? o->y : 0;
        *y = -1;
    } else
        app_figure_pair(s, o, x, y);
}

static int possible(const struct app_show *s, const struct app_figure_options *o)
{
    const char *name = o->policy ? o->policy : s->definition->policy;
    ckg_policy_info policy;

    if (ckg_policy_named(name, &policy))
        return app_fail(s->record->message, CKG_ERR_INVALID,
                        "there is no policy '%s'; `ckg policies` lists them", name);
    if (!policy.value[0])
        return app_fail(s->record->message, CKG_ERR_INVALID,
                        "the policy '%s' has no value for a design; choose another with --policy", name);
    return s->recommendation
               ? CKG_OK
               : app_fail(s->record->message, CKG_ERR_STATE,
                          "%s: '%s' has not been measured yet, so there is no acquisition to show",
                          s->definition->name, app_outcome_name(s->definition, 0));
}

/* A score may cost as much as a suggestion's search for one candidate. */
static int score(struct app_figure *f, struct surface *w, const char *policy)
{
    const struct app_show *s = w->show;
    const int want = w->y < 0 ? 81 : s->ended <= 150 ? 37 : 25;

    app_nodes_make(&w->nodes_x, app_parameter_at(s->definition, w->x), want);
    if (w->y >= 0)
        app_nodes_make(&w->nodes_y, app_parameter_at(s->definition, w->y), want);

    /* The values on a grid. */
    const int count = w->nodes_x.count * (w->y < 0 ? 1 : w->nodes_y.count);
    double *X = app_grid_designs(&f->pool, s, w->x, &w->nodes_x, w->y, &w->nodes_y);
    w->value = app_figure_new(f, (size_t)count, sizeof *w->value);
    if (!X || !w->value)
        return app_no_memory(s->record->message);
    int status = ckg_study_score(s->engine, policy, count, X, w->value);
    if (!status)
        status = ckg_study_score_policy(s->engine, policy, &policy);
    if (status)
        return app_study_fail(s->record, status);

    /* Whose they are, their range and the largest. */
    ckg_policy_named(policy, &w->policy);
    for (int i = 0; i < count; i++) {
        app_range_add(&w->range, w->value[i]);
        if (isfinite(w->value[i]) && (w->top < 0 || w->value[i] > w->value[w->top]))
            w->top = i;
    }
    return CKG_OK;
}

/* The design of the largest value, ringed. */
static void add_top(struct app_panel *p, const struct surface *w)
{
    const int columns = w->nodes_x.count;

    if (w->top < 0)
        return;
    struct app_layer *ring = app_panel_layer(p, APP_LAYER_MARKS, top_pen, "largest value here");
    ring->shape = APP_CIRCLE;
    ring->size = 6.5;
    app_layer_add(ring,
                  (struct app_point){.x = w->nodes_x.value[w->top % columns],
                                     .y = w->y < 0 ? w->value[w->top] : w->nodes_y.value[w->top / columns],
                                     .hint = "largest value"});
}

/* The curve, broken where there is no value; below it there is room for the designs. */
static void add_curve(struct app_panel *p, const struct surface *w)
{
    const struct app_nodes *n = &w->nodes_x;

    p->y = app_axis_over(&w->range, w->policy.value);
    p->y.low -= 0.12 * (p->y.high - p->y.low);
    p->grid = 1;
    p->height = 210;
    struct app_layer *line = app_panel_layer(p, APP_LAYER_LINE, score_pen, NULL);
    for (int i = 0; i < n->drawn; i++) {
        const double value = w->value[n->of[i]];
        app_layer_xy(line, n->place[i], isfinite(value) ? value : NAN);
    }
    app_panel_trials(p, w->show, w->x, -1);
}

static void add_shades(struct app_panel *p, const struct surface *w)
{
    const double *r = w->show->recommendation->x;

    p->y = app_axis_of(app_parameter_at(w->show->definition, w->y));
    const struct app_field field = app_panel_field(p, &w->nodes_x, &w->nodes_y, w->value, 1);
    if (w->range.high > w->range.low)
        app_panel_shade_evenly(p, &field, w->range.low, w->range.high, SHADES, shade_pen,
                               app_figure_text(p->figure, "%s", w->policy.value));
    app_panel_trials(p, w->show, w->x, w->y);
    app_panel_star(p, r[w->x], r[w->y], 8);
}

static int make(struct app_figure *out, const struct app_show *s, const struct app_figure_options *options)
{
    struct surface *w = app_figure_new(out, 1, sizeof *w);
    int status = possible(s, options);

    if (status || !w)
        return status;

    /* What to show. */
    *w = (struct surface){.show = s, .top = -1, .range = APP_RANGE_INIT};
    choose(s, options, &w->x, &w->y);
    status = score(out, w, options->policy ? options->policy : s->definition->policy);
    if (status)
        return status;

    struct app_panel *p = app_figure_panel(out, 0, 0);
    p->x = app_axis_of(app_parameter_at(s->definition, w->x));
    p->title = app_figure_text(out, "Acquisition %s%s", w->policy.name,
                               app_dimension(s->definition) > (w->y < 0 ? 1 : 2) ? ", others as recommended"
                                                                                 : "");
    (w->y < 0 ? add_curve : add_shades)(p, w);
    add_top(p, w);
    out->width = 560;
    return CKG_OK;
}

const struct app_figure_kind app_figure_acquisition = {
    "acquisition", "the policy's value of evaluating a design next, over one or two parameters", make};

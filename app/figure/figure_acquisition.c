/*
 * The policy's value of evaluating a design next, over one or two parameters, the others at the
 * recommendation. Larger is better.
 */
#include <math.h>
#include <stdlib.h>

#include "figure/draw/chart.h"
#include "figure/draw/contour.h"
#include "base/markup.h"
#include "figure/figure.h"

enum { SHADES = 12 };
static const double shade_clear = 0.89;

static const struct app_pen score_pen = {.stroke = APP_INK_SCORE, .width = 1.8},
                            top_pen = {.stroke = APP_INK_TEXT, .width = 1.6};

struct surface {
    const struct app_show *show;
    ckg_policy_info policy;
    int x, y; /* y -1: one parameter */
    struct app_nodes nodes_x, nodes_y;
    double *value; /* (ny×nx) */
    int top;       /* which is the largest, -1: none is a number */
    struct app_range range;
};

static void choose(const struct app_show *s, const struct app_plot_options *o, int *x, int *y)
{
    if (app_dimension(s->definition) == 1 || (o->x >= 0 && o->y < 0) || (o->x < 0 && o->y >= 0)) {
        *x = o->x >= 0 ? o->x : o->y >= 0 ? o->y : 0;
        *y = -1;
    } else
        app_plot_pair(s, o, x, y);
}

static int possible(const struct app_show *s, const struct app_plot_options *o)
{
    const char *name = o->policy ? o->policy : s->definition->policy;
    ckg_policy_info policy;

    if (ckg_policy_named(name, &policy))
        return app_fail(s->notebook->message, CKG_ERR_INVALID,
                        "there is no policy '%s'; `ckg policies` lists them", name);
    if (!policy.value[0])
        return app_fail(s->notebook->message, CKG_ERR_INVALID,
                        "the policy '%s' has no value for a design; choose another with --policy", name);
    return s->recommendation
               ? CKG_OK
               : app_fail(s->notebook->message, CKG_ERR_STATE,
                          "%s: '%s' has not been measured yet, so there is no acquisition to show",
                          s->definition->name, app_outcome_name(s->definition, 0));
}

static void size(const struct app_show *s, const struct app_plot_options *options, double *width,
                 double *height)
{
    int x;
    int y;

    choose(s, options, &x, &y);
    *width = options->width > 0 ? options->width : 560;
    *height = y < 0 ? 320 : 460;
}

/* A score may cost as much as a suggestion's search for one candidate. */
static int score(struct surface *w, const char *policy)
{
    const struct app_show *s = w->show;
    const int want = w->y < 0 ? 81 : s->ended <= 150 ? 37 : 25;

    app_nodes_make(&w->nodes_x, app_parameter_at(s->definition, w->x), want);
    if (w->y >= 0)
        app_nodes_make(&w->nodes_y, app_parameter_at(s->definition, w->y), want);

    /* The values on a grid. */
    const int count = w->nodes_x.count * (w->y < 0 ? 1 : w->nodes_y.count);
    double *X = app_show_designs(s, w->x, &w->nodes_x, w->y, &w->nodes_y);
    w->value = malloc((size_t)count * sizeof *w->value);
    int status = X && w->value ? CKG_OK : app_show_no_memory(s);
    if (!status) {
        status = ckg_study_score(s->engine, policy, count, X, w->value);
        if (!status)
            status = ckg_study_score_policy(s->engine, policy, &policy);
        if (status)
            app_notebook_fail(s->notebook, status);
    }

    /* Whose they are, their range and the largest. */
    if (!status)
        ckg_policy_named(policy, &w->policy);
    for (int i = 0; !status && i < count; i++) {
        app_range_add(&w->range, w->value[i]);
        if (isfinite(w->value[i]) && (w->top < 0 || w->value[i] > w->value[w->top]))
            w->top = i;
    }

    free(X);
    return status;
}

static int make_keys(const struct surface *w, struct app_key *keys)
{
    int count = app_trial_keys(w->show, keys);

    if (w->top >= 0)
        keys[count++] = (struct app_key){
            .kind = APP_KEY_MARK, .shape = APP_CIRCLE, .pen = top_pen, .text = "largest value here"};
    return count;
}

/* The design of the largest value, ringed. */
static void draw_top(const struct app_chart *c, const struct surface *w, double y)
{
    if (w->top >= 0)
        app_draw_mark(c->canvas, APP_CIRCLE, app_chart_x(c, w->nodes_x.value[w->top % w->nodes_x.count]), y,
                      6.5, &top_pen, "largest value");
}

static int draw_one(struct app_chart *c, const struct surface *w)
{
    struct app_path line = {0};
    const struct app_nodes *n = &w->nodes_x;
    int broken = 1;

    /* The curve, broken where there is no value. */
    for (int i = 0; i < n->drawn; i++) {
        const double value = w->value[n->of[i]];
        if (isfinite(value))
            (broken ? app_path_move : app_path_line)(&line, app_chart_x(c, n->place[i]),
                                                     app_chart_y(c, value));
        broken = !isfinite(value);
    }
    app_draw(c->canvas, &line, &score_pen);

    /* The designs below it. */
    app_chart_frame(c);
    app_draw_trials(c, w->show, w->x, -1);
    draw_top(c, w, app_chart_y(c, w->top < 0 ? 0 : w->value[w->top]));
    return 1;
}

static int draw_two(struct app_chart *c, const struct surface *w)
{
    const double *r = w->show->recommendation->x;
    struct app_field field;
    double *block;
    int made = app_field_make(c, &w->nodes_x, &w->nodes_y, w->value, 1, &field, &block);

    if (made && w->range.high > w->range.low)
        made = app_field_shade(c->canvas, &field, w->range.low, w->range.high, APP_INK_SCORE, SHADES,
                               shade_clear);
    free(block);

    app_chart_frame(c);
    app_draw_trials(c, w->show, w->x, w->y);
    app_draw_mark(c->canvas, APP_STAR, app_chart_x(c, r[w->x]), app_chart_y(c, r[w->y]), 8, &app_star_pen,
                  "recommended");
    draw_top(c, w, app_chart_y(c, w->top < 0 ? 0 : w->nodes_y.value[w->top / w->nodes_x.count]));
    return made;
}

static int draw_surface(struct app_canvas *canvas, const struct surface *w, const char *title,
                        const struct app_box *box)
{
    struct app_key keys[APP_LOOKS + 2];
    const struct app_definition *d = w->show->definition;
    const int count = make_keys(w, keys);
    const int two = w->y >= 0;
    const double legend = app_keys_draw(NULL, keys, count, 0, 0, box->width - 60);
    const struct app_box outer = {box->x, box->y, box->width - (two ? 80 : 0), box->height - legend};
    struct app_axis values = app_axis_over(&w->range, w->policy.value);
    struct app_chart c = {.canvas = canvas,
                          .x = app_axis_of(app_parameter_at(d, w->x)),
                          .y = two ? app_axis_of(app_parameter_at(d, w->y)) : values,
                          .title = title,
                          .grid = !two};

    /* The chart; below a curve there is room for the designs. */
    if (!two)
        c.y.low -= 0.12 * (c.y.high - c.y.low);
    app_chart_fit(&c, &outer, 0);
    app_chart_axes(&c);
    const int made = two ? draw_two(&c, w) : draw_one(&c, w);

    /* The scale of the shades. */
    const struct app_box bar = {c.box.x + c.box.width + 14, c.box.y, 11, c.box.height};
    if (two && w->range.high > w->range.low) {
        values.low = w->range.low;
        values.high = w->range.high;
        app_bar_draw(canvas, &bar, APP_INK_SCORE, SHADES, shade_clear, &values);
    }

    app_keys_draw(canvas, keys, count, c.box.x, box->y + box->height - legend + 2, box->width - 60);
    return made;
}

static int draw(struct app_canvas *canvas, const struct app_show *s, const struct app_plot_options *options,
                const struct app_box *box)
{
    struct surface *w = calloc(1, sizeof *w);
    struct app_text title = {0};

    if (!w)
        return app_show_no_memory(s);

    /* What to show. */
    w->show = s;
    w->top = -1;
    w->range = (struct app_range)APP_RANGE_INIT;
    choose(s, options, &w->x, &w->y);
    int status = score(w, options->policy ? options->policy : s->definition->policy);
    app_text_print(&title, "Acquisition %s%s", w->policy.name,
                   app_dimension(s->definition) > (w->y < 0 ? 1 : 2) ? ", others as recommended" : "");

    if (!status && (title.failed || !draw_surface(canvas, w, title.data, box)))
        status = app_show_no_memory(s);
    app_text_free(&title);
    free(w->value);
    free(w);
    return status;
}

const struct app_plot app_plot_acquisition = {
    "acquisition", "the policy's value of evaluating a design next, over one or two parameters",
    possible,      size,
    draw,          NULL};

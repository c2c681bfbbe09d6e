/*
 * Convergence: every value measured, the best feasible one so far, and what would have been recommended; the
 * gap of all these to the best on a logarithmic axis, where the end of a study is seen as well as its
 * beginning; and the probability that what was recommended is feasible.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "figure/figure.h"
#include "figure/kept.h"

static const struct app_pen best_pen = {.stroke = APP_INK_BEST, .width = 1.8};
static const struct app_pen mean_pen = {.stroke = APP_INK_MEAN, .width = 1.6, .dash = APP_DASHED};
static const struct app_pen band_pen = {.fill = APP_INK_MEAN, .clear = 0.84};
static const struct app_pen start_pen = {.stroke = APP_INK_SOFT, .width = 1, .dash = APP_DOTTED};

static int has_ended(const struct app_trial *t)
{
    return t->state == APP_COMPLETE || t->state == APP_FAILED_TRIAL;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;

    return (x > y) - (x < y);
}

/* The middle of the measured values: nine tenths, unless the rest is hardly further away. */
static int find_spread(const struct app_show *s, int outcome, struct app_range *range)
{
    double *values = malloc((size_t)s->notebook->count * sizeof *values);
    int count = 0;

    if (!values)
        return app_show_no_memory(s);

    for (int i = 0; i < s->notebook->count; i++) {
        const double value = app_trial_value(&s->notebook->trials[i], outcome);
        if (has_ended(&s->notebook->trials[i]) && isfinite(value))
            values[count++] = value;
    }

    qsort(values, (size_t)count, sizeof *values, ascending);
    if (count) {
        const double low = values[count / 20];
        const double high = values[count - 1 - count / 20];
        const double far = 0.6 * (high - low);
        app_range_add(range, values[0] < low - far ? low - 0.1 * far : values[0]);
        app_range_add(range, values[count - 1] > high + far ? high + 0.1 * far : values[count - 1]);
    }
    free(values);
    return CKG_OK;
}

static int choose_range(const struct app_show *s, int outcome, const struct app_history *history,
                        struct app_range *range)
{
    const int status = find_spread(s, outcome, range);

    if (outcome)
        return status;
    if (s->best)
        app_range_add(range, app_trial_value(s->best, 0));

    /* Early predictions may be far off and unsure: they do not rule the axis. */
    const double span = range->high - range->low;
    for (int k = 0; k < history->count; k++) {
        if (!(span > 0) || fabs(history->mean[k] - 0.5 * (range->low + range->high)) < 1.2 * span)
            app_range_add(range, history->mean[k]);
    }
    return status;
}

/* --- the gap to the best --- */

/* How far a value is behind the best, in the objective's units; negative: it is ahead. */
struct gap {
    int shown;
    double best, sign; /* 1 to minimize, −1 to maximize */
    double unit, largest;
};

static double gap_of(const struct gap *g, double value)
{
    return g->sign * (value - g->best);
}

/* The gaps of the trials that ended, those of the later half that are feasible, sorted; how many of each. */
struct gaps {
    double *all, *late;
    int alls, lates;
};

static void gather_gaps(const struct app_show *s, const struct gap *g, struct gaps *out)
{
    int evaluation = 0;

    for (int i = 0; i < s->notebook->count; i++) {
        const struct app_trial *t = &s->notebook->trials[i];
        const double gap = has_ended(t) ? gap_of(g, app_trial_value(t, 0)) : NAN;

        evaluation += has_ended(t);
        if (!(gap > 0) || !isfinite(gap))
            continue;
        out->all[out->alls++] = gap;
        if (t->feasible == 1 && 2 * evaluation > s->ended)
            out->late[out->lates++] = gap;
    }
    qsort(out->all, (size_t)out->alls, sizeof *out->all, ascending);
    qsort(out->late, (size_t)out->lates, sizeof *out->late, ascending);
}

/*
 * What a tenth of the later feasible designs are behind the best is the unit: less is as good as nothing. The
 * axis holds nine of ten gaps, and what is not much farther. Where gaps do not range over a decade they are
 * seen in the values themselves.
 */
static int find_gap(const struct app_show *s, struct gap *g)
{
    const size_t size = (size_t)s->notebook->count * sizeof(double);
    struct gaps gaps = {.all = malloc(size), .late = malloc(size)};
    const int status = gaps.all && gaps.late ? CKG_OK : app_show_no_memory(s);

    *g = (struct gap){.best = s->best ? app_trial_value(s->best, 0) : NAN,
                      .sign = ckg_problem_goal(s->definition->problem) == CKG_MAXIMIZE ? -1 : 1};
    if (!status && s->best)
        gather_gaps(s, g, &gaps);
    if (gaps.lates) {
        const double most = gaps.all[gaps.alls - 1 - gaps.alls / 10];
        g->largest = fmin(gaps.all[gaps.alls - 1], 3 * most);
        g->unit = fmax(gaps.late[gaps.lates / 10], 1e-6 * g->largest);
        g->shown = g->largest > 20 * g->unit;
    }
    free(gaps.all);
    free(gaps.late);
    return status;
}

/* --- the layers --- */

/* What is shown of a value: itself, or its gap. */
static double shown_of(const struct gap *g, double value)
{
    return g ? fmax(gap_of(g, value), 0) : value;
}

/* Where the initial design ends, as far as trials came from it. */
static void add_start(struct app_panel *p, const struct app_show *s, const char *label)
{
    int evaluation = 0;
    int last = 0;

    for (int i = 0; i < s->notebook->count; i++)
        if (has_ended(&s->notebook->trials[i])) {
            evaluation++;
            if (s->notebook->trials[i].origin[0] == 'd')
                last = evaluation;
        }

    if (!last || last >= s->ended)
        return;
    app_panel_rule(p, start_pen, last + 0.5, 0)->label = label;
}

/* A step at every evaluation that improves on the best; the last one holds to the end. */
static void add_best(struct app_panel *p, const struct app_show *s, const struct gap *g)
{
    double best = NAN;
    int evaluation = 0;

    if (!s->best)
        return;
    struct app_layer *steps = app_panel_layer(p, APP_LAYER_STEPS, best_pen, "best feasible so far");
    for (int i = 0; i < s->notebook->count; i++) {
        const struct app_trial *t = &s->notebook->trials[i];

        evaluation += has_ended(t);
        if (has_ended(t) && app_trial_improves(s->definition->problem, t, best)) {
            best = app_trial_value(t, 0);
            app_layer_add(steps, (struct app_point){.x = evaluation, .y = shown_of(g, best)});
        }
    }
    app_layer_add(steps, (struct app_point){.x = s->ended, .y = shown_of(g, best)});
}

/* What was recommended after each evaluation, as it was predicted then. */
static void add_recommended(struct app_panel *p, const struct app_history *r, const struct gap *g)
{
    if (!r->count)
        return;
    if (!g) {
        struct app_layer *band = app_panel_layer(p, APP_LAYER_BAND, band_pen, NULL);
        for (int k = 0; k < r->count; k++)
            app_layer_add(band, (struct app_point){.x = r->evaluations[k],
                                                   .low = r->mean[k] - 2 * r->sd[k],
                                                   .high = r->mean[k] + 2 * r->sd[k]});
    }

    struct app_layer *line = app_panel_layer(p, APP_LAYER_LINE, mean_pen,
                                             "recommended, as predicted then, ±2 sd");
    for (int k = 0; k < r->count; k++)
        app_layer_add(line, (struct app_point){.x = r->evaluations[k], .y = shown_of(g, r->mean[k])});
}

/* Every value that was measured; an infeasible design that is ahead of the best is marked below, like one
 * that failed. */
static void add_values(struct app_panel *p, const struct app_show *s, int outcome, const struct gap *g)
{
    struct app_layer *marks[APP_LOOKS];
    int evaluation = 0;

    app_panel_looks(p, s, marks);
    for (int i = 0; i < s->notebook->count; i++) {
        const struct app_trial *t = &s->notebook->trials[i];
        const double value = app_trial_value(t, outcome);

        if (!has_ended(t))
            continue;
        evaluation++;
        app_layer_add(marks[app_trial_look(t)], (struct app_point){.x = evaluation,
                                                                   .y = g ? gap_of(g, value) : value,
                                                                   .trial = t->number,
                                                                   .hint = app_figure_hint(p->figure, s, t)});
    }
}

/* --- the panels --- */

static void add_values_panel(struct app_panel *p, const struct app_show *s, int outcome,
                             const struct app_history *history, const struct gap *g)
{
    add_start(p, s, g ? NULL : "initial design");
    if (outcome) {
        app_panel_limit(p, app_outcome_at(s->definition, outcome).min, 1);
        app_panel_limit(p, app_outcome_at(s->definition, outcome).max, 1);
    } else {
        add_best(p, s, g);
        add_recommended(p, history, g);
    }
    add_values(p, s, outcome, g);
}

/* 1 when the probability was known after some evaluation. */
static int has_probability(const struct app_history *r)
{
    for (int k = 0; k < r->count; k++)
        if (!isnan(r->probability[k]))
            return 1;
    return 0;
}

static void add_probability(struct app_panel *p, const struct app_show *s, const struct app_history *r)
{
    add_start(p, s, NULL);
    struct app_layer *line = app_panel_layer(p, APP_LAYER_LINE, mean_pen, NULL);
    for (int k = 0; k < r->count; k++)
        app_layer_add(line, (struct app_point){.x = r->evaluations[k], .y = r->probability[k]});
}

static struct app_panel *next_panel(struct app_figure *f, const struct app_show *s, int row, double height)
{
    struct app_panel *p = app_figure_panel(f, row, 0);

    p->x = (struct app_axis){
        .kind = APP_AXIS_INTEGER, .low = 0.2, .high = s->ended + 0.8, .label = "evaluations", .bare = 1};
    p->height = height;
    p->grid = 1;
    return p;
}

/* Values, gaps and probabilities above each other over the same evaluations. */
static void add_panels(struct app_figure *f, const struct app_show *s, int outcome,
                       const struct app_history *history, const struct app_range *range, const struct gap *g)
{
    const int gaps = !outcome && g->shown;
    const int chances = !outcome && app_constraints(s->definition) > 0 && has_probability(history);
    const double high = chances ? 412 : 488;
    char number[64];

    struct app_panel *p = next_panel(f, s, 0, gaps ? 0.46 * high - 28 : high);
    p->title = "Convergence";
    p->y = app_axis_over(range, app_outcome_title(s->definition, outcome));
    p->y.bare = !(range->low <= range->high);
    if (p->y.bare)
        p->empty = outcome ? "it has not been measured yet" : "the objective has not been measured yet";
    add_values_panel(p, s, outcome, history, NULL);

    if (gaps) {
        p = next_panel(f, s, 1, 0.54 * high - 14);
        p->y = (struct app_axis){
            .kind = APP_AXIS_GAP,
            .high = 1.5 * g->largest,
            .unit = g->unit,
            .label = app_figure_text(f, "gap to the best, %s", app_number_nice(g->best, 5, number))};
        add_values_panel(p, s, outcome, history, g);
    }
    if (chances) {
        p = next_panel(f, s, 2, 62);
        p->y = (struct app_axis){.low = -0.04, .high = 1.04, .label = "P(feasible)"};
        add_probability(p, s, history);
    }
    p->x.bare = 0; /* named below the last of them */
}

static int make(struct app_figure *out, const struct app_show *s, const struct app_figure_options *options)
{
    struct app_range range = APP_RANGE_INIT;
    struct gap gap;
    const int outcome = options->outcome > 0 ? options->outcome : 0;
    const struct app_history *history;

    if (!s->ended)
        return app_fail(s->notebook->message, CKG_ERR_STATE,
                        "%s: no trial has ended yet, so there is no convergence to show",
                        s->definition->name);
    int status = app_show_history(s, &history);
    if (!status)
        status = choose_range(s, outcome, history, &range);
    if (!status)
        status = find_gap(s, &gap);
    if (!status)
        add_panels(out, s, outcome, history, &range, &gap);
    out->width = 640;
    return status;
}

const struct app_figure_kind app_figure_convergence = {
    "convergence", "the best feasible value and the recommendation after each evaluation", make};

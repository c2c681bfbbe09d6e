/*
 * Convergence: every value measured, the best feasible one so far, and what would have been recommended; the
 * gap of all these to the best on a logarithmic axis, where the end of a study is seen as well as its
 * beginning; and the probability that what was recommended is feasible.
 */
#include <math.h>

#include "figure/figure.h"
#include "figure/view_cache.h"

static const struct app_pen best_pen = {.stroke = APP_INK_BEST, .width = 1.8};
static const struct app_pen mean_pen = {.stroke = APP_INK_MEAN, .width = 1.6, .dash = APP_DASHED};
static const struct app_pen band_pen = {.fill = APP_INK_MEAN, .clear = 0.84};
static const struct app_pen start_pen = {.stroke = APP_INK_SOFT, .width = 1, .dash = APP_DOTTED};

/* The middle of the measured values: nine tenths, unless the rest is hardly further away. */
static void find_spread(struct app_figure *f, const struct app_show *s, int outcome, struct app_range *range)
{
    double *values = app_figure_new(f, (size_t)s->record->count, sizeof *values);
    int count = 0;

    for (int i = 0; values && i < s->record->count; i++) {
        const double value = app_trial_value(&s->record->trials[i], outcome);
        if (app_trial_ended(&s->record->trials[i]) && isfinite(value))
            values[count++] = value;
    }
    app_range_add_most(range, values, count, 20, 0.6, 0.1);
}

static struct app_range choose_range(struct app_figure *f, const struct app_show *s, int outcome,
                                     const struct app_history *history)
{
    struct app_range range = APP_RANGE_INIT;

    find_spread(f, s, outcome, &range);
    if (!outcome && s->best)
        app_range_add(&range, app_trial_value(s->best, 0));

    /* Early predictions may be far off and unsure: they do not rule the axis. */
    const double span = range.high - range.low;
    for (int k = 0; !outcome && k < history->count; k++)
        if (!(span > 0) || fabs(history->mean[k] - 0.5 * (range.low + range.high)) < 1.2 * span)
            app_range_add(&range, history->mean[k]);
    return range;
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

/*
 * What a tenth of the later feasible designs are behind the best is the unit: less is as good as nothing. The
 * axis holds nine of ten gaps, and what is not much farther. Where gaps do not range over a decade they are
 * seen in the values themselves.
 */
static struct gap find_gap(struct app_figure *f, const struct app_show *s)
{
    struct gap g = {.best = s->best ? app_trial_value(s->best, 0) : NAN,
                    .sign = ckg_problem_goal(s->definition->problem) == CKG_MAXIMIZE ? -1 : 1};
    double *all = app_figure_new(f, 2 * (size_t)s->record->count, sizeof *all);
    int alls = 0;
    int lates = 0;
    int evaluation = 0;

    /* The gaps of the trials that ended, and those of the later half that are feasible. */
    double *late = all ? all + s->record->count : NULL;
    for (int i = 0; all && s->best && i < s->record->count; i++) {
        const struct app_trial *t = &s->record->trials[i];
        const double gap = app_trial_ended(t) ? gap_of(&g, app_trial_value(t, 0)) : NAN;

        evaluation += app_trial_ended(t);
        if (!(gap > 0) || !isfinite(gap))
            continue;
        all[alls++] = gap;
        if (t->feasible == 1 && 2 * evaluation > s->ended)
            late[lates++] = gap;
    }
    if (!lates)
        return g;

    app_figure_sort(all, alls);
    app_figure_sort(late, lates);
    g.largest = fmin(all[alls - 1], 3 * all[alls - 1 - alls / 10]);
    g.unit = fmax(late[lates / 10], 1e-6 * g.largest);
    g.shown = g.largest > 20 * g.unit;
    return g;
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

    for (int i = 0; i < s->record->count; i++)
        if (app_trial_ended(&s->record->trials[i])) {
            evaluation++;
            if (s->record->trials[i].origin[0] == 'd')
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
    for (int i = 0; i < s->record->count; i++) {
        const struct app_trial *t = &s->record->trials[i];

        evaluation += app_trial_ended(t);
        if (app_trial_ended(t) && app_trial_improves(s->definition->problem, t, best)) {
            best = app_trial_value(t, 0);
            app_layer_xy(steps, evaluation, shown_of(g, best));
        }
    }
    app_layer_xy(steps, s->ended, shown_of(g, best));
}

/* What was recommended after each evaluation, as it was predicted then. */
static void add_recommended(struct app_panel *p, const struct app_history *r, const struct gap *g)
{
    if (!r->count)
        return;
    if (!g) {
        struct app_layer *band = app_panel_layer(p, APP_LAYER_BAND, band_pen, NULL);
        for (int k = 0; k < r->count; k++)
            app_layer_span(band, r->evaluations[k], r->mean[k] - 2 * r->sd[k], r->mean[k] + 2 * r->sd[k]);
    }

    struct app_layer *line = app_panel_layer(p, APP_LAYER_LINE, mean_pen,
                                             "recommended, as predicted then, ±2 sd");
    for (int k = 0; k < r->count; k++)
        app_layer_xy(line, r->evaluations[k], shown_of(g, r->mean[k]));
}

/* Every value that was measured; an infeasible design that is ahead of the best is marked below, like one
 * that failed. */
static void add_values(struct app_panel *p, const struct app_show *s, int outcome, const struct gap *g)
{
    struct app_layer *marks[APP_LOOKS];
    int evaluation = 0;

    app_panel_looks(p, s, marks);
    for (int i = 0; i < s->record->count; i++) {
        const struct app_trial *t = &s->record->trials[i];
        const double value = app_trial_value(t, outcome);

        if (!app_trial_ended(t))
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
        app_layer_xy(line, r->evaluations[k], r->probability[k]);
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
    p->y = app_axis_over(range, app_outcome_at(s->definition, outcome).title);
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
    const int outcome = options->outcome > 0 ? options->outcome : 0;
    const struct app_history *history;

    if (!s->ended)
        return app_fail(s->record->message, CKG_ERR_STATE,
                        "%s: no trial has ended yet, so there is no convergence to show",
                        s->definition->name);
    const int status = app_show_history(s, &history);
    if (status)
        return status;
    const struct app_range range = choose_range(out, s, outcome, history);
    const struct gap gap = find_gap(out, s);
    add_panels(out, s, outcome, history, &range, &gap);
    out->width = 640;
    return CKG_OK;
}

const struct app_figure_kind app_figure_convergence = {
    "convergence", "the best feasible value and the recommendation after each evaluation", make};

/* The figure: which panels there are, their axes, the bands and lines of the policies. */
#include "bench/bench_figure.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* --- how policies look --- */

struct look {
    enum app_ink ink;
    int dash;
    enum app_shape shape;
};

/*
 * By the place in the registry, so that a policy looks the same in every figure: colour, dash and mark, each
 * of them enough for most pairs.
 */
static struct look look_of(const char *policy)
{
    static const int dashes[] = {0, APP_LONG_DASHED, APP_DASHED, APP_DASH_DOT, APP_DOTTED};
    static const enum app_shape shapes[] = {APP_CIRCLE,  APP_SQUARE, APP_TRIANGLE,
                                            APP_DIAMOND, APP_CROSS,  APP_STAR};
    const int rank = app_policy_rank(policy);

    return (struct look){(enum app_ink)(APP_INK_SERIES + (rank < APP_SERIES ? rank : APP_SERIES - 1)),
                         dashes[rank % 5], shapes[rank % 6]};
}

static struct app_pen line_of(const char *policy)
{
    const struct look look = look_of(policy);

    return (struct app_pen){
        .stroke = look.ink, .width = app_policy_rank(policy) ? 1.4 : 2.2, .dash = look.dash};
}

/* --- the sheet --- */

enum { MOST_COLUMNS = 4, MAP_HIGH = 184, COST_HIGH = 176, WIDE = 280 };

/*
 * What there is, each once in the order of the results. Problems beyond MOST_COLUMNS go to further bands of
 * rows, each with its pictures.
 */
struct sheet {
    const struct app_results *all;
    int problems, noises, policies;
    const char *problem[APP_BENCH_MAX], *policy[APP_BENCH_MAX];
    double noise[APP_BENCH_MAX];
    int first, last, columns;
};

static int add_name(const char **names, int count, const char *name)
{
    for (int i = 0; i < count; i++)
        if (!strcmp(names[i], name))
            return count;
    if (count < APP_BENCH_MAX)
        names[count++] = name;
    return count;
}

static int add_number(double *numbers, int count, double number)
{
    for (int i = 0; i < count; i++)
        if (numbers[i] == number)
            return count;
    if (count < APP_BENCH_MAX)
        numbers[count++] = number;
    return count;
}

static void sort_sheet(struct sheet *s)
{
    for (int i = 1; i < s->noises; i++)
        for (int k = i; k > 0 && s->noise[k] < s->noise[k - 1]; k--) {
            const double swap = s->noise[k];
            s->noise[k] = s->noise[k - 1];
            s->noise[k - 1] = swap;
        }
    for (int i = 1; i < s->policies; i++)
        for (int k = i; k > 0 && app_policy_rank(s->policy[k]) < app_policy_rank(s->policy[k - 1]); k--) {
            const char *swap = s->policy[k];
            s->policy[k] = s->policy[k - 1];
            s->policy[k - 1] = swap;
        }
}

static void survey(struct sheet *s, const struct app_results *all)
{
    *s = (struct sheet){.all = all, .first = 1 << 30};
    for (int i = 0; i < all->count; i++) {
        const struct app_result *r = &all->result[i];
        s->problems = add_name(s->problem, s->problems, r->problem);
        s->policies = add_name(s->policy, s->policies, r->policy);
        s->noises = add_number(s->noise, s->noises, r->noise);
        s->first = r->first < s->first ? r->first : s->first;
        s->last = r->last > s->last ? r->last : s->last;
    }
    sort_sheet(s);
    const int bands = (s->problems + MOST_COLUMNS - 1) / MOST_COLUMNS;
    s->columns = bands ? (s->problems + bands - 1) / bands : 0;
}

static const struct app_result *find(const struct sheet *s, int problem, int noise, int policy)
{
    for (int i = 0; i < s->all->count; i++) {
        const struct app_result *r = &s->all->result[i];
        if (r->noise == s->noise[noise] && !strcmp(r->problem, s->problem[problem]) &&
            !strcmp(r->policy, s->policy[policy]))
            return r;
    }
    return NULL;
}

/* --- opportunity cost --- */

/*
 * Mean and interval. On a logarithmic scale there is no room for mean − half <= 0: the lower end is as far
 * below the mean as the upper is above.
 */
struct point {
    double mean, low, high;
};

static int point_of(const struct app_result *r, int evaluation, struct point *out)
{
    struct app_statistics s;

    if (!app_statistics(r, evaluation, &s))
        return 0;
    out->mean = s.mean;
    out->high = s.mean + (s.half > 0 ? s.half : 0);
    out->low = s.mean > 0 ? s.mean * s.mean / out->high : 0;
    return 1;
}

/* Whole decades around all means and intervals of a row; a mean that is zero or rounding does not count. */
static struct app_axis cost_axis(const struct sheet *s, int from, int to, int noise)
{
    struct app_range range = APP_RANGE_INIT;

    for (int p = from; p < to; p++)
        for (int k = 0; k < s->policies; k++) {
            const struct app_result *r = find(s, p, noise, k);
            struct point at;
            for (int e = s->first; r && e <= s->last; e++)
                if (point_of(r, e, &at) && at.mean > 1e-14) {
                    app_range_add(&range, at.low);
                    app_range_add(&range, at.high);
                }
        }
    struct app_axis axis = {.kind = APP_AXIS_LOG, .low = 0.1, .high = 1};
    if (range.low <= range.high) {
        axis.low = pow(10, floor(log10(range.low)));
        axis.high = pow(10, ceil(log10(range.high)));
    }
    if (!(axis.high > axis.low))
        axis.high = 10 * axis.low;
    return axis;
}

static void add_band(struct app_panel *p, const struct app_result *r)
{
    const struct app_pen pen = {.fill = look_of(r->policy).ink, .clear = 0.87};
    struct app_layer *band = app_panel_layer(p, APP_LAYER_BAND, pen, NULL);
    struct point at;

    for (int e = r->first; e <= r->last; e++)
        if (point_of(r, e, &at))
            app_layer_add(band, (struct app_point){
                                    .x = e, .low = fmax(at.low, p->y.low), .high = fmax(at.high, p->y.low)});
}

/* The line, and seven marks along it, those of another policy elsewhere. */
static void add_line(struct app_panel *p, const struct app_result *r, int number, int of)
{
    enum { MARKS = 7 };
    const struct look look = look_of(r->policy);
    const struct app_pen mark_pen = {.stroke = look.ink, .fill = APP_INK_PAPER, .width = 1.2};
    struct app_layer *line = app_panel_layer(p, APP_LAYER_LINE, line_of(r->policy), r->policy);
    struct app_layer *marks = app_panel_layer(p, APP_LAYER_MARKS, mark_pen, NULL);
    const double span = (r->last - r->first) / (double)MARKS;
    struct point at;

    line->shape = marks->shape = look.shape;
    marks->size = 2.8;
    for (int e = r->first; e <= r->last; e++)
        if (point_of(r, e, &at))
            app_layer_xy(line, e, fmax(at.mean, p->y.low));
    for (int i = 0; i < MARKS; i++) {
        const int e = r->first + (int)lround(span * (i + (number + 0.5) / of));
        char mean[64];
        if (!point_of(r, e, &at))
            continue;
        app_layer_add(marks, (struct app_point){
                                 .x = e,
                                 .y = fmax(at.mean, p->y.low),
                                 .hint = app_figure_text(p->figure, "%s after %d evaluations: %s", r->policy,
                                                         e, app_number_nice(at.mean, 3, mean))});
    }
}

static void add_costs(struct app_panel *p, const struct sheet *s, int problem, int noise)
{
    const struct app_result *r;

    for (int k = s->policies - 1; k >= 0; k--)
        if ((r = find(s, problem, noise, k)))
            add_band(p, r);
    for (int k = 0; k < s->policies; k++)
        if ((r = find(s, problem, noise, k)))
            add_line(p, r, k, s->policies);
}

/* --- panels --- */

static int has_maps(const struct sheet *s)
{
    for (int i = 0; i < s->problems; i++) {
        const struct app_problem *p = app_problem_named(s->problem[i]);
        if (p && p->d == 2)
            return 1;
    }
    return 0;
}

/* The problem as a picture, or its name and why there is none. */
static void add_map(struct app_figure *f, const char *name, int column)
{
    const struct app_problem *p = app_problem_named(name);
    struct app_panel *panel = app_figure_panel(f, 0, column);

    panel->height = MAP_HIGH;
    if (p && p->d == 2) {
        app_region_add(panel, p, 0);
        return;
    }
    panel->title = name;
    panel->x = panel->y = (struct app_axis){.kind = APP_AXIS_NAMES, .high = 1, .bare = 1};
    panel->empty = p ? app_figure_text(f, "%d parameters, %d constraint%s", p->d, p->K, p->K == 1 ? "" : "s")
                     : "not among the built-in problems";
}

static void add_cost_row(struct app_figure *f, const struct sheet *s, int noise, int maps)
{
    const int last = noise == s->noises - 1;
    struct app_axis cost = {0};
    char number[64];

    for (int i = 0; i < s->problems; i++) {
        struct app_panel *p = app_figure_panel(f, noise + maps, i);
        const int end = i + s->columns < s->problems ? i + s->columns : s->problems;
        if (i % s->columns == 0)
            cost = cost_axis(s, i, end, noise);
        p->height = COST_HIGH;
        p->grid = 1;
        p->title = maps || noise ? NULL : s->problem[i];
        p->x = (struct app_axis){.low = s->first,
                                 .high = s->last > s->first ? s->last : s->first + 1,
                                 .label = "evaluations",
                                 .bare = !last};
        p->y = cost;
        p->y.shared = 1;
        p->y.label = app_figure_text(f, "opportunity cost, σ = %s",
                                     app_number_nice(s->noise[noise], 3, number));
        add_costs(p, s, i, noise);
    }
}

int app_results_draw(const struct app_results *results, const struct app_canvas_table *table, int embedded,
                     struct app_text *out, struct app_message *message)
{
    struct app_figure figure = {.title = "Mean opportunity cost against evaluations, with 95 % intervals"};
    struct sheet s;

    survey(&s, results);
    figure.across = s.columns;
    figure.width = 60 + s.columns * WIDE;
    const int maps = has_maps(&s);
    for (int i = 0; maps && i < s.problems; i++)
        add_map(&figure, s.problem[i], i);
    for (int n = 0; n < s.noises; n++)
        add_cost_row(&figure, &s, n, maps);
    const int made = app_figure_draw(&figure, table, embedded, 0, out);
    app_figure_free(&figure);
    return made ? CKG_OK : app_no_memory(message);
}

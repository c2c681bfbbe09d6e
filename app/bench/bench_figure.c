/* The figure: which panels there are, their axes, the bands and lines of the policies. */
#include "bench/bench_figure.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/markup.h"

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

enum { MOST_COLUMNS = 4 };
static const double edge = 14, left = 66, wide = 226, apart = 48, map_high = 184, cost_high = 196, below = 50,
                    row_gap = 30, band_gap = 30;

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
    struct app_key keys[APP_BENCH_MAX];
    double width, legend; /* of the sheet; the height of the legend */
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
    for (int k = 0; k < s->policies; k++)
        s->keys[k] = (struct app_key){APP_KEY_SERIES, look_of(s->policy[k]).shape, line_of(s->policy[k]),
                                      s->policy[k]};
    s->columns = s->problems < MOST_COLUMNS ? s->problems : MOST_COLUMNS;
    s->width = left + s->columns * wide + (s->columns - 1) * apart + edge;
    s->legend = app_keys_draw(NULL, s->keys, s->policies, 0, 0, s->width - left - edge);
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

static double y_of(const struct app_chart *c, double value)
{
    return app_chart_y(c, fmax(value, c->y.low));
}

static void draw_band(const struct app_chart *c, const struct app_result *r)
{
    const struct app_pen pen = {.fill = look_of(r->policy).ink, .clear = 0.87};
    struct app_path path = {0};
    struct point at;

    for (int e = r->first; e <= r->last; e++)
        if (point_of(r, e, &at))
            (path.count ? app_path_line : app_path_move)(&path, app_chart_x(c, e), y_of(c, at.high));
    for (int e = r->last; e >= r->first; e--)
        if (point_of(r, e, &at))
            app_path_line(&path, app_chart_x(c, e), y_of(c, at.low));
    if (path.count)
        app_path_close(&path);
    app_draw(c->canvas, &path, &pen);
}

static void draw_line(const struct app_chart *c, const struct app_result *r)
{
    const struct app_pen pen = line_of(r->policy);
    struct app_path path = {0};
    struct point at;

    for (int e = r->first; e <= r->last; e++)
        if (point_of(r, e, &at))
            (path.count ? app_path_line : app_path_move)(&path, app_chart_x(c, e), y_of(c, at.mean));
    app_draw(c->canvas, &path, &pen);
}

/* Seven marks along the line, those of another policy elsewhere. */
static void draw_marks(const struct app_chart *c, const struct app_result *r, int number, int of)
{
    enum { MARKS = 7 };
    const struct look look = look_of(r->policy);
    const struct app_pen pen = {.stroke = look.ink, .fill = APP_INK_PAPER, .width = 1.2};
    const double span = (r->last - r->first) / (double)MARKS;
    struct point at;

    for (int i = 0; i < MARKS; i++) {
        const int e = r->first + (int)lround(span * (i + (number + 0.5) / of));
        char hint[160];
        char mean[64];
        if (!point_of(r, e, &at))
            continue;
        snprintf(hint, sizeof hint, "%s after %d evaluations: %s", r->policy, e,
                 app_number_nice(at.mean, 3, mean));
        app_draw_mark(c->canvas, look.shape, app_chart_x(c, e), y_of(c, at.mean), 2.8, &pen, hint);
    }
}

/* Bands first, then lines, the first policy on top of all. */
static void draw_cost(const struct app_chart *c, const struct sheet *s, int problem, int noise)
{
    const struct app_result *r;

    app_chart_axes(c);
    c->canvas->table->clip(c->canvas, &c->box);
    for (int k = s->policies - 1; k >= 0; k--)
        if ((r = find(s, problem, noise, k)))
            draw_band(c, r);
    for (int k = s->policies - 1; k >= 0; k--)
        if ((r = find(s, problem, noise, k))) {
            draw_line(c, r);
            draw_marks(c, r, k, s->policies);
        }
    c->canvas->table->unclip(c->canvas);
    app_chart_frame(c);
}

/* --- panels --- */

static struct app_box panel(const struct sheet *s, int problem, double y, double height)
{
    return (struct app_box){left + problem % s->columns * (wide + apart), y, wide, height};
}

/* Where there is no picture: the name, and why. */
static void draw_no_map(struct app_canvas *canvas, const struct app_box *box, const char *name,
                        const struct app_problem *p)
{
    static const struct app_lettering title = {12, APP_INK_TEXT, APP_MIDDLE, 1, 0};
    static const struct app_lettering letters = {11, APP_INK_SOFT, APP_MIDDLE, 0, 0};
    const double x = box->x + box->width / 2;
    const double y = box->y + box->height / 2;
    char text[80] = "not among the built-in problems";
    char shortened[APP_SHORT];

    if (p)
        snprintf(text, sizeof text, "%d parameters, %d constraint%s", p->d, p->K, p->K == 1 ? "" : "s");
    app_draw_letters(canvas, x, y - 9, &title, app_shorten(name, 34, shortened));
    app_draw_letters(canvas, x, y + 9, &letters, text);
}

static int draw_map(struct app_canvas *canvas, const struct sheet *s, int problem, double y)
{
    const struct app_problem *p = app_problem_named(s->problem[problem]);
    struct app_chart c = {
        .canvas = canvas, .box = panel(s, problem, y, map_high), .left = 34, .title = s->problem[problem]};

    if (!p || p->d != 2) {
        draw_no_map(canvas, &c.box, s->problem[problem], p);
        return 1;
    }
    c.x = (struct app_axis){.low = p->low[0], .high = p->high[0], .label = "x1"};
    c.y = (struct app_axis){.low = p->low[1], .high = p->high[1], .label = "x2"};
    const int made = app_region_draw(&c, p);
    app_chart_axes(&c);
    app_chart_frame(&c);
    return made;
}

/* --- bands --- */

static int band_end(const struct sheet *s, int from)
{
    return from + s->columns < s->problems ? from + s->columns : s->problems;
}

/* 1 when the band that begins with that problem has a picture. */
static int has_maps(const struct sheet *s, int from)
{
    for (int i = from; i < band_end(s, from); i++) {
        const struct app_problem *p = app_problem_named(s->problem[i]);
        if (p && p->d == 2)
            return 1;
    }
    return 0;
}

static double band_height(const struct sheet *s, int from)
{
    return (has_maps(s, from) ? map_high + below : 0) + s->noises * (cost_high + row_gap) + 18;
}

static int draw_rows(struct app_canvas *canvas, const struct sheet *s, int from, double y)
{
    const int to = band_end(s, from);
    const int maps = has_maps(s, from);
    int made = 1;

    for (int p = from; maps && made && p < to; p++)
        made = draw_map(canvas, s, p, y);
    y += maps ? map_high + below : 0;
    for (int n = 0; n < s->noises; n++, y += cost_high + row_gap) {
        const struct app_axis cost = cost_axis(s, from, to, n);
        char label[64];
        char noise[64];
        snprintf(label, sizeof label, "opportunity cost, σ = %s", app_number_nice(s->noise[n], 3, noise));
        for (int p = from; p < to; p++) {
            struct app_chart c = {
                .canvas = canvas, .box = panel(s, p, y, cost_high), .left = 56, .y = cost, .grid = 1};
            c.x = (struct app_axis){.low = s->first, .high = s->last > s->first ? s->last : s->first + 1};
            c.x.label = n == s->noises - 1 ? "evaluations" : NULL;
            c.y.label = p == from ? label : NULL;
            c.title = maps || n ? NULL : s->problem[p];
            draw_cost(&c, s, p, n);
        }
    }
    return made;
}

int app_figure_make(const struct app_results *results, const struct app_canvas_table *table, int embedded,
                    struct app_text *out, struct app_message *message)
{
    struct sheet s;

    survey(&s, results);
    double high = 26 + s.legend + edge;
    double y = 26;
    for (int from = 0; from < s.problems; from += s.columns)
        high += band_height(&s, from) + (from ? band_gap : 0);
    struct app_canvas *canvas = table->open(
        s.width, high, "Mean opportunity cost against evaluations, with 95 % intervals", embedded);
    int drawn = canvas != NULL;
    for (int from = 0; drawn && from < s.problems; from += s.columns) {
        drawn = draw_rows(canvas, &s, from, y);
        y += band_height(&s, from) + band_gap;
    }
    if (canvas)
        app_keys_draw(canvas, s.keys, s.policies, left, high - s.legend - edge + 8, s.width - left - edge);
    if (!canvas || !table->close(canvas, drawn ? out : NULL) || !drawn)
        return app_fail(message, CKG_ERR_NOMEM, "out of memory");
    return CKG_OK;
}

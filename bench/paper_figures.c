/*
 * The paper's Figures 1 and 2, redrawn from the library's own values on the one-dimensional example:
 *
 *     build/bench/paper_figures FOLDER
 *
 * writes FOLDER/figure-1.svg: what a sample at x⁺ may show, in units of its surprise, Z_y of the objective
 * and Z_c of the constraint, and how that moves the best design; and FOLDER/figure-2.svg: a run of cKG from
 * the initial design to the recommendation.
 */
#include <string.h>

#include "acquisition/lines.h"
#include "drawing.h"
#include "example.h"
#include "figure/draw/contour.h"
#include "figure/figure.h"
#include "study/study.h"

/* Points at which values are computed, and of which every THIN-th is drawn. */
enum { GRID = 1201, THIN = 3 };

static double grid[GRID];

static const struct app_pen truth_pen = {.stroke = APP_INK_TEXT, .width = 1, .dash = APP_DASHED},
                            mean_pen = {.stroke = APP_INK_MEAN, .width = 1.8};
static const struct app_pen band_pen = {.fill = APP_INK_MEAN, .clear = 0.82},
                            grey_pen = {.fill = APP_INK_GRID};
static const struct app_pen limit_pen = {.stroke = APP_INK_LIMIT, .width = 1.8};
static const struct app_pen limit_band_pen = {.fill = APP_INK_LIMIT, .clear = 0.84},
                            zero_pen = {.stroke = APP_INK_RULE, .width = 0.9};
static const struct app_pen score_pen = {.stroke = APP_INK_BEST, .width = 1.8},
                            score_fill = {.fill = APP_INK_BEST, .clear = 0.85};
static const struct app_pen datum_pen = {.stroke = APP_INK_TEXT, .fill = APP_INK_PAPER, .width = 1.2};
static const struct app_pen next_pen = {.stroke = APP_INK_PENDING, .width = 1.3, .dash = APP_DOTTED};
static const struct app_pen next_mark = {.stroke = APP_INK_TEXT, .fill = APP_INK_PENDING, .width = 1};
static const struct app_pen star_pen = {.stroke = APP_INK_TEXT, .fill = APP_INK_STAR, .width = 1};
static const struct app_pen best_pen = {.stroke = APP_INK_TEXT, .fill = APP_INK_BEST, .width = 1};
static const struct app_pen utility_pen = {.stroke = APP_INK_SOFT, .width = 1.4, .dash = APP_DOTTED};

static void draw_curve(const struct app_chart *c, const double *y, int stride, const struct app_pen *pen)
{
    struct app_path path = {0};

    for (int i = 0; i < GRID; i += THIN)
        (i ? app_path_line : app_path_move)(&path, app_chart_x(c, grid[i]), app_chart_y(c, y[i * stride]));
    app_draw(c->canvas, &path, pen);
}

/* Between mean ± 2 sd; or, where sd is NULL, between the mean and zero. */
static void draw_band(const struct app_chart *c, const double *mean, const double *sd, int stride,
                      const struct app_pen *pen)
{
    struct app_path path = {0};

    for (int i = 0; i < GRID; i += THIN)
        (i ? app_path_line : app_path_move)(&path, app_chart_x(c, grid[i]),
                                            app_chart_y(c, mean[i * stride] + (sd ? 2 * sd[i * stride] : 0)));
    for (int i = GRID - 1; i >= 0; i -= THIN)
        app_path_line(&path, app_chart_x(c, grid[i]),
                      app_chart_y(c, sd ? mean[i * stride] - 2 * sd[i * stride] : 0));
    app_path_close(&path);
    app_draw(c->canvas, &path, pen);
}

/* Grey where the constraint truly fails. */
static void draw_infeasible(const struct app_chart *c)
{
    for (int i = 0, from = -1; i <= GRID; i++) {
        const int fails = i < GRID && example_constraint(grid[i]) > 0;
        if (fails && from < 0)
            from = i;
        if (!fails && from >= 0) {
            const double left = app_chart_x(c, grid[from]);
            const double right = app_chart_x(c, grid[i < GRID ? i : GRID - 1]);
            const struct app_box box = {left, c->box.y, right - left, c->box.height};
            app_draw_box(c->canvas, &box, &grey_pen);
            from = -1;
        }
    }
}

static int argmax(const double *y)
{
    int best = 0;

    for (int i = 1; i < GRID; i++)
        best = y[i] > y[best] ? i : best;
    return best;
}

/* The true best design, to the last digits. */
static double true_best(void)
{
    enum { FINE = 2000000 };
    double best = 0;
    double value = -INFINITY;

    for (int i = 0; i <= FINE; i++) {
        const double x = (double)i / FINE;
        if (example_constraint(x) <= 0 && example_objective(x) > value) {
            best = x;
            value = example_objective(x);
        }
    }
    return best;
}

/* --- Figure 1 --- */

enum { SURPRISES = 5, Z = 61 };

/* What a sample at x⁺ may do, in the user's units: σ̃ of the objective, and the constraint one step ahead. */
struct outlook {
    double x, penalty;
    double mean[GRID], sigma[GRID], now[GRID]; /* now: the utility before the sample */
    double high[GRID + 8], shift[GRID + 8], inv_sd[GRID + 8], unused[GRID + 8];
    struct ckg__ahead ahead;
};

/* One outcome at the grid, its covariances with x⁺, and the sd of what a sample there will show. */
static void view_grid(const struct ckg__gp *gp, double x, struct ckg__arena *arena, struct ckg__view *view,
                      struct ckg__view *at, double *cov, double *surprise)
{
    double variance;
    struct ckg__noise noise = {.var = &variance};

    example_check(ckg__view_make(view, gp, GRID, grid, GRID, arena));
    example_check(ckg__view_make(at, gp, 1, &x, 1, arena));
    ckg__view_covariance(gp, view, at, 0, 1, cov, GRID);
    ckg__posterior_noise(gp, 1, &x, 1, at->mean, at->var, &noise);
    *surprise = sqrt(at->var[0] + variance);
}

static void look_ahead(ckg_study *study, double x, struct outlook *o)
{
    static double cov[GRID];
    const struct ckg__belief *belief = &study->models.belief[0];
    const struct ckg__scaling *scaling = &study->models.surrogate[0].scaling;
    struct ckg__arena arena;
    struct ckg__view view;
    struct ckg__view at;
    double surprise;

    ckg__arena_init(&arena);
    o->x = x;
    o->ahead = (struct ckg__ahead){o->high, NULL, o->shift, o->inv_sd};
    example_check(ckg_study_penalty(study, &o->penalty));
    example_check(ckg_study_predict(study, GRID, grid, NULL, NULL, NULL, o->now));
    view_grid(belief->gp[0], x, &arena, &view, &at, cov, &surprise);
    for (int i = 0; i < GRID; i++) {
        o->mean[i] = scaling->centre + scaling->scale * view.mean[i];
        o->sigma[i] = scaling->scale * cov[i] / surprise;
    }
    view_grid(belief->gp[1], x, &arena, &view, &at, cov, &surprise);
    const struct ckg__limits limits = ckg__belief_limits(belief, 1);
    ckg__lines()->ahead(GRID, cov, 1 / surprise, view.mean, view.var, &limits, o->unused, &o->ahead);
    ckg__arena_free(&arena);
}

/* The utility (GRID) after a sample with these surprises. */
static void utility_after(const struct outlook *o, double z_y, double z_c, double *out)
{
    static double pf[GRID + 8];
    static double scratch[2 * (GRID + 8)];

    ckg__lines()->feasible(GRID, &o->ahead, z_c, 1, pf, scratch);
    for (int i = 0; i < GRID; i++)
        out[i] = o->penalty + (o->mean[i] + o->sigma[i] * z_y - o->penalty) * pf[i];
}

static const double surprises[SURPRISES] = {-2, -1, 0, 1, 2};
static const struct app_key surprise_keys[SURPRISES] = {
    {APP_KEY_SERIES,
     APP_SQUARE,
     {.stroke = APP_INK_SERIES + 1, .width = 1.5, .dash = APP_LONG_DASHED},
     "Z = −2"},
    {APP_KEY_SERIES,
     APP_TRIANGLE,
     {.stroke = APP_INK_SERIES + 7, .width = 1.5, .dash = APP_DASHED},
     "Z = −1"},
    {APP_KEY_SERIES, APP_CIRCLE, {.stroke = APP_INK_SERIES + 6, .width = 1.5}, "Z = 0"},
    {APP_KEY_SERIES,
     APP_DIAMOND,
     {.stroke = APP_INK_SERIES + 5, .width = 1.5, .dash = APP_DASH_DOT},
     "Z = 1"},
    {APP_KEY_SERIES, APP_CIRCLE, {.stroke = APP_INK_SERIES, .width = 1.5, .dash = APP_DOTTED}, "Z = 2"},
};

/* The utility now and after each surprise of one outcome, the other's being 0; each with its maximum. */
static void draw_surprises(struct app_chart *c, const struct outlook *o, int constraint)
{
    static double y[GRID];
    static const struct app_lettering letters = {10, APP_INK_TEXT, APP_START, 0, 0};

    app_chart_axes(c);
    app_draw_line(c->canvas, app_chart_x(c, o->x), c->box.y, app_chart_x(c, o->x), c->box.y + c->box.height,
                  &next_pen);
    app_draw_letters(c->canvas, app_chart_x(c, o->x) + 4, c->box.y + 12, &letters, "x⁺");
    draw_curve(c, o->now, 1, &utility_pen);
    for (int s = 0; s < SURPRISES; s++) {
        utility_after(o, constraint ? 0 : surprises[s], constraint ? surprises[s] : 0, y);
        draw_curve(c, y, 1, &surprise_keys[s].pen);
    }
    for (int s = 0; s < SURPRISES; s++) {
        const struct app_pen mark = {.stroke = APP_INK_TEXT, .fill = surprise_keys[s].pen.stroke, .width = 1};
        utility_after(o, constraint ? 0 : surprises[s], constraint ? surprises[s] : 0, y);
        const int best = argmax(y);
        app_draw_mark(c->canvas, surprise_keys[s].shape, app_chart_x(c, grid[best]), app_chart_y(c, y[best]),
                      3.6, &mark, NULL);
    }
    const int best = argmax(o->now);
    app_draw_mark(c->canvas, APP_STAR, app_chart_x(c, grid[best]), app_chart_y(c, o->now[best]), 5.5,
                  &best_pen, NULL);
    app_chart_frame(c);
}

struct surface {
    double value[Z * Z], place[Z * Z];
};

static void make_surface(const struct outlook *o, struct surface *s)
{
    static double y[GRID];

    for (int j = 0; j < Z; j++)
        for (int i = 0; i < Z; i++) {
            utility_after(o, -3 + 6.0 * i / (Z - 1), -3 + 6.0 * j / (Z - 1), y);
            const int best = argmax(y);
            s->value[j * Z + i] = y[best];
            s->place[j * Z + i] = grid[best];
        }
}

static void draw_path(void *context, int count, const double *points, int closed)
{
    struct app_path *path = context;

    for (int i = 0; i < count - closed; i++)
        (i ? app_path_line : app_path_move)(path, points[2 * i], points[2 * i + 1]);
    if (closed)
        app_path_close(path);
}

/* A map over both surprises with its scale at the right. */
static void draw_surface(struct app_chart *c, const double *z, enum app_ink ink, const char *label)
{
    enum { STEPS = 12 };
    static const double clear = 0.9;
    static const struct app_pen line = {.stroke = APP_INK_RULE, .width = 0.6};
    double x[Z];
    double y[Z];
    struct app_range range = APP_RANGE_INIT;

    for (int i = 0; i < Z; i++) {
        x[i] = app_chart_x(c, -3 + 6.0 * i / (Z - 1));
        y[i] = app_chart_y(c, -3 + 6.0 * i / (Z - 1));
    }
    for (int i = 0; i < Z * Z; i++)
        app_range_add(&range, z[i]);

    /* Shades, then lines between them. */
    const struct app_field field = {.nx = Z, .ny = Z, .x = x, .y = y, .z = z};
    const struct app_axis axis = {.low = range.low, .high = range.high, .label = label};
    const struct app_box bar = {c->box.x + c->box.width + 12, c->box.y, 12, c->box.height};
    const struct app_pen shade = {.fill = ink, .clear = clear};
    int made = 1;
    for (int k = 0; made && k < STEPS; k++) {
        struct app_path path = {0};
        made = app_contour_region(&field, range.low + (range.high - range.low) * (k + 0.5) / STEPS, draw_path,
                                  &path);
        app_draw(c->canvas, &path, &shade);
    }
    for (int k = 0; made && k < STEPS; k++) {
        struct app_path path = {0};
        made = app_contour_lines(&field, range.low + (range.high - range.low) * (k + 0.5) / STEPS, draw_path,
                                 &path);
        app_draw(c->canvas, &path, &line);
    }

    /* Axes, and the bar that says what a shade means. */
    if (!made)
        drawing_fail("out of memory");
    app_chart_axes(c);
    app_chart_frame(c);
    app_bar_draw(c->canvas, &bar, ink, STEPS, clear, &axis);
}

static void draw_figure_1(const char *path)
{
    static struct outlook o;
    static struct surface surface;
    static const struct app_key now_keys[] = {
        {APP_KEY_LINE, APP_CIRCLE, {.stroke = APP_INK_SOFT, .width = 1.4, .dash = APP_DOTTED}, "now"},
        {APP_KEY_MARK, APP_STAR, {.stroke = APP_INK_TEXT, .fill = APP_INK_BEST, .width = 1}, "its maximum"}};
    ckg_study *study = example_study("ckg", 0, 0.05, 1);
    ckg_suggestion *s;

    /* Where cKG samples next, and what a sample there would change. */
    example_fill(study);
    example_check(ckg_study_ask(study, &s));
    const double x = s->x[0];
    example_check(ckg_study_cancel(study, s->trial));
    ckg_suggestion_free(s);
    look_ahead(study, x, &o);
    make_surface(&o, &surface);

    /* One scale for both upper charts. */
    struct app_range range = APP_RANGE_INIT;
    for (int k = 0; k < 2 * SURPRISES; k++) {
        static double y[GRID];
        utility_after(&o, k < SURPRISES ? surprises[k] : 0, k < SURPRISES ? 0 : surprises[k - SURPRISES], y);
        for (int i = 0; i < GRID; i++)
            app_range_add(&range, y[i]);
    }

    /* Four charts. */
    struct app_canvas *canvas = drawing_open(760, 630, "How a sample's surprises move the best design");
    const struct app_axis along = {.low = 0, .high = 1, .label = "x"};
    const struct app_axis z_y = {.low = -3, .high = 3, .label = "Z of the objective"};
    const struct app_axis z_c = {.low = -3, .high = 3, .label = "Z of the constraint"};
    struct app_chart a = {.canvas = canvas,
                          .box = {58, 30, 310, 226},
                          .left = 46,
                          .x = along,
                          .y = app_axis_over(&range, "utility after the sample"),
                          .title = "(a) surprises of the objective"};
    struct app_chart c = {.canvas = canvas,
                          .box = {58, 356, 240, 226},
                          .left = 46,
                          .x = z_y,
                          .y = z_c,
                          .title = "(c) the largest utility"};
    struct app_chart b = a;
    struct app_chart d = c;
    b.box.x = 432;
    b.title = "(b) surprises of the constraint";
    d.box.x = 432;
    d.title = "(d) where it is";

    /* Curves above, maps below. */
    draw_surprises(&a, &o, 0);
    draw_surprises(&b, &o, 1);
    app_keys_draw(canvas, surprise_keys, SURPRISES, 58, 300, 430);
    app_keys_draw(canvas, now_keys, 2, 560, 300, 200);
    draw_surface(&c, surface.value, APP_INK_MEAN, "utility");
    draw_surface(&d, surface.place, APP_INK_LIMIT, "x");
    drawing_close(canvas, path);
    ckg_study_free(study);
}

/* --- Figure 2 --- */

enum { INITIAL = 4, STAGES = 3, LAST = 16 };
static const int stages[STAGES] = {INITIAL, 6, LAST};

/* The study after so many evaluations. */
struct stage {
    int n;
    double x[LAST], mean[2 * GRID], sd[2 * GRID], utility[GRID], value[GRID], next, recommended;
};

static void look(ckg_study *study, struct stage *s)
{
    ckg_recommendation *r;

    s->n = ckg_study_trials(study);
    for (int i = 0; i < s->n; i++) {
        ckg_trial trial;
        example_check(ckg_study_trial(study, i, &trial));
        s->x[i] = trial.x[0];
    }
    example_check(ckg_study_predict(study, GRID, grid, s->mean, s->sd, NULL, s->utility));
    example_check(ckg_study_score(study, NULL, GRID, grid, s->value));
    example_check(ckg_study_recommend(study, NULL, &r));
    s->recommended = r->x[0];
    ckg_recommendation_free(r);
}

static void run(struct stage *stage)
{
    ckg_study *study = example_study("ckg", INITIAL, 0, 4);

    for (int n = 0, at = 0; n <= LAST; n++) {
        ckg_suggestion *s;
        if (at < STAGES && n == stages[at])
            look(study, &stage[at]);
        example_check(ckg_study_ask(study, &s));
        if (at < STAGES && n == stages[at])
            stage[at++].next = s->x[0];
        example_tell(study, s->trial, s->x[0]);
        ckg_suggestion_free(s);
    }
    ckg_study_free(study);
}

static const double columns[] = {52, 244, 436, 628}, tops[] = {30, 216, 362}, heights[] = {166, 120, 132};
static const double wide = 166;

static struct app_chart panel(struct app_canvas *canvas, int column, int row, double low, double high,
                              const char *label)
{
    struct app_chart c = {.canvas = canvas,
                          .box = {columns[column], tops[row], wide, heights[row]},
                          .left = 42,
                          .x = {.low = 0, .high = 1}};

    c.y = (struct app_axis){.low = low, .high = high, .label = column ? NULL : label, .bare = column > 0};
    c.x.bare = row < 2 && column;
    return c;
}

static void begin(struct app_chart *c)
{
    draw_infeasible(c);
    app_chart_axes(c);
    c->canvas->table->clip(c->canvas, &c->box);
}

static void end(struct app_chart *c)
{
    c->canvas->table->unclip(c->canvas);
    app_chart_frame(c);
}

static void draw_next(const struct app_chart *c, double x)
{
    app_draw_line(c->canvas, app_chart_x(c, x), c->box.y, app_chart_x(c, x), c->box.y + c->box.height,
                  &next_pen);
}

static const double objective_low = -0.7, objective_high = 1.6, constraint_low = -1.7, constraint_high = 1.5;

static void draw_truth(struct app_canvas *canvas, double best)
{
    static double f[GRID];
    static double c[GRID];
    static const struct app_key keys[] = {
        {APP_KEY_LINE, APP_CIRCLE, {.stroke = APP_INK_TEXT, .width = 1, .dash = APP_DASHED}, "truth"},
        {APP_KEY_LINE, APP_CIRCLE, {.stroke = APP_INK_SOFT, .width = 1.4, .dash = APP_DOTTED}, "utility"},
        {APP_KEY_LINE, APP_CIRCLE, {.stroke = APP_INK_MEAN, .width = 1.8}, "objective’s model, ±2 sd"},
        {APP_KEY_LINE, APP_CIRCLE, {.stroke = APP_INK_LIMIT, .width = 1.8}, "constraint’s model, ±2 sd"},
        {APP_KEY_BAND, APP_CIRCLE, {.fill = APP_INK_GRID}, "infeasible"},
        {APP_KEY_MARK,
         APP_CIRCLE,
         {.stroke = APP_INK_TEXT, .fill = APP_INK_PAPER, .width = 1.2},
         "evaluated"},
        {APP_KEY_MARK, APP_DIAMOND, {.stroke = APP_INK_TEXT, .fill = APP_INK_PENDING, .width = 1}, "next"},
        {APP_KEY_MARK, APP_STAR, {.stroke = APP_INK_TEXT, .fill = APP_INK_STAR, .width = 1}, "recommended"},
        {APP_KEY_MARK, APP_TRIANGLE, {.stroke = APP_INK_TEXT, .fill = APP_INK_BEST, .width = 1}, "true best"},
    };
    struct app_chart top = panel(canvas, 0, 0, objective_low, objective_high, "objective");
    struct app_chart below = panel(canvas, 0, 1, constraint_low, constraint_high, "constraint");

    for (int i = 0; i < GRID; i++) {
        f[i] = example_objective(grid[i]);
        c[i] = example_constraint(grid[i]);
    }

    /* The objective. */
    top.title = "(a) the problem";
    top.x.bare = 1;
    below.x.label = "x";
    begin(&top);
    draw_curve(&top, f, 1, &truth_pen);
    app_draw_mark(canvas, APP_TRIANGLE, app_chart_x(&top, best), app_chart_y(&top, example_objective(best)),
                  4.5, &best_pen, NULL);
    end(&top);

    /* The constraint. */
    begin(&below);
    app_draw_line(canvas, below.box.x, app_chart_y(&below, 0), below.box.x + wide, app_chart_y(&below, 0),
                  &zero_pen);
    draw_curve(&below, c, 1, &truth_pen);
    end(&below);
    app_keys_draw(canvas, keys, 9, 30, 384, 1); /* one below the other, in the corner that is free */
}

static void draw_models(struct app_canvas *canvas, int column, const struct stage *s, const char *title,
                        int last, double best)
{
    static double f[GRID];
    static double c[GRID];
    struct app_chart top = panel(canvas, column, 0, objective_low, objective_high, NULL);
    struct app_chart below = panel(canvas, column, 1, constraint_low, constraint_high, NULL);

    for (int i = 0; i < GRID; i++) {
        f[i] = example_objective(grid[i]);
        c[i] = example_constraint(grid[i]);
    }

    /* The objective: its model, the utility, the data. */
    top.title = title;
    begin(&top);
    draw_band(&top, s->mean, s->sd, 2, &band_pen);
    draw_curve(&top, f, 1, &truth_pen);
    draw_curve(&top, s->mean, 2, &mean_pen);
    draw_curve(&top, s->utility, 1, &utility_pen);
    if (!last)
        draw_next(&top, s->next);
    for (int i = 0; i < s->n; i++)
        app_draw_mark(canvas, APP_CIRCLE, app_chart_x(&top, s->x[i]),
                      app_chart_y(&top, example_objective(s->x[i])), 3.2, &datum_pen, NULL);

    /* What is best, and what is recommended. */
    if (last)
        app_draw_mark(canvas, APP_TRIANGLE, app_chart_x(&top, best),
                      app_chart_y(&top, example_objective(best)) - 9, 4.5, &best_pen, NULL);
    app_draw_mark(canvas, APP_STAR, app_chart_x(&top, s->recommended),
                  app_chart_y(&top, example_objective(s->recommended)), 5.5, &star_pen, NULL);
    end(&top);

    /* The constraint: its model and the data. */
    begin(&below);
    draw_band(&below, s->mean + 1, s->sd + 1, 2, &limit_band_pen);
    app_draw_line(canvas, below.box.x, app_chart_y(&below, 0), below.box.x + wide, app_chart_y(&below, 0),
                  &zero_pen);
    draw_curve(&below, c, 1, &truth_pen);
    draw_curve(&below, s->mean + 1, 2, &limit_pen);
    if (!last)
        draw_next(&below, s->next);
    for (int i = 0; i < s->n; i++)
        app_draw_mark(canvas, APP_CIRCLE, app_chart_x(&below, s->x[i]),
                      app_chart_y(&below, example_constraint(s->x[i])), 3.2, &datum_pen, NULL);
    end(&below);
}

/* cKG on a scale of its own, which the title tells. */
static void draw_value(struct app_canvas *canvas, int column, const struct stage *s, int last)
{
    const double most = s->value[argmax(s->value)];
    char title[96];
    char number[64];
    struct app_chart c = panel(canvas, column, 2, 0, 1.12 * most, NULL);

    snprintf(title, sizeof title, "cKG, at most %s", app_number_nice(most, 2, number));
    static const struct app_lettering letters = {10.5, APP_INK_TEXT, APP_START, 0, 0};
    c.x.label = "x";
    begin(&c);
    draw_band(&c, s->value, NULL, 1, &score_fill);
    draw_curve(&c, s->value, 1, &score_pen);
    if (!last) {
        const int at = (int)lround(s->next * (GRID - 1));
        draw_next(&c, s->next);
        app_draw_mark(canvas, APP_DIAMOND, app_chart_x(&c, s->next), app_chart_y(&c, s->value[at]), 4,
                      &next_mark, NULL);
    }
    end(&c);
    app_draw_letters(canvas, c.box.x, c.box.y - 5, &letters, title);
}

static void draw_figure_2(const char *path)
{
    static struct stage stage[STAGES];
    static const char *const titles[STAGES] = {"(b) initial design, n = 4", "(c) two samples later",
                                               "(d) recommended, n = 16"};
    const double best = true_best();

    run(stage);
    struct app_canvas *canvas = drawing_open(808, 544,
                                             "A run of cKG from the initial design to the recommendation");
    draw_truth(canvas, best);
    for (int k = 0; k < STAGES; k++) {
        draw_models(canvas, k + 1, &stage[k], titles[k], k == STAGES - 1, best);
        draw_value(canvas, k + 1, &stage[k], k == STAGES - 1);
    }
    drawing_close(canvas, path);
    const struct stage *last = &stage[STAGES - 1];
    printf("true best x = %.6f (%.6f), recommended after %d evaluations x = %.6f (%.6f, constraint %.2g)\n",
           best, example_objective(best), last->n, last->recommended, example_objective(last->recommended),
           example_constraint(last->recommended));
}

int main(int argc, char **argv)
{
    char path[1024];

    if (argc != 2) {
        fprintf(stderr, "usage: paper_figures FOLDER\n");
        return 2;
    }
    for (int i = 0; i < GRID; i++)
        grid[i] = (double)i / (GRID - 1);
    snprintf(path, sizeof path, "%s/figure-1.svg", argv[1]);
    draw_figure_1(path);
    snprintf(path, sizeof path, "%s/figure-2.svg", argv[1]);
    draw_figure_2(path);
    return 0;
}

/* What figures show: the recommendation, the order of parameters, the look of trials, designs on a grid. */
#include "figure/view.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "present/numbers.h"
#include "figure/draw/chart.h"
#include "figure/view_cache.h"
#include "base/markup.h"

/* --- opening --- */

/* The middle of a parameter's range on its own scale; an integer or a category stays one. */
static double middle(struct app_parameter p)
{
    double half = p.low + 0.5 * (p.high - p.low);

    if (p.scale == CKG_LOG)
        half = fmin(fmax(sqrt(p.low) * sqrt(p.high), p.low), p.high);
    return p.kind == CKG_REAL ? half : floor(half);
}

/* The parameters by their largest effect on any outcome that is shown. */
static int order_parameters(struct app_show *s)
{
    const int d = app_dimension(s->definition);
    struct app_effect most[CKG_MAX_PARAMETERS] = {{0}};
    const struct app_importance *importance;
    const int status = app_show_importance(s, &importance);

    for (int j = 0; !status && j < s->outcomes.count; j++)
        for (int i = 0; i < d; i++)
            most[i].total = fmax(most[i].total,
                                 app_importance_of(importance, s->outcomes.outcome[j])[i].total);
    if (!status)
        app_importance_order(most, d, s->order);
    return status;
}

static int recommend(struct app_show *s)
{
    const int status = ckg_study_recommend(s->engine, NULL, &s->recommendation);

    if (status && status != CKG_ERR_STATE)
        return app_study_fail(s->record, status);
    if (s->recommendation)
        app_withhold_early(s->record, s->recommendation);
    for (int i = 0; i < app_dimension(s->definition); i++)
        s->centre[i] = s->recommendation ? s->recommendation->x[i]
                                         : middle(app_parameter_at(s->definition, i));
    app_nearest_choose(&s->outcomes, s->record, s->recommendation ? s->recommendation->mean : NULL,
                       s->recommendation ? s->recommendation->sd : NULL);
    return CKG_OK;
}

int app_show_open(struct app_show *s, struct app_study *n)
{
    const size_t d = (size_t)app_dimension(&n->definition);

    *s = (struct app_show){
        .record = n, .definition = &n->definition, .best = app_study_best(n), .ended = app_study_ended(n)};
    s->centre = calloc(d, sizeof *s->centre);
    s->order = calloc(d, sizeof *s->order);
    s->kept = app_view_cache_new();
    int status = s->centre && s->order && s->kept ? app_study_engine(n, &s->engine)
                                                  : app_no_memory(s->record->message);

    if (!status)
        status = recommend(s);
    if (!status)
        status = order_parameters(s);
    if (status)
        app_show_close(s);
    return status;
}

void app_show_close(struct app_show *s)
{
    ckg_recommendation_free(s->recommendation);
    app_view_cache_free(s->kept);
    free(s->centre);
    free(s->order);
    *s = (struct app_show){0};
}

/* --- how trials look --- */

const struct app_look app_looks[APP_LOOKS] = {
    [APP_LOOK_FEASIBLE] = {APP_CIRCLE,
                           {.stroke = APP_INK_PAPER, .fill = APP_INK_MEAN, .width = 0.8},
                           "feasible"},
    [APP_LOOK_INFEASIBLE] = {APP_TRIANGLE,
                             {.stroke = APP_INK_LIMIT, .fill = APP_INK_PAPER, .width = 1.3},
                             "infeasible"},
    [APP_LOOK_UNKNOWN] = {APP_DIAMOND,
                          {.stroke = APP_INK_SOFT, .fill = APP_INK_PAPER, .width = 1.3},
                          "partly measured"},
    [APP_LOOK_FAILED] = {APP_CROSS, {.stroke = APP_INK_FAILED, .width = 1.6}, "failed"},
    [APP_LOOK_PENDING] = {APP_SQUARE,
                          {.stroke = APP_INK_PENDING, .fill = APP_INK_PAPER, .width = 1.3},
                          "pending"},
};

const struct app_pen app_limit_pen = {.stroke = APP_INK_LIMIT, .width = 1.3, .dash = APP_DASHED};
const struct app_pen app_star_pen = {.stroke = APP_INK_TEXT, .fill = APP_INK_STAR, .width = 1};

enum app_looks app_trial_look(const struct app_trial *t)
{
    if (t->state == APP_DISCARDED)
        return APP_LOOKS;
    if (t->state == APP_FAILED_TRIAL)
        return APP_LOOK_FAILED;
    if (t->state != APP_COMPLETE)
        return APP_LOOK_PENDING;
    return t->feasible < 0 ? APP_LOOK_UNKNOWN : t->feasible ? APP_LOOK_FEASIBLE : APP_LOOK_INFEASIBLE;
}

/* Tables and reports have everything; a hint has the first few. */
enum { HINT_NAMES = 6, HINT_CHARACTERS = 24 };

void app_trial_hint(const struct app_definition *d, const struct app_trial *t, struct app_text *out)
{
    char name[APP_SHORT];
    char number[64];

    app_text_print(out, "trial %d, %s", t->number, app_looks[app_trial_look(t)].text);

    for (int i = 0; i < app_dimension(d) && i < HINT_NAMES; i++) {
        const struct app_parameter p = app_parameter_at(d, i);
        app_text_print(out, "%s %s = ", i ? "," : ":", app_shorten(p.name, HINT_CHARACTERS, name));
        app_text_print(
            out, "%s",
            p.kind == CKG_CATEGORICAL
                ? app_shorten(ckg_problem_category(p.problem, p.index, (int)t->x[i]), HINT_CHARACTERS, name)
                : app_number_nice(t->x[i], 4, number));
    }
    if (app_dimension(d) > HINT_NAMES)
        app_text_print(out, ", …");

    for (int i = 0; i < t->count && i < HINT_NAMES; i++) {
        const int answer = app_outcome_at(d, t->measured[i].outcome).yesno;
        const double value = t->measured[i].value;
        app_text_print(out, "%s %s = %s", i ? "," : ";",
                       app_shorten(app_outcome_name(d, t->measured[i].outcome), HINT_CHARACTERS, name),
                       !answer     ? app_number_nice(value, 4, number)
                       : value > 0 ? "yes"
                                   : "no");
    }
}

/* --- grids --- */

/* Value number i of `count` that part the range evenly on its scale. */
static double value_at(struct app_parameter p, int i, int count)
{
    const double t = (double)i / (count - 1);

    if (i == 0 || i == count - 1)
        return i ? p.high : p.low;
    const double value = app_axis_of(p).kind == APP_AXIS_LOG
                             ? fmin(fmax(p.low * pow(p.high / p.low, t), p.low), p.high)
                             : p.low + t * (p.high - p.low);
    return p.kind == CKG_REAL ? value : rint(value);
}

void app_nodes_make(struct app_nodes *out, struct app_parameter p, int want)
{
    const double values = p.kind == CKG_REAL ? INFINITY : p.high - p.low + 1;
    const int most = p.kind == CKG_CATEGORICAL ? APP_MAX_NODES : want;

    assert(want >= 2 && want <= APP_MAX_NODES);
    out->count = values < most ? (int)values : most;
    out->stepped = p.kind == CKG_CATEGORICAL || values <= APP_FEW;
    if (out->stepped && values <= APP_MAX_NODES)
        out->count = (int)values;

    /* Integers on a log scale: near the low end several fractions are the same one. */
    int kept = 0;
    out->drawn = 0;
    for (int i = 0; i < out->count; i++) {
        const double value = value_at(p, i, out->count);
        if (kept && value == out->value[kept - 1])
            continue;
        out->value[kept] = value;
        for (int side = 0; side <= out->stepped; side++) {
            out->place[out->drawn] = value + (out->stepped ? side - 0.5 : 0);
            out->of[out->drawn++] = kept;
        }
        kept++;
    }
    out->count = kept;
}

double *app_grid_designs(struct app_pool *pool, const struct app_show *s, int x,
                         const struct app_nodes *nodes_x, int y, const struct app_nodes *nodes_y)
{
    const size_t d = (size_t)app_dimension(s->definition);
    const int rows = y < 0 ? 1 : nodes_y->count;
    double *X = app_pool_new(pool, (size_t)rows * (size_t)nodes_x->count * d, sizeof *X);

    for (int r = 0; X && r < rows; r++)
        for (int c = 0; c < nodes_x->count; c++) {
            double *design = X + ((size_t)r * (size_t)nodes_x->count + (size_t)c) * d;
            memcpy(design, s->centre, d * sizeof *design);
            design[x] = nodes_x->value[c];
            if (y >= 0)
                design[y] = nodes_y->value[r];
        }
    return X;
}

static int predict(const struct app_show *s, int count, const double *X, double *mean, double *sd,
                   double *chance)
{
    const ckg_problem *problem = s->definition->problem;
    const size_t d = (size_t)app_dimension(s->definition);
    const int status = ckg_study_predict(s->engine, count, X, mean, sd, chance, NULL);

    if (status)
        return app_study_fail(s->record, status);
    for (int i = 0; ckg_problem_rules(problem) && i < count; i++)
        if (!isnan(chance[i]) && ckg_problem_check_rules(problem, X + (size_t)i * d))
            chance[i] = 0;
    return CKG_OK;
}

int app_show_chances(const struct app_show *s, int count, const double *X, double *chance)
{
    return predict(s, count, X, NULL, NULL, chance);
}

int app_grid_predict(struct app_grid *g, struct app_pool *pool, const struct app_show *s, int x,
                     const struct app_nodes *nodes_x, int y, const struct app_nodes *nodes_y)
{
    const size_t count = (size_t)nodes_x->count * (y < 0 ? 1 : (size_t)nodes_y->count);
    const size_t values = count * ((size_t)app_constraints(s->definition) + 1);

    *g = (struct app_grid){.count = (int)count,
                           .X = app_grid_designs(pool, s, x, nodes_x, y, nodes_y),
                           .mean = app_pool_new(pool, 2 * values + count, sizeof *g->mean)};
    if (!g->X || !g->mean)
        return app_no_memory(s->record->message);
    g->sd = g->mean + values;
    g->chance = g->sd + values;
    return predict(s, g->count, g->X, g->mean, g->sd, g->chance);
}

/* A prediction costs n² for every outcome. */
int app_show_fineness(const struct app_show *s, int directions)
{
    if (directions == 1)
        return s->ended <= 500 ? 81 : 41;
    return s->ended <= 150 ? 57 : s->ended <= 400 ? 41 : 29;
}

/*
 * Stepwise reduction of the volume in which a feasible improvement may still lie. That volume is expected to
 * be
 *
 *   V = ∫ P(f(x) > best)·PF(x) dx,
 *
 * and an evaluation at x⁺ takes from it every x that is no better than x⁺, if x⁺ is feasible: in expectation
 *
 *   R(x⁺) = ∫ P(best < f(x) < f(x⁺)) ∏_k P(c_k holds at x and at x⁺) dx,
 *
 * in which each factor is a probability of two correlated normals (linalg/bivariate.h). The value is log R.
 * While there is no best, the first factor is P(f(x) < f(x⁺)). The integral is a sum over points that are
 * drawn where V lies. Reference: Picheny 2014, A stepwise uncertainty reduction approach to constrained
 * global optimization; he states V after the evaluation, which is V − R.
 *
 * The volume shrinks towards the best design as the search goes on, so its points come from nested boxes
 * around x_r, each a quarter as wide as the one before, and are weighted by the density with which all boxes
 * together give a point; of these, those that count are drawn.
 *
 * Cost per candidate: for each point and outcome a probability of two normals; the gradient adds O(n² + n·m)
 * per outcome.
 */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/maths.h"
#include "linalg/normal.h"
#include "linalg/bivariate.h"
#include "linalg/logarithm.h"
#include "design/allowed.h"
#include "policy/policy.h"

/* clang-format off */
#define SETTINGS(X) \
    CKG__ASCENT_SETTINGS(X) \
    X(points, {.value = 64, .sampled = 16}, 4, 10000, 1, \
      "points that the volume is summed over, under each hyperparameter sample")
/* clang-format on */
CKG__SETTINGS(settings, parameters, SETTINGS);

struct volume {
    const struct ckg__belief *belief;
    double best; /* −INFINITY: none */
    /*
     * 1: the points are designs of a finite problem, and one of them is settled when it is itself evaluated;
     * else no point counts for itself
     */
    int finite;
    int m;              /* points */
    const double *U;    /* D×m, leading dimension m */
    double *log_weight; /* (m) of each in the integral */
    double *log_p;      /* (m) log P(f > best)·PF */
    struct ckg__view view[CKG__MAX_OUTCOMES];
};

/* Where the integral is summed: points U (D×count, leading dimension count), their weights' logarithms. */
struct points {
    int count;
    const double *U;
    const double *log_weight; /* (count) */
};

/* --- the points --- */

/* log P(f > best)·PF at the points of views. */
static void log_chances(const struct volume *sur, const struct ckg__view *view, double *log_p)
{
    const double floor = ckg__variance_floor(sur->belief->gp[0]);

    ckg__belief_log_feasible(sur->belief, view, log_p);
    for (int p = 0; sur->best > -INFINITY && p < view[0].m; p++)
        log_p[p] += ckg__normal_log_cdf((view[0].mean[p] - sur->best) / sqrt(fmax(view[0].var[p], floor)));
}

/*
 * The sum over all of these points, whose views are made in `keep`. The members belief, best and finite must
 * be set already; best may be −INFINITY.
 */
static int take_points(struct volume *sur, const struct points *points, struct ckg__arena *keep)
{
    const int m = points->count;

    assert(m > 0 && !isnan(sur->best));
    sur->m = m;
    sur->U = points->U;
    if (CKG__TAKE(keep, CKG__ROOM(sur->log_weight, (size_t)m), CKG__ROOM(sur->log_p, (size_t)m)))
        return CKG_ERR_NOMEM;
    memcpy(sur->log_weight, points->log_weight, (size_t)m * sizeof *sur->log_weight);

    const int status = ckg__belief_views(sur->belief, m, points->U, m, keep, sur->view);
    if (!status)
        log_chances(sur, sur->view, sur->log_p);
    return status;
}

/* How often each of the shares (count) is met by `wanted` even steps through their sum, from `offset` on. */
static int draw_evenly(int count, const double *log_share, double log_sum, int wanted, double offset,
                       int *times)
{
    double passed = 0;
    int drawn = 0;
    int distinct = 0;

    for (int p = 0; p < count; p++) {
        passed += wanted * ckg__exp(log_share[p] - log_sum);
        times[p] = 0;
        while (drawn < wanted && drawn + offset < passed) {
            times[p]++;
            drawn++;
        }
        distinct += times[p] > 0;
    }
    return distinct;
}

/* The points that were drawn, so many times each: together they weigh what all of them did. */
static int keep_drawn(struct volume *sur, const struct points *points, const double *log_p, double log_each,
                      const int *times, int distinct, struct ckg__arena *keep)
{
    const size_t D = (size_t)ckg__belief_coordinates(sur->belief);
    const size_t m = (size_t)distinct;
    const size_t count = (size_t)points->count;
    double *U, *log_weight;
    size_t to = 0;

    if (CKG__TAKE(keep, CKG__ROOM(U, D * m), CKG__ROOM(log_weight, m)))
        return CKG_ERR_NOMEM;
    for (size_t p = 0; p < count; p++) {
        if (!times[p])
            continue;
        for (size_t k = 0; k < D; k++)
            U[k * m + to] = points->U[k * count + p];
        log_weight[to++] = log_each + ckg__log(times[p]) - log_p[p];
    }
    return take_points(sur, &(struct points){distinct, U, log_weight}, keep);
}

/*
 * The same over `wanted` of them at most, drawn in proportion to their share in V and weighted so that sums
 * are right in expectation; offset is a uniform number in (0, 1). `keep` is not `scratch`.
 */
static int draw_points(struct volume *sur, const struct points *points, int wanted, double offset,
                       struct ckg__arena *keep, struct ckg__arena *scratch)
{
    struct ckg__arena_mark mark = ckg__arena_mark(scratch);
    const int count = points->count;
    struct ckg__view view[CKG__MAX_OUTCOMES];
    double *log_p, *log_share;
    int *times;
    double log_volume = -INFINITY;

    assert(wanted > 0 && keep != scratch && offset > 0 && offset < 1);
    if (CKG__TAKE(scratch, CKG__ROOM(log_p, (size_t)count), CKG__ROOM(log_share, (size_t)count),
                  CKG__ROOM(times, (size_t)count)))
        return CKG_ERR_NOMEM;
    int status = ckg__belief_views(sur->belief, count, points->U, count, scratch, view);
    if (status)
        return status;

    /* What each point has of the volume. */
    log_chances(sur, view, log_p);
    for (int p = 0; p < count; p++) {
        log_p[p] = fmax(log_p[p], -1e300);
        log_share[p] = log_p[p] + points->log_weight[p];
        ckg__log_join(&log_volume, log_share[p]);
    }

    /* Points by their shares. */
    const int distinct = draw_evenly(count, log_share, log_volume, wanted, offset, times);
    status = distinct ? keep_drawn(sur, points, log_p, log_volume - ckg__log(wanted), times, distinct, keep)
                      : take_points(sur, points, keep);
    ckg__arena_release(scratch, mark);
    return status;
}

/* --- a point and a candidate --- */

/* One outcome at a point and at the candidate. */
struct pair {
    double mean[2], var[2]; /* of the point, of the candidate */
    double cov;
};

/* Slopes of a log probability in the candidate's mean and variance, and in the covariance. */
struct slopes {
    double mean, var, cov;
};

/* log P(best < f(x) < f(x⁺)). */
static double log_better(const struct pair *f, double best, double floor, struct slopes *slope)
{
    const double s = sqrt(fmax(f->var[0], floor));
    const double between = f->var[0] + f->var[1] - 2 * f->cov;
    const int floored = !(between > floor);
    const double sd = sqrt(floored ? floor : between);
    const double k = (f->mean[1] - f->mean[0]) / sd;
    const double r = fmax(-1, fmin(1, (f->cov - f->var[0]) / (s * sd)));
    double in[3] = {0, 0, 0};
    double value;

    /* That x⁺ is better, and that x is an improvement: the second has correlation r with the first. */
    if (best > -INFINITY) {
        value = ckg__normal_log_both((f->mean[0] - best) / s, k, r, slope ? in : NULL);
    } else {
        value = ckg__normal_log_cdf(k);
        in[1] = slope ? ckg__normal_mills(k) : 0;
    }
    if (!slope)
        return value;

    /* Through k, r and the variance of the difference. */
    const double in_between = floored ? 0 : -0.5 * (in[1] * k + in[2] * r) / (sd * sd);
    *slope = (struct slopes){in[1] / sd, in_between, in[2] / (s * sd) - 2 * in_between};
    return value;
}

/* How wide an outcome counts: its standard deviation, and what a covariance is multiplied by. */
struct width {
    double sd, share;
    double in_square, in_log_share; /* slopes of sd² and log share in the variance */
};

static struct width width_of(double var, const struct ckg__limits *limits)
{
    double slope;
    const int floored = !(var > limits->floor);
    const double v = fmax(floored ? limits->floor : var, 1e-300);
    const double wide = ckg__inflated(v, limits->roughness, &slope);
    const double square = wide + limits->chance;

    slope = floored ? 0 : slope;
    return (struct width){sqrt(square), sqrt(wide / (v * square)), slope,
                          floored ? 0 : 0.5 * (slope / wide - 1 / v - slope / square)};
}

/* log P(the limits hold at x and at x⁺). */
static double log_both_hold(const struct pair *c, const struct ckg__limits *limits, struct slopes *slope)
{
    const struct width x = width_of(c->var[0], limits);
    const struct width y = width_of(c->var[1], limits);
    const double at_x[2] = {(limits->lower - c->mean[0]) / x.sd, (limits->upper - c->mean[0]) / x.sd};
    const double at_y[2] = {(limits->lower - c->mean[1]) / y.sd, (limits->upper - c->mean[1]) / y.sd};
    const double r = fmax(-1, fmin(1, c->cov * x.share * y.share));
    double in[3];
    const double value = ckg__normal_log_box(at_x, at_y, r, slope ? in : NULL);

    if (!slope)
        return value;
    const double square = y.sd * y.sd;
    double in_square = 0;
    for (int end = 0; end < 2; end++)
        in_square -= isinf(at_y[end]) ? 0 : in[end] * at_y[end] / (2 * square);
    *slope = (struct slopes){-(in[0] + in[1]) / y.sd, in_square * y.in_square + in[2] * r * y.in_log_share,
                             in[2] * x.share * y.share};
    return value;
}

/* --- a candidate --- */

struct candidate {
    double mean[CKG__MAX_OUTCOMES], var[CKG__MAX_OUTCOMES];
    const double *cov[CKG__MAX_OUTCOMES]; /* (m) with the points */
};

static struct pair pair_of(const struct volume *sur, const struct candidate *c, int j, int p)
{
    return (struct pair){{sur->view[j].mean[p], c->mean[j]}, {sur->view[j].var[p], c->var[j]}, c->cov[j][p]};
}

/*
 * log of what the candidate takes of point p; slope (outcomes) unless NULL, 0 where an outcome does not
 * count. Of a group of constraints that repeat one another the least likely counts.
 */
static double log_taken(const struct volume *sur, const struct candidate *c, int p, struct slopes *slope)
{
    const struct ckg__belief *belief = sur->belief;
    const struct pair objective = pair_of(sur, c, 0, p);
    double sum = log_better(&objective, sur->best, ckg__variance_floor(belief->gp[0]), slope);
    int next;

    for (int j = 1; j < belief->outcomes; j = next) {
        double least = INFINITY;
        int which = j;
        next = ckg__belief_after(belief, j);
        for (int k = j; k < next; k++) {
            const struct pair pair = pair_of(sur, c, k, p);
            const struct ckg__limits limits = ckg__belief_limits(belief, k);
            const double one = log_both_hold(&pair, &limits, slope ? &slope[k] : NULL);
            which = one < least ? k : which;
            least = fmin(least, one);
        }
        for (int k = j; slope && k < next; k++)
            if (k != which)
                slope[k] = (struct slopes){0};
        sum += least;
    }
    return sum;
}

/* 1 when point p is the design u (D) itself, which an evaluation settles. */
static int is_settled(const struct volume *sur, const double *u, int ldu, int p)
{
    const int D = ckg__belief_coordinates(sur->belief);
    int same = sur->finite;

    for (int k = 0; same && k < D; k++)
        same = sur->U[(size_t)k * (size_t)sur->m + (size_t)p] == u[(size_t)k * (size_t)ldu];
    return same;
}

/* Scratch for the slopes at one candidate: each point's, and their sums. */
struct work {
    double *log_part;     /* (m) */
    struct slopes *slope; /* m × outcomes; NULL: no gradient */
    double *in_cov;       /* (m) */
};

/* log R of the candidate at u. */
static double log_reduction(const struct volume *sur, const struct candidate *c, const double *u, int ldu,
                            struct work *w)
{
    const size_t outcomes = (size_t)sur->belief->outcomes;
    double sum = -INFINITY;

    for (int p = 0; p < sur->m; p++) {
        struct slopes *slope = w->slope ? w->slope + (size_t)p * outcomes : NULL;
        if (is_settled(sur, u, ldu, p)) {
            w->log_part[p] = sur->log_weight[p] + sur->log_p[p];
            if (slope)
                memset(slope, 0, outcomes * sizeof *slope);
        } else {
            /* never more than is there, whatever rounding says of limits that are far off */
            const double taken = fmin(log_taken(sur, c, p, slope), sur->log_p[p]);
            w->log_part[p] = sur->log_weight[p] + fmax(taken, -1e300);
        }
        ckg__log_join(&sum, w->log_part[p]);
    }
    return sum;
}

/* gradient (D) of that value, from the slopes that it left. */
static int pull(const struct volume *sur, struct work *w, double value, const struct ckg__view *at,
                struct ckg__arena *arena, double *gradient)
{
    const struct ckg__belief *belief = sur->belief;
    const size_t outcomes = (size_t)belief->outcomes;
    const int D = ckg__belief_coordinates(belief);
    double *part = ckg__arena_doubles(arena, (size_t)D);
    int status = part ? CKG_OK : CKG_ERR_NOMEM;

    memset(gradient, 0, (size_t)D * sizeof *gradient);
    for (size_t j = 0; !status && j < outcomes; j++) {
        double in_mean = 0;
        double in_var = 0;
        for (int p = 0; p < sur->m; p++) {
            const struct slopes *slope = &w->slope[(size_t)p * outcomes + j];
            const double share = ckg__exp(w->log_part[p] - value);
            in_mean += share * slope->mean;
            in_var += share * slope->var;
            w->in_cov[p] = share * slope->cov;
        }
        status = ckg__view_pull(belief->gp[j], &sur->view[j], &at[j], in_mean, in_var, w->in_cov, arena,
                                part);
        for (int k = 0; !status && k < D; k++)
            gradient[k] += part[k];
    }
    return status;
}

static int work_take(struct work *w, const struct volume *sur, int gradient, struct ckg__arena *arena)
{
    const size_t m = (size_t)sur->m;
    const size_t pairs = m * (size_t)sur->belief->outcomes;

    w->log_part = ckg__arena_doubles(arena, m);
    w->in_cov = ckg__arena_doubles(arena, m);
    w->slope = gradient ? ckg__arena_get(arena, pairs, sizeof *w->slope) : NULL;
    return w->log_part && w->in_cov && (w->slope || !gradient) ? CKG_OK : CKG_ERR_NOMEM;
}

/* One candidate at u (D at a stride of ldu), and its gradient (D) unless NULL. */
static int at_one(const struct volume *sur, const double *u, int ldu, struct ckg__arena *arena, double *value,
                  double *gradient)
{
    const struct ckg__belief *belief = sur->belief;
    struct ckg__arena_mark mark = ckg__arena_mark(arena);
    struct ckg__view at[CKG__MAX_OUTCOMES];
    struct candidate candidate;
    struct work work;
    int status = work_take(&work, sur, gradient != NULL, arena);

    /* What is believed of it, and how it goes with the points. */
    if (!status)
        status = ckg__belief_views(belief, 1, u, ldu, arena, at);
    for (int j = 0; !status && j < belief->outcomes; j++) {
        double *cov = ckg__arena_doubles(arena, (size_t)sur->m);
        candidate.mean[j] = at[j].mean[0];
        candidate.var[j] = at[j].var[0];
        candidate.cov[j] = cov;
        status = cov ? CKG_OK : CKG_ERR_NOMEM;
        if (!status)
            ckg__view_covariance(belief->gp[j], &sur->view[j], &at[j], 0, 1, cov, sur->m);
    }

    /* What it takes; a value that is no number at all counts as very little. */
    if (!status) {
        *value = fmax(log_reduction(sur, &candidate, u, ldu, &work), -1e300);
        status = gradient ? pull(sur, &work, *value, at, arena, gradient) : CKG_OK;
    }
    ckg__arena_release(arena, mark);
    return status;
}

/* log R (m) at candidates U (D×m, leading dimension ldu), and unless NULL its gradient (D×m). */
static int log_reductions(const struct volume *sur, int m, const double *U, int ldu, struct ckg__arena *arena,
                          double *value, double *gradient)
{
    const int D = ckg__belief_coordinates(sur->belief);
    double *one = ckg__arena_doubles(arena, (size_t)D);
    int status = one ? CKG_OK : CKG_ERR_NOMEM;

    assert(m >= 0 && ldu >= m);
    for (int p = 0; !status && p < m; p++) {
        status = at_one(sur, U + p, ldu, arena, &value[p], gradient ? one : NULL);
        for (int k = 0; !status && gradient && k < D; k++)
            gradient[(size_t)k * (size_t)m + (size_t)p] = one[k];
    }
    return status;
}

/* --- where the points lie --- */

/* Boxes, the cube among them; points laid in each for one that is drawn; streams of numbers of a lookahead.
 */
enum { BOXES = 5, LAID = 2, STREAMS = 16 };
_Static_assert((int)BOXES < (int)STREAMS, "every box has a stream, and the draw has one");

/* The boxes of one lookahead, from the cube inwards; only reals are confined. */
struct boxes {
    const struct ckg_problem *problem;
    int count;
    double low[BOXES][CKG_MAX_PARAMETERS], high[BOXES][CKG_MAX_PARAMETERS];
    double log_density[BOXES]; /* of a point of the box, at which it is laid */
};

static struct boxes boxes_around(const struct ckg_problem *problem, const double *x_r)
{
    struct boxes b = {.problem = problem, .count = BOXES};

    /* What rules leave has no such boxes: there the points are laid in all of it alike. */
    if (ckg__ruled(problem) || !ckg__problem_has_reals(problem))
        b.count = 1;
    for (int l = 0; l < b.count; l++) {
        const double half = 0.5 * ckg__pow(4, -l);
        for (int i = 0; i < problem->d; i++) {
            const double centre = x_r[problem->parameters[i].offset];
            if (!ckg__is_real(&problem->parameters[i]))
                continue;
            b.low[l][i] = l ? fmax(0, centre - half) : 0;
            b.high[l][i] = l ? fmin(1, centre + half) : 1;
            b.log_density[l] -= ckg__log(b.high[l][i] - b.low[l][i]);
        }
    }
    return b;
}

/* Brings a point of the cube (D) into box l. */
static void squeeze(const struct boxes *b, int l, double *u)
{
    for (int i = 0; l && i < b->problem->d; i++) {
        double *coordinate = &u[b->problem->parameters[i].offset];
        if (ckg__is_real(&b->problem->parameters[i]))
            *coordinate = b->low[l][i] + *coordinate * (b->high[l][i] - b->low[l][i]);
    }
}

/* log of the density with which points are laid at u (D), all boxes together. */
static double log_density(const struct boxes *b, const double *u)
{
    double sum = -INFINITY;

    for (int l = 0; l < b->count; l++) {
        int within = 1;
        for (int i = 0; within && i < b->problem->d; i++) {
            const double coordinate = u[b->problem->parameters[i].offset];
            within = !ckg__is_real(&b->problem->parameters[i]) ||
                     (coordinate >= b->low[l][i] && coordinate <= b->high[l][i]);
        }
        if (within)
            ckg__log_join(&sum, b->log_density[l] - ckg__log(b->count));
    }
    return sum;
}

/* Points in all boxes, and their weights. */
static int lay_points(struct ckg__search *search, int o, struct points *out)
{
    const struct settings *set = search->settings;
    const struct boxes boxes = boxes_around(search->scope->problem, search->lookahead[o].x_r);
    const int each = LAID * (int)set->points * BOXES / boxes.count;
    const int count = each * boxes.count;
    const int D = search->scope->problem->D;
    double *U, *log_weight, *u;
    int status = CKG__TAKE(search->results, CKG__ROOM(U, (size_t)D * (size_t)count),
                           CKG__ROOM(log_weight, (size_t)count), CKG__ROOM(u, (size_t)D));

    for (int l = 0; !status && l < boxes.count; l++) {
        status = ckg__search_fill(search, CKG__FOR_VOLUMES + (uint64_t)(STREAMS * o + l), each, U + l * each,
                                  count, search->results);
        for (int p = l * each; !status && p < (l + 1) * each; p++) {
            ckg__point_get(D, U, count, p, u);
            squeeze(&boxes, l, u);
            ckg__point_put(D, u, U, count, p);
            log_weight[p] = -log_density(&boxes, u) - ckg__log(count);
        }
    }
    *out = (struct points){count, U, log_weight};
    return status;
}

/* Every design of a small finite problem, all alike. */
static int all_designs(struct ckg__search *search, struct points *out)
{
    double *log_weight = ckg__arena_doubles(search->results, (size_t)search->base);

    if (!log_weight)
        return CKG_ERR_NOMEM;
    for (int p = 0; p < search->base; p++)
        log_weight[p] = -ckg__log(search->base);
    *out = (struct points){search->base, search->U, log_weight};
    return CKG_OK;
}

/* The volume under lookahead o. */
static int make_one(struct ckg__search *search, int o, struct volume *sur)
{
    const struct settings *set = search->settings;
    struct points points;
    struct ckg__rng rng;

    *sur = (struct volume){.belief = search->lookahead[o].belief,
                           .finite = !ckg__problem_has_reals(search->scope->problem)};
    ckg__rng_seed(&rng, search->seed, search->stream, CKG__FOR_VOLUMES + (uint64_t)(STREAMS * o + BOXES));
    int status = ckg__search_incumbent(search, sur->belief, search->results, &sur->best);
    if (!status)
        status = search->enumerated ? all_designs(search, &points) : lay_points(search, o, &points);
    if (!status)
        status = draw_points(sur, &points, (int)set->points, ckg__rng_uniform(&rng), search->results,
                             &search->arena[0]);
    return status;
}

static int at(void *context, int lookahead, int m, const double *U, int ldu, struct ckg__arena *arena,
              double *value, double *gradient)
{
    const struct volume *sur = context;

    return log_reductions(&sur[lookahead], m, U, ldu, arena, value, gradient);
}

static int acquire(struct ckg__search *search, struct ckg__acquisition *acquisition)
{
    struct volume *sur = ckg__arena_get(search->results, (size_t)search->lookaheads, sizeof *sur);
    int status = sur ? CKG_OK : CKG_ERR_NOMEM;

    for (int o = 0; !status && o < search->lookaheads; o++)
        status = make_one(search, o, &sur[o]);
    *acquisition = (struct ckg__acquisition){sur, at, 1, 1};
    return status;
}

const struct ckg__policy ckg__policy_sur = {
    .name = "sur",
    .title = "stepwise reduction of the volume of feasible improvement",
    .reference = "Picheny 2014",
    .value = "log of the expected reduction of the volume where a feasible improvement may lie, of the box",
    CKG__TABLE(parameters),
    CKG__ASCENT,
    .acquire = acquire};

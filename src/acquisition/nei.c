/*
 * Noisy expected improvement (nei.h has the definition). The true values at the told designs, and the
 * processes under each draw of them, are those of posterior/latent_draws.c; the gradient gathers the slopes
 * of all draws before each process pulls them back to the points once.
 *
 * Cost: n³ to draw; then per point and outcome n² + nN and N values of h, for N draws, and as much again for
 * the gradient.
 */
#include "acquisition/nei.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "acquisition/cei.h"
#include "base/maths.h"
#include "design/sequence.h"
#include "linalg/logarithm.h"
#include "linalg/normal.h"
#include "linalg/vector.h"

/* --- what is known at the told designs --- */

/* What the draws are made for. */
struct told {
    const struct ckg__belief *belief;
    const struct ckg__designs *designs;
    int judged;
    int chosen;
    int *order; /* (chosen) designs, the most promising first */
    int *rank;  /* (n) a design's place in the order; −1: not drawn at */
    struct ckg__observed observed[CKG__MAX_OUTCOMES];
};

/*
 * log((μ − M)·PF) at the told designs: how likely each is to matter. The variance of a true value is bounded
 * by the noise of its measurement, and the bound serves.
 */
static void promise_of(const struct told *told, double *promise)
{
    const struct ckg__belief *belief = told->belief;

    for (int d = 0; d < told->designs->n; d++) {
        const double gain = told->observed[0].mean[d] - belief->penalty;
        promise[d] = gain > 0 ? ckg__log(gain) : -INFINITY;
        for (int j = 1; j < told->judged; j++) {
            const struct ckg__observed *s = &told->observed[j];
            const struct ckg__limits limits = ckg__belief_limits(belief, j);
            const double var = ckg__observed_variance(s, belief->gp[j], d);
            ckg__log_feasible(1, &s->mean[d], &var, &limits, &promise[d], NULL, NULL);
        }
    }
}

/*
 * The most promising designs in order: the first coordinates of the draws, which are spread best, go to those
 * that matter most.
 */
static int choose(struct told *told, int most, struct ckg__arena *scratch)
{
    const int n = told->designs->n;
    double *promise = ckg__arena_doubles(scratch, (size_t)n + 1);

    told->chosen = n < most ? n : most;
    told->order = ckg__arena_ints(scratch, (size_t)told->chosen + 1);
    told->rank = ckg__arena_ints(scratch, (size_t)n + 1);
    if (!promise || !told->order || !told->rank)
        return CKG_ERR_NOMEM;

    promise_of(told, promise);
    for (int d = 0; d < n; d++)
        told->rank[d] = -1;
    for (int place = 0; place < told->chosen; place++) {
        int best = -1;
        for (int d = 0; d < n; d++)
            if (told->rank[d] < 0 && (best < 0 || promise[d] > promise[best]))
                best = d;
        told->order[place] = best;
        told->rank[best] = place;
    }
    return CKG_OK;
}

/*
 * 1 when nothing about the outcome is left to draw: every design was measured without noise, it judges none,
 * or it is an answer, which is what it was.
 */
static int is_measured(const struct told *told, int j)
{
    const int drawn = j < told->judged && !(ckg__gp_chance(told->belief->gp[j]) > 0);

    for (int place = 0; drawn && place < told->chosen; place++)
        if (!ckg__observed_is_exact(&told->observed[j], told->order[place]))
            return 0;
    return 1;
}

/* --- the draws --- */

/* An outcome that is what was measured: its process as it is. */
static void take_measured(const struct told *told, int j, struct ckg__latent_draws *draws_of, double *truth)
{
    const struct ckg__gp *gp = told->belief->gp[j];
    const struct ckg__observed *s = &told->observed[j];

    ckg__latent_draws_take_measured(draws_of, gp);
    for (int place = 0; j < told->judged && place < told->chosen; place++) {
        const int d = told->order[place];
        truth[place] = j && s->row[d] >= 0 ? ckg__latent_draws_measured(gp, s, d) : s->mean[d];
    }
}

/* The best value among the designs that draw i has feasible, or −INFINITY. truth[j] has draws[j] columns. */
static double best_of(const struct told *told, double *const *truth, const struct ckg__latent_draws *process,
                      int i)
{
    const struct ckg__belief *belief = told->belief;
    double best = -INFINITY;

    for (int place = 0; place < told->chosen; place++) {
        int feasible = 1;
        double value[CKG__MAX_OUTCOMES];
        for (int j = 0; j < told->judged; j++) {
            const int N = process[j].draws;
            value[j] = truth[j][(size_t)place * (size_t)N + (size_t)(N > 1 ? i : 0)];
            feasible &= !j || (value[j] >= belief->lower[j] && value[j] <= belief->upper[j]);
        }
        best = feasible && value[0] > best ? value[0] : best;
    }
    return best;
}

/*
 * Standard normals z[j] (chosen×N) for each outcome that is drawn: coordinate place·drawn + i of the Sobol
 * points. Those of an outcome with an upper limit alone are turned over, so that stating the limit the other
 * way round changes nothing.
 */
static int normals(const struct told *told, const int *measured, const struct ckg__nei_draws *draws,
                   struct ckg__arena *scratch, double **z)
{
    assert(draws->first >= 0);

    const size_t N = (size_t)draws->count;
    const size_t chosen = (size_t)told->chosen;
    size_t drawn = 0;
    size_t at = 0;

    /* How many outcomes are left to chance. */
    for (int j = 0; j < told->belief->outcomes; j++)
        drawn += !measured[j];

    /* Sobol points, with a coordinate for each of them at each design. */
    double *cube = ckg__arena_doubles(scratch, N * chosen * drawn + 1);
    if (!cube)
        return CKG_ERR_NOMEM;
    ckg__design_sobol(draws->seed, draws->first, draws->count, (int)(chosen * drawn), cube);

    /* Their normals, turned over where the limit is an upper one. */
    for (int j = 0; j < told->belief->outcomes; j++) {
        if (measured[j])
            continue;
        const double sign = j && isinf(told->belief->lower[j]) ? -1 : 1;
        z[j] = ckg__arena_doubles(scratch, N * chosen + 1);
        if (!z[j])
            return CKG_ERR_NOMEM;
        for (size_t place = 0; place < chosen; place++)
            for (size_t i = 0; i < N; i++)
                z[j][place * N + i] = sign *
                                      ckg__normal_quantile(cube[i * chosen * drawn + place * drawn + at]);
        at++;
    }

    /* Constraints that nearly repeat one another have the same errors. */
    for (int j = 1; j < told->belief->outcomes; j++) {
        const int like = told->belief->beside[j];
        for (size_t i = 0; like && z[j] && z[like] && i < N * chosen; i++)
            z[j][i] = told->belief->turn[j] * z[like][i];
    }
    return CKG_OK;
}

/* How many draws there are, and which outcomes are what was measured. */
static int count_draws(const struct told *told, int count, int *measured)
{
    int draws = 1;

    for (int j = 0; j < told->belief->outcomes; j++) {
        measured[j] = is_measured(told, j);
        draws = measured[j] ? draws : count;
    }
    return draws;
}

/* The best of every draw; M where it has no feasible design. */
static int take_best(struct ckg__nei *nei, const struct told *told, double *const *truth,
                     struct ckg__arena *keep)
{
    nei->best = ckg__arena_doubles(keep, (size_t)nei->draws);
    if (!nei->best)
        return CKG_ERR_NOMEM;

    nei->feasible = 0;
    for (int i = 0; i < nei->draws; i++) {
        nei->best[i] = best_of(told, truth, nei->process, i);
        nei->feasible += nei->best[i] > -INFINITY;
        nei->best[i] = nei->best[i] > -INFINITY ? nei->best[i] : nei->belief->penalty;
    }
    nei->alone = nei->feasible == 0;
    return CKG_OK;
}

static int draw_all(struct ckg__nei *nei, const struct told *told, const struct ckg__nei_draws *draws,
                    struct ckg__arena *keep, struct ckg__arena *scratch)
{
    const struct ckg__drawn_at at = {told->chosen, told->order, told->rank};
    int measured[CKG__MAX_OUTCOMES];
    double *z[CKG__MAX_OUTCOMES] = {NULL};
    double *truth[CKG__MAX_OUTCOMES] = {NULL};

    nei->draws = count_draws(told, draws->count, measured);
    int status = nei->draws > 1 ? normals(told, measured, draws, scratch, z) : CKG_OK;

    /* For the objective the truth is the mean of the conditioned process, as cEI has it. */
    for (int j = 0; !status && j < nei->belief->outcomes; j++) {
        const size_t columns = (size_t)(measured[j] ? 1 : nei->draws);
        truth[j] = ckg__arena_doubles(scratch, (size_t)told->chosen * columns + 1);
        if (!truth[j])
            return CKG_ERR_NOMEM;
        if (measured[j])
            take_measured(told, j, &nei->process[j], truth[j]);
        else
            status = ckg__latent_draws_draw(&nei->process[j], told->belief->gp[j], told->designs,
                                            &told->observed[j], &at, nei->draws, z[j], j == 0, keep, scratch,
                                            truth[j]);
    }
    return status ? status : take_best(nei, told, truth, keep);
}

int ckg__nei_make(struct ckg__nei *nei, const struct ckg__belief *belief, int judged,
                  const struct ckg__designs *designs, const struct ckg__nei_draws *draws,
                  struct ckg__arena *keep, struct ckg__arena *scratch)
{
    struct ckg__arena_mark mark = ckg__arena_mark(scratch);
    struct told *told = ckg__arena_get(scratch, 1, sizeof *told);
    int status = told ? CKG_OK : CKG_ERR_NOMEM;

    assert(keep != scratch);
    assert(draws->count >= 2 && designs->n >= 0 && designs->ldu >= designs->n);
    if (status)
        return status;
    *told = (struct told){.belief = belief, .designs = designs, .judged = judged};
    nei->belief = belief;

    /* What is known there, where it matters most, and what it may truly be. */
    for (int j = 0; !status && j < belief->outcomes; j++)
        status = ckg__observed_make(&told->observed[j], belief->gp[j], designs, scratch);
    if (!status)
        status = choose(told, draws->most, scratch);
    if (!status)
        status = draw_all(nei, told, draws, keep, scratch);
    ckg__arena_release(scratch, mark);
    return status;
}

/* --- values at points --- */

/*
 * One outcome at m points under all draws, with the slopes of the logarithm in mean and variance, one row per
 * draw that differs.
 */
struct latent_view {
    struct ckg__latent_view at;
    double *in_mean; /* rows×m, or NULL */
    double *in_var;  /* rows×m */
    int rows;
};

static int look(const struct ckg__latent_draws *draws_of, int m, const double *U, int ldu, int rows,
                int slopes, struct ckg__arena *arena, struct latent_view *s)
{
    const size_t size = (size_t)rows * (size_t)m;

    s->rows = rows;
    s->in_mean = slopes ? ckg__arena_doubles(arena, 2 * size) : NULL;
    s->in_var = s->in_mean ? s->in_mean + size : NULL;
    if (slopes && !s->in_mean)
        return CKG_ERR_NOMEM;
    return ckg__latent_draws_view(draws_of, m, U, ldu, slopes, arena, &s->at);
}

/* y (count) += x. */
static void add(int count, const double *restrict x, double *restrict y)
{
    for (int i = 0; i < count; i++)
        y[i] += x[i];
}

/* log h (n) and its slope h'/h (n, unless NULL) at z: by arrays where h is far from underflow. */
static void log_h(int n, const double *z, double *value, double *slope)
{
    static const double far = -30;

    ckg__vector()->normal_ei(n, z, value);
    if (slope)
        ckg__vector()->normal_cdf(n, z, slope);
    for (int i = 0; slope && i < n; i++)
        slope[i] = z[i] > far ? slope[i] / value[i] : ckg__normal_log_ei_slope(z[i]);
    ckg__vector()->log(n, value, value);
    for (int i = 0; i < n; i++)
        if (!(z[i] > far))
            value[i] = ckg__normal_log_ei(z[i]);
}

/* sd and 1/sd (m each) of an outcome, its variance not below the floor. */
static double *spreads(const struct ckg__latent_draws *p, int m, const struct latent_view *s,
                       struct ckg__arena *arena)
{
    const double floor = ckg__latent_draws_floor(p);
    double *sd = ckg__arena_doubles(arena, 2 * (size_t)m);
    for (int i = 0; sd && i < m; i++) {
        sd[i] = sqrt(s->at.var[i] > floor ? s->at.var[i] : floor);
        sd[m + i] = 1 / sd[i];
    }
    return sd;
}

/* total (draws×m) ← log EI of every draw, and its slopes in sight. */
static int improve(const struct ckg__nei *nei, int m, struct ckg__arena *arena, struct latent_view *s,
                   double *total)
{
    const size_t points = (size_t)m;
    const size_t stride = nei->process[0].draws > 1 ? points : 0;
    const double floor = ckg__latent_draws_floor(&nei->process[0]);
    double *z = ckg__arena_doubles(arena, ((size_t)nei->draws + 1) * points);
    double *sd = spreads(&nei->process[0], m, s, arena);

    if (!z || !sd)
        return CKG_ERR_NOMEM;
    double *log_sd = z + (size_t)nei->draws * points;
    double *inverse = sd + points;
    ckg__vector()->log(m, sd, log_sd);
    for (size_t i = 0; i < (size_t)nei->draws; i++)
        for (size_t p = 0; p < points; p++)
            z[i * points + p] = (s->at.mean[i * stride + p] - nei->best[i]) * inverse[p];
    log_h(nei->draws * m, z, total, s->in_mean);
    for (size_t i = 0; i < (size_t)nei->draws; i++)
        add(m, log_sd, total + i * points);
    for (size_t at = 0; s->in_mean && at < (size_t)nei->draws * points; at++) {
        const size_t p = at % points;
        s->in_var[at] = s->at.var[p] > floor ? 0.5 * (1 - s->in_mean[at] * z[at]) * inverse[p] * inverse[p]
                                             : 0;
        s->in_mean[at] *= inverse[p];
    }
    return CKG_OK;
}

/* One limit, drawn: log Φ(z) of every draw by arrays, z the distance to it in sd. */
static int restrict_one_sided(const struct ckg__nei *nei, int j, int m, struct ckg__arena *arena,
                              struct latent_view *s, double *total)
{
    const struct ckg__latent_draws *process = &nei->process[j];
    const size_t points = (size_t)m;
    const size_t size = (size_t)s->rows * points;
    const double sign = isinf(nei->belief->lower[j]) ? -1 : 1;
    const double limit = sign < 0 ? nei->belief->upper[j] : nei->belief->lower[j];
    double *z = ckg__arena_doubles(arena, 2 * size);
    double *sd = spreads(process, m, s, arena);

    if (!z || !sd)
        return CKG_ERR_NOMEM;
    double *log_p = z + size;
    double *inverse = sd + points;
    for (size_t i = 0; i < (size_t)s->rows; i++)
        for (size_t p = 0; p < points; p++)
            z[i * points + p] = sign * (s->at.mean[i * points + p] - limit) * inverse[p];
    ckg__vector()->normal_log_cdf((int)size, z, log_p, s->in_mean);
    add((int)size, log_p, total);
    for (size_t at = 0; s->in_mean && at < size; at++) {
        const size_t p = at % points;
        s->in_var[at] = s->at.var[p] > ckg__latent_draws_floor(process)
                            ? -0.5 * z[at] * s->in_mean[at] * inverse[p] * inverse[p]
                            : 0;
        s->in_mean[at] *= sign * inverse[p];
    }
    return CKG_OK;
}

/* Adds a constraint's log PF: to total (draws×m) where the draws differ, else to common (m). */
static int restrict_to_limits(const struct ckg__nei *nei, int j, int m, struct ckg__arena *arena,
                              struct latent_view *s, double *total, double *common)
{
    struct ckg__limits limits = ckg__belief_limits(nei->belief, j);

    limits.floor = ckg__latent_draws_floor(&nei->process[j]);
    if (s->rows > 1 && !(limits.chance > 0) && isinf(limits.lower) != isinf(limits.upper))
        return restrict_one_sided(nei, j, m, arena, s, total);
    for (int i = 0; i < s->rows; i++) {
        const size_t at = (size_t)i * (size_t)m;
        ckg__log_feasible(m, s->at.mean + at, s->at.var, &limits, s->rows > 1 ? total + at : common,
                          s->in_mean ? s->in_mean + at : NULL, s->in_mean ? s->in_var + at : NULL);
    }
    return CKG_OK;
}

/* 1 when all of the group from j to before `end` are drawn, or none is. */
static int alike(const struct latent_view *latent_view, int j, int end)
{
    for (int k = j + 1; k < end; k++)
        if (latent_view[k].rows != latent_view[j].rows)
            return 0;
    return 1;
}

/* worst (size) ← the smallest log PF of the group from j to before `end`, whose slopes alone remain. */
static int find_worst(const struct ckg__nei *nei, int j, int end, int m, struct ckg__arena *arena,
                      struct latent_view *latent_view, double *worst)
{
    const size_t size = (size_t)latent_view[j].rows * (size_t)m;
    double *one;
    int *winner;

    if (CKG__TAKE(arena, CKG__ROOM(one, size), CKG__ROOM(winner, size)))
        return CKG_ERR_NOMEM;
    for (int k = j; k < end; k++) {
        memset(one, 0, size * sizeof *one);
        if (restrict_to_limits(nei, k, m, arena, &latent_view[k], one, one))
            return CKG_ERR_NOMEM;
        for (size_t at = 0; at < size; at++) {
            winner[at] = k == j || one[at] < worst[at] ? k : winner[at];
            worst[at] = winner[at] == k ? one[at] : worst[at];
        }
    }
    for (int k = j; latent_view[j].in_mean && k < end; k++)
        for (size_t at = 0; at < size; at++)
            if (winner[at] != k)
                latent_view[k].in_mean[at] = latent_view[k].in_var[at] = 0;
    return CKG_OK;
}

/*
 * Of the group from j to before `end` the least likely counts, in each draw. Where some of them are drawn and
 * others are not, they count one by one.
 */
static int restrict_to_group(const struct ckg__nei *nei, int j, int end, int m, struct ckg__arena *arena,
                             struct latent_view *latent_view, double *total, double *common)
{
    const int rows = latent_view[j].rows;
    double *worst = ckg__arena_doubles(arena, (size_t)rows * (size_t)m);
    int status = worst ? CKG_OK : CKG_ERR_NOMEM;

    if (!alike(latent_view, j, end)) {
        for (int k = j; !status && k < end; k++)
            status = restrict_to_limits(nei, k, m, arena, &latent_view[k], total, common);
        return status;
    }
    if (!status)
        status = find_worst(nei, j, end, m, arena, latent_view, worst);
    if (!status)
        add(rows * m, worst, rows > 1 ? total : common);
    return status;
}

/*
 * Weighs the slopes by the draws' shares: in_var becomes one row, and in_mean one where the draws have one
 * mean.
 */
static void weigh(const struct ckg__latent_draws *p, int m, const double *share, struct latent_view *s)
{
    const size_t points = (size_t)m;
    const size_t size = (size_t)s->rows * points;

    for (size_t at = 0; s->rows > 1 && at < size; at++) {
        s->in_mean[at] *= share[at];
        s->in_var[at] *= share[at];
    }
    for (size_t at = points; at < size; at++) {
        s->in_var[at % points] += s->in_var[at];
        s->in_mean[at % points] += p->draws > 1 ? 0 : s->in_mean[at];
    }
}

static int averaged(const struct ckg__nei *nei, int m, const double *U, int ldu, struct ckg__arena *arena,
                    double *value, double *gradient)
{
    const int outcomes = nei->belief->outcomes;
    struct latent_view latent_view[CKG__MAX_OUTCOMES];
    double *total = ckg__arena_doubles(arena, (size_t)nei->draws * (size_t)m);

    if (!total)
        return CKG_ERR_NOMEM;

    /* What each outcome is at the points, in every draw. */
    memset(value, 0, (size_t)m * sizeof *value);
    for (int j = 0; j < outcomes; j++)
        if (look(&nei->process[j], m, U, ldu, j ? nei->process[j].draws : nei->draws, gradient != NULL, arena,
                 &latent_view[j]))
            return CKG_ERR_NOMEM;

    /* The improvement in every draw. */
    if (improve(nei, m, arena, &latent_view[0], total))
        return CKG_ERR_NOMEM;

    /* Times the probability that the limits hold. */
    for (int j = 1, next; j < outcomes; j = next) {
        next = ckg__belief_after(nei->belief, j);
        if (next == j + 1 ? restrict_to_limits(nei, j, m, arena, &latent_view[j], total, value)
                          : restrict_to_group(nei, j, next, m, arena, latent_view, total, value))
            return CKG_ERR_NOMEM;
    }

    /* The average over the draws. */
    if (ckg__log_mean(nei->draws, m, total, arena, value))
        return CKG_ERR_NOMEM;
    if (!gradient)
        return CKG_OK;

    /* The gradient, pulled back through each outcome. */
    memset(gradient, 0, (size_t)ckg__belief_coordinates(nei->belief) * (size_t)m * sizeof *gradient);
    int status = CKG_OK;
    for (int j = 0; !status && j < outcomes; j++) {
        weigh(&nei->process[j], m, total, &latent_view[j]);
        status = ckg__latent_draws_pull_back(&nei->process[j], m, latent_view[j].in_mean,
                                             latent_view[j].in_var, arena, &latent_view[j].at, gradient);
    }
    return status;
}

int ckg__nei_batch(const struct ckg__nei *nei, int m, const double *U, int ldu, struct ckg__arena *arena,
                   double *value, double *gradient)
{
    assert(m >= 0 && ldu >= m);

    const double best = nei->alone ? -INFINITY : nei->best[0];

    /* Where there is nothing to average over it is cEI with one best. */
    return nei->alone || nei->draws == 1
               ? ckg__cei_batch(nei->belief, best, m, U, ldu, arena, value, gradient)
               : averaged(nei, m, U, ldu, arena, value, gradient);
}

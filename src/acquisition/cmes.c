/*
 * cMES of a batch of points (cmes.h has the formula). Cost: one posterior batch per outcome and a few normal
 * functions per draw and point.
 *
 * Everything is relative to q, which underflows far out: a draw's value is q·G with G = −D·log(Z)/q + Σ t_j
 * r_j/(2Z), Z = 1 − q, and draws are summed with the largest q taken out. At the other end q rounds to 1;
 * there Z comes from log q, which is accurate. With Q_j the probability of outcome j's limits, D = (∏ Q_j^{1
 * − t_j} − q)/Z.
 */
#include "acquisition/cmes.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/maths.h"
#include "linalg/normal.h"

/*
 * An outcome further than this inside its limit, in standard deviations, counts as that far: the rest of its
 * distribution is a tail of 1e-197, and conditioning on it says that f* and the model contradict each other.
 */
static const double deepest = 30;

/*
 * An interval of this width, in standard deviations and times its distance from the mean, has moments by
 * their series.
 */
static const double narrow = 1e-4;

/*
 * One outcome within its limits: the logarithm of the probability, E[z²] − 1, and the slopes of both in mean
 * and variance; the share of the variance of a measurement that is not noise, and its slope.
 */
struct within {
    double log_p, log_p_mean, log_p_var;
    double r, r_mean, r_var;
    double t, t_var, t_noise;
};

/*
 * Limits a < b in standard deviations, at_a and at_b the densities there divided by the probability; the
 * limits moving or not.
 */
static struct within from_limits(double log_p, double a, double at_a, int a_moves, double b, double at_b,
                                 int b_moves)
{
    const double part_a = at_a > 0 ? a * at_a : 0;
    const double part_b = at_b > 0 ? b * at_b : 0;
    const double r = part_a - part_b;
    const double slope_a = a_moves && at_a > 0 ? 1 - a * a + r : 0;
    const double slope_b = b_moves && at_b > 0 ? 1 - b * b + r : 0;

    return (struct within){log_p,
                           a_moves * at_a - b_moves * at_b,
                           0.5 * (a_moves * part_a - b_moves * part_b),
                           r,
                           at_b * slope_b - at_a * slope_a,
                           0.5 * (part_b * slope_b - part_a * slope_a),
                           1,
                           0,
                           0};
}

/* The density is all but flat between the limits: moments to second order in the width. */
static struct within from_series(double a, double b)
{
    const double middle = 0.5 * (a + b);
    const double square = middle * middle;
    const double spread = (b - a) * (b - a) / 12;
    const double r = square - 1 + spread - 2 * square * spread;

    return (struct within){ckg__normal_log_interval(a, b),
                           middle * (1 - spread),
                           0.5 * r,
                           r,
                           -2 * middle * (1 - 2 * spread),
                           2 * square * spread - 1 - r,
                           1,
                           0,
                           0};
}

/* Limits in standard deviations. */
static struct within within_limits(double a, double b)
{
    assert(a <= b);

    if (isinf(a) && isinf(b))
        return (struct within){0};
    if ((b - a) * (1 + fabs(0.5 * (a + b))) < narrow)
        return from_series(a, b);
    const int a_moves = a > -deepest || b <= 0;
    const int b_moves = b < deepest || a >= 0;
    a = a_moves || isinf(a) ? a : -deepest;
    b = b_moves || isinf(b) ? b : deepest;
    if (isinf(b))
        return from_limits(ckg__normal_log_cdf(-a), a, ckg__normal_mills(-a), a_moves, b, 0, 0);
    if (isinf(a))
        return from_limits(ckg__normal_log_cdf(b), a, 0, 0, b, ckg__normal_mills(b), b_moves);
    double at_a;
    double at_b;
    ckg__density_ratios(a, b, &at_a, &at_b);
    return from_limits(ckg__normal_log_interval(a, b), a, at_a, a_moves, b, at_b, b_moves);
}

/* One outcome at a design: its mean, its variance and the least that counts, the noise of a measurement. */
struct outcome {
    double mean, var, floor, noise;
};

/* Limits in model units; a variance at its floor does not move. */
static struct within within(struct outcome y, double lower, double upper)
{
    const int moves = y.var > y.floor;
    const double var = moves ? y.var : y.floor;
    const double s = sqrt(var);
    struct within w = within_limits((lower - y.mean) / s, (upper - y.mean) / s);

    w.log_p_mean /= s;
    w.r_mean /= s;
    w.log_p_var *= moves / var;
    w.r_var *= moves / var;
    w.t = var / (var + y.noise);
    w.t_var = moves * w.t * (1 - w.t) / var;
    w.t_noise = -w.t * w.t / var;
    return w;
}

/* Constraints together: log PF, Σ t·log p, Σ t·r. */
struct feasible {
    double log_p, kept, r;
};

static void add_constraint(struct feasible *f, const struct within *w)
{
    f->log_p += w->log_p;
    f->kept += w->t * w->log_p;
    f->r += w->t * w->r;
}

/* The largest log q, short of certainty. */
static const double certain = -1e-200;

/*
 * A draw's value relative to q, with its slopes in log q, Σ t·log p and Σ t·r; its first term as a logarithm,
 * with the first two.
 */
struct gain {
    double value, in_log_q, in_kept, in_r;
    double log_first, first_in_log_q, first_in_kept;
};

static struct gain gain(double log_q, double kept, double r)
{
    const double q = ckg__exp(log_q);
    const double z = log_q < -0.7 ? 1 - q : -ckg__expm1(log_q);
    const double log_z = log_q < -0.7 ? ckg__log1p(-q) : ckg__log(z);
    const double one = q > 1e-17 ? -log_z / q : 1;
    const double half = 0.5 / z;
    const double apart = -ckg__expm1(kept);
    const double log_share = log_q - kept + ckg__log(apart) - log_z,
                 share = ckg__exp(log_share); /* log D, D */

    return (struct gain){one * share + half * r,
                         (one + 1) * share / z + half * r / z,
                         -one * share / apart,
                         half,
                         log_q + log_share + ckg__log(one),
                         (one + 1) / (one * z),
                         -1 / apart};
}

/*
 * A sum over draws divided by exp(log): the value, its slopes in what the constraints have together and in
 * the objective.
 */
struct slopes {
    double log;
    double value, in_log_pf, in_kept, in_r, in_mean, in_var, in_noise;
};

/* Adds exp(log)·value with its slopes; w is the objective's. */
static void add_slopes(struct slopes *s, double log, double value, double in_log_q, double in_kept,
                       double in_r, const struct within *w)
{
    const double old = log > s->log ? ckg__exp(s->log - log) : 1;
    const double share = log > s->log ? 1 : ckg__exp(log - s->log);
    const double in_log_p = in_log_q + w->t * in_kept;
    const double in_t = in_kept * w->log_p + in_r * w->r;

    s->log = fmax(s->log, log);
    s->value = old * s->value + share * value;
    s->in_log_pf = old * s->in_log_pf + share * in_log_q;
    s->in_kept = old * s->in_kept + share * in_kept;
    s->in_r = old * s->in_r + share * in_r;
    s->in_mean = old * s->in_mean + share * (in_log_p * w->log_p_mean + w->t * in_r * w->r_mean);
    s->in_var = old * s->in_var +
                share * (in_log_p * w->log_p_var + w->t * in_r * w->r_var + in_t * w->t_var);
    s->in_noise = old * s->in_noise + share * in_t * w->t_noise;
}

/* Over all draws, for one point; the first term takes the place of a value below it. */
static struct slopes sum_draws(const struct ckg__cmes *cmes, struct outcome y, const struct feasible *f)
{
    assert(cmes->count > 0);

    struct slopes value = {.log = -INFINITY};
    struct slopes first = {.log = -INFINITY};
    for (int i = 0; i < cmes->count; i++) {
        const struct within w = within(y, cmes->best[i], INFINITY);
        const double log_q = fmin(w.log_p + f->log_p, certain);
        const struct gain g = gain(log_q, fmin(w.t * w.log_p + f->kept, certain), w.t * w.r + f->r);
        add_slopes(&value, log_q, g.value, g.in_log_q, g.in_kept, g.in_r, &w);
        add_slopes(&first, g.log_first, 1, g.first_in_log_q, g.first_in_kept, 0, &w);
    }
    const int short_of = !(value.value > 0 &&
                           value.log + ckg__log(value.value) > first.log + ckg__log(first.value));
    return cmes->bound || short_of ? first : value;
}

static double log_average(const struct ckg__cmes *cmes, const struct slopes *sum)
{
    assert(sum->value > 0);

    return sum->log + ckg__log(sum->value / cmes->count);
}

/* The noise of an evaluation at m points, with slopes where they are wanted and it has any. */
static int noise_take(const struct ckg__gp *gp, int m, int slopes, struct ckg__arena *arena,
                      struct ckg__noise *noise)
{
    const size_t points = (size_t)m;
    const int varies = slopes && ckg__posterior_noise_varies(gp);
    double *room = ckg__arena_doubles(arena, (varies ? 3 + (size_t)ckg__gp_coordinates(gp) : 1) * points + 1);

    if (!room)
        return CKG_ERR_NOMEM;
    *noise = (struct ckg__noise){.var = room};
    if (varies)
        *noise = (struct ckg__noise){room, room + points, room + 2 * points, room + 3 * points};
    return CKG_OK;
}

/* One outcome at a batch of points, with gradients or without: what the process says, and the noise of an
 * evaluation. */
struct at_batch {
    struct ckg__batch batch;
    struct ckg__noise noise;
    double floor;
};

static struct outcome outcome_at(const struct at_batch *at, size_t p)
{
    return (struct outcome){at->batch.mean[p], at->batch.var[p], at->floor, at->noise.var[p]};
}

/*
 * The batches of all outcomes (outcomes) and what is within the constraints' limits: w (outcomes × m), its
 * first row unused.
 */
static int outcomes_at(const struct ckg__belief *belief, int m, const double *U, int ldu, int gradients,
                       struct ckg__arena *arena, struct at_batch *at, struct within *w)
{
    const size_t points = (size_t)m;

    for (int j = 0; j < belief->outcomes; j++) {
        const struct ckg__gp *gp = belief->gp[j];
        if (noise_take(gp, m, gradients, arena, &at[j].noise) ||
            ckg__batch_at(gp, m, U, ldu, gradients, arena, &at[j].batch))
            return CKG_ERR_NOMEM;
        at[j].floor = ckg__variance_floor(gp);
        ckg__posterior_noise(gp, m, U, ldu, at[j].batch.mean, at[j].batch.var, &at[j].noise);
        for (size_t p = 0; j && p < points; p++)
            w[(size_t)j * points + p] = within(outcome_at(&at[j], p), belief->lower[j], belief->upper[j]);
    }
    return CKG_OK;
}

/*
 * gradient (D numbers, m apart) += the slopes in an outcome's mean, variance and noise carried to the point.
 */
static void carry(const struct at_batch *outcome, size_t D, size_t m, size_t p, double in_mean, double in_var,
                  double in_noise, double *gradient)
{
    const struct ckg__batch *batch = &outcome->batch;
    const struct ckg__noise *noise = &outcome->noise;

    if (noise->in_u) {
        in_mean += in_noise * noise->in_mean[p];
        in_var += in_noise * noise->in_var[p];
    }
    for (size_t at = p; at < D * m; at += m)
        gradient[at] += in_mean * batch->dmean[at] + in_var * batch->dvar[at];
    for (size_t at = p; noise->in_u && at < D * m; at += m)
        gradient[at] += in_noise * noise->in_u[at];
}

/* One constraint's share in the gradient of the logarithm. */
static void carry_constraint(const struct slopes *sum, const struct within *w, const struct at_batch *outcome,
                             size_t D, size_t m, size_t p, double *gradient)
{
    const double in_log_p = (sum->in_log_pf + w->t * sum->in_kept) / sum->value;
    const double in_r = w->t * sum->in_r / sum->value;
    const double in_t = (sum->in_kept * w->log_p + sum->in_r * w->r) / sum->value;

    carry(outcome, D, m, p, in_log_p * w->log_p_mean + in_r * w->r_mean,
          in_log_p * w->log_p_var + in_r * w->r_var + in_t * w->t_var, in_t * w->t_noise, gradient);
}

/* Of the group that begins with j, the constraint that is least likely to hold at point p. */
static int least_likely(const struct ckg__belief *belief, int j, size_t points, size_t p,
                        const struct within *w)
{
    int worst = j;

    for (int k = j + 1; k < ckg__belief_after(belief, j); k++)
        worst = w[(size_t)k * points + p].log_p < w[(size_t)worst * points + p].log_p ? k : worst;
    return worst;
}

int ckg__cmes_batch(const struct ckg__belief *belief, const struct ckg__cmes *cmes, int m, const double *U,
                    int ldu, struct ckg__arena *arena, double *value, double *gradient)
{
    assert(m >= 0 && ldu >= m);

    const size_t D = (size_t)ckg__belief_coordinates(belief);
    const size_t points = (size_t)m;
    struct at_batch at[CKG__MAX_OUTCOMES];
    struct within *w = ckg__arena_get(arena, points * (size_t)belief->outcomes + 1, sizeof *w);

    if (!w || outcomes_at(belief, m, U, ldu, gradient != NULL, arena, at, w))
        return CKG_ERR_NOMEM;

    if (gradient)
        memset(gradient, 0, D * points * sizeof *gradient);
    for (size_t p = 0; p < points; p++) {
        struct feasible f = {0};

        /* The constraints together, then every draw of the optimum. */
        for (int j = 1; j < belief->outcomes; j = ckg__belief_after(belief, j))
            add_constraint(&f, &w[(size_t)least_likely(belief, j, points, p, w) * points + p]);
        const struct slopes sum = sum_draws(cmes, outcome_at(&at[0], p), &f);
        value[p] = log_average(cmes, &sum);

        /* Back to the point through each outcome. */
        if (!gradient)
            continue;
        carry(&at[0], D, points, p, sum.in_mean / sum.value, sum.in_var / sum.value, sum.in_noise / sum.value,
              gradient);
        for (int j = 1; j < belief->outcomes; j = ckg__belief_after(belief, j)) {
            const int worst = least_likely(belief, j, points, p, w);
            carry_constraint(&sum, &w[(size_t)worst * points + p], &at[worst], D, points, p, gradient);
        }
    }
    return CKG_OK;
}

double ckg__cmes_entropy(int outcomes, const double *mean, const double *var, const double *noise,
                         const double *lower, const double *upper, double best)
{
    struct feasible all = {0};

    for (int j = 0; j < outcomes; j++) {
        const struct outcome y = {mean[j], var[j], 0, noise[j]};
        const struct within w = within(y, j ? lower[j] : best, j ? upper[j] : INFINITY);
        add_constraint(&all, &w);
    }
    all.log_p = fmin(all.log_p, certain);
    return ckg__exp(all.log_p) * gain(all.log_p, fmin(all.kept, certain), all.r).value;
}

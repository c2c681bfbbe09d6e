/*
 * Projected L-BFGS: minimises f over the box lower ≤ x ≤ upper, in reverse communication.
 *
 * At the iterate x the coordinates at a bound that −g would cross are frozen. On the others, F, the last m
 * pairs s = x⁺ − x, y = g⁺ − g make the quasi-Newton step by the two-loop recursion,
 *
 *     p_F = −H g_F,    H ← (I − ρsyᵀ) H (I − ρysᵀ) + ρssᵀ  from  H = γI,    ρ = 1/(s_Fᵀy_F),    γ =
 * s_Fᵀy_F/(y_Fᵀy_F),
 *
 * and coordinates that would leave the box are held at their bounds while the others follow by the same
 * model. A line search on the segment from x to there comes next: Armijo's condition with cubic
 * interpolation, and a longer step where f still falls as steeply as at x. The segment rather than the bent
 * projected path, because f is smooth along it and the slopes at both ends are known.
 *
 * References: J. Nocedal, "Updating quasi-Newton matrices with limited storage", Math. Comp. 35 (1980); D. P.
 * Bertsekas, "Projected Newton methods for optimization problems with simple constraints", SIAM J. Control
 * Optim. 20 (1982). The acceptance near rounding is that of W. W. Hager and H. Zhang, SIAM J. Optim. 16
 * (2005). Cost: 14md flops a step and 8md for each coordinate that leaves the box; (2m + d + 11)d + 3m
 * doubles.
 */
#include "optim/lbfgs.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/maths.h"

#define ARMIJO 1e-4     /* least part of the promised decrease */
#define STEEP 0.9       /* a slope that kept this part of itself asks for a longer step */
#define CURVATURE 1e-10 /* least sᵀy/(|s||y|) of a pair that is kept */
#define SHARE 0.3       /* least s_Fᵀy_F/(sᵀy) of a pair that is used on F */
#define ROUNDING 1e-10  /* what remains of h_l, as part of it, that is noise */
#define MAX_TRIALS 12   /* in one line search */

enum phase { AT_START, IN_SEARCH, FINISHED };

struct ckg__lbfgs {
    struct ckg__lbfgs_options options;
    enum phase phase;
    int dim, stride;   /* stride: dim rounded up to 4; vectors are padded with zeros */
    int pairs, newest; /* how many pairs are held; the slot of the latest */
    int evaluations, trials, small_steps;
    double length;         /* of the next steepest descent step */
    double f, slope;       /* at x; slope is gᵀp */
    double t;              /* the trial is x + tp */
    double t_near, f_near; /* the best acceptable trial of this search, when t_near > 0 */
    double reach;          /* the longest first trial: infinite until f was not finite somewhere */
    double undefined;      /* the length of the last trial of this search that was not finite, or 0 */
    double f_best;
    /* free: 1 on F, 0 elsewhere */
    double *lower, *upper, *x, *g, *p, *target, *trial, *g_trial, *g_near, *best, *free;
    double *s, *y;            /* memory × stride */
    double *held;             /* dim × stride: h/√h_l of the coordinates held at a bound */
    double *sy, *rho, *alpha; /* memory: sᵀy, and of the recursion on F (ρ = 0: not used) */
};

static size_t round_up(size_t bytes)
{
    return (bytes + 63) / 64 * 64;
}

static int stride_of(int dim)
{
    return (dim + 3) / 4 * 4;
}

size_t ckg__lbfgs_size(int dim, int memory)
{
    size_t stride = (size_t)stride_of(dim);
    size_t doubles = (size_t)(11 + dim) * stride + (size_t)memory * (2 * stride + 3);

    return round_up(sizeof(struct ckg__lbfgs)) + round_up(doubles * sizeof(double));
}

static void copy(double *to, const double *from, int n)
{
    memcpy(to, from, (size_t)n * sizeof(double));
}

/* Four sums at a time, so that the additions do not wait for each other; n is a multiple of 4. */
static double dot(const double *a, const double *b, int n)
{
    double sum[4] = {0.0, 0.0, 0.0, 0.0};

    for (int i = 0; i < n; i += 4)
        for (int k = 0; k < 4; k++)
            sum[k] += a[i + k] * b[i + k];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

static double norm(const double *a, int n)
{
    return sqrt(dot(a, a, n));
}

/* Σ aᵢbᵢfᵢ, likewise. */
static double dot_on(const double *f, const double *a, const double *b, int n)
{
    double sum[4] = {0.0, 0.0, 0.0, 0.0};

    for (int i = 0; i < n; i += 4)
        for (int k = 0; k < 4; k++)
            sum[k] += a[i + k] * b[i + k] * f[i + k];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/* yᵢ += alpha·xᵢfᵢ, likewise. */
static void add_on(const double *f, double *restrict y, double alpha, const double *x, int n)
{
    for (int i = 0; i < n; i += 4)
        for (int k = 0; k < 4; k++)
            y[i + k] += alpha * x[i + k] * f[i + k];
}

struct ckg__lbfgs *ckg__lbfgs_init(void *memory, int dim, const double *lower, const double *upper,
                                   const struct ckg__lbfgs_options *options)
{
    assert(dim > 0 && options->memory > 0);

    struct ckg__lbfgs *o = memory;
    int stride = stride_of(dim);
    size_t vector = (size_t)stride;
    size_t pairs = (size_t)options->memory * vector;

    /* An optimiser that has not been started. */
    memset(memory, 0, ckg__lbfgs_size(dim, options->memory));
    o->options = *options;
    o->phase = FINISHED;
    o->dim = dim;
    o->stride = stride;

    /* The vectors, one after the other. */
    o->lower = (double *)((char *)memory + round_up(sizeof *o));
    o->upper = o->lower + vector;
    o->x = o->upper + vector;
    o->g = o->x + vector;
    o->p = o->g + vector;
    o->target = o->p + vector;
    o->trial = o->target + vector;
    o->g_trial = o->trial + vector;
    o->g_near = o->g_trial + vector;
    o->best = o->g_near + vector;
    o->free = o->best + vector;

    /* The pairs in memory, and room for the recursion over them. */
    o->s = o->free + vector;
    o->y = o->s + pairs;
    o->held = o->y + pairs;
    o->sy = o->held + (size_t)dim * vector;
    o->rho = o->sy + options->memory;
    o->alpha = o->rho + options->memory;

    /* The box. */
    copy(o->lower, lower, dim);
    copy(o->upper, upper, dim);
    return o;
}

void ckg__lbfgs_start(struct ckg__lbfgs *o, const double *x0)
{
    o->phase = AT_START;
    o->pairs = 0;
    o->newest = -1;
    o->evaluations = 0;
    o->small_steps = 0;
    o->length = o->options.first_step;
    o->reach = INFINITY;
    for (int i = 0; i < o->dim; i++)
        o->trial[i] = ckg__clamp(x0[i], o->lower[i], o->upper[i]);
    copy(o->best, o->trial, o->dim);
    o->f_best = INFINITY;
}

const double *ckg__lbfgs_point(const struct ckg__lbfgs *o)
{
    return o->trial;
}

const double *ckg__lbfgs_best(const struct ckg__lbfgs *o, double *value)
{
    *value = o->f_best;
    return o->best;
}

int ckg__lbfgs_evaluations(const struct ckg__lbfgs *o)
{
    return o->evaluations;
}

/*
 * The largest component of P(x − g) − x: small also where a bound close by, not the gradient, leaves nothing
 * to win.
 */
static double projected_gradient(const struct ckg__lbfgs *o)
{
    double largest = 0.0;

    for (int i = 0; i < o->dim; i++) {
        double move = fabs(ckg__clamp(o->x[i] - o->g[i], o->lower[i], o->upper[i]) - o->x[i]);

        largest = move > largest ? move : largest;
    }
    return largest;
}

/* Marks the coordinates that may move. Without branches, which signs at random would mispredict. */
static void find_free(struct ckg__lbfgs *o)
{
    for (int i = 0; i < o->dim; i++) {
        int stuck = (o->x[i] <= o->lower[i]) & (o->g[i] >= 0.0);

        stuck |= (o->x[i] >= o->upper[i]) & (o->g[i] <= 0.0);
        o->free[i] = !stuck;
    }
}

static int slot_of(const struct ckg__lbfgs *o, int age)
{
    int slot = o->newest - age;

    return slot < 0 ? slot + o->options.memory : slot;
}

/* ρ of each pair on F; returns γ of the newest pair that serves there, 0 when none does. */
static double measure_pairs(struct ckg__lbfgs *o)
{
    double gamma = 0.0;

    for (int age = 0; age < o->pairs; age++) {
        int k = slot_of(o, age);
        const double *y = o->y + k * o->stride;
        double sy = dot_on(o->free, o->s + k * o->stride, y, o->stride);

        o->rho[k] = sy > SHARE * o->sy[k] ? 1.0 / sy : 0.0;
        if (gamma == 0.0 && o->rho[k] > 0.0)
            gamma = sy / dot_on(o->free, y, y, o->stride);
    }
    return gamma;
}

/* v ← Hv by the two-loop recursion; v is zero off F. */
static void apply_pairs(struct ckg__lbfgs *o, double *v, double gamma)
{
    int stride = o->stride;

    for (int age = 0; age < o->pairs; age++) {
        int k = slot_of(o, age);

        o->alpha[k] = o->rho[k] * dot(o->s + k * stride, v, stride);
        add_on(o->free, v, -o->alpha[k], o->y + k * stride, stride);
    }
    for (int i = 0; i < stride; i++)
        v[i] *= gamma;
    for (int age = o->pairs - 1; age >= 0; age--) {
        int k = slot_of(o, age);
        double beta = o->rho[k] * dot(o->y + k * stride, v, stride);

        add_on(o->free, v, o->alpha[k] - beta, o->s + k * stride, stride);
    }
}

/* The free coordinate that x + p takes farthest out of the box, -1 when none leaves. */
static int find_leaver(const struct ckg__lbfgs *o)
{
    double farthest = 0.0;
    int leaver = -1;

    for (int i = 0; i < o->dim; i++) {
        double to = o->x[i] + o->p[i];
        double out = fabs(ckg__clamp(to, o->lower[i], o->upper[i]) - to);

        if (out > farthest && out > 4.0 * DBL_EPSILON * fabs(to)) {
            farthest = out;
            leaver = i;
        }
    }
    return leaver;
}

/* Holds the coordinates that leave the box at their bounds, one by one, and lets the others follow: the
 * minimum of the quadratic model with p_l set to c is p + h (c − p_l)/h_l, h = H e_l, and what remains of H
 * is H − hhᵀ/h_l. Merely cutting p off takes a third more evaluations where the optimum is on a face. */
static void hold_leavers(struct ckg__lbfgs *o, double gamma)
{
    int stride = o->stride;

    for (int held = 0, l; held < o->dim && (l = find_leaver(o)) >= 0; held++) {
        double *h = o->held + held * stride;
        double end = ckg__clamp(o->x[l] + o->p[l], o->lower[l], o->upper[l]) - o->x[l];
        double least;
        double scale;

        memset(h, 0, (size_t)stride * sizeof(double));
        h[l] = 1.0;
        apply_pairs(o, h, gamma);
        least = ROUNDING * h[l];
        for (int k = 0; k < held; k++)
            add_on(o->free, h, -o->held[k * stride + l], o->held + k * stride, stride);
        if (!(h[l] > least))
            return;
        add_on(o->free, o->p, (end - o->p[l]) / h[l], h, stride);
        o->p[l] = end;
        scale = 1.0 / sqrt(h[l]);
        for (int i = 0; i < stride; i++)
            h[i] *= scale;
    }
}

/*
 * p, its end `target` in the box and slope: by the pairs, or by steepest descent of o->length where there are
 * none.
 */
static void find_direction(struct ckg__lbfgs *o)
{
    double gamma = measure_pairs(o);

    for (int i = 0; i < o->dim; i++)
        o->p[i] = -o->g[i] * o->free[i];
    if (gamma == 0.0) {
        double steepness = norm(o->p, o->stride);

        o->pairs = 0;
        gamma = steepness > 0.0 ? o->length / steepness : 0.0;
    }
    apply_pairs(o, o->p, gamma);
    if (o->pairs > 0)
        hold_leavers(o, gamma);
    for (int i = 0; i < o->dim; i++) {
        o->target[i] = ckg__clamp(o->x[i] + o->p[i], o->lower[i], o->upper[i]);
        o->p[i] = o->target[i] - o->x[i];
    }
    o->slope = dot(o->g, o->p, o->stride);
}

/*
 * The trial point x + tp; the model's own target is met exactly, so that a bound is reached and not just
 * approached.
 */
static void place_trial(struct ckg__lbfgs *o, double t)
{
    for (int i = 0; i < o->dim; i++)
        o->trial[i] = t == 1.0 ? o->target[i] : ckg__clamp(o->x[i] + t * o->p[i], o->lower[i], o->upper[i]);
}

static double longest_step(const struct ckg__lbfgs *o)
{
    double t = INFINITY;

    for (int i = 0; i < o->dim; i++) {
        double room = o->p[i] > 0.0 ? o->upper[i] - o->x[i] : o->lower[i] - o->x[i];

        if (o->p[i] != 0.0 && room / o->p[i] < t)
            t = room / o->p[i];
    }
    return t;
}

static int finish(struct ckg__lbfgs *o)
{
    o->phase = FINISHED;
    return 0;
}

static int try_step(struct ckg__lbfgs *o, double t)
{
    if (o->evaluations >= o->options.max_evaluations)
        return finish(o);
    o->t = t;
    o->trials++;
    place_trial(o, t);
    return 1;
}

/* Starts a line search from x; finished where even the full step promises less than f's rounding. */
static int begin_search(struct ckg__lbfgs *o)
{
    find_free(o);
    find_direction(o);
    if (!(o->slope < 0.0) && o->pairs > 0) {
        o->pairs = 0;
        find_direction(o);
    }
    if (!(-o->slope > DBL_EPSILON * fabs(o->f)))
        return finish(o);
    o->phase = IN_SEARCH;
    o->trials = 0;
    o->t_near = 0.0;
    o->undefined = 0.0;
    return try_step(o, o->reach < INFINITY ? fmin(1.0, o->reach / norm(o->p, o->stride)) : 1.0);
}

/* Where the cubic through (0, f, slope) and (t, f_t, slope_t) has its minimum; NaN when it has none. */
static double cubic_minimum(double f, double slope, double t, double f_t, double slope_t)
{
    double a = slope + slope_t - 3.0 * (f_t - f) / t;
    double b = sqrt(a * a - slope * slope_t);

    return t - t * (slope_t + b - a) / (slope_t - slope + 2.0 * b);
}

/* Keeps the pair of a step when it shows positive curvature. */
static void keep_pair(struct ckg__lbfgs *o, const double *x, const double *g)
{
    int slot = o->newest + 1 < o->options.memory ? o->newest + 1 : 0;
    double *s = o->s + slot * o->stride;
    double *y = o->y + slot * o->stride;
    double sy;

    for (int i = 0; i < o->dim; i++) {
        s[i] = x[i] - o->x[i];
        y[i] = g[i] - o->g[i];
    }
    sy = dot(s, y, o->stride);
    o->length = norm(s, o->stride);
    if (sy > CURVATURE * o->length * norm(y, o->stride)) {
        o->sy[slot] = sy;
        o->newest = slot;
        o->pairs += o->pairs < o->options.memory;
    }
}

/* Takes the point x (with its value and gradient) as the new iterate. Gains within f's rounding count as
 * small steps at any value_tolerance, lest noise be searched until the evaluations are spent. */
static int accept(struct ckg__lbfgs *o, const double *x, double f, const double *g)
{
    double gain = o->f - f;
    double size = fabs(f);
    double small = o->options.value_tolerance * (size > 1.0 ? size : 1.0);
    double noise = 2.0 * DBL_EPSILON * size;

    keep_pair(o, x, g);
    o->reach = o->undefined > 0.0 ? 0.5 * (o->undefined - o->length) : 2.0 * o->reach;
    copy(o->x, x, o->dim);
    copy(o->g, g, o->dim);
    o->f = f;
    o->small_steps = gain <= small || gain <= noise ? o->small_steps + 1 : 0;
    if (o->small_steps >= 2 || projected_gradient(o) <= o->options.gradient_tolerance)
        return finish(o);
    return begin_search(o);
}

/* Takes the earlier trial at t_near, which a longer step did not better. */
static int accept_near(struct ckg__lbfgs *o)
{
    place_trial(o, o->t_near);
    return accept(o, o->trial, o->f_near, o->g_near);
}

/* A line search without success: once more by steepest descent, then no more. */
static int give_up_search(struct ckg__lbfgs *o)
{
    if (o->pairs == 0)
        return finish(o);
    o->pairs = 0;
    return begin_search(o);
}

/* After a trial too far. One that is not finite has no shape to interpolate, but its place is remembered: the
 * next search first goes half of the way from the new iterate to there, or each would step over the same
 * cliff again. */
static int shorten(struct ckg__lbfgs *o, double f, double slope, int finite)
{
    double t = o->t;
    double shorter = 0.4 * t;

    if (!finite)
        o->undefined = t * norm(o->p, o->stride);
    if (o->t_near > 0.0)
        return accept_near(o);
    if (o->trials >= MAX_TRIALS)
        return give_up_search(o);
    if (finite)
        shorter = fmin(fmax(cubic_minimum(o->f, o->slope, t, f, slope), 0.1 * t), 0.6 * t);
    return try_step(o, shorter);
}

/* Remembers this trial and tries a longer step, as far as the box allows. */
static int lengthen(struct ckg__lbfgs *o, double f, double slope)
{
    double t = o->t;
    double end = longest_step(o);

    if (t >= end)
        return accept(o, o->trial, f, o->g_trial);
    o->t_near = t;
    o->f_near = f;
    copy(o->g_near, o->g_trial, o->dim);
    return try_step(o, fmin(fmin(fmax(cubic_minimum(o->f, o->slope, t, f, slope), 2.0 * t), 8.0 * t), end));
}

static int search(struct ckg__lbfgs *o, double f, int finite)
{
    double slope = dot(o->g_trial, o->p, o->stride);
    int falls = finite && f <= o->f + ARMIJO * o->t * o->slope;
    int rounding = finite && f <= o->f + DBL_EPSILON * fabs(o->f) && fabs(slope) <= -STEEP * o->slope;

    if (!falls && !rounding)
        return shorten(o, f, slope, finite);
    if (o->t_near > 0.0 && f > o->f_near)
        return accept_near(o);
    if (slope < STEEP * o->slope && o->t >= 1.0 && o->trials < MAX_TRIALS)
        return lengthen(o, f, slope);
    return accept(o, o->trial, f, o->g_trial);
}

static int begin(struct ckg__lbfgs *o, double f, int finite)
{
    copy(o->x, o->trial, o->dim);
    copy(o->g, o->g_trial, o->dim);
    o->f = o->f_best = f;
    if (!finite || projected_gradient(o) <= o->options.gradient_tolerance)
        return finish(o);
    return begin_search(o);
}

static int all_finite(double f, const double *g, int dim)
{
    double zero = 0.0 * f;

    for (int i = 0; i < dim; i++)
        zero += 0.0 * g[i];
    return zero == 0.0;
}

int ckg__lbfgs_tell(struct ckg__lbfgs *o, double value, const double *gradient)
{
    int finite = all_finite(value, gradient, o->dim);

    if (o->phase == FINISHED)
        return 0;
    o->evaluations++;
    copy(o->g_trial, gradient, o->dim);
    if (o->phase == AT_START)
        return begin(o, value, finite);
    if (finite && value < o->f_best) {
        o->f_best = value;
        copy(o->best, o->trial, o->dim);
    }
    return search(o, value, finite);
}

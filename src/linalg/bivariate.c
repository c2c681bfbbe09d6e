/*
 * By Plackett's formula ∂P/∂r = φ₂(h, k; r), integrated from r = −1, where P is what the two intervals have
 * in common, so that only positive terms are added. With r = tanh v it reads
 *
 *   P = max(0, Φ(h) + Φ(k) − 1) + exp(−(h² + k²)/4)/2π ∫ sech v exp(−A e²ᵛ − B e⁻²ᵛ) dv,
 *   A = (h − k)²/8,   B = (h + k)²/8,   v from −∞ to atanh r.
 *
 * The integrand is log-concave: it is cut off where it has fallen by exp(−CUT) from its largest value, and
 * each side of that gets Gauss and Legendre's 20 nodes. Cost: about 80 exponentials.
 */
#include "linalg/bivariate.h"

#include <assert.h>
#include <math.h>

#include "base/maths.h"
#include "linalg/logarithm.h"
#include "linalg/normal.h"
#include "linalg/vector.h"

enum { HALF = 10, NODES = 2 * HALF };
static const double cut = 20;

/* The nodes above 0, and their weights. */
static const double legendre[HALF][2] = {
    {0.076526521133497334, 0.15275338713072585}, {0.22778585114164508, 0.14917298647260375},
    {0.37370608871541956, 0.14209610931838205},  {0.5108670019508271, 0.13168863844917663},
    {0.63605368072651503, 0.11819453196151842},  {0.74633190646015079, 0.10193011981724044},
    {0.83911697182221882, 0.083276741576704749}, {0.91223442825132591, 0.062672048334109064},
    {0.96397192727791379, 0.040601429800386941}, {0.99312859918509492, 0.017614007139152118},
};

static const double two_pi = 6.28318530717958647693;

struct integrand {
    double A, B;
};

/* Its logarithm, and the slope and (with its sign turned) the bend of that. */
static double log_at(const struct integrand *f, double v, double *slope, double *bend)
{
    const double up = f->A * ckg__exp(2 * v);
    const double down = f->B * ckg__exp(-2 * v);
    const double turn = ckg__tanh(v);
    const double away = fabs(v);

    *slope = 2 * (down - up) - turn;
    *bend = 4 * (down + up) + 1 - turn * turn;
    return -up - down - (away + ckg__log1p(ckg__exp(-2 * away)) - 0.69314718055994530942);
}

/* Where it is largest, roughly. */
static double find_mode(const struct integrand *f)
{
    const double larger = fmax(f->A, f->B);
    const double smaller = fmin(f->A, f->B);
    double slope;
    double bend;

    /* Where the two exponentials balance, or the larger one balances sech. */
    double v = fmax(0, 0.5 * ckg__log(2 * larger + 1e-300));
    v = smaller > 0 ? fmin(v, 0.25 * ckg__log(larger / smaller)) : v;
    v = f->B > f->A ? v : -v;

    for (int i = 0; i < 3; i++) {
        log_at(f, v, &slope, &bend);
        v += fmax(-1, fmin(1, slope / bend));
    }
    return v;
}

/* How far it goes from the peak until it has fallen by `cut`: to the left, or with turn = −1 to the right. */
static double reach(const struct integrand *f, double peak, double turn)
{
    double slope;
    double bend;
    const double top = log_at(f, peak, &slope, &bend);
    const double away = fmax(0, turn * slope);
    double far = 2 * cut / (away + sqrt(away * away + 2 * cut * bend));

    for (int i = 0; i < 3; i++) {
        const double left = log_at(f, peak - turn * far, &slope, &bend) - top + cut;
        const double step = left / fmax(turn * slope, 1e-3);
        far = fmin(fmax(far + step, 0.25 * far), 4 * far);
    }
    return far;
}

/* The integral over low … high, where the exponent without sech is taken relative to `top`. */
static double integrate(const struct integrand *f, double low, double high, double top)
{
    const struct ckg__vector_ops *ops = ckg__vector();
    const double middle = 0.5 * (low + high);
    const double half = 0.5 * (high - low);
    double v[NODES];
    double power[NODES];
    double sum = 0;

    for (int i = 0; i < HALF; i++) {
        v[i] = middle + half * legendre[i][0];
        v[HALF + i] = middle - half * legendre[i][0];
    }
    ops->exp(NODES, v, v);
    for (int i = 0; i < NODES; i++) {
        const double square = v[i] * v[i];
        power[i] = -f->A * square - f->B / square - top;
        v[i] = 2 * v[i] / (1 + square);
    }
    ops->exp(NODES, power, power);
    for (int i = 0; i < NODES; i++)
        sum += legendre[i % HALF][1] * v[i] * power[i];
    return half * sum;
}

/* Between the peak and so far away from it, in parts that its bends fit into. */
static double integrate_side(const struct integrand *f, double peak, double far, double top)
{
    const double turn = far > 0 ? 1 : -1;
    double sum = 0;
    double from = 0;
    double to = fmin(fabs(far), 2);

    while (to > from) {
        const double low = peak + turn * from;
        const double high = peak + turn * to;
        sum += integrate(f, fmin(low, high), fmax(low, high), top);
        from = to;
        to = fmin(fabs(far), to + 3);
    }
    return sum;
}

/* The logarithm of the integral, times its factor. */
static double log_integral(double h, double k, double r)
{
    const struct integrand f = {(h - k) * (h - k) / 8, (h + k) * (h + k) / 8};
    const double end = ckg__atanh(r);
    double slope;
    double bend;

    /* The peak: at the end, or before it. */
    log_at(&f, end, &slope, &bend);
    const int inside = slope < 0;
    const double peak = inside ? fmin(end, find_mode(&f)) : end;
    const double top = -f.A * ckg__exp(2 * peak) - f.B * ckg__exp(-2 * peak);

    /* What lies before it, and what lies behind. */
    double sum = integrate_side(&f, peak, -reach(&f, peak, 1), top);
    if (inside && peak < end)
        sum += integrate_side(&f, peak, fmin(end - peak, reach(&f, peak, -1)), top);
    return ckg__log(sum / two_pi) + top - 0.25 * (h * h + k * k);
}

static double log_both(double h, double k, double r)
{
    const double small = fmin(h, k);
    const double large = fmax(h, k);

    /* Where one of the two is as good as certain, or impossible. */
    if (isinf(large) || isinf(small))
        return small < -1e300 ? -INFINITY : ckg__normal_log_cdf(small);
    if (large > 8.3 && (r >= 0 || small > -3))
        return ckg__normal_log_cdf(small);

    double sum = log_integral(h, k, r);
    if (h + k > 0)
        ckg__log_join(&sum, ckg__normal_log_interval(-k, h));
    return sum;
}

static double clip(double r)
{
    return fmax(-1 + 1e-12, fmin(1 - 1e-12, r));
}

/* The slopes of P itself in k and r over exp(scale), where Y is at k and X below h. */
static void slopes_at(double h, double k, double r, double scale, double *in_k, double *in_r)
{
    const double q = sqrt((1 - r) * (1 + r));

    *in_k = *in_r = 0;
    if (isinf(k) || h == -INFINITY)
        return;
    const double density = -0.5 * k * k - 0.5 * ckg__log(two_pi) - scale;
    *in_k = ckg__exp(density + (isinf(h) ? 0 : ckg__normal_log_cdf((h - r * k) / q)));
    if (isfinite(h))
        *in_r = ckg__exp(-0.5 * ((h - r * k) / q) * ((h - r * k) / q) + density - 0.5 * ckg__log(two_pi)) / q;
}

double ckg__normal_log_both(double h, double k, double r, double *slope)
{
    assert(!isnan(h) && !isnan(k) && fabs(r) <= 1 + 1e-6);

    r = clip(r);
    const double value = log_both(h, k, r);
    if (slope) {
        slopes_at(k, h, r, value, &slope[0], &slope[2]);
        slopes_at(h, k, r, value, &slope[1], &slope[2]);
    }
    return value;
}

/* --- between two ends --- */

/* P(Y in y | X = t) is log-concave in t: the part of x that counts, and Legendre's nodes over it. */
static double log_narrow(const double x[2], const double y[2], double r)
{
    const double q = sqrt((1 - r) * (1 + r));
    const double nearest = fmax(x[0], fmin(x[1], 0));
    const double low = fmax(x[0], nearest - 8);
    const double high = fmin(x[1], nearest + 8);
    const double middle = 0.5 * (low + high);
    const double half = 0.5 * (high - low);
    double sum = -INFINITY;

    for (int i = 0; i < NODES; i++) {
        const double t = middle + (i < HALF ? half : -half) * legendre[i % HALF][0];
        const double inner = ckg__normal_log_interval((y[0] - r * t) / q, (y[1] - r * t) / q);
        ckg__log_join(&sum, ckg__log(half * legendre[i % HALF][1]) - 0.5 * t * t + inner);
    }
    return sum - 0.5 * ckg__log(two_pi);
}

/* By its four corners, in the lower tail of x. */
static double log_wide(const double x[2], const double y[2], double r)
{
    if (x[0] + x[1] > 0)
        return log_wide((const double[2]){-x[1], -x[0]}, (const double[2]){-y[1], -y[0]}, r);

    const double largest = log_both(x[1], y[1], r);
    const double without = ckg__exp(log_both(x[0], y[1], r) - largest) +
                           ckg__exp(log_both(x[1], y[0], r) - largest) -
                           ckg__exp(log_both(x[0], y[0], r) - largest);
    return largest + ckg__log(fmax(1 - without, 1e-14));
}

/* Below this the corners would cancel, and the nodes resolve it. */
static const double narrow = 0.5;

static double log_box(const double x[2], const double y[2], double r)
{
    const double along[2] = {x[1] - x[0], y[1] - y[0]};

    if (isinf(x[0]))
        return log_both(x[1], y[1], r);
    if (isinf(x[1]))
        return log_both(-x[0], -y[0], r);
    if (fmin(along[0], along[1]) >= narrow)
        return log_wide(x, y, r);
    return along[0] <= along[1] ? log_narrow(x, y, r) : log_narrow(y, x, r);
}

double ckg__normal_log_box(const double x[2], const double y[2], double r, double *slope)
{
    assert(x[0] < x[1] && y[0] < y[1]);
    assert(isinf(x[0]) == isinf(y[0]) && isinf(x[1]) == isinf(y[1]));

    r = clip(r);
    const double value = log_box(x, y, r);
    if (!slope)
        return value;

    /* Of each end of y: what x leaves there, and its corners. */
    const double q = sqrt((1 - r) * (1 + r));
    slope[2] = 0;
    for (int end = 0; end < 2; end++) {
        double upper[2];
        double lower[2];
        const double sign = end ? 1 : -1;
        slope[end] = 0;
        if (isinf(y[end]))
            continue;
        slopes_at(x[1], y[end], r, value, &upper[0], &upper[1]);
        slopes_at(x[0], y[end], r, value, &lower[0], &lower[1]);
        slope[end] = sign *
                     ckg__exp(ckg__normal_log_interval((x[0] - r * y[end]) / q, (x[1] - r * y[end]) / q) -
                              0.5 * y[end] * y[end] - 0.5 * ckg__log(two_pi) - value);
        slope[2] += sign * (upper[1] - lower[1]);
    }
    return value;
}

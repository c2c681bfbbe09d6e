/*
 * The standard normal distribution, one value at a time.
 *
 * With E(x) = exp(−x²/2) and, for x ≥ 0, the slowly varying S(x) = Φ(−x)/E(x) and V(x) = h(−x)/E(x), h(z) =
 * φ(z) + zΦ(z):
 *
 *     Φ(−x) = E·S        log Φ(−x) = −x²/2 + log S        φ/Φ at −x = 1/(√(2π)·S)
 *     h(−x) = E·V        log h(−x) = −x²/2 + log V        h'/h at −x = S/V
 *     Φ(x) = 1 − Φ(−x)   h(x) = x + h(−x)
 *
 * S and V are ratios of polynomials with positive coefficients, valid on the whole half line: nothing
 * cancels. E splits x into two halves so that x² is exact. log h has a zero near 0.9, where it is a
 * polynomial in the distance from the zero. Φ⁻¹(p) is a ratio of polynomials in p − ½ in the middle and in
 * √−log p in the tails. Φ(b) − Φ(a) is a quadrature where a and b are close and a difference of tails
 * elsewhere.
 *
 * Reference: W. J. Cody, Math. Comp. 23 (1969), and M. J. Wichura, Applied Statistics 37 (1988), for the
 * choice of variables; the coefficients are from tests/reference/make_coefficients.py. Cost: 12 to 36
 * ns for each value on Zen 4, 70 ns for log_interval.
 */
#include "linalg/normal.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/maths.h"
#include "linalg/normal_coefficients.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))
#define POLY(array, x) poly(COUNT(array), array, x)
#define RATIO(p, q, x) ratio(COUNT(p), p, COUNT(q), q, x)

/* From there on φ(x), Φ(−x) and h(−x) are zero. */
static const double gauss_end = 38.6;

/* Beyond it log S and log V no longer matter beside x²/2, while 1/S is x·√(2π) and S/V is x. */
static const double tail_end = 1e8;

static double poly(int count, const double *c, double x)
{
    double y = c[count - 1];

    for (int i = count - 2; i >= 0; i--)
        y = y * x + c[i];
    return y;
}

/* The same divided by the highest power of x, from t = 1/x. */
static double poly_reversed(int count, const double *c, double t)
{
    double y = c[0];

    for (int i = 1; i < count; i++)
        y = y * t + c[i];
    return y;
}

/* exp(−x²/2). The high half of x has 26 bits, so that its square is exact. */
static double gauss(double x)
{
    uint64_t bits;
    double high;

    if (fabs(x) > gauss_end)
        return 0.0;
    memcpy(&bits, &x, sizeof bits);
    bits &= UINT64_MAX << 27;
    memcpy(&high, &bits, sizeof high);
    return ckg__exp(-0.5 * (high * high)) * ckg__exp(-0.5 * ((x - high) * (x + high)));
}

/*
 * p(x)/q(x) for x ≥ 0, q one or two degrees above p. Far from zero it is evaluated in 1/x, as Horner's rule
 * is accurate to an ulp only when the terms that it adds last are the largest.
 */
static double ratio(int p_count, const double *p, int q_count, const double *q, double x)
{
    if (x < 4.0)
        return poly(p_count, p, x) / poly(q_count, q, x);
    const double scaled = poly_reversed(p_count, p, 1.0 / x) / poly_reversed(q_count, q, 1.0 / x);
    return q_count - p_count == 1 ? scaled / x : scaled / x / x;
}

/* S(x) = Φ(−x)·exp(x²/2), x ≥ 0. */
static double scaled_tail(double x)
{
    return RATIO(scaled_tail_p, scaled_tail_q, x > tail_end ? tail_end : x);
}

/* V(x) = h(−x)·exp(x²/2), x ≥ 0. */
static double scaled_ei(double x)
{
    return RATIO(scaled_ei_p, scaled_ei_q, x > tail_end ? tail_end : x);
}

/* Φ(−|x|) */
static double smaller_tail(double x)
{
    return gauss(x) * scaled_tail(fabs(x));
}

double ckg__normal_pdf(double x)
{
    return inv_sqrt_2pi * gauss(x);
}

double ckg__normal_cdf(double x)
{
    const double tail = smaller_tail(x);

    return x > 0.0 ? 1.0 - tail : tail;
}

double ckg__normal_log_cdf(double x)
{
    if (x > 0.0)
        return ckg__log1p(-smaller_tail(x));
    return ckg__log(scaled_tail(-x)) - 0.5 * x * x;
}

double ckg__normal_mills(double x)
{
    if (x > 0.0)
        return ckg__normal_pdf(x) / ckg__normal_cdf(x);
    return x < -tail_end ? -x : inv_sqrt_2pi / scaled_tail(-x);
}

double ckg__normal_ei(double z)
{
    const double tail = gauss(z) * scaled_ei(fabs(z));

    return z > 0.0 ? z + tail : tail;
}

double ckg__normal_log_ei(double z)
{
    const double from_root = (z - log_ei_root_hi) - log_ei_root_lo;

    if (fabs(from_root) <= 0.4)
        return from_root * POLY(log_ei_poly, from_root);
    if (z > 0.0)
        return ckg__log(ckg__normal_ei(z));
    return ckg__log(scaled_ei(-z)) - 0.5 * z * z;
}

double ckg__normal_log_ei_slope(double z)
{
    if (z > 0.0)
        return ckg__normal_cdf(z) / ckg__normal_ei(z);
    return z < -tail_end ? -z : scaled_tail(-z) / scaled_ei(-z);
}

/* Φ⁻¹(p), negative, for 0 < p < ½ − 0.425. */
static double lower_quantile(double p)
{
    const double r = sqrt(-ckg__log(p));

    if (r < 5.0)
        return -POLY(quantile_near_p, r - 1.6) / POLY(quantile_near_q, r - 1.6);
    return -POLY(quantile_far_p, r - 5.0) / POLY(quantile_far_q, r - 5.0);
}

double ckg__normal_quantile(double p)
{
    const double q = p - 0.5;

    if (!(p >= 0.0 && p <= 1.0))
        return NAN;
    if (fabs(q) <= 0.425) {
        const double w = (0.425 - q) * (0.425 + q);
        return q * POLY(quantile_centre_p, w) / POLY(quantile_centre_q, w);
    }
    if (p == 0.0 || p == 1.0)
        return copysign(INFINITY, q);
    return q < 0.0 ? lower_quantile(p) : -lower_quantile(1.0 - p);
}

/*
 * log ∫ φ over middle ± width/2, for width and width·|middle| up to one: φ(middle + t) =
 * φ(middle)·exp(−t·middle − t²/2), and 12 points integrate the last factor, which is smooth and positive, to
 * full precision.
 */
static double log_interval_narrow(double middle, double width)
{
    double sum = 0.0;

    for (int i = 0; i < COUNT(legendre_node); i++) {
        const double t = 0.5 * width * legendre_node[i];
        sum += 0.5 * legendre_weight[i] *
               (ckg__exp(-t * (middle + 0.5 * t)) + ckg__exp(t * (middle - 0.5 * t)));
    }
    return ckg__log(width * sum) - log_sqrt_2pi - 0.5 * middle * middle;
}

/* log(Φ(b) − Φ(a)) for a < b ≤ 0 far enough apart that Φ(a) is at most about Φ(b)/2. */
static double log_interval_tail(double a, double b)
{
    const double ratio = ckg__exp(0.5 * (b - a) * (b + a)) * (scaled_tail(-a) / scaled_tail(-b));

    return ckg__normal_log_cdf(b) + ckg__log1p(-ratio);
}

double ckg__normal_log_interval(double a, double b)
{
    const double middle = 0.5 * (a + b);
    const double width = b - a;

    if (!(a < b))
        return a == b ? -INFINITY : NAN;
    if (width * fmax(1.0, fabs(middle)) <= 1.0)
        return log_interval_narrow(middle, width);
    if (b <= 0.0)
        return log_interval_tail(a, b);
    if (a >= 0.0)
        return log_interval_tail(-b, -a);
    return ckg__log1p(-(smaller_tail(a) + smaller_tail(b)));
}

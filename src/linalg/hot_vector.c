/*
 * exp, log and the standard normal distribution over arrays, compiled once for each instruction set
 * (variant.h).
 *
 * Written with vectors of the variant's width (lanes.h), one at a time and without branches: masks instead of
 * conditions, exponents handled as integers. The approximations, for x ≥ 0, with S
 * and V ratios of polynomials with positive coefficients and E(x) = exp(−x²/2):
 *
 *     exp(a) = 2^k·exp(r), k = round(a/log 2)     log x = k·log 2 + log m, √½ ≤ m < √2, by atanh(f/(2+f)), f
 * = m − 1 Φ(−x)  = E(x)·S(x)                          Φ(x)  = 1 − Φ(−x) h(−x)  = E(x)·V(x) h(x)  = x + h(−x)
 * where h(z) = φ(z) + zΦ(z) log Φ(−x) = −x²/2 + log S(x)                log Φ(x) = log(1 − Φ(−x))
 *
 * E splits x into two halves so that x² is exact: rounding x² alone would cost x² ulp, 700 at the end of the
 * range. Where a mask decides, the comparison is written so that a NaN keeps the value that arithmetic has
 * made NaN.
 *
 * Reference: W. J. Cody, "Rational Chebyshev approximations for the error function", Math. Comp. 23 (1969),
 * for the idea of S; the coefficients are from tests/reference/make_coefficients.py. Cost in ns for
 * each element, arrays of 300, Zen 4 at 3.6 GHz, gcc 12 (v4 | v3 | base): exp 0.7 | 0.9 | 3.0, log 1.1 | 1.6
 * | 3.9, Φ 1.7 | 1.9 | 5.3, Φ and φ 1.7 | 1.9 | 6.0, log Φ 3.0 | 5.0 | 12, log Φ and φ/Φ 3.4 | 5.4 | 13,
 * h 1.7 | 2.0 | 5.3.
 */
#include "linalg/vector.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/maths_coefficients.h"
#include "linalg/lanes.h"
#include "linalg/normal_coefficients.h"
#include "linalg/variant.h"

struct lanes2 {
    lanes first, second;
};

/*
 * A double is sign, 11 bits of exponent and 52 of fraction: adding n << 52 to its bits multiplies it by 2^n.
 */
enum { EXPONENT_SHIFT = 52 };
static const uint64_t fraction_bits = (UINT64_C(1) << EXPONENT_SHIFT) - 1;
static const uint64_t one_bits = UINT64_C(0x3ff0000000000000), sqrt_half_bits = UINT64_C(0x3fe6a09e667f3bcd);

/* Adding it to |t| < 2^51 rounds t to an integer, which then stands in the low bits of the sum. */
static const double round_shift = 0x1.8p52;

/*
 * Numbers that may be subnormal in the end are kept larger by 2^64 until the last multiplication, which alone
 * rounds.
 */
enum { LIFT = 64 };
static const double unlift = 0x1p-64;

/* From there on E, Φ(−x) and h(−x) are zero. */
static const double gauss_end = 38.6;

/* Beyond it log S(x) no longer matters beside x²/2, and 1/S(x) is x·√(2π). */
static const double tail_end = 1e8;

static inline lane_bits above(lanes x, double limit)
{
    return (lane_bits)(x > limit);
}

static inline lane_bits below(lanes x, double limit)
{
    return (lane_bits)(x < limit);
}

static inline lanes keep_where(lane_bits mask, lanes x)
{
    return (lanes)(mask & (lane_bits)x);
}

static inline lanes zero_where(lane_bits mask, lanes x)
{
    return keep_where(~mask, x);
}

static inline lanes choose(lane_bits mask, lanes yes, lanes no)
{
    return (lanes)((mask & (lane_bits)yes) | (~mask & (lane_bits)no));
}

static inline lanes at_most(lanes x, double limit)
{
    return choose(above(x, limit), splat(limit), x);
}

static inline lanes absolute(lanes x)
{
    return (lanes)((lane_bits)x & (UINT64_MAX >> 1));
}

/*
 * Even and odd powers apart: two short chains of multiply-adds, each of which reads one coefficient from
 * memory.
 */
static inline lanes poly(int degree, const double *c, lanes x, lanes x2)
{
    lanes first = splat(c[degree]), second = splat(c[degree - 1]);

    for (int i = degree - 2; i > 0; i -= 2) {
        first = fused_lanes(first, x2, splat(c[i]));
        second = fused_lanes(second, x2, splat(c[i - 1]));
    }
    return degree % 2 ? fused_lanes(first, x, second)
                      : fused_lanes(second, x, fused_lanes(first, x2, splat(c[0])));
}

static inline lanes exp_lanes(lanes x)
{
    const lanes shifted = fused_lanes(x, splat(log2_e), splat(round_shift));
    const lanes k = shifted - round_shift;
    const lanes r = fused_lanes(k, splat(-ln2_lo), fused_lanes(k, splat(-ln2_hi), x));
    const lanes r2 = r * r;
    const lanes fraction = 1.0 + fused_lanes(r2, poly(9, exp_poly, r, r2), r);
    /* Lifted up or down, as 2^k alone may be subnormal or overflow. */
    const lane_bits negative = below(x, 0.0);
    const lane_bits lift = (negative & ((uint64_t)(2 * LIFT) << EXPONENT_SHIFT)) -
                           ((uint64_t)LIFT << EXPONENT_SHIFT);
    const lanes lifted = (lanes)((lane_bits)fraction + ((lane_bits)shifted << EXPONENT_SHIFT) + lift);
    const lanes y = lifted * (lanes)(one_bits - lift);

    return choose(below(absolute(x), 745.2), y, zero_where(negative, x + INFINITY));
}

/* log x = k·log 2 + log m for x positive and normal; correction is added to k. */
static inline lanes log_of_normal(lanes x, lanes correction)
{
    const lane_bits bits = (lane_bits)x + (one_bits - sqrt_half_bits);
    /* The exponent becomes the last bits of 2^52 + exponent. */
    const lanes k = (lanes)((bits >> EXPONENT_SHIFT) | (lane_bits)splat(0x1p52)) - (0x1p52 + 1023.0) +
                    correction;
    const lanes f = (lanes)((bits & fraction_bits) + sqrt_half_bits) - 1.0;
    const lanes s = f / (2.0 + f), z = s * s, half_square = 0.5 * f * f;
    const lanes series = fused_lanes(z, poly(6, log_poly, z, z * z), half_square);
    const lanes rest = half_square - fused_lanes(s, series, k * ln2_lo);

    return fused_lanes(k, splat(ln2_hi), f - rest);
}

static inline lanes log_lanes(lanes x)
{
    const lane_bits positive = above(x, 0.0), subnormal = below(x, 0x1p-1022);
    const lanes y = log_of_normal(choose(subnormal, x * 0x1p54, x), keep_where(subnormal, splat(-54.0)));
    const lanes at_zero = choose((lane_bits)(x == 0.0), splat(-INFINITY), splat(NAN));

    return choose(positive & below(x, INFINITY), y, choose(positive, x, at_zero));
}

/* E(x), lifted, for 0 ≤ x ≤ gauss_end. The polynomial is in 2r, so that x² needs no halving. */
static inline lanes lifted_gauss(lanes x)
{
    const lanes high = (lanes)((lane_bits)x & (UINT64_MAX << 27)), square = high * high;
    const lanes shifted = fused_lanes(square, splat(-0.5 * log2_e), splat(round_shift + LIFT));
    const lanes k = shifted - (round_shift + LIFT);
    const lanes low = fused_lanes(x - high, x + high, k * (2.0 * ln2_lo));
    const lanes r = fused_lanes(k, splat(-2.0 * ln2_hi), -square) - low;
    const lanes fraction = fused_lanes(r, poly(10, gauss_poly, r, r * r), splat(1.0));

    return (lanes)((lane_bits)fraction + ((lane_bits)shifted << EXPONENT_SHIFT));
}

struct ratio {
    lanes p, q;
};

static inline struct ratio scaled_tail(lanes x)
{
    const lanes x2 = x * x;

    return (struct ratio){poly(10, scaled_tail_p, x, x2), poly(11, scaled_tail_q, x, x2)};
}

static inline struct ratio scaled_ei(lanes x)
{
    const lanes x2 = x * x;

    return (struct ratio){poly(10, scaled_ei_p, x, x2), poly(12, scaled_ei_q, x, x2)};
}

static inline struct lanes2 cdf_pdf_lanes(lanes x)
{
    const lanes a = absolute(x);
    const lane_bits beyond = above(a, gauss_end);
    const lanes e = lifted_gauss(a);
    const struct ratio s = scaled_tail(a);
    const lanes tail = zero_where(beyond, s.p / s.q * e * unlift);
    /* a − a is zero, or NaN where x is: the exponent arithmetic in e may have lost that. */
    const lanes pdf = zero_where(beyond, fused_lanes(e, splat(unlift * inv_sqrt_2pi), a - a));

    return (struct lanes2){choose(above(x, 0.0), 1.0 - tail, tail), pdf};
}

static inline lanes cdf_lanes(lanes x)
{
    return cdf_pdf_lanes(x).first;
}

static inline struct lanes2 log_cdf_mills_lanes(lanes x)
{
    const lane_bits positive = above(x, 0.0);
    const lanes a = absolute(x);
    const lanes e = lifted_gauss(at_most(a, gauss_end));
    const struct ratio s = scaled_tail(at_most(a, tail_end));
    const lanes scaled = s.p / s.q;
    const lanes tail = scaled * e * unlift, cdf = 1.0 - tail;
    /*
     * The rounding of 1 − tail is given back: it matters when the tail is small, and then the slope of log is
     * 1.
     */
    const lanes log_part = log_of_normal(choose(positive, cdf, scaled), splat(0.0));
    const lanes log_cdf = log_part + choose(positive, (1.0 - cdf) - tail, -0.5 * (x * x));
    const lanes mills = choose(positive, e * (unlift * inv_sqrt_2pi), inv_sqrt_2pi * s.q) /
                        choose(positive, cdf, s.p);

    return (struct lanes2){log_cdf, choose(below(x, -tail_end), a, mills)};
}

static inline lanes log_cdf_lanes(lanes x)
{
    return log_cdf_mills_lanes(x).first;
}

static inline lanes ei_lanes(lanes z)
{
    const lanes a = absolute(z);
    const struct ratio v = scaled_ei(a);
    const lanes tail = zero_where(above(a, gauss_end), v.p / v.q * lifted_gauss(a) * unlift);

    return keep_where(above(z, 0.0), z) + tail;
}

static inline void store_part(double *y, lanes v, int count)
{
    memcpy(y, &v, (size_t)count * sizeof *y);
}

/*
 * The last vector ends with the array and may overlap the one before it. As x and y may be the same array,
 * each vector is loaded before the one before it is stored. Always inlined, so that the function is too.
 */
__attribute__((always_inline)) static inline void map(int n, const double *x, double *y,
                                                      lanes (*function)(lanes))
{
    const int last = n - LANES;

    if (n <= 0)
        return;
    if (last < 0) {
        store_part(y, function(load_first(x, n)), n);
        return;
    }
    lanes v = load(x);
    for (int at = 0;;) {
        const int next = smaller(at + LANES, last);
        const lanes following = load(x + next);
        store(y + at, function(v));
        if (at == last)
            return;
        at = next;
        v = following;
    }
}

/* The same for two results. */
__attribute__((always_inline)) static inline void map2(int n, const double *x, double *y, double *z,
                                                       struct lanes2 (*function)(lanes))
{
    const int last = n - LANES;

    if (n <= 0)
        return;
    if (last < 0) {
        const struct lanes2 both = function(load_first(x, n));
        store_part(y, both.first, n);
        store_part(z, both.second, n);
        return;
    }
    lanes v = load(x);
    for (int at = 0;;) {
        const int next = smaller(at + LANES, last);
        const lanes following = load(x + next);
        const struct lanes2 both = function(v);
        store(y + at, both.first);
        store(z + at, both.second);
        if (at == last)
            return;
        at = next;
        v = following;
    }
}

static void vector_exp(int n, const double *x, double *y)
{
    map(n, x, y, exp_lanes);
}

static void vector_log(int n, const double *x, double *y)
{
    map(n, x, y, log_lanes);
}

static void vector_normal_cdf(int n, const double *x, double *cdf)
{
    map(n, x, cdf, cdf_lanes);
}

static void vector_normal_cdf_pdf(int n, const double *x, double *cdf, double *pdf)
{
    map2(n, x, cdf, pdf, cdf_pdf_lanes);
}

static void vector_normal_log_cdf(int n, const double *x, double *log_cdf, double *mills)
{
    if (mills)
        map2(n, x, log_cdf, mills, log_cdf_mills_lanes);
    else
        map(n, x, log_cdf, log_cdf_lanes);
}

static void vector_normal_ei(int n, const double *z, double *ei)
{
    map(n, z, ei, ei_lanes);
}

const struct ckg__vector_ops CKG__VARIANT_NAME(ckg__vector_ops) = {
    .exp = vector_exp,
    .log = vector_log,
    .normal_cdf = vector_normal_cdf,
    .normal_cdf_pdf = vector_normal_cdf_pdf,
    .normal_log_cdf = vector_normal_log_cdf,
    .normal_ei = vector_normal_ei,
};

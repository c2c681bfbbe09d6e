/*
 * exp, log and what is made of them (maths.h).
 *
 *     exp x = 2^k·(1 + r + r²·p(r)),  k = round(x/log 2), r = x − k·log 2 in two parts
 *     log x = k·log 2 + log m,        √½ ≤ m < √2, log m = f − s(f − …) with s = f/(2 + f), f = m − 1
 *
 * linalg/hot_vector.c has the same over arrays, with fused multiply-adds. Cost: 3 to 6 ns for exp and log.
 */
#include "base/maths.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/maths_coefficients.h"

/* A double is sign, 11 bits of exponent and 52 of fraction. */
enum { EXPONENT_SHIFT = 52 };
static const uint64_t fraction_bits = (UINT64_C(1) << EXPONENT_SHIFT) - 1;
static const uint64_t one_bits = UINT64_C(0x3ff0000000000000), sqrt_half_bits = UINT64_C(0x3fe6a09e667f3bcd);

/* Adding it to |t| < 2^51 rounds t to an integer, which then stands in the low bits of the sum. */
static const double round_shift = 0x1.8p52;

static uint64_t bits_of(double x)
{
    uint64_t bits;

    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static double from_bits(uint64_t bits)
{
    double x;

    memcpy(&x, &bits, sizeof x);
    return x;
}

/* r + r²·p(r) = exp r − 1 for |r| ≤ ½ log 2; powers in pairs, so that the chains are short. */
static double expm1_near(double r)
{
    const double *c = exp_poly;
    const double r2 = r * r;
    const double r4 = r2 * r2;
    const double low = (c[0] + c[1] * r) + (c[2] + c[3] * r) * r2;
    const double high = (c[4] + c[5] * r) + (c[6] + c[7] * r) * r2;
    const double last = c[8] + c[9] * r;

    return r + r2 * (low + r4 * (high + r4 * last));
}

/* exp x as a fraction between ½ and 2 and the power of two in the low bits of *shifted. */
static double exp_parts(double x, double *shifted)
{
    *shifted = x * log2_e + round_shift;
    const double k = *shifted - round_shift;

    return 1.0 + expm1_near((x - k * ln2_hi) - k * ln2_lo);
}

double ckg__exp(double x)
{
    double shifted;

    if (fabs(x) < 708.0) {
        const double fraction = exp_parts(x, &shifted);
        return from_bits(bits_of(fraction) + (bits_of(shifted) << EXPONENT_SHIFT));
    }
    if (!(x > -745.2 && x < 709.8))
        return x < 0.0 ? 0.0 : x + INFINITY;

    /* Where the result may be subnormal or overflow, 2^k goes by two steps of which the last one rounds. */
    const double fraction = exp_parts(x, &shifted);
    const double lift = x < 0.0 ? 0x1p-64 : 0x1p64;
    const uint64_t lifted = x < 0.0 ? UINT64_C(64) : -UINT64_C(64);
    return from_bits(bits_of(fraction) + ((bits_of(shifted) + lifted) << EXPONENT_SHIFT)) * lift;
}

/* Beyond the polynomial's range by 2t + t² from half the argument, until 1 hardly matters. */
double ckg__expm1(double x)
{
    if (fabs(x) < 0.34)
        return expm1_near(x);
    if (fabs(x) < 0.68) {
        const double t = expm1_near(0.5 * x);
        return 2.0 * t + t * t;
    }
    return ckg__exp(x) - 1.0;
}

double ckg__log(double x)
{
    double lifted = 0.0;

    if (!(x >= 0x1p-1022 && x < INFINITY)) {
        if (!(x > 0.0))
            return x == 0.0 ? -INFINITY : NAN;
        if (x == INFINITY)
            return x;
        x *= 0x1p54;
        lifted = -54.0;
    }

    const uint64_t bits = bits_of(x) + (one_bits - sqrt_half_bits);
    const double k = (double)((int)(bits >> EXPONENT_SHIFT) - 1023) + lifted;
    const double f = from_bits((bits & fraction_bits) + sqrt_half_bits) - 1.0;
    const double s = f / (2.0 + f);
    const double z = s * s;
    const double z2 = z * z;
    const double *c = log_poly;
    const double half_square = 0.5 * f * f;
    const double low = c[0] + c[1] * z;
    const double high = (c[2] + c[3] * z) + ((c[4] + c[5] * z) + c[6] * z2) * z2;
    const double series = half_square + z * (low + high * z2);

    return k * ln2_hi - ((half_square - (s * series + k * ln2_lo)) - f);
}

/* What rounding 1 + x has lost comes back: log(1 + x) = log u + (x − (u − 1))/u + …, u = 1 + x rounded. */
double ckg__log1p(double x)
{
    const double u = 1.0 + x;

    if (!(u > 0.0 && u < INFINITY))
        return ckg__log(u);
    return u == 1.0 ? x : ckg__log(u) + (x - (u - 1.0)) / u;
}

/* xⁿ by squaring, n > 0. */
static double whole_power(double x, int n)
{
    double power = 1.0;

    for (; n; n >>= 1, x *= x)
        if (n & 1)
            power *= x;
    return power;
}

double ckg__pow(double x, double y)
{
    const int whole = y == floor(y);

    if (y == 0.0 || x == 1.0 || (x == -1.0 && isinf(y)))
        return 1.0;
    if (whole && fabs(y) <= 64.0 && x != 0.0) {
        const double power = whole_power(x, (int)fabs(y));
        return y < 0.0 ? 1.0 / power : power;
    }
    if (isnan(x) || isnan(y))
        return x + y;
    const int odd = whole && fmod(y, 2.0) != 0.0;
    if (x == 0.0)
        return copysign(y < 0.0 ? INFINITY : 0.0, odd ? x : 1.0);
    if (x < 0.0 && !whole)
        return NAN;
    const double size = x == -1.0 ? 1.0 : ckg__exp(y * ckg__log(fabs(x)));
    return x < 0.0 && odd ? -size : size;
}

double ckg__sinh(double x)
{
    const double a = fabs(x);
    const double t = ckg__expm1(a);

    if (a > 709.0) {
        const double half = ckg__exp(0.5 * a);
        return copysign(0.5 * half * half, x);
    }
    return copysign(0.5 * (t + t / (t + 1.0)), x);
}

double ckg__cosh(double x)
{
    const double a = fabs(x);
    const double e = ckg__exp(a > 709.0 ? 0.5 * a : a);

    return a > 709.0 ? 0.5 * e * e : 0.5 * (e + 1.0 / e);
}

double ckg__tanh(double x)
{
    const double a = fabs(x);
    const double t = ckg__expm1(2.0 * a);

    return copysign(a > 22.0 ? 1.0 : t / (t + 2.0), x);
}

double ckg__asinh(double x)
{
    const double a = fabs(x);

    if (a > 0x1p28)
        return copysign(ckg__log(a) + (ln2_hi + ln2_lo), x);
    return copysign(ckg__log1p(a + a * a / (1.0 + sqrt(1.0 + a * a))), x);
}

double ckg__atanh(double x)
{
    const double a = fabs(x);

    return copysign(0.5 * ckg__log1p(2.0 * a / (1.0 - a)), x);
}

static double poly(int degree, const double *c, double z)
{
    double sum = c[degree];

    for (int i = degree - 1; i >= 0; i--)
        sum = sum * z + c[i];
    return sum;
}

/* By quarters of a turn, which are exact. */
double ckg__cos_turn(double t)
{
    const int quarter = (int)(4.0 * t + 0.5);
    const double rest = t - 0.25 * quarter;
    const double z = rest * rest;
    const double cosine = 1.0 + z * poly(6, cos_turn_poly, z);
    const double sine = rest * poly(7, sin_turn_poly, z);

    switch (quarter % 4) {
    case 0:
        return cosine;
    case 1:
        return -sine;
    case 2:
        return -cosine;
    default:
        return sine;
    }
}

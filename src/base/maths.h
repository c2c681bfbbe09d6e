/*
 * exp, log and what is made of them, one value at a time. The C library's differ in the last bit between
 * processors and versions; these are sums and products in a fixed order, nothing fused, and so the same
 * everywhere. Within 2 ulp unless said otherwise; the special values are those of the C library.
 */
#ifndef CKG_BASE_MATHS_H
#define CKG_BASE_MATHS_H

double ckg__exp(double x);
double ckg__expm1(double x);
double ckg__log(double x);
double ckg__log1p(double x);

/* xʸ. Whole powers up to 64 are products; others exp(y log x), off by up to |y log x| ulp. */
double ckg__pow(double x, double y);

double ckg__sinh(double x);
double ckg__cosh(double x);
double ckg__tanh(double x);
double ckg__asinh(double x);
double ckg__atanh(double x);

/* The cosine of t whole turns, 0 ≤ t ≤ 1. */
double ckg__cos_turn(double t);

static inline double ckg__clamp(double x, double low, double high)
{
    return x < low ? low : x > high ? high : x;
}

static inline double ckg__square(double x)
{
    return x * x;
}

#endif

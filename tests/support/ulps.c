/*
 * exp(x) = 2^k·(1 + g), with g = exp(r) − 1 for r = x − k·log 2 by its series, |r| < 0.35. A candidate y for
 * log x is judged by exp as well: log x − y = log(x·exp(−y)), and x·exp(−y) − 1 = f + g + fg for x = 2^k·(1 +
 * f) and exp(k·log 2 − y) = 1 + g. Everything that cancels is a pair of doubles, exact to some 2^-100
 * relative; the series ends at 1e-24.
 */
#include "support/ulps.h"

#include <math.h>

struct pair {
    double high, low;
};

static struct pair exact_sum(double a, double b)
{
    const double sum = a + b, part = sum - a;

    return (struct pair){sum, (a - (sum - part)) + (b - part)};
}

/* Of halves of 26 bits, whose products are exact. */
static struct pair exact_product(double a, double b)
{
    const double big_a = 0x1.0000002p27 * a, big_b = 0x1.0000002p27 * b, product = a * b;
    const double a1 = big_a - (big_a - a), a2 = a - a1, b1 = big_b - (big_b - b), b2 = b - b1;

    return (struct pair){product, ((a1 * b1 - product) + a1 * b2 + a2 * b1) + a2 * b2};
}

static struct pair add(struct pair a, struct pair b)
{
    const struct pair sum = exact_sum(a.high, b.high), rest = exact_sum(a.low, b.low);
    const struct pair carried = exact_sum(sum.high, sum.low + rest.high);

    return exact_sum(carried.high, carried.low + rest.low);
}

static struct pair multiply(struct pair a, struct pair b)
{
    const struct pair product = exact_product(a.high, b.high);

    return exact_sum(product.high, product.low + (a.high * b.low + a.low * b.high));
}

static struct pair divide(struct pair a, int divisor)
{
    const double quotient = a.high / divisor;
    const struct pair back = exact_product(quotient, divisor);

    return exact_sum(quotient, ((a.high - back.high) - back.low + a.low) / divisor);
}

/* k·log 2 − x. */
static struct pair beyond(int k, double x)
{
    static const struct pair log_2 = {0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56};

    return add(multiply((struct pair){k, 0}, log_2), (struct pair){-x, 0});
}

/* exp(r) − 1 = r(1 + r/2(1 + r/3(1 + …))). */
static struct pair exp_less_one(struct pair r)
{
    struct pair sum = {1, 0};

    for (int i = 18; i > 1; i--)
        sum = add((struct pair){1, 0}, divide(multiply(sum, r), i));
    return multiply(sum, r);
}

static double spacing(double x)
{
    return nextafter(fabs(x), INFINITY) - fabs(x);
}

double ulps_from_exp(double x, double got)
{
    const int k = (int)round(x * 1.4426950408889634);
    const struct pair back = beyond(k, x),
                      want = add((struct pair){1, 0}, exp_less_one((struct pair){-back.high, -back.low}));
    const struct pair error = add(want, (struct pair){-ldexp(got, -k), 0});

    return fabs(error.high / ldexp(spacing(ldexp(want.high, k)), -k));
}

double ulps_from_log(double x, double got)
{
    int k;
    const double m = frexp(x, &k); /* in [½, 1) */
    const int lower = m < 0.7071067811865476;
    const struct pair f = {(lower ? 2 * m : m) - 1, 0}, g = exp_less_one(beyond(k - lower, got));

    return fabs(add(add(f, g), multiply(f, g)).high / spacing(log(x)));
}

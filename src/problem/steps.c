/*
 * Parameters with steps: integers, and reals of which only low, low + step, low + 2·step, … are used. Values
 * are made so that they print as people write them: 0.31, not 0.30999999999999994.
 */
#include <assert.h>
#include <math.h>

#include "base/maths.h"
#include "problem/problem.h"

/* A decimal of so many digits is the only one of them that is read as its double. */
static const double fifteen_digits = 1e15;

/* 1 when value is a whole number of parts 1/power, and the double nearest to that. */
static int is_whole(double value, double power)
{
    const double parts = rint(value * power);

    return fabs(parts) <= fifteen_digits && parts / power == value;
}

/* The smallest power of ten in whose parts both are whole; 0: none. */
static double common_decimal(double a, double b)
{
    static const int most = 22; /* powers up to this are doubles */
    double power = 1;

    for (int digits = 0; digits <= most; digits++, power *= 10)
        if (is_whole(a, power) && is_whole(b, power))
            return power;
    return 0;
}

void ckg__step_set(struct ckg__parameter *q, double step)
{
    const double exact = (q->bound - q->low) / step;
    const double near = rint(exact);

    q->step = step;
    q->origin = q->low;
    q->first = 0;
    q->decimal = common_decimal(q->low, step);
    q->steps = fabs(exact - near) <= 1e-9 + 1e-15 * near ? near : floor(exact);
    q->high = ckg__step_value(q, q->steps);
}

double ckg__step_value(const struct ckg__parameter *q, double k)
{
    assert(q->step > 0);
    const double plain = fma(q->first + k, q->step, q->origin);
    const double value = q->decimal > 0 && fabs(plain * q->decimal) <= fifteen_digits
                             ? rint(plain * q->decimal) / q->decimal
                             : plain;

    return value > q->bound ? q->bound : value;
}

double ckg__step_number(const struct ckg__parameter *q, double x)
{
    return fmin(fmax(floor((x - q->low) / q->step + 0.5), 0), q->steps);
}

double ckg__step_to_unit(const struct ckg__parameter *q, double k)
{
    if (q->scale == CKG_LOG && k > 0 && k < q->steps)
        return ckg__log(ckg__step_value(q, k) / q->low) / ckg__log(q->high / q->low);
    return k / q->steps;
}

double ckg__step_from_unit(const struct ckg__parameter *q, double u)
{
    if (q->scale == CKG_LOG)
        return ckg__step_number(q,
                                u <= 0 ? q->low : q->low * ckg__exp(fmin(u, 1) * ckg__log(q->high / q->low)));
    return fmin(fmax(floor(u * q->steps + 0.5), 0), q->steps);
}

double ckg__step_gap(const struct ckg__parameter *q)
{
    return ckg__step_to_unit(q, 1);
}

double ckg__step_from_share(const struct ckg__parameter *q, double c)
{
    if (q->scale != CKG_LOG)
        return fmin(fmax(floor(c * (q->steps + 1)), 0), q->steps);

    /* On a log scale each value has the share of the cube that is nearest to it. */
    const double from = ckg__log(fmax(q->low - 0.5 * q->step, 0.5 * q->low));
    const double to = ckg__log(q->high + 0.5 * q->step);
    return ckg__step_number(q, ckg__exp(from + c * (to - from)));
}

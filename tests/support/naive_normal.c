#include "support/naive_normal.h"

#include <math.h>

static const long double log_root_two_pi = 0.918938533204672741780329736405617639L;
static const long double root_half = 0.707106781186547524400844362104849039L;

long double naive_log_pdf(long double z)
{
    return -z * z / 2 - log_root_two_pi;
}

long double naive_cdf(long double z)
{
    return erfcl(-z * root_half) / 2;
}

/* Φ(z) = φ(z)/|z| · (1 − 1/z² + 3/z⁴ − …), its terms summed while they shrink. */
static long double series(long double z)
{
    long double sum = 1, term = 1;

    for (int i = 1; i < 40 && (2 * i - 1) < z * z; i++) {
        term *= -(2 * i - 1) / (z * z);
        sum += term;
    }
    return sum;
}

long double naive_log_cdf(long double z)
{
    if (z > -12)
        return z > 0 ? log1pl(-naive_cdf(-z)) : logl(naive_cdf(z));
    return naive_log_pdf(z) - logl(-z) + logl(series(z));
}

/*
 * Over an interval so narrow that differences of Φ would cancel: Gauss and Legendre's rule of 8 points for
 * ∫φ, relative to the middle.
 */
static long double log_narrow(long double a, long double b)
{
    static const long double node[] = {0.1834346424956498049395L, 0.5255324099163289858177L,
                                       0.7966664774136267395916L, 0.9602898564975362316836L};
    static const long double weight[] = {0.3626837833783619829652L, 0.3137066458778872873380L,
                                         0.2223810344533744705444L, 0.1012285362903762591525L};
    const long double middle = (a + b) / 2, half = (b - a) / 2;
    long double sum = 0;

    for (int i = 0; i < 4; i++)
        for (int sign = -1; sign <= 1; sign += 2) {
            const long double t = (long double)sign * half * node[i];
            sum += weight[i] * expl(-t * (middle + t / 2));
        }
    return naive_log_pdf(middle) + logl(half * sum);
}

long double naive_log_interval(long double a, long double b)
{
    if ((b - a) * (1 + fabsl(a) + fabsl(b)) < 1)
        return log_narrow(a, b);
    if (a + b > 0)
        return naive_log_interval(-b, -a);
    const long double upper = naive_log_cdf(b);
    return upper + log1pl(-expl(naive_log_cdf(a) - upper));
}

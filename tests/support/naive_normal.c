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

long double naive_log_interval(long double a, long double b)
{
    if (a + b > 0)
        return naive_log_interval(-b, -a);
    const long double upper = naive_log_cdf(b);
    return upper + log1pl(-expl(naive_log_cdf(a) - upper));
}

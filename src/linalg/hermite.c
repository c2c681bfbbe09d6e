/* The zeros of the Hermite polynomial of that degree, between those of the one before, which they interlace.
 */
#include "linalg/hermite.h"

#include <assert.h>
#include <math.h>

/* The orthonormal polynomial of that degree at x, and the one before it. */
static double polynomial(int degree, double x, double *before)
{
    double value = 1;

    *before = 0;
    for (int i = 1; i <= degree; i++) {
        const double next = (x * value - sqrt(i - 1.0) * *before) / sqrt((double)i);
        *before = value;
        value = next;
    }
    return value;
}

/* The zero between two places where the signs differ. */
static double zero_between(int degree, double low, double high)
{
    double before;
    const double sign = polynomial(degree, low, &before) > 0 ? 1 : -1;

    for (int i = 0; i < 200 && high - low > 1e-15 * (1 + fabs(low)); i++) {
        const double middle = 0.5 * (low + high);
        if (sign * polynomial(degree, middle, &before) > 0)
            low = middle;
        else
            high = middle;
    }
    return 0.5 * (low + high);
}

void ckg__hermite(int count, double *z, double *weight)
{
    double last[CKG__HERMITE_MOST + 1];

    assert(count > 0 && count <= CKG__HERMITE_MOST);
    for (int degree = 1; degree <= count; degree++) {
        const double end = 2 * sqrt((double)degree) + 1;
        for (int i = 0; i < degree; i++)
            z[i] = zero_between(degree, i ? last[i - 1] : -end, i < degree - 1 ? last[i] : end);
        for (int i = 0; i < degree; i++)
            last[i] = z[i];
    }

    /* The derivative at a zero is √count times the polynomial before. */
    for (int i = 0; i < count; i++) {
        double before;
        polynomial(count, z[i], &before);
        weight[i] = 1 / (count * before * before);
    }
}

/* Mean with its interval, median, extremes. */
#include "bench/spread.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

/*
 * The 0.975 quantile of Student's t: its expansion around the normal quantile (Abramowitz and
 * Stegun, 26.7.5), within 4e-4 from 5 degrees of freedom on; a table below.
 */
static double t_quantile(int freedom)
{
    static const double small[] = {0, 12.706, 4.3027, 3.1824, 2.7764};
    const double z = 1.959963984540054;
    const double v = freedom;

    if (freedom < 1)
        return NAN;
    if (freedom < 5)
        return small[freedom];
    return z + (pow(z, 3) + z) / (4 * v) + (5 * pow(z, 5) + 16 * pow(z, 3) + 3 * z) / (96 * v * v) +
           (3 * pow(z, 7) + 19 * pow(z, 5) + 17 * pow(z, 3) - 15 * z) / (384 * v * v * v) +
           (79 * pow(z, 9) + 776 * pow(z, 7) + 1482 * pow(z, 5) - 1920 * pow(z, 3) - 945 * z) /
               (92160 * v * v * v * v);
}

static int ascending(const void *a, const void *b)
{
    return (*(const double *)a > *(const double *)b) - (*(const double *)a < *(const double *)b);
}

struct app_spread app_spread_of(double *values, int n)
{
    double sum = 0;
    double squares = 0;

    /* The mean, and how sure it is. */
    assert(n >= 1);
    for (int i = 0; i < n; i++)
        sum += values[i];
    const double mean = sum / n;
    for (int i = 0; i < n; i++)
        squares += (values[i] - mean) * (values[i] - mean);

    /* The order. */
    qsort(values, (size_t)n, sizeof *values, ascending);
    return (struct app_spread){
        .mean = mean,
        .half = n > 1 ? t_quantile(n - 1) * sqrt(squares / (n - 1) / n) : NAN,
        .median = n % 2 ? values[n / 2] : 0.5 * (values[n / 2 - 1] + values[n / 2]),
        .smallest = values[0],
        .largest = values[n - 1],
    };
}

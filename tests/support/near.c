#include "support/near.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/rng.h"

void support_assert_near(long double got, long double want, long double bound, const char *what,
                         const char *file, int line)
{
    if (got == want || fabsl(got - want) <= bound)
        return;
    print_error("%s = %.17Lg, expected %.17Lg: off by %.3Lg, allowed %.3Lg\n", what, got, want,
                fabsl(got - want), bound);
    _fail(file, line);
}

double relative_error(double got, double want)
{
    return got == want ? 0.0 : fabs(got - want) / fabs(want);
}

double difference(double (*function)(void *context, double step), void *context, double h)
{
    const double inner = function(context, h) - function(context, -h);
    const double outer = function(context, 2 * h) - function(context, -2 * h);

    return (8 * inner - outer) / (12 * h);
}

void random_points(struct ckg__rng *rng, int D, int m, double *U)
{
    for (int i = 0; i < D * m; i++)
        U[i] = ckg__rng_uniform(rng);
}

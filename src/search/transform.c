/* Normal scores and the bilog (transform.h has the formulas). Cost n·log n and 1 a value. */
#include "search/transform.h"

#include <math.h>
#include <string.h>

#include "base/maths.h"
#include "base/sorted.h"
#include "linalg/normal.h"
#include "model/series.h"

/* --- normal scores --- */

/* Robustly standardised and rounded, so that another unit or origin makes no tie and breaks none. */
static void round_off(int n, struct ckg__ranked *sorted, double *work)
{
    for (int i = 0; i < n; i++)
        work[i] = sorted[i].value;
    const double centre = ckg__quantile(work, n, 0.5);
    const double quarters = ckg__quantile(work, n, 0.75) - ckg__quantile(work, n, 0.25);
    const double spread = quarters > 0 ? quarters : work[n - 1] - work[0];
    for (int i = 0; i < n; i++)
        sorted[i].value = spread > 0 ? ckg__scaling_round((work[i] - centre) / spread) : 0;
}

int ckg__copula(int n, const double *value, struct ckg__arena *arena, double *score)
{
    struct ckg__arena_mark mark = ckg__arena_mark(arena);
    struct ckg__ranked *sorted = ckg__arena_get(arena, (size_t)n + 1, sizeof *sorted);
    double *work = ckg__arena_doubles(arena, (size_t)n + 1);

    if (!sorted || !work)
        return CKG_ERR_NOMEM;
    for (int i = 0; i < n; i++)
        sorted[i] = (struct ckg__ranked){value[i], i};
    ckg__rank(sorted, n);
    if (n)
        round_off(n, sorted, work);
    for (int first = 0, last; first < n; first = last) {
        last = first + 1;
        while (last < n && sorted[last].value == sorted[first].value)
            last++;
        /* the ranks first+1 … last have the average (first + 1 + last)/2 */
        const double at = ckg__normal_quantile(0.5 * (first + last) / n);
        for (int i = first; i < last; i++)
            score[sorted[i].of] = at;
    }
    ckg__arena_release(arena, mark);
    return CKG_OK;
}

/* --- bilog --- */

/* A ratio of distances as large as any that has a logarithm. */
static double in_units(double distance, double unit)
{
    return fmin(distance / unit, 1e300);
}

static double bilog(double distance, double unit)
{
    const double size = ckg__log1p(in_units(fabs(distance), unit));
    return distance < 0 ? -size : size;
}

double ckg__bilog_apply(const struct ckg__bilog *b, double value)
{
    if (isinf(b->lower))
        return bilog(value - b->upper, b->unit);
    if (isinf(b->upper))
        return bilog(value - b->lower, b->unit);
    const double half = 0.5 * (b->upper - b->lower);
    const double size = ckg__log1p(in_units(half, b->unit));
    return value >= b->lower + half ? size + bilog(value - b->upper, b->unit)
                                    : bilog(value - b->lower, b->unit) - size;
}

double ckg__bilog_distance(const struct ckg__bilog *b, double value)
{
    return fmin(fabs(value - b->lower), fabs(value - b->upper));
}

double ckg__bilog_violation(const struct ckg__bilog *b, double value)
{
    const double excess = fmax(value - b->upper, b->lower - value);
    return excess > 0 ? ckg__log1p(in_units(excess, b->unit)) : 0;
}

double ckg__bilog_unit(int n, const double *distance)
{
    const double median = n ? ckg__quantile(distance, n, 0.5) : 0;
    const double largest = n ? distance[n - 1] : 0;
    return median > 0 ? median : largest > 0 ? largest : 1;
}

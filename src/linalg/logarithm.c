/* Log-sum-exp (logarithm.h): the largest is taken out first. */
#include "linalg/logarithm.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/maths.h"
#include "linalg/vector.h"

double ckg__log_sum(double a, double b)
{
    const double top = fmax(a, b);

    return isfinite(top) ? top + ckg__log1p(ckg__exp(fmin(a, b) - top)) : top;
}

double ckg__log_join(double *sum, double one)
{
    const double top = fmax(*sum, one);

    if (!isfinite(top)) {
        *sum = top;
        return 0;
    }
    *sum = top + ckg__log(ckg__exp(*sum - top) + ckg__exp(one - top));
    return ckg__exp(one - *sum);
}

/* to (m) += sign·from. */
static void add(int m, double sign, const double *restrict from, double *restrict to)
{
    for (int p = 0; p < m; p++)
        to[p] += sign * from[p];
}

/* top (m) ← the largest of each column; −DBL_MAX where none is finite, which leaves shares of zero. */
static void find_top(int rows, int m, const double *logs, double *top)
{
    const size_t columns = (size_t)m;

    memcpy(top, logs, columns * sizeof *top);
    for (size_t i = 1; i < (size_t)rows; i++)
        for (size_t p = 0; p < columns; p++)
            top[p] = logs[i * columns + p] > top[p] ? logs[i * columns + p] : top[p];
    for (size_t p = 0; p < columns; p++)
        top[p] = isfinite(top[p]) ? top[p] : -DBL_MAX;
}

int ckg__log_mean(int rows, int m, double *logs, struct ckg__arena *arena, double *value)
{
    const size_t columns = (size_t)m;
    double *top = ckg__arena_doubles(arena, 2 * columns);

    assert(rows > 0 && m >= 0);
    if (!top)
        return CKG_ERR_NOMEM;
    double *sum = top + columns;

    /* Each relative to its column's largest, */
    find_top(rows, m, logs, top);
    for (size_t i = 0; i < (size_t)rows; i++)
        add(m, -1, top, logs + i * columns);
    ckg__vector()->exp(rows * m, logs, logs);

    /* their sums, */
    memset(sum, 0, columns * sizeof *sum);
    for (size_t i = 0; i < (size_t)rows; i++)
        add(m, 1, logs + i * columns, sum);
    for (size_t p = 0; p < columns; p++) {
        value[p] += sum[p] > 0 ? top[p] + ckg__log(sum[p] / rows) : -INFINITY;
        sum[p] = sum[p] > 0 ? 1 / sum[p] : 0;
    }

    /* and their shares. */
    for (size_t i = 0; i < (size_t)rows; i++)
        for (size_t p = 0; p < columns; p++)
            logs[i * columns + p] *= sum[p];
    return CKG_OK;
}

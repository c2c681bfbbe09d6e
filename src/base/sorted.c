/* Ascending numbers (sorted.h). */
#include "base/sorted.h"

#include <stdlib.h>
#include <string.h>

double ckg__quantile(const double *sorted, int n, double p)
{
    const double at = p * (n - 1);
    const int i = (int)at < n - 1 ? (int)at : n - 1;
    const int next = i + 1 < n ? i + 1 : i;
    return sorted[i] + (at - i) * (sorted[next] - sorted[i]);
}

void ckg__sorted_insert(double *sorted, int n, double value)
{
    int low = 0;
    int high = n;

    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (sorted[middle] <= value)
            low = middle + 1;
        else
            high = middle;
    }
    memmove(sorted + low + 1, sorted + low, (size_t)(n - low) * sizeof *sorted);
    sorted[low] = value;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;

    return (x > y) - (x < y);
}

void ckg__sort(double *values, int n)
{
    qsort(values, (size_t)n, sizeof *values, ascending);
}

static int before(const void *a, const void *b)
{
    const struct ckg__ranked *x = a;
    const struct ckg__ranked *y = b;
    const int order = ascending(&x->value, &y->value);

    return order ? order : (x->of > y->of) - (x->of < y->of);
}

void ckg__rank(struct ckg__ranked *ranked, int n)
{
    qsort(ranked, (size_t)n, sizeof *ranked, before);
}

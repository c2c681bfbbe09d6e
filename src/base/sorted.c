/* Ascending numbers (sorted.h). */
#include "base/sorted.h"

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

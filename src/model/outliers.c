/*
 * Absurd values by the gap before them. By their distances from the median, d_1 <= d_2 <= …, values from
 * k + 1 on are absurd when d_{k+1} > gap·max(d_k, the limit's distance), for the smallest such k that leaves
 * enough. A tail that is merely heavy has no such gap. Cost O(n).
 */
#include "model/outliers.h"

#include <assert.h>
#include <math.h>

enum { FEWEST_LEFT = 4 };

static const double margin = 1.5;

static int count_apart(const struct ckg__sample *sample)
{
    int apart = 0;
    for (int i = 0; i < sample->n; i++)
        apart += sample->sorted[i].apart;
    return apart;
}

int ckg__ordinary(const struct ckg__sample *sample, struct ckg__window *window)
{
    const struct ckg__member *sorted = sample->sorted;
    const double centre = sample->median;
    const int all = count_apart(sample);
    const int least = (all + 1) / 2 > FEWEST_LEFT ? (all + 1) / 2 : FEWEST_LEFT;
    int left = all;
    int first = 0;
    int last = sample->n - 1;
    int found = 0;

    assert(sample->limit >= 0);

    /* Without the farthest value, and the next, …: is there a gap before those that are left? */
    while (first < last) {
        const int below = centre - sorted[first].value > sorted[last].value - centre;
        const struct ckg__member *farthest = below ? &sorted[first++] : &sorted[last--];
        left -= farthest->apart;
        if (left < least)
            break;

        const double next = fmax(centre - sorted[first].value, sorted[last].value - centre);
        const double radius = fmax(next, sample->limit);
        if (radius > 0 && fabs(farthest->value - centre) > sample->gap * radius) {
            *window = (struct ckg__window){centre - margin * radius, centre + margin * radius};
            found = 1;
        }
    }
    return found;
}

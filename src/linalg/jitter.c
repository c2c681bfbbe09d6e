/*
 * Cholesky with growing jitter (jitter.h). Cost: n³/3 and one filling for every attempt; nearly always one.
 */
#include "linalg/jitter.h"

#include <assert.h>

#include "linalg/dense.h"

int ckg__jitter_factor(int n, double *A, int lda, struct ckg__jitter ladder, ckg__jitter_fill fill,
                       void *context, const struct ckg__workers *workers, double *jitter)
{
    int pivot = 1;

    assert(n >= 0 && lda >= n);
    assert(ladder.from > 0 || ladder.step > 0);

    for (*jitter = ladder.from; *jitter <= ladder.most; *jitter = *jitter > 0 ? 10 * *jitter : ladder.step) {
        pivot = fill(context, *jitter) ? -1 : ckg__dense()->cholesky(n, A, lda, workers);
        if (pivot <= 0)
            break;
    }
    return pivot;
}

/*
 * The factor of a matrix that rounding may have left indefinite: a little is added to its diagonal, tenfold
 * more each time it fails.
 */
#ifndef CKG_LINALG_JITTER_H
#define CKG_LINALG_JITTER_H

#include "base/threads.h"

/* What is added: `from`, then tenfold more up to `most`; where from is 0, `step` comes second. */
struct ckg__jitter {
    double from, step, most;
};

/* Writes the lower triangle of the matrix with that jitter on its diagonal; not 0: it was to give up. */
typedef int (*ckg__jitter_fill)(void *context, double jitter);

/*
 * A (n×n, leading dimension lda), which `fill` writes anew for every attempt, ← its Cholesky factor; *jitter
 * is what it took. Returns 0, a pivot's number when nothing helped, or −1 when it was to give up. The team,
 * unless NULL, shares the work.
 */
int ckg__jitter_factor(int n, double *A, int lda, struct ckg__jitter ladder, ckg__jitter_fill fill,
                       void *context, const struct ckg__workers *workers, double *jitter);

#endif

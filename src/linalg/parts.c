/*
 * Columns of a solve, and rows of a product, do not know of each other: however many come at once give the
 * same bits. Whole strips of every tile (strip.h) come together.
 */
#include "linalg/parts.h"

#include <stddef.h>

#include "base/error.h"
#include "linalg/dense.h"

enum { PART = 48 };

/* How many of those from `first` on come next, when each is so much work. */
static int next_part(int first, int m, double work)
{
    const int left = m - first;

    return left <= PART || work * m <= CKG__INTERRUPT_WORK ? left : PART;
}

int ckg__parts_solve(struct ckg__interrupt *interrupt, int transposed, int n, int m, const double *L, int ldl,
                     double *B, int ldb)
{
    const struct ckg__dense_ops *dense = ckg__dense();
    const double column = 0.5 * n * n;

    for (int first = 0, count; first < m; first += count) {
        count = next_part(first, m, column);
        if (ckg__interrupted_by(interrupt, column * count))
            return CKG_ERR_CANCELLED;
        if (transposed)
            dense->solve_lower_transposed(n, count, L, ldl, B + first, ldb);
        else
            dense->solve_lower(n, count, L, ldl, B + first, ldb);
    }
    return CKG_OK;
}

int ckg__parts_multiply(struct ckg__interrupt *interrupt, int m, int n, int k, double sign, const double *A,
                        int lda, const double *B, int ldb, int keep, double *C, int ldc)
{
    const double row = (double)n * k;

    for (int first = 0, count; first < m; first += count) {
        count = next_part(first, m, row);
        if (ckg__interrupted_by(interrupt, row * count))
            return CKG_ERR_CANCELLED;
        ckg__dense()->multiply_tn(count, n, k, sign, A + first, lda, B, ldb, keep,
                                  C + (size_t)first * (size_t)ldc, ldc);
    }
    return CKG_OK;
}

const struct ckg__workers *ckg__parts_workers(struct ckg__interrupt *interrupt, int n,
                                              struct ckg__workers *workers)
{
    *workers = (struct ckg__workers){.alone = interrupt};
    return (double)n * n * n / 6 > CKG__INTERRUPT_WORK ? workers : NULL;
}

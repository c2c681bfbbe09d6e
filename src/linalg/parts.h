/*
 * Long dense work in parts, between which the interrupt is looked at. The bits are those of the whole.
 */
#ifndef CKG_LINALG_PARTS_H
#define CKG_LINALG_PARTS_H

#include "base/threads.h"

/*
 * B (n×m) ← L⁻¹B or, transposed, L⁻ᵀB. CKG_ERR_CANCELLED, without a message, when the interrupt (NULL: none)
 * says so; B is spoilt then.
 */
int ckg__parts_solve(struct ckg__interrupt *interrupt, int transposed, int n, int m, const double *L, int ldl,
                     double *B, int ldb);

/* C (m×n) ← sign·AᵀB (+ C when keep) with A (k×m), B (k×n); likewise. */
int ckg__parts_multiply(struct ckg__interrupt *interrupt, int m, int n, int k, double sign, const double *A,
                        int lda, const double *B, int ldb, int keep, double *C, int ldc);

/*
 * Who factors an n×n matrix alone, and may be interrupted; NULL where that is too little work to ask about.
 * `team` is filled for it.
 */
const struct ckg__workers *ckg__parts_workers(struct ckg__interrupt *interrupt, int n,
                                              struct ckg__workers *workers);

#endif

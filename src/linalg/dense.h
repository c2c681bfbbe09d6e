/*
 * Dense kernels for Gaussian processes: Cholesky, triangular solves with many right-hand sides, inverse,
 * products. All matrices are row-major with a leading dimension; of a symmetric or triangular matrix only the
 * lower triangle is read or written. No allocation; any n, m >= 0. The same bits in every variant (lanes.h).
 * What takes a team shares its work with it, and gives the same bits with any team and with none (NULL).
 */
#ifndef CKG_LINALG_DENSE_H
#define CKG_LINALG_DENSE_H

#include "base/threads.h"

struct ckg__dense_ops {
    /*
     * A (n×n) ← its Cholesky factor L, in place. Returns 0; or i+1 when pivot i is not positive or not
     * finite, −1 when the team was to give up (A is then spoilt).
     */
    int (*cholesky)(int n, double *A, int lda, const struct ckg__workers *workers);

    /* B (n×m) ← L⁻¹B. */
    void (*solve_lower)(int n, int m, const double *L, int ldl, double *B, int ldb);

    /* B (n×m) ← L⁻ᵀB. */
    void (*solve_lower_transposed)(int n, int m, const double *L, int ldl, double *B, int ldb);

    /*
     * A (n×n), holding L in its lower triangle, ← the lower triangle of (LLᵀ)⁻¹. Returns 0, or −1 when the
     * team was to give up (A is then spoilt).
     */
    int (*inverse_from_cholesky)(int n, double *A, int lda, const struct ckg__workers *workers);

    /* C (m×n) ← sign·AᵀB (+ C when keep) with A (k×m), B (k×n); sign is 1 or −1. */
    void (*multiply_tn)(int m, int n, int k, double sign, const double *A, int lda, const double *B, int ldb,
                        int keep, double *C, int ldc);

    /* y (m) ← Aᵀx for A (n×m): y_j = Σ_i x_i A_ij. */
    void (*combine_rows)(int n, int m, const double *A, int lda, const double *x, double *y);

    /* y (m) ← y less the sums of squares of the columns of A (n×m), as multiply_tn subtracts products. */
    void (*subtract_squares)(int n, int m, const double *A, int lda, double *y);

    double (*dot)(int n, const double *x, const double *y);
};

/* The table for this processor. Thread-safe. */
const struct ckg__dense_ops *ckg__dense(void);

extern const struct ckg__dense_ops ckg__dense_ops_base, ckg__dense_ops_v3, ckg__dense_ops_v4;

#endif

/*
 * The covariance of a process before any data: a stationary kernel s²κ and, where the outcome has a trend, a
 * linear part beside it:
 *
 *     k(x, x') = s²κ(r²) + l·z,   z = Σ_k (x_k − ½)(x'_k − ½) in the unit cube
 *
 * It is what a linear function with slopes ~ N(0, l) adds to the process: once there are more data than
 * slopes, an outcome that is linear is known everywhere, and what it is beyond that is the kernel's. Points
 * come scaled by 1/ℓ and dimension-major, as kernels take them.
 */
#ifndef CKG_MODEL_COVARIANCE_H
#define CKG_MODEL_COVARIANCE_H

#include "model/kernel.h"

struct ckg__covariance {
    enum ckg__kernel kernel;
    int D;
    double s2;
    double linear;         /* l; 0: no trend */
    const double *inv_ell; /* (D) */
    /* the linear part's own rows (n×ldz, lower) where they are known already: they do not change with theta
     */
    const double *Z;
    int ldz;
};

/* The variance that the nugget is relative to. */
double ckg__covariance_unit(const struct ckg__covariance *c);

/* K (n×m) between A (D×n) and B (D×m), and the kernel's slopes G (n×m) unless NULL. */
void ckg__covariance_cross(const struct ckg__covariance *c, int n, const double *A, int lda, int m,
                           const double *B, int ldb, double *K, double *G, int ldk);

/* Rows first … end−1 of the lower triangle of K (n×n) of A with itself. */
void ckg__covariance_rows(const struct ckg__covariance *c, int first, int end, const double *A, int lda,
                          double *K, int ldk);

/* row (i+1) ← row i of the lower triangle of the linear part of that. */
void ckg__covariance_linear_row(const struct ckg__covariance *c, int i, const double *A, int lda,
                                double *row);

/* k(x, x) at point p of B, and what it is at most in the unit cube. */
double ckg__covariance_own(const struct ckg__covariance *c, const double *B, int ldb, int p);
double ckg__covariance_most(const struct ckg__covariance *c);

/* Column p of out (D×m) += factor·∂k(x, x)/∂x at point p of B, times ℓ. */
void ckg__covariance_own_gradient(const struct ckg__covariance *c, const double *B, int ldb, int p,
                                  double factor, double *out, int ldo);

/* out (D×m) ← Σ_i W_ip ∂k(a_i, b_p)/∂b_p, times ℓ, with the kernel's slopes G (n×m); W (n×m). */
void ckg__covariance_gradient_each(const struct ckg__covariance *c, int n, const double *A, int lda, int m,
                                   const double *B, int ldb, const double *W, int ldw, const double *G,
                                   int ldg, double *out, int ldo);

/* The same with weights w (n) common to all points. */
void ckg__covariance_gradient_common(const struct ckg__covariance *c, int n, const double *A, int lda, int m,
                                     const double *B, int ldb, const double *w, const double *G, int ldg,
                                     double *out, int ldo);

#endif

/*
 * Stationary kernels k = s²·κ(r²) with r² = Σ_k ((a_k − b_k)/ℓ_k)², and the sums over their derivatives that
 * models and posteriors need. Points come scaled by 1/ℓ and dimension-major: coordinate k of point i of A is
 * A[k·lda + i]. With every kernel goes its slope g = 2·dk/d(r²), from which ∂k/∂a_k = g·(a_k − b_k)/ℓ_k (in
 * scaled differences).
 *
 *     rbf       κ = exp(−r²/2)                       g = −k
 *     matern52  κ = (1 + a + a²/3)e^{−a}, a = √5 r   g = −(5/3)s²(1 + a)e^{−a}
 *     matern32  κ = (1 + a)e^{−a}, a = √3 r          g = −3s²e^{−a}
 */
#ifndef CKG_MODEL_KERNEL_H
#define CKG_MODEL_KERNEL_H

enum ckg__kernel { CKG__RBF, CKG__MATERN52, CKG__MATERN32, CKG__KERNELS };

#define CKG__KERNEL_NAMES "rbf", "matern52", "matern32" /* in the same order; users type them */
extern const char *const ckg__kernel_names[CKG__KERNELS];

struct ckg__kernel_ops {
    /* K (n×m) between A (D×n) and B (D×m), and the slopes G (n×m) unless NULL. */
    void (*cross)(enum ckg__kernel kernel, int D, int n, const double *A, int lda, int m, const double *B,
                  int ldb, double s2, double *K, double *G, int ldk);

    /* Rows first … end−1 of the lower triangle of K (n×n) of A with itself. */
    void (*symmetric)(enum ckg__kernel kernel, int D, int first, int end, const double *A, int lda, double s2,
                      double *K, int ldk);

    /* The same rows of the slopes G (n×n) of A with itself. */
    void (*slopes)(enum ckg__kernel kernel, int D, int first, int end, const double *A, int lda, double s2,
                   double *G, int ldg);

    /*
     * g (D) ← Σ_{j<i} (α_i α_j − C_ij)·(−G_ij)·δ_k² over the same rows i, δ the scaled difference: their
     * share in the likelihood's derivative in log ℓ_k when C = K⁻¹. Spoils those rows of the lower triangle
     * of C.
     */
    void (*lengthscale_gradient)(int D, int first, int end, const double *A, int lda, const double *alpha,
                                 double *C, int ldc, const double *G, int ldg, double *g);

    /* out (D×m) ← Σ_i W_ip G_ip (B_kp − A_ki), W (n×m). */
    void (*gradient_each)(int D, int n, const double *A, int lda, int m, const double *B, int ldb,
                          const double *W, int ldw, const double *G, int ldg, double *out, int ldo);

    /* The same with weights w (n) common to all points. */
    void (*gradient_common)(int D, int n, const double *A, int lda, int m, const double *B, int ldb,
                            const double *w, const double *G, int ldg, double *out, int ldo);

    /*
     * row (m) += l·Σ_k (x_k − ½)(x'_kp − ½), the linear part (covariance.h) between one point a (stride lda)
     * and those of B (D×m); x = a/inv_ell.
     */
    void (*add_linear)(int D, const double *a, int lda, int m, const double *B, int ldb,
                       const double *inv_ell, double l, double *row);

    /* out (D×m) += l·Σ_i W_ip (x_ki − ½)/inv_ell_k, W (n×m): its share in gradient_each. */
    void (*linear_each)(int D, int n, const double *A, int lda, int m, const double *W, int ldw,
                        const double *inv_ell, double l, double *out, int ldo);
};

const struct ckg__kernel_ops *ckg__kernels(void);

extern const struct ckg__kernel_ops ckg__kernel_ops_base, ckg__kernel_ops_v3, ckg__kernel_ops_v4;

#endif

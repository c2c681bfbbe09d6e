/*
 * Elementary functions over arrays, vectorised. Input and output may be the same array. A few ulp each.
 */
#ifndef CKG_LINALG_VECTOR_H
#define CKG_LINALG_VECTOR_H

struct ckg__vector_ops {
    /* full range; 0 below −745, ∞ above 709.8 */
    void (*exp)(int n, const double *x, double *y);
    void (*log)(int n, const double *x, double *y);                           /* −∞ at 0, NaN below */
    void (*normal_cdf)(int n, const double *x, double *cdf);                  /* Φ */
    void (*normal_cdf_pdf)(int n, const double *x, double *cdf, double *pdf); /* Φ and φ together */
    /* log Φ and φ/Φ together; mills may be NULL */
    void (*normal_log_cdf)(int n, const double *x, double *log_cdf, double *mills);
    void (*normal_ei)(int n, const double *z, double *ei); /* φ(z) + zΦ(z) */
};

/* The table for this processor. Thread-safe. */
const struct ckg__vector_ops *ckg__vector(void);

extern const struct ckg__vector_ops ckg__vector_ops_base, ckg__vector_ops_v3, ckg__vector_ops_v4;

#endif

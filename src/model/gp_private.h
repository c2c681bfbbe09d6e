/*
 * What a process is made of, for model/ and posterior/ alone: constant mean m, covariance k
 * (covariance.h), a diagonal of noise. Holds the factor L of K + Σ and what follows from it: beta = L⁻¹(y −
 * m), alpha = L⁻ᵀbeta. Inputs are scaled by 1/ℓ and dimension-major.
 */
#ifndef CKG_MODEL_GP_PRIVATE_H
#define CKG_MODEL_GP_PRIVATE_H

#include "linalg/jitter.h"
#include "model/gp.h"

struct ckg__gp {
    struct ckg__covariance k;
    const struct ckg__likelihood *likelihood;
    int D, n, capacity;   /* capacity is the leading dimension of A and L */
    double *inv_ell;      /* (D) */
    double *A;            /* D×capacity */
    double *L;            /* capacity×capacity, lower */
    double *beta, *alpha; /* (capacity) */
    double *row_noise;    /* (capacity) the diagonal of Σ, without the nugget */
    int *design;          /* (capacity) the design of each row; −1: none */
    double unit;          /* variance that the nugget is relative to */
    double mean, nugget;
    double mean_precision; /* of the normal prior of the mean around 0 */
    double noise;          /* estimated variance of one evaluation, 0: none */
    double future;         /* variance that one further evaluation is expected to carry, nugget included */
    const void *state;     /* the likelihood's own: that of the series, which lasts as long */
    double log_likelihood;
    struct ckg__interrupt *interrupt; /* whoever asks it looks at it; NULL: nobody does */
};

/* The smallest nugget relative to the covariance's unit, and the largest tried when a factorisation fails. */
#define CKG__NUGGET 1e-11
#define CKG__NUGGET_MAX 1e-3

/* The smallest variance that counts, with that nugget and unit: below it rounding rules. */
static inline double ckg__floor_of(double nugget, double unit)
{
    return 1e-4 * nugget * unit;
}

/* Frees what a process holds, and leaves one without rows. */
void ckg__gp_free(struct ckg__gp *gp);

/* Rows of a matrix that one task gets. */
enum { CKG__GP_ROWS = 32 };

/* Multiply-adds that a value of a kernel is worth beside those of its distance. */
enum { CKG__KERNEL_WORK = 8 };

/* Scaled inputs A (D×lda) ← X/ℓ; inv_ell (D). */
void ckg__gp_scale(const struct ckg__gp_inputs *inputs, const double *theta, double *inv_ell, double *A,
                   int lda);

/*
 * The factor of K + Σ at n rows scaled into A (D×lda), with the diagonal row_noise (n) of Σ: L in `L`.
 * *nugget is the least that is tried, and becomes the one used. 0, a pivot's number when every nugget failed,
 * or −1 when it was to give up.
 */
int ckg__gp_factor(int n, const struct ckg__covariance *k, const double *row_noise, const double *A, int lda,
                   double *L, int ldl, const struct ckg__workers *workers, double *nugget);

/* The covariance of the inputs with that signal variance and 1/ℓ. */
struct ckg__covariance ckg__gp_covariance(const struct ckg__gp_inputs *inputs, double s2,
                                          const double *inv_ell);

/* alpha ← L⁻ᵀbeta. */
void ckg__gp_weigh(struct ckg__gp *gp);

#endif

/*
 * One Gaussian process: constant mean m, kernel s²κ, a diagonal of noise. Holds the factor L of K + Σ and
 * what follows from it: beta = L⁻¹(y − m), alpha = L⁻ᵀbeta. Inputs are scaled by 1/ℓ and dimension-major.
 */
#ifndef CKG_MODEL_GP_H
#define CKG_MODEL_GP_H

#include "base/arena.h"
#include "base/threads.h"
#include "data/data.h"
#include "model/kernel.h"

/*
 * The hyperparameters theta (d+2), all logarithms: ℓ_1 … ℓ_d, noise variance, signal variance. A categorical
 * has one ℓ for all of its coordinates: group[k] is the parameter that coordinate k belongs to.
 */
struct ckg__gp_inputs {
    enum ckg__kernel kernel;
    int d, D, n;
    const int *group; /* (D) */
    const double *X;  /* D×ldx, dimension-major, unscaled */
    int ldx;
    const struct ckg__series *series;
    double mean_precision;        /* of the normal prior of m around 0; INFINITY: m = 0 */
    const struct ckg__team *team; /* shares the work on a large matrix; NULL: nobody does */
};

struct ckg__gp {
    enum ckg__kernel kernel;
    int D, n, capacity;   /* capacity is the leading dimension of A and L */
    double *inv_ell;      /* (D) */
    double *A;            /* D×capacity */
    double *L;            /* capacity×capacity, lower */
    double *beta, *alpha; /* (capacity) */
    double s2, mean, nugget;
    double noise;  /* estimated variance of one evaluation, 0: none */
    double future; /* variance that one further evaluation is expected to carry, nugget included */
    double log_likelihood;
};

/* The smallest nugget relative to s², and the largest tried when a factorisation fails. */
#define CKG__NUGGET 1e-11
#define CKG__NUGGET_MAX 1e-3

/* Makes room for `capacity` rows in D dimensions; what was there is lost when it grows. */
int ckg__gp_reserve(struct ckg__gp *gp, int D, int capacity);
void ckg__gp_free(struct ckg__gp *gp);

/*
 * Conditions the process on the inputs with these hyperparameters; room for them is reserved already.
 * CKG_ERR_NUMERIC when no nugget helps.
 */
int ckg__gp_set(struct ckg__gp *gp, const struct ckg__gp_inputs *inputs, const double *theta,
                struct ckg__arena *arena);

/* Adds an observation y with that noise variance at u (D) in O(n²); u's noise may be the nugget alone. */
int ckg__gp_append(struct ckg__gp *gp, const double *u, double y, double noise);

/* Forgets all rows from n on; O(n²). */
void ckg__gp_truncate(struct ckg__gp *gp, int n);

/*
 * The factor of K + Σ at inputs scaled into A (D×lda): L in `L`, the nugget used; 0, or a pivot's number when
 * every nugget failed.
 */
int ckg__gp_factor(const struct ckg__gp_inputs *inputs, double s2, double noise, const double *A, int lda,
                   double *L, int ldl, double *nugget);

/*
 * From this many rows on the work on a process is worth sharing with workers that have nothing to do; rows of
 * a matrix that one task gets.
 */
enum { CKG__SHARE_ROWS = 96, CKG__GP_ROWS = 32 };

/* Scaled inputs A (D×lda) ← X/ℓ; inv_ell (D). */
void ckg__gp_scale(const struct ckg__gp_inputs *inputs, const double *theta, double *inv_ell, double *A,
                   int lda);

/* The noise variance of row i. */
double ckg__gp_row_noise(const struct ckg__series *series, int i, double noise);

/*
 * beta (n) ← L⁻¹(y − m) with the best m under its prior, which is returned; ones (n) is scratch. *fit is the
 * log density of the series but for the hyperparameters' prior.
 */
double ckg__gp_center(const struct ckg__gp_inputs *inputs, double noise, const double *L, int ldl,
                      double *beta, double *ones, double *fit);

#endif

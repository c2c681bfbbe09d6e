/*
 * One outcome's Gaussian process, conditioned on what was measured of it. Whoever is not of model/ or
 * posterior/ asks it through the functions here and in posterior/: what it is made of stays in
 * model/gp_private.h.
 *
 * What was measured need not be the outcome with normal noise of one variance: what a measurement says is the
 * business of its likelihood (model/likelihood.h), and each row keeps the noise that it was conditioned with.
 */
#ifndef CKG_MODEL_GP_H
#define CKG_MODEL_GP_H

#include "base/arena.h"
#include "base/threads.h"
#include "model/covariance.h"
#include "model/series.h"

struct ckg__gp;

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
    double mean_precision;              /* of the normal prior of m around 0; INFINITY: m = 0 */
    const struct ckg__workers *workers; /* shares the work on a large matrix; NULL: nobody does */
    int linear;                         /* 1: a trend beside the kernel (covariance.h) */
    /* whoever fits, conditions or asks the process looks at it; NULL: nobody does */
    struct ckg__interrupt *interrupt;
};

/* A process without rows or room for any; NULL when there is no memory. */
struct ckg__gp *ckg__gp_new(void);
/* Frees it; NULL is allowed. */
void ckg__gp_delete(struct ckg__gp *gp);

/* Makes room for `capacity` rows in D dimensions; what was there is lost when it grows. */
int ckg__gp_reserve(struct ckg__gp *gp, int D, int capacity);

/* 1 when there is room for so many rows. */
int ckg__gp_has_room(const struct ckg__gp *gp, int rows);

/*
 * Conditions the process on the inputs with these hyperparameters; room for them is reserved already.
 * CKG_ERR_NUMERIC when no nugget helps; CKG_ERR_CANCELLED, without a message, when it was to give up.
 */
int ckg__gp_set(struct ckg__gp *gp, const struct ckg__gp_inputs *inputs, const double *theta,
                struct ckg__arena *arena);

/*
 * Adds an observation y of the design of that number (−1: of none) with that noise variance at u (D) in
 * O(n²); u's noise may be the nugget alone.
 */
int ckg__gp_append(struct ckg__gp *gp, int design, const double *u, double y, double noise);

/* Forgets all rows from n on; O(n²). */
void ckg__gp_truncate(struct ckg__gp *gp, int n);

/* --- what it can be asked --- */

int ckg__gp_coordinates(const struct ckg__gp *gp); /* D */

/* 1/ℓ of each coordinate (D). */
const double *ckg__gp_inverse_lengthscales(const struct ckg__gp *gp);

/* What the process is before any data: its mean, and its largest standard deviation in the unit cube. */
void ckg__gp_prior(const struct ckg__gp *gp, double *mean, double *sd);

/* The variance that stands on the diagonal for numerical reasons alone. */
double ckg__gp_nugget_variance(const struct ckg__gp *gp);

/* The variance that chance adds before limits decide whether an evaluation succeeds (likelihood.h); else 0.
 */
double ckg__gp_chance(const struct ckg__gp *gp);

/* 1 when further evaluations are expected to carry noise, beyond the nugget. */
int ckg__gp_is_noisy(const struct ckg__gp *gp);

/* What a fit found, for people. Variances and mean in model units. */
struct ckg__gp_summary {
    enum ckg__kernel kernel;
    int linear; /* 1: a trend beside it */
    int rows;
    double mean, signal, noise; /* noise: the estimated variance of one evaluation, 0: none */
    double nugget;              /* relative to the signal's variance */
    double log_likelihood;
};

struct ckg__gp_summary ckg__gp_describe(const struct ckg__gp *gp);

/*
 * The mean square of what the last `rows` rows were off by, each predicted from the rows before it, in
 * standard deviations of that prediction: 1 where predictions are as sure as they should be, more where they
 * are too sure.
 */
double ckg__gp_surprise(const struct ckg__gp *gp, int rows);

/* From this many rows on the work on a process is worth sharing with workers that have nothing to do. */
enum { CKG__SHARE_ROWS = 96 };

/* The team where that is so, else NULL. */
const struct ckg__workers *ckg__gp_workers(const struct ckg__gp *gp, const struct ckg__workers *workers);

#endif

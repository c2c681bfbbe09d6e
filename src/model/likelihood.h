/*
 * What a measurement says of an outcome: one table of functions for each sort of measurement. A posterior is
 * a Gaussian process whatever the sort: where measurements are not normal (successes and failures),
 * `condition` gives each row the normal measurement that stands for it, its value and the variance of its
 * noise, and `noise` says what a further one would be worth. Everything behind a process (posterior,
 * acquisitions, policies) knows rows with noise, and asks for the noise of a further evaluation at a point;
 * nothing assumes that it is one number.
 *
 * A sort of its own is one file with one table, and a name in the list below; a fit is by the first of the
 * list that applies to its series.
 */
#ifndef CKG_MODEL_LIKELIHOOD_H
#define CKG_MODEL_LIKELIHOOD_H

#include "model/gp.h"
#include "model/series.h"

struct ckg__prior;

/* Scratch for densities at one (n, d, D), taken once from an arena. */
struct ckg__fit_work {
    double *A, *L, *G, *beta, *alpha, *ones, *inv_ell, *slope, *noise;
    int ld;
    double *Z;     /* n×ld, the linear part of the covariance; NULL: none */
    double *label; /* CKG__LABEL_NUMBERS×n, for labels: their sites among them */
    int labelled;  /* 1: the sites are those of the last density, and the next begins there */
};

enum { CKG__LABEL_NUMBERS = 51 };

/*
 * The variance of the noise of one further evaluation at each of m points, nugget included: the evaluation
 * teaches as much as a normal measurement with this noise. Unless NULL also its slopes in the mean and in the
 * variance that the process has there, and in the points themselves.
 */
struct ckg__noise {
    double *var;              /* (m) */
    double *in_mean, *in_var; /* (m) or NULL */
    double *in_u;             /* D×m, leading dimension m, or NULL */
};

struct ckg__likelihood {
    const char *name;

    /* 1: the noise of a further evaluation has slopes; 0: it is the same everywhere. */
    int varies;

    /*
     * The variance that chance adds to the process before limits decide: 0 where the outcome is the process;
     * 1 for successes, which come to pass where process + N(0, 1) is above 0.
     */
    double chance;

    /* 1 when the series is of such measurements. */
    int (*applies)(const struct ckg__series *series);

    /* What is known of the hyperparameters before the data, also where a flat prior is asked for: where
     * successes and failures lie apart, no signal is too large for that. NULL: what is known of values. */
    struct ckg__prior (*prior)(int d);

    /* Mean and sd of the outcome in the user's units, where the process has these in model units. */
    void (*moments)(const struct ckg__scaling *scaling, double y_mean, double y_sd, double *mean, double *sd);

    /*
     * The log density of what was measured at theta (d+2), and its gradient (d+2) unless NULL; −INFINITY
     * where there is no factor.
     */
    double (*density)(const struct ckg__gp_inputs *inputs, const double *theta, double *gradient,
                      struct ckg__fit_work *work);

    /* Conditions the process: every field but D, capacity and likelihood. */
    int (*condition)(struct ckg__gp *gp, const struct ckg__gp_inputs *inputs, const double *theta,
                     struct ckg__arena *arena);

    /* The noise of a further evaluation at the points U (D×m), where the process has these means and
     * variances. */
    void (*noise)(const struct ckg__gp *gp, int m, const double *U, int ldu, const double *mean,
                  const double *var, struct ckg__noise *out);
};

/*
 * Successes and failures: the process is the probit of the probability of success. The outcome itself, with
 * normal noise whose estimated variance varies over the space: the series has a loudness (noise_process.h).
 * The same with one estimated variance, known ones, or none.
 */
#define CKG__LIKELIHOODS(X) X(probit) X(varying) X(normal)

#define CKG__LIKELIHOOD_DECLARE(name) extern const struct ckg__likelihood ckg__likelihood_##name;
CKG__LIKELIHOODS(CKG__LIKELIHOOD_DECLARE)
#undef CKG__LIKELIHOOD_DECLARE

/* The first that applies to the series. */
const struct ckg__likelihood *ckg__likelihood_of(const struct ckg__series *series);

/*
 * For normal noise, whether it varies or not: the density at theta (d+2) as above, without its gradient. α is
 * in work->alpha then, (K + Σ)⁻¹ in work->L and the diagonal of Σ in work->noise; −INFINITY where there is no
 * factor.
 */
double ckg__normal_density(const struct ckg__gp_inputs *inputs, const double *theta,
                           struct ckg__fit_work *work);

#endif

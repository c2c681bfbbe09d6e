/*
 * What a measurement says of an outcome: one table of functions for each sort of measurement. A posterior is
 * a Gaussian process whatever the sort: where measurements are not normal (successes and failures),
 * `condition` gives each row the normal measurement that stands for it, its value and the variance of its
 * noise, and `noise` says what a further one would be worth. Everything behind a process (posterior,
 * acquisitions, policies) knows rows with noise, and asks for the noise of a further evaluation at a point;
 * nothing assumes that it is one number.
 *
 * A sort of its own is one file with one table, and a name in the list below. The problem may say that an
 * outcome's measurements are such (`is_given`), or the data may (`needs`, by the evidence). What is its own
 * is its state: beside the hyperparameters once it is fitted, and in a series that is laid out, from which a
 * process borrows it.
 */
#ifndef CKG_MODEL_LIKELIHOOD_H
#define CKG_MODEL_LIKELIHOOD_H

#include "model/gp.h"
#include "model/series.h"

struct ckg__prior;
struct ckg__fit;

/* Scratch for densities at one (n, d, D), taken once from an arena. */
struct ckg__fit_work {
    double *A, *L, *G, *beta, *alpha, *ones, *inv_ell, *slope, *noise;
    int ld;
    double *Z;   /* n×ld, the linear part of the covariance; NULL: none */
    double *own; /* work_numbers×n, the likelihood's own */
    int warm;    /* 1: what it left there at the last density is where the next begins */
};

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

enum ckg__likelihood_traits {
    /* The noise of a further evaluation has slopes; without it is the same everywhere. */
    CKG__VARIES = 1,
    /* Values stand as they are: no scale is chosen for them, none counts as an outlier. */
    CKG__UNSCALED = 2,
    /*
     * They say so little of the hyperparameters that these have priors whatever the fit, that neither the
     * kernel nor a trend is chosen, and that nothing is sampled, corrected by its record or taken to be
     * rougher.
     */
    CKG__VAGUE = 4,
    /* The process has normal measurements that stand for the series' own, in a unit of its own. */
    CKG__STANDS_IN = 8,
};

struct ckg__likelihood {
    const char *name;
    unsigned traits;

    /*
     * The variance that chance adds to the process before limits decide: 0 where the outcome is the process;
     * 1 for successes, which come to pass where process + N(0, 1) is above 0.
     */
    double chance;

    /* 1 when the problem says that the outcome's measurements are such. NULL: it never does. */
    int (*is_given)(const struct ckg_problem *problem, int outcome);

    /*
     * The log evidence, beside that of the likelihood which is given, that it takes for the series to be of
     * such measurements; INFINITY: it is not to be tried. `present`: they are taken for such already; `open`:
     * it may be so where the problem does not say. NULL: the data have no say.
     */
    double (*needs)(const struct ckg_problem *problem, int outcome, const struct ckg__series *series,
                    int present, int open);

    /* Bytes of what is fitted beside theta, without pointers; all 0 before the first fit. */
    size_t state_size;

    /*
     * Fits theta (d+2) and the state from what they hold, to the series that `plain` takes for measurements
     * of the likelihood which is given. *evidence is the log posterior density then, to compare with
     * ckg__fit_density of `plain`; −INFINITY: it will not reach what it needs. NULL: theta is all, and is
     * climbed to.
     */
    int (*fit)(const struct ckg__fit *plain, double needed, double *theta, void *state, double *evidence,
               struct ckg__arena *arena);

    /*
     * series, that of the inputs, becomes one with this state: what its rows and the process need of it, from
     * the arena. NULL: nothing.
     */
    int (*lay_out)(const struct ckg__gp_inputs *inputs, const void *state, struct ckg__arena *arena,
                   struct ckg__series *series);

    /* What is known of the hyperparameters before the data, also where a flat prior is asked for: where
     * successes and failures lie apart, no signal is too large for that. NULL: what is known of values. */
    struct ckg__prior (*prior)(int d);

    /* Numbers of its own that a density needs for each row (struct ckg__fit_work). */
    int work_numbers;

    /* Mean and sd of the outcome in the user's units, where the process has these in model units. */
    void (*moments)(const struct ckg__scaling *scaling, double y_mean, double y_sd, double *mean, double *sd);

    /*
     * The log density of what was measured at theta (d+2), and its gradient (d+2) unless NULL; −INFINITY
     * where there is no factor.
     */
    double (*density)(const struct ckg__gp_inputs *inputs, const double *theta, double *gradient,
                      struct ckg__fit_work *work);

    /* Conditions the process: every field but D, capacity, likelihood, state and interrupt. */
    int (*condition)(struct ckg__gp *gp, const struct ckg__gp_inputs *inputs, const double *theta,
                     struct ckg__arena *arena);

    /* The noise of a further evaluation at the points U (D×m), where the process has these means and
     * variances. */
    void (*noise)(const struct ckg__gp *gp, int m, const double *U, int ldu, const double *mean,
                  const double *var, struct ckg__noise *out);
};

/*
 * Successes and failures: the process is the probit of the probability of success. The outcome itself, with
 * normal noise whose estimated variance varies over the space (noise_process.h). The same with one estimated
 * variance, known ones, or none: the last, for it applies to everything.
 */
#define CKG__LIKELIHOODS(X) X(probit) X(varying) X(normal)

#define CKG__LIKELIHOOD_DECLARE(name) extern const struct ckg__likelihood ckg__likelihood_##name;
CKG__LIKELIHOODS(CKG__LIKELIHOOD_DECLARE)
#undef CKG__LIKELIHOOD_DECLARE

/* All of them, and NULL. */
extern const struct ckg__likelihood *const ckg__likelihoods[];

/* The first that is given for the outcome. */
const struct ckg__likelihood *ckg__likelihood_given(const struct ckg_problem *problem, int outcome);

/* The series of the inputs as one of that likelihood, with the state that was fitted; NULL: there is none. */
int ckg__likelihood_lay_out(const struct ckg__likelihood *likelihood, const struct ckg__gp_inputs *inputs,
                            const void *state, struct ckg__arena *arena, struct ckg__series *series);

static inline int ckg__series_has(const struct ckg__series *series, enum ckg__likelihood_traits trait)
{
    return (series->likelihood->traits & (unsigned)trait) != 0;
}

/*
 * For normal noise, whether it varies or not: the density at theta (d+2) as above, without its gradient. α is
 * in work->alpha then, (K + Σ)⁻¹ in work->L and the diagonal of Σ in work->noise; −INFINITY where there is no
 * factor.
 */
double ckg__normal_density(const struct ckg__gp_inputs *inputs, const double *theta,
                           struct ckg__fit_work *work);

#endif

/*
 * Hyperparameters: the log posterior density and its gradient, its maximum by several starts of a
 * quasi-Newton method, and samples from it by slice sampling.
 */
#ifndef CKG_MODEL_FIT_H
#define CKG_MODEL_FIT_H

#include "base/arena.h"
#include "base/rng.h"
#include "model/gp.h"
#include "model/likelihood.h"

/* Normal priors of the logarithms, and the box they live in. sd = INFINITY: flat (maximum likelihood). */
struct ckg__prior {
    double ell_mean, ell_sd, ell_low, ell_high;
    double noise_mean, noise_sd, noise_low, noise_high;
    double signal_mean, signal_sd, signal_low, signal_high; /* low == high: fixed */
};

/*
 * For d parameters. The signal's variance is that of the standardised values where there is noise. Exact
 * values can tell more: near-linear outcomes have a large signal over long length-scales. Flat: for maximum
 * likelihood.
 */
struct ckg__prior ckg__prior_default(int d);
struct ckg__prior ckg__prior_exact(int d);
struct ckg__prior ckg__prior_beside_trend(int d);
struct ckg__prior ckg__prior_flat(void);

struct ckg__fit {
    struct ckg__gp_inputs inputs;
    struct ckg__prior prior;
};

int ckg__fit_work_take(struct ckg__fit_work *work, const struct ckg__fit *fit, struct ckg__arena *arena);

/*
 * The log posterior density at theta (d+2), up to a constant, and its gradient (d+2) unless NULL; −INFINITY
 * where there is no factor, and once the inputs' interrupt is raised or its deadline has passed.
 */
double ckg__fit_density(const struct ckg__fit *fit, const double *theta, double *gradient,
                        struct ckg__fit_work *work);

/* The log density of the prior at theta (d+2), up to a constant; its slopes are added to gradient (d+2). */
double ckg__fit_prior(const struct ckg__fit *fit, const double *theta, double *gradient);

/* Start number `start` (0 … CKG__FIT_STARTS−1) for theta (d+2). */
enum { CKG__FIT_STARTS = 4 };
void ckg__fit_start(const struct ckg__fit *fit, int start, double *theta);

/* Climbs from theta (d+2), which becomes the best point; *density its value. */
int ckg__fit_ascend(const struct ckg__fit *fit, int max_evaluations, double *theta, double *density,
                    struct ckg__arena *arena);

/*
 * Slice sampling, coordinate by coordinate: `burn` sweeps from theta (d+2), then `count` samples `thin`
 * sweeps apart into samples (count × (d+2)); theta is where the chain stands at the end.
 */
int ckg__fit_sample(const struct ckg__fit *fit, struct ckg__rng *rng, int burn, int count, int thin,
                    double *theta, double *samples, struct ckg__arena *arena);

#endif

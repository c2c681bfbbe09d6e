/* A Gaussian process on random data, for tests of the model and of all that stands on it. */
#ifndef CKG_TESTS_PROCESS_H
#define CKG_TESTS_PROCESS_H

#include <stdint.h>

#include "base/arena.h"
#include "base/rng.h"
#include "model/gp_private.h"
#include "model/likelihood.h"

enum { PROCESS_MAX_D = 8, PROCESS_MAX_N = 64 };

/* ESTIMATED has unequal replicate counts, KNOWN unequal variances, EXACT none, MIXED all of them in turn. */
enum process_noise { ESTIMATED, KNOWN, EXACT, MIXED };

struct process {
    struct ckg__arena arena;
    struct ckg__rng rng;
    struct ckg__series series;
    /* of series and the arrays below; every coordinate its own group, mean_precision 1 */
    struct ckg__gp_inputs inputs;
    struct ckg__gp gp;
    double theta[PROCESS_MAX_D + 2];
    int group[PROCESS_MAX_D];
    double X[PROCESS_MAX_D * PROCESS_MAX_N]; /* leading dimension PROCESS_MAX_N */
    double y[PROCESS_MAX_N], known[PROCESS_MAX_N], count[PROCESS_MAX_N];
    int design[PROCESS_MAX_N]; /* one a row */
};

/* Draws data of n rows and hyperparameters, and conditions the process on them. */
void process_make(struct process *p, enum ckg__kernel kernel, int D, int n, enum process_noise noise,
                  uint64_t seed);

/* A process without data: this mean, variance and noise of an observation everywhere. */
void process_make_empty(struct process *p, double mean, double var, double noise);

/* Conditions it again, after a change of inputs or theta. */
void process_set(struct process *p);

void process_free(struct process *p);

/*
 * A value that an incumbent of `best` gives to designs, at the PROCESS_EXACT data of a process in two
 * dimensions, and its gradient.
 */
enum { PROCESS_EXACT = 12 };
typedef int (*process_function)(struct process *p, double best, double *value, double *gradient);

/*
 * That value and gradient are finite on top of observations without noise, where the variance is at its
 * floor, for incumbents from −2 to 3.
 */
void check_at_exact_observations(process_function function, double step);

#endif

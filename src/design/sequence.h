/*
 * Points that fill the unit cube: Latin hypercube and scrambled Sobol.
 */
#ifndef CKG_DESIGN_SEQUENCE_H
#define CKG_DESIGN_SEQUENCE_H

#include "base/interrupt.h"
#include "base/rng.h"

/*
 * X (n×d, row-major): one point per stratum in every dimension, jittered inside it; among `tries` draws the
 * one whose smallest distance between two points is largest. Where that would take long, among fewer: after
 * CKG__LHS_WORK differences of coordinates there is no further try. `work` holds n·d doubles, `order` 2·n
 * ints. CKG_ERR_CANCELLED, without a message, when the interrupt (NULL: none) is raised.
 */
int ckg__design_lhs(struct ckg__rng *rng, int n, int d, int tries, double *X, double *work, int *order,
                    struct ckg__interrupt *interrupt);

/* More than twenty tries of any initial design of the default size take. */
#define CKG__LHS_WORK 5e8

/* Largest dimension of ckg__design_sobol. */
enum { CKG__SOBOL_MAX_DIM = 1000 };

/*
 * X (n×d): points first … first+n−1 of the Sobol sequence (Joe-Kuo direction numbers), Owen-scrambled by
 * hashing with `seed`, in the open cube. d > CKG__SOBOL_MAX_DIM: the further coordinates are seeded uniform
 * random numbers.
 */
void ckg__design_sobol(unsigned long long seed, int first, int n, int d, double *X);

/* The designs of an initial design for d parameters where nobody said how many: max(10, 2(d+1)). */
int ckg__design_size(int d);

#endif

/*
 * Random numbers: xoshiro256++, its state drawn by a counter-based generator (Philox 4x64-10) from (seed,
 * stream, purpose), so that any machine at any time gets the same numbers for the same trial and purpose.
 */
#ifndef CKG_BASE_RNG_H
#define CKG_BASE_RNG_H

#include <stdint.h>

struct ckg__rng {
    uint64_t state[4];
};

void ckg__rng_seed(struct ckg__rng *rng, uint64_t seed, uint64_t stream, uint64_t purpose);
uint64_t ckg__rng_next(struct ckg__rng *rng);
double ckg__rng_uniform(struct ckg__rng *rng);       /* in the open interval (0, 1) */
double ckg__rng_normal(struct ckg__rng *rng);        /* Box-Muller, without a cache */
int ckg__rng_below(struct ckg__rng *rng, int bound); /* 0 … bound−1, without bias */
void ckg__rng_shuffle(struct ckg__rng *rng, int n, int *items);

#endif

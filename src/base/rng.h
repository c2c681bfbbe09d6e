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

/*
 * What random numbers are for, in the order of the numbers. A purpose with "+ …" has as many numbers as there
 * are of what follows, so the next one keeps its distance. The numbers are never changed: another one draws
 * other suggestions.
 */
enum ckg__purpose {
    CKG__FOR_INITIAL_DESIGN = 1, /* always stream 0, where no search has begun */
    CKG__FOR_BASE_POINTS = 1,    /* the same number, another stream: a search begins after the first trial */
    CKG__FOR_CANDIDATES = 3,
    CKG__FOR_ONE_BELIEF = 5,           /* which of several, where one is looked through */
    CKG__FOR_CHAINS = 100,             /* + chain, outcome by outcome */
    CKG__FOR_STEPS_OF_X_R = 1000,      /* + round: lattice neighbours */
    CKG__FOR_POINTS_AROUND_X_R = 2000, /* + lookahead: of the discretisation */
    CKG__FOR_CANDIDATES_AROUND = 4000, /* + lookahead */
    CKG__FOR_CANDIDATES_BESIDE = 5000, /* + lookahead: lattice neighbours of x_r */
    CKG__FOR_STEPS_OF_FINALISTS = 6000,
    CKG__FOR_THOMPSON_DRAWS = 6000, /* + outcome; the same number, for other policies */
    CKG__FOR_REGION_CANDIDATES = 6800,
    CKG__FOR_REGION_RESTARTS = 6900,      /* its stream is the number of restarts */
    CKG__FOR_STEPS_OF_ACQUISITION = 7000, /* + round: lattice neighbours */
    CKG__FOR_ASCENTS_BY_STEPS = 7100,     /* + start */
    CKG__FOR_LATENT_DRAWS = 7200,
    CKG__FOR_ANY_FREE_DESIGN = 8000,
    CKG__FOR_EXPLORING = 9000,
    CKG__FOR_STEPS_OF_RECOMMENDATION = 11000, /* + round: lattice neighbours */
    CKG__FOR_RANDOM_POLICY = 12000,
    CKG__FOR_LAGRANGIANS = 12500,
    CKG__FOR_IMPORTANCE_MANY = 13000,
    CKG__FOR_IMPORTANCE_FEW = 13001,
    CKG__FOR_IMPORTANCE_DRAWS = 13100, /* + belief */
    CKG__FOR_FACES = 60000,            /* + lookahead: points */
    CKG__FOR_FACES_SIDES = 60500,      /* + lookahead: which end of the range */
    CKG__FOR_OPTIMA = 61000,           /* + 64·lookahead + outcome, of the first 64 outcomes */
    CKG__FOR_BEST_VALUES = 0x10000,    /* + 22·lookahead + outcome, of the first 22 */
    CKG__FOR_REFINED_OPTIMA = 70000,   /* + 1024·lookahead + draw */
    CKG__FOR_OPTIMA_BEYOND = 200000,   /* + 256·lookahead + outcome, of the outcomes after those */
    CKG__FOR_BEST_VALUES_BEYOND = 220000,
    CKG__FOR_FINDING = 250000,       /* of what rules leave */
    CKG__FOR_WALKS = 260000,         /* + the purpose of the points, where rules leave little */
    CKG__FOR_GAINS = 1000000,        /* + 256·lookahead + outcome */
    CKG__FOR_VOLUMES = 2000000,      /* + 16·lookahead + level: points of a volume, and which are drawn */
    CKG__FOR_SCRAMBLING = 0x50B01,   /* its stream is the dimension */
    CKG__FOR_BEYOND_SOBOL = 0x50B02, /* its stream is dimension and point */
};

void ckg__rng_seed(struct ckg__rng *rng, uint64_t seed, uint64_t stream, uint64_t purpose);
uint64_t ckg__rng_next(struct ckg__rng *rng);
double ckg__rng_uniform(struct ckg__rng *rng);       /* in the open interval (0, 1) */
double ckg__rng_normal(struct ckg__rng *rng);        /* Box-Muller, without a cache */
int ckg__rng_below(struct ckg__rng *rng, int bound); /* 0 … bound−1, without bias */
void ckg__rng_shuffle(struct ckg__rng *rng, int n, int *items);

#endif

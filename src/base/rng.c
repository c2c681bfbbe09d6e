/*
 * Philox 4x64-10 (Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as 1, 2, 3; SC 2011) makes the
 * state, xoshiro256++ (Blackman, Vigna: Scrambled linear pseudorandom number generators; ACM TOMS 47, 2021)
 * the numbers.
 *
 * Philox is a bijection of its counter for every key. With key (seed, 0) and counter (stream, purpose, 0, 0),
 * two different streams or purposes of one seed therefore never start from the same state.
 */
#include "base/rng.h"

#include <assert.h>
#include <math.h>

#include "base/maths.h"

#define PHILOX_MULTIPLIER_0 UINT64_C(0xD2E7470EE14C6C93)
#define PHILOX_MULTIPLIER_1 UINT64_C(0xCA5A826395121157)
#define PHILOX_WEYL_0 UINT64_C(0x9E3779B97F4A7C15)
#define PHILOX_WEYL_1 UINT64_C(0xBB67AE8584CAA73B)

enum { PHILOX_ROUNDS = 10 };

/* The upper half of the 128-bit product: ISO C has no 128-bit integer. */
static uint64_t multiply_high(uint64_t a, uint64_t b)
{
    uint64_t a0 = a & UINT32_MAX;
    uint64_t a1 = a >> 32;
    uint64_t b0 = b & UINT32_MAX;
    uint64_t b1 = b >> 32;
    uint64_t low = a0 * b0;
    uint64_t middle = a1 * b0 + (low >> 32);
    uint64_t cross = a0 * b1 + (middle & UINT32_MAX);

    return a1 * b1 + (middle >> 32) + (cross >> 32);
}

static void philox_round(uint64_t x[4], uint64_t key0, uint64_t key1)
{
    uint64_t high0 = multiply_high(PHILOX_MULTIPLIER_0, x[0]);
    uint64_t low0 = PHILOX_MULTIPLIER_0 * x[0];
    uint64_t high1 = multiply_high(PHILOX_MULTIPLIER_1, x[2]);
    uint64_t low1 = PHILOX_MULTIPLIER_1 * x[2];

    x[0] = high1 ^ x[1] ^ key0;
    x[1] = low1;
    x[2] = high0 ^ x[3] ^ key1;
    x[3] = low0;
}

void ckg__rng_seed(struct ckg__rng *rng, uint64_t seed, uint64_t stream, uint64_t purpose)
{
    uint64_t key0 = seed;
    uint64_t key1 = 0;

    rng->state[0] = stream;
    rng->state[1] = purpose;
    rng->state[2] = 0;
    rng->state[3] = 0;
    for (int round = 0; round < PHILOX_ROUNDS; round++) {
        philox_round(rng->state, key0, key1);
        key0 += PHILOX_WEYL_0;
        key1 += PHILOX_WEYL_1;
    }
}

static uint64_t rotate_left(uint64_t x, int bits)
{
    return x << bits | x >> (64 - bits);
}

uint64_t ckg__rng_next(struct ckg__rng *rng)
{
    uint64_t *s = rng->state;
    uint64_t result = rotate_left(s[0] + s[3], 23) + s[0];
    uint64_t shifted = s[1] << 17;

    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= shifted;
    s[3] = rotate_left(s[3], 45);
    return result;
}

/* 52 bits and a half: the midpoints of 2^52 equal cells are doubles, and neither 0 nor 1 is one of them. */
double ckg__rng_uniform(struct ckg__rng *rng)
{
    return ((double)(ckg__rng_next(rng) >> 12) + 0.5) * 0x1p-52;
}

/*
 * Box-Muller. The second number of the pair is not kept: the generator's state alone then says what comes
 * next.
 */
double ckg__rng_normal(struct ckg__rng *rng)
{
    double radius = sqrt(-2.0 * ckg__log(ckg__rng_uniform(rng)));

    return radius * ckg__cos_turn(ckg__rng_uniform(rng));
}

/*
 * Lemire, Fast random integer generation in an interval, ACM TOMACS 29, 2019: a multiplication, and rarely a
 * rejection.
 */
int ckg__rng_below(struct ckg__rng *rng, int bound)
{
    assert(bound > 0);

    uint32_t range = (uint32_t)bound;
    uint32_t rejected = -range % range;
    uint64_t product;

    do
        product = (ckg__rng_next(rng) >> 32) * range;
    while ((uint32_t)product < rejected);
    return (int)(product >> 32);
}

void ckg__rng_shuffle(struct ckg__rng *rng, int n, int *items)
{
    assert(n >= 0);

    for (int i = n - 1; i > 0; i--) {
        int j = ckg__rng_below(rng, i + 1);
        int item = items[i];

        items[i] = items[j];
        items[j] = item;
    }
}

/*
 * Designs that fill the unit cube.
 *
 * Latin hypercube: McKay, Beckman, Conover, Technometrics 21, 1979; the best of several by the maximin
 * criterion of Johnson, Moore, Ylvisaker, J. Stat. Plan. Inference 26, 1990. O(tries·n²·d) at most: the
 * points are compared in the order of their last coordinates, each with those that are no farther in it than
 * the nearest two so far, which are few unless d is large.
 *
 * Sobol: Joe and Kuo's direction numbers, points in Gray-code order, 32 digits. Scrambled as Owen (Randomly
 * permuted (t,m,s)-nets, 1995) asks: a digit is flipped or not depending on all digits before it. The flips
 * come from a hash in which a bit reaches only higher bits, applied to the reversed word (Laine, Karras, EGSR
 * 2011; Burley, JCGT 9(4), 2020), with Vegdahl's constants. A scrambled net stays a net, and each of its
 * points is uniform. O(n·d).
 */
#include "design/sequence.h"

#include <float.h>
#include <stdint.h>
#include <string.h>

#include "base/error.h"
#include "design/sobol_directions.inc"

enum { DIGITS = 32 };

_Static_assert(sizeof sobol_polynomials / sizeof *sobol_polynomials == CKG__SOBOL_MAX_DIM,
               "one polynomial per dimension");

/*
 * The middle of one of 2^32 cells: adding a stratum's number to it is exact, so that the point cannot leave
 * its stratum.
 */
static double from_digits(uint32_t digits)
{
    return ((double)digits + 0.5) * 0x1p-32;
}

static void draw_lhs(struct ckg__rng *rng, int n, int d, double *X, int *order)
{
    for (int j = 0; j < d; j++) {
        for (int i = 0; i < n; i++)
            order[i] = i;
        ckg__rng_shuffle(rng, n, order);
        for (int i = 0; i < n; i++)
            X[(size_t)i * d + j] = (order[i] + from_digits((uint32_t)(ckg__rng_next(rng) >> 32))) / n;
    }
}

static double squared_distance(int d, const double *x, const double *y)
{
    double sum = 0;

    for (int j = 0; j < d; j++)
        sum += (x[j] - y[j]) * (x[j] - y[j]);
    return sum;
}

/* What a comparison of hypercubes has to go by, and what it may cost. */
struct comparison {
    int n, d;
    const int *order; /* (n) each point's stratum in the last coordinate */
    int *sorted;      /* (n) the points by that */
    double left;      /* differences of coordinates that may still be taken */
    struct ckg__interrupt *interrupt;
};

/*
 * The smallest squared distance between two points; any number not above `enough` as soon as it cannot exceed
 * that. −1 when there is no time for it.
 */
static double separation(struct comparison *c, const double *X, double enough)
{
    const size_t d = (size_t)c->d;
    double smallest = DBL_MAX;

    for (int i = 0; i < c->n; i++)
        c->sorted[c->order[i]] = i;
    for (int i = 0; i < c->n && smallest > enough; i++) {
        const double *x = X + (size_t)c->sorted[i] * d;
        int k = i + 1;

        /* Those after it, while their last coordinates alone are not too far apart. */
        for (; k < c->n; k++) {
            const double *y = X + (size_t)c->sorted[k] * d;
            const double gap = y[d - 1] - x[d - 1];
            if (gap * gap >= smallest)
                break;
            const double distance = squared_distance(c->d, x, y);
            smallest = distance < smallest ? distance : smallest;
        }
        c->left -= (double)(k - i) * c->d;
        if (c->left < 0 || ckg__interrupted_by(c->interrupt, (double)(k - i) * c->d))
            return -1;
    }
    return smallest;
}

int ckg__design_lhs(struct ckg__rng *rng, int n, int d, int tries, double *X, double *work, int *order,
                    struct ckg__interrupt *interrupt)
{
    struct comparison c = {n, d, order, order + n, CKG__LHS_WORK, interrupt};

    draw_lhs(rng, n, d, X, order);
    double best = tries > 1 ? separation(&c, X, -1) : 0;
    for (int t = 1; t < tries && c.left >= 0 && best >= 0; t++) {
        draw_lhs(rng, n, d, work, order);
        const double separated = separation(&c, work, best);
        if (separated > best) {
            best = separated;
            memcpy(X, work, (size_t)n * d * sizeof *X);
        }
    }
    return ckg__interrupted_by(interrupt, 0) ? CKG_ERR_CANCELLED : CKG_OK;
}

static int degree_of(unsigned polynomial)
{
    int degree = 0;

    while (polynomial >> (degree + 1))
        degree++;
    return degree;
}

/*
 * The direction numbers V (DIGITS), from the first `degree` odd numbers and, beyond those, by the recurrence
 * V_j = a_1 V_{j−1} ⊕ … ⊕ a_m V_{j−m} ⊕ (V_{j−m} >> m), a_1 … a_m being the polynomial's lower coefficients.
 */
static void fill_directions(unsigned polynomial, int degree, const uint16_t *starts, uint32_t *V)
{
    for (int j = 0; j < DIGITS; j++) {
        if (degree == 0 || j < degree) {
            V[j] = (degree == 0 ? UINT32_C(1) : starts[j]) << (DIGITS - 1 - j);
            continue;
        }
        V[j] = V[j - degree] >> degree;
        for (int k = 1; k <= degree; k++)
            if (polynomial >> (degree - k) & 1)
                V[j] ^= V[j - k];
    }
}

static uint32_t reverse_bits(uint32_t x)
{
    x = x >> 16 | x << 16;
    x = (x & 0xFF00FF00u) >> 8 | (x & 0x00FF00FFu) << 8;
    x = (x & 0xF0F0F0F0u) >> 4 | (x & 0x0F0F0F0Fu) << 4;
    x = (x & 0xCCCCCCCCu) >> 2 | (x & 0x33333333u) << 2;
    return (x & 0xAAAAAAAAu) >> 1 | (x & 0x55555555u) << 1;
}

static uint32_t scramble(uint32_t digits, const uint32_t key[2])
{
    uint32_t x = reverse_bits(digits);

    x ^= x * 0x3D20ADEAu;
    x += key[0];
    x *= key[1] | 1;
    x ^= x * 0x05526C56u;
    x ^= x * 0x53A22864u;
    return reverse_bits(x);
}

static uint32_t gray_point(uint32_t index, const uint32_t *V)
{
    uint32_t gray = index ^ index >> 1;
    uint32_t digits = 0;

    for (int j = 0; gray; j++, gray >>= 1)
        if (gray & 1)
            digits ^= V[j];
    return digits;
}

/* The digit of the Gray code that changes on the way to this index. */
static int lowest_set_bit(uint32_t index)
{
    int bit = 0;

    while (!(index >> bit & 1))
        bit++;
    return bit;
}

/* Column x, of stride d: one dimension's points. */
static void fill_column(const uint32_t *V, const uint32_t key[2], int first, int n, int d, double *x)
{
    uint32_t digits = gray_point((uint32_t)first, V);

    for (int i = 0; i < n; i++) {
        if (i > 0)
            digits ^= V[lowest_set_bit((uint32_t)first + (uint32_t)i)];
        x[(size_t)i * d] = from_digits(scramble(digits, key));
    }
}

/* A generator per entry: a point is then the same whatever `first` the call began with. */
static void fill_column_beyond(unsigned long long seed, int dimension, int first, int n, int d, double *x)
{
    struct ckg__rng rng;

    for (int i = 0; i < n; i++) {
        ckg__rng_seed(&rng, seed, (uint64_t)dimension << 32 | ((uint32_t)first + (uint32_t)i),
                      CKG__FOR_BEYOND_SOBOL);
        x[(size_t)i * d] = ckg__rng_uniform(&rng);
    }
}

void ckg__design_sobol(unsigned long long seed, int first, int n, int d, double *X)
{
    const uint16_t *starts = sobol_starts;
    uint32_t V[DIGITS];
    struct ckg__rng rng;

    for (int j = 0; j < d && j < CKG__SOBOL_MAX_DIM; j++) {
        int degree = degree_of(sobol_polynomials[j]);
        uint32_t key[2];

        fill_directions(sobol_polynomials[j], degree, starts, V);
        starts += degree;
        ckg__rng_seed(&rng, seed, (uint64_t)j, CKG__FOR_SCRAMBLING);
        key[0] = (uint32_t)(rng.state[0] >> 32);
        key[1] = (uint32_t)(rng.state[1] >> 32);
        fill_column(V, key, first, n, d, X + j);
    }
    for (int j = CKG__SOBOL_MAX_DIM; j < d; j++)
        fill_column_beyond(seed, j, first, n, d, X + j);
}

int ckg__design_size(int d)
{
    return d + 1 > 5 ? 2 * (d + 1) : 10;
}

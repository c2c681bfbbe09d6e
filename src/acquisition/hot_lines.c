/*
 * Lines and their upper envelope (lines.h). The envelope is walked from Z = 0 outwards: at each corner the
 * next line is the one whose crossing comes first, found by one vectorised pass. Few lines are on the
 * envelope, so this beats sorting from some 26 lines on. Cost O(m) per line on the envelope. Compiled once
 * per instruction set.
 */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "acquisition/lines.h"
#include "linalg/lanes.h"
#include "linalg/normal.h"
#include "linalg/variant.h"
#include "linalg/vector.h"

#define VECTOR CKG__VARIANT_NAME(ckg__vector_ops)

static void ahead(int m, const double *cov, double scale, const double *mean, const double *var,
                  const struct ckg__limits *limits, double *restrict sigma, struct ckg__ahead *out)
{
    const double floor = limits->floor;
    const double chance = limits->chance;
    const double lower = limits->lower;
    const double upper = limits->upper;

    assert(m >= 0 && floor >= 0 && chance >= 0);

    double *restrict inv = out->inv_sd;
    double *restrict shift = out->shift;
    for (int p = 0; p < m; p++) {
        const double s = cov[p] * scale;
        const double left = fused(-s, s, var[p]);
        sigma[p] = s;
        inv[p] = 1 / sqrt((left > floor ? left : floor) + chance);
        shift[p] = s * inv[p];
    }
    for (int p = 0; out->high && p < m; p++)
        out->high[p] = (upper - mean[p]) * inv[p];
    for (int p = 0; out->low && p < m; p++)
        out->low[p] = (lower - mean[p]) * inv[p];
}

/* t ← sign·(limit − e·z) */
static void arguments(int m, const double *limit, const double *shift, double z, double sign,
                      double *restrict t)
{
    for (int p = 0; p < m; p++)
        t[p] = sign * fused(-shift[p], z, limit[p]);
}

/* Both limits: the interval is turned to the lower tail, where Φ has its relative accuracy. */
static void within(int m, const struct ckg__ahead *ahead, double z, double *restrict t)
{
    double *restrict u = t + m;

    for (int p = 0; p < m; p++) {
        const double high = fused(-ahead->shift[p], z, ahead->high[p]);
        const double low = fused(-ahead->shift[p], z, ahead->low[p]);
        const int turn = high + low > 0;
        t[p] = turn ? -low : high;
        u[p] = turn ? -high : low;
    }
    VECTOR.normal_cdf(m, t, t);
    VECTOR.normal_cdf(m, u, u);
    for (int p = 0; p < m; p++)
        t[p] -= u[p];
}

static void feasible(int m, const struct ckg__ahead *ahead, double z, int first, double *restrict pf,
                     double *restrict t)
{
    if (ahead->high && ahead->low) {
        within(m, ahead, z, t);
    } else {
        arguments(m, ahead->high ? ahead->high : ahead->low, ahead->shift, z, ahead->high ? 1 : -1, t);
        VECTOR.normal_cdf(m, t, t);
    }
    if (first)
        memcpy(pf, t, (size_t)m * sizeof *pf);
    else
        for (int p = 0; p < m; p++)
            pf[p] *= t[p];
}

static void lines(int m, const double *gain, const double *sigma, const double *pf, double *restrict a,
                  double *restrict b)
{
    for (int p = 0; p < m; p++) {
        a[p] = gain[p] * pf[p];
        b[p] = sigma[p] * pf[p];
    }
}

/* Eight lines at a time, whatever the vectors' width: of several equal ones the same comes first. */
enum { EIGHT = 8 };
typedef double eight __attribute__((vector_size(EIGHT * sizeof(double)), aligned(8), may_alias));
typedef long long masks __attribute__((vector_size(EIGHT * sizeof(double)), aligned(8), may_alias));

static eight choose(masks mask, eight yes, eight no)
{
    return (eight)((mask & (masks)yes) | (~mask & (masks)no));
}

static int highest(int m, const double *a)
{
    eight best = *(const eight *)a;
    for (int p = EIGHT; p < m; p += EIGHT) {
        const eight x = *(const eight *)(a + p);
        best = choose(x > best, x, best);
    }
    double top = best[0];
    for (int v = 1; v < EIGHT; v++)
        top = best[v] > top ? best[v] : top;
    int i = 0;
    while (i < m - 1 && a[i] != top)
        i++;
    return i;
}

/* Beyond this corner h is below 1e-33: nothing that a line gains there is left in the sum. */
static const double far = 12;

/*
 * The line that first crosses line c on the side of `sign` (+1: z growing), at *z (as |z|); -1 when none does
 * before `far`. Lines less steep than c in that direction never do. Of several lines through one corner any
 * may come first: the others follow at the same z.
 */
INLINE int next_line(int m, const double *a, const double *b, int c, double sign, double *z)
{
    const eight none = {far, far, far, far, far, far, far, far};
    const double height = a[c];
    const double slope = b[c];
    eight first = none;
    masks at = {0, 1, 2, 3, 4, 5, 6, 7}, winner = {-1, -1, -1, -1, -1, -1, -1, -1};
    for (int p = 0; p < m; p += EIGHT, at += EIGHT) {
        const eight other = *(const eight *)(b + p);
        const eight rise = sign > 0 ? other - slope : slope - other;
        const eight crossing = (height - *(const eight *)(a + p)) / rise;
        const masks sooner = (rise > 0) & (crossing < first);
        first = choose(sooner, crossing, first);
        winner = (sooner & at) | (~sooner & winner);
    }
    int best = 0;
    for (int v = 1; v < EIGHT; v++)
        best = first[v] < first[best] ? v : best;
    *z = first[best];
    return (int)winner[best];
}

/* Walks from line c to one side; returns Σ |Δb| h(−|z|) and appends lines and corners. */
INLINE double walk(int m, const double *a, const double *b, int c, double sign, struct ckg__envelope *e)
{
    double sum = 0;
    double z = 0;
    double before = 0;

    for (int steps = 0; steps < CKG__ENVELOPE_MAX / 2 - 1; steps++) {
        const int next = next_line(m, a, b, c, sign, &z);
        if (next < 0)
            break;
        z = z > before ? z : before; /* rounding may put a corner a little before the last one */
        sum = fused((b[next] - b[c]) * sign, ckg__normal_ei(-z), sum);
        if (e) {
            e->z[e->count - 1] = sign * z;
            e->line[e->count++] = next;
        }
        before = z;
        c = next;
    }
    return sum;
}

static void reverse(struct ckg__envelope *e)
{
    for (int i = 0, j = e->count - 1; i < j; i++, j--) {
        const int line = e->line[i];
        e->line[i] = e->line[j];
        e->line[j] = line;
    }
    for (int i = 0, j = e->count - 2; i < j; i++, j--) {
        const double z = e->z[i];
        e->z[i] = e->z[j];
        e->z[j] = z;
    }
}

/*
 * Copies the lines that rise above line `top` within ±far, and `top` itself, to A and B, and their numbers to
 * `number`; returns how many. Most lines never do: designs that are hardly feasible, or hardly correlated
 * with x⁺.
 */
static int contenders(int m, const double *a, const double *b, int top, double *restrict A,
                      double *restrict B, int *restrict number)
{
    const double height = a[top];
    const double slope = b[top];
    int count = 0;

    for (int p = 0; p < m; p++) {
        A[count] = a[p];
        B[count] = b[p];
        number[count] = p;
        count += fused(fabs(b[p] - slope), far, a[p] - height) > 0 || p == top;
    }
    return count;
}

/*
 * The walk takes a tile of lines at a time from the stack; more contenders than that are walked where they
 * are.
 */
enum { TILE = 512 };

static double envelope_of(int m, double *a, double *b, int top, struct ckg__envelope *e)
{
    for (int p = m; p % EIGHT; p++) {
        a[p] = -INFINITY;
        b[p] = 0;
    }
    if (e) {
        e->count = 1;
        e->line[0] = top;
    }
    const double below = walk(m, a, b, top, -1, e);
    if (e)
        reverse(e);
    return below + walk(m, a, b, top, 1, e);
}

static double expected_maximum(int m, double *a, double *b, int r, struct ckg__envelope *e)
{
    assert(m > 0 && r >= 0 && r < m);

    for (int p = m; p % EIGHT; p++) {
        a[p] = -INFINITY;
        b[p] = 0;
    }
    const int top = highest(m, a);
    const double lead = a[top] - a[r];
    if (m > TILE)
        return lead + envelope_of(m, a, b, top, e);
    double A[TILE + EIGHT];
    double B[TILE + EIGHT];
    int number[TILE + EIGHT];
    int own = 0;
    const int count = contenders(m, a, b, top, A, B, number);
    while (number[own] != top)
        own++;
    const double sum = envelope_of(count, A, B, own, e);
    for (int i = 0; e && i < e->count; i++)
        e->line[i] = number[e->line[i]];
    return lead + sum;
}

const struct ckg__line_ops CKG__VARIANT_NAME(ckg__line_ops) = {ahead, feasible, lines, expected_maximum};

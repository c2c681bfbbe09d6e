/*
 * The pooled, scaled series of one outcome (data.h has the formulas). Cost O(values + n·log n).
 */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "data/data.h"
#include "data/transform.h"

static const double two_pi = 6.28318530717958647692;

/* One measured value of the outcome at hand. */
struct entry {
    int design;
    double value, sd; /* sd: CKG_SD_DEFAULT: to be estimated; else known, 0 without noise */
};

static double entry_sd(const struct ckg_problem *problem, const struct ckg_measurement *m)
{
    const struct ckg__outcome *o = &problem->outcome[m->outcome];
    if (m->sd != CKG_SD_DEFAULT)
        return m->sd;
    return o->noise == CKG_NOISE_AUTO ? CKG_SD_DEFAULT : o->noise_sd;
}

/* The outcome's values in the order of the trials; the latent constraint has one per ended trial. */
static int collect(const struct ckg__data *data, const struct ckg__series_source *source,
                   struct entry *entries)
{
    const int outcome = source->outcome;
    const int latent = outcome == data->problem->outcomes;
    int count = 0;

    assert(outcome >= 0 && outcome <= data->problem->outcomes);
    assert(source->trials >= 0 && source->trials <= data->trials);

    for (int t = 0; t < source->trials; t++) {
        const struct ckg__trial *trial = &data->trial[t];

        if (latent && (trial->state == CKG_COMPLETE || trial->state == CKG_FAILED))
            entries[count++] = (struct entry){trial->design, trial->state == CKG_COMPLETE ? 1 : -1,
                                              CKG_SD_DEFAULT};
        for (int i = 0; !latent && i < trial->count; i++)
            if (trial->measured[i].outcome == outcome)
                entries[count++] = (struct entry){trial->design, trial->measured[i].value,
                                                  entry_sd(data->problem, &trial->measured[i])};
    }
    return count;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;

    return (x > y) - (x < y);
}

/*
 * Where the warp of an outcome is centred: the median, or the limit of a constraint, so that the limit stays
 * where it is.
 */
static double warp_centre(const struct ckg__data *data, int outcome, double median)
{
    if (outcome == 0)
        return median;

    const double min = data->problem->outcome[outcome].min;
    const double max = data->problem->outcome[outcome].max;
    assert(min < max);
    if (isinf(min))
        return max;
    if (isinf(max))
        return min;
    return median < min ? min : median > max ? max : median;
}

/*
 * Designs nearer than this to one another count once in the robust measures: a search gathers around its
 * optimum, and the values there are alike.
 */
static const double apart = 0.05;

static int near_to(const struct ckg__data *data, int a, int b)
{
    const size_t D = (size_t)data->problem->D;
    for (size_t k = 0; k < D; k++)
        if (fabs(data->u[(size_t)a * D + k] - data->u[(size_t)b * D + k]) > apart)
            return 0;
    return 1;
}

/* The entries that stand apart, first come first kept; their numbers go to `kept`. */
static int scattered(const struct ckg__data *data, const struct entry *entries, int count, int *kept)
{
    enum { MOST = 256 };
    int n = 0;
    for (int i = 0; i < count && n < MOST; i++) {
        int alone = 1;
        for (int k = 0; k < n && alone; k++)
            alone = !near_to(data, entries[i].design, entries[kept[k]].design);
        if (alone)
            kept[n++] = i;
    }
    return n;
}

/*
 * Robust location and spread of the signed values of scattered designs; *tail is the largest deviation in
 * those units, 0 for too few.
 */
static int robust(const struct ckg__data *data, int outcome, double sign, const struct entry *entries,
                  int count, struct ckg__arena *arena, double *centre, double *spread, double *tail)
{
    enum { FEWEST = 8 };
    struct ckg__arena_mark mark = ckg__arena_mark(arena);
    double *sorted = ckg__arena_doubles(arena, (size_t)count);
    int *kept = ckg__arena_ints(arena, (size_t)count);
    if (!sorted || !kept)
        return CKG_ERR_NOMEM;

    /* The values of designs that stand apart, in order. */
    const int n = scattered(data, entries, count, kept);
    assert(n > 0);
    for (int i = 0; i < n; i++)
        sorted[i] = sign * entries[kept[i]].value;
    qsort(sorted, (size_t)n, sizeof *sorted, ascending);

    /* Their median, or the limit, and their interquartile range. */
    *centre = sign * warp_centre(data, outcome, sign * ckg__quantile(sorted, n, 0.5));
    *spread = ckg__quantile(sorted, n, 0.75) - ckg__quantile(sorted, n, 0.25);

    /* How far out the farthest of all values is. */
    double far = 0;
    for (int i = 0; i < count; i++)
        far = fmax(far, fabs(sign * entries[i].value - *centre));

    /* A spread that vanishes beside that distance, as far from a limit, is none to warp by. */
    if (!(*spread > 1e-14 * far))
        *spread = 0;
    *tail = *spread > 0 && n >= FEWEST ? far / *spread : 0;

    ckg__arena_release(arena, mark);
    return CKG_OK;
}

int ckg__series_tail(const struct ckg__data *data, const struct ckg__series_source *source,
                     struct ckg__arena *arena, double *tail)
{
    struct ckg__arena_mark mark = ckg__arena_mark(arena);
    struct entry *entries = ckg__arena_get(arena, (size_t)data->trials + 1, sizeof *entries);

    if (!entries)
        return CKG_ERR_NOMEM;
    const int count = collect(data, source, entries);
    double centre, spread;
    *tail = 0;
    const int status = count > 3
                           ? robust(data, source->outcome, 1, entries, count, arena, &centre, &spread, tail)
                           : CKG_OK;
    ckg__arena_release(arena, mark);
    return status;
}

/* What a design's values of one kind of noise add up to. */
struct pool {
    double weight;        /* Σ 1/sd², or the count where the noise is estimated or absent */
    double mean, squares; /* weighted mean and Σ weight·(y−mean)² */
    int count;
};

static void pool_add(struct pool *pool, double y, double weight)
{
    assert(weight > 0);
    pool->count++;
    pool->weight += weight;
    const double step = y - pool->mean;
    pool->mean += step * (weight / pool->weight);
    pool->squares += weight * step * (y - pool->mean);
}

/* Appends the row of a pool, unless it is empty. */
static void add_row(struct ckg__series *s, int design, const struct pool *pool, double known)
{
    if (!pool->count)
        return;
    const int i = s->n++;
    s->design[i] = design;
    s->y[i] = pool->mean;
    s->known[i] = known;
    s->count[i] = pool->count;
}

enum { NOISY, KNOWN, EXACT, POOLS };

/*
 * Mean and standard deviation over rows, computed on numbers scaled to at most 1 so that no square overflows.
 */
static void moments(int n, const double *y, double *mean, double *sd)
{
    double largest = 0;
    double sum = 0;
    double squares = 0;

    /* The unit in which the largest is 1. */
    assert(n > 0);
    for (int i = 0; i < n; i++)
        largest = fmax(largest, fabs(y[i]));
    const double unit = largest > 0 ? largest : 1;

    /* Mean and squares around it. */
    for (int i = 0; i < n; i++)
        sum += y[i] / unit;
    const double centre = sum / n;
    for (int i = 0; i < n; i++)
        squares += (y[i] / unit - centre) * (y[i] / unit - centre);
    *mean = centre * unit;
    *sd = n > 1 ? sqrt(squares / (n - 1)) * unit : 0;

    /* A spread within rounding of the values themselves is none, nor is one whose square would vanish. */
    if (*sd <= 1e-14 * largest || *sd < 1e-150)
        *sd = 0;
}

/* The unit for an outcome whose values are all the same: the distance to its limit, if it has one. */
static double lone_scale(const struct ckg__data *data, int outcome, double value)
{
    if (outcome == 0 || outcome == data->problem->outcomes)
        return 1;
    const struct ckg__outcome *o = &data->problem->outcome[outcome];
    const double below = isfinite(o->min) ? fabs(value - o->min) : INFINITY;
    const double above = isfinite(o->max) ? fabs(value - o->max) : INFINITY;
    const double nearest = below < above ? below : above;
    return nearest > 0 && isfinite(nearest) ? nearest : 1;
}

/*
 * Pools the entries, whose warped values are in y, into rows; scale and centre of the scaling are still 0 and
 * 1.
 */
static void pool_entries(const struct ckg__scaling *scaling, const struct entry *entries, int count,
                         const double *y, int designs, struct pool *pools, struct ckg__series *s)
{
    memset(pools, 0, (size_t)designs * POOLS * sizeof *pools);
    for (int i = 0; i < count; i++) {
        const double sd = entries[i].sd;
        struct pool *of = pools + (size_t)entries[i].design * POOLS;
        if (sd == CKG_SD_DEFAULT)
            pool_add(&of[NOISY], y[i], 1);
        else if (sd == 0)
            pool_add(&of[EXACT], y[i], 1);
        else {
            const double scaled = sd * exp(ckg__scaling_log_slope(scaling, entries[i].value));
            pool_add(&of[KNOWN], y[i], 1 / (scaled * scaled));
        }
    }
    for (int design = 0; design < designs; design++) {
        const struct pool *of = pools + (size_t)design * POOLS;
        add_row(s, design, &of[NOISY], -1);
        add_row(s, design, &of[KNOWN], 1 / of[KNOWN].weight);
        add_row(s, design, &of[EXACT], 0);
    }
}

/*
 * What replicates say about the noise beyond their means, in scaled units; every value's own sd is known for
 * the rest.
 */
static void replicate_terms(const struct pool *pools, int designs, const struct ckg__scaling *scaling,
                            const struct entry *entries, int count, struct ckg__series *s)
{
    const double square = scaling->scale * scaling->scale;

    for (int i = 0; i < designs; i++) {
        const struct pool *noisy = &pools[(size_t)i * POOLS + NOISY];
        const struct pool *known = &pools[(size_t)i * POOLS + KNOWN];
        if (noisy->count > 1) {
            s->extra += noisy->count - 1;
            s->within += noisy->squares / square;
            s->constant -= 0.5 * log(noisy->count);
        }
        if (known->count)
            s->constant += 0.5 * log(two_pi / (known->weight * square)) - 0.5 * known->squares;
    }
    for (int i = 0; i < count; i++) {
        const double log_slope = ckg__scaling_log_slope(scaling, entries[i].value);
        s->jacobian += log_slope;
        if (entries[i].sd > 0)
            s->constant -= 0.5 * log(two_pi * entries[i].sd * entries[i].sd) + log_slope;
    }
}

/* The median known variance per value. */
static int typical_known(const struct ckg__scaling *scaling, const struct entry *entries, int count,
                         struct ckg__arena *arena, double *out)
{
    struct ckg__arena_mark mark = ckg__arena_mark(arena);
    double *sorted = ckg__arena_doubles(arena, (size_t)count);

    if (!sorted)
        return CKG_ERR_NOMEM;
    int n = 0;
    for (int i = 0; i < count; i++)
        if (entries[i].sd > 0) {
            const double scaled = entries[i].sd * exp(ckg__scaling_log_slope(scaling, entries[i].value));
            sorted[n++] = scaled * scaled;
        }
    qsort(sorted, (size_t)n, sizeof *sorted, ascending);
    *out = n ? ckg__quantile(sorted, n, 0.5) : 0;
    ckg__arena_release(arena, mark);
    return CKG_OK;
}

/* A value with more noise than this says nothing, and its square stays finite. */
static const double most_noise = 1e100;

/* Gives the rows their final units, once they are known. */
static void standardise(const struct ckg__data *data, int outcome, struct ckg__scaling *scaling,
                        struct ckg__series *s)
{
    double mean;
    double sd;

    /* The unit: the rows' own, unless they have none. */
    moments(s->n, s->y, &mean, &sd);
    if (outcome == data->problem->outcomes) { /* ±1 stand as they are: the latent limit is 0 */
        mean = 0;
        sd = 1;
    } else if (sd == 0) {
        sd = scaling->warp > 0 ? 1 : lone_scale(data, outcome, scaling->sign * mean);
    }
    assert(sd > 0);
    scaling->centre = mean;
    scaling->scale = sd;

    /* Values and known variances in it. */
    for (int i = 0; i < s->n; i++) {
        s->y[i] = ckg__scaling_round((s->y[i] - mean) / sd);
        if (s->known[i] > 0)
            s->known[i] = fmin(s->known[i] / (sd * sd), most_noise);
        s->estimated |= s->known[i] < 0;
    }
}

int ckg__series_build(const struct ckg__data *data, const struct ckg__series_source *source,
                      struct ckg__arena *arena, struct ckg__scaling *scaling, struct ckg__series *s)
{
    const int outcome = source->outcome;
    const size_t rows = (size_t)data->designs * POOLS + 1;
    const size_t values = (size_t)data->trials * (size_t)data->problem->outcomes + 1;

    /* Room: the rows outlive this, the rest does not. */
    *scaling = (struct ckg__scaling){
        outcome == 0 && data->problem->goal == CKG_MINIMIZE ? -1 : 1, 0, 0, 1, 0, 1};
    *s = (struct ckg__series){0};
    s->design = ckg__arena_ints(arena, rows);
    s->y = ckg__arena_doubles(arena, rows);
    s->known = ckg__arena_doubles(arena, rows);
    s->count = ckg__arena_doubles(arena, rows);
    struct ckg__arena_mark mark = ckg__arena_mark(arena);
    struct entry *entries = ckg__arena_get(arena, values, sizeof *entries);
    struct pool *pools = ckg__arena_get(arena, rows, sizeof *pools);
    double *y = ckg__arena_doubles(arena, values);
    if (!s->design || !s->y || !s->known || !s->count || !entries || !pools || !y)
        return CKG_ERR_NOMEM;

    /* What was measured. */
    const int count = collect(data, source, entries);
    int status = CKG_OK;

    /* Where the warp lies. */
    if (count && source->warp > 0) {
        double tail;

        scaling->warp = source->warp;
        status = robust(data, outcome, scaling->sign, entries, count, arena, &scaling->warp_centre,
                        &scaling->warp_scale, &tail);
        if (!(scaling->warp_scale > 0))
            scaling->warp_scale = 1;
    }

    /* Warped, pooled by design, scaled; and what replicates and known noise say beyond that. */
    if (!status && count) {
        for (int i = 0; i < count; i++)
            y[i] = ckg__scaling_warp(scaling, entries[i].value);
        pool_entries(scaling, entries, count, y, data->designs, pools, s);
        standardise(data, outcome, scaling, s);
        replicate_terms(pools, data->designs, scaling, entries, count, s);
        status = typical_known(scaling, entries, count, arena, &s->typical_known);
    }

    assert(s->n <= data->designs * POOLS);
    ckg__arena_release(arena, mark);
    return status;
}

/*
 * The pooled, scaled series of one outcome (data.h has the formulas). Cost O(values + n·log n).
 */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/maths.h"
#include "base/sorted.h"
#include "model/likelihood.h"
#include "model/outliers.h"
#include "model/series.h"

static const double two_pi = 6.28318530717958647692;

/* One measured value of the outcome at hand. */
struct entry {
    int design;
    double value, sd; /* sd: CKG_SD_DEFAULT: to be estimated; else known, 0 without noise */
    int apart;        /* 1: its design is not near to an earlier one's */
    double far;       /* from the median, where the value is absurd; 0: it is ordinary */
    int confirmed;    /* 1: it is absurd, and so is its neighbour */
    int vain;         /* 1: an objective that was measured where a constraint was not met */
};

/* `exact`: noise that is to be estimated was shown to be none. */
static double entry_sd(const struct ckg_problem *problem, const struct ckg_measurement *m, int exact)
{
    const struct ckg__outcome *o = &problem->outcome[m->outcome];
    if (m->sd != CKG_SD_DEFAULT)
        return m->sd;
    if (!ckg__noise_estimated(o))
        return o->noise_sd;
    return exact ? 0 : CKG_SD_DEFAULT;
}

/*
 * The outcome's values in the order of the trials; the latent constraint has one per ended trial. An answer
 * becomes a label, 1 or −1, like a success or a failure.
 */
static int collect(const struct ckg__data *data, const struct ckg__series_source *source,
                   struct entry *entries)
{
    const int outcome = source->outcome;
    const int latent = outcome == data->problem->outcomes;
    const int exact = ckg__data_shown_exact(data, source->trials);
    const int answer = ckg__is_answer(data->problem, outcome);
    int count = 0;

    assert(outcome >= 0 && outcome <= data->problem->outcomes);
    assert(source->trials >= 0 && source->trials <= data->trials);

    for (int t = 0; t < source->trials; t++) {
        const struct ckg__trial *trial = &data->trial[t];

        if (source->seen && !source->seen[trial->design])
            continue;
        if (latent && (trial->state == CKG_COMPLETE || trial->state == CKG_FAILED))
            entries[count++] = (struct entry){.design = trial->design,
                                              .value = trial->state == CKG_COMPLETE ? 1 : -1};
        for (int i = 0; !latent && i < trial->count; i++)
            if (trial->measured[i].outcome == outcome)
                entries[count++] = (struct entry){.design = trial->design,
                                                  .value = answer ? 2 * trial->measured[i].value - 1
                                                                  : trial->measured[i].value,
                                                  .sd = entry_sd(data->problem, &trial->measured[i], exact),
                                                  .vain = !outcome && !ckg__data_feasible(data, trial)};
    }
    return count;
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

/* Marks the entries that stand apart, first come first kept. */
static void mark_apart(const struct ckg__data *data, struct entry *entries, int count)
{
    enum { MOST = 256 };
    int kept[MOST];
    int n = 0;
    for (int i = 0; i < count && n < MOST; i++) {
        int alone = 1;
        for (int k = 0; k < n && alone; k++)
            alone = !near_to(data, entries[i].design, entries[kept[k]].design);
        entries[i].apart = alone;
        if (alone)
            kept[n++] = i;
    }
}

/* The signed values of designs that stand apart, ascending. */
struct sample {
    int n;
    double *sorted;
};

static int take_sample(const struct ckg__data *data, double sign, struct entry *entries, int count,
                       struct ckg__arena *arena, struct sample *sample)
{
    sample->sorted = ckg__arena_doubles(arena, (size_t)count + 1);
    sample->n = 0;
    if (!sample->sorted)
        return CKG_ERR_NOMEM;

    mark_apart(data, entries, count);
    for (int i = 0; i < count; i++)
        if (entries[i].apart)
            sample->sorted[sample->n++] = sign * entries[i].value;
    ckg__sort(sample->sorted, sample->n);
    return CKG_OK;
}

/* --- how values are spread --- */

/* A limit so many interquartile ranges away from the quartiles is far from the data. */
static const double far_away = 100;

/*
 * Where the warp of an outcome is centred: the median, or the limit of a constraint, so that the limit stays
 * where it is; a limit far from the data is no place to look at closely.
 */
static double warp_centre(const struct ckg__data *data, int outcome, const double quartile[3])
{
    const double median = quartile[1];
    const double reach = far_away * (quartile[2] - quartile[0]);

    if (outcome == 0)
        return median;

    const double min = data->problem->outcome[outcome].min;
    const double max = data->problem->outcome[outcome].max;
    assert(min < max);
    double centre = median < min ? min : median > max ? max : median;
    if (isinf(min) || isinf(max))
        centre = isinf(min) ? max : min;
    return centre < quartile[0] - reach || centre > quartile[2] + reach ? median : centre;
}

/*
 * Robust location and spread of the signed values; *tail is the largest deviation in those units, 0 for too
 * few.
 */
static void robust(const struct ckg__data *data, int outcome, double sign, const struct sample *sample,
                   const struct entry *entries, int count, double *centre, double *spread, double *tail)
{
    enum { FEWEST = 8 };
    double quartile[3];

    /* Their median, or the limit, and their interquartile range. */
    assert(sample->n > 0);
    for (int q = 0; q < 3; q++)
        quartile[q] = sign * ckg__quantile(sample->sorted, sample->n, 0.5 + 0.25 * sign * (q - 1));
    *spread = quartile[2] - quartile[0];
    *centre = sign * warp_centre(data, outcome, quartile);

    /* How far out the farthest of all values is. */
    double far = 0;
    for (int i = 0; i < count; i++)
        far = fmax(far, fabs(sign * entries[i].value - *centre));

    /* A spread that vanishes beside that distance, as far from a limit, is none to warp by. */
    if (!(*spread > 1e-14 * far))
        *spread = 0;
    *tail = *spread > 0 && sample->n >= FEWEST ? far / *spread : 0;
}

/* 1 when a limit, if it is one, is no farther from low … high on a logarithmic scale than half their
 * distance. */
static int limit_ranges(double limit, double low, double high)
{
    const double reach = sqrt(high / low);
    return isinf(limit) || (limit > low / reach && limit < high * reach);
}

/* Whether the values and the outcome's limits all lie on one side of 0, and range over a decade. */
static int ranges_over_decades(const struct ckg__outcome *limits, const struct entry *entries, int count)
{
    const double side = count && entries[0].value < 0 ? -1 : 1;
    double low = INFINITY;
    double high = 0;

    /* All values must have the sign of the first. */
    for (int i = 0; i < count; i++) {
        low = fmin(low, side * entries[i].value);
        high = fmax(high, side * entries[i].value);
    }
    if (!(count > 0 && low > 0 && high >= 10 * low))
        return 0;

    /* And so must the limits: on a logarithmic scale nothing ever reaches 0. */
    return !limits ||
           (limit_ranges(side * limits->min, low, high) && limit_ranges(side * limits->max, low, high));
}

int ckg__series_shape(const struct ckg__data *data, const struct ckg__series_source *source,
                      struct ckg__arena *arena, double *tail, int *decades)
{
    struct ckg__arena_mark mark = ckg__arena_mark(arena);
    struct entry *entries = ckg__arena_get(arena, (size_t)data->trials + 1, sizeof *entries);
    const struct ckg__outcome *limits = source->outcome ? &data->problem->outcome[source->outcome] : NULL;
    struct sample sample;
    double centre, spread;

    assert(source->outcome < data->problem->outcomes);
    *tail = 0;
    if (!entries)
        return CKG_ERR_NOMEM;
    const int count = collect(data, source, entries);
    if (take_sample(data, 1, entries, count, arena, &sample))
        return CKG_ERR_NOMEM;
    if (count > 3)
        robust(data, source->outcome, 1, &sample, entries, count, &centre, &spread, tail);
    *decades = ranges_over_decades(limits, entries, count);
    ckg__arena_release(arena, mark);
    return CKG_OK;
}

/* --- absurd values --- */

/* Entries and their warped values, to be judged. */
struct judged {
    const struct ckg__data *data;
    int outcome;
    int count;
    struct entry *entries;
    double *w;
    double median; /* of those that stand apart */
    double gap;
};

/* The limits of the outcome, warped; the objective has none. */
static void warp_limits(const struct judged *j, const struct ckg__scaling *scaling, double limits[2])
{
    const struct ckg__outcome *o = &j->data->problem->outcome[j->outcome];

    limits[0] = j->outcome && isfinite(o->min) ? ckg__scaling_warp(scaling, o->min) : -INFINITY;
    limits[1] = j->outcome && isfinite(o->max) ? ckg__scaling_warp(scaling, o->max) : INFINITY;
}

/* What is absurdly good may well be true: it must be alone, or one in so many. */
static int too_many_are_good(const struct judged *j, double high)
{
    enum { ONE_IN = 50 };
    int good = 0;
    for (int i = 0; i < j->count; i++)
        good += j->w[i] > high;
    return good > 1 && good * ONE_IN > j->count;
}

/* Equal ones in an order of their own, too: how qsort leaves them depends on the C library. */
static int by_value(const void *a, const void *b)
{
    const struct ckg__member *x = a;
    const struct ckg__member *y = b;
    const int order = (x->value > y->value) - (x->value < y->value);

    return order ? order : x->apart - y->apart;
}

/* The window of the ordinary values; *found: some are not. */
static int find_window(const struct judged *j, const double limits[2], struct ckg__arena *arena,
                       struct ckg__window *window, int *found)
{
    struct ckg__member *sorted = ckg__arena_get(arena, (size_t)j->count, sizeof *sorted);
    const double limit = fmin(fabs(limits[0] - j->median), fabs(limits[1] - j->median));

    if (!sorted)
        return CKG_ERR_NOMEM;
    for (int i = 0; i < j->count; i++)
        sorted[i] = (struct ckg__member){j->w[i], j->entries[i].apart};
    qsort(sorted, (size_t)j->count, sizeof *sorted, by_value);

    const struct ckg__sample sample = {j->count, sorted, j->median, isfinite(limit) ? limit : 0, j->gap};
    *found = ckg__ordinary(&sample, window);
    if (*found && j->outcome == 0 && too_many_are_good(j, window->high))
        window->high = INFINITY;
    return CKG_OK;
}

/* The largest difference of two designs' coordinates. */
static double distance(const struct ckg__data *data, int a, int b)
{
    const size_t D = (size_t)data->problem->D;
    double most = 0;
    for (size_t k = 0; k < D; k++)
        most = fmax(most, fabs(data->u[(size_t)a * D + k] - data->u[(size_t)b * D + k]));
    return most;
}

/* Marks absurd entries whose nearest neighbour is absurd, too: that is no mishap. */
static void confirm(const struct judged *j)
{
    for (int i = 0; i < j->count; i++) {
        struct entry *entry = &j->entries[i];
        double nearest = INFINITY;
        for (int k = 0; entry->far > 0 && !entry->vain && k < j->count; k++) {
            const struct entry *other = &j->entries[k];
            const double away = other->design == entry->design
                                    ? INFINITY
                                    : distance(j->data, entry->design, other->design);
            if (away < nearest) {
                nearest = away;
                entry->confirmed = other->far > 0;
            }
        }
    }
}

/* Marks the entries that are absurdly far out, and draws them in. */
static int draw_in(const struct judged *j, struct ckg__arena *arena, struct ckg__scaling *scaling)
{
    struct ckg__window window;
    double limits[2];
    int found;

    /* Is there something to be done? */
    warp_limits(j, scaling, limits);
    if (find_window(j, limits, arena, &window, &found))
        return CKG_ERR_NOMEM;
    if (!found)
        return CKG_OK;

    /* To where: not across a limit. */
    const double margin = j->median - window.low;
    scaling->low = isfinite(limits[0]) ? fmin(window.low, limits[0] - margin) : window.low;
    scaling->high = isfinite(limits[1]) ? fmax(window.high, limits[1] + margin) : window.high;

    /* What lies outside. */
    for (int i = 0; i < j->count; i++) {
        if (j->w[i] < window.low || j->w[i] > window.high)
            j->entries[i].far = fabs(j->w[i] - j->median);
        j->w[i] = fmin(fmax(j->w[i], scaling->low), scaling->high);
    }
    confirm(j);
    return CKG_OK;
}

/* --- pooling --- */

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
    s->squares[i] = pool->squares;
}

enum { NOISY, KNOWN, EXACT, OUTLIER, CONFIRMED, POOLS };

/* What stands for the variance of a row whose noise is estimated. */
static const double estimated_variance = -1;

/* The variances of rows of absurd values until the units are known. */
static const double outlier_variance = -2;
static const double confirmed_variance = -3;

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
    assert(!ckg__is_answer(data->problem, outcome));
    if (outcome == 0)
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
        if (entries[i].far > 0)
            pool_add(&of[entries[i].confirmed ? CONFIRMED : OUTLIER], y[i], 1);
        else if (sd == CKG_SD_DEFAULT)
            pool_add(&of[NOISY], y[i], 1);
        else if (sd == 0)
            pool_add(&of[EXACT], y[i], 1);
        else {
            const double scaled = sd * ckg__exp(ckg__scaling_log_slope(scaling, entries[i].value));
            pool_add(&of[KNOWN], y[i], 1 / (scaled * scaled));
        }
    }
    for (int design = 0; design < designs; design++) {
        const struct pool *of = pools + (size_t)design * POOLS;
        add_row(s, design, &of[NOISY], estimated_variance);
        add_row(s, design, &of[KNOWN], 1 / of[KNOWN].weight);
        add_row(s, design, &of[EXACT], 0);
        add_row(s, design, &of[OUTLIER], outlier_variance);
        add_row(s, design, &of[CONFIRMED], confirmed_variance);
    }
}

/*
 * The density of an absurd value at a distance: that of a logarithm which may be anything within some 50, on
 * either side.
 */
static const double outlier_price = 100;

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
            s->constant -= 0.5 * ckg__log(noisy->count);
        }
        if (known->count)
            s->constant += 0.5 * ckg__log(two_pi / (known->weight * square)) - 0.5 * known->squares;
    }
    for (int i = 0; i < count; i++) {
        const double log_slope = ckg__scaling_log_slope(scaling, entries[i].value);
        s->jacobian += log_slope;
        if (entries[i].far > 0)
            s->jacobian += ckg__log(scaling->scale) - ckg__log(outlier_price * entries[i].far);
        else if (entries[i].sd > 0)
            s->constant -= 0.5 * ckg__log(two_pi * entries[i].sd * entries[i].sd) + log_slope;
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
        if (entries[i].sd > 0 && !(entries[i].far > 0)) {
            const double scaled = entries[i].sd * ckg__exp(ckg__scaling_log_slope(scaling, entries[i].value));
            sorted[n++] = scaled * scaled;
        }
    ckg__sort(sorted, n);
    *out = n ? ckg__quantile(sorted, n, 0.5) : 0;
    ckg__arena_release(arena, mark);
    return CKG_OK;
}

/* A value with more noise than this says nothing, and its square stays finite. */
static const double most_noise = 1e100;

/* The noise of an absurd value is this share of its distance from the others; that of a confirmed one. */
static const double softness = 1.0 / 3;
static const double confirmed_softness = 0.05;

/* Mean and standard deviation of the ordinary rows. */
static int ordinary_moments(const struct ckg__series *s, struct ckg__arena *arena, double *mean, double *sd)
{
    struct ckg__arena_mark mark = ckg__arena_mark(arena);
    double *y = ckg__arena_doubles(arena, (size_t)s->n);
    int n = 0;

    if (!y)
        return CKG_ERR_NOMEM;
    for (int i = 0; i < s->n; i++)
        if (s->known[i] > outlier_variance)
            y[n++] = s->y[i];
    moments(n, y, mean, sd);
    ckg__arena_release(arena, mark);
    return CKG_OK;
}

/* Gives the rows their final units, once they are known. */
static int standardise(const struct ckg__data *data, int outcome, struct ckg__arena *arena,
                       struct ckg__scaling *scaling, struct ckg__series *s)
{
    double mean;
    double sd;

    /* The unit: the rows' own, unless they have none. */
    if (ordinary_moments(s, arena, &mean, &sd))
        return CKG_ERR_NOMEM;
    if (ckg__series_has(s, CKG__UNSCALED)) {
        mean = 0;
        sd = 1;
    } else if (sd == 0) {
        sd = scaling->warp != 0 ? 1 : lone_scale(data, outcome, scaling->sign * mean);
    }
    assert(sd > 0);
    scaling->centre = mean;
    scaling->scale = sd;

    /* Values and known variances in it. */
    for (int i = 0; i < s->n; i++) {
        s->y[i] = ckg__scaling_round((s->y[i] - mean) / sd);
        s->squares[i] = s->known[i] == estimated_variance ? s->squares[i] / (sd * sd) : 0;
        if (s->known[i] <= outlier_variance) {
            const double share = s->known[i] == outlier_variance ? softness : confirmed_softness;
            s->known[i] = fmin(share * share * s->y[i] * s->y[i], most_noise);
            s->outlier++;
        } else if (s->known[i] > 0)
            s->known[i] = fmin(s->known[i] / (sd * sd), most_noise);
        s->estimated |= s->known[i] < 0;
    }
    return CKG_OK;
}

/* Where the source's warp lies. */
static void place_warp(const struct ckg__data *data, const struct ckg__series_source *source,
                       const struct sample *sample, const struct entry *entries, int count,
                       struct ckg__scaling *scaling)
{
    double tail;

    scaling->warp = source->warp;
    if (source->warp > 0) {
        robust(data, source->outcome, scaling->sign, sample, entries, count, &scaling->warp_centre,
               &scaling->warp_scale, &tail);
        if (!(scaling->warp_scale > 0))
            scaling->warp_scale = 1;
    } else if (source->warp == CKG__LOGARITHM) {
        const double median = ckg__quantile(sample->sorted, sample->n, 0.5);
        scaling->warp_scale = median != 0 ? median : 1;
    }
}

int ckg__series_build(const struct ckg__data *data, const struct ckg__series_source *source,
                      struct ckg__arena *arena, struct ckg__scaling *scaling, struct ckg__series *s)
{
    const int outcome = source->outcome;
    const size_t rows = (size_t)data->designs * POOLS + 1;
    const size_t values = (size_t)data->trials * (size_t)data->problem->outcomes + 1;
    struct entry *entries;
    struct pool *pools;
    double *y;
    struct sample sample;
    int status = CKG_OK;

    /* Room: the rows outlive this, the rest does not. */
    *scaling = (struct ckg__scaling){
        outcome == 0 && data->problem->goal == CKG_MINIMIZE ? -1 : 1, 0, 0, 1, 0, 1, 0, 0};
    *s = (struct ckg__series){.likelihood = ckg__likelihood_given(data->problem, outcome), .u = data->u};
    if (CKG__TAKE(arena, CKG__ROOM(s->design, rows), CKG__ROOM(s->y, rows), CKG__ROOM(s->known, rows),
                  CKG__ROOM(s->count, rows), CKG__ROOM(s->squares, rows)))
        return CKG_ERR_NOMEM;
    struct ckg__arena_mark mark = ckg__arena_mark(arena);
    if (CKG__TAKE(arena, CKG__ROOM(entries, values), CKG__ROOM(pools, rows), CKG__ROOM(y, values)))
        return CKG_ERR_NOMEM;

    /* What was measured, and how it is spread. */
    const int count = collect(data, source, entries);
    if (take_sample(data, scaling->sign, entries, count, arena, &sample))
        return CKG_ERR_NOMEM;
    if (count)
        place_warp(data, source, &sample, entries, count, scaling);

    /* Warped, pooled by design, scaled; and what replicates and known noise say beyond that. */
    if (count) {
        for (int i = 0; i < count; i++)
            y[i] = ckg__scaling_warp(scaling, entries[i].value);
        const double middle = scaling->sign * ckg__quantile(sample.sorted, sample.n, 0.5);
        const struct judged judged = {
            data, outcome, count, entries, y, ckg__scaling_warp(scaling, middle), source->gap};
        if (source->gap > 0 && !ckg__series_has(s, CKG__UNSCALED))
            status = draw_in(&judged, arena, scaling);
        pool_entries(scaling, entries, count, y, data->designs, pools, s);
        if (!status)
            status = standardise(data, outcome, arena, scaling, s);
    }
    if (!status && count) {
        replicate_terms(pools, data->designs, scaling, entries, count, s);
        status = typical_known(scaling, entries, count, arena, &s->typical_known);
    }

    assert(s->n <= data->designs * POOLS);
    ckg__arena_release(arena, mark);
    return status;
}

int ckg__series_exact(const struct ckg__series *s)
{
    return !ckg__series_has(s, CKG__STANDS_IN) && !s->estimated && !(s->typical_known > 0);
}

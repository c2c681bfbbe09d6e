/*
 * The life of a trust region, replayed from the trials (region.h has the rule). Cost O(trials·(trials + K)).
 */
#include "search/region.h"

#include <math.h>
#include <string.h>

#include "base/maths.h"
#include "base/sorted.h"
#include "data/duplicates.h"

/* An improvement below this share of the objective's interquartile range is none. */
static const double worthwhile = 1e-3;

void ckg__region_settle(struct ckg__region_rule *rule)
{
    rule->length_max = fmax(rule->length_max, rule->length_min);
    rule->length = fmax(rule->length_min, fmin(rule->length, rule->length_max));
}

void ckg__region_sides(const struct ckg_problem *problem, const double *inv_ell, double length, double *half)
{
    const double stretch = CKG__REGION_STRETCH;
    double mean = 0;

    for (int i = 0; i < problem->d; i++)
        mean -= ckg__log(inv_ell[problem->parameters[i].offset]) / problem->d;
    for (int i = 0; i < problem->d; i++) {
        const struct ckg__parameter *q = &problem->parameters[i];
        const double weight = ckg__exp(-ckg__log(inv_ell[q->offset]) - mean);

        half[i] = 0.5 * length * fmin(fmax(weight, 1 / stretch), stretch);
        if (ckg__is_stepped(q))
            half[i] = fmax(half[i], ckg__step_gap(q));
    }
}

/*
 * What is known while the trials are read: values of each design and the measures of each outcome, of the
 * present region alone.
 */
struct book {
    const struct ckg__data *data;
    struct ckg__region *region;
    double *mean; /* designs × outcomes, as maximised */
    int *count;   /* designs × outcomes, values averaged */
    /* values of the objective, distances to the limit of a constraint */
    double *sorted[1 + CKG_MAX_CONSTRAINTS];
    int seen[1 + CKG_MAX_CONSTRAINTS];
    struct ckg__repeat *repeat; /* (outcomes) */
    int best;                   /* design that successes are measured against; -1: none */
    int best_feasible;
    double best_value;
};

static int book_take(struct book *book, const struct ckg__data *data, struct ckg__region *region,
                     struct ckg__arena *arena)
{
    const size_t outcomes = (size_t)data->problem->outcomes;
    const size_t size = (size_t)data->designs * outcomes + 1;
    *book = (struct book){.data = data, .region = region};
    if (CKG__TAKE(arena, CKG__ROOM(book->mean, size), CKG__ROOM(book->count, size),
                  CKG__ROOM(book->repeat, outcomes)))
        return CKG_ERR_NOMEM;
    int status = ckg__repeats_find(data, arena, book->repeat);
    for (size_t j = 0; !status && j < outcomes; j++) {
        book->sorted[j] = ckg__arena_doubles(arena, (size_t)data->trials + 1);
        status = book->sorted[j] ? CKG_OK : CKG_ERR_NOMEM;
    }
    return status;
}

/* A region from trial `first` on, of which nothing is known. */
static void begin(struct book *book, const struct ckg__region_rule *rule, int first, int initial)
{
    const struct ckg_problem *problem = book->data->problem;
    const int restarts = first ? book->region->restarts + 1 : 0;
    *book->region = (struct ckg__region){
        .restarts = restarts, .first = first, .initial = initial, .length = rule->length, .centre = -1};
    for (int j = 0; j < problem->outcomes; j++) {
        book->region->bilog[j] = (struct ckg__bilog){problem->outcome[j].min, problem->outcome[j].max, 1};
        book->seen[j] = 0;
    }
    memset(book->count, 0, (size_t)book->data->designs * (size_t)problem->outcomes * sizeof *book->count);
    book->best = -1;
    book->best_feasible = 0;
}

static void read_values(struct book *book, const struct ckg__trial *trial)
{
    const struct ckg_problem *problem = book->data->problem;

    for (int i = 0; i < trial->count; i++) {
        const struct ckg_measurement *m = &trial->measured[i];
        const int j = m->outcome;
        const size_t at = (size_t)trial->design * (size_t)problem->outcomes + (size_t)j;
        const double value = j == 0 && problem->goal == CKG_MINIMIZE ? -m->value : m->value;
        const double before = book->count[at] ? book->mean[at] : 0;
        book->mean[at] = before + (value - before) / ++book->count[at];
        ckg__sorted_insert(book->sorted[j], book->seen[j]++,
                           j ? ckg__bilog_distance(&book->region->bilog[j], value) : value);
        if (j)
            book->region->bilog[j].unit = ckg__bilog_unit(book->seen[j], book->sorted[j]);
        book->region->noisy |= !ckg__data_exact(book->data, m);
    }
}

/* 1 when all outcomes of the design are known, and it is a place to look around: it obeys the rules. */
static int complete(const struct book *book, int design)
{
    const int outcomes = book->data->problem->outcomes;
    const int *count = book->count + (size_t)design * (size_t)outcomes;
    for (int j = 0; j < outcomes; j++)
        if (!count[j])
            return 0;
    return ckg__data_allowed(book->data, design);
}

static double objective(const struct book *book, int design)
{
    return book->mean[(size_t)design * (size_t)book->data->problem->outcomes];
}

static double violation(const struct book *book, int design)
{
    const int outcomes = book->data->problem->outcomes;
    const double *mean = book->mean + (size_t)design * (size_t)outcomes;
    double sum = 0;
    for (int j = 1; j < outcomes; j++)
        sum += book->repeat[j].implied ? 0 : ckg__bilog_violation(&book->region->bilog[j], mean[j]);
    return sum;
}

/* 1 when the design is better than the best so far by more than `margin`. */
static int better(const struct book *book, int design, double margin)
{
    const double broken = violation(book, design);
    if (book->best < 0)
        return 1;
    if (broken > 0)
        return !book->best_feasible && broken < violation(book, book->best);
    return !book->best_feasible || objective(book, design) > book->best_value + margin;
}

static void set_best(struct book *book, int design)
{
    book->best = design;
    book->best_feasible = violation(book, design) == 0;
    book->best_value = objective(book, design);
}

/* 1 when the design may have come from the region around the best one; a categorical is within any. */
static int within_reach(const struct book *book, int design)
{
    const struct ckg__data *data = book->data;
    const size_t D = (size_t)data->problem->D;
    const double half = 0.5 * CKG__REGION_STRETCH * book->region->length;

    for (int i = 0; i < data->problem->d; i++) {
        const struct ckg__parameter *q = &data->problem->parameters[i];
        const double step = ckg__is_stepped(q) ? ckg__step_gap(q) : 0;
        const double away = data->u[(size_t)design * D + (size_t)q->offset] -
                            data->u[(size_t)book->best * D + (size_t)q->offset];
        if (q->kind != CKG_CATEGORICAL && fabs(away) > fmax(half, step) * (1 + 1e-9))
            return 0;
    }
    return 1;
}

static double margin(const struct book *book, const struct ckg__region_rule *rule)
{
    const double *sorted = book->sorted[0];
    const double share = rule->finer ? fmin(1, book->region->length / rule->length) : 1;
    return book->seen[0]
               ? share * worthwhile *
                     (ckg__quantile(sorted, book->seen[0], 0.75) - ckg__quantile(sorted, book->seen[0], 0.25))
               : 0;
}

/* Doubles or halves the length where it is time; 1 when it has become too small. */
static int resize(struct ckg__region *region, const struct ckg__region_rule *rule)
{
    if (region->successes == rule->successes) {
        region->length = fmin(2 * region->length, rule->length_max);
        region->successes = 0;
    } else if (region->failures == rule->failures) {
        region->length /= 2;
        region->failures = 0;
    }
    return region->length < rule->length_min;
}

/* After a success more of the same; else from everywhere into the region, and after some trials back. */
static void look_elsewhere(struct ckg__region *region, const struct ckg__region_rule *rule, int success)
{
    region->missed = success ? 0 : region->missed + 1;
    if (success || (region->local && region->missed < rule->every - 1))
        return;
    region->local = !region->local;
    region->missed = 0;
}

/* Judges a trial that has ended; 1 when the region ends with it. */
static int judge(struct book *book, const struct ckg__region_rule *rule, int t)
{
    struct ckg__region *region = book->region;
    const struct ckg__trial *trial = &book->data->trial[t];
    const int initial = t - region->first < region->initial;
    const int known = complete(book, trial->design);

    if (trial->design == book->best) /* measured again: luck evens out */
        set_best(book, trial->design);
    const int success = known && trial->state == CKG_COMPLETE &&
                        better(book, trial->design, initial ? 0 : margin(book, rule));
    if (success) {
        const int counts = !initial && book->best >= 0;
        set_best(book, trial->design);
        region->successes += counts;
        region->failures = 0;
    } else if (!initial && book->best >= 0 && (known || trial->state == CKG_FAILED) &&
               within_reach(book, trial->design)) {
        region->successes = 0;
        region->failures++;
    }
    if (!initial)
        look_elsewhere(region, rule, success);
    return resize(region, rule);
}

/* The centre: the best of all designs of the region by what is known in the end. */
static void choose_centre(struct book *book)
{
    book->best = -1;
    book->best_feasible = 0;
    for (int i = 0; i < book->data->designs; i++)
        if (complete(book, i) && better(book, i, 0))
            set_best(book, i);
    book->region->centre = book->best;
    book->region->feasible = book->best_feasible;
}

int ckg__region_replay(const struct ckg__data *data, const struct ckg__region_rule *rule,
                       struct ckg__arena *arena, struct ckg__region *out)
{
    struct ckg__arena_mark mark = ckg__arena_mark(arena);
    struct book book;

    if (book_take(&book, data, out, arena))
        return CKG_ERR_NOMEM;
    begin(&book, rule, 0, rule->initial);
    for (int t = 0; t < data->trials; t++) {
        const struct ckg__trial *trial = &data->trial[t];
        if (trial->state == CKG_PENDING && t - out->first >= out->initial)
            look_elsewhere(out, rule, 0);
        if (trial->state != CKG_COMPLETE && trial->state != CKG_FAILED)
            continue;
        read_values(&book, trial);
        if (judge(&book, rule, t))
            begin(&book, rule, t + 1, rule->fresh);
    }
    choose_centre(&book);
    const int since = data->trials - out->first - out->initial;
    out->scouting = rule->scout > 0 && since >= 0 && (since + 1) % rule->scout == 0;
    ckg__arena_release(arena, mark);
    return CKG_OK;
}

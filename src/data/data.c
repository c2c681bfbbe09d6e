/*
 * Trials and distinct designs. Designs are told apart by their values in the user's units, bit for bit:
 * suggestions are made on the lattice, so that equal designs are equal numbers. A design is found by its hash
 * (open addressing, at most half of the slots taken), its trials by a chain from the newest on: both cost the
 * same however many there are.
 */
#include "data/data.h"

#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "problem/rules.h"

void ckg__data_init(struct ckg__data *data, const struct ckg_problem *problem)
{
    memset(data, 0, sizeof *data);
    data->problem = problem;
}

void ckg__data_free(struct ckg__data *data)
{
    for (int t = 0; t < data->trials; t++)
        ckg__free(data->trial[t].measured);
    ckg__free(data->trial);
    ckg__free(data->x);
    ckg__free(data->u);
    ckg__free(data->newest);
    ckg__free(data->slot);
    memset(data, 0, sizeof *data);
}

/* *block, of which `used` rows are taken, with room for so many; a row is `row` bytes. */
static int grow(void *block, int used, int capacity, size_t row)
{
    void *old;

    memcpy(&old, block, sizeof old);
    void *grown = ckg__alloc_resize(old, (size_t)used * row, (size_t)capacity, row);
    if (!grown)
        return CKG_ERR_NOMEM;
    memcpy(block, &grown, sizeof grown);
    return CKG_OK;
}

static int grow_trials(struct ckg__data *data)
{
    if (data->trials < data->trial_capacity)
        return CKG_OK;
    const int capacity = data->trial_capacity ? 2 * data->trial_capacity : 64;
    const int status = grow(&data->trial, data->trials, capacity, sizeof *data->trial);
    if (!status)
        data->trial_capacity = capacity;
    return status;
}

/* FNV-1a over words, stirred; both zeros are the same number. */
static uint64_t hash(int d, const double *x)
{
    uint64_t sum = UINT64_C(0xcbf29ce484222325);

    for (int k = 0; k < d; k++) {
        const double value = x[k] + 0.0;
        uint64_t bits;
        memcpy(&bits, &value, sizeof bits);
        sum = (sum ^ bits) * UINT64_C(0x100000001b3);
        sum ^= sum >> 29;
    }
    return sum * UINT64_C(0x9e3779b97f4a7c15) >> 32;
}

/* The slot of the design x (d): the one that leads to it, or the free one where it belongs. */
static int find_slot(const struct ckg__data *data, const double *x)
{
    const int d = data->problem->d;
    int at = (int)(hash(d, x) & (uint64_t)(data->slots - 1));

    while (data->slot[at] && !ckg__same_design(d, data->x + ((size_t)data->slot[at] - 1) * (size_t)d, x))
        at = (at + 1) & (data->slots - 1);
    return at;
}

/* More slots, the designs put into them anew. */
static int grow_slots(struct ckg__data *data, int slots)
{
    int *grown = ckg__alloc_zero((size_t)slots, sizeof *grown);

    if (!grown)
        return CKG_ERR_NOMEM;
    ckg__free(data->slot);
    data->slot = grown;
    data->slots = slots;
    for (int i = 0; i < data->designs; i++)
        grown[find_slot(data, data->x + (size_t)i * (size_t)data->problem->d)] = i + 1;
    return CKG_OK;
}

static int grow_designs(struct ckg__data *data)
{
    if (data->designs < data->design_capacity)
        return CKG_OK;
    const int capacity = data->design_capacity ? 2 * data->design_capacity : 64;
    int status = grow(&data->x, data->designs, capacity, (size_t)data->problem->d * sizeof *data->x);
    if (!status)
        status = grow(&data->u, data->designs, capacity, (size_t)data->problem->D * sizeof *data->u);
    if (!status)
        status = grow(&data->newest, data->designs, capacity, sizeof *data->newest);
    if (!status)
        status = grow_slots(data, 2 * capacity);
    if (!status)
        data->design_capacity = capacity;
    return status;
}

int ckg__data_find(const struct ckg__data *data, const double *x)
{
    return data->slots ? data->slot[find_slot(data, x)] - 1 : -1;
}

void ckg__data_chain(struct ckg__data *data, int t)
{
    struct ckg__trial *trial = &data->trial[t];

    trial->before = data->newest[trial->design];
    data->newest[trial->design] = t;
}

int ckg__data_add(struct ckg__data *data, const double *x, int *trial)
{
    int design = ckg__data_find(data, x);

    /* Room for both, before anything changes. */
    int status = grow_trials(data);
    if (!status && design < 0)
        status = grow_designs(data);
    if (status)
        return status;

    /* The design, unless it is known. */
    if (design < 0) {
        design = data->designs++;
        double *row = data->x + (size_t)design * (size_t)data->problem->d;
        memcpy(row, x, (size_t)data->problem->d * sizeof *x);
        ckg__problem_to_unit(data->problem, row, data->u + (size_t)design * (size_t)data->problem->D);
        data->slot[find_slot(data, row)] = design + 1;
        data->newest[design] = -1;
    }

    /* The trial. */
    data->trial[data->trials] = (struct ckg__trial){.state = CKG_PENDING, .design = design, .before = -1};
    *trial = data->trials++;
    ckg__data_chain(data, *trial);
    return CKG_OK;
}

/* What the trial measured of the outcome; NULL: nothing. */
static const struct ckg_measurement *measurement_of(const struct ckg__trial *trial, int outcome)
{
    for (int i = 0; i < trial->count; i++)
        if (trial->measured[i].outcome == outcome)
            return &trial->measured[i];
    return NULL;
}

/* Values of so few digits, whole numbers among them, may agree by chance or because they were rounded. */
static int is_brief(double value)
{
    char text[32];

    snprintf(text, sizeof text, "%.6g", value);
    return strtod(text, NULL) == value;
}

/* Likewise of one whose noise is to be estimated: others say nothing of that. */
static int says_little(const struct ckg_problem *problem, const struct ckg_measurement *m)
{
    return ckg__noise_estimated(&problem->outcome[m->outcome]) && is_brief(m->value);
}

/*
 * 1 when both trials measured the same outcomes with the same values, or where outcomes are measured apart,
 * the same values of those that both measured; -1: there are none of them, and nothing is said. *brief: one
 * whose noise is to be estimated has few digits.
 */
static int agree(const struct ckg_problem *problem, const struct ckg__trial *a, const struct ckg__trial *b,
                 int *brief)
{
    int same = problem->separate || a->count == b->count;
    int common = 0;

    *brief = 0;
    for (int i = 0; same && i < a->count; i++) {
        const struct ckg_measurement *m = measurement_of(b, a->measured[i].outcome);
        if (!m && problem->separate)
            continue;
        common++;
        same = m && m->value == a->measured[i].value;
        *brief |= says_little(problem, &a->measured[i]);
    }
    return common || !problem->separate ? same : -1;
}

/* What the trial says of noise beside others of its design, from the one of that number back. */
static void weigh_repeat(const struct ckg__data *data, int trial, int newest, int *alike, int *unlike)
{
    const struct ckg__trial *now = &data->trial[trial];
    int brief;

    for (int t = newest; t >= 0; t = data->trial[t].before) {
        const struct ckg__trial *other = &data->trial[t];
        if (t == trial || other->state != CKG_COMPLETE)
            continue;
        const int same = agree(data->problem, other, now, &brief);
        if (!same)
            ++*unlike;
        else if (same > 0)
            *alike += brief ? 1 : 2;
    }
}

/* One repeated evaluation shows it, and of values with few digits two. */
static int show_exact(int alike, int unlike)
{
    return alike > 1 && !unlike;
}

int ckg__data_shown_exact(const struct ckg__data *data, int trials)
{
    int alike = 0;
    int unlike = 0;

    assert(trials <= data->trials);
    if (trials == data->trials || !show_exact(data->alike, data->unlike))
        return show_exact(data->alike, data->unlike);
    for (int t = 0; t < trials && !unlike; t++)
        if (data->trial[t].state == CKG_COMPLETE)
            weigh_repeat(data, t, data->trial[t].before, &alike, &unlike);
    return show_exact(alike, unlike);
}

int ckg__data_tell(struct ckg__data *data, int trial, int count, const struct ckg_measurement *measured)
{
    assert(trial >= 0 && trial < data->trials && data->trial[trial].state == CKG_PENDING);
    assert(count > 0 && count <= data->problem->outcomes);

    struct ckg_measurement *copy = ckg__alloc((size_t)count, sizeof *copy);
    if (!copy)
        return CKG_ERR_NOMEM;
    memcpy(copy, measured, (size_t)count * sizeof *copy);
    data->trial[trial].measured = copy;
    data->trial[trial].count = count;
    data->trial[trial].state = CKG_COMPLETE;
    weigh_repeat(data, trial, data->newest[data->trial[trial].design], &data->alike, &data->unlike);
    return CKG_OK;
}

int ckg__data_pending(const struct ckg__data *data, int design)
{
    int t = data->newest[design];

    while (t >= 0 && data->trial[t].state != CKG_PENDING)
        t = data->trial[t].before;
    return t >= 0;
}

int ckg__data_allowed(const struct ckg__data *data, int design)
{
    return !data->problem->rules ||
           ckg__rules_broken(data->problem, data->x + (size_t)design * (size_t)data->problem->d) < 0;
}

/* Puts a further value of an outcome, number `count` of its kind, to the one in *fact. */
static void add_fact(const struct ckg__data *data, const struct ckg_measurement *m, int count,
                     struct ckg_measurement *fact)
{
    if (count == 1 || ckg__data_exact(data, m))
        *fact = *m;
    else if (!ckg__data_exact(data, fact))
        fact->value += (m->value - fact->value) / count;
}

/* The same of the design, from the first `trials` trials. */
static int facts_of(const struct ckg__data *data, int design, int trials, struct ckg_measurement *facts)
{
    int count[1 + CKG_MAX_CONSTRAINTS] = {0};
    int place[1 + CKG_MAX_CONSTRAINTS];
    int known = 0;

    for (int t = data->newest[design]; t >= 0; t = data->trial[t].before)
        for (int i = 0; t < trials && i < data->trial[t].count; i++) {
            const struct ckg_measurement *m = &data->trial[t].measured[i];
            if (!count[m->outcome]++)
                place[m->outcome] = known++;
            add_fact(data, m, count[m->outcome], &facts[place[m->outcome]]);
        }
    return known;
}

int ckg__data_facts(const struct ckg__data *data, const struct ckg__trial *trial,
                    struct ckg_measurement *facts)
{
    if (data->problem->separate)
        return facts_of(data, trial->design, data->trials, facts);
    if (trial->count)
        memcpy(facts, trial->measured, (size_t)trial->count * sizeof *facts);
    return trial->count;
}

/* Whether the trial is feasible by the first `trials` trials. */
static int feasible_by(const struct ckg__data *data, const struct ckg__trial *trial, int trials)
{
    struct ckg_measurement facts[1 + CKG_MAX_CONSTRAINTS];

    if (trial->state != CKG_COMPLETE)
        return -1;
    if (!ckg__data_allowed(data, trial->design))
        return 0;
    if (!data->problem->separate)
        return ckg_problem_feasible(data->problem, trial->count, trial->measured);
    return ckg_problem_feasible(data->problem, facts_of(data, trial->design, trials, facts), facts);
}

int ckg__data_feasible(const struct ckg__data *data, const struct ckg__trial *trial)
{
    return feasible_by(data, trial, data->trials);
}

int ckg__data_measured(const struct ckg__data *data, int outcome)
{
    for (int t = 0; t < data->trials; t++)
        if (measurement_of(&data->trial[t], outcome))
            return 1;
    return 0;
}

int ckg__data_refused(const struct ckg__data *data, int outcome)
{
    int no = 0;

    for (int t = 0; t < data->trials; t++) {
        const struct ckg_measurement *m = measurement_of(&data->trial[t], outcome);
        if (m && m->value > 0)
            return 0;
        no += m != NULL;
    }
    return no > 0;
}

int ckg__data_best(const struct ckg__data *data)
{
    return ckg__data_best_of(data, data->trials);
}

int ckg__data_best_of(const struct ckg__data *data, int trials)
{
    double best_value = NAN;
    int best = -1;

    for (int t = 0; t < trials; t++) {
        const struct ckg__trial *trial = &data->trial[t];
        const struct ckg_measurement *m = measurement_of(trial, 0);

        if (!m || !ckg_problem_better(data->problem, m->value, best_value) ||
            feasible_by(data, trial, trials) != 1)
            continue;
        best = t;
        best_value = m->value;
    }
    return best;
}

int ckg__data_exact(const struct ckg__data *data, const struct ckg_measurement *m)
{
    const struct ckg__outcome *outcome = &data->problem->outcome[m->outcome];
    const int shown = ckg__noise_estimated(outcome) && show_exact(data->alike, data->unlike);

    return m->sd == 0 || (m->sd == CKG_SD_DEFAULT && (outcome->noise == CKG_NOISE_NONE || shown));
}

int ckg__data_agrees(const struct ckg__data *data, int design, const struct ckg_measurement *m)
{
    int agrees = 1;

    if (!ckg__is_answer(data->problem, m->outcome))
        return 1;
    for (int t = data->newest[design]; agrees && t >= 0; t = data->trial[t].before) {
        const struct ckg_measurement *other = measurement_of(&data->trial[t], m->outcome);
        agrees = !other || other->value == m->value;
    }
    return agrees;
}

/* known (outcomes) ← 1 for each that is settled at the design; returns how many, or −1: a trial there failed.
 */
static int find_settled(const struct ckg__data *data, int design, unsigned char *known)
{
    int count = 0;

    assert(design >= 0 && design < data->designs);
    for (int t = data->newest[design]; t >= 0; t = data->trial[t].before) {
        const struct ckg__trial *trial = &data->trial[t];
        if (trial->state == CKG_FAILED)
            return -1;
        for (int i = 0; i < trial->count; i++) {
            unsigned char *outcome = &known[trial->measured[i].outcome];
            if (*outcome || !ckg__data_exact(data, &trial->measured[i]))
                continue;
            *outcome = 1;
            count++;
        }
    }
    return count;
}

int ckg__data_settled(const struct ckg__data *data, int design)
{
    unsigned char known[1 + CKG_MAX_CONSTRAINTS] = {0};
    const int count = find_settled(data, design, known);

    return count < 0 || count == data->problem->outcomes;
}

int ckg__data_open(const struct ckg__data *data, int design, const struct ckg__set *set)
{
    unsigned char known[1 + CKG_MAX_CONSTRAINTS] = {0};
    int wanted = 0;

    if (find_settled(data, design, known) < 0)
        return 0;
    for (int j = 0; j < data->problem->outcomes; j++) {
        if (!ckg__set_has(set, j))
            continue;
        wanted |= !known[j];
        for (int t = data->newest[design]; t >= 0; t = data->trial[t].before)
            if (data->trial[t].state == CKG_PENDING && ckg__trial_wants(&data->trial[t], j))
                return 0;
    }
    return wanted;
}

/* --- what it costs --- */

double ckg__data_cost(const struct ckg__data *data, int trial)
{
    const struct ckg__trial *t = &data->trial[trial];
    struct ckg__set set = t->wanted;

    if (t->state == CKG_CANCELLED)
        return 0;
    for (int i = 0; i < t->count; i++)
        ckg__set_put(&set, t->measured[i].outcome);
    return ckg__set_empty(&set) ? ckg__problem_full_price(data->problem)
                                : ckg__problem_price(data->problem, &set);
}

double ckg__data_spent(const struct ckg__data *data)
{
    double sum = 0;

    for (int t = 0; t < data->trials; t++)
        sum += ckg__data_cost(data, t);
    return sum;
}

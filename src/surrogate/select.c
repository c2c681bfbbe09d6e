/*
 * Which designs a process sees where there are too many for it: a factor costs n³, and a study of ten
 * thousand trials would wait minutes for each choice. A quarter are the newest, so that the next choice knows
 * of the last results; half are those nearest to the best design, where the search has to be exact; the rest
 * are spread evenly over all others, in the order of their trials. Up to CKG__MOST_DESIGNS all are seen.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/sorted.h"
#include "surrogate/stages.h"

/* 1 when the trial says something of the outcome; failures say it of the latent one. */
static int speaks(const struct ckg__data *data, const struct ckg__trial *trial, int outcome)
{
    if (outcome == data->problem->outcomes)
        return trial->state == CKG_COMPLETE || trial->state == CKG_FAILED;
    for (int i = 0; i < trial->count; i++)
        if (trial->measured[i].outcome == outcome)
            return 1;
    return 0;
}

/* seen (designs) ← 1 where one of the first `trials` trials speaks of the outcome; how many. */
static int mark_measured(const struct ckg__data *data, int outcome, int trials, unsigned char *seen)
{
    int count = 0;

    memset(seen, 0, (size_t)data->designs);
    for (int t = 0; t < trials; t++)
        if (speaks(data, &data->trial[t], outcome) && !seen[data->trial[t].design]) {
            seen[data->trial[t].design] = 1;
            count++;
        }
    return count;
}

static double squared_distance(const struct ckg__data *data, int a, int b)
{
    const size_t D = (size_t)data->problem->D;
    double sum = 0;

    for (size_t k = 0; k < D; k++) {
        const double step = data->u[(size_t)a * D + k] - data->u[(size_t)b * D + k];
        sum += step * step;
    }
    return sum;
}

/* In the order of their numbers. */
static int earlier(const void *a, const void *b)
{
    return ((const struct ckg__ranked *)a)->of - ((const struct ckg__ranked *)b)->of;
}

/* Leaves `most` of the designs that are marked in seen (designs). */
static void thin(const struct ckg__data *data, int trials, int most, struct ckg__ranked *candidate,
                 unsigned char *seen)
{
    const int newest = most / 4;
    const int near = most / 2;
    const int spread = most - newest - near;
    int n = 0;

    /* All of them by their age, from the best design or, without one, from the newest. */
    for (int i = 0; i < data->designs; i++)
        if (seen[i])
            candidate[n++].of = i;
    assert(n > most);
    const int best = ckg__data_best_of(data, trials);
    const int centre = best < 0 ? candidate[n - 1].of : data->trial[best].design;
    for (int i = 0; i < n; i++)
        candidate[i].value = squared_distance(data, candidate[i].of, centre);
    memset(seen, 0, (size_t)data->designs);

    /* The newest. */
    for (int i = n - newest; i < n; i++)
        seen[candidate[i].of] = 1;
    n -= newest;

    /* The nearest of the others. */
    ckg__rank(candidate, n);
    for (int i = 0; i < near; i++)
        seen[candidate[i].of] = 1;

    /* And some of the rest. */
    const int rest = n - near;
    qsort(candidate + near, (size_t)rest, sizeof *candidate, earlier);
    for (int i = 0; i < spread; i++)
        seen[candidate[near + (int)((long)i * rest / spread)].of] = 1;
}

int ckg__select(const struct ckg__data *data, int outcome, int trials, int most, struct ckg__arena *arena,
                const unsigned char **seen)
{
    assert(most > 0 && most <= CKG__MOST_DESIGNS);

    *seen = NULL;
    if (data->designs <= CKG__MOST_DESIGNS)
        return CKG_OK;
    unsigned char *marked = ckg__arena_get(arena, (size_t)data->designs, 1);
    struct ckg__ranked *candidate = ckg__arena_get(arena, (size_t)data->designs, sizeof *candidate);
    if (!marked || !candidate)
        return CKG_ERR_NOMEM;

    if (mark_measured(data, outcome, trials, marked) > CKG__MOST_DESIGNS) {
        thin(data, trials, most, candidate, marked);
        *seen = marked;
    }
    return CKG_OK;
}

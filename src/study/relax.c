/*
 * Equalities are loose at first and get tight on the way. Where the tolerance t is a thin band, a step along
 * it is safe only as far as the model is sure to within t, so that a search that knows nothing wider crawls.
 * So the policy sees the band t·(b/t)^(⅔·left), where b is a tenth of the mean distance of the values so far
 * from what they should be, and `left` falls from 1 to 0 over half of the budget after the initial design, or
 * 10d evaluations where that is less or the budget is not known. What was measured counts as feasible by
 * the same band, in this search alone: whatever is stated of a design goes by the tolerance itself.
 */
#include <math.h>

#include "base/maths.h"
#include "study/study.h"

static const double widest = 0.1;         /* of the mean distance */
static const double exponent = 2.0 / 3.0; /* of the way from the tolerance to that */

/* How much of the way is left: 1 at first, 0 from its end on. */
static double left_of_way(const ckg_study *s)
{
    const double longest = 10.0 * s->problem->d;
    const double half = 0.5 * (s->budget - s->initial);
    const double span = s->budget && half < longest ? half : longest;

    return span > 0 ? fmax(0, 1 - (s->data.trials - s->initial) / span) : 0;
}

/* The mean distance of what was measured of equality j from what it should be; 0: nothing was. */
static double mean_distance(const struct ckg__data *data, int j)
{
    double sum = 0;
    int count = 0;

    for (int t = 0; t < data->trials; t++)
        for (int i = 0; i < data->trial[t].count; i++) {
            const struct ckg_measurement *m = &data->trial[t].measured[i];
            if (m->outcome != j)
                continue;
            count++;
            sum += (fabs(m->value - data->problem->outcome[j].equal) - sum) / count;
        }
    return sum;
}

/* Widens outcome j. */
static void widen(const struct ckg__data *data, int j, double left, struct ckg__outcome *o)
{
    const double most = widest * mean_distance(data, j);

    if (!(most > o->tolerance))
        return;
    const double width = o->tolerance * ckg__pow(most / o->tolerance, exponent * left);
    o->min = o->equal - width;
    o->max = o->equal + width;
}

struct relaxed {
    struct ckg__scope scope;
    struct ckg_problem problem;
    struct ckg__data data;
    struct ckg__surrogates models;
};

int ckg__study_relax(ckg_study *s, const struct ckg__scope **scope)
{
    const double left = s->models.revision ? left_of_way(s) : 0; /* without models nobody asks for limits */
    struct relaxed *relaxed = NULL;

    /* A problem of its own, where there is something to widen. */
    for (int j = 1; left > 0 && j < s->problem->outcomes; j++) {
        if (!ckg__is_equality(s->problem, j))
            continue;
        if (!relaxed) {
            relaxed = ckg__arena_get(&s->results, 1, sizeof *relaxed);
            if (!relaxed)
                return CKG_ERR_NOMEM;
            relaxed->problem = *s->problem;
        }
        widen(&s->data, j, left, &relaxed->problem.outcome[j]);
    }
    if (!relaxed)
        return CKG_OK;

    /* The same trials and models by these limits. */
    relaxed->data = s->data;
    relaxed->data.problem = &relaxed->problem;
    relaxed->scope = (struct ckg__scope){
        .problem = &relaxed->problem, .data = &relaxed->data, .models = &relaxed->models, .outer = *scope};
    *scope = &relaxed->scope;
    return ckg__surrogates_beside(&s->models, &relaxed->data, &s->results, &relaxed->models);
}

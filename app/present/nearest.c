/*
 * The constraints that a design comes nearest to breaking: by the distance of the predicted mean from the
 * limit in standard deviations, each of them a little larger than it is, so that where all is known the
 * distance counts beside the measured values' own spread. What is not known comes first.
 */
#include "present/nearest.h"

#include <math.h>

/* The share of the measured values' spread that is added to a standard deviation. */
static const double small = 0.01;

/* How far the measured values of an outcome lie apart: their standard deviation; 0 where there are none. */
static double spread(const struct app_study *n, int outcome)
{
    double mean = 0;
    double squares = 0;
    int count = 0;

    for (int i = 0; i < n->count; i++) {
        const double value = app_trial_value(&n->trials[i], outcome);
        if (isnan(value))
            continue;
        const double off = value - mean;
        mean += off / ++count;
        squares += off * (value - mean);
    }
    return count ? sqrt(squares / count) : 0;
}

/* How far the prediction is inside the limits; negative: outside. */
static double margin(const struct app_study *n, int outcome, double mean, double sd)
{
    const struct app_outcome o = app_outcome_at(&n->definition, outcome);
    const double unit = sd + small * spread(n, outcome);
    const double inside = fmin(mean - o.min, o.max - mean);

    if (isnan(inside) || isnan(sd))
        return -INFINITY;
    return unit > 0 ? inside / unit : inside >= 0 ? INFINITY : -INFINITY;
}

/* The shown constraint that is farthest from its limit: where another one would go in. */
static int farthest(const double *distance, int count)
{
    int far = 0;

    for (int i = 1; i < count; i++)
        far = distance[i] >= distance[far] ? i : far;
    return far;
}

void app_nearest_choose(struct app_nearest *out, const struct app_study *n, const double *mean,
                        const double *sd)
{
    const int K = app_constraints(&n->definition);
    const int most = K <= APP_SHOW_ALL ? K : APP_SHOW_FEW;
    double distance[APP_SHOW_ALL];

    /* The first ones of the file. */
    out->count = most + 1;
    out->others = K - most;
    for (int j = 0; j <= most; j++) {
        out->outcome[j] = j;
        if (j && mean)
            distance[j - 1] = margin(n, j, mean[j], sd[j]);
    }

    /* A nearer one takes the place of the farthest, behind those that stay. */
    for (int j = most + 1; mean && j <= K; j++) {
        const double here = margin(n, j, mean[j], sd[j]);
        int at = farthest(distance, most);
        if (!(here < distance[at]))
            continue;
        for (; at < most - 1; at++) {
            distance[at] = distance[at + 1];
            out->outcome[at + 1] = out->outcome[at + 2];
        }
        distance[at] = here;
        out->outcome[at + 1] = j;
    }
}

double app_nearest_others(const struct app_nearest *nearest, const struct app_definition *d,
                          const double *probability)
{
    double least = NAN;

    for (int j = 1, at = 1; j <= app_constraints(d); j++) {
        if (at < nearest->count && nearest->outcome[at] == j)
            at++;
        else
            least = fmin(least, probability[j - 1]);
    }
    return least;
}

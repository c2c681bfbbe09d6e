/* Milestones of a study, from its trials in the order of their numbers. */
#include "run/milestones.h"

#include <math.h>
#include <string.h>

static const double thousandth = 0.001; /* of the spread: what a better value must be better by to be shown */
static const double hundredth = 0.01;   /* of the spread: what is as good as the best */

/* The range of the objective over feasible trials. */
struct spread {
    double low, high;
};

static const struct spread no_spread = {INFINITY, -INFINITY};

static int is_feasible(const struct app_trial *t)
{
    return t->state == APP_COMPLETE && t->feasible == 1 && !isnan(app_trial_value(t, 0));
}

static double widen(struct spread *s, double value)
{
    s->low = fmin(s->low, value);
    s->high = fmax(s->high, value);
    return s->high - s->low;
}

/* What people were shown as the best, one trial after the other. */
struct shown {
    double best; /* NAN: nothing yet */
    struct spread seen;
};

/* 1 when people are shown the same digits. */
static int reads_alike(double a, double b)
{
    char first[32], second[32];

    return !strcmp(app_number_short(a, first), app_number_short(b, second));
}

/* 1 when the trial becomes the best that is shown. */
static int show(struct shown *s, const ckg_problem *problem, const struct app_trial *t)
{
    const double value = app_trial_value(t, 0);

    if (!is_feasible(t))
        return 0;
    const double bar = thousandth * widen(&s->seen, value);
    const int is_first = isnan(s->best);
    if (!is_first && (!app_trial_improves(problem, t, s->best) || fabs(value - s->best) <= bar ||
                      reads_alike(value, s->best)))
        return 0;
    s->best = value;
    return 1;
}

int app_is_new_best(const struct app_study *n, int number)
{
    struct shown shown = {.best = NAN, .seen = no_spread};

    /* It has ended last, whatever its number. */
    for (int i = 0; i < n->count; i++)
        if (n->trials[i].number != number)
            show(&shown, n->definition.problem, &n->trials[i]);
    return show(&shown, n->definition.problem, &n->trials[number - 1]);
}

int app_count_feasible(const struct app_study *n)
{
    int count = 0;

    for (int i = 0; i < n->count; i++)
        count += is_feasible(&n->trials[i]);
    return count;
}

int app_initial_size(const struct app_definition *d)
{
    const int standard = app_dimension(d) > 4 ? 2 * (app_dimension(d) + 1) : 10;
    const int size = d->initial >= 0 ? d->initial : standard;

    return size < d->budget ? size : d->budget;
}

/* 1 when a repeated evaluation would give the same values, all of them. */
static int is_exact(const struct app_definition *d)
{
    for (int j = 0; j <= app_constraints(d); j++) {
        const struct app_outcome o = app_outcome_at(d, j);

        if (o.noise != CKG_NOISE_NONE && !o.yesno)
            return 0;
    }
    return ckg_problem_separate(d->problem) != 1;
}

int app_evaluations_needed(const struct app_study *n)
{
    const struct app_trial *best = app_study_best(n);
    struct spread all = no_spread;
    double width = 0;
    int ended = 0;

    if (!best || !is_exact(&n->definition))
        return 0;
    for (int i = 0; i < n->count; i++)
        if (is_feasible(&n->trials[i]))
            width = widen(&all, app_trial_value(&n->trials[i], 0));
    if (!(width > 0))
        return 0;

    /* The first one that is near enough. */
    for (int i = 0; i < n->count; i++) {
        const struct app_trial *t = &n->trials[i];

        ended += app_trial_ended(t);
        if (is_feasible(t) && fabs(app_trial_value(t, 0) - app_trial_value(best, 0)) <= hundredth * width)
            return ended;
    }
    return 0;
}

/* Which outcomes have been measured, and what is said of those that have not. */
#include <math.h>
#include <stdlib.h>

#include "study/record.h"

/* Some names tell enough. */
enum { MOST_NAMED = 5 };

static int by_outcome(const void *a, const void *b)
{
    const ckg_measurement *one = a;
    const ckg_measurement *other = b;

    return (one->outcome > other->outcome) - (one->outcome < other->outcome);
}

void app_measurements_sort(ckg_measurement *measured, int count)
{
    qsort(measured, (size_t)count, sizeof *measured, by_outcome);
}

/* 1 when some trial measured the outcome. */
static int is_measured(const struct app_study *n, int outcome)
{
    for (int i = 0; i < n->count; i++)
        if (!isnan(app_trial_value(&n->trials[i], outcome)))
            return 1;
    return 0;
}

/* Name number `count` of a list. */
static void add_name(struct app_text *out, const char *name, int count)
{
    if (count < MOST_NAMED)
        app_text_print(out, "%s'%s'", count ? ", " : "", name);
}

/* What did not fit in. */
static void add_rest(struct app_text *out, int count)
{
    if (count > MOST_NAMED)
        app_text_print(out, " and %d more", count - MOST_NAMED);
}

int app_study_unmeasured(const struct app_study *n, int first, struct app_text *out)
{
    int count = 0;

    for (int j = first; j <= app_constraints(&n->definition); j++)
        if (!is_measured(n, j))
            add_name(out, app_outcome_name(&n->definition, j), count++);
    add_rest(out, count);
    if (count)
        app_text_print(out, " %s not been measured yet", count > 1 ? "have" : "has");
    return count;
}

/* 1 when the trial is complete without that outcome, which it was to measure. */
static int lacks(const struct app_trial *t, int outcome)
{
    const int wanted = !t->wants.given || t->wants.has[outcome];

    return t->state == APP_COMPLETE && wanted && isnan(app_trial_value(t, outcome));
}

static int others_lack(const struct app_study *n, int number, int outcome)
{
    for (int i = 0; i < n->count; i++)
        if (n->trials[i].number != number && lacks(&n->trials[i], outcome))
            return 1;
    return 0;
}

int app_study_lacking(const struct app_study *n, int number, struct app_text *out)
{
    const struct app_trial *t = &n->trials[number - 1];
    struct app_text names = {0};
    int count = 0;

    for (int j = 0; j <= app_constraints(&n->definition); j++)
        if (lacks(t, j) && !others_lack(n, number, j))
            add_name(&names, app_outcome_name(&n->definition, j), count++);
    add_rest(&names, count);
    if (count)
        app_text_print(out, "trial %d has no value of %s: it counts as not measured there (said once)",
                       number, names.failed ? "some outcome" : names.data);
    app_text_free(&names);
    return count;
}

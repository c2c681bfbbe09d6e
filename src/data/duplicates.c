/*
 * Constraints that repeat another (duplicates.h). A line is laid through the values of both in two trials,
 * those with the quartiles of one of them, and every other trial is held against it: most pairs fall out at
 * the first. A value far out is held against its own distance, so that a penalty value that all outcomes
 * share makes no two of them alike. Answers lie on no line: theirs are held against each other.
 */
#include "data/duplicates.h"

#include <assert.h>
#include <math.h>

#include "base/error.h"
#include "base/sorted.h"

/* How far a value may be off the line, and how far apart values count as different, in units. */
static const double off_exactly = 1e-9;
static const double off_nearly = 1e-3;
static const double different = 1e-6;

/* The measured values of one constraint. */
struct column {
    int rows;                 /* trials in which it was measured */
    double *value;            /* (trials); NAN: not measured */
    struct ckg__ranked *rank; /* (rows) ascending */
};

/* The columns (outcomes) of all constraints. */
static int read_columns(const struct ckg__data *data, struct ckg__arena *arena, struct column *column)
{
    const size_t trials = (size_t)data->trials;

    for (int j = 1; j < data->problem->outcomes; j++) {
        column[j].rows = 0;
        if (CKG__TAKE(arena, CKG__ROOM(column[j].value, trials + 1), CKG__ROOM(column[j].rank, trials + 1)))
            return CKG_ERR_NOMEM;
        for (size_t t = 0; t < trials; t++)
            column[j].value[t] = NAN;
    }

    for (int t = 0; t < data->trials; t++)
        for (int i = 0; i < data->trial[t].count; i++) {
            const struct ckg_measurement *m = &data->trial[t].measured[i];
            struct column *c = &column[m->outcome];
            if (!m->outcome)
                continue;
            c->value[t] = m->value;
            c->rank[c->rows++] = (struct ckg__ranked){m->value, t};
        }

    for (int j = 1; j < data->problem->outcomes; j++)
        ckg__rank(column[j].rank, column[j].rows);
    return CKG_OK;
}

/* A line through two trials: their numbers, and its slope. */
struct line {
    int low, high;
    double factor;
};

/* Lays it through the quartiles of `by`, if both constraints were measured there and differ. */
static int lay_line(const struct column *by, const struct column *of, const struct column *one,
                    struct line *line)
{
    if (by->rows < 2)
        return 0;
    line->low = by->rank[by->rows / 4].of;
    line->high = by->rank[by->rows - 1 - by->rows / 4].of;

    const double run = of->value[line->high] - of->value[line->low];
    const double rise = one->value[line->high] - one->value[line->low];
    line->factor = rise / run;
    return isfinite(line->factor) && line->factor != 0 && isfinite(1 / line->factor);
}

/* 1 when the column `one` repeats the column `of`, which is said in *repeat. */
static int compare(const struct column *of, const struct column *one, int fewest, struct ckg__repeat *repeat)
{
    struct line line;
    double last = -INFINITY;
    int common = 0;
    int distinct = 0;
    int exact = 1;

    if (!lay_line(one, of, one, &line) && !lay_line(of, of, one, &line))
        return 0;
    const double x = of->value[line.low];
    const double y = one->value[line.low];
    const double unit = fabs(one->value[line.high] - y);

    /* Every trial that measured both, from the smallest value upwards. */
    for (int i = 0; i < one->rows; i++) {
        const double value = one->rank[i].value;
        const double other = of->value[one->rank[i].of];
        if (isnan(other))
            continue;
        const double reach = fmax(unit, fabs(value - y));
        const double off = fabs(value - y - line.factor * (other - x));
        if (!(off <= off_nearly * reach))
            return 0;
        exact &= off <= off_exactly * reach;
        common++;
        distinct += value > last + different * unit;
        last = value;
    }

    *repeat = (struct ckg__repeat){.exact = exact && common == one->rows,
                                   .shift = y - line.factor * x,
                                   .factor = line.factor,
                                   .unit = unit / fabs(line.factor)};
    return distinct >= fewest;
}

/*
 * The same of two columns of answers: the first was answered wherever the second was, always alike, and often
 * enough both ways.
 */
static int agree(const struct column *of, const struct column *one, int fewest, struct ckg__repeat *repeat)
{
    int yes = 0;

    for (int i = 0; i < one->rows; i++) {
        if (!(of->value[one->rank[i].of] == one->rank[i].value))
            return 0;
        yes += one->rank[i].value > 0;
    }
    *repeat = (struct ckg__repeat){.exact = 1, .factor = 1, .unit = 1};
    return yes >= fewest && one->rows - yes >= fewest;
}

/* A limit that is another one to rounding. */
static double snap(double limit, double other, double unit)
{
    return isfinite(other) && fabs(limit - other) <= off_exactly * unit + 1e-12 * fabs(other) ? other : limit;
}

void ckg__repeat_limits(const struct ckg_problem *problem, const struct ckg__repeat *repeat, int j,
                        double *lower, double *upper)
{
    const struct ckg__outcome *own = &problem->outcome[j];
    const struct ckg__outcome *other = &problem->outcome[repeat->of];

    *lower = own->min;
    *upper = own->max;
    if (!repeat->of)
        return;

    const double from = (own->min - repeat->shift) / repeat->factor;
    const double to = (own->max - repeat->shift) / repeat->factor;
    *lower = snap(fmin(from, to), other->min, repeat->unit);
    *upper = snap(fmax(from, to), other->max, repeat->unit);
}

/* The limits that an exactly repeated constraint has together with those that repeat it. */
struct limits {
    double lower, upper;
};

/* Narrows the limits by those of constraint j; 0 when nothing would be left of them. */
static int narrow(const struct ckg_problem *problem, struct ckg__repeat *repeat, int j, struct limits *limits)
{
    const struct ckg__outcome *other = &problem->outcome[repeat->of];
    double lower;
    double upper;

    ckg__repeat_limits(problem, repeat, j, &lower, &upper);
    repeat->implied = lower <= other->min && upper >= other->max;
    lower = fmax(lower, limits->lower);
    upper = fmin(upper, limits->upper);
    if (!(upper - lower > different * repeat->unit))
        return 0;
    *limits = (struct limits){lower, upper};
    return 1;
}

/* Finds what constraint j repeats among the first `count` of the order that repeat none. */
static void find_one(const struct ckg_problem *problem, const struct column *column, const int *order,
                     int count, struct limits *limits, struct ckg__repeat *repeat)
{
    const int j = order[count];
    const int fewest = problem->d + 2 > 5 ? problem->d + 2 : 5;

    for (int i = 0; column[j].rows >= fewest && i < count; i++) {
        const int of = order[i];
        const int answers = problem->outcome[j].yesno && problem->outcome[of].yesno;
        struct ckg__repeat found;
        if (repeat[of].of || !(answers ? agree : compare)(&column[of], &column[j], fewest, &found))
            continue;
        found.of = of;
        if (found.exact && !narrow(problem, &found, j, &limits[of]))
            continue;
        repeat[j] = found;
        return;
    }
}

/* The constraints in `order`, those that were measured more often first. */
static int put_in_order(int outcomes, const struct column *column, int *order)
{
    int count = 0;

    for (int j = 1; j < outcomes; j++) {
        int at = count++;
        for (; at > 0 && column[order[at - 1]].rows < column[j].rows; at--)
            order[at] = order[at - 1];
        order[at] = j;
    }
    return count;
}

int ckg__repeats_find(const struct ckg__data *data, struct ckg__arena *arena, struct ckg__repeat *repeat)
{
    struct ckg__arena_mark mark = ckg__arena_mark(arena);
    const struct ckg_problem *problem = data->problem;
    const size_t outcomes = (size_t)problem->outcomes;
    struct column *column;
    struct limits *limits;
    int *order;

    if (CKG__TAKE(arena, CKG__ROOM(column, outcomes), CKG__ROOM(limits, outcomes),
                  CKG__ROOM(order, outcomes)) ||
        read_columns(data, arena, column))
        return CKG_ERR_NOMEM;

    /* Nothing repeats anything until the values say so. */
    for (size_t j = 0; j < outcomes; j++) {
        repeat[j] = (struct ckg__repeat){0};
        limits[j] = (struct limits){problem->outcome[j].min, problem->outcome[j].max};
    }

    /* Each is held against those before it. */
    const int count = put_in_order(problem->outcomes, column, order);
    for (int i = 1; i < count; i++)
        find_one(problem, column, order, i, limits, repeat);
    ckg__arena_release(arena, mark);
    return CKG_OK;
}

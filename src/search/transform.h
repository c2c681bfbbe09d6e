/*
 * The transforms under which a trust region's models see the outcomes (Eriksson and Poloczek 2021): normal
 * scores of the objective, which magnify differences at its ends whatever the tail, and the bilog of a
 * constraint, which magnifies what is near a limit. Neither depends on the outcome's units or origin.
 */
#ifndef CKG_SEARCH_TRANSFORM_H
#define CKG_SEARCH_TRANSFORM_H

#include "base/arena.h"

/*
 * score (n) ← Φ⁻¹((rank − ½)/n) of values (n), ranks from 1 upwards and equal values sharing their average.
 * Values count as equal when they differ by less than rounding in another unit would: 2⁻³² of their
 * interquartile range.
 */
int ckg__copula(int n, const double *value, struct ckg__arena *arena, double *score);

/* A constraint's limits, one of them perhaps infinite, and the distance from a limit that counts as 1. */
struct ckg__bilog {
    double lower, upper, unit;
};

/*
 * sign(t)·log(1 + |t|), t = (value − limit)/unit. Of two limits the nearer one counts, and the two branches
 * are shifted by ±log(1 + half the gap/unit) so that they meet in the middle.
 */
double ckg__bilog_apply(const struct ckg__bilog *b, double value);

/* The distance of a value from the nearer limit, either side. */
double ckg__bilog_distance(const struct ckg__bilog *b, double value);

/* How far beyond its limits a value is, log(1 + excess/unit); 0 within them. */
double ckg__bilog_violation(const struct ckg__bilog *b, double value);

/* The unit from n ascending distances to the limit: their median, or the largest where that is 0, or 1. */
double ckg__bilog_unit(int n, const double *distance);

#endif

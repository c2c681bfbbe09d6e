/*
 * Which constraints repeat another one, read off the values: c₃ = 2·c₁, or c₁ with its sign turned over. Two
 * constraints that say the same must not count twice, as independent ones would.
 */
#ifndef CKG_DATA_DUPLICATES_H
#define CKG_DATA_DUPLICATES_H

#include "data/data.h"

/* What a constraint repeats: its value is shift + factor·(value of the other one). */
struct ckg__repeat {
    int of; /* the constraint that it repeats, which itself repeats none; 0: none */
    /*
     * 1: to rounding, and wherever this one was measured the other one was too; 0: nearly, or not everywhere
     */
    int exact;
    int implied; /* 1: exact, and its limits hold wherever those of the other one do */
    double shift, factor;
    double unit; /* how far values of the other one lie apart: the distance of their quartiles */
};

/*
 * repeat (outcomes) ← what each repeats. Only trials in which both were measured are compared: every one of
 * them must agree, and at least max(5, d + 2) of the values must differ. Answers, yes or no, are repeated by
 * answers alone: all must be the same, and at least so many be yes, and so many no. Of two constraints the
 * one that was measured less often, or else the later one, repeats the other. Limits that contradict each
 * other keep two constraints apart. Scratch from the arena. Cost O(K·n·log n + K²), and O(n) for each pair
 * that agrees.
 */
int ckg__repeats_find(const struct ckg__data *data, struct ckg__arena *arena, struct ckg__repeat *repeat);

/*
 * The limits of constraint j as limits of the one that it repeats; a limit that falls on one of those, to
 * rounding, is that one. Its own limits where it repeats none.
 */
void ckg__repeat_limits(const struct ckg_problem *problem, const struct ckg__repeat *repeat, int j,
                        double *lower, double *upper);

#endif

/*
 * What can be measured apart. Where outcomes have costs, an evaluation need not measure all of them: the
 * units are the groups of outcomes that come together, and every other outcome by itself.
 */
#ifndef CKG_PROBLEM_MEASUREMENT_SETS_H
#define CKG_PROBLEM_MEASUREMENT_SETS_H

#include <stdint.h>

#include <ckg/problem.h>

enum { CKG__SET_WORDS = (1 + CKG_MAX_CONSTRAINTS + 63) / 64 };

/* A set of outcomes. */
struct ckg__set {
    uint64_t word[CKG__SET_WORDS];
};

static inline int ckg__set_has(const struct ckg__set *set, int j)
{
    return (int)(set->word[j / 64] >> (j % 64) & 1);
}

static inline void ckg__set_put(struct ckg__set *set, int j)
{
    set->word[j / 64] |= UINT64_C(1) << (j % 64);
}

static inline int ckg__set_empty(const struct ckg__set *set)
{
    uint64_t any = 0;

    for (int i = 0; i < CKG__SET_WORDS; i++)
        any |= set->word[i];
    return !any;
}

/* All outcomes of the problem. */
struct ckg__set ckg__problem_all(const ckg_problem *problem);

/* How many units there are; 1: all outcomes come together. */
int ckg__problem_units(const ckg_problem *problem);

/* Unit number `unit`. */
struct ckg__set ckg__problem_unit(const ckg_problem *problem, int unit);

/* What measuring the set costs. */
double ckg__problem_price(const ckg_problem *problem, const struct ckg__set *set);

/* What measuring everything costs. */
double ckg__problem_full_price(const ckg_problem *problem);

/* CKG_OK, or CKG_ERR_INVALID with a message that names an outcome that costs nothing by itself. */
int ckg__problem_check_costs(const ckg_problem *problem);

#endif

/*
 * The trials of a study, the distinct designs among them, and what is known of each.
 */
#ifndef CKG_DATA_DATA_H
#define CKG_DATA_DATA_H

#include <ckg/study.h>

#include "base/arena.h"
#include "problem/problem.h"
#include "problem/measurement_sets.h"

struct ckg__trial {
    enum ckg_trial_state state;
    int design; /* row of the distinct designs */
    int count;  /* measured values */
    struct ckg_measurement *measured;
    int before;             /* the trial before it at the same design; -1: none */
    struct ckg__set wanted; /* what it was to measure; empty: nobody said, and that is everything */
};

struct ckg__data {
    const struct ckg_problem *problem;
    int trials, trial_capacity;
    struct ckg__trial *trial;
    int designs, design_capacity;
    double *x;   /* designs × d, the user's units */
    double *u;   /* designs × D, the unit cube */
    int *newest; /* (designs) the last trial of each; the others by `before` */
    int *slot;   /* (slots) where the hash of a design leads: its row + 1, or 0 */
    int slots;   /* a power of two */
    /* evidence of repeated evaluations: of those that agreed to the last bit, and how many did not */
    int alike, unlike;
};

void ckg__data_init(struct ckg__data *data, const struct ckg_problem *problem);
void ckg__data_free(struct ckg__data *data);

/* Appends a pending trial at x (d), checked by the caller; *trial is its number. */
int ckg__data_add(struct ckg__data *data, const double *x, int *trial);
/* Gives a pending trial its values, checked by the caller, or fails. */
int ckg__data_tell(struct ckg__data *data, int trial, int count, const struct ckg_measurement *measured);

/* 1 when the trial is, or was, to measure the outcome. */
static inline int ckg__trial_wants(const struct ckg__trial *trial, int outcome)
{
    return ckg__set_empty(&trial->wanted) || ckg__set_has(&trial->wanted, outcome);
}

/* What the trial costs: what it was to measure and what it measured; 0 where it was cancelled. */
double ckg__data_cost(const struct ckg__data *data, int trial);

/* The cost of all trials, those that are pending included. */
double ckg__data_spent(const struct ckg__data *data);

/* Makes trial t the newest of its design, for data that are put together from trials of others. */
void ckg__data_chain(struct ckg__data *data, int t);

/* The row of the distinct design x (d), or -1. */
int ckg__data_find(const struct ckg__data *data, const double *x);

/* 1 when a trial of the distinct design is pending. */
int ckg__data_pending(const struct ckg__data *data, int design);

/* 1 when the distinct design breaks no rule. */
int ckg__data_allowed(const struct ckg__data *data, int design);

/*
 * What is known of the trial's design: the trial's values or, where outcomes are measured apart, those of all
 * trials there, one of each outcome: one without noise where there is one, else the mean. Returns their
 * number, of at most 1+K.
 */
int ckg__data_facts(const struct ckg__data *data, const struct ckg__trial *trial,
                    struct ckg_measurement *facts);

/*
 * 1 when the trial, or where outcomes are measured apart its design, was measured feasible, 0 infeasible or
 * breaks a rule, -1 not known.
 */
int ckg__data_feasible(const struct ckg__data *data, const struct ckg__trial *trial);

/* 1 when some trial measured the outcome. */
int ckg__data_measured(const struct ckg__data *data, int outcome);

/* 1 when the outcome, an answer, was given and was always no. */
int ckg__data_refused(const struct ckg__data *data, int outcome);

/* The best trial measured feasible in every constraint, by its measured objective, or -1. */
int ckg__data_best(const struct ckg__data *data);
/* The same among the first `trials` trials. */
int ckg__data_best_of(const struct ckg__data *data, int trials);

/*
 * 1 when the value was measured without noise: the problem says so, or the value itself, or the study has
 * shown it. Where noise is to be estimated there is none while all repeated evaluations agree to the last
 * bit: one of them says so, and of values with few digits, which may agree by chance, two.
 */
int ckg__data_exact(const struct ckg__data *data, const struct ckg_measurement *m);

/* 1 when the first `trials` trials have shown that outcomes whose noise is to be estimated have none. */
int ckg__data_shown_exact(const struct ckg__data *data, int trials);

/* 1 unless m is an answer and another trial of the design answered otherwise. */
int ckg__data_agrees(const struct ckg__data *data, int design, const struct ckg_measurement *m);

/*
 * 1 when an evaluation of the design would teach nothing: every outcome was measured there without noise, or
 * it failed.
 */
int ckg__data_settled(const struct ckg__data *data, int design);

/*
 * 1 when an evaluation of the set would teach something that is not under way already: no trial of the design
 * failed, none that is pending wants any of the set, and something of it is not settled.
 */
int ckg__data_open(const struct ckg__data *data, int design, const struct ckg__set *set);

#endif

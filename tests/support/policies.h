/*
 * Contracts that every row of the policy registry keeps: each contract becomes one test per row, whatever
 * rows there are. And a toy study to try them on. CKG_TEST_POLICY=name in the environment runs them for that
 * row only.
 */
#ifndef CKG_TESTS_POLICIES_H
#define CKG_TESTS_POLICIES_H

#include <ckg/ckg.h>

#include "study/study.h"
#include "support/test.h"

struct policy_contract {
    const char *name;
    void (*holds)(const struct ckg__policy *row);
};

/* Runs every contract for every row, as tests called "row: contract"; the number that failed. */
int policies_run(int count, const struct policy_contract *contracts);

/* 1 when the row gives designs values: ckg_study_score works for it. */
int policy_has_values(const struct ckg__policy *row);

/* --- the toy: a bowl with waves on [0, 5]² or on a lattice of 4 × 3 designs, to be minimized under K <= 2
 * constraints --- */

enum { TOY_INITIAL = 6, TOY_OUTCOMES = 3, TOY_LATTICE = 12 };

struct toy {
    int K;
    enum ckg_noise noise; /* of the objective and the constraints */
    int lattice;
    int threads;     /* 0: one */
    const char *fit; /* NULL: auto */
};

ckg_study *toy_study(const struct toy *toy, const char *policy, int settings, const ckg_setting *setting);

/* The outcomes of a design, disturbed where the toy is noisy by numbers that depend on the trial alone. */
void toy_evaluate(const struct toy *toy, int trial, const double *x, double *values);

/* Asks, evaluates and tells; the suggestion is the caller's. */
ckg_suggestion *toy_step(ckg_study *study, const struct toy *toy);

/* A study that was told the first `told` designs of a fixed sequence. */
ckg_study *toy_study_told(const struct toy *toy, const char *policy, int told);

#endif

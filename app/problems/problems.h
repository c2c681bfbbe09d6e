/*
 * Test problems with their known optima: one registry for the command line, the benchmarks and the
 * documentation. All are minimised.
 */
#ifndef CKG_APP_PROBLEMS_H
#define CKG_APP_PROBLEMS_H

#include <stdint.h>

#include <ckg/ckg.h>

enum { APP_PROBLEM_DIMENSION = 20, APP_PROBLEM_CONSTRAINTS = 8 };

struct app_problem {
    const char *name, *title, *reference;
    /* of the objective and of each constraint, in words that people read */
    const char *formula[1 + APP_PROBLEM_CONSTRAINTS];
    int d, K;
    double low[APP_PROBLEM_DIMENSION], high[APP_PROBLEM_DIMENSION];
    double optimum;                     /* the smallest feasible value */
    double best[APP_PROBLEM_DIMENSION]; /* where it is */
    /* of the box that is feasible: closed forms, a grid of 3.6e7 cells or 2e7 random designs */
    double share;
    /* what a recommendation that is infeasible counts as: the paper's M */
    double infeasible;
    double constraint_noise; /* standard deviation of the noise of every constraint */
    void (*evaluate)(const double *x, double *values); /* values: f, c_1 … c_K; feasible when every c <= 0 */

    /*
     * Of a problem that is not built in: its own parameters, goal and limits, of any size, and how it is
     * evaluated, 0 where that fails. Of the above it has names, d, K, the optimum and `infeasible`.
     */
    const ckg_problem *own;
    int (*evaluate_own)(const struct app_problem *problem, const double *x, double *values);
    void *context;
};

/* Every problem, NULL at the end. */
extern const struct app_problem *const app_problems[];

/* The problem of that name, or NULL. */
const struct app_problem *app_problem_named(const char *name);

/*
 * Standard normal noise that depends on seed, evaluation (from 0) and outcome alone (splitmix64 and
 * Box-Muller).
 */
double app_problem_noise(uint64_t seed, uint64_t evaluation, uint64_t outcome);

/* The values (1 + K) of a design; 0: it could not be evaluated, and is infeasible. */
int app_problem_evaluate(const struct app_problem *problem, const double *x, double *values);

/* 1 when every constraint is met, without tolerance; a value that is NAN meets none. */
int app_problem_feasible(const struct app_problem *problem, const double *values);

/*
 * The problem for the library, parameters x1 … xd, outcomes f and c1 … cK; the objective's noise is none or
 * to be estimated. NULL: no memory.
 */
ckg_problem *app_problem_describe(const struct app_problem *problem, int noisy);

#endif

/*
 * What the results of a folder say: per cell and number of evaluations, over all replications, nothing left
 * out.
 */
#ifndef CKG_APP_BENCH_SUMMARY_H
#define CKG_APP_BENCH_SUMMARY_H

#include "bench/plan.h"

/* A cell's results as read from its files. */
struct app_result {
    char problem[64], policy[32];
    double noise;
    int replications, first, last; /* evaluations that were scored */
    double *cost, *best;           /* (replications × (last − first + 1)) */
    /* the same; right: the recommendation is in the part of the feasible region that has the optimum */
    char *feasible, *right;
    double *scratch; /* (replications) for statistics, so that these need no memory */
    double seconds;  /* per suggestion, mean; NAN when there is no timing */
};

struct app_results {
    int count;
    /* (count) in the order of the problems' registry, noise, the policies' registry */
    struct app_result *result;
};

int app_results_read(struct app_results *out, const char *folder, struct app_message *message);
void app_results_free(struct app_results *results);

struct app_statistics {
    double mean, half, median;     /* half the width of the 95 % interval of the mean, by Student's t */
    double best_mean, best_median; /* of the best feasible design evaluated */
    double infeasible, right;      /* shares of the replications */
};

/* Where the policy stands in the registry; their number when it is not in it. */
int app_policy_rank(const char *name);

/* After that many evaluations; 0 when they were not scored. */
int app_statistics(const struct app_result *result, int evaluation, struct app_statistics *out);

enum { APP_STANDARD_POINTS = 6 };

/*
 * After how many evaluations results are told unless it is said otherwise: 20, 30, 50, 75, 110 as far as
 * scored, and the last; returns how many.
 */
int app_standard_points(const struct app_result *result, int at[APP_STANDARD_POINTS]);

/*
 * Prints the table, or one JSON object per cell and number of evaluations. `at` (count): which; count 0: the
 * standard ones.
 */
int app_summary_print(const char *folder, int count, const int *at, int json, struct app_message *message);

#endif

/*
 * What the results of a folder say: per cell and number of evaluations, over all replications, nothing left
 * out.
 */
#ifndef CKG_APP_BENCH_SUMMARY_H
#define CKG_APP_BENCH_SUMMARY_H

#include "base/pool.h"
#include "bench/plan.h"

/* What is kept of an evaluation of a replication. */
struct app_scored {
    double cost, best; /* opportunity cost of the recommendation, and of the best feasible design so far */
    int feasible;      /* 1: what was recommended is */
    int right;         /* 1: it is in the part of the feasible region that has the optimum */
};

/* A cell's results as read from its files. */
struct app_result {
    const char *problem, *policy;
    double noise;
    int replications, first, last; /* evaluations that were scored */
    struct app_scored *scored;     /* (replications × (last − first + 1)) */
    double *scratch;               /* (replications) for statistics, so that these need no memory */
    double seconds;                /* per suggestion, mean; NAN when there is no timing */
};

/* In the order of the problems' registry, noise, the policies' registry. */
struct app_results {
    struct app_pool pool; /* of all that follows */
    int count;
    struct app_result *result; /* (count) */
};

/* Free the pool. */
int app_results_read(struct app_results *out, const char *folder, struct app_message *message);

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
 * The table, or one JSON object per cell and number of evaluations. `at` (count): which; count 0: the
 * standard ones.
 */
void app_bench_summary(const struct app_results *results, int count, const int *at, int json,
                       struct app_text *out);

#endif

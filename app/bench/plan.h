/*
 * Replicated experiments: problems × noise × policies × replications. Replication r starts every policy from
 * the same initial design, and evaluation i of it has the same noise under every policy. Results follow from
 * the plan alone, whatever the number of threads, killed or not.
 */
#ifndef CKG_APP_BENCH_PLAN_H
#define CKG_APP_BENCH_PLAN_H

#include "base/text.h"
#include "definition/definition.h"
#include "problems/problems.h"

enum { APP_BENCH_MAX = 64 };

struct app_plan {
    int problems, noises, policies;
    const struct app_problem *problem[APP_BENCH_MAX];
    double noise[APP_BENCH_MAX];
    char policy[APP_BENCH_MAX][32];
    int replications, initial, evaluations, threads;
    uint64_t seed; /* replication r (from 1) has the seed seed + r − 1 */
    const char *folder;
    int quiet;
    /* the models' settings, as text for the folder's record and as options; NULL: the defaults */
    const char *settings_text;
    const struct app_definition *settings;
    /* of the problems that are files, a record of what they were: their trials; NULL: there are none */
    const char *files_text;
};

/* One problem with one noise under one policy. */
struct app_cell {
    const struct app_problem *problem;
    double noise;
    const char *policy;
};

/* Does what is missing of the plan. */
int app_bench_run(const struct app_plan *plan, struct app_message *message);

/* --- connected parts of the feasible region --- */

struct app_components;

/*
 * Found on a grid for two parameters; NULL on lack of memory. With other dimensions, and for a problem file
 * of the user's own, every feasible design counts as being in the right part.
 */
struct app_components *app_components_find(const struct app_problem *problem);
void app_components_free(struct app_components *components);

/* 1 when x is feasible and in the same part as the optimum. */
int app_components_right(const struct app_components *components, const double *x);

#endif

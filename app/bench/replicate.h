/*
 * One replication of an experiment: a study on a problem whose true functions are known, and somebody who
 * looks at it after every evaluation. `ckg bench` and the benchmarks of the repository look for different
 * things, and run the same experiment.
 */
#ifndef CKG_APP_BENCH_REPLICATE_H
#define CKG_APP_BENCH_REPLICATE_H

#include "base/text.h"
#include "problems/problems.h"

struct app_experiment {
    const struct app_problem *problem;
    double noise; /* standard deviation of the objective's noise */
    int untold;   /* 1: whether there is noise is the study's to find out; else it is told where there is none
                   */
    const char *policy;
    const char *fit;    /* as in ckg_options; NULL: the default */
    const char *kernel; /* likewise */
    /* sets further options, from `settings`; NULL: there are none */
    void (*adjust)(const void *settings, ckg_options *options);
    const void *settings;
    int initial; /* as in ckg_options; -1: the default */
    int evaluations;
    uint64_t seed; /* of the study; evaluation i has the same noise under every policy */

    /* What is told instead of the truth: the objective as exp(steep·f), where steep > 0; */
    double steep;
    /* and once `absurd`, unless 0, for that outcome of an early design where it is no lie about the best. */
    double outliers;
    int absurd_outcome;
};

/* How an experiment stands after an evaluation. */
struct app_step {
    int evaluation; /* how many there have been */
    ckg_study *study;
    const ckg_suggestion *suggestion; /* what was evaluated */
    double seconds;                   /* that asking for it took */
    const double *truth;              /* f, c_1 … c_K there */
    const double *telling;            /* the same with noise */
    double best;                      /* the smallest true f of a feasible design so far, INFINITY for none */
};

/* Looks at a step; a status other than CKG_OK, with the library's message set, ends the replication. */
typedef int app_step_visit(void *context, const struct app_step *step);

int app_replicate(const struct app_experiment *experiment, app_step_visit *visit, void *context,
                  struct app_message *message);

/* The recommendation of the study, scored on the true functions. The caller frees the recommendation. */
struct app_score {
    ckg_recommendation *recommendation;
    int feasible;
    double cost; /* opportunity cost */
};

int app_score(const struct app_problem *problem, ckg_study *study, struct app_score *out);

/*
 * Opportunity cost as the paper has it, for a problem that is minimised: of a design with that value, or of
 * one that is infeasible.
 */
double app_cost(const struct app_problem *problem, int feasible, double value);

#endif

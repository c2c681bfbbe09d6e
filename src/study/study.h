/* A study from within. */
#ifndef CKG_STUDY_STUDY_H
#define CKG_STUDY_STUDY_H

#include <ckg/option.h>
#include <ckg/study.h>

#include "surrogate/surrogates.h"
#include "policy/policy.h"

enum { CKG__MAX_THREADS = 256 };

struct ckg_study {
    ckg_problem *problem;
    struct ckg__data data;
    struct ckg__surrogates models;        /* what policies search with */
    struct ckg__surrogates calibrated;    /* the same under samples of the hyperparameters */
    const struct ckg__surrogates *stated; /* which of them predictions are made with */
    struct ckg__scope scope;              /* what it sees itself */
    const struct ckg__policy *policy;
    void *kept[CKG__MAX_POLICIES];              /* of each policy's scope; NULL until there is something */
    double given[CKG__MAX_SETTINGS];            /* of the policy's parameters; NAN: the default */
    struct ckg__search_size size, size_sampled; /* for one belief, and for each of several */
    double penalty; /* M as it was set, in the objective's units; NAN: automatic */
    uint64_t seed;
    double time_limit;
    int threads, initial;
    int budget;                             /* evaluations in all; 0: not known */
    const struct ckg__policy *final_policy; /* for the last of them; NULL: none */
    struct ckg__interrupt interrupt;
    struct ckg__pool *pool;
    struct ckg__arena *arena; /* (threads) */
    struct ckg__arena results;
    double *design;    /* initial × d, in the cube; NULL until the first ask */
    uint64_t revision; /* grows whenever a result comes in */
};

/*
 * Begins a search. ckg__study_believe brings the models up to date and, for a policy's choice, conditions
 * them on pending designs; ckg__policy_narrow and ckg__policy_begin make the search the policy's. policy
 * NULL: a search for predictions or a recommendation, of which no policy is asked. Whatever comes of it,
 * ckg__study_end_search undoes the conditioning and frees the scratch.
 */
int ckg__study_believe(ckg_study *study, const struct ckg__policy *policy, double started,
                       struct ckg__search *search);
int ckg__study_end_search(ckg_study *study, int status);

/* *scope ← the same with wider equalities, by what is left of the way to their tolerances (relax.c). */
int ckg__study_relax(ckg_study *study, const struct ckg__scope **scope);

/*
 * Where the next trial is the last of the initial design: the design to evaluate again, to see whether that
 * gives the same values; -1: none (noise_check.c).
 */
int ckg__study_repeat_due(const ckg_study *study);

/* 1 when one outcome may be measured without the others. */
int ckg__study_measures_apart(const ckg_study *study, const struct ckg__policy *policy);

/* Both at once. */
int ckg__study_begin_search(ckg_study *study, const struct ckg__policy *policy, struct ckg__search *search);

/*
 * From here on predictions are those of sampled hyperparameters, also where policies search with their
 * optimum alone: a probability that is stated must hold (calibrate.c). After ckg__study_believe, which has
 * them made with the models of the policies.
 */
int ckg__study_calibrate(ckg_study *study);

/*
 * Mixture over the beliefs at u (D): per outcome mean and sd in the user's units, probability per constraint;
 * PF returned.
 */
int ckg__study_predict_at(ckg_study *study, const double *u, double *mean, double *sd, double *probability,
                          double *feasible);

/*
 * The design u (D) that is best by the options, of a search that has begun, and the M that all beliefs have
 * in common, in model units.
 */
int ckg__study_choose(ckg_study *study, const ckg_recommend_options *options, struct ckg__search *search,
                      double *u, double *penalty);

/* How many trials have ended, failed ones included (facts.c). */
int ckg__study_ended(const ckg_study *study);

/*
 * The best trial that measured feasible, where that is a fact: every outcome was measured without noise. Else
 * -1.
 */
int ckg__study_incumbent(const ckg_study *study);

/* What is known of the trial's design; 0 unless all of it is without noise and without contradiction. */
int ckg__study_exact_facts(const ckg_study *study, const struct ckg__trial *trial,
                           struct ckg_measurement *facts);

/* What is recommended is in hand: what is known of it, and the probability of the rest. */
void ckg__study_state_facts(const ckg_study *study, int count, const struct ckg_measurement *facts,
                            ckg_recommendation *recommendation);

/* The utility at u averaged over the beliefs, in model units, with the common penalty M. */
int ckg__study_utility_at(ckg_study *study, const double *u, double penalty, double *utility);

/* CKG_OK when every option of the table (option_table.c) is what it may be; else the message names the first
 * that is not. */
int ckg__options_check(const ckg_options *options);

/* Which of the words of that option it is, counted from 0; -1: none. */
int ckg__option_word(const char *name, const char *word);

#endif

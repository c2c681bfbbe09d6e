/* A study from within. */
#ifndef CKG_STUDY_STUDY_H
#define CKG_STUDY_STUDY_H

#include <ckg/study.h>

#include "belief/models.h"
#include "suggest/policy.h"
#include "suggest/region.h"

enum { CKG__MAX_THREADS = 256 };

/* A trust region of the study and models of its trials' transformed outcomes (regional.c). */
struct ckg__regional {
    struct ckg__region region;
    struct ckg_problem problem; /* the study's, but for the outcomes */
    struct ckg__data data;      /* the region's trials; designs are the study's */
    struct ckg__arena own;      /* of the data */
    struct ckg__models models;
    int first; /* trial of the region that the models know */
};

struct ckg_study {
    ckg_problem *problem;
    struct ckg__data data;
    struct ckg__models models;
    struct ckg__regional *regional; /* NULL until a policy with a trust region is asked */
    const struct ckg__policy *policy;
    double setting[CKG__MAX_SETTINGS];         /* of the policy's parameters */
    struct ckg__effort effort, effort_sampled; /* for one belief, and for each of several */
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
 * Begins a search over the present models, up to x_r and the discretisations: for a policy's choice,
 * conditioned on pending designs, or for predictions where policy is NULL. Whatever comes of it,
 * ckg__study_end_search undoes the conditioning, frees the scratch and returns the status, or
 * CKG_ERR_CANCELLED where the caller interrupted.
 */
int ckg__study_begin_search(ckg_study *study, const struct ckg__policy *policy, struct ckg__search *search,
                            double started, double *fit_seconds);
int ckg__study_end_search(ckg_study *study, int status);

/*
 * Brings the trust region and its models up to date, conditioned on pending designs, by the settings of the
 * search.
 */
int ckg__study_update_region(ckg_study *study, struct ckg__search *search);
void ckg__study_free_region(ckg_study *study);

/* The number of designs in an initial design where none is given. */
int ckg__study_standard_initial(const ckg_problem *problem);

/*
 * Mixture over the beliefs at u (D): per outcome mean and sd in the user's units, probability per constraint;
 * PF returned.
 */
int ckg__study_predict_at(ckg_study *study, const double *u, double *mean, double *sd, double *probability,
                          double *feasible);

/* The utility at u averaged over the beliefs, in model units, with the common penalty M. */
int ckg__study_utility_at(ckg_study *study, const double *u, double penalty, double *utility);

#endif

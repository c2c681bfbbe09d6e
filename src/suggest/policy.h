/*
 * Policies: how the next design is chosen. One file and one row each; the registry in policy.c is the only
 * list.
 *
 * A policy whose value can be computed design by design gives `acquire`, and the search for its maximum, its
 * scores and the average over hyperparameter samples are common (acquire.h). One that searches in its own way
 * gives `suggest` and, where it has values, `score`.
 */
#ifndef CKG_SUGGEST_POLICY_H
#define CKG_SUGGEST_POLICY_H

#include <ckg/policy.h>

#include "suggest/acquire.h"
#include "suggest/search.h"

/* What a policy chose. */
struct ckg__choice {
    double *u; /* (D), the caller's */
    double value;
    const char *path;
    int candidates;
    /* 1: the policy would learn next to nothing there, and new ground may be looked at instead */
    int stalled;
    double screen, inner, refine; /* seconds */
};

/* What a policy asks of the search it gets. */
enum ckg__trait {
    /* no beliefs, no points, no x_r: only the problem, the data and the streams of numbers */
    CKG__TRAIT_NO_MODEL = 1,
    /* the outlooks' beliefs know the objective alone; outlook->full knows all outcomes */
    CKG__TRAIT_OBJECTIVE_ONLY = 2,
    CKG__TRAIT_AMOUNT = 4, /* values are amounts of the objective: they are reported in its units */
    /* a pending design is believed without noise: nothing is expected of a second evaluation there */
    CKG__TRAIT_CERTAIN = 8,
    CKG__TRAIT_ONE_BELIEF = 16, /* one outlook: that of a hyperparameter sample drawn by chance */
    /*
     * search->region is a trust region, and unless it scouts, the belief one about its transformed outcomes;
     * there are no points and no x_r then
     */
    CKG__TRAIT_REGION = 32
};

struct ckg__policy {
    const char *name, *title, *reference;
    const char *value;                      /* what its value of a design is, in words; NULL: it has none */
    const ckg_policy_parameter *parameters; /* (count); search->setting has their values in this order */
    int count;
    unsigned traits;
    /* Changes search->effort by the settings before any point is laid; may be NULL. */
    void (*prepare)(struct ckg__search *search);
    /* Fills the acquisition: memory from search->results. NULL: the policy has `suggest`. */
    int (*acquire)(struct ckg__search *search, struct ckg__acquisition *acquisition);
    /*
     * Fills choice; choice->u is on the lattice and not taken, or *found is 0: nothing is worth suggesting.
     */
    int (*suggest)(struct ckg__search *search, struct ckg__choice *choice, int *found);
    /* The value (count) at points U (D×count). With neither this nor `acquire` a policy has no values. */
    int (*score)(struct ckg__search *search, int count, const double *U, double *value);
    /*
     * Each measured outcome's share of the value, (count × (1+K)), where it is a sum over outcomes; else
     * NULL.
     */
    int (*score_outcomes)(struct ckg__search *search, int count, const double *U, double *value);
};

extern const struct ckg__policy ckg__policy_ckg, ckg__policy_cei, ckg__policy_nei, ckg__policy_kg,
    ckg__policy_pkg, ckg__policy_cts, ckg__policy_scbo, ckg__policy_pesc, ckg__policy_cmes,
    ckg__policy_random, ckg__policy_sobol;

/*
 * The parameters that a trust region's rule is made of, as ckg__region_rule reads them, and where they begin
 * in the row.
 */
enum { CKG__REGION_SETTINGS = 1 };
/* clang-format off */
#define CKG__REGION_PARAMETER_ROWS \
    {"length", NAN, 1e-6, 4, 0, "side of the trust region at first, in the unit cube; 0.8 by itself"}, \
    {"length_min", NAN, 1e-6, 4, 0, "length below which a new region begins; 2^-7 by itself"}, \
    {"length_max", NAN, 1e-6, 4, 0, "largest length; 1.6 by itself"}, \
    {"successes", NAN, 1, 1000, 1, "successes in a row that double the length; max(3, d/10) by itself"}, \
    {"failures", NAN, 1, 1000, 1, "failures in a row that halve the length; max(4, d) by itself"}, \
    {"scout", NAN, 0, 100000, 1, "every so many trials one is drawn over all designs by the study's " \
     "models; max(3, d) by itself, 0: none"}
/* clang-format on */

/*
 * The most parameters that a row has, and the name of the one that is M: it holds for the recommendation too.
 */
enum { CKG__MAX_SETTINGS = 16 };
#define CKG__PENALTY "M"

/* The row of that name, or NULL. */
const struct ckg__policy *ckg__policy_find(const char *name);

/* The row's settings (count) as standard. */
void ckg__policy_standards(const struct ckg__policy *policy, double *setting);

/*
 * setting (count of the row) ← those given over the standards, or a status and a message that names the
 * culprit.
 */
int ckg__policy_settings(const struct ckg__policy *policy, int count, const ckg_setting *given,
                         double *setting);

/* The policy's choice and its values, by whichever of its functions there is. */
int ckg__policy_suggest(const struct ckg__policy *policy, struct ckg__search *search,
                        struct ckg__choice *choice, int *found);
int ckg__policy_score(const struct ckg__policy *policy, struct ckg__search *search, int count,
                      const double *U, double *value);

/*
 * The choice and the scores of constrained Thompson sampling over all designs (policy_cts.c), and the effort
 * it wants.
 */
int ckg__cts_suggest(struct ckg__search *search, struct ckg__choice *choice, int *found);
int ckg__cts_score(struct ckg__search *search, int count, const double *U, double *value);
void ckg__cts_effort(struct ckg__search *search);

/*
 * The improvement's reference: the best mean among designs measured feasible, or pending and believed so, and
 * under noise the best value measured feasible if that is better; −INFINITY: none is.
 */
int ckg__search_incumbent(const struct ckg__search *search, const struct ckg__belief *belief,
                          struct ckg__arena *arena, double *best);

/*
 * Candidates of the search: space-filling, around each x_r, lattice neighbours, each x_r; taken ones left
 * out. U (D×*count) from results.
 */
int ckg__search_candidates(struct ckg__search *search, double **U, int *count);

#endif

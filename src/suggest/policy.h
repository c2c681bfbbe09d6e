/*
 * Policies: how the next design is chosen from a search whose beliefs have their discretisation and x_r. One file and one row each.
 */
#ifndef CKG_SUGGEST_POLICY_H
#define CKG_SUGGEST_POLICY_H

#include "suggest/search.h"

/* What a policy chose. */
struct ckg__choice {
    double *u;         /* (D), the caller's */
    double value;
    const char *path;
    int candidates;
    double screen, inner, refine; /* seconds */
};

struct ckg__policy {
    const char *name, *title, *reference;
    /* Fills choice; choice->u is on the lattice and not taken, or *found is 0: nothing is worth suggesting. */
    int (*suggest)(struct ckg__search *search, struct ckg__choice *choice, int *found);
    /* The value (count) at points U (D×count). */
    int (*score)(struct ckg__search *search, int count, const double *U, double *value);
};

extern const struct ckg__policy ckg__policy_ckg, ckg__policy_cei;

/* The row of that name, or NULL. */
const struct ckg__policy *ckg__policy_find(const char *name);

/* log-cEI's choice, for the policy itself and for those that fall back on it. */
int ckg__cei_suggest(struct ckg__search *search, struct ckg__choice *choice, int *found);

/* The best mean among designs measured feasible, as the improvement's reference; −INFINITY: none is. */
int ckg__search_incumbent(const struct ckg__search *search, const struct ckg__belief *belief, struct ckg__arena *arena, double *best);

/* Candidates of the search: space-filling, around each x_r, lattice neighbours, each x_r; taken ones left out. U (D×*count) from results. */
int ckg__search_candidates(struct ckg__search *search, double **U, int *count);

#endif

/*
 * The choice of a design: what it comes to, what designs are compared, and what else is looked at when a
 * search has stalled.
 */
#ifndef CKG_SEARCH_CHOICE_H
#define CKG_SEARCH_CHOICE_H

#include <ckg/study.h>

#include "search/search.h"

struct ckg__policy;

/* How a design came about, where it is not the best by a policy's value alone. */
struct ckg__way {
    const char *path;      /* in a word (ckg_suggestion.path) */
    const char *chosen_by; /* who chose; NULL: the policy whose value it has */
    const char *reason;    /* for people */
};

/* What was chosen. */
struct ckg__choice {
    double *u;                    /* (D), the caller's */
    int found;                    /* 1: u is a design that may be suggested; 0: there is none */
    int again;                    /* 1 + the design of the study that it is to the last bit; 0: a new one */
    const struct ckg__policy *by; /* whose value it is: another's where the policy handed over */
    double value;
    int in_units;               /* 1: in the unit that it is measured in, else in that of the models */
    const struct ckg__way *way; /* NULL: the best by the policy's value */
    int candidates;
    /* 1: the policy would learn next to nothing there, and new ground may be looked at instead */
    int stalled;
    ckg_timing seconds;
    struct ckg__set measure; /* which outcomes, where they are measured apart; empty: not chosen yet */
    int together;            /* 1: the search should look again as if they came together */
};

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

/*
 * New ground: the free design with the largest distance to the nearest datum times probability of
 * feasibility.
 */
int ckg__search_explore(struct ckg__search *search, struct ckg__choice *choice);

/* The same by the distance alone. */
int ckg__search_fill_gaps(struct ckg__search *search, struct ckg__choice *choice);

/* A design that may be suggested, by chance. */
int ckg__search_any(struct ckg__search *search, struct ckg__choice *choice);

#endif

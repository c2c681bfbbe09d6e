/*
 * Where outcomes are measured apart, the next step is a design and what to measure there: of all designs x
 * and all sets S that are on offer, the pair with the largest value of measuring S at x for its cost. On
 * offer is each unit of the problem (problem/measurement_sets.h) by itself, and everything at once. The value
 * of measuring S is the knowledge gradient when nothing is learnt of the other outcomes: the decoupled one.
 * Reference: Wang Lin et al., Constrained Bayesian optimisation: which constraints matter?, arXiv 2512.17569.
 */
#ifndef CKG_POLICY_MEASUREMENT_H
#define CKG_POLICY_MEASUREMENT_H

#include "policy/policy.h"

struct ckg__offer {
    struct ckg__set set;
    double cost;
    struct ckg__lookahead
        *lookahead; /* (lookaheads) the search's, through beliefs that hide the other outcomes */
};

struct ckg__menu {
    int count;
    struct ckg__offer *offer;
};

/*
 * What is on offer to a search: what is left of its budget pays for it or, where that is too small for
 * anything, all there is. Where outcomes come together, one offer of everything at cost 1, seen through the
 * search's own lookaheads.
 */
int ckg__menu_make(struct ckg__search *search, struct ckg__menu *menu);

/* 1 when the offer may still be measured at u (D); x (d) is scratch. */
int ckg__offer_open(const struct ckg__search *search, const struct ckg__offer *offer, const double *u,
                    double *x);

/* Hides from the next evaluation, under belief, all outcomes that are not in the set. */
void ckg__hide_others(const struct ckg__surrogates *models, const struct ckg__set *set,
                      struct ckg__belief *belief);

/*
 * What to measure at the design that was chosen so that it is known for what it is: every unit of which
 * something is open there and not sure by the study's models, and the others too where they cost no more than
 * these; none where that costs too much.
 */
int ckg__measure_unsure(const struct ckg__search *search, struct ckg__choice *choice);

/*
 * *best ← the trial with the best objective of those whose design is feasible in all that was measured there,
 * and sure to be in what was not; −1: there is none.
 */
int ckg__measured_for_sure(const struct ckg__surrogates *models, struct ckg__arena *arena, int *best);

/* What to measure at the design that was chosen, by the decoupled knowledge gradient there. */
int ckg__measure_at_choice(struct ckg__search *search, struct ckg__choice *choice);

#endif

/*
 * Augmented Lagrangians of a search: multipliers and penalty as the trials so far have moved them, and the
 * expected improvement over the smallest Lagrangian as an acquisition. What `al` and `alslack` share.
 */
#ifndef CKG_POLICY_CITED_MULTIPLIERS_H
#define CKG_POLICY_CITED_MULTIPLIERS_H

#include "policy/cited/lagrangian.h"
#include "search/maximise.h"

/*
 * The Lagrangian of one belief, slack or not, after the trials so far. From ρ = half the smallest squared
 * violation among the first designs, at every trial: while none was feasible, ρ is halved at most; after
 * that, with x the design of the smallest Lagrangian, λ_k moves by c_k(x)/ρ, in steps that get shorter when
 * it turns, not below 0 unless it belongs to an equality, and ρ is halved where x is infeasible.
 */
int ckg__multipliers_learn(struct ckg__search *search, const struct ckg__belief *belief, int slack,
                           struct ckg__lagrangian *out);

/* The acquisition, over so many draws where it is not by slack variables. */
int ckg__multipliers_acquire(struct ckg__search *search, int slack, int draws,
                             struct ckg__acquisition *acquisition);

#endif

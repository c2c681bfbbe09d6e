/*
 * Predictive entropy search: what an evaluation tells of where the optimum lies, of all outcomes that the
 * search's beliefs know. The search that `pesc` and `pes` share.
 */
#ifndef CKG_POLICY_PREDICTIVE_H
#define CKG_POLICY_PREDICTIVE_H

#include "policy/policy.h"

/* Their settings. */
/* clang-format off */
#define CKG__PREDICTIVE_SETTINGS(X) \
    X(draws, {.value = 16}, 1, 128, 1, \
      "optima drawn from the posterior, shared out over the hyperparameter samples") \
    X(points, {.value = 48}, 0, 500, 1, \
      "further points that a drawn optimum is held against, evaluated designs among them") \
    X(candidates, {.value = CKG__CANDIDATES}, 1, 100000, 1, \
      "space-filling designs compared before the search around the best") \
    X(iterations, {.value = 20}, 1, 1000, 1, \
      "sweeps of expectation propagation at most; as many again with short steps where needed")
/* clang-format on */

/* The functions of a row (policy.h). */
int ckg__predictive_acquire(struct ckg__search *search, struct ckg__acquisition *acquisition);
int ckg__predictive_suggest(struct ckg__search *search, struct ckg__choice *choice);
int ckg__predictive_score_outcomes(struct ckg__search *search, int count, const double *U, double *value);

#endif

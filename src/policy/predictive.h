/*
 * Predictive entropy search: what an evaluation tells of where the optimum lies, of all outcomes that the
 * search's beliefs know. The search that `pesc` and `pes` share.
 */
#ifndef CKG_POLICY_PREDICTIVE_H
#define CKG_POLICY_PREDICTIVE_H

#include "policy/policy.h"

enum { CKG__PREDICTIVE_PARAMETERS = 4 };
extern const ckg_policy_parameter ckg__predictive_parameters[CKG__PREDICTIVE_PARAMETERS];

/* The functions of a row (policy.h). */
void ckg__predictive_prepare(struct ckg__search *search);
int ckg__predictive_acquire(struct ckg__search *search, struct ckg__acquisition *acquisition);
int ckg__predictive_suggest(struct ckg__search *search, struct ckg__choice *choice);
int ckg__predictive_score_outcomes(struct ckg__search *search, int count, const double *U, double *value);

#endif

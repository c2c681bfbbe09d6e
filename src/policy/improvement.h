/*
 * Constrained expected improvement under every outlook of a search, in logarithms: the acquisition of
 * policies that go by it (acquisition/cei.h has the formula).
 */
#ifndef CKG_POLICY_IMPROVEMENT_H
#define CKG_POLICY_IMPROVEMENT_H

#include "search/maximise.h"

/* favour: what a constraint's probability counts as (surrogate/belief.h); 0: as it is. */
int ckg__improvement_acquire(struct ckg__search *search, double favour, struct ckg__acquisition *acquisition);

#endif

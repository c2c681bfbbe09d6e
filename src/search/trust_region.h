/*
 * Local steps. One model of everything cannot be right everywhere, the less so the more parameters there are.
 * So some trials look in a trust region around the best design in hand, through models of the trials in and
 * near it (region.h: the region grows with successes and shrinks with failures). A look that improves on the
 * best is followed by one of the same sort, any other by one of the other sort.
 *
 * A local search is an ordinary search on a smaller problem, whose parameters range over the region and whose
 * data are those trials. Whatever a policy does, it does there in the same way.
 */
#ifndef CKG_SEARCH_TRUST_REGION_H
#define CKG_SEARCH_TRUST_REGION_H

#include "search/search.h"

/* The region's scope where a look into it is due. */
extern const struct ckg__scope_source ckg__trust_region;

/* The settings of policies that have local steps, and their way into the effort. */
/* clang-format off */
#define CKG__LOCAL_SETTINGS(X) \
    X(global_every, {.value = 2}, 0, 1000, 1, \
      "while no trial improves, one in so many looks everywhere, the others around the best design; 0: all " \
      "look everywhere") \
    X(region, {.value = 0.4}, 1e-4, 1, 0, "side of that region at first, in the unit cube")
/* clang-format on */
void ckg__local_prepare(struct ckg__search *search, double global_every, double region);

/*
 * The first settings of policies that compare designs, climb from the best of them and have local steps, and
 * what such a row's `prepare` is.
 */
#define CKG__LOCAL_CLIMB_SETTINGS(X) CKG__CANDIDATES_SETTING(X) CKG__LOCAL_SETTINGS(X)
void ckg__local_climb_prepare(struct ckg__search *search);

#endif

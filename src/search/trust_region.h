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

#endif

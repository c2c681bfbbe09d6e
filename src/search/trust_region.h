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

/* The parameters of policies that have local steps, and their way into the effort, setting (2). */
/* clang-format off */
#define CKG__LOCAL_PARAMETERS \
    {"global_every", {.value = 2}, 0, 1000, 1, \
     "while no trial improves, one in so many looks everywhere, the others around the best design; 0: all " \
     "look everywhere"}, \
    {"region", {.value = 0.4}, 1e-4, 1, 0, "side of that region at first, in the unit cube"}
/* clang-format on */
void ckg__local_prepare(struct ckg__search *search, const double *setting);

/*
 * The first parameters of policies that compare designs, climb from the best of them and have local steps;
 * how many they are, and what such a row's `prepare` is.
 */
#define CKG__LOCAL_CLIMB_PARAMETERS CKG__CANDIDATES_PARAMETER, CKG__LOCAL_PARAMETERS
enum { CKG__LOCAL_CLIMB_SETTINGS = 3 };
void ckg__local_climb_prepare(struct ckg__search *search);

#endif

/* The trade-off between the objective and the probability of being feasible. */
#ifndef CKG_APP_FRONTIER_H
#define CKG_APP_FRONTIER_H

#include "study/record.h"

enum { APP_FRONTIER = 8 };

/* The probabilities that are asked for, rising. */
extern const double app_frontier_chances[APP_FRONTIER];

struct app_frontier {
    /* for each of them the best design that reaches it, which may be one of a higher one; NULL: none does */
    const ckg_recommendation *at[APP_FRONTIER];
    ckg_recommendation *own[APP_FRONTIER];
};

/* CKG_ERR_STATE with one line why, where the objective or a constraint has not been measured. */
int app_frontier_find(struct app_frontier *out, struct app_study *record, ckg_study *engine);
void app_frontier_free(struct app_frontier *frontier);

#endif

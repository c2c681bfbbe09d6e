/* What each parameter matters for the outcomes, as the engine says. */
#ifndef CKG_APP_EFFECTS_H
#define CKG_APP_EFFECTS_H

#include "study/record.h"

/* A total-effect index, and what nine of ten draws lie between; NAN: the outcome was never measured. */
struct app_effect {
    double total, low, high;
};

struct app_importance {
    int d;
    int outcomes;              /* 1 + K */
    struct app_effect *effect; /* (outcomes × d) NAN where it was not asked for */
};

/* Of `count` outcomes, or of all where the list is NULL. */
int app_importance_find(struct app_importance *out, struct app_study *record, ckg_study *engine, int count,
                        const int *outcome);
void app_importance_free(struct app_importance *importance);

/* The effects (d) of the parameters on that outcome. */
const struct app_effect *app_importance_of(const struct app_importance *importance, int outcome);

/* order (d) ← the parameters, the largest effect first, equal ones as in the file. */
void app_importance_order(const struct app_effect *effect, int d, int *order);

#endif

/* Which outcomes are worth showing where there are too many constraints to show all. */
#ifndef CKG_APP_NEAREST_H
#define CKG_APP_NEAREST_H

#include "study/record.h"

/* Up to so many constraints all are shown; of more, so many. */
enum { APP_SHOW_ALL = 20, APP_SHOW_FEW = 12 };

/* The outcomes to show, in the order of the file. */
struct app_nearest {
    int count;
    int outcome[1 + APP_SHOW_ALL];
    int others; /* constraints that are not among them */
};

/*
 * The objective, and the constraints that a prediction, mean and sd (1+K) of one design, brings nearest to
 * their limits. Without a prediction (NULL) the first of the file.
 */
void app_nearest_choose(struct app_nearest *out, const struct app_study *record, const double *mean,
                        const double *sd);

/* The least probability (K) of being met among the others, of those that are known; NAN where none is. */
double app_nearest_others(const struct app_nearest *nearest, const struct app_definition *definition,
                          const double *probability);

#endif

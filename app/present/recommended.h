/* What is said of a recommended design: the same sentences on a terminal, in the report and on pages. */
#ifndef CKG_APP_RECOMMENDED_H
#define CKG_APP_RECOMMENDED_H

#include "study/record.h"

/* "recommended after 40 evaluations, the design of trial 7" */
void app_recommended_heading(const ckg_recommendation *recommendation, struct app_text *out);

/* What its values are: "measured", "predicted", or "measured, and predicted where there is a ±". */
const char *app_recommended_ground(const struct app_definition *definition,
                                   const ckg_recommendation *recommendation);

/* One of its outcomes. */
struct app_recommended_outcome {
    char value[64]; /* "1.9", "1.9 ± 0.05", "yes", "not measured yet"; empty: an answer that is predicted */
    char met[64];   /* "met", "met with probability 0.98", "yes with probability 0.98"; empty: not known */
};
void app_recommended_outcome(const struct app_definition *definition,
                             const ckg_recommendation *recommendation, int outcome,
                             struct app_recommended_outcome *out);

/* "feasible with probability 0.97", "feasible, as measured in trial 7", or why nobody can say. */
void app_recommended_feasible(const struct app_study *record, const ckg_recommendation *recommendation,
                              struct app_text *out);

/* "best feasible design evaluated: trial 7, weight = 1.9", or that there is none. */
void app_recommended_best(const struct app_study *record, const ckg_recommendation *recommendation,
                          struct app_text *out);

/* What to know before building on it, a sentence a line; nothing where there is nothing to know. */
void app_recommended_advice(const struct app_study *record, const ckg_recommendation *recommendation,
                            struct app_text *out);

/*
 * All of it for a terminal, a line each: the design with as few digits as keep what is said of it true, or
 * where `exact` is 1 with all of them; its outcomes, of many constraints those that matter; the sentences.
 */
int app_recommended_text(struct app_study *record, const ckg_recommendation *recommendation, int exact,
                         struct app_text *out);

#endif

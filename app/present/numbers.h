/*
 * Numbers as people read them and type them again. What is printed must mean the same as what was computed: a
 * value that breaks its limit is printed with the digits that break it, and a recommended design with enough
 * digits to be as good, and as likely to be feasible, as it was said to be.
 */
#ifndef CKG_APP_NUMBERS_H
#define CKG_APP_NUMBERS_H

#include "study/record.h"

/* That many significant digits, or as many more as the value needs to lie on its own side of the limits. */
int app_value_digits(const struct app_outcome *outcome, double value, int digits);

/*
 * The outcome's value with that many significant digits, or as many more as it takes to lie on the same side
 * of the limits as the value itself; an answer as yes or no. `buffer` holds 32 bytes.
 */
const char *app_value_text(const struct app_outcome *outcome, double value, int digits, char buffer[32]);

/* "331.8 ± 2.1": a prediction with no more digits than are known, as far as limits allow. */
const char *app_estimate_text(const struct app_outcome *outcome, double value, double sd, char buffer[64]);

/* A probability: near 0 and 1 it matters how near, and nothing that is predicted is certain. */
const char *app_probability_text(double probability, char buffer[32]);

/*
 * One or two values say next to nothing of how much an outcome varies: probabilities that rest on fewer than
 * three become NAN, not known.
 */
void app_withhold_early(const struct app_study *record, ckg_recommendation *recommendation);

/* What is recommended now, early probabilities withheld; how NULL: by the library's own rule. */
int app_study_recommend(struct app_study *record, const ckg_recommend_options *how, ckg_recommendation **out);

/* ">= 500", "<= 1", ">= 0 and <= 1" or "= yes", with all digits that the limits have. */
void app_limits_text(const struct app_outcome *outcome, struct app_text *out);

/*
 * shown (d) ← the design x (d), its reals rounded to as few digits as possible. By the models, the rounded
 * design is as likely to be feasible as x, and its objective as good; where x was evaluated without noise, no
 * constraint comes nearer to its limit than by a tenth. Where nothing shorter will do, x itself. Print it by
 * app_design_write or app_number.
 */
int app_design_shorten(struct app_study *record, const double *x, double *shown);

#endif

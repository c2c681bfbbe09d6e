/* Trials as a table for people. */
#ifndef CKG_APP_TRIAL_TABLE_H
#define CKG_APP_TRIAL_TABLE_H

#include "study/record.h"

/*
 * Adds the trials first … first+count−1. Columns are as wide as what stands in them. On a terminal that is
 * too narrow the table goes on below itself, and long names take several lines. Of more than 20 constraints
 * the 12 that matter most have columns, and the others are counted where they are broken.
 */
void app_trial_table(const struct app_study *record, int first, int count, struct app_text *out);

#endif

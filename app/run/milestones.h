/*
 * What is worth a line while a study is run, and how soon its best design was found. All of it follows from
 * the trials alone, and is for display only.
 */
#ifndef CKG_APP_MILESTONES_H
#define CKG_APP_MILESTONES_H

#include "study/record.h"

/*
 * 1 when the trial that has ended last is worth showing as the best so far: feasible, and better than the one
 * shown before by more than 0.1 % of the spread of the objective over the feasible trials, and in the digits
 * that are shown.
 */
int app_is_new_best(const struct app_study *record, int number);

/* How many trials measured feasible. */
int app_count_feasible(const struct app_study *record);

/* Evaluations of the initial design, those of the user included; the budget at most. */
int app_initial_size(const struct app_definition *definition);

/*
 * After how many evaluations the best feasible one was within 1 % of the spread of the objective, over all
 * feasible trials, of what it is now. 0 where that says nothing: measurements are noisy or made separately,
 * or fewer than two designs are feasible.
 */
int app_evaluations_needed(const struct app_study *record);

#endif

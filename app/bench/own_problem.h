/*
 * A problem file of the user's own as something to experiment on. What is true of a design is what the models
 * of the study's trials predict, which costs nothing; or what the file's own command answers.
 */
#ifndef CKG_APP_BENCH_OWN_PROBLEM_H
#define CKG_APP_BENCH_OWN_PROBLEM_H

#include "study/record.h"
#include "problems/problems.h"

struct app_own;

/*
 * Opens the study of the file, reading only. The models need a measured trial of every outcome, `real` a
 * command.
 */
int app_own_open(struct app_own **out, const char *file, int real, int threads, struct app_message *message);
void app_own_free(struct app_own *own);

/*
 * The problem, whose name is that of the file. Its optimum is the best design of the models that a search
 * finds; with the real command the best feasible trial so far, or 0. An infeasible recommendation counts as
 * the penalty M, or as 0.
 */
const struct app_problem *app_own_problem(const struct app_own *own);

/* What the file says: evaluations in all, designs of the initial design; and how many trials there are. */
int app_own_budget(const struct app_own *own);
int app_own_initial(const struct app_own *own);
int app_own_trials(const struct app_own *own);

/* Why an evaluation could not even be tried, or NULL. */
const char *app_own_trouble(const struct app_own *own);

#endif

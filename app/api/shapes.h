/*
 * Results as JSON, in the shapes that scripts rely on: the one place where they are written, for the
 * commands, `ckg run` and whoever else answers a program. Numbers are in the user's own units and signs; what
 * is not known is null. Each function adds one object without a newline; app_text.failed says whether it
 * fitted.
 */
#ifndef CKG_APP_SHAPES_H
#define CKG_APP_SHAPES_H

#include <math.h>

#include "actions/action_change.h"
#include "actions/action_history.h"
#include "actions/workers.h"
#include "actions/action_retry.h"
#include "actions/action_verify.h"
#include "study/record.h"
#include "problems/problems.h"
#include "actions/effects.h"
#include "present/model_text.h"

/* A count or a number from 1 for %g of app_json_print; 0 is not known. */
static inline double app_known(int number)
{
    return number ? (double)number : (double)NAN;
}

/* --- a study and its trials --- */

void app_trial_write(const struct app_definition *definition, const struct app_trial *trial,
                     struct app_text *out);

/* Its members, in an object that is open. */
void app_trial_add(const struct app_definition *definition, const struct app_trial *trial,
                   struct app_text *out);

/*
 * The same with how often the evaluation was started, the end of its standard
 * error, its whole answer, what that has beyond the outcomes, and the notes.
 */
void app_trial_add_whole(const struct app_definition *definition, const struct app_trial *trial,
                         struct app_text *out);

/* The member `history` of an object that is open: the changes that touched the trial. */
void app_trial_history_add(const struct app_trial_history *history, struct app_text *out);

/* Members of an object that is open: the budget and what was evaluated; the best trial that is feasible. */
void app_progress_add(const struct app_study *record, struct app_text *out);
void app_best_feasible_add(const struct app_study *record, struct app_text *out);

/* stopped: 1 where a run would end before the budget; crew: who is at work. */
void app_status_write(const struct app_study *record, const ckg_gain *gain, int stopped,
                      const struct app_workers *workers, struct app_text *out);

/* Who holds the study back, since when, and whether its runs end, or null. */
void app_pause_add(const struct app_pause *pause, struct app_text *out);

/* The same as an object of its own, with the name of the study and its budget. */
void app_pause_write_study(const struct app_study *record, struct app_text *out);

/* A study as the list of a store has it; budget 0: nobody has said. */
void app_study_seen_write(const struct app_study_seen *study, int budget, struct app_text *out);

/* What was found in a store, and how many trials can be saved. */
void app_verification_write(const struct app_study *record, const struct app_verification *verification,
                            struct app_text *out);

/* What a changed problem changes, and what that does to the trials. */
void app_change_write(const struct app_changed *changed, struct app_text *out);

/* A change that was taken back. */
void app_undone_write(const struct app_last_change *undone, struct app_text *out);

void app_recommendation_write(const struct app_study *record, const ckg_recommendation *recommendation,
                              struct app_text *out);

/* One point of the frontier: what is recommended for that probability of being feasible, NULL: nothing. */
void app_frontier_write(const struct app_study *record, double probability,
                        const ckg_recommendation *recommendation, struct app_text *out);

/* --- what the engine says of designs and of its models --- */

void app_prediction_write(const struct app_definition *definition, const struct app_prediction *prediction,
                          struct app_text *out);

void app_score_write(const struct app_definition *definition, const char *policy, const double *x,
                     double value, struct app_text *out);

/* The models of all outcomes (1 + K), and the penalty M, NAN where there is none. */
void app_models_write(const struct app_definition *definition, const ckg_model_info *models, double penalty,
                      struct app_text *out);

/* What each parameter matters for each outcome. */
void app_importance_write(const struct app_definition *definition, const struct app_importance *importance,
                          struct app_text *out);

/* --- what is built in --- */

void app_policy_write(const ckg_policy_info *policy, struct app_text *out);

void app_problem_write(const struct app_problem *problem, struct app_text *out);

/* The answer of an evaluation: f, c1 … cK. */
void app_problem_values_write(const struct app_problem *problem, const double *values, struct app_text *out);

#endif

/* Trials and what is done with them, in words. */
#ifndef CKG_APP_TRIAL_TEXT_H
#define CKG_APP_TRIAL_TEXT_H

#include "actions/action_import.h"
#include "actions/action_retry.h"

/* "trial 4 is complete and feasible" */
void app_trial_state_text(const struct app_trial *trial, struct app_text *out);

/* "trial 4", "trials 4, 6 and 9", "trials 1 … 40 (40)". */
void app_trials_named(int count, const int *numbers, struct app_text *out);

/* All that is known of one: its line of the table, what that has no room for, and what was ever said of it.
 */
int app_trial_text(struct app_study *record, const struct app_trial *trial, struct app_text *out);

/*
 * "trial 7: wire=0.31 coils=7  (expected …)": a design to be evaluated; suggestion NULL: one of the user's
 * own. Where `brief` is 1 the brackets are left out.
 */
void app_trial_asked_text(const struct app_study *record, const struct app_trial *trial,
                          const ckg_suggestion *suggestion, int brief, struct app_text *out);

/* What became of the rows of an import; and what to know of them, a line each. */
void app_imported_text(const struct app_imported *imported, struct app_text *out);
void app_imported_warnings(const struct app_definition *definition, const struct app_imported *imported,
                           const char *path, struct app_text *out);

/* What was undone, and what is left to undo; file: the problem file that was given, NULL: none. */
void app_undone_text(const struct app_last_change *undone, const char *file, struct app_text *out);

/* That a trial belongs to a run elsewhere, and a sign of life is waited for. */
void app_remote_run_text(const struct app_remote_run *remote, struct app_text *out);

#endif

/* What the commands that mend trials share. */
#ifndef CKG_APP_CORRECTED_H
#define CKG_APP_CORRECTED_H

#include "command.h"
#include "actions/action_retry.h"

/*
 * All trials of the selection changed by one command, or none; `kind` as in struct app_change. What they
 * `became` is said: "trial 4 is …", "trials 4 and 6 are …".
 */
int app_correction(const struct app_arguments *arguments, struct app_study *record, const char *kind,
                   app_correction_make *correction, const char *became);

/* The trial in one line: its state and feasibility, or with --json the object. */
int app_print_trial(const struct app_arguments *arguments, const struct app_study *record,
                    const struct app_trial *trial);

/*
 * app_study_release with patience: where a run of another machine has the trial and by the clocks it is
 * not clear whether that lives, says so and waits for a sign of life.
 */
int app_release(const struct app_arguments *arguments, struct app_study *record, int number);

#endif

/* Trials taken from runs that are gone, for commands that change them. */
#ifndef CKG_APP_RELEASE_H
#define CKG_APP_RELEASE_H

#include "command.h"

/*
 * app_notebook_release with patience: where a run of another machine has the trial and by the clocks it is
 * not clear whether that lives, says so and waits for a sign of life.
 */
int app_release(const struct app_arguments *arguments, struct app_notebook *notebook, int number);

#endif

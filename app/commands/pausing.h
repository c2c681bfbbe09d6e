/* What `ckg pause` and `ckg resume` share. */
#ifndef CKG_APP_PAUSING_H
#define CKG_APP_PAUSING_H

#include "command.h"

/* Has the study held, or not any more, and says how it stands. */
int app_pause_and_say(const struct app_arguments *arguments, struct app_study *record,
                      enum app_pause_state paused);

#endif

/* What `ckg pause` and `ckg resume` share. */
#ifndef CKG_APP_HOLDING_H
#define CKG_APP_HOLDING_H

#include "command.h"

/* Has the study held, or not any more, and says how it stands. */
int app_hold_and_say(const struct app_arguments *arguments, struct app_notebook *notebook,
                     enum app_holding held);

#endif

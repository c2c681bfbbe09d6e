/* What is expected of a study, in words. */
#ifndef CKG_APP_STATEMENT_H
#define CKG_APP_STATEMENT_H

#include "actions/action_stop.h"

/* "0.0021 by one more evaluation, 0.034 by the other 67", or that it is not known yet, and why. */
void app_gain_text(const struct app_notebook *notebook, const ckg_gain *gain, struct app_text *out);

/* Why the study has stopped, in words: how much the rest is expected to gain, and what is too little. */
void app_stop_text(const struct app_notebook *notebook, const struct app_stop_watch *watch,
                   struct app_text *out);

#endif

/* The recommendation as people and scripts read it. */
#ifndef CKG_APP_RECOMMENDATION_H
#define CKG_APP_RECOMMENDATION_H

#include "command.h"

/* Prints it on standard output; how NULL: by the library's own rule. */
int app_recommend_print(const struct app_arguments *arguments, struct app_notebook *notebook,
                        const ckg_recommend_options *how);

#endif

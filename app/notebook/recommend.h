/* The recommendation as people and scripts read it. */
#ifndef CKG_APP_RECOMMEND_H
#define CKG_APP_RECOMMEND_H

#include "notebook/notebook.h"

/* Prints the recommendation on standard output. */
int app_recommend_print(struct app_notebook *notebook, const ckg_recommend_options *how, int json);

#endif

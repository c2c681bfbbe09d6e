/* The best design of a study's models, taken for the truth. */
#ifndef CKG_APP_SEARCH_MODEL_H
#define CKG_APP_SEARCH_MODEL_H

#include <ckg/ckg.h>

/*
 * The best predicted objective among designs whose predicted outcomes keep all limits, as a search finds it.
 * CKG_ERR_STATE: it finds none.
 */
int app_search_model(ckg_study *engine, double *optimum);

#endif

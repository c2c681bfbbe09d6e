/* The models of a study as they are fitted. */
#ifndef CKG_APP_MODELS_H
#define CKG_APP_MODELS_H

#include "study/record.h"

struct app_fitted {
    ckg_model_info *models; /* (1 + K) */
    double penalty;         /* NAN while nothing has been measured */
};

/* Freed by app_fitted_free, whatever came of it. */
int app_fitted_find(struct app_fitted *out, struct app_study *record);
void app_fitted_free(struct app_fitted *fitted);

#endif

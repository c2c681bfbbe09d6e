/* What the models say, in words. */
#ifndef CKG_APP_MODEL_TEXT_H
#define CKG_APP_MODEL_TEXT_H

#include "study/record.h"

/* The fitted model of every outcome, a few lines each, and the penalty M. */
int app_models_text(struct app_study *record, struct app_text *out);

/*
 * How much each parameter matters for the objective and the constraints that a recommended design comes
 * nearest to breaking: the parameters that matter most first, those that hardly do in one line.
 */
int app_importance_text(struct app_study *record, struct app_text *out);

/* Predictions at one design, as ckg_study_predict gives them. */
struct app_prediction {
    const double *x;    /* (d) */
    const double *mean; /* (1 + K) */
    const double *sd;   /* (1 + K) */
    double probability_feasible;
    double utility;
    const double *noise_sd; /* (1 + K), as ckg_study_predict_noise gives them; NULL: not asked for */
};

/* In one line. */
void app_prediction_text(const struct app_definition *definition, const struct app_prediction *prediction,
                         struct app_text *out);

#endif

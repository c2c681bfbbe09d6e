/* A study's problem with other limits. */
#ifndef CKG_APP_LIMITS_H
#define CKG_APP_LIMITS_H

#include "study/record.h"

/*
 * The definition that the study would have with these limits: an object of constraints, each with min, max,
 * equal or tolerance, where null takes one away. The caller frees it. CKG_ERR_INVALID: they make no sense.
 */
int app_limits_apply(const struct app_study *record, const json_t *limits, struct app_definition *out,
                     struct app_message *message);

#endif

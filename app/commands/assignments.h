/* NAME=VALUE as people type it: values of parameters and of outcomes. */
#ifndef CKG_APP_ASSIGNMENTS_H
#define CKG_APP_ASSIGNMENTS_H

#include "definition/values.h"

/*
 * Adds what the word says to the objects of parameters and of outcomes, in the form that a definition reads
 * (definition/values.h); NULL: the word may not be about such. A name may hold an equals sign itself: it is
 * the longest one that begins the word with an equals sign behind it, a parameter's before an outcome's.
 * CKG_ERR_NOT_FOUND, without a message: it is about neither.
 */
int app_assign(const struct app_definition *definition, const char *word, json_t *parameters,
               json_t *outcomes, struct app_message *message);

#endif

/* NAME=VALUE as people type it: values of outcomes, and of parameters. */
#ifndef CKG_APP_ASSIGNMENTS_H
#define CKG_APP_ASSIGNMENTS_H

#include "definition/values.h"

/*
 * Which outcome or parameter the word is about, -1: none. A name may hold an equals sign itself: it is the
 * longest one that begins the word with an equals sign behind it. *value is what follows that.
 */
int app_word_outcome(const struct app_definition *definition, const char *word, const char **value);
int app_word_parameter(const struct app_definition *definition, const char *word, const char **value);

/* The value of outcome `outcome` from its text: a number, [number, sd], or null, and *given is 0 then. */
int app_outcome_from_text(const struct app_definition *definition, int outcome, const char *text,
                          ckg_measurement *out, int *given, struct app_message *message);

/* The value of a parameter from its text, into its place in x (d); whether it is in range is not looked at.
 */
int app_parameter_from_text(const struct app_definition *definition, int parameter, const char *text,
                            double *x, struct app_message *message);

#endif

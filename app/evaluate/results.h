/*
 * Results that are not a JSON object on standard output: an object in a file, or numbers that stand behind
 * certain texts in a file or in the output.
 */
#ifndef CKG_APP_EVALUATE_RESULTS_H
#define CKG_APP_EVALUATE_RESULTS_H

#include "evaluate/answer.h"

/*
 * Looks where the definition says, in `folder`, and lets the answer have what is there. CKG_ERR_INVALID and
 * why in one line where it is not.
 */
int app_results_take(const struct app_definition *definition, const char *folder, struct app_answer *answer,
                     struct app_message *why);

#endif

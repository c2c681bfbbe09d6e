/*
 * Templates of input decks: {{wire}} becomes the value of the parameter, {{wire:%10.4e}} the same in a format
 * of C. Spaces inside the braces are no matter. What has no plain name in its braces stays as it is.
 */
#ifndef CKG_APP_TEMPLATE_H
#define CKG_APP_TEMPLATE_H

#include "definition/values.h"

/*
 * Adds the template with the values of x (d) to `out`; x NULL: it is only looked at. CKG_ERR_INVALID with
 * "path:line:column: what is wrong" where a name is no parameter's, or a format none for it.
 */
int app_template_fill(const struct app_definition *definition, const double *x, const char *path,
                      const char *text, size_t length, struct app_text *out, struct app_message *message);

#endif

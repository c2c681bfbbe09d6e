/*
 * Texts in which the values of a design stand. In a word of the command {radius} becomes the parameter's
 * value and {{radius}} the text {radius}; any other brace is only a brace, so that scripts in an argument
 * stay as they are. In a template of an input deck {{radius}} becomes the value, {{radius:%10.4e}} the same
 * in a format of C; spaces inside the braces are no matter, and what has no plain name in them stays as it
 * is.
 */
#ifndef CKG_APP_SUBSTITUTE_H
#define CKG_APP_SUBSTITUTE_H

#include "definition/definition.h"

/* Adds the word with the values of x (d). */
void app_substitute_word(const struct app_definition *definition, const char *word, const double *x,
                         struct app_text *out);

/*
 * The first {name} of the word that is neither a parameter nor part of a script, as far as one can tell: a
 * plain name, with no $ before it. Its length without the braces; 0: there is none. *name points into the
 * word.
 */
size_t app_substitute_stray(const struct app_definition *definition, const char *word, const char **name);

/*
 * Adds the template with the values of x (d) to `out`; x NULL: it is only looked at. CKG_ERR_INVALID with
 * "path:line:column: what is wrong" where a name is no parameter's, or a format none for it.
 */
int app_substitute_template(const struct app_definition *definition, const double *x, const char *path,
                            const char *text, size_t length, struct app_text *out,
                            struct app_message *message);

#endif

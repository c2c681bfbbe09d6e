/* The words of a problem's command for one design. */
#ifndef CKG_APP_WORDS_H
#define CKG_APP_WORDS_H

#include "define/values.h"

/* The text with every {parameter} replaced by its value; the caller frees it. NULL: no memory. */
char *app_word_expand(const struct app_definition *definition, const char *word, const double *x);

/* All words of the command, the last NULL. */
char **app_words_make(const struct app_definition *definition, const double *x);

void app_words_free(char **words);

/* The word in single quotes, so that a shell takes it as it is. */
void app_word_quote(struct app_text *out, const char *word);

#endif

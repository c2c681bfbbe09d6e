/* The words of a problem's command for one design. */
#ifndef CKG_APP_WORDS_H
#define CKG_APP_WORDS_H

#include "definition/values.h"

/* The text with every {parameter} replaced by its value; the caller frees it. NULL: no memory. */
char *app_word_expand(const struct app_definition *definition, const char *word, const double *x);

/*
 * All words of the command, the last NULL. A program that is named by its path from `folder`, the problem
 * file's, is found from the folder of a trial, too. Where outcomes have commands of their own, a shell that
 * runs those of what is wanted (NULL: everything), one after another until one fails; their answers are told
 * apart by APP_ANSWER_NEXT (evaluate/answer.h).
 */
char **app_words_make(const struct app_definition *definition, const char *folder,
                      const struct app_wants *wants, const double *x);

/* The same for a shell that runs what comes before the command first; `words` become part of it. */
char **app_words_wrap(const struct app_definition *definition, char **words);

/* The lines that come before the command, as a function of a shell; it fails with the first of them that
 * does. */
void app_before_write(const struct app_definition *definition, struct app_text *out);

void app_words_free(char **words);

/* The word in single quotes, so that a shell takes it as it is. */
void app_word_quote(struct app_text *out, const char *word);

#endif

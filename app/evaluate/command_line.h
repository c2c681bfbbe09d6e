/* What an evaluation is given to run: the words of a problem's command for one design, and its environment.
 */
#ifndef CKG_APP_COMMAND_LINE_H
#define CKG_APP_COMMAND_LINE_H

#include "definition/values.h"

/*
 * All words of the command, the last NULL; NULL: no memory. A program that is named by its path from
 * `folder`, the problem file's, is found from the folder of a trial, too. Where outcomes have commands of
 * their own, a shell that runs those of what is wanted (NULL: everything), one after another until one fails;
 * their answers are told apart by APP_ANSWER_NEXT (evaluate/answer.h).
 */
char **app_command_line(struct app_pool *pool, const struct app_definition *definition, const char *folder,
                        const struct app_wants *wants, const double *x);

/* The same behind what comes before the command: a shell that runs that first. */
char **app_command_line_after(struct app_pool *pool, const struct app_definition *definition, char **words);

/* The lines that come before the command, as a function of a shell; it fails with the first of them that
 * does. */
void app_before_write(const struct app_definition *definition, struct app_text *out);

/* The word in single quotes, so that a shell takes it as it is. */
void app_word_quote(struct app_text *out, const char *word);

/*
 * Our environment with CKG_STUDY, CKG_TRIAL, CKG_WORKER, CKG_MEASURE where outcomes have costs, and the
 * definition's own; wants NULL: everything. What is ours is borrowed. NULL: no memory.
 */
char **app_environment_make(struct app_pool *pool, const struct app_definition *definition, int trial,
                            const char *worker, const struct app_wants *wants);

#endif

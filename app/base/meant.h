/* Which word was probably meant. */
#ifndef CKG_APP_MEANT_H
#define CKG_APP_MEANT_H

/* The name that is close enough to the word to be meant, or NULL. */
const char *app_meant(const char *word, int count, const char *const *names);

/* The same as " (did you mean NAME?)", empty where no name is close. `mark` stands before the name. */
enum { APP_MEANT = 96 };
const char *app_meant_text(const char *word, const char *mark, int count, const char *const *names,
                           char out[APP_MEANT]);

#endif

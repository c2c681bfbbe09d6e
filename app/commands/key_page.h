/* The page of every key of a problem file, from app_schemas and the library's options. */
#ifndef CKG_APP_KEY_PAGE_H
#define CKG_APP_KEY_PAGE_H

#include "definition/file_schema.h"

/* As tables for docs/howto/problem-file.md, and as the body of ckg-problem(5), printed. */
void app_problem_page_markdown(void);
void app_problem_page_roff(void);

/* Calls print for every setting of the models, by the library's list; and all of them as a body for man. */
void app_settings_each(void (*print)(const struct app_key *key));
void app_settings_roff(void);

/* Text for roff: no line of it becomes a request, a backslash stays one, and `code` is bold. */
void app_print_roff(const char *text);

#endif

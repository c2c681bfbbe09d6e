/* Options by the one table of what they may be. */
#ifndef CKG_STUDY_OPTION_TABLE_H
#define CKG_STUDY_OPTION_TABLE_H

#include <ckg/option.h>

/* CKG_OK when every option of the table is what it may be; else the message names the first that is not. */
int ckg__options_check(const ckg_options *options);

/* Which of the words of that option it is, counted from 0; -1: none. */
int ckg__option_word(const char *name, const char *word);

#endif

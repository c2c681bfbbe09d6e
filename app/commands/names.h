/* Lists of names, for whoever types the beginning of one, or one that is not there. */
#ifndef CKG_APP_NAMES_H
#define CKG_APP_NAMES_H

#include "command.h"

enum app_names {
    APP_POLICIES,
    APP_PROBLEMS,
    APP_FIGURES,
    APP_COMMANDS,   /* of the overview */
    APP_OPTIONS,    /* of a struct app_command */
    APP_PARAMETERS, /* of a struct app_definition */
    APP_OUTCOMES    /* likewise */
};

/* The name at that place, NULL behind the last; `of` is whose list it is, NULL where there is one alone. */
const char *app_name_at(enum app_names list, const void *of, int index);

/* " (did you mean NAME?)" for a word that is none of them, or an empty text; `mark` stands before the name.
 */
const char *app_names_meant(enum app_names list, const void *of, const char *word, const char *mark,
                            char out[APP_MEANT]);

#endif

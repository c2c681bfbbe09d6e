/*
 * Whether the command of a problem can be started at all, looked at before anything is asked or recorded: its
 * program, the interpreter that this names in its first line, and the script that an interpreter is given.
 */
#ifndef CKG_APP_PROGRAM_H
#define CKG_APP_PROGRAM_H

#include "definition/definition.h"

/*
 * CKG_OK, or CKG_ERR_INVALID and one line that says what is missing. The command runs in `folder`; `file`
 * stands in the complaint with line and column, NULL: the definition comes from a store.
 */
int app_program_check(const struct app_definition *definition, const char *folder, const char *file,
                      struct app_message *message);

#endif

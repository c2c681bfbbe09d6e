/*
 * The folder of a trial, in which its command runs: made with the files that it needs and the templates
 * filled in, kept or removed when the trial has ended. A folder that is ours has a file `.ckg` in it; nothing
 * else is ever removed.
 */
#ifndef CKG_APP_WORKSPACE_H
#define CKG_APP_WORKSPACE_H

#include "definition/values.h"

/* Whether the files are there and the templates right, before anything is spent. */
int app_workspace_check(const struct app_definition *definition, const char *folder,
                        struct app_message *message);

/*
 * Where the command of the trial runs: its own folder, or `folder`, the problem file's, where there is no
 * workspace. The caller frees it; NULL: no memory.
 */
char *app_workspace_path(const struct app_definition *definition, const char *folder, int trial);

/* Makes the folder at `path` anew, for the design x (d). Without a workspace there is nothing to do. */
int app_workspace_open(const struct app_definition *definition, const char *folder, const char *path,
                       const double *x, struct app_message *message);

/* The trial has ended; `failed` 1: without an answer, -1: it was cut off, or is nobody's trial. */
void app_workspace_close(const struct app_definition *definition, const char *path, int failed);

#endif

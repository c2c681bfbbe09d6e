/* Files that are written whole or not at all. */
#ifndef CKG_APP_FILE_H
#define CKG_APP_FILE_H

#include <limits.h>

#include "base/text.h"

/* The path of that name as seen from the folder; 0: it is too long to be one. */
int app_path_from(const char *folder, const char *name, char path[PATH_MAX]);

/*
 * Writes the bytes into a file beside `path` and puts that in its place, with the rights that the old one
 * had; on an error the old file stays. "-" is standard output; a device or a pipe is written to as it is.
 */
int app_write_file(const char *path, const char *data, size_t length, struct app_message *message);

/* The same for a text, which is freed whatever happens; one that ran out of memory is not written. */
int app_write_text(const char *path, struct app_text *text, struct app_message *message);

/* Removes from the folder what processes that were killed while writing left beside their files. */
void app_sweep_files(const char *folder);

#endif

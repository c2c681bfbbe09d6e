/* The file that a command draws into. */
#ifndef CKG_APP_PICTURE_H
#define CKG_APP_PICTURE_H

#include "command.h"
#include "figure/draw/canvas.h"

/*
 * Who draws a file of the name that --output has, by its ending. Where pages is 1 FILE.html is taken too, and
 * the table is NULL then.
 */
int app_picture_table(const struct app_arguments *arguments, int pages, const struct app_canvas_table **out);

/*
 * Ends a drawing whose status that is: writes it to the file of --output, unless it failed, and frees it
 * either way.
 */
int app_picture_write(const struct app_arguments *arguments, int status, struct app_text *picture);

#endif

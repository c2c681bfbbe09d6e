/* SVG files by the program's canvas; whatever fails ends the program. */
#ifndef CKG_BENCH_DRAWING_H
#define CKG_BENCH_DRAWING_H

#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "figure/draw/chart.h"

static void drawing_fail(const char *why)
{
    fprintf(stderr, "%s\n", why);
    exit(1);
}

static struct app_canvas *drawing_open(double width, double height, const char *title)
{
    struct app_canvas *canvas = app_canvas_svg.open(width, height, title, 0);

    if (!canvas)
        drawing_fail("out of memory");
    return canvas;
}

static void drawing_close(struct app_canvas *canvas, const char *path)
{
    struct app_text file = {0};
    struct app_message message;

    if (!canvas->table->close(canvas, &file))
        drawing_fail("out of memory");
    if (app_write_file(path, file.data, file.length, &message))
        drawing_fail(message.text);
    app_text_free(&file);
}

#endif

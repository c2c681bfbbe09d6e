/*
 * The canvas of SVG files. Colours stand as attributes, which every reader of SVG understands, and again as
 * classes, by which a page that embeds the figure may give others. A clip is a nested <svg>, which needs no
 * name that two figures of one page might share.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "figure/draw/canvas.h"
#include "base/markup.h"

struct svg {
    struct app_canvas canvas;
    struct app_text text;
};

/* A coordinate with two digits at most, as short as it can be. */
static void add_number(struct app_text *out, double value)
{
    char digits[64];
    const double rounded = round(value * 100) / 100;
    const int length = snprintf(digits, sizeof digits, "%.10g", isfinite(rounded) ? rounded + 0.0 : 0.0);

    app_text_add(out, digits, (size_t)length);
}

static struct app_canvas *svg_open(double width, double height, const char *title, int embedded)
{
    struct svg *s = calloc(1, sizeof *s);

    if (!s)
        return NULL;
    s->canvas = (struct app_canvas){&app_canvas_svg, width, height, 0};

    if (!embedded)
        app_text_print(&s->text, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    app_text_print(&s->text,
                   "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %g %g\" width=\"%g\" "
                   "height=\"%g\" role=\"img\" ",
                   width, height, width, height);
    app_text_print(&s->text, "font-family=\"Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif\" "
                             "font-size=\"11\">\n<title>");

    app_markup(&s->text, title);
    app_text_print(&s->text, "</title>\n");
    if (!embedded)
        app_text_print(&s->text, "<rect width=\"%g\" height=\"%g\" fill=\"%s\"/>\n", width, height,
                       app_inks[APP_INK_PAPER].light);
    return &s->canvas;
}

static void add_steps(struct app_text *out, const struct app_path *path)
{
    for (int i = 0; i < path->count; i++) {
        const struct app_step *step = &path->steps[i];
        const int numbers = step->kind == 'Z' ? 0 : step->kind == 'C' ? 6 : 2;
        app_text_add(out, &step->kind, 1);
        for (int k = 0; k < numbers; k++) {
            if (k)
                app_text_add(out, " ", 1);
            add_number(out, step->x[k]);
        }
    }
}

static void add_dashes(struct app_text *out, const struct app_dash *dash)
{
    for (int i = 0; i < dash->count; i++)
        app_text_print(out, "%s%g", i ? " " : " stroke-dasharray=\"", dash->length[i]);
    app_text_print(out, "\"");
}

static void svg_path(struct app_canvas *canvas, const struct app_path *path, const struct app_pen *pen,
                     const char *hint)
{
    struct app_text *out = &((struct svg *)canvas)->text;

    app_text_print(out, "<path class=\"s-%s f-%s\" fill=\"%s\"", app_inks[pen->stroke].name,
                   app_inks[pen->fill].name, app_inks[pen->fill].light);

    /* How it is filled and stroked. */
    if (pen->fill && pen->clear > 0)
        app_text_print(out, " fill-opacity=\"%.3g\"", 1 - pen->clear);
    if (pen->fill)
        app_text_print(out, " fill-rule=\"evenodd\"");
    if (pen->stroke)
        app_text_print(out, " stroke=\"%s\" stroke-width=\"%g\" stroke-linejoin=\"round\"",
                       app_inks[pen->stroke].light, pen->width > 0 ? pen->width : 1);
    if (pen->stroke && pen->dash)
        add_dashes(out, &app_dashes[pen->dash]);

    if (pen->fade > 0)
        app_text_print(out, " opacity=\"%.3g\"", 1 - pen->fade);

    /* Where it goes. */
    app_text_print(out, " d=\"");
    add_steps(out, path);

    if (hint) {
        app_text_print(out, "\"><title>");
        app_markup(out, hint);
        app_text_print(out, "</title></path>\n");
    } else
        app_text_print(out, "\"/>\n");
}

static void svg_letters(struct app_canvas *canvas, double x, double y, const struct app_lettering *how,
                        const char *text)
{
    static const char *const anchors[] = {[APP_START] = "start", [APP_MIDDLE] = "middle", [APP_END] = "end"};
    struct app_text *out = &((struct svg *)canvas)->text;

    app_text_print(out, "<text class=\"f-%s\" fill=\"%s\" x=\"", app_inks[how->ink].name,
                   app_inks[how->ink].light);
    add_number(out, x);
    app_text_print(out, "\" y=\"");
    add_number(out, y);
    app_text_print(out, "\" font-size=\"%g\" text-anchor=\"%s\"%s", how->size, anchors[how->anchor],
                   how->bold ? " font-weight=\"bold\"" : "");
    if (how->angle != 0)
        app_text_print(out, " transform=\"rotate(%.4g %.6g %.6g)\"", how->angle, x, y);

    app_text_print(out, ">");
    app_markup(out, text);
    app_text_print(out, "</text>\n");
}

static void svg_clip(struct app_canvas *canvas, const struct app_box *b)
{
    app_text_print(&((struct svg *)canvas)->text,
                   "<svg x=\"%.6g\" y=\"%.6g\" width=\"%.6g\" height=\"%.6g\" viewBox=\"%.6g %.6g %.6g "
                   "%.6g\" overflow=\"hidden\">\n",
                   b->x, b->y, b->width, b->height, b->x, b->y, b->width, b->height);
}

static void svg_unclip(struct app_canvas *canvas)
{
    app_text_print(&((struct svg *)canvas)->text, "</svg>\n");
}

static int svg_close(struct app_canvas *canvas, struct app_text *out)
{
    struct svg *s = (struct svg *)canvas;

    app_text_print(&s->text, "</svg>\n");
    const int made = !s->text.failed && !canvas->failed;
    if (made && out)
        app_text_add(out, s->text.data, s->text.length);
    app_text_free(&s->text);
    free(s);
    return made && !(out && out->failed);
}

const struct app_canvas_table app_canvas_svg = {"svg",       NULL,     svg_open,   svg_path,
                                                svg_letters, svg_clip, svg_unclip, svg_close};

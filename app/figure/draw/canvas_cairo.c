/* The canvas of PNG files, by cairo, at twice the size in points. */
#include <stdio.h>
#include <stdlib.h>

#include <cairo.h>

#include "figure/draw/canvas.h"
#include "base/markup.h"

struct picture {
    struct app_canvas canvas;
    cairo_surface_t *surface;
    cairo_t *cairo;
};

static const double scale = 2;

static void use_ink(cairo_t *cairo, enum app_ink ink, double clear)
{
    unsigned rgb = 0;

    sscanf(app_inks[ink].light, "#%x", &rgb);
    cairo_set_source_rgba(cairo, (rgb >> 16 & 255) / 255.0, (rgb >> 8 & 255) / 255.0, (rgb & 255) / 255.0,
                          1 - clear);
}

static struct app_canvas *png_open(double width, double height, const char *title, int embedded)
{
    struct picture *p = calloc(1, sizeof *p);

    (void)title;
    (void)embedded;
    if (!p)
        return NULL;
    p->canvas = (struct app_canvas){&app_canvas_png, width, height, 0};

    p->surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)(width * scale), (int)(height * scale));
    p->cairo = cairo_create(p->surface);
    cairo_scale(p->cairo, scale, scale);
    cairo_set_fill_rule(p->cairo, CAIRO_FILL_RULE_EVEN_ODD);
    cairo_set_line_join(p->cairo, CAIRO_LINE_JOIN_ROUND);

    use_ink(p->cairo, APP_INK_PAPER, 0);
    cairo_paint(p->cairo);
    return &p->canvas;
}

static void trace(cairo_t *cairo, const struct app_path *path)
{
    cairo_new_path(cairo);
    for (int i = 0; i < path->count; i++) {
        const double *x = path->steps[i].x;
        switch (path->steps[i].kind) {
        case 'M':
            cairo_move_to(cairo, x[0], x[1]);
            break;
        case 'L':
            cairo_line_to(cairo, x[0], x[1]);
            break;
        case 'C':
            cairo_curve_to(cairo, x[0], x[1], x[2], x[3], x[4], x[5]);
            break;
        default:
            cairo_close_path(cairo);
        }
    }
}

static void png_path(struct app_canvas *canvas, const struct app_path *path, const struct app_pen *pen,
                     const char *hint)
{
    cairo_t *cairo = ((struct picture *)canvas)->cairo;

    (void)hint;
    trace(cairo, path);

    if (pen->fill) {
        use_ink(cairo, pen->fill, 1 - (1 - pen->clear) * (1 - pen->fade));
        cairo_fill_preserve(cairo);
    }

    if (pen->stroke) {
        use_ink(cairo, pen->stroke, pen->fade);
        cairo_set_line_width(cairo, pen->width > 0 ? pen->width : 1);
        cairo_set_dash(cairo, app_dashes[pen->dash].length, app_dashes[pen->dash].count, 0);
        cairo_stroke_preserve(cairo);
    }

    cairo_new_path(cairo);
}

static void png_letters(struct app_canvas *canvas, double x, double y, const struct app_lettering *how,
                        const char *text)
{
    static const double shifts[] = {[APP_START] = 0, [APP_MIDDLE] = 0.5, [APP_END] = 1};
    cairo_t *cairo = ((struct picture *)canvas)->cairo;
    struct app_text plain = {0};

    cairo_text_extents_t extents;

    app_plain(&plain, text);
    canvas->failed |= plain.failed;
    if (!plain.failed) {
        cairo_save(cairo);
        cairo_select_font_face(cairo, "sans-serif", CAIRO_FONT_SLANT_NORMAL,
                               how->bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
        cairo_set_font_size(cairo, how->size);

        cairo_text_extents(cairo, plain.data, &extents);
        cairo_translate(cairo, x, y);
        cairo_rotate(cairo, how->angle * 3.14159265358979 / 180);

        cairo_move_to(cairo, -shifts[how->anchor] * extents.x_advance, 0);
        use_ink(cairo, how->ink, 0);
        cairo_show_text(cairo, plain.data);
        cairo_restore(cairo);
    }
    app_text_free(&plain);
}

static void png_clip(struct app_canvas *canvas, const struct app_box *b)
{
    cairo_t *cairo = ((struct picture *)canvas)->cairo;

    cairo_save(cairo);
    cairo_rectangle(cairo, b->x, b->y, b->width, b->height);
    cairo_clip(cairo);
}

static void png_unclip(struct app_canvas *canvas)
{
    cairo_restore(((struct picture *)canvas)->cairo);
}

static cairo_status_t add_bytes(void *context, const unsigned char *data, unsigned length)
{
    struct app_text *out = context;

    app_text_add(out, (const char *)data, length);
    return out->failed ? CAIRO_STATUS_NO_MEMORY : CAIRO_STATUS_SUCCESS;
}

static int png_close(struct app_canvas *canvas, struct app_text *out)
{
    struct picture *p = (struct picture *)canvas;
    int made = !canvas->failed && cairo_status(p->cairo) == CAIRO_STATUS_SUCCESS;

    if (made && out)
        made = cairo_surface_write_to_png_stream(p->surface, add_bytes, out) == CAIRO_STATUS_SUCCESS;

    cairo_destroy(p->cairo);
    cairo_surface_destroy(p->surface);
    free(p);
    return made;
}

const struct app_canvas_table app_canvas_png = {"png",       NULL,     png_open,   png_path,
                                                png_letters, png_clip, png_unclip, png_close};

/* Paths, marks, and what every canvas shares. */
#include "figure/draw/canvas.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/*
 * After Okabe and Ito's palette, told apart by people who see fewer colours; in the dark the same hues,
 * lighter.
 */
const struct app_colour app_inks[APP_INKS] = {
    [APP_INK_NONE] = {"none", "none", "none"},
    [APP_INK_PAPER] = {"paper", "#ffffff", "#16191d"},
    [APP_INK_TEXT] = {"text", "#1c1f23", "#e6e8ea"},
    [APP_INK_SOFT] = {"soft", "#5c636b", "#a9b0b8"},
    [APP_INK_RULE] = {"rule", "#767d85", "#858d96"},
    [APP_INK_GRID] = {"grid", "#e6e8eb", "#2b3036"},
    [APP_INK_MEAN] = {"mean", "#0072b2", "#5db7f2"},
    [APP_INK_BEST] = {"best", "#00835f", "#35c9a0"},
    [APP_INK_LIMIT] = {"limit", "#d55e00", "#ff9152"},
    [APP_INK_SHADE] = {"shade", "#56b4e9", "#2f80ba"},
    [APP_INK_SCORE] = {"score", "#e69f00", "#d99a1c"},
    [APP_INK_FAILED] = {"failed", "#3c4147", "#c6cbd1"},
    [APP_INK_PENDING] = {"pending", "#b0568a", "#e59dc6"},
    [APP_INK_STAR] = {"star", "#f0e442", "#f0e442"},
    [APP_INK_SERIES] = {"series-1", "#d55e00", "#ff8a47"},
    [APP_INK_SERIES + 1] = {"series-2", "#0072b2", "#4aa8ee"},
    [APP_INK_SERIES + 2] = {"series-3", "#009e73", "#35c9a0"},
    [APP_INK_SERIES + 3] = {"series-4", "#6a4c93", "#b59be0"},
    [APP_INK_SERIES + 4] = {"series-5", "#cc79a7", "#e59dc6"},
    [APP_INK_SERIES + 5] = {"series-6", "#e69f00", "#f0b73a"},
    [APP_INK_SERIES + 6] = {"series-7", "#1c1f23", "#e6e8ea"},
    [APP_INK_SERIES + 7] = {"series-8", "#56b4e9", "#8fd3fb"},
    [APP_INK_SERIES + 8] = {"series-9", "#8a6d1d", "#c9ad5c"},
    [APP_INK_SERIES + 9] = {"series-10", "#7d828a", "#8f969e"},
};

const struct app_dash app_dashes[APP_DASHES] = {
    [APP_DASHED] = {2, {5, 3}},
    [APP_DOTTED] = {2, {1.5, 2.5}},
    [APP_DASH_DOT] = {4, {7, 2.5, 1.5, 2.5}},
    [APP_LONG_DASHED] = {2, {10, 4}},
};

const char *const app_shape_names[APP_SHAPES] = {NULL,     "circle", "triangle", "diamond",
                                                 "square", "cross",  "star"};

/* --- paths --- */

static void add(struct app_path *path, const struct app_step *step)
{
    if (path->failed)
        return;
    if (path->count == path->capacity) {
        const int capacity = 2 * path->capacity + 16;
        struct app_step *steps = realloc(path->steps, (size_t)capacity * sizeof *steps);
        if (!steps) {
            path->failed = 1;
            return;
        }
        path->steps = steps;
        path->capacity = capacity;
    }
    path->steps[path->count++] = *step;
}

void app_path_move(struct app_path *path, double x, double y)
{
    add(path, &(struct app_step){'M', {x, y}});
}

void app_path_line(struct app_path *path, double x, double y)
{
    add(path, &(struct app_step){'L', {x, y}});
}

void app_path_close(struct app_path *path)
{
    add(path, &(struct app_step){'Z', {0}});
}

void app_path_box(struct app_path *path, const struct app_box *b)
{
    app_path_move(path, b->x, b->y);
    app_path_line(path, b->x + b->width, b->y);
    app_path_line(path, b->x + b->width, b->y + b->height);
    app_path_line(path, b->x, b->y + b->height);
    app_path_close(path);
}

static void add_circle(struct app_path *path, double x, double y, double r)
{
    const double h = 0.5522847498 * r; /* four cubics follow a circle to 0.03 % of its radius */

    app_path_move(path, x + r, y);
    add(path, &(struct app_step){'C', {x + r, y + h, x + h, y + r, x, y + r}});
    add(path, &(struct app_step){'C', {x - h, y + r, x - r, y + h, x - r, y}});
    add(path, &(struct app_step){'C', {x - r, y - h, x - h, y - r, x, y - r}});
    add(path, &(struct app_step){'C', {x + h, y - r, x + r, y - h, x + r, y}});
    app_path_close(path);
}

/* --- drawing --- */

void app_draw_pointed(struct app_canvas *canvas, struct app_path *path, const struct app_pen *pen,
                      const char *hint)
{
    canvas->failed |= path->failed;
    if (path->count && !canvas->failed)
        canvas->table->path(canvas, path, pen, hint);
    free(path->steps);
    *path = (struct app_path){0};
}

void app_draw(struct app_canvas *canvas, struct app_path *path, const struct app_pen *pen)
{
    app_draw_pointed(canvas, path, pen, NULL);
}

void app_draw_line(struct app_canvas *canvas, double x0, double y0, double x1, double y1,
                   const struct app_pen *pen)
{
    struct app_path path = {0};

    app_path_move(&path, x0, y0);
    app_path_line(&path, x1, y1);
    app_draw(canvas, &path, pen);
}

void app_draw_box(struct app_canvas *canvas, const struct app_box *box, const struct app_pen *pen)
{
    struct app_path path = {0};

    app_path_box(&path, box);
    app_draw(canvas, &path, pen);
}

/* A closed figure of `corners` corners, the first at the top; every second one at `inner` of the radius. */
static void polygon(struct app_path *path, int corners, double x, double y, double radius, double inner,
                    double turn)
{
    for (int i = 0; i < corners; i++) {
        const double angle = turn + 2 * 3.14159265358979 * i / corners;
        const double r = i % 2 ? radius * inner : radius;
        (i ? app_path_line : app_path_move)(path, x + r * sin(angle), y - r * cos(angle));
    }
    app_path_close(path);
}

void app_draw_mark(struct app_canvas *canvas, enum app_shape shape, double x, double y, double radius,
                   const struct app_pen *pen, const char *hint)
{
    struct app_path path = {0};
    const double r = radius;

    /* The outline. */
    switch (shape) {
    case APP_NO_SHAPE:
    case APP_SHAPES:
        break;
    case APP_CIRCLE:
        add_circle(&path, x, y, r);
        break;
    case APP_TRIANGLE:
        polygon(&path, 3, x, y + 0.15 * r, 1.25 * r, 1, 0);
        break;
    case APP_DIAMOND:
        polygon(&path, 4, x, y, 1.25 * r, 1, 0);
        break;
    case APP_SQUARE:
        polygon(&path, 4, x, y, 1.3 * r, 1, 0.785398163397448);
        break;
    case APP_STAR:
        polygon(&path, 10, x, y, 1.2 * r, 0.42, 0);
        break;
    case APP_CROSS:
        app_path_move(&path, x - r, y - r);
        app_path_line(&path, x + r, y + r);
        app_path_move(&path, x - r, y + r);
        app_path_line(&path, x + r, y - r);
        break;
    }

    app_draw_pointed(canvas, &path, pen, hint);
}

void app_draw_letters(struct app_canvas *canvas, double x, double y, const struct app_lettering *how,
                      const char *text)
{
    if (!canvas->failed && *text)
        canvas->table->letters(canvas, x, y, how, text);
}

const struct app_canvas_table *app_canvas_for(const char *path)
{
    static const struct app_canvas_table *const tables[] = {&app_canvas_svg, &app_canvas_png};
    const char *slash = strrchr(path, '/');
    const char *dot = strrchr(slash ? slash : path, '.');
    for (size_t i = 0; dot && i < sizeof tables / sizeof *tables; i++)
        if (!strcasecmp(dot + 1, tables[i]->ending))
            return tables[i];
    return NULL;
}

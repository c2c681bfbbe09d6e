/*
 * What figures are drawn on. A figure is the same calls on every canvas: paths, letters and clips in points
 * from the top left corner. Each kind of file is one table; which tables there are is the build's choice.
 * Colours are roles, so that a page may give them others in the dark.
 */
#ifndef CKG_APP_CANVAS_H
#define CKG_APP_CANVAS_H

#include "base/text.h"

/* Roles of colours; app_inks has the colours. */
enum app_ink {
    APP_INK_NONE,
    APP_INK_PAPER,
    APP_INK_TEXT,
    APP_INK_SOFT, /* text that is less important, contour lines */
    APP_INK_RULE, /* axes */
    APP_INK_GRID,
    APP_INK_MEAN,  /* what is predicted; feasible designs */
    APP_INK_BEST,  /* the best so far */
    APP_INK_LIMIT, /* limits; infeasible designs */
    APP_INK_SHADE, /* probability of feasibility */
    APP_INK_SCORE, /* acquisition */
    APP_INK_FAILED,
    APP_INK_PENDING,
    APP_INK_STAR,   /* the recommendation */
    APP_INK_SERIES, /* the first of APP_SERIES inks that stand side by side */
    APP_INKS = APP_INK_SERIES + 10
};

enum { APP_SERIES = APP_INKS - APP_INK_SERIES };

struct app_colour {
    const char *name;         /* in class names */
    const char *light, *dark; /* "#rrggbb" */
};

extern const struct app_colour app_inks[APP_INKS];

struct app_box {
    double x, y, width, height;
};

/* --- paths --- */

struct app_step {
    char kind; /* 'M', 'L', 'C' (x holds three points), 'Z' */
    double x[6];
};

/* Start from zeroes. After a failed allocation `failed` is 1 and nothing more is added. */
struct app_path {
    int count, capacity, failed;
    struct app_step *steps;
};

void app_path_move(struct app_path *path, double x, double y);
void app_path_line(struct app_path *path, double x, double y);
void app_path_close(struct app_path *path);
void app_path_box(struct app_path *path, const struct app_box *box);

/* --- the canvas --- */

struct app_pen {
    enum app_ink stroke, fill;
    double width;
    int dash;     /* 0: none, or one of app_dashes */
    double clear; /* of the fill: 0 opaque … 1 invisible */
    double fade;  /* of fill and stroke together, likewise */
};

enum { APP_DASHED = 1, APP_DOTTED, APP_DASH_DOT, APP_LONG_DASHED, APP_DASHES };

/* Lengths of strokes and gaps in turn. */
struct app_dash {
    int count;
    double length[4];
};

extern const struct app_dash app_dashes[APP_DASHES];

enum app_anchor { APP_START, APP_MIDDLE, APP_END };

struct app_lettering {
    double size;
    enum app_ink ink;
    enum app_anchor anchor;
    int bold;
    double angle; /* in degrees, clockwise */
};

enum app_shape {
    APP_NO_SHAPE,
    APP_CIRCLE,
    APP_TRIANGLE,
    APP_DIAMOND,
    APP_SQUARE,
    APP_CROSS,
    APP_STAR,
    APP_SHAPES
};

/* As JSON has them; NULL for none. */
extern const char *const app_shape_names[APP_SHAPES];

struct app_canvas;

struct app_canvas_table {
    const char *ending;  /* of file names, without the dot */
    const char *lacking; /* why it cannot be used in this build, NULL when it can */
    /*
     * `title` says in words what is shown; embedded 1: part of a page that has the colours. NULL without
     * memory.
     */
    struct app_canvas *(*open)(double width, double height, const char *title, int embedded);
    /* Even-odd rule. `hint`: what is shown when it is pointed at, or NULL. */
    void (*path)(struct app_canvas *canvas, const struct app_path *path, const struct app_pen *pen,
                 const char *hint);
    void (*letters)(struct app_canvas *canvas, double x, double y, const struct app_lettering *how,
                    const char *text);
    /* Nothing is drawn outside the box until unclip; there is one box at a time. */
    void (*clip)(struct app_canvas *canvas, const struct app_box *box);
    void (*unclip)(struct app_canvas *canvas);
    /* Frees the canvas; the file is added to `out`, unless that is NULL. 0 when it could not be made. */
    int (*close)(struct app_canvas *canvas, struct app_text *out);
};

/* Every canvas begins with this. */
struct app_canvas {
    const struct app_canvas_table *table;
    double width, height;
    int failed; /* 1: without memory, and nothing is drawn any more */
};

extern const struct app_canvas_table app_canvas_svg, app_canvas_png;

/* The table for a file name's ending, NULL: there is none. */
const struct app_canvas_table *app_canvas_for(const char *path);

/* Draws the path and frees it. */
void app_draw(struct app_canvas *canvas, struct app_path *path, const struct app_pen *pen);
/* The same with what is shown when it is pointed at, or NULL. */
void app_draw_pointed(struct app_canvas *canvas, struct app_path *path, const struct app_pen *pen,
                      const char *hint);
void app_draw_line(struct app_canvas *canvas, double x0, double y0, double x1, double y1,
                   const struct app_pen *pen);
void app_draw_box(struct app_canvas *canvas, const struct app_box *box, const struct app_pen *pen);
void app_draw_mark(struct app_canvas *canvas, enum app_shape shape, double x, double y, double radius,
                   const struct app_pen *pen, const char *hint);
void app_draw_letters(struct app_canvas *canvas, double x, double y, const struct app_lettering *how,
                      const char *text);

#endif

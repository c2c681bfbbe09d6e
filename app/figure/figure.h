/*
 * Figures as data: panels in rows and columns, each with its axes and layers. A kind of figure is one file
 * and one row, which makes the data from what is shown; draw/panel.c draws any figure, app_figure_write gives
 * it to pages. What a figure is made of is in its pool.
 */
#ifndef CKG_APP_FIGURE_H
#define CKG_APP_FIGURE_H

#include "base/json.h"
#include "base/pool.h"
#include "figure/draw/chart.h"
#include "figure/draw/contour.h"
#include "figure/view.h"

/* --- the data --- */

enum app_layer_kind {
    APP_LAYER_LINE,  /* through (x, y); broken where y is NAN */
    APP_LAYER_STEPS, /* each y holds until the next x */
    APP_LAYER_BAND,  /* between low and high, broken where either is NAN */
    APP_LAYER_MARKS, /* a shape at each (x, y); beyond the axis at its edge, NAN at the lower one */
    APP_LAYER_BARS,  /* from low to high at x; level ones along x, at y */
    APP_LAYER_RULE,  /* through all of the panel at x; level ones at y */
    APP_LAYER_SHADE, /* values over both axes as shades */
    APP_LAYER_TEXT,  /* a word in the middle of each step */
    APP_LAYER_KINDS
};

struct app_point {
    double x, y, low, high;
    double fade;      /* 0 … 1: how pale a mark is */
    int trial;        /* its number; 0: none */
    const char *hint; /* for those who point at it, or the word; NULL: none */
};

struct app_points {
    int count, capacity;
    struct app_point *at;
};

/* Values at nodes, and the regions where they reach some levels: outlines by the even-odd rule. */
struct app_shade {
    int columns, rows;
    const double *x, *y, *value; /* (columns), (rows), (rows×columns); NAN: none */
    double low, high;
    const char *label; /* what the values are */
    int count;         /* of the regions, from the lowest level */
    const double *level;
    struct app_points *region;
};

struct app_layer {
    enum app_layer_kind kind;
    int level; /* 1: a rule or bars along x */
    struct app_pen pen;
    enum app_shape shape; /* of marks, and of a line's entry in the legend */
    double size;          /* radius of marks; thickness of bars, of those without a fill that of their ends */
    const char *key;      /* its entry in the legend; NULL: none */
    const char *label;    /* written on each piece of a line, or at the end of a rule; NULL: nothing */
    struct app_points points;
    struct app_shade shade;
    struct app_figure *figure;
    struct app_layer *next;
};

struct app_panel {
    int row, column;
    double height;     /* inside the axes, in points; 0: by its width */
    const char *title; /* NULL: none, as of what follows */
    const char *note;
    const char *empty; /* why there is nothing to see */
    struct app_axis x, y;
    int grid; /* 1: lines at the ticks */
    struct app_layer *first, *last;
    struct app_figure *figure;
    struct app_panel *next;
};

enum { APP_FIGURE_PARTS = 3 };

struct app_figure {
    const char *title;   /* what is shown, in words */
    const char *heading; /* above all panels, NULL: none */
    const char *note;    /* below them */
    double width;        /* its natural one, in points */
    int across;          /* so many columns stand side by side at most, the others below them; 0: all */
    double narrowest;    /* a column is at least so wide while there are several */
    struct app_panel *first, *last;
    struct app_figure *part[APP_FIGURE_PARTS]; /* of a sheet: two side by side, the last below; NULL: none */
    struct app_pool pool;
    int failed; /* 1: without memory; what is added from then on is lost */
    struct app_panel no_panel;
    struct app_layer no_layer;
};

/* --- making one; none of these gives NULL --- */

struct app_panel *app_figure_panel(struct app_figure *figure, int row, int column);
struct app_layer *app_panel_layer(struct app_panel *panel, enum app_layer_kind kind, struct app_pen pen,
                                  const char *key);
void app_layer_add(struct app_layer *layer, struct app_point point);
void app_layer_xy(struct app_layer *layer, double x, double y);
void app_layer_span(struct app_layer *layer, double x, double low, double high);
void app_points_add(struct app_figure *figure, struct app_points *points, struct app_point point);
/* Zeroes; NULL without memory. */
void *app_figure_new(struct app_figure *figure, size_t count, size_t size);
const char *app_figure_text(struct app_figure *figure, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void app_figure_free(struct app_figure *figure);

/* --- what becomes of it --- */

/* What it needs in that width (0: its natural one). */
double app_figure_height(const struct app_figure *figure, double width);

/* As a file of that table, `width` wide or as wide as it likes (0); embedded 1: for a page that has the
 * colours. 0 without memory. */
int app_figure_draw(const struct app_figure *figure, const struct app_canvas_table *table, int embedded,
                    double width, struct app_text *out);

/*
 * As JSON, for those who draw it themselves:
 *
 *   {"title": "…", "heading": "…", "note": "…", "across": 4, "panels": [PANEL, …]}
 *   PANEL: {"row": 0, "column": 0, "height": 196, "title": "…", "note": "…", "empty": "…", "grid": true,
 *           "x": AXIS, "y": AXIS, "layers": [LAYER, …]}
 *   AXIS: {"kind": "linear|log|integer|names|gap|chances", "low": 0, "high": 1, "label": "…", "unit": 1,
 *          "names": ["…"], "bare": false, "shared": false, "parameter": "…"}
 *   LAYER: {"kind": "line|steps|band|marks|bars|rule|shade|text", "ink": "mean", "fill": null, "width": 1.6,
 *           "dash": [5, 3], "opacity": 1, "shape": "circle", "size": 3.4, "level": false, "key": "…",
 *           "label": "…", "x": […], "y": […], "low": […], "high": […], "fade": […], "trial": […], "hint":
 * […]}
 *
 * A text that there is none of is null. Layers are drawn in their order, the marks unclipped and on top of
 * all others. Ink draws lines and outlines, fill areas (with that opacity): names of app_inks, null for none.
 * A panel stands in its row and column; of a shared axis only the first panel of a row has tick labels, of a
 * bare one none. Categories are 0, 1, … on an axis of names, and a step is as wide as one.
 *
 *   line    x, y; a null y breaks it. A label is written on each piece, as on contours.
 *   steps   x, y; each y holds until the next x
 *   band    x, low, high; a null breaks it
 *   marks   x, y, and where they are known fade (0 … 1: pale), trial (its number), hint; a null y: at the
 * lower edge; beyond the axis: at its edge bars    x, low, high; level ones y, low, high (along x). With a
 * fill they are `size` thick, else a line with ends of that size. rule    x; a level one y: through all of
 * the panel text    x, y, hint: the word for a cell shade   {…, "shade": {"x": […], "y": […], "values": […],
 * "low": 0, "high": 1, "label": "…", "regions": [{"level": 0.05, "x": […], "y": […]}, …]}}: the values at the
 * nodes, row by row from the lowest y, and the outlines of where they reach each level, parted by nulls. Each
 * region is filled by the even-odd rule with the layer's fill and opacity, one above the other.
 */
void app_figure_write(const struct app_figure *figure, struct app_text *out);

/* Draws it into the box of a canvas; without a height (0) it takes what it needs. */
void app_panels_draw(struct app_canvas *canvas, const struct app_figure *figure, const struct app_box *box);

/* --- kinds of figures --- */

struct app_figure_options {
    int x, y;           /* parameters, -1: the figure chooses */
    int outcome;        /* of convergence, residuals and the shades of a map; -1: the figure chooses */
    const char *policy; /* of the acquisition, NULL: the study's own */
};

#define APP_FIGURE_OPTIONS_INIT                                                                              \
    {                                                                                                        \
        .x = -1, .y = -1, .outcome = -1                                                                      \
    }

struct app_figure_kind {
    const char *name;  /* as typed */
    const char *title; /* one line */
    /*
     * CKG_OK; or CKG_ERR_STATE (CKG_ERR_INVALID where the options are at fault) and one line why there is no
     * such figure. What memory is missing is in the figure.
     */
    int (*make)(struct app_figure *out, const struct app_show *show,
                const struct app_figure_options *options);
};

extern const struct app_figure_kind app_figure_sheet, app_figure_convergence, app_figure_map,
    app_figure_slices, app_figure_importance, app_figure_frontier, app_figure_acquisition,
    app_figure_residuals;

/* Every kind, NULL at the end; the first is drawn when none is asked for. */
extern const struct app_figure_kind *const app_figure_kinds[];

/* NULL: there is none. */
const struct app_figure_kind *app_figure_kind_named(const char *name);

/* Makes the figure, to be freed whatever came of it. */
int app_figure_make(struct app_figure *out, const struct app_figure_kind *kind, const struct app_show *show,
                    const struct app_figure_options *options);

/* --- what several kinds share --- */

/* The two parameters of a map: the ones asked for, else those that matter most, in the file's order. */
void app_figure_pair(const struct app_show *show, const struct app_figure_options *options, int *x, int *y);

/*
 * Sorts the values and adds all of them to the range but for the outer parts (one in `tail` on either side)
 * where those lie farther from the middle than `far` times its width; `more` of that is shown of them.
 */
void app_range_add_most(struct app_range *range, double *values, int count, int tail, double far,
                        double more);
void app_figure_sort(double *values, int count);

/* What is shown of a trial when it is pointed at. */
const char *app_figure_hint(struct app_figure *figure, const struct app_show *show,
                            const struct app_trial *trial);

/* A layer of marks for every look that occurs among the trials, NULL for the others. */
void app_panel_looks(struct app_panel *panel, const struct app_show *show,
                     struct app_layer *marks[APP_LOOKS]);

/* The trials at parameters x and y, without those that were discarded; y -1: at the lower edge. */
void app_panel_trials(struct app_panel *panel, const struct app_show *show, int x, int y);

/* The recommendation. */
void app_panel_star(struct app_panel *panel, double x, double y, double size);

/* A line through all of the panel at x, level: at y; and that of a limit, unless it is beyond the axis. */
struct app_layer *app_panel_rule(struct app_panel *panel, struct app_pen pen, double at, int level);
void app_panel_limit(struct app_panel *panel, double limit, int level);

/*
 * Values at nodes (ny×nx, every stride-th) as a field over the panel, whose axes are known; places are parts
 * of the axes.
 */
struct app_field app_panel_field(struct app_panel *panel, const struct app_nodes *x,
                                 const struct app_nodes *y, const double *z, int stride);

/* The lines where the field has that level. */
struct app_layer *app_panel_contour(struct app_panel *panel, const struct app_field *field, double level,
                                    struct app_pen pen, const char *key);

/* The regions where the field reaches these levels, one above the other. */
struct app_shade *app_panel_shade(struct app_panel *panel, const struct app_field *field, int count,
                                  const double *level, struct app_pen pen, const char *key);

/* The same evenly from low to high, with a scale that has this label. */
void app_panel_shade_evenly(struct app_panel *panel, const struct app_field *field, double low, double high,
                            int count, struct app_pen pen, const char *label);

#endif

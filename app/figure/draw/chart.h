/* Axes, frames and legends. */
#ifndef CKG_APP_CHART_H
#define CKG_APP_CHART_H

#include "definition/definition.h"
#include "figure/draw/canvas.h"
#include "figure/draw/ticks.h"

/*
 * A gap, from 0 up: linear for what is well below its unit, logarithmic beyond. Chances: probabilities by
 * the logarithm of their odds, so that 0.99 and 0.999 are as far apart as 0.9 and 0.99.
 */
enum app_axis_kind {
    APP_AXIS_LINEAR,
    APP_AXIS_LOG,
    APP_AXIS_INTEGER,
    APP_AXIS_NAMES,
    APP_AXIS_GAP,
    APP_AXIS_CHANCES
};

struct app_axis {
    enum app_axis_kind kind;
    /* with names, and with few integers, half a step beyond the first and the last value */
    double low, high;
    int count;                  /* of names */
    const char *const *names;   /* NULL: those of the parameter's categories */
    const ckg_problem *problem; /* whose parameter number `parameter` it shows; NULL: something else */
    int parameter;
    double unit; /* of a gap */
    const char *label;
    int roomy;  /* 1: its names may take three lines */
    int bare;   /* 1: without tick labels */
    int shared; /* 1: only the first panel of a row has them */
};

/* How many lines a name needs on a roomy axis. */
int app_name_lines(const char *name);
const char *app_axis_name(const struct app_axis *axis, int index);

/* Where a value lies between the ends of its axis, 0 … 1; and what lies there, for the axis of a parameter.
 */
double app_axis_place(const struct app_axis *axis, double value);
double app_axis_value(const struct app_axis *axis, double place);

/* Integers up to this many are steps of their own, like categories; more of them are drawn as a line. */
enum { APP_FEW = 24 };

/* The axis of a parameter. */
struct app_axis app_axis_of(struct app_parameter parameter);

/* A linear axis over a range, widened a little. */
struct app_range {
    double low, high;
};
#define APP_RANGE_INIT                                                                                       \
    {                                                                                                        \
        INFINITY, -INFINITY                                                                                  \
    }
void app_range_add(struct app_range *range, double value);
struct app_axis app_axis_over(const struct app_range *range, const char *label);

struct app_chart {
    struct app_canvas *canvas;
    struct app_box box; /* inside the axes */
    double left;        /* room at the left of it, which ends with the label of y */
    struct app_axis x, y;
    const char *title;
    const char *note; /* a line below the title, less important; NULL: none */
    int grid;         /* 1: lines at the ticks */
};

/* The room that an axis needs along a side of that length: beside the chart (up 1), or below it. */
double app_axis_room(const struct app_axis *axis, double length, int up);
/* What title and note need above a box of that width. */
double app_chart_above(const char *title, const char *note, double width);

double app_chart_x(const struct app_chart *chart, double value);
double app_chart_y(const struct app_chart *chart, double value);
/* The same for a value far outside the axis, which is as good as at twice its height. */
double app_chart_far_y(const struct app_chart *chart, double value);

/*
 * The text in at most `most` lines of that width, from (x, y) on; `back`: which part of the other lines goes
 * before that (0.5: it is in the middle). Returns how much room the lines take.
 */
double app_draw_wrapped(struct app_canvas *canvas, double x, double y, const struct app_lettering *how,
                        const char *text, double width, int most, double back);

/* Title, grid, ticks and labels; the frame is drawn when all else is. */
void app_chart_axes(const struct app_chart *chart);
void app_chart_frame(const struct app_chart *chart);

/* An entry of a legend. */
struct app_key {
    /* a series: a line with marks on it */
    enum { APP_KEY_MARK, APP_KEY_LINE, APP_KEY_BAND, APP_KEY_SERIES } kind;
    enum app_shape shape;
    struct app_pen pen;
    const char *text;
};

/*
 * Draws the entries in rows of that width; returns the height of all rows. Nothing is drawn when canvas is
 * NULL.
 */
double app_keys_draw(struct app_canvas *canvas, const struct app_key *keys, int count, double x, double y,
                     double width);

/*
 * A bar of shades from 0 (below) to 1 (above), with the numbers of an axis beside it; `label` runs along it.
 */
void app_bar_draw(struct app_canvas *canvas, const struct app_box *box, enum app_ink ink, int steps,
                  double clear, const struct app_axis *axis);

#endif

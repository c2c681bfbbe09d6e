/* The kinds of figures, one file and one row each. */
#ifndef CKG_APP_FIGURE_H
#define CKG_APP_FIGURE_H

#include "figure/view.h"

struct app_plot_options {
    int x, y;           /* parameters, -1: the figure chooses */
    const char *policy; /* of the acquisition, NULL: the study's own */
    double width;       /* wanted of the figure, in points; 0: its natural one */
};

struct app_plot {
    const char *name;  /* as typed */
    const char *title; /* one line */
    /*
     * CKG_OK; or CKG_ERR_STATE (CKG_ERR_INVALID where the options are at fault) and one line why there is no
     * such figure.
     */
    int (*possible)(const struct app_show *show, const struct app_plot_options *options);
    /* Its size, of the width that is wanted or its natural one. */
    void (*size)(const struct app_show *show, const struct app_plot_options *options, double *width,
                 double *height);
    int (*draw)(struct app_canvas *canvas, const struct app_show *show,
                const struct app_plot_options *options, const struct app_box *box);
};

extern const struct app_plot app_plot_sheet, app_plot_convergence, app_plot_map, app_plot_slices,
    app_plot_acquisition, app_plot_importance, app_plot_frontier;

/* Every kind, NULL at the end; the first is drawn when none is asked for. */
extern const struct app_plot *const app_plots[];

/* Predicted against measured for one outcome; not a kind of its own. */
int app_plot_residuals(struct app_canvas *canvas, const struct app_show *show, int outcome,
                       const struct app_box *box);

/* The two parameters of a map: the ones asked for, else those that matter most, in the file's order. */
void app_plot_pair(const struct app_show *show, const struct app_plot_options *options, int *x, int *y);

/* The figure as a file of that table; embedded 1: for a page that has the colours. */
int app_plot_make(const struct app_plot *plot, const struct app_canvas_table *table, int embedded,
                  const struct app_show *show, const struct app_plot_options *options, struct app_text *out);

/* --- shared by figures over two parameters --- */

struct app_chart;
struct app_field;
struct app_key;

/*
 * The values at the nodes (ny×nx) as a field in the chart; its arrays are one block, the caller's to free by
 * `block`. 0 without memory.
 */
int app_field_make(const struct app_chart *chart, const struct app_nodes *x, const struct app_nodes *y,
                   const double *z, int stride, struct app_field *out, double **block);

/*
 * Fills levels from low to high, one layer of the ink each; `steps` and `clear` as in app_bar_draw. 0 without
 * memory.
 */
int app_field_shade(struct app_canvas *canvas, const struct app_field *field, double low, double high,
                    enum app_ink ink, int steps, double clear);

/* The trials at parameters x and y, without those that were discarded (-1: on a line at the lower edge). */
void app_draw_trials(const struct app_chart *chart, const struct app_show *show, int x, int y);

/* An entry of the legend for every look that occurs among the trials (pending ones too, or not). */
int app_look_keys(const struct app_show *show, int pending, struct app_key *keys);

/* The same, and the recommendation's star where there is one. Both return how many there are. */
int app_trial_keys(const struct app_show *show, struct app_key *keys);

#endif

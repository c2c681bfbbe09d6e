/*
 * What the results of a folder say, as a figure in the manner of the paper's Figure 3, or as a page with that
 * figure and the summary.
 */
#ifndef CKG_APP_BENCH_FIGURE_H
#define CKG_APP_BENCH_FIGURE_H

#include "bench/summary.h"
#include "figure/figure.h"

/*
 * One column per problem. Above: where it is feasible, and its optimum. Below, a row for each noise: the mean
 * opportunity cost against evaluations on a logarithmic scale that the row shares, with its 95 % interval.
 * Where embedded is 1 the SVG is part of a page.
 */
int app_results_draw(const struct app_results *results, const struct app_canvas_table *table, int embedded,
                     struct app_text *out, struct app_message *message);

/* The figure and the summary on one page of HTML that needs nothing else. */
int app_page_make(const struct app_results *results, struct app_text *out, struct app_message *message);

/*
 * The problem's objective over its feasible region, the smaller the stronger; infeasible designs in grey; the
 * optimum as a star. For two parameters. keys: whether the legend says so.
 */
void app_region_add(struct app_panel *panel, const struct app_problem *problem, int keys);

/* That as a figure of its own. */
int app_region_draw(const struct app_problem *problem, const struct app_canvas_table *table,
                    struct app_text *out, struct app_message *message);

#endif

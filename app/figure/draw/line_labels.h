/* Labels on the lines of a panel, where neither each other nor marks hide them. */
#ifndef CKG_APP_LINE_LABELS_H
#define CKG_APP_LINE_LABELS_H

#include "figure/figure.h"

enum { APP_MOST_LABELS = 64 };

/* Zeroes but for what they stand in. */
struct app_labels {
    const struct app_chart *chart;
    const struct app_panel *panel;
    const char *text;                 /* of the line at hand */
    double place[APP_MOST_LABELS][2]; /* where labels stand */
    int count;
};

/* A line of points on the page (count×2) with its label in a gap of it, or above a short one. */
void app_labels_draw(struct app_labels *labels, int count, const double *points, const struct app_pen *pen);

#endif

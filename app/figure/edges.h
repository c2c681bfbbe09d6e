/*
 * Where the probability of being feasible passes some levels between the nodes of a grid, asked of the engine
 * itself. Without noise it falls from 1 to 0 far within a cell, and a line through where it would pass them
 * if it fell evenly is jagged.
 */
#ifndef CKG_APP_EDGES_H
#define CKG_APP_EDGES_H

#include "figure/draw/contour.h"
#include "figure/view.h"

enum { APP_EDGE_LEVELS = 3 };

struct app_edges {
    int nodes;                   /* drawn, nx·ny: edges along x are numbered by their first node, */
    double *at[APP_EDGE_LEVELS]; /* (2·nodes) then those along y; NAN: not asked for */
};

/* On the edges of a grid over parameters x and y; what is found is in the pool. */
int app_edges_find(struct app_edges *out, struct app_pool *pool, const struct app_show *show,
                   const struct app_grid *grid, int x, const struct app_nodes *nodes_x, int y,
                   const struct app_nodes *nodes_y);

/* For app_field.between. */
double app_edges_between(const void *edges, int edge, double first, double second, double level);

#endif

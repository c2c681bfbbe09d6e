/* Level lines and level sets of a function on a rectangular grid, by marching squares. */
#ifndef CKG_APP_CONTOUR_H
#define CKG_APP_CONTOUR_H

struct app_field {
    int nx, ny;
    const double *x, *y; /* (nx), (ny): where the nodes are; neighbours at the same place make a step */
    const double *z;     /* ny×nx; NAN where there is no value */
    /*
     * Where on an edge between two nodes of these values the level lies, 0 … 1; NULL: as if it changed
     * evenly. Edges along x have the number of their first node, those along y nx·ny more.
     */
    double (*between)(const void *context, int edge, double first, double second, double level);
    const void *context;
};

/* A line of `count` >= 2 points (count×2); a closed one ends where it begins. */
typedef void app_line_visit(void *context, int count, const double *points, int closed);

/*
 * Visits the lines z = level. A step is not crossed: the function does not take the level there. 0 without
 * memory.
 */
int app_contour_lines(const struct app_field *field, double level, app_line_visit *visit, void *context);

/* Visits the closed lines around the region z >= level, to be filled by the even-odd rule. 0 without memory.
 */
int app_contour_region(const struct app_field *field, double level, app_line_visit *visit, void *context);

#endif

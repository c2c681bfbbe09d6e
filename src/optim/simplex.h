/*
 * Maximises over a box without derivatives: the simplex search of Nelder and Mead (1965), points projected to
 * the box. It is what the paper's authors refined with; the library's own settings climb by gradient.
 */
#ifndef CKG_OPTIM_SIMPLEX_H
#define CKG_OPTIM_SIMPLEX_H

#include "base/arena.h"

/* The value at x (dim), to be maximised; NaN and −∞ are the worst. Returns a status. */
typedef int (*ckg__point_function)(void *context, const double *x, struct ckg__arena *arena, double *value);

/*
 * From x (dim), which becomes the best point seen, with edges of length `edge` along the coordinates that
 * lower < upper leaves free; stops after `steps` moves of the simplex. *value is the value at the best point.
 */
int ckg__simplex(ckg__point_function function, void *context, int dim, const double *lower,
                 const double *upper, double edge, int steps, double *x, double *value,
                 struct ckg__arena *arena);

#endif

/*
 * Several starts of the quasi-Newton method in lock step, so that one batched evaluation serves all of them.
 */
#ifndef CKG_OPTIM_MULTISTART_H
#define CKG_OPTIM_MULTISTART_H

#include "base/arena.h"
#include "optim/lbfgs.h"

/*
 * Evaluates m points U (dim×m, dimension-major, leading dimension m): value (m), to be maximised, and
 * gradient (dim×m). Point p belongs to start which[p]. Returns a status.
 */
typedef int (*ckg__batch_function)(void *context, int m, const double *U, const int *which,
                                   struct ckg__arena *arena, double *value, double *gradient);

/*
 * Maximises from each of the rows of X (starts×dim) within lower and upper (starts×dim); X becomes the best
 * points, value (starts) their values.
 */
int ckg__multistart(ckg__batch_function function, void *context, int dim, int starts, const double *lower,
                    const double *upper, const struct ckg__lbfgs_options *options, double *X, double *value,
                    struct ckg__arena *arena);

#endif

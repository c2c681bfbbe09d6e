/*
 * A fixed-point iteration made faster: x ← x + r(x) until r vanishes, each step looking back at the last few
 * (Anderson's acceleration). The caller evaluates r, and may refuse a step that leads where it must not.
 */
#ifndef CKG_OPTIM_ANDERSON_H
#define CKG_OPTIM_ANDERSON_H

#include <stddef.h>

enum { CKG__ANDERSON_DEPTH = 3 };

struct ckg__anderson {
    int dim;
    int seen;                        /* points so far, since the last time they were forgotten */
    double *x, *r;                   /* (dim) the last one, and its residual */
    double *dx[CKG__ANDERSON_DEPTH]; /* (dim) how the last ones differ, in turn */
    double *dr[CKG__ANDERSON_DEPTH];
};

/* Numbers of memory for one dimension, and the memory given to it. */
enum { CKG__ANDERSON_NUMBERS = 2 + 2 * CKG__ANDERSON_DEPTH };
void ckg__anderson_init(struct ckg__anderson *a, int dim, double *room);

/* Looks back no further than this moment. */
void ckg__anderson_forget(struct ckg__anderson *a);

/*
 * next (dim) ← where to go from x (dim) with residual r (dim): x + step·r, less what the last steps have
 * shown to be of no use. Residuals are weighed by `weight` (dim).
 */
void ckg__anderson_next(struct ckg__anderson *a, const double *x, const double *r, const double *weight,
                        double step, double *next);

#endif

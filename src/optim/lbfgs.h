/*
 * Minimises a smooth function over a box: projected L-BFGS in reverse communication. The caller evaluates, so
 * that many starts can go in lock step and share one batched evaluation:
 *
 *     ckg__lbfgs_start(o, x0);
 *     do f = evaluate(ckg__lbfgs_point(o), g); while (ckg__lbfgs_tell(o, f, g));
 *     ... ckg__lbfgs_best(o, &f) ...
 *
 * A value that is NaN or +∞ is a step too far: the line search backs off. lower == upper fixes a coordinate.
 */
#ifndef CKG_OPTIM_LBFGS_H
#define CKG_OPTIM_LBFGS_H

#include <stddef.h>

struct ckg__lbfgs;

struct ckg__lbfgs_options {
    int memory; /* correction pairs kept, at least 1 */
    int max_evaluations;
    double first_step;         /* length (2-norm) of the first trial step from a start */
    double gradient_tolerance; /* stop when the largest component of the projected gradient is at most this */
    /* stop when a step improves f by at most this × max(1, |f|) twice running; 0: never */
    double value_tolerance;
};

/*
 * Bytes for one optimiser of this dimension; the caller provides the memory (64-byte aligned) and nothing is
 * ever freed.
 */
size_t ckg__lbfgs_size(int dim, int memory);

/* Lays an optimiser out in `memory`; lower and upper (dim) are copied, and may be ±infinity. */
struct ckg__lbfgs *ckg__lbfgs_init(void *memory, int dim, const double *lower, const double *upper,
                                   const struct ckg__lbfgs_options *options);

/* Begins, or begins anew with fresh memory, at x0 (dim), projected to the box. */
void ckg__lbfgs_start(struct ckg__lbfgs *optimizer, const double *x0);

/* Where the caller is to evaluate next (dim), borrowed. */
const double *ckg__lbfgs_point(const struct ckg__lbfgs *optimizer);

/* Takes the value and gradient (dim) at that point; 1: evaluate the new point, 0: finished. */
int ckg__lbfgs_tell(struct ckg__lbfgs *optimizer, double value, const double *gradient);

/* The best point seen (dim), borrowed, and its value. */
const double *ckg__lbfgs_best(const struct ckg__lbfgs *optimizer, double *value);
int ckg__lbfgs_evaluations(const struct ckg__lbfgs *optimizer);

#endif

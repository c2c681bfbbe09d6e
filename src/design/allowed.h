/*
 * Designs that obey the problem's rules (problem/rules.h): whether there are any, points that fill what the
 * rules leave, and the nearest one to a point. Points are u (D) of the unit cube, and u counts as allowed
 * when the design it stands for, as ckg__problem_from_unit gives it, obeys every rule to the last bit.
 */
#ifndef CKG_DESIGN_ALLOWED_H
#define CKG_DESIGN_ALLOWED_H

#include "base/arena.h"
#include "base/interrupt.h"
#include "base/rng.h"
#include "problem/problem.h"

/* 1 when there are rules at all. */
int ckg__ruled(const ckg_problem *problem);

/* 1 when u (D) is allowed; x (d) is its design. */
int ckg__allowed(const ckg_problem *problem, const double *u, double *x);

/* --- the nearest allowed point (nearest_allowed.c) --- */

/* As many limits may hold a point. */
enum { CKG__MAX_NORMALS = 16 };

/* How a nearest point moves with the point that it is nearest to: along the limits that hold it. */
struct ckg__tangent {
    int count;                          /* of reals that move */
    int coordinate[CKG_MAX_PARAMETERS]; /* (count) of the cube */
    char held[CKG_MAX_PARAMETERS];      /* (count) 1: at an end of its range, pushed against it */
    int normals;                        /* limits that hold it */
    double normal[CKG__MAX_NORMALS][CKG_MAX_PARAMETERS]; /* (normals × count) orthonormal */
};

/*
 * Moves the reals of u (D) to the nearest allowed point that it finds within lower … upper (D; NULL: the
 * cube). 1: u is allowed, and *tangent, unless NULL, is how it moves. 0: none was found, u is as it was.
 */
int ckg__allowed_nearest(const ckg_problem *problem, const double *lower, const double *upper, double *u,
                         struct ckg__tangent *tangent);

/* A gradient (D numbers at a stride) at the nearest point becomes the one by the point it is nearest to. */
void ckg__tangent_apply(const struct ckg__tangent *tangent, double *gradient, int stride);

/*
 * u (D), not allowed, becomes the nearest allowed point, or else one on the way back to `from` (D), which is
 * allowed.
 */
void ckg__allowed_return(const ckg_problem *problem, const double *from, double *u);

/* --- points that fill what the rules leave (allowed.c) --- */

/* A walk over allowed points from u (D), which is one, within lower … upper (NULL: the cube). */
int ckg__allowed_walk(const ckg_problem *problem, struct ckg__rng *rng, const double *lower,
                      const double *upper, double *u, struct ckg__arena *arena);

/* A step of the lattice from u (D), which is allowed, to another allowed point if it finds one;
 * scratch (D).
 */
void ckg__allowed_step(const ckg_problem *problem, struct ckg__rng *rng, double *u, double *scratch);

/*
 * U (D×count, leading dimension ldu) ← allowed points that fill the space: of a Sobol sequence where that is
 * enough, else by walks from allowed ones, from `hints` (hints × d, designs in the user's units) too. *found
 * is less than count only where no walk has a beginning, which cannot be after ckg__allowed_find.
 */
int ckg__allowed_fill(const ckg_problem *problem, struct ckg__rng *rng, int hints, const double *hint,
                      int count, double *U, int ldu, struct ckg__arena *arena, int *found);

/* U (n × D, row by row) ← an initial design of n allowed points: what is allowed of a Latin hypercube, and
 * from many others those farthest from what is there; from very large designs on, those that come first.
 * CKG_ERR_CANCELLED, without a message, when the interrupt (NULL: none) is raised.
 */
int ckg__allowed_design(const ckg_problem *problem, struct ckg__rng *rng, int n, double *U,
                        struct ckg__arena *arena, struct ckg__interrupt *interrupt);

/* --- whether there are any (find_allowed.c) --- */

/*
 * Finds allowed designs and keeps them with the problem: all of a small finite one. CKG_ERR_INVALID with a
 * message where there are none, or none could be found.
 */
int ckg__allowed_find(ckg_problem *problem);

#endif

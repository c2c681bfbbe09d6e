/*
 * A belief of an objective and constraints, each a process on random data, and functions of its points to
 * take differences of.
 */
#ifndef CKG_TESTS_SCENE_H
#define CKG_TESTS_SCENE_H

#include "surrogate/belief.h"
#include "support/process.h"

enum { SCENE_OUTCOMES = 4, SCENE_D = 2 };

/*
 * Outcome 1 has an upper limit, 2 a lower one, 3 both; unless `shift` moves the limits, feasible designs are
 * not rare.
 */
struct scene {
    struct process process[SCENE_OUTCOMES];
    struct ckg__belief belief;
    struct ckg__arena arena;
};

void scene_make(struct scene *s, enum ckg__kernel kernel, double shift, uint64_t seed);
void scene_free(struct scene *s);

/* A function of points (SCENE_D×m): value (m) and gradient (SCENE_D×m). */
typedef int (*scene_function)(struct scene *s, int m, const double *U, double *value, double *gradient);

/*
 * The largest error of its gradient at m random points against differences, relative to each point's largest
 * component (or 1).
 */
double scene_gradient_error(struct scene *s, scene_function function, int m);

#endif

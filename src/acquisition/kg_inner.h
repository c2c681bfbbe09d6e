/*
 * The inner problem of cKG: for one surprise (z_y, z_c) of a sample at x⁺, the design that would then be
 * recommended, argmax_x (μ(x) − M + σ̃_y(x, x⁺)z_y)·PF¹(x; x⁺, z_c).
 */
#ifndef CKG_ACQUISITION_KG_INNER_H
#define CKG_ACQUISITION_KG_INNER_H

#include "acquisition/kg.h"

/* A sample at x⁺ under one belief, ready for inner problems. */
struct ckg__kg_sample {
    const struct ckg__belief *belief;
    struct ckg__view view[CKG__MAX_OUTCOMES]; /* x⁺ */
    double *weights[CKG__MAX_OUTCOMES];       /* of x⁺, for covariances with it */
    double scale[CKG__MAX_OUTCOMES];          /* 1/√(var(x⁺) + noise) */
    const double *z;                          /* pairs × outcomes: z_y, then z_c */
    const struct ckg__workers *workers;       /* shares the outcomes out; NULL: nobody does */
};

int ckg__kg_sample_take(struct ckg__kg_sample *sample, const struct ckg__belief *belief, const double *u,
                        struct ckg__arena *arena);

/* The logarithm of the inner objective, and its gradient (D×m); point p is under surprise number which[p]. */
int ckg__kg_inner_batch(void *sample, int m, const double *U, const int *which, struct ckg__arena *arena,
                        double *value, double *gradient);

#endif

/*
 * The second step of a knowledge gradient that looks two evaluations ahead: after an evaluation at x⁺ there
 * is another one, and
 *
 *   E[max_{x'} cKG¹(x')]
 *
 * is what that is expected to gain, cKG¹ the knowledge gradient once x⁺ was evaluated. cKG(x⁺) plus this is
 * the expected gain of both: the recommendation in between cancels out. x' is one of the points that promise
 * most now, or x⁺ again.
 */
#ifndef CKG_ACQUISITION_KG_SECOND_H
#define CKG_ACQUISITION_KG_SECOND_H

#include "acquisition/kg.h"
#include "acquisition/rollout.h"

struct ckg__kg_second {
    const struct ckg__kg *kg; /* now, on a discretisation */
    const double *U;          /* its points, D×m at leading dimension ldu */
    int ldu;
    const struct ckg__shown *shown; /* what the first evaluation may show */
    int tries;
    int *place;                     /* (tries) points where the second may be */
    double *cov[CKG__MAX_OUTCOMES]; /* tries × (m+1): their covariances, the last column free */
};

/* Finds the places; kg, U, ldu and shown are set. What lasts comes from `keep`, which is not `scratch`. */
int ckg__kg_second_make(struct ckg__kg_second *second, int tries, struct ckg__arena *keep,
                        struct ckg__arena *scratch);

/* What the second evaluation gains in expectation after one at u (D). */
int ckg__kg_second_value(const struct ckg__kg_second *second, const double *u, struct ckg__arena *arena,
                         double *value);

#endif

/*
 * Stepwise reduction of the volume in which a feasible improvement may still lie. That volume is expected to
 * be
 *
 *   V = ∫ P(f(x) > best)·PF(x) dx,
 *
 * and an evaluation at x⁺ takes from it every x that is no better than x⁺, if x⁺ is feasible: in expectation
 *
 *   R(x⁺) = ∫ P(best < f(x) < f(x⁺)) ∏_k P(c_k holds at x and at x⁺) dx,
 *
 * in which each factor is a probability of two correlated normals (linalg/bivariate.h). The value is log R.
 * While there is no best, the first factor is P(f(x) < f(x⁺)). The integral is a sum over points that are
 * drawn where V lies. Reference: Picheny 2014, A stepwise uncertainty reduction approach to constrained
 * global optimization; he states V after the evaluation, which is V − R.
 */
#ifndef CKG_POLICY_CITED_SUR_H
#define CKG_POLICY_CITED_SUR_H

#include "surrogate/belief.h"

struct ckg__sur {
    const struct ckg__belief *belief;
    double best; /* −INFINITY: none */
    /*
     * 1: the points are designs of a finite problem, and one of them is settled when it is itself evaluated;
     * else no point counts for itself
     */
    int finite;
    int m;              /* points */
    const double *U;    /* D×m, leading dimension m */
    double *log_weight; /* (m) of each in the integral */
    double *log_p;      /* (m) log P(f > best)·PF */
    struct ckg__view view[CKG__MAX_OUTCOMES];
};

/* Where the integral is summed: points U (D×count, leading dimension count), their weights' logarithms. */
struct ckg__sur_points {
    int count;
    const double *U;
    const double *log_weight; /* (count) */
};

/*
 * The sum over all of these points, whose views are made in `keep`; what belief, best and finite are is set
 * already.
 */
int ckg__sur_make(struct ckg__sur *sur, const struct ckg__sur_points *points, struct ckg__arena *keep);

/*
 * The same over `wanted` of them at most, drawn in proportion to their share in V and weighted so that sums
 * are right in expectation; offset is a uniform number in (0, 1). `keep` is not `scratch`.
 */
int ckg__sur_draw(struct ckg__sur *sur, const struct ckg__sur_points *points, int wanted, double offset,
                  struct ckg__arena *keep, struct ckg__arena *scratch);

/* log R (m) at candidates U (D×m, leading dimension ldu), and unless NULL its gradient (D×m). */
int ckg__sur_batch(const struct ckg__sur *sur, int m, const double *U, int ldu, struct ckg__arena *arena,
                   double *value, double *gradient);

#endif

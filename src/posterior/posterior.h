/*
 * What the models believe at points of the unit cube: means, variances, their gradients, covariances, joint
 * samples, one step ahead. Points are dimension-major: coordinate k of point p is U[k·ldu + p]. Scratch comes
 * from an arena; a function that takes one can fail with CKG_ERR_NOMEM.
 */
#ifndef CKG_POSTERIOR_POSTERIOR_H
#define CKG_POSTERIOR_POSTERIOR_H

#include "base/arena.h"
#include "base/rng.h"
#include "model/gp.h"
#include "model/likelihood.h"

/* One process at m points, kept for covariances: V = L⁻¹k(X, points). */
struct ckg__view {
    int m, ld;
    double *B;    /* D×ld, the points scaled by 1/ℓ */
    double *V;    /* n×ld */
    double *mean; /* (m) */
    double *var;  /* (m), at least 0 */
};

/* Room for a view of m points (arrays from the arena), not yet filled. */
int ckg__view_take(struct ckg__view *view, const struct ckg__gp *gp, int m, struct ckg__arena *arena);
/* Fills the points first … first+count−1 of a view; distinct ranges may be filled by distinct threads. */
int ckg__view_fill(struct ckg__view *view, const struct ckg__gp *gp, const double *U, int ldu, int first,
                   int count);
/* Both at once, for all m points. */
int ckg__view_make(struct ckg__view *view, const struct ckg__gp *gp, int m, const double *U, int ldu,
                   struct ckg__arena *arena);

/*
 * Posterior covariance C (b.m points from first … first+count−1 as rows × a.m columns) of two views of one
 * process.
 */
void ckg__view_covariance(const struct ckg__gp *gp, const struct ckg__view *a, const struct ckg__view *b,
                          int first, int count, double *C, int ldc);

/*
 * C (m×m), its lower triangle ← the factor of the posterior covariance at a view's points, with a variance
 * added to the diagonal: `least` or the nugget's, whichever is larger, grown tenfold until there is a factor.
 * CKG_ERR_NUMERIC, without a message, where none helps.
 */
int ckg__view_factor(const struct ckg__gp *gp, const struct ckg__view *view, double least, double *C,
                     double *added);

/*
 * C (m×m, both triangles) ← the posterior covariance at a view's points with the nugget, grown until it has a
 * factor; work (m×m) is spoilt. 0, or a pivot's number when none helped.
 */
int ckg__view_proper_covariance(const struct ckg__gp *gp, const struct ckg__view *view, double *C,
                                double *work);

/* A batch with gradients: mean, var (m), dmean, dvar (D×m, leading dimension m). */
struct ckg__batch {
    double *mean, *var, *dmean, *dvar;
};

/*
 * With `against` (a view of one point x⁺ of the same process, and its weights), also the covariance with x⁺
 * and its gradient in the batch's points: cov (m), dcov (D×m).
 */
struct ckg__against {
    const struct ckg__view *point;
    const double *weights; /* (rows), by ckg__view_weights */
    double *cov, *dcov;
};

/*
 * The weights (rows), from the arena, of the one point of a view, for covariances with it; NULL: no memory.
 */
double *ckg__view_weights(const struct ckg__gp *gp, const struct ckg__view *point, struct ckg__arena *arena);

int ckg__posterior_batch(const struct ckg__gp *gp, int m, const double *U, int ldu, struct ckg__arena *arena,
                         struct ckg__batch *out, struct ckg__against *against);

/* The mean alone with its gradient: O(n·D) a point. */
int ckg__posterior_mean(const struct ckg__gp *gp, int m, const double *U, int ldu, struct ckg__arena *arena,
                        double *mean, double *dmean);

/*
 * A function of x⁺ through its mean, its variance and its covariances with the m points of a view: from the
 * slopes in them, in_mean, in_var and in_cov (m), to the gradient (D) in x⁺, whose own view `at` is.
 */
int ckg__view_pull(const struct ckg__gp *gp, const struct ckg__view *points, const struct ckg__view *at,
                   double in_mean, double in_var, const double *in_cov, struct ckg__arena *arena,
                   double *gradient);

/* --- one further evaluation --- */

/*
 * The noise of one further evaluation at each of the points U (D×m), where the process has these means and
 * variances (m). With it the evaluation at x⁺ is a surprise of variance var(x⁺) + noise(x⁺) =: s², which
 * moves the mean at x by cov(x, x⁺)/s·Z and takes (cov(x, x⁺)/s)² off the variance.
 */
void ckg__posterior_noise(const struct ckg__gp *gp, int m, const double *U, int ldu, const double *mean,
                          const double *var, struct ckg__noise *out);

/* 1 when that noise has slopes; 0: it is the same everywhere. */
int ckg__posterior_noise_varies(const struct ckg__gp *gp);

/*
 * Takes for granted that an evaluation of that design, at u (D), gives the mean: appended with the noise that
 * it would carry, or with none where it is `certain`.
 */
int ckg__posterior_assume(struct ckg__gp *gp, int design, const double *u, int certain,
                          struct ckg__arena *arena);

/* The smallest variance that counts: below it the rounding of the posterior rules. */
double ckg__variance_floor(const struct ckg__gp *gp);

/* --- joint draws --- */

/*
 * `count` joint draws at the m points of a view: samples (count × m). The covariance gets the nugget, grown
 * until it factors: *added, unless NULL.
 */
int ckg__posterior_sample(const struct ckg__gp *gp, const struct ckg__view *view, struct ckg__rng *rng,
                          int count, struct ckg__arena *arena, double *samples, double *added);

/*
 * One joint draw (m) at the points of a view, and the weights (m) by which it goes on between them: given the
 * draw, its mean elsewhere is μ(x) + kⁿ(x, points)·weights.
 */
int ckg__posterior_draw(const struct ckg__gp *gp, const struct ckg__view *view, struct ckg__rng *rng,
                        struct ckg__arena *arena, double *draw, double *weights);

#endif

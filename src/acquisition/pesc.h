/*
 * Predictive entropy search with constraints, under one belief: how much an evaluation at x is expected to
 * tell of where the optimum x* is,
 *
 *   PESC(x) = Σ_j [ H(y_j | x) − E_{x*} H(y_j | x, x*) ] ≈ Σ_j E_{x*} ½ log [ (var_j(x) + noise_j) / (var_j(x
 * | x*) + noise_j) ].
 *
 * That x* is the optimum means: it meets every constraint, and no other design does so with a larger
 * objective. Over a set of points this is approximated by expectation propagation, once for every drawn x*;
 * at a design x one more factor, for x itself, is matched in moments. Each outcome's share of the sum is what
 * it tells when it is measured alone.
 *
 * Reference: Hernández-Lobato, Gelbart, Adams, Hoffman and Ghahramani, A general framework for constrained
 * Bayesian optimization using information-based search, 2016.
 */
#ifndef CKG_ACQUISITION_PESC_H
#define CKG_ACQUISITION_PESC_H

#include "surrogate/belief.h"

/*
 * What x* teaches of one outcome, as normal observations of values at points of the set: for the objective of
 * how much they exceed the value at x*. With k the covariances of x with those: mean(x | x*) = mean +
 * k·shift, var(x | x*) = var − |L⁻¹(root·k)|².
 */
struct ckg__pesc_sites {
    int count;
    int *point;    /* (count) */
    double *root;  /* (count) square roots of the precisions */
    double *shift; /* (count) */
    double *L;     /* count×count, the factor of I + root·C·root */
};

struct ckg__pesc_draw {
    int star; /* x*, a point of the set; −1: no design is feasible */
    double weight;
    int settled; /* 0: expectation propagation failed, and the draw is left aside */
    double *tau[CKG__MAX_OUTCOMES], *nu[CKG__MAX_OUTCOMES]; /* (m) each site's precision and weighted value */
    struct ckg__pesc_sites sites[CKG__MAX_OUTCOMES];
    /* of f(x*) given x*; L⁻¹·root·its covariances with the objective's sites (count) */
    double mean, var, *white;
};

struct ckg__pesc {
    const struct ckg__belief *belief;
    int m, draws;
    struct ckg__view view[CKG__MAX_OUTCOMES]; /* of the set's m points */
    double *C[CKG__MAX_OUTCOMES];             /* m×m posterior covariances of the set */
    struct ckg__pesc_draw *draw;              /* (draws) star and weight are the caller's */
};

/* The set U (D×m, leading dimension ldu) and room for the draws. */
int ckg__pesc_take(struct ckg__pesc *pesc, const struct ckg__belief *belief, int m, const double *U, int ldu,
                   int draws, struct ckg__arena *arena);

/*
 * Expectation propagation for one draw, whose star is set; at most `sweeps` over the set. Distinct draws may
 * be run by distinct threads.
 */
int ckg__pesc_condition(const struct ckg__pesc *pesc, int draw, int sweeps, struct ckg__arena *arena);

/* What values need of a draw so conditioned: only as large as the sites that matter are many. */
int ckg__pesc_keep(const struct ckg__pesc *pesc, int draw, struct ckg__arena *arena);

/*
 * The value (m) at designs U (D×m, leading dimension ldu), at least 0, and unless NULL each outcome's share
 * of it (outcomes × m).
 */
int ckg__pesc_at(const struct ckg__pesc *pesc, int m, const double *U, int ldu, struct ckg__arena *arena,
                 double *value, double *share);

/*
 * A normal variable of which a factor asks whether it lies within limits. slope and bend are √var·∂ log
 * Z/∂mean and −var·∂² log Z/∂mean² of the factor's normaliser Z: the moments become mean + √var·slope and
 * var·(1 − bend).
 */
struct ckg__pesc_argument {
    double mean, var, lower, upper;
    double slope, bend;
    /* limits in standard units; log probabilities of being within and of not being */
    double a, b, log_in, log_out;
};

/* log Z of the factor "not all of them lie within their limits", and its slopes and bends. */
double ckg__pesc_not_all(int count, struct ckg__pesc_argument *x);

/* log Z of "it lies within its limits". */
double ckg__pesc_within(struct ckg__pesc_argument *x);

#endif

/*
 * Augmented Lagrangians, what `al` and `alslack` share: multipliers and penalty as the trials so far have
 * moved them, and the expected improvement over the smallest Lagrangian as an acquisition. In model units,
 * with F = −y_0 to be minimised and c_k the amount by which constraint k is broken (below 0: it holds; for an
 * equality its difference from the target),
 *
 *   L(x) = F + Σ_k λ_k c_k + 1/(2ρ) Σ_k max(0, c_k)²           (without max for an equality)
 *
 * or, with slack variables at their best for the means, where b_k = max(0, c_k + λ_k ρ),
 *
 *   L(x) = F + Σ_k [b_k²/(2ρ) − λ_k²ρ/2].
 *
 * What is looked for is E (L⁺ − L(x))⁺ over the processes, L⁺ the smallest at what was evaluated: over draws
 * of the constraints, the objective integrated exactly (policy_al.c), or exactly over all (policy_alslack.c).
 */
#ifndef CKG_POLICY_CITED_MULTIPLIERS_H
#define CKG_POLICY_CITED_MULTIPLIERS_H

#include "search/maximise.h"

/* Constraint k as the Lagrangian sees it; chance decides others, which count by their probability. */
struct ckg__multiplied {
    double lower, upper;
    double target; /* of an equality */
    int equal;
    int by_chance;
    double lambda;
};

struct ckg__lagrangian {
    const struct ckg__belief *belief;
    int outcomes; /* of the belief */
    int slack;    /* 1: with slack variables */
    double rho;
    double best; /* L⁺ */
    struct ckg__multiplied term[CKG__MAX_OUTCOMES];
    int draws;
    const double *z; /* draws × outcomes, standard normal; column 0 is not read */
};

/* By how much y breaks the term; *slope, unless NULL, is what that grows by with y: ±1. */
double ckg__multiplied_excess(const struct ckg__multiplied *term, double y, double *slope);

/* λc + max(0, c)²/(2ρ), or b²/(2ρ) − λ²ρ/2; *slope is what it grows by with c. */
double ckg__multiplied_penalty(const struct ckg__lagrangian *lagrangian, const struct ckg__multiplied *term,
                               double c, double *slope);

/* L where the outcomes have these values (outcomes). */
double ckg__lagrangian_at(const struct ckg__lagrangian *lagrangian, const double *y);

/*
 * log E (L⁺ − L)⁺ where the outcomes are independent normals of these means and variances (outcomes), and its
 * slopes in them, unless NULL. The variance of the objective is above 0.
 */
double ckg__lagrangian_sampled(const struct ckg__lagrangian *lagrangian, const double *mean,
                               const double *var, double *in_mean, double *in_var);
double ckg__lagrangian_slack(const struct ckg__lagrangian *lagrangian, const double *mean, const double *var,
                             double *in_mean, double *in_var);

/*
 * The Lagrangian of one belief, slack or not, after the trials so far. From ρ = half the smallest squared
 * violation among the first designs, at every trial: while none was feasible, ρ is halved at most; after
 * that, with x the design of the smallest Lagrangian, λ_k moves by c_k(x)/ρ, in steps that get shorter when
 * it turns, not below 0 unless it belongs to an equality, and ρ is halved where x is infeasible.
 */
int ckg__multipliers_learn(struct ckg__search *search, const struct ckg__belief *belief, int slack,
                           struct ckg__lagrangian *out);

/* The acquisition, over so many draws where it is not by slack variables. */
int ckg__multipliers_acquire(struct ckg__search *search, int slack, int draws,
                             struct ckg__acquisition *acquisition);

#endif

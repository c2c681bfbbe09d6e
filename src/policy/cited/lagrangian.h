/*
 * Expected improvement of an augmented Lagrangian, in model units. With F = −y_0 to be minimised and c_k the
 * amount by which constraint k is broken (below 0: it holds; for an equality its difference from the target),
 *
 *   L(x) = F + Σ_k λ_k c_k + 1/(2ρ) Σ_k max(0, c_k)²           (without max for an equality)
 *
 * or, with slack variables at their best for the means, where b_k = max(0, c_k + λ_k ρ),
 *
 *   L(x) = F + Σ_k [b_k²/(2ρ) − λ_k²ρ/2].
 *
 * What is looked for is E (L⁺ − L(x))⁺ over the processes, L⁺ the smallest at what was evaluated: over draws
 * of the constraints, the objective integrated exactly (`sampled`), or exactly over all (`slack`, slack.c).
 */
#ifndef CKG_POLICY_CITED_LAGRANGIAN_H
#define CKG_POLICY_CITED_LAGRANGIAN_H

#include "surrogate/belief.h"

/* Constraint k as the Lagrangian sees it; chance decides others, which count by their probability. */
struct ckg__multiplied {
    double lower, upper;
    double target; /* of an equality */
    int equal;
    int by_chance;
    double lambda;
};

struct ckg__lagrangian {
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
 * The one that the Lagrangian asks for at a batch of points, plus the log probability of what chance decides:
 * value (m), and gradient (D×m) unless NULL.
 */
int ckg__lagrangian_batch(const struct ckg__lagrangian *lagrangian, const struct ckg__belief *belief, int m,
                          const double *U, int ldu, struct ckg__arena *arena, double *value,
                          double *gradient);

#endif

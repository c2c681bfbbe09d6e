/*
 * Constrained max-value entropy search: what a measurement at a design would tell of the constrained optimum
 * f*, in nats, as a logarithm.
 *
 * Given f* the design cannot be feasible and better than f*: the density p of its outcomes loses the box B =
 * (f*, ∞) × ∏ [lower_k, upper_k]. With q = P(B) = ∏ Q_j, the objective's Q_0 = Φ((μ − f*)/s) and the
 * constraints' probabilities, and z the standardised outcomes:
 *
 *     H[p] − H[p | not B] = −log(1 − q) + q/(2(1 − q))·Σ_j r_j,        r_j = E[z_j² | B] − 1,
 *
 * averaged over draws of f*. r = (a·φ(a) − b·φ(b))/(Φ(b) − Φ(a)) between limits a and b of z. A draw without
 * a feasible design has f* = −∞: nothing is feasible, q = PF. K = 0 is max-value entropy search.
 *
 * Noise: of the variance of a measurement the share t_j = s_j²/(s_j² + noise_j) is the outcome's. Then r_j
 * counts as t_j·r_j, which is exact, and the first term as −D·log(1 − q), D the share of the variance of B's
 * indicator that measurements explain: (E[P(B | measured)²] − q²)/(q − q²) with E[P(B_j | measured)²]
 * interpolated as Q_j^{2 − t_j}, between Q_j² where nothing is learnt and Q_j where all is. Without noise D
 * = 1. The noise is what the model expects of a further evaluation, its nugget included: it resolves nothing
 * below that.
 *
 * The difference can be negative, where B holds the bulk of p. The average of its first term never is, and
 * without noise bounds the mutual information, which both stand for, from below: the larger of the two
 * averages counts.
 *
 * References: Perrone, Shcherbatyi, Jenatton, Archambeau and Seeger 2019; Takeno, Tamura, Shitara and
 * Karasuyama 2022 for the bound and f* = −∞; Wang and Jegelka 2017 without constraints.
 */
#ifndef CKG_ACQUISITION_CMES_H
#define CKG_ACQUISITION_CMES_H

#include "surrogate/belief.h"

/* Draws of f* (count), in model units, −INFINITY allowed; bound 1: the first term alone. */
struct ckg__cmes {
    int count, bound;
    const double *best;
};

/*
 * value (m), and unless NULL its gradient (D×m), at the points U (D×m, leading dimension ldu). Scratch from
 * the arena is the caller's to release.
 */
int ckg__cmes_batch(const struct ckg__belief *belief, const struct ckg__cmes *cmes, int m, const double *U,
                    int ldu, struct ckg__arena *arena, double *value, double *gradient);

/*
 * The difference of entropies itself, in nats, where outcome j is normal with this mean, variance and noise
 * (outcomes): negative at times.
 */
double ckg__cmes_entropy(int outcomes, const double *mean, const double *var, const double *noise,
                         const double *lower, const double *upper, double best);

#endif

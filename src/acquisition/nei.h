/*
 * Noisy expected improvement in logarithms: constrained expected improvement averaged over draws of what the
 * outcomes truly are at the designs told so far,
 *
 *     log NEI(x) = log 1/N Σ_i EI_i(x)·PF_i(x),     EI_i = s·h((μ_i − best_i)/s),
 *
 * where draw i takes every outcome's true values at those designs from their joint posterior, EI_i and PF_i
 * belong to the processes conditioned on the drawn values without noise, and best_i is the best value among
 * the designs that the draw has feasible. The draws are quasi-random and the same for all x. Outcomes
 * measured without noise are what they were measured to be; with all outcomes so, NEI is cEI.
 *
 * A draw without a feasible design improves on the penalty M, the worth of recommending nothing feasible: the
 * same units, and finite. Where no draw has one, log PF stands alone, as in cEI: the average of the PF_i is
 * PF itself.
 *
 * Reference: Letham, Karrer, Ottoni and Bakshy, Constrained Bayesian optimization with noisy experiments,
 * Bayesian Analysis 14 (2019).
 */
#ifndef CKG_ACQUISITION_NEI_H
#define CKG_ACQUISITION_NEI_H

#include "surrogate/belief.h"
#include "posterior/latent_draws.h"

struct ckg__nei {
    const struct ckg__belief *belief;
    int draws;    /* 1: every outcome is what was measured, and the value is cEI */
    int feasible; /* draws that have a feasible design */
    /* 1: log PF alone. Made as feasible == 0; who averages over several beliefs decides for all of them. */
    int alone;
    double *best; /* (draws); M where the draw has no feasible design */
    struct ckg__latent_draws process[CKG__MAX_OUTCOMES];
};

struct ckg__nei_draws {
    int count, most; /* draws, at least 2; the designs drawn at, at most */
    unsigned long long seed;
    /* of the points of the Sobol sequence: beliefs that are averaged take consecutive ones */
    int first;
};

/*
 * Draws at the distinct told designs. Outcomes from `judged` on decide about no told design (that an
 * evaluation succeeds is known there) and are not drawn. When there are more designs than draws->most, the
 * most promising ones are drawn at, and what was measured at the others stays in the processes as it is. What
 * lasts comes from `keep`, which may not be `scratch`.
 */
int ckg__nei_make(struct ckg__nei *nei, const struct ckg__belief *belief, int judged,
                  const struct ckg__designs *designs, const struct ckg__nei_draws *draws,
                  struct ckg__arena *keep, struct ckg__arena *scratch);

/*
 * value (m), and unless NULL its gradient (D×m), at points U (D×m, leading dimension ldu). Scratch from the
 * arena is the caller's to release.
 */
int ckg__nei_batch(const struct ckg__nei *nei, int m, const double *U, int ldu, struct ckg__arena *arena,
                   double *value, double *gradient);

#endif

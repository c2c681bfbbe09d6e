/*
 * Constrained expected improvement while other designs are under way, integrated over what they will show:
 *
 *     log 1/N Σ_i EI_i(x)·PF_i(x),     EI_i = s·h((μ_i − best_i)/s),
 *
 * where draw i takes the outcomes at the pending designs from their joint posterior, EI_i and PF_i belong to
 * the processes conditioned on them too, and best_i is the best of what is in hand and of the pending designs
 * that the draw has feasible. It is what x adds to a batch: with EI(x₁) it sums up to the expected
 * improvement of the pair by the better of its two designs. Put at its mean instead, a design that is as
 * likely as not to be infeasible counts as there, and nobody looks for another in case it is not.
 *
 * The value is that of struct ckg__nei (nei.h), whose draws these are. For outcomes without noise.
 *
 * Reference: Ginsbourger, Le Riche and Carraro 2010 for batches; Snoek, Larochelle and Adams 2012 for draws.
 */
#ifndef CKG_ACQUISITION_AWAITED_H
#define CKG_ACQUISITION_AWAITED_H

#include "acquisition/nei.h"

/* What is under way, and how it is drawn. */
struct ckg__awaited {
    int pending; /* the last rows of every process, assumed at the mean (ckg__posterior_assume) */
    int judged;  /* outcomes from here on decide about no design, and stay at their mean */
    double best; /* of what is in hand, in model units */
    int draws;   /* at least 2 */
    unsigned long long seed;
    int first; /* of the points of the Sobol sequence, as in struct ckg__nei_draws */
};

/* What lasts comes from `keep`, which may not be `scratch`. */
int ckg__awaited_make(struct ckg__nei *nei, const struct ckg__belief *belief,
                      const struct ckg__awaited *awaited, struct ckg__arena *keep,
                      struct ckg__arena *scratch);

#endif

/*
 * Rollout of the constrained improvement: what is expected of an evaluation at x and of `horizon` − 1 more,
 * each of which a base policy puts where constrained expected improvement is then largest,
 *
 *   V_1(x) = cEI(x),   V_h(x) = cEI(x) + γ E[V_{h−1}(argmax cEI after the evaluation)],
 *
 * with models, best design and all conditioned on what the evaluation shows. The first improvement is exact,
 * the expectation a sum over nodes, and further evaluations choose among the points of a discretisation.
 * With horizon 2 that is optimal: the last step has nothing to prepare for. While there is no best, an
 * evaluation gains the probability of feasibility, and V is that of finding a feasible design at all.
 * Reference: Lam and Willcox 2017, Lookahead Bayesian optimization with inequality constraints.
 */
#ifndef CKG_POLICY_CITED_ROLLOUT_H
#define CKG_POLICY_CITED_ROLLOUT_H

#include "surrogate/belief.h"

/* What an evaluation may show of all outcomes, in standard deviations: z (count × outcomes), their weights.
 */
struct ckg__shown {
    int count;
    const double *z, *weight;
};

struct ckg__rollout {
    const struct ckg__belief *belief;
    double best; /* −INFINITY: none */
    int horizon;
    double discount; /* γ */
    const struct ckg__shown *shown;
    const struct ckg__view *view; /* (outcomes) of the points among which later steps choose */
};

/*
 * Nodes of Gauss and Hermite, q in each dimension, for one outcome and two; q² points of a Sobol sequence for
 * more. Constraints that nearly repeat one another are shown the same. From the arena.
 */
int ckg__shown_make(struct ckg__shown *shown, const struct ckg__belief *belief, int q,
                    unsigned long long seed, struct ckg__arena *arena);

/* log V (m) at candidates U (D×m, leading dimension ldu). */
int ckg__rollout_batch(const struct ckg__rollout *rollout, int m, const double *U, int ldu,
                       struct ckg__arena *arena, double *value);

#endif

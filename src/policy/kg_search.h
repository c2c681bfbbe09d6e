/*
 * The search of the knowledge gradients: `ckg` over all outcomes, `kg` over the objective, `pkg` weighted by
 * the sample's feasibility.
 */
#ifndef CKG_POLICY_KG_SEARCH_H
#define CKG_POLICY_KG_SEARCH_H

#include "acquisition/kg.h"
#include "policy/policy.h"

/* weighted: values are times the probability, by outlook->full, that the sampled design is feasible. */
int ckg__knowledge_suggest(struct ckg__search *search, int weighted, struct ckg__choice *choice);
int ckg__knowledge_score(struct ckg__search *search, int weighted, int count, const double *U, double *value);

/* --- what they are made of (kg_search_discretise.c) --- */

struct ckg__knowledge {
    struct ckg__search *search;
    int weighted;
    struct ckg__nodes nodes;       /* of Z_c, common to all candidates */
    struct ckg__nodes scout_nodes; /* fewer, for screening */
};

int ckg__knowledge_make(struct ckg__knowledge *knowledge, struct ckg__search *search, int weighted);

/* The knowledge gradient on the outlook's own discretisation, whose memory it shares. */
struct ckg__kg ckg__knowledge_on(const struct ckg__outlook *outlook, const struct ckg__nodes *nodes);

/*
 * The policy's value at u (D) under the outlook with an X_d of its own, which kg has, its memory in `keep`.
 */
int ckg__knowledge_value(const struct ckg__knowledge *knowledge, const struct ckg__outlook *outlook,
                         const double *u, int worker, struct ckg__arena *keep, struct ckg__kg *kg,
                         double *value);

/* That, averaged over all outlooks of the search, which are given as they are or with outcomes hidden. */
int ckg__knowledge_average(const struct ckg__knowledge *knowledge, const struct ckg__outlook *outlook,
                           const double *u, double *value);

/*
 * Multiplies value (count) by the probability that the points U (D×count, leading dimension ldu) are feasible
 * under the outlook.
 */
int ckg__knowledge_weigh(const struct ckg__outlook *outlook, int count, const double *U, int ldu,
                         struct ckg__arena *arena, double *value);

/*
 * KG at u (D) with X_d fixed and its gradient (D), times the probability under `full` that u is feasible
 * unless that is NULL.
 */
int ckg__knowledge_gradient(const struct ckg__kg *kg, const struct ckg__belief *full, const double *u,
                            const struct ckg__team *team, struct ckg__arena *arena, double *value,
                            double *gradient);

/* What the settings of all knowledge gradients begin with, and their way into the effort. */
/* clang-format off */
#define CKG__KNOWLEDGE_SETTINGS(X) \
    X(candidates, {.value = CKG__CANDIDATES}, 1, 100000, 1, "space-filling designs that are screened") \
    X(points, {.value = CKG__POINTS, .sampled = CKG__POINTS_SAMPLED}, 8, 100000, 1, \
      "space-filling points of the discretisation") \
    X(local, {.value = CKG__LOCAL}, 0, 10000, 1, \
      "points of the discretisation around the present recommendation") \
    X(inner, {.value = CKG__INNER}, 1, 16, 1, \
      "candidates whose discretisation gets the maximisers under chosen surprises") \
    X(refine, {.value = CKG__REFINE}, 0, 16, 1, "candidates refined by gradient")
/* M, where it is a setting. */
#define CKG__PENALTY_SETTING(X) \
    X(M, {.value = NAN}, -1e150, 1e150, 0, \
      "worth of an infeasible design, in the objective's units; automatic: the smallest posterior mean")
/* clang-format on */
void ckg__knowledge_prepare(struct ckg__search *search);

#endif

/*
 * The search of the knowledge gradients: `ckg` over all outcomes, `kg` over the objective, `pkg` weighted by
 * the sample's feasibility.
 */
#ifndef CKG_POLICY_KG_SEARCH_H
#define CKG_POLICY_KG_SEARCH_H

#include "acquisition/kg.h"
#include "policy/policy.h"

/* The functions of a row (policy.h). */
int ckg__knowledge_suggest(struct ckg__search *search, struct ckg__choice *choice);
int ckg__knowledge_score(struct ckg__search *search, int count, const double *U, double *value);

/* --- what they are made of (kg_search_discretise.c) --- */

struct ckg__knowledge {
    struct ckg__search *search;
    struct ckg__nodes nodes;       /* of Z_c, common to all candidates */
    struct ckg__nodes scout_nodes; /* fewer, for screening */
};

int ckg__knowledge_make(struct ckg__knowledge *knowledge, struct ckg__search *search);

/* The knowledge gradient on the lookahead's own discretisation, whose memory it shares. */
struct ckg__kg ckg__knowledge_on(const struct ckg__lookahead *lookahead, const struct ckg__nodes *nodes);

/*
 * The policy's value at u (D) under the lookahead with an X_d of its own, which kg has, its memory in `keep`.
 */
int ckg__knowledge_value(const struct ckg__knowledge *knowledge, const struct ckg__lookahead *lookahead,
                         const double *u, int worker, struct ckg__arena *keep, struct ckg__kg *kg,
                         double *value);

/* That, averaged over all lookaheads of the search, which are given as they are or with outcomes hidden. */
int ckg__knowledge_average(const struct ckg__knowledge *knowledge, const struct ckg__lookahead *lookahead,
                           const double *u, double *value);

/*
 * Multiplies value (count) by the probability that the points U (D×count, leading dimension ldu) are feasible
 * under the lookahead.
 */
int ckg__knowledge_weigh(const struct ckg__lookahead *lookahead, int count, const double *U, int ldu,
                         struct ckg__arena *arena, double *value);

/*
 * KG at u (D) with X_d fixed and its gradient (D), times the probability under `full` that u is feasible
 * unless that is NULL.
 */
int ckg__knowledge_gradient(const struct ckg__kg *kg, const struct ckg__belief *full, const double *u,
                            const struct ckg__workers *workers, struct ckg__arena *arena, double *value,
                            double *gradient);

#endif

/*
 * The settings of a policy: one list, of which each row is a member of the struct that the policy reads and a
 * row of the table that callers see, so that the two cannot part. A list may take in those that several
 * policies have. A setting that is called like a member of the effort (search/search.h) is that member.
 */
#ifndef CKG_POLICY_SETTINGS_H
#define CKG_POLICY_SETTINGS_H

#include <ckg/policy.h>

#define CKG__MEMBER(name, ...) double name;
#define CKG__ROW(name, ...) {#name, __VA_ARGS__},
#define CKG__SETTINGS(type, table, LIST)                                                                     \
    struct type {                                                                                            \
        LIST(CKG__MEMBER)                                                                                    \
    };                                                                                                       \
    static const ckg_policy_parameter table[] = {LIST(CKG__ROW)}

/* The table as members of a policy's row. */
#define CKG__TABLE(table) .parameters = (table), .count = sizeof(table) / sizeof *(table)

/* clang-format off */

/* Of policies that compare designs and climb from the best of them. */
#define CKG__CANDIDATES_SETTING(X) \
    X(candidates, {.value = CKG__CANDIDATES}, 1, 100000, 1, \
      "space-filling designs compared before the ascent")

/* Of policies that have local steps (search/trust_region.c). */
#define CKG__LOCAL_SETTINGS(X) \
    X(global_every, {.value = 2}, 0, 1000, 1, \
      "while no trial improves, one in so many looks everywhere, the others around the best design; 0: all " \
      "look everywhere") \
    X(region, {.value = 0.4}, 1e-4, 1, 0, "side of that region at first, in the unit cube")

/* Of policies that have both; and such a row's members, where a pending design is believed without noise. */
#define CKG__ASCENT_SETTINGS(X) CKG__CANDIDATES_SETTING(X) CKG__LOCAL_SETTINGS(X)
#define CKG__ASCENT .traits = CKG__TRAIT_CERTAIN, .narrow = &ckg__trust_region

/* Of all knowledge gradients; `points` is the size of the discretisation (CKG__TRAIT_POINTS). */
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

#endif

/*
 * What a search sees in a region (region.h): trials of it alone and models of these, beside the study's own
 * models, which go on to predict and recommend. The trust region has it on the region's ranges
 * (trust_region.c), SCBO on transformed outcomes (policy/policy_scbo.c).
 */
#ifndef CKG_SEARCH_REGIONAL_H
#define CKG_SEARCH_REGIONAL_H

#include "search/region.h"
#include "search/search.h"

struct ckg__regional {
    struct ckg__scope scope; /* first: to_outer finds the rest by it */
    struct ckg__region region;
    struct ckg_problem problem; /* the study's, but for what the region changes */
    struct ckg__data data;      /* the region's trials; designs are the study's */
    struct ckg__arena own;      /* of the data */
    struct ckg__surrogates models;
};

/*
 * One of `size` bytes, the rest of them zero, kept for the policy in *search->kept unless there is one. Its
 * models are to be fitted like the study's.
 */
int ckg__regional_keep(const struct ckg__search *search, size_t size);

/* The region as the trials have made it by the rule; its data are to be laid out anew. */
int ckg__regional_replay(const struct ckg__search *search, const struct ckg__region_rule *rule,
                         struct ckg__regional *regional);

/* Data without any trial yet, with room for the study's; and one more trial, a copy of the study's. */
int ckg__regional_begin(const struct ckg__data *study, struct ckg__regional *regional);
struct ckg__trial *ckg__regional_add(const struct ckg__trial *trial, struct ckg__regional *regional);

/* The models of the data, conditioned on pending designs. Fits start from the optimum of the study's models.
 */
int ckg__regional_update(const struct ckg__search *search, struct ckg__regional *regional);

/* For a source of scopes: undoes the conditioning, frees. */
void ckg__regional_release(void *kept);
void ckg__regional_free(void *kept);

#endif

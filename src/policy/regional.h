/*
 * The models of a trust region: Gaussian processes of the transformed outcomes of its trials alone
 * (search/transform.h), beside the study's own models, which go on to predict and recommend.
 */
#ifndef CKG_POLICY_REGIONAL_H
#define CKG_POLICY_REGIONAL_H

#include "search/region.h"
#include "search/search.h"

struct ckg__regional {
    struct ckg__region region;
    struct ckg_problem problem; /* the study's, but for the outcomes */
    struct ckg__data data;      /* the region's trials; designs are the study's */
    struct ckg__arena own;      /* of the data */
    struct ckg__models models;
    struct ckg__scope scope; /* the study's problem and data, through these models */
    int first;               /* trial of the region that the models know */
};

/*
 * Brings *regional, made where it is NULL, up to date: the region by its rule, and unless it scouts the
 * models of its trials, conditioned on pending designs.
 */
int ckg__regional_update(const struct ckg__search *search, const struct ckg__region_rule *rule,
                         struct ckg__regional **regional);

/* Undoes the conditioning; either takes NULL. */
void ckg__regional_release(struct ckg__regional *regional);
void ckg__regional_free(struct ckg__regional *regional);

#endif

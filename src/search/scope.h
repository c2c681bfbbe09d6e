/*
 * What a search sees: a problem, the trials, and the models of both. A scope never changes once it is made,
 * so whoever looks at something else is given another one. There are the study's own, one whose equalities
 * are wider (study/relax.c), a trust region (trust_region.c), and one of transformed outcomes
 * (policy/policy_scbo.c).
 */
#ifndef CKG_SEARCH_SCOPE_H
#define CKG_SEARCH_SCOPE_H

#include "surrogate/surrogates.h"

struct ckg__search;

struct ckg__scope {
    const struct ckg_problem *problem;
    const struct ckg__data *data;
    const struct ckg__surrogates *models; /* up to date, and conditioned on what is pending */
    const struct ckg__scope *outer;       /* what it is a part of; NULL: the study's own */
    /* u (D), a point of this scope's cube, as one of the outer scope's; NULL: they have the same cube */
    void (*to_outer)(const struct ckg__scope *scope, double *u);
};

/* A policy's narrower scope, with models that are kept between searches. */
struct ckg__scope_source {
    /*
     * *scope ← what the search is to see instead of search->scope, up to date and conditioned on pending
     * designs; search->scope where that serves. What is kept is in *search->kept.
     */
    int (*make)(const struct ckg__search *search, const struct ckg__scope **scope);
    void (*release)(void *kept); /* undoes the conditioning */
    void (*free)(void *kept);
};

/* The scope, or the one around it, whose cube is the study's. */
static inline const struct ckg__scope *ckg__scope_of_study(const struct ckg__scope *scope)
{
    while (scope->to_outer)
        scope = scope->outer;
    return scope;
}

#endif

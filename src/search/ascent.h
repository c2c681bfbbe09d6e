/*
 * The one local search: climb over the reals, step over the lattice, keep what is free. Whoever looks for the
 * best design by some value, a policy or a recommendation, says what the value is and how patient to be.
 */
#ifndef CKG_SEARCH_ASCENT_H
#define CKG_SEARCH_ASCENT_H

#include "search/search.h"

/* What is climbed. */
struct ckg__ascent {
    void *context;
    /* The value (m) at points U (D×m) with its gradient (D×m). */
    ckg__batch_function values_and_slopes;
    /* The value (m) at points U (D×m, leading dimension ldu); scratch that it takes is the caller's. */
    int (*values)(void *context, int m, const double *U, int ldu, struct ckg__arena *arena, double *value);
};

/*
 * Climbs over the reals from each of `starts` points X (starts × D), which become the tops; value (starts).
 * When the search is late, they become the best that was seen.
 */
int ckg__ascend_reals(const struct ckg__search *search, const struct ckg__ascent *ascent,
                      const struct ckg__lbfgs_options *options, int starts, double *X, double *value,
                      struct ckg__arena *arena);

/* The same for a function alone. */
int ckg__ascend_function(const struct ckg__search *search, ckg__batch_function values_and_slopes,
                         void *context, const struct ckg__lbfgs_options *options, int starts, double *X,
                         double *value, struct ckg__arena *arena);

/*
 * Climbs on from u (D) over and over with fresh memory, as a quasi-Newton search stops short on a cliff,
 * until it gains no more than `enough` or was `times` over. *value is that of u.
 */
struct ckg__ascend_again {
    int times;
    int evaluations; /* of each climb */
    double width;    /* of the cliff: first steps are a third of it, a hundredth of the box at most */
    double enough;
};

int ckg__ascend_again(const struct ckg__search *search, const struct ckg__ascent *ascent,
                      const struct ckg__ascend_again *how, double *u, double *value,
                      struct ckg__arena *arena);

/* Steps from u (D) to its best lattice neighbour while that is better. *value is that of u. */
struct ckg__ascend_lattice {
    int rounds;
    int neighbours;                          /* looked at in each, CKG__MOST_NEIGHBOURS at most */
    uint64_t purpose;                        /* of the neighbours, the round added to it */
    int free_only;                           /* 1: designs that are taken do not count */
    const struct ckg__lbfgs_options *follow; /* the reals climb from each neighbour stepped to; NULL: stay */
};

enum { CKG__MOST_NEIGHBOURS = 48 };

int ckg__ascend_lattice(const struct ckg__search *search, const struct ckg__ascent *ascent,
                        const struct ckg__ascend_lattice *how, double *u, double *value,
                        struct ckg__arena *arena);

/*
 * chosen (wanted) ← the points of U (D×count) with the largest values, best first, each at least `apart` from
 * those before it; returns how many there are.
 */
int ckg__best_apart(int D, int count, const double *U, int ldu, const double *value, double apart, int wanted,
                    int *chosen);

#endif

/*
 * An acquisition: a value for every design, averaged over the lookaheads of a search, and the search for the
 * design where it is largest.
 */
#ifndef CKG_SEARCH_MAXIMISE_H
#define CKG_SEARCH_MAXIMISE_H

#include "search/search.h"

struct ckg__choice;

struct ckg__acquisition {
    void *context;
    /*
     * The value (m) at points U (D×m, leading dimension ldu) under one lookahead, and unless NULL its
     * gradient (D×m, leading dimension m). Called by several threads at once, each with its own arena; what
     * it takes there is released by the caller.
     */
    int (*at)(void *context, int lookahead, int m, const double *U, int ldu, struct ckg__arena *arena,
              double *value, double *gradient);
    int logarithm; /* 1: the values are logarithms, and it is the values themselves that are averaged */
    int gradients; /* 0: there are none, and the best candidate is improved by steps without */
};

/*
 * The average over the lookaheads at points U (D×m, leading dimension ldu): value (m), and unless NULL its
 * gradient (D×m).
 */
int ckg__acquisition_at(const struct ckg__search *search, const struct ckg__acquisition *a, int m,
                        const double *U, int ldu, struct ckg__arena *arena, double *value, double *gradient);

/* The best of the candidates, then ascent from the best few; the choice is free and on the lattice. */
int ckg__acquisition_maximise(struct ckg__search *search, const struct ckg__acquisition *a,
                              struct ckg__choice *choice);

/*
 * value ← log((exp(value) + exp(one)), and gradient (D numbers at a stride) ← its gradient: how averages of
 * logarithms are summed. Gradients may be NULL.
 */
void ckg__log_add(double *value, double one, int D, int stride, double *gradient, const double *slope);

#endif

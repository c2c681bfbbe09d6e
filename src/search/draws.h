/*
 * Joint posterior draws: what all outcomes might be, at a set of points, under each lookahead's belief. From
 * them follow draws of the constrained optimum.
 */
#ifndef CKG_SEARCH_DRAWS_H
#define CKG_SEARCH_DRAWS_H

#include "base/rng.h"
#include "search/search.h"

/* The streams of numbers of each user of draws; lookahead and outcome are added to it. */
enum ckg__draws_purpose {
    CKG__DRAWS_CMES = CKG__FOR_BEST_VALUES,
    CKG__DRAWS_OPTIMA = CKG__FOR_OPTIMA,
    CKG__DRAWS_GAIN = CKG__FOR_GAINS
};

/* Under one lookahead. */
struct ckg__draws {
    int outcomes, count, m;
    double *value;                    /* outcomes × count × m, in model units */
    struct ckg__view *view;           /* (outcomes) of the points */
    const double *U;                  /* D×m, where the views are still to be filled; NULL: they are */
    double jitter[CKG__MAX_OUTCOMES]; /* variance that was added to the draws */
};

/* Outcome j in draw s at the m points. */
const double *ckg__draws_of(const struct ckg__draws *draws, int j, int s);

/* value (outcomes) ← the outcomes of draw s, as others take them. */
void ckg__draws_outcomes(const struct ckg__draws *draws, int s, const double **value);

/*
 * Room for `count` draws at m points U (D×m), from the arena; NULL: their views are the caller's to set, and
 * filled.
 */
int ckg__draws_take(struct ckg__draws *draws, const struct ckg__belief *belief, int count, int m,
                    const double *U, struct ckg__arena *arena);

/*
 * Draws under each lookahead: draws (lookaheads), which have room. Numbers depend on seed, stream, purpose,
 * lookahead and outcome alone.
 */
int ckg__draws_make(struct ckg__search *search, enum ckg__draws_purpose purpose, struct ckg__draws *draws);

/*
 * `count` draws under each lookahead at the points of its discretisation (lookahead->U, x_r the last of
 * them): draws (lookaheads), memory from search->results.
 */
int ckg__search_draw(struct ckg__search *search, enum ckg__draws_purpose purpose, int count,
                     struct ckg__draws *draws);

/*
 * The point of draw s with the largest objective among those that are feasible in it, and that objective; -1
 * and −INFINITY: none is.
 */
int ckg__draws_best(const struct ckg__draws *draws, const struct ckg__belief *belief, int s, double *best);

#endif

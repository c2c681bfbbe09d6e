/*
 * One joint draw of all outcomes of a belief at candidates, and what constrained Thompson sampling makes of
 * it: the best drawn objective among the candidates that are feasible in the draw, or the least total
 * violation where none is.
 */
#ifndef CKG_POLICY_THOMPSON_H
#define CKG_POLICY_THOMPSON_H

#include "search/choice.h"

struct ckg__thompson {
    const struct ckg__belief *belief;
    int m;
    struct ckg__view view[CKG__MAX_OUTCOMES]; /* of the candidates */
    double *value[CKG__MAX_OUTCOMES];         /* (m) as drawn, in model units */
    double *weights[CKG__MAX_OUTCOMES];       /* (m) by which the draw goes on between them */
    double floor;                             /* the smallest drawn objective */
};

/*
 * Keeps one of each of the columns of U (D×count, leading dimension count) that are equal, in their order;
 * returns how many.
 */
int ckg__thompson_distinct(int D, int count, double *U);

/*
 * Draws at candidates U (D×m), which must be distinct; the numbers follow from the search's seed and stream.
 * Memory from search->results.
 */
int ckg__thompson_make(struct ckg__search *search, const struct ckg__belief *belief, int m, const double *U,
                       struct ckg__thompson *draw);

/* The candidate that the draw makes the best, and its score. */
int ckg__thompson_best(const struct ckg__thompson *draw, double *score);

/*
 * Scores (count) of points U (D×count): the objective of this very draw, gone on between the candidates by
 * its conditional mean, where it is feasible there; else the smallest drawn objective less the total
 * violation. No feasible score is below that smallest objective.
 */
int ckg__thompson_score(const struct ckg__thompson *draw, int count, const double *U,
                        struct ckg__arena *arena, double *score);

/*
 * How a policy lays its candidates U (D×*count). The choice of one draw at them, once each, which is left in
 * draw with the candidate's number in best where there is one; and the scores by such a draw at points U.
 */
typedef int (*ckg__thompson_lay)(struct ckg__search *search, double **U, int *count);
int ckg__thompson_choose(struct ckg__search *search, ckg__thompson_lay lay, struct ckg__choice *choice,
                         struct ckg__thompson *draw, int *best);
int ckg__thompson_values(struct ckg__search *search, ckg__thompson_lay lay, int count, const double *U,
                         double *score);

#endif

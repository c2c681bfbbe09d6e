/*
 * Draws of the optimum: x* of joint posterior draws of all outcomes over a lookahead's discretisation and
 * points on the faces of the box, refined by further draws around it.
 */
#ifndef CKG_SEARCH_OPTIMA_H
#define CKG_SEARCH_OPTIMA_H

#include "search/draws.h"

/* Of one lookahead. */
struct ckg__optima {
    int m;                   /* points: first those of the discretisation, in their order */
    double *U;               /* D×m */
    struct ckg__draws drawn; /* at the points */
    int draws, total;        /* x* is given for the first `draws`; `total` are tallied */
    int *found;              /* (total) 0: no point of the draw is feasible */
    double *x;               /* draws × D, the x* where there is one */
    /* (m) in how many draws the point is the best; in one without feasible points the least violating */
    int *wins;
    int *better; /* (m) in how many it is feasible and better than x_r, or x_r is not feasible */
    int *winner; /* (total) */
};

/* optima (lookaheads) ← `draws` optima of each lookahead; memory from results. */
int ckg__search_optima(struct ckg__search *search, int draws, int total, struct ckg__optima *optima);

#endif

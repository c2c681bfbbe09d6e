/*
 * A trust region by the rule of Eriksson and Poloczek (2021): its length doubles after successes in a row and
 * halves after failures in a row, and when it gets too small a new one begins with a fresh initial design and
 * forgets what was before.
 *
 * Nothing is remembered between two asks: the region follows from the trials, read in the order of their
 * numbers.
 */
#ifndef CKG_SEARCH_REGION_H
#define CKG_SEARCH_REGION_H

#include "data/data.h"
#include "search/transform.h"

struct ckg__region_rule {
    /* in the unit cube: at first, the smallest before a restart, the largest */
    double length, length_min, length_max;
    int successes, failures; /* in a row, before the length changes */
    /* trials of the initial design of the first region, and of later ones */
    int initial, fresh;
    /* every so many trials one looks beyond the region; 0: none does */
    int scout;
    /* while no trial improves, one in so many looks everywhere, the others in the region */
    int every;
    int finer; /* 1: what counts as an improvement gets smaller with the length */
};

struct ckg__region {
    int restarts;
    int first;   /* its first trial */
    int initial; /* so many trials from there on are its initial design */
    double length;
    int successes, failures; /* in a row, up to now */
    /* row of the distinct designs: the best feasible one, or the least total violation; -1: none yet */
    int centre;
    int feasible; /* 1: the centre was measured feasible */
    int scouting; /* 1: the next trial is one that looks beyond the region */
    int local;    /* 1: by `every` the next trial looks in the region, 0: everywhere */
    int missed;   /* trials in it that were no success since the last that was, or that looked everywhere */
    int noisy;    /* 1: some value of its trials carries noise */
    struct ckg__bilog bilog[1 + CKG_MAX_CONSTRAINTS]; /* of the constraints, units by its trials */
};

/*
 * A side is at most so many times the length, however the length-scales differ, and at least the length
 * divided by it.
 */
enum { CKG__REGION_STRETCH = 4 };

/* Lengths of the rule that contradict one another give way to the smallest. */
void ckg__region_settle(struct ckg__region_rule *rule);

/*
 * half (d) ← half sides of a region of that length: the length-scales relative to their geometric mean, an
 * integer at least one step; inv_ell (D) are their reciprocals.
 */
void ckg__region_sides(const struct ckg_problem *problem, const double *inv_ell, double length, double *half);

/*
 * The region after all trials. A trial that ended counts once all outcomes of its design are known: as a
 * success when the design is feasible and better than the best so far by a thousandth of the interquartile
 * range of the objective, or the first feasible one, or while none is, when its total violation is smaller;
 * else as a failure, as does an evaluation that failed. A design that could not have come from the region,
 * more than half its longest side away from the best, is no failure. Values of a design are averaged.
 *
 * Where to look next follows from the same successes: after one more of the same, else elsewhere. What is
 * pending counts as none.
 */
int ckg__region_replay(const struct ckg__data *data, const struct ckg__region_rule *rule,
                       struct ckg__arena *arena, struct ckg__region *out);

#endif

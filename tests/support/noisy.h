/* Beliefs under noise, of every sort that noisy expected improvement must cope with, and draws of them. */
#ifndef CKG_TESTS_NOISY_H
#define CKG_TESTS_NOISY_H

#include "acquisition/nei.h"
#include "support/process.h"

enum { NOISY_D = 2, NOISY_OUTCOMES = 3, NOISY_MOST = 24, NOISY_SORTS = 14 };

/* A belief whose outcomes were told at shared designs, and the draws of it. */
struct noisy {
    struct process p[NOISY_OUTCOMES];
    struct ckg__belief belief;
    struct ckg__arena keep, scratch;
    int n, number[NOISY_MOST];
    double U[NOISY_D * NOISY_MOST]; /* leading dimension NOISY_MOST */
    struct ckg__nei nei;
};

/*
 * What a model is made of: noise sd of each outcome (0: none), and how its rows depart from one per design
 * and outcome.
 */
struct noisy_sort {
    const char *name;
    enum ckg__kernel kernel;
    int K, n;
    double sd[NOISY_OUTCOMES], shift; /* of the limits; negative: feasible is rare */
    /* the last so many designs have no value of outcome 1 (of the objective, where there is no constraint) */
    int missing;
    int twice;  /* the first designs were measured twice, with other noise */
    int beside; /* rows at places that are none of the designs, as pending ones are */
    int mixed;  /* every third row is without noise */
};

extern const struct noisy_sort noisy_sorts[NOISY_SORTS];

void noisy_make(struct noisy *m, const struct noisy_sort *s, uint64_t seed);
void noisy_free(struct noisy *m);

/* Draws anew; what was drawn before is forgotten. */
void noisy_draw(struct noisy *m, int count, int most, int rule);

/* Log noisy expected improvement at a design, by the draws. */
double noisy_value(struct noisy *m, const double *u);

#endif

/*
 * The problem from within, and its unit cube. A design in the user's units is x (d); the models see u (D):
 * reals and integers scaled to [0, 1] on their scale, each categorical as one coordinate per value, 1/√2 at
 * the value taken and 0 elsewhere, so that two different values are at distance 1. Integers, reals with steps
 * and categories make a lattice.
 */
#ifndef CKG_PROBLEM_PROBLEM_H
#define CKG_PROBLEM_PROBLEM_H

#include <ckg/problem.h>

struct ckg__parameter {
    char *name;
    enum ckg_kind kind;
    enum ckg_scale scale;
    double low, high;
    double bound;   /* high as given: the last step may end before it */
    double step;    /* between neighbouring values, 0: it varies continuously; 1 for categories */
    double steps;   /* how many from low to high, 0 where it varies continuously */
    double origin;  /* values are origin + k·step … */
    double first;   /* … and low has this k */
    double decimal; /* a power of ten in whose parts all values are whole, 0: none */
    int count;      /* values of a categorical */
    char **values;  /* their names */
    int offset;     /* its first coordinate in the unit cube */
    int width;      /* how many: 1, or `count` */
};

struct ckg__outcome {
    char *name;
    double min, max;
    enum ckg_noise noise;
    double noise_sd;
    int positive;     /* 1: declared to be above 0 */
    double cost;      /* of measuring it, where that is given */
    int costed;       /* 1: it is */
    int group;        /* the group that it is measured with, from 1; 0: none */
    double equal;     /* what it should be, within `tolerance`; min and max are what that allows */
    double tolerance; /* 0: it is no equality */
    int yesno;        /* 1: it answers yes, 1, or no, 0; min is between the two */
};

/* 1 when the variance of the outcome's noise is estimated, whether or not it varies over the space. */
static inline int ckg__noise_estimated(const struct ckg__outcome *outcome)
{
    return outcome->noise == CKG_NOISE_AUTO || outcome->noise == CKG_NOISE_VARYING;
}

/* Designs that are known to obey the rules, found before a study begins (design/allowed.h). */
struct ckg__known {
    int count;
    int complete;   /* 1: there are no others */
    double *x;      /* count × d */
    double *number; /* (count) of a finite problem's designs, where they are complete */
    double share;   /* of a space-filling set that obeys them */
};

struct ckg_problem {
    int d, D;
    struct ckg__parameter *parameters;
    enum ckg_goal goal;
    int outcomes; /* 1+K */
    int separate; /* 1: they can be measured apart (measurement_sets.h) */
    int groups;   /* of outcomes that come together */
    struct ckg__outcome outcome[1 + CKG_MAX_CONSTRAINTS];
    int designs;              /* length of the finite list, 0: none */
    double *X;                /* designs × d */
    double *U;                /* designs × D, the list in the unit cube */
    struct ckg__rules *rules; /* NULL: none */
    struct ckg__known known;
};

/* 1 when outcome j is declared positive; whether an evaluation fails, the last of the models, is none. */
static inline int ckg__is_positive(const ckg_problem *problem, int j)
{
    return j < problem->outcomes && problem->outcome[j].positive;
}

/* 1 when outcome j is an equality. */
static inline int ckg__is_equality(const ckg_problem *problem, int j)
{
    return j < problem->outcomes && problem->outcome[j].tolerance > 0;
}

/*
 * 1 when outcome j is an answer, yes or no, of which labels are modelled; so is whether an evaluation fails,
 * the last of the models.
 */
static inline int ckg__is_answer(const ckg_problem *problem, int j)
{
    return j == problem->outcomes || problem->outcome[j].yesno;
}

/* 1 when two designs, in the same units, are the same numbers. */
static inline int ckg__same_design(int d, const double *a, const double *b)
{
    int k = 0;

    while (k < d && a[k] == b[k])
        k++;
    return k == d;
}

int ckg__problem_copy(ckg_problem **out, const ckg_problem *problem);

/*
 * CKG_OK, or CKG_ERR_INVALID with a message that names the parameter of x (d) that is out of range or off the
 * lattice.
 */
int ckg__problem_check_design(const ckg_problem *problem, const double *x);

/* The checks of ckg_problem_check_measured, for arguments that are there. */
int ckg__problem_check_measured(const ckg_problem *problem, int count, const ckg_measurement *measured);

/* The number of distinct designs, or 0 when there are infinitely many (or more than 2^53). */
double ckg__problem_size(const ckg_problem *problem);

/* Design number `index` of a finite problem, counting through the lattice or the list: x (d), or u (D). */
void ckg__problem_number(const ckg_problem *problem, double index, double *x);
void ckg__problem_numbered(const ckg_problem *problem, double index, double *u);

/* 1 when some parameter varies continuously. */
int ckg__problem_has_reals(const ckg_problem *problem);

/* 1 when it varies continuously: a real without steps. */
static inline int ckg__is_real(const struct ckg__parameter *q)
{
    return q->kind == CKG_REAL && !(q->step > 0);
}

/* 1 when its values have an order and steps: an integer, or a real with steps. */
static inline int ckg__is_stepped(const struct ckg__parameter *q)
{
    return q->kind != CKG_CATEGORICAL && q->step > 0;
}

/* 1 when it has so many steps that it is nearly continuous. */
static inline int ckg__is_fine(const struct ckg__parameter *q)
{
    return ckg__is_stepped(q) && q->steps >= 64;
}

/* How many parameters are fine; a list of designs has none. */
int ckg__problem_fine(const ckg_problem *problem);

/* Of a stepped parameter: value number k = 0 … steps, and the number of the value nearest to x. */
double ckg__step_value(const struct ckg__parameter *q, double k);
double ckg__step_number(const struct ckg__parameter *q, double x);

/* Likewise in the cube: where value number k lies, and the number of the value nearest to u. */
double ckg__step_to_unit(const struct ckg__parameter *q, double k);
double ckg__step_from_unit(const struct ckg__parameter *q, double u);

/* The number of the value that c of the open unit interval stands for: equal lengths, equal shares. */
double ckg__step_from_share(const struct ckg__parameter *q, double c);

/* How far apart neighbouring values are in the cube, at most. */
double ckg__step_gap(const struct ckg__parameter *q);

/* Lays the values out from low to the bound by the step; high becomes the last of them. */
void ckg__step_set(struct ckg__parameter *q, double step);

/* 1 when x (d) might be suggested: on the steps, and in the list where there is one. */
int ckg__problem_offers(const ckg_problem *problem, const double *x);

/* u (D) ← the nearest point on the steps; coordinates beyond the cube stay. */
void ckg__problem_snap(const ckg_problem *problem, double *u);

/* Of a discrete parameter: how many values it has. */
static inline double ckg__parameter_values(const struct ckg__parameter *q)
{
    return q->steps + 1;
}

/* Parameter i, a real, at u of its coordinate in the cube; and its slope by u, at the value x. */
double ckg__problem_real(const ckg_problem *problem, int i, double u);
double ckg__problem_slope(const ckg_problem *problem, int i, double x);

/* x (d) → u (D). */
void ckg__problem_to_unit(const ckg_problem *problem, const double *x, double *u);
/* u (D) → the nearest design x (d), of the list where there is one. */
void ckg__problem_from_unit(const ckg_problem *problem, const double *u, double *x);
/*
 * The design u (D) that a point c (d) of the open unit cube stands for: equal volumes give equal shares of
 * the lattice; a list is gone through by the first coordinate.
 */
void ckg__problem_from_cube(const ckg_problem *problem, const double *c, double *u);
/* The same as if there were no list. */
void ckg__problem_on_lattice(const ckg_problem *problem, const double *c, double *u);
/*
 * The bounds (D) within which a local search may move from u: reals over [0, 1], the rest fixed where they
 * are.
 */
void ckg__problem_free_box(const ckg_problem *problem, const double *u, double *lower, double *upper);

#endif

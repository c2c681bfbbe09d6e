/*
 * The models of all outcomes together: outcome 0 the objective (larger is better), the others constraints
 * with limits, in model units. Probability of feasibility and the utility M + (μ − M)·PF of a design.
 */
#ifndef CKG_SURROGATE_BELIEF_H
#define CKG_SURROGATE_BELIEF_H

#include "posterior/posterior.h"

/* The objective, the constraints, and perhaps the latent constraint that an evaluation succeeds. */
enum { CKG__MAX_OUTCOMES = 2 + CKG_MAX_CONSTRAINTS };

/*
 * Constraints that nearly repeat one another are beside each other in a group, and count once, by the one
 * that is least likely to hold: their errors are the same, so that the others hold where it does.
 */
struct ckg__belief {
    int outcomes;
    struct ckg__gp *gp[CKG__MAX_OUTCOMES];
    double lower[CKG__MAX_OUTCOMES], upper[CKG__MAX_OUTCOMES]; /* of outcome 0: unused */
    double penalty;                                            /* M */
    /* the first constraint of the group that it belongs to; 0: it stands alone, or is itself the first */
    int beside[CKG__MAX_OUTCOMES];
    double turn[CKG__MAX_OUTCOMES];      /* 1, or −1: it grows where the first of its group gets smaller */
    double roughness[CKG__MAX_OUTCOMES]; /* see struct ckg__limits */
    unsigned char hidden[CKG__MAX_OUTCOMES]; /* 1: the next evaluation does not measure it */
    double favour;                           /* of every constraint but that evaluations succeed: as there */
};

/* When an outcome with some mean and variance meets its limits. */
struct ckg__limits {
    double lower, upper;
    double floor;  /* a variance below it counts as floor */
    double chance; /* variance that is added before the limits decide (model/likelihood.h) */
    /*
     * A variance counts as so many times itself, but by doubt alone no more than 1, what the values vary by;
     * 0: as it is.
     */
    double roughness;
    /* the probability p counts as min(exp(favour)·p, 1): a limit itself, where p = ½, may count as safe */
    double favour;
};

/* A variance under that doubt; *slope, unless NULL, is what it grows by with the variance. */
double ckg__inflated(double var, double roughness, double *slope);

struct ckg__limits ckg__belief_limits(const struct ckg__belief *belief, int j);

/*
 * Adds to log_pf (m) the log probability that a normal of this mean and variance lies within the limits, and
 * gives its slopes in the mean and in the variance (m) unless NULL.
 */
void ckg__log_feasible(int m, const double *mean, const double *var, const struct ckg__limits *limits,
                       double *log_pf, double *in_mean, double *in_var);

/* φ(a)/W and φ(b)/W for W = Φ(b) − Φ(a), a < b, either infinite. */
void ckg__density_ratios(double a, double b, double *at_a, double *at_b);

/* The first outcome after the group that begins with j. */
static inline int ckg__belief_after(const struct ckg__belief *belief, int j)
{
    int next = j + 1;
    while (next < belief->outcomes && belief->beside[next] == j)
        next++;
    return next;
}

/* The sum over the groups of the smallest of log_p (outcomes): log PF at one point. */
double ckg__belief_join(const struct ckg__belief *belief, const double *log_p);

/* D, which all outcomes have. */
int ckg__belief_coordinates(const struct ckg__belief *belief);

/* Views (outcomes) of all outcomes at m points, from the arena. */
int ckg__belief_views(const struct ckg__belief *belief, int m, const double *U, int ldu,
                      struct ckg__arena *arena, struct ckg__view *views);

/* log PF (m) at the points from views of all outcomes (views[0] is not read). */
void ckg__belief_log_feasible(const struct ckg__belief *belief, const struct ckg__view *views,
                              double *log_pf);

/* log PF (m) of a batch with its gradient (D×m), both added to what is there. */
int ckg__belief_log_feasible_batch(const struct ckg__belief *belief, int m, const double *U, int ldu,
                                   struct ckg__arena *arena, double *log_pf, double *gradient);

/* log((μ − M)·PF) of a batch, and its gradient (D×m); −INFINITY where μ <= M. */
int ckg__belief_log_utility_batch(const struct ckg__belief *belief, int m, const double *U, int ldu,
                                  struct ckg__arena *arena, double *value, double *gradient);

/*
 * By how much values, value[j][at] of outcome j, break the limits: the sum over the constraints, in model
 * units; of a group, the largest.
 */
double ckg__belief_violation(const struct ckg__belief *belief, const double *const *value, int at);

/*
 * By how much a normal outcome of this mean and variance is expected to break its limits, in model units, and
 * the slopes in both; for one that chance decides, how likely it is to fail.
 */
double ckg__limits_expected_violation(const struct ckg__limits *limits, double mean, double var,
                                      double *in_mean, double *in_var);

/* The sum of that over the constraints at the points of a batch, with its gradient (D×m), added to both. */
int ckg__belief_expected_violation_batch(const struct ckg__belief *belief, int m, const double *U, int ldu,
                                         struct ckg__arena *arena, double *value, double *gradient);

/* Room for a batch of m points with gradients. */
int ckg__batch_take(struct ckg__batch *batch, int D, int m, struct ckg__arena *arena);

/* What a process says at points U (D×m, leading dimension ldu), with gradients or (NULL) without; from the
 * arena. */
int ckg__batch_at(const struct ckg__gp *gp, int m, const double *U, int ldu, int gradients,
                  struct ckg__arena *arena, struct ckg__batch *batch);

#endif

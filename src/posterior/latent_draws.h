/*
 * What an outcome may truly be at the designs where it was measured with noise: draws of its true values
 * there, and its process under each draw, conditioned on the drawn values without noise. Outcomes measured
 * without noise are what they were measured to be.
 */
#ifndef CKG_POSTERIOR_LATENT_DRAWS_H
#define CKG_POSTERIOR_LATENT_DRAWS_H

#include "posterior/posterior.h"

/*
 * Designs that may be drawn at: their numbers (n), by which a process knows its rows, and their points (D×n).
 */
struct ckg__designs {
    int n;
    const int *number;
    const double *U;
    int ldu;
};

/* One outcome at those designs. */
struct ckg__observed {
    int *place;    /* (rows) which of the designs a row was measured at; −1: none of them */
    int *row;      /* (n) the design's row of least noise; −1: not measured there */
    double *noise; /* (rows) variance of each row's noise; 0 where it is nothing beside the nugget */
    double *mean;  /* (n) of the process */
};

int ckg__observed_make(struct ckg__observed *observed, const struct ckg__gp *gp,
                       const struct ckg__designs *designs, struct ckg__arena *arena);

/*
 * Bounds the variance of the true value at design d: the noise of its measurement, or the prior's variance.
 */
double ckg__observed_variance(const struct ckg__observed *observed, const struct ckg__gp *gp, int d);

/* 1 when design d was measured without noise. */
int ckg__observed_is_exact(const struct ckg__observed *observed, int d);

/* Which of the designs are drawn at: `count` of them in that order, and the place of each (n); −1: not drawn
 * at. */
struct ckg__drawn_at {
    int count;
    const int *order;
    const int *rank;
};

/* One outcome's process under every draw: the rows and their factor are common, the weights are not. */
struct ckg__latent_draws {
    const struct ckg__gp *gp; /* kernel, length-scales and mean */
    int n;
    int draws;       /* 1: all draws are what was measured, and the process is gp itself */
    const double *A; /* D×lda, the rows scaled by 1/ℓ */
    const double *L; /* n×ldl, their factor */
    int lda;
    int ldl;
    double nugget;
    double *weights; /* n×draws: K⁻¹(values − m) for each draw */
    double *across;  /* the transpose */
};

/*
 * The process under N draws, from standard normals z (count×N), and what they say at the designs: truth
 * (count×N), where `smooth` the mean of the conditioned process there, which the nugget keeps from being the
 * draw itself. What lasts comes from `keep`, which may not be `scratch`.
 */
int ckg__latent_draws_draw(struct ckg__latent_draws *draws_of, const struct ckg__gp *gp,
                           const struct ckg__designs *designs, const struct ckg__observed *observed,
                           const struct ckg__drawn_at *at, int N, const double *z, int smooth,
                           struct ckg__arena *keep, struct ckg__arena *scratch, double *truth);

/* The process as it is, for an outcome of which nothing is left to draw. */
void ckg__latent_draws_take_measured(struct ckg__latent_draws *draws_of, const struct ckg__gp *gp);

/* What was measured at design d, on the lattice of the data again, where a limit may be met exactly. */
double ckg__latent_draws_measured(const struct ckg__gp *gp, const struct ckg__observed *observed, int d);

/* The smallest variance that counts. */
double ckg__latent_draws_floor(const struct ckg__latent_draws *draws_of);

/* The process at m points under all draws. */
struct ckg__latent_view {
    double *B;    /* D×m points */
    double *V;    /* n×m, k and then L⁻¹k */
    double *G;    /* n×m slopes of the kernel, NULL where no gradient is wanted */
    double *mean; /* draws×m */
    double *var;  /* (m), common to all draws */
};

int ckg__latent_draws_view(const struct ckg__latent_draws *draws_of, int m, const double *U, int ldu,
                           int slopes, struct ckg__arena *arena, struct ckg__latent_view *latent_view);

/* Adds to the gradient (D×m) what comes through means and variance: from slopes in_mean (draws×m), in_var
 * (m). */
int ckg__latent_draws_pull_back(const struct ckg__latent_draws *draws_of, int m, const double *in_mean,
                                const double *in_var, struct ckg__arena *arena,
                                struct ckg__latent_view *latent_view, double *gradient);

#endif

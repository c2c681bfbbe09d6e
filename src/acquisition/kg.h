/*
 * The constrained knowledge gradient of one belief:
 *
 *   cKG(x⁺) = E_{Z_c} [ E_{Z_y} max_{x ∈ X_d} (μ(x) − M + σ̃_y(x, x⁺)Z_y)·PF¹(x; x⁺, Z_c) − (μ(x_r) −
 * M)·PF¹(x_r; x⁺, Z_c) ]
 *
 * over a discretisation X_d that holds x_r and gets x⁺ itself. σ̃_j(x, x⁺) = kⁿ_j(x, x⁺)/√(kⁿ_j(x⁺, x⁺) +
 * noise_j); PF¹ is the probability of feasibility one step ahead. Reference: Ungredda and Branke, Bayesian
 * optimisation for constrained problems.
 */
#ifndef CKG_ACQUISITION_KG_H
#define CKG_ACQUISITION_KG_H

#include "acquisition/lines.h"
#include "surrogate/belief.h"

/* Nodes for Z_c, common to all candidates: z (count × K), equal weights. K = 0: one empty node. */
struct ckg__nodes {
    int count, K;
    const double *z;
};

/* The discretisation under one belief: a view per outcome and the gains μ − M; point number r is x_r. */
struct ckg__kg {
    const struct ckg__belief *belief;
    const struct ckg__nodes *nodes;
    int m, r;
    struct ckg__view view[CKG__MAX_OUTCOMES];
    double *gain; /* (m) */
};

/* Scratch for evaluations over at most m points. */
struct ckg__kg_work {
    int room;
    double *gain, *sigma[CKG__MAX_OUTCOMES], *pf, *t, *a, *b;
    double *worst, *other; /* of a group of constraints */
    struct ckg__ahead ahead[CKG__MAX_OUTCOMES];
    /* constraints that the candidate's evaluation does not measure hold as before, whatever Z_c */
    int moving;                             /* groups of which some constraint is measured */
    unsigned char still[CKG__MAX_OUTCOMES]; /* (outcomes) 1 for the first of each other group */
    double *fixed;                          /* their probability, where there are any */
};

int ckg__kg_work_take(struct ckg__kg_work *work, const struct ckg__kg *kg, struct ckg__arena *arena);

/*
 * What the belief says of one candidate x⁺: per outcome its mean and variance, the noise of an evaluation
 * there (ckg__posterior_noise), and its covariances with the discretisation (m).
 */
struct ckg__kg_candidate {
    double mean[CKG__MAX_OUTCOMES];
    double var[CKG__MAX_OUTCOMES];
    double noise[CKG__MAX_OUTCOMES];
    const double *cov[CKG__MAX_OUTCOMES];
};

/*
 * The noise of an evaluation of outcome j at points U (count), with its slopes where they are asked for;
 * without end where the evaluation does not measure it, so that nothing is learnt of it: then cKG is that of
 * the others alone.
 */
void ckg__kg_noise(const struct ckg__belief *belief, int j, int count, const double *U, int ldu,
                   const double *mean, const double *var, struct ckg__noise *noise);

/* cKG of a candidate; hits (m) unless NULL counts how often each point is on an envelope. */
double ckg__kg_value(const struct ckg__kg *kg, const struct ckg__kg_candidate *candidate,
                     struct ckg__kg_work *work, int *hits);

/*
 * Under surprise z_y and node q, the point of X_d that is worth most; the candidate is the one last evaluated
 * with this work.
 */
int ckg__kg_winner(const struct ckg__kg *kg, int q, double z_y, struct ckg__kg_work *work);

/* What the belief says of x⁺ = u (D), and its covariances with X_d; from the arena. */
int ckg__kg_candidate_at(const struct ckg__kg *kg, const double *u, struct ckg__arena *arena,
                         struct ckg__kg_candidate *candidate);

/* cKG at x⁺ = u (D) with X_d as it is. */
int ckg__kg_value_at(const struct ckg__kg *kg, const double *u, struct ckg__arena *arena, double *value);

/*
 * cKG at x⁺ = u (D) and its gradient (D) with X_d held fixed (x⁺ in it moves along). The team, unless NULL,
 * shares the work.
 */
int ckg__kg_gradient(const struct ckg__kg *kg, const double *u, const struct ckg__workers *workers,
                     struct ckg__arena *arena, double *value, double *gradient);

#endif

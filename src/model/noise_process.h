/*
 * Noise that varies over the space: one evaluation at x has the variance σ²·exp(g(x)), σ² the level that a
 * fit has among its hyperparameters, and g the noise_process: a second process, with mean 0 and the
 * covariance s²·exp(−r²/2), r² = Σ_k ((x_k − x'_k)/ℓ_k)², of which the most probable course is taken.
 *
 * Noise_process is smooth, so it is carried by few places z_b among the designs: g(x) = Σ_b v_b k(x, z_b).
 */
#ifndef CKG_MODEL_NOISE_PROCESS_H
#define CKG_MODEL_NOISE_PROCESS_H

#include "base/arena.h"
#include "model/fit.h"

/* Its places, at most: where there are no more designs, each of them is one. */
enum { CKG__NOISE_PLACES = 48 };

/* As it was fitted; kept with the hyperparameters. */
struct ckg__noise_fit {
    int places; /* 0: noise is the same everywhere */
    int design[CKG__NOISE_PLACES];
    double weight[CKG__NOISE_PLACES]; /* v */
    double s2;
    double inv_ell[CKG_MAX_PARAMETERS];
};

/* The same laid out for asking. */
struct ckg__noise_process {
    int places, D;
    double s2;
    const double *inv_ell; /* (D) */
    const double *Z;       /* D×places, scaled by 1/ℓ */
    const double *weight;  /* (places) */
};

/* Numbers that it needs beside the struct. */
static inline size_t ckg__noise_process_numbers(int D, int places)
{
    return (size_t)D + ((size_t)D + 1) * (size_t)places;
}

/*
 * Lays out what was fitted, in room of so many numbers: place b at the row design[b] of u (rows × D), and
 * coordinate k being of parameter group[k].
 */
struct ckg__noise_process ckg__noise_process_lay_out(const struct ckg__noise_fit *varying, int D,
                                                     const int *group, const double *u, double *room);

/*
 * The series with its noise varying: row i has exp(g_i) times the estimated variance; g (n), and relative
 * (n), which becomes those factors. The series `plain` has none yet.
 */
struct ckg__series ckg__series_vary(const struct ckg__series *plain, const double *g, double *relative);

/* g (m) at the points U (D×m), and unless NULL its gradient (D×m, leading dimension m). */
void ckg__noise_process_at(const struct ckg__noise_process *noise_process, int m, const double *U, int ldu,
                           double *g, double *gradient);

/*
 * Fits the noise_process to the inputs of a fit at theta (d+2), whose series has the same noise everywhere,
 * from what loud holds (places 0: from none); of theta the level of the noise changes. Loud's scales are
 * chosen by the evidence.
 */
struct ckg__noise_found {
    double gain; /* log evidence beside noise of one variance, as it looks from there: quadratic */
    /*
     * the log posterior density at theta with the noise_process integrated over (Laplace), to compare with
     * ckg__fit_density at the best theta of one variance
     */
    double evidence;
};

int ckg__noise_process_fit(const struct ckg__fit *fit, double *theta, struct ckg__noise_fit *varying,
                           struct ckg__noise_found *found, struct ckg__arena *arena);

/*
 * The gain alone, as it looks from theta and noise of one variance: what a fit may hope for, for the price of
 * one density.
 */
int ckg__noise_process_hope(const struct ckg__fit *fit, const double *theta, double *gain,
                            struct ckg__arena *arena);

#endif

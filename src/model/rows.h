/*
 * What the densities of all likelihoods have in common once every row has the normal measurement that it is,
 * or that stands for it: the mean, the density of the rows and its slopes. For the files of model/.
 */
#ifndef CKG_MODEL_ROWS_H
#define CKG_MODEL_ROWS_H

#include "model/likelihood.h"

/*
 * beta (n) ← L⁻¹(y − m) with the best m under its normal prior around 0 of that precision (INFINITY: m = 0),
 * which is returned; L (n×ldl) is the factor of K + Σ and ones (n) scratch. *density is that of the rows y,
 * the prior's −½·precision·m² included.
 */
double ckg__rows_centre(int n, const double *y, double precision, const double *L, int ldl, double *beta,
                        double *ones, double *density);

/*
 * Slopes of that density: gradient (d+2) gets those in log ℓ and log s², and nothing for the noise. Needs
 * (K + Σ)⁻¹ in w->L, which is spoilt, α in w->alpha and the diagonal of Σ in w->noise.
 */
int ckg__rows_slopes(const struct ckg__gp_inputs *inputs, const struct ckg__covariance *k, double nugget,
                     const double *y, double mean, double *gradient, struct ckg__fit_work *work);

#endif

/*
 * Constrained expected improvement in logarithms: log EI(x) + log PF(x), with EI = s·h((μ − best)/s), best
 * the incumbent's value; while there is none, log PF alone. Reference: Schonlau, Welch and Jones 1998; Ament
 * et al. 2023 for the logarithm.
 */
#ifndef CKG_ACQUISITION_CEI_H
#define CKG_ACQUISITION_CEI_H

#include "surrogate/belief.h"

/*
 * value (m), and unless NULL its gradient (D×m), at the points U (D×m, leading dimension ldu). best =
 * −INFINITY: log PF alone. Scratch from the arena is the caller's to release.
 */
int ckg__cei_batch(const struct ckg__belief *belief, double best, int m, const double *U, int ldu,
                   struct ckg__arena *arena, double *value, double *gradient);

#endif

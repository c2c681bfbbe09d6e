/*
 * Gauss and Hermite's quadrature for the standard normal.
 */
#ifndef CKG_LINALG_HERMITE_H
#define CKG_LINALG_HERMITE_H

enum { CKG__HERMITE_MOST = 32 };

/* z (count) and weights (count), which sum to 1: exact for polynomials of degree 2·count − 1. */
void ckg__hermite(int count, double *z, double *weight);

#endif

/*
 * Errors of exp and log in units in the last place, by arithmetic with pairs of doubles: long double has too
 * few digits for that on some systems, and under valgrind, which computes it in 64 bits.
 */
#ifndef CKG_TESTS_ULPS_H
#define CKG_TESTS_ULPS_H

double ulps_from_exp(double x, double got); /* |got − exp(x)|, exp(x) finite and not 0 */
double ulps_from_log(double x, double got); /* |got − log(x)|, x > 0 finite, not 1 */

#endif

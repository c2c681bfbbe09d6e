/*
 * Sums of numbers that are known by their logarithms: none overflows or underflows, whatever their size.
 * −INFINITY is the logarithm of 0.
 */
#ifndef CKG_LINALG_LOGARITHM_H
#define CKG_LINALG_LOGARITHM_H

#include "base/arena.h"

/* log(eᵃ + eᵇ), accurate also where one is far smaller. */
double ckg__log_sum(double a, double b);

/*
 * *sum ← log(e^sum + e^one); the share of `one` in it is returned, by which a gradient moves from that of the
 * sum towards that of `one`.
 */
double ckg__log_join(double *sum, double one);

/*
 * value (m) += log 1/rows Σ_i exp(logs_ip) over the rows of logs (rows×m), which become each row's share in
 * the sum, all 0 where the sum is.
 */
int ckg__log_mean(int rows, int m, double *logs, struct ckg__arena *arena, double *value);

#endif

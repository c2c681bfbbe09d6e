/* Ascending numbers. */
#ifndef CKG_BASE_SORTED_H
#define CKG_BASE_SORTED_H

/* The p-quantile of n > 0 ascending values, interpolated so that it turns over with their signs. */
double ckg__quantile(const double *sorted, int n, double p);

/* Puts a value into its place among n ascending ones. */
void ckg__sorted_insert(double *sorted, int n, double value);

#endif

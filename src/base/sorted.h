/* Ascending numbers. */
#ifndef CKG_BASE_SORTED_H
#define CKG_BASE_SORTED_H

/* The p-quantile of n > 0 ascending values, interpolated so that it turns over with their signs. */
double ckg__quantile(const double *sorted, int n, double p);

/* Puts a value into its place among n ascending ones. */
void ckg__sorted_insert(double *sorted, int n, double value);

/* Sorts n values. */
void ckg__sort(double *values, int n);

/* A value and what it belongs to. */
struct ckg__ranked {
    double value;
    int of;
};

/* Sorts n of them; equal values by what they belong to, for qsort's own order is the C library's. */
void ckg__rank(struct ckg__ranked *ranked, int n);

#endif

/* What many replications say of one number. */
#ifndef CKG_APP_BENCH_SPREAD_H
#define CKG_APP_BENCH_SPREAD_H

struct app_spread {
    double mean;
    double half; /* half the width of the 95 % interval of the mean, by Student's t; NAN for one value */
    double median;
    double smallest;
    double largest;
};

/* Of n >= 1 values, which are sorted in place. */
struct app_spread app_spread_of(double *values, int n);

#endif

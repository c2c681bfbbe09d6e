/*
 * Two standard normals at once, in logarithms and accurate into the tails.
 */
#ifndef CKG_LINALG_BIVARIATE_H
#define CKG_LINALG_BIVARIATE_H

/*
 * log P(X < h, Y < k) where X and Y have correlation r, to 1e-8 or better, and its slopes in h, k and r (3)
 * unless NULL. |r| counts as 1 − 1e-12 at most; h and k may be infinite.
 */
double ckg__normal_log_both(double h, double k, double r, double *slope);

/*
 * log P(x[0] < X < x[1], y[0] < Y < y[1]), and its slopes in y[0], y[1] and r (3) unless NULL. Either both
 * intervals have two ends, or both are open at the same one. Between two ends it is good to 1e-6 but where X
 * and Y are all but the same, to a hundredth there, and no good where they lie far in opposite tails.
 */
double ckg__normal_log_box(const double x[2], const double y[2], double r, double *slope);

#endif

/* The normal distribution in long double by the plainest formulas, to compare with. */
#ifndef CKG_TESTS_NAIVE_NORMAL_H
#define CKG_TESTS_NAIVE_NORMAL_H

long double naive_log_pdf(long double z);
long double naive_cdf(long double z);
long double naive_log_cdf(long double z);                     /* any z: far out by the asymptotic series */
long double naive_log_interval(long double a, long double b); /* log(Φ(b) − Φ(a)), a < b */

#endif

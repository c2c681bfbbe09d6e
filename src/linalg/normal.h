/*
 * The standard normal distribution to a few ulp over the whole range, one value at a time: φ density, Φ
 * distribution function.
 */
#ifndef CKG_LINALG_NORMAL_H
#define CKG_LINALG_NORMAL_H

double ckg__normal_pdf(double x);
/* Φ(x), accurate down to where it underflows (x ≈ −38.5, subnormals included) */
double ckg__normal_cdf(double x);
double ckg__normal_log_cdf(double x);  /* log Φ(x) for any x, −1e154 too */
double ckg__normal_quantile(double p); /* Φ⁻¹(p); ∓∞ at 0 and 1, NaN outside [0, 1] */
double ckg__normal_mills(double x);    /* φ(x)/Φ(x) for any x: the derivative of log Φ */

/*
 * h(z) = φ(z) + zΦ(z), so that EI = s·h((μ−best)/s); log h for any z; and h'/h = Φ/h, the derivative of log
 * h.
 */
double ckg__normal_ei(double z);
double ckg__normal_log_ei(double z);
double ckg__normal_log_ei_slope(double z);

/* log(Φ(b) − Φ(a)) for a < b, either infinite: without cancellation in either tail. */
double ckg__normal_log_interval(double a, double b);

#endif

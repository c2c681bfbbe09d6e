/*
 * Values to model units and back. The warp asinh(c·t)/c is the identity near its centre and logarithmic far
 * out, so a heavy tail is drawn in while order and limits stay. Moments of the way back: with cW ~ N(m, q), E
 * sinh = e^{q/2} sinh m and Var sinh = ½(e^q − 1)(e^q cosh 2m + 1).
 */
#include <math.h>

#include "data/data.h"

double ckg__scaling_round(double y)
{
    return ldexp(rint(ldexp(y, 32)), -32);
}

double ckg__scaling_warp(const struct ckg__scaling *s, double value)
{
    const double t = s->sign * value;
    return s->warp > 0 ? asinh(s->warp * (t - s->warp_centre) / s->warp_scale) / s->warp : t;
}

double ckg__scaling_apply(const struct ckg__scaling *s, double value)
{
    return ckg__scaling_round((ckg__scaling_warp(s, value) - s->centre) / s->scale);
}

double ckg__scaling_log_slope(const struct ckg__scaling *s, double value)
{
    double slope = -log(s->scale);
    if (s->warp > 0) {
        const double t = s->warp * (s->sign * value - s->warp_centre) / s->warp_scale;
        slope -= log(s->warp_scale) + log(hypot(1, t));
    }
    return slope;
}

void ckg__scaling_moments(const struct ckg__scaling *s, double y_mean, double y_sd, double *mean, double *sd)
{
    double centre = s->centre + s->scale * y_mean;
    double spread = s->scale * y_sd;

    if (s->warp > 0) {
        const double m = s->warp * centre;
        const double q = s->warp * s->warp * spread * spread;
        const double unit = s->warp_scale / s->warp;
        centre = s->warp_centre + unit * exp(0.5 * q) * sinh(m);
        spread = unit * sqrt(0.5 * expm1(q) * (exp(q) * cosh(2 * m) + 1));
    }
    *mean = s->sign * centre;
    *sd = spread;
}

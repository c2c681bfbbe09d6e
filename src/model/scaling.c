/*
 * Values to model units and back. The warp asinh(c·t)/c is the identity near its centre and logarithmic far
 * out, so a heavy tail is drawn in while order and limits stay. Moments of the way back: with cW ~ N(m, q), E
 * sinh = e^{q/2} sinh m and Var sinh = ½(e^q − 1)(e^q cosh 2m + 1); with W ~ N(m, q), E exp = e^{m + q/2} and
 * Var exp = (e^q − 1)(E exp)².
 */
#include <math.h>

#include "base/maths.h"
#include "model/series.h"

double ckg__scaling_round(double y)
{
    return ldexp(rint(ldexp(y, 32)), -32);
}

/* The smallest ratio that has a logarithm here, and the largest number that a value may be. */
static const double least_ratio = 1e-300;
static const double largest_value = 1e150;

/* Beyond these, moments are out of range anyway. */
static const double most_exponent = 700;
static const double farthest = 1e15;

static double side(const struct ckg__scaling *s)
{
    return s->warp_scale > 0 ? 1 : -1;
}

double ckg__scaling_warp(const struct ckg__scaling *s, double value)
{
    const double t = s->sign * value;

    if (s->warp > 0)
        return ckg__asinh(s->warp * (t - s->warp_centre) / s->warp_scale) / s->warp;
    if (s->warp == CKG__LOGARITHM)
        return side(s) * ckg__log(fmax(t / s->warp_scale, least_ratio));
    return t;
}

double ckg__scaling_apply(const struct ckg__scaling *s, double value)
{
    const double w = ckg__scaling_warp(s, value);
    const double seen = s->low < s->high ? ckg__clamp(w, s->low, s->high) : w;

    return ckg__scaling_round((seen - s->centre) / s->scale);
}

double ckg__scaling_place(const struct ckg__scaling *s, double value)
{
    return ckg__clamp((ckg__scaling_warp(s, value) - s->centre) / s->scale, -farthest, farthest);
}

/* log √(1 + t²), which does not overflow. */
static double log_secant(double t)
{
    const double size = fabs(t);

    return size < 1e100 ? 0.5 * ckg__log1p(size * size) : ckg__log(size);
}

double ckg__scaling_log_slope(const struct ckg__scaling *s, double value)
{
    double slope = -ckg__log(s->scale);
    if (s->warp > 0) {
        const double t = s->warp * (s->sign * value - s->warp_centre) / s->warp_scale;
        slope -= ckg__log(s->warp_scale) + log_secant(t);
    }
    if (s->warp == CKG__LOGARITHM)
        slope -= ckg__log(fmax(s->sign * value / s->warp_scale, least_ratio)) + ckg__log(fabs(s->warp_scale));
    return slope;
}

void ckg__scaling_moments(const struct ckg__scaling *s, double y_mean, double y_sd, double *mean, double *sd)
{
    double centre = s->centre + s->scale * y_mean;
    double spread = s->scale * y_sd;
    const double exponent = s->warp > 0 ? s->warp : side(s);
    const double m = ckg__clamp(exponent * centre, -most_exponent, most_exponent);
    const double q = fmin(exponent * exponent * spread * spread, most_exponent);

    if (s->warp > 0) {
        const double unit = s->warp_scale / s->warp;
        centre = s->warp_centre + unit * ckg__exp(0.5 * q) * ckg__sinh(m);
        spread = unit * sqrt(0.5 * ckg__expm1(q) * (ckg__exp(q) * ckg__cosh(2 * m) + 1));
    } else if (s->warp == CKG__LOGARITHM) {
        centre = s->warp_scale * ckg__exp(m + 0.5 * q);
        spread = fabs(centre) * sqrt(ckg__expm1(q));
    }
    *mean = s->sign * ckg__clamp(centre, -largest_value, largest_value);
    *sd = fmin(spread, largest_value);
}

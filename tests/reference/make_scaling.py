#!/usr/bin/env python3
"""Writes tests/reference/scaling.inc: outcome scales from mpmath, 40 digits.

Values: sign, warp, its centre and scale, centre, scale, value; y and log |dy/dv|, the latter by mpmath's numerical derivative.
Moments: the same scale, mean and sd of a normal y; mean and sd of the value, by quadrature of the way back (no closed form).
All arguments are doubles that are taken exactly; warp −1 is the logarithm.

    python3 tests/reference/make_scaling.py > tests/reference/scaling.inc
"""
from mpmath import mp, mpf, asinh, diff, exp, fabs, linspace, log, pi, quad, sinh, sqrt

mp.dps = 40
SCALES = [(1, 0, 0, 1, 3, 2), (-1, 0, 0, 1, -3, 0.5), (1, 1.5, 2, 4, 0.3, 0.8), (-1, 4, -7, 0.2, -0.1, 1.2),
          (1, -1, 0, 2.5, 0.2, 1.1), (-1, -1, 0, -0.07, -0.4, 0.6), (1, -1, 0, -30.0, 0.1, 2.0)]
VALUES = {0: (-7.5, 0.0, 0.3, 1e6), 1: (-1e3, -2.0, 2.0, 40.0, 1e12), -1: (1e-9, 0.02, 1.0, 3.5, 1e5, 1e40)}


def forth(s, value):
    sign, warp, warp_centre, warp_scale, centre, scale = map(mpf, s)
    t = sign * value
    if warp > 0:
        t = asinh(warp * (t - warp_centre) / warp_scale) / warp
    elif warp < 0:
        t = log(t / warp_scale) * (1 if warp_scale > 0 else -1)
    return (t - centre) / scale


def back(s, y):
    sign, warp, warp_centre, warp_scale, centre, scale = map(mpf, s)
    w = centre + scale * y
    if warp > 0:
        return sign * (warp_centre + warp_scale * sinh(warp * w) / warp)
    if warp < 0:
        return sign * warp_scale * exp(w * (1 if warp_scale > 0 else -1))
    return sign * w


def moments(s, mean, sd):
    def integral(power, pivot):
        return quad(lambda z: (back(s, mpf(mean) + mpf(sd) * z) - pivot) ** power * exp(-z * z / 2), linspace(-30, 30, 61)) / sqrt(2 * pi)
    first = integral(1, 0)
    return first, sqrt(integral(2, first))


def numbers(*row):
    return "    {" + ", ".join(repr(float(x)) for x in row) + "},"


def main():
    print("/* Written by make_scaling.py: do not edit. */")
    print("/* sign, warp, warp_centre, warp_scale, centre, scale, value; y, log |dy/dv| */")
    print("static const double scaling_values[][9] = {")
    for s in SCALES:
        side = 1 if s[1] >= 0 else s[0] * (1 if s[3] > 0 else -1)
        for value in VALUES[(s[1] > 0) - (s[1] < 0)]:
            v = mpf(side * value)
            print(numbers(*s, v, forth(s, v), log(fabs(diff(lambda x: forth(s, x), v, h=fabs(v) * mpf("1e-15") + mpf("1e-15") * (v == 0))))))
    print("};\n/* the same scale, mean and sd of y; mean and sd of the value */")
    print("static const double scaling_moments[][10] = {")
    for s in SCALES:
        for mean in (-1.5, 0.0, 0.4):
            for sd in (1e-3, 0.25, 1.0):
                print(numbers(*s, mean, sd, *moments(s, mean, sd)))
    print("};")


if __name__ == "__main__":
    main()

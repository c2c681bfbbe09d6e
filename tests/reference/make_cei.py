#!/usr/bin/env python3
"""Writes tests/reference/cei.inc: the logarithm of constrained expected improvement from mpmath, into the far tails.

Each row: mean and variance of the objective, the best value, mean and variance of one constraint, its limits, log EI + log PF.
All arguments are doubles that are taken exactly. Of 80 digits, φ + zΦ cancels 2·log10|z|.

    python3 tests/reference/make_cei.py > tests/reference/cei.inc
"""
from mpmath import mp, mpf, erfc, exp, inf, log, nstr, pi, sqrt

mp.dps = 80


def cdf(z):
    return mpf(0) if z == -inf else mpf(1) if z == inf else erfc(-z / sqrt(2)) / 2


def log_ei(mean, var, best):
    s = sqrt(mpf(var))
    z = (mpf(mean) - mpf(best)) / s
    return log(s * (exp(-z * z / 2) / sqrt(2 * pi) + z * cdf(z)))


def log_pf(mean, var, lower, upper):
    s, mean = sqrt(mpf(var)), mpf(mean)
    a, b = (mpf(lower) - mean) / s, (mpf(upper) - mean) / s
    return log(cdf(b) - cdf(a)) if a + b < 0 else log(cdf(-a) - cdf(-b))


def show(value):
    return {inf: "INFINITY", -inf: "-INFINITY"}.get(value, repr(float(value)))


def main():
    objectives = [(1.5, 0.25, best) for best in (-3.0, 1.0, 1.5, 2.0, 4.0, 11.0, 19.75, 20.5, 50.0, 501.5, 1e5)]
    objectives += [(-2.0, 4e-10, best) for best in (-2.0, -1.9999, -1.999262, -1.99)]
    objectives += [(1e3, 1e8, best) for best in (0.0, 371000.0)]
    constraints = [(0.5, 1.0, -inf, 2.0), (0.5, 0.09, 9.0, inf), (0.5, 0.09, 9.0, 9.5), (-1.0, 4.0, -2.0, 0.5),
                   (0.0, 1e-6, 1.0, inf)]
    print("/* Written by make_cei.py: do not edit. */")
    print("/* objective's mean, variance, best; constraint's mean, variance, lower, upper; log EI + log PF */")
    print("static const double cei_rows[][8] = {")
    for o in objectives:
        for c in constraints:
            print("    {" + ", ".join(show(v) for v in o + c) + ", " + nstr(log_ei(*o) + log_pf(*c), 17) + "},")
    print("};")


if __name__ == "__main__":
    main()

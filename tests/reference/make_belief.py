#!/usr/bin/env python3
"""Writes tests/reference/belief.inc: the probability that a normal lies within limits, from mpmath, into the far tails.

Each row: mean and variance, the limits, log PF, its slopes in the mean and in the variance. All arguments are doubles that are
taken exactly; the answers are computed in 80 digits and rounded once to double. The limits lie up to 1000 standard deviations
from the mean, on either side.

    python3 tests/reference/make_belief.py > tests/reference/belief.inc
"""
from mpmath import mp, mpf, erfc, exp, inf, log, log1p, nstr, pi, sqrt

mp.dps = 80

DISTANCES = (1e3, 40, 9, 3, 1, 0.2, 0, -0.3, -1, -4, -12, -37, -38.6, -40, -100, -1e3)
DEVIATIONS = (1e-6, 0.3, 1, 70)
WIDTHS = (0.5, 2, 9, 100)


def cdf(z):
    return mpf(0) if z == -inf else mpf(1) if z == inf else erfc(-z / sqrt(2)) / 2


def pdf(z):
    return mpf(0) if abs(z) == inf else exp(-z * z / 2) / sqrt(2 * pi)


def log_pf(a, b):
    """By the smaller tails, which lose no digits: one less both, or the difference of two on the same side."""
    if a < 0 < b:
        return log1p(-cdf(a) - cdf(-b))
    return log(cdf(b) - cdf(a)) if b <= 0 else log(cdf(-a) - cdf(-b))


def answers(mean, var, lower, upper):
    mean, s = mpf(mean), sqrt(mpf(var))
    a, b = (mpf(lower) - mean) / s, (mpf(upper) - mean) / s
    value = log_pf(a, b)
    at_a, at_b = (pdf(z) / exp(value) for z in (a, b))
    return value, (at_a - at_b) / s, ((a * at_a if at_a else 0) - (b * at_b if at_b else 0)) / (2 * s * s)


def show(value):
    return {inf: "INFINITY", -inf: "-INFINITY"}.get(value, repr(float(nstr(value, 40) if isinstance(value, mpf) else value)))


def write(name, rows):
    print(f"static const double {name}[][7] = {{")
    for row in rows:
        print("    {" + ", ".join(show(v) for v in row + answers(*row)) + "},")
    print("};")


def main():
    one = [(0.25 * s + z * s, s * s, 0.25 * s, inf) for z in DISTANCES for s in DEVIATIONS]
    two = [(0.5 - z * s, s * s, 0.5 - width * s, 0.5) for distance in DISTANCES for width in WIDTHS for s in DEVIATIONS[1:]
           for z in (distance, width - distance)]
    print("/* Written by make_belief.py: do not edit. */")
    print("/* mean, variance, lower, upper; log PF, its slopes in the mean and in the variance */")
    write("one_limit_rows", one)
    write("two_limits_rows", two)


if __name__ == "__main__":
    main()

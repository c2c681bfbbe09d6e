#!/usr/bin/env python3
"""Writes tests/reference/normal.inc: the standard normal distribution from mpmath's erfc, for tests of src/linalg.

Arguments are doubles, and the values theirs exactly, computed in at least 50 digits and rounded once to double. Points are
spread over the whole range, with a fixed seed, and are dense around the points where the code changes its method.

    python3 tests/reference/make_normal.py > tests/reference/normal.inc
"""
import random
import sys

from mpmath import mp, mpf, erfc, erfinv, exp, findroot, log, pi, sqrt

mp.dps = 60


def to_double(value):
    """Through a decimal, as Python rounds decimals correctly to subnormal numbers too."""
    return float(mp.nstr(value, 40))


def normal_cdf(x):
    return erfc(-mpf(x) / sqrt(2)) / 2


def normal_pdf(x):
    return exp(-mpf(x) ** 2 / 2) / sqrt(2 * pi)


def normal_row(x):
    """x, φ, Φ, log Φ, φ/Φ, h, log h, h'/h. The digits are raised by what 1 − Φ and φ + xΦ cancel."""
    with mp.workdps(60 + (400 if 5 < x < 45 else 60)):
        pdf, cdf = normal_pdf(x), normal_cdf(x)
        ei = pdf + mpf(x) * cdf
        return [x] + [to_double(v) for v in (pdf, cdf, log(cdf), pdf / cdf, ei, log(ei), cdf / ei)]


def quantile(p):
    p = mpf(p)
    if p > 0.01:
        return sqrt(2) * erfinv(2 * p - 1)
    start = -sqrt(-2 * log(p))
    return findroot(lambda x: log(normal_cdf(x)) - log(p), (start, start * mpf("0.9")), tol=mpf(10) ** -100)


def log_interval(a, b):
    with mp.workdps(120 - int(mp.floor(mp.log10(b - a)))):
        lower, upper = (a, b) if a + b < 0 else (-b, -a)
        return to_double(log(normal_cdf(upper) - normal_cdf(lower)))


def around(centre, widths=(0, 1e-14, 1e-9, 1e-4, 0.03)):
    return [centre + sign * w for w in widths for sign in (-1, 1)]


def normal_points(rng, scale):
    points = [rng.uniform(-38.7, 10) for _ in range(240 * scale)] + [rng.uniform(-3, 3) for _ in range(120 * scale)]
    points += [rng.uniform(-38.6, -37) for _ in range(40 * scale)] + [rng.uniform(10, 40) for _ in range(20 * scale)]
    points += [sign * 10 ** rng.uniform(-20, 0) for sign in (-1, 1) for _ in range(15 * scale)]
    points += [-(10 ** rng.uniform(1.6, 10)) for _ in range(60 * scale)] + [10 ** rng.uniform(1.6, 10) for _ in range(10)]
    for centre in (0, -38.6, -38.48, 38.6, -1e8, 0.8994717612537435, 0.4994717612537435, 1.2994717612537435, 8.3, -10):
        points += around(centre)
    return points + [float(x) for x in range(-40, 41)] + [-1e5, -1e10, 1e10]


def quantile_points(rng, scale):
    points = [rng.random() for _ in range(100 * scale)] + [10 ** rng.uniform(-300, 0) for _ in range(120 * scale)]
    points += [1 - 10 ** rng.uniform(-16, 0) for _ in range(60 * scale)] + [10 ** rng.uniform(-2, 0) for _ in range(40 * scale)]
    points += [0.5 + sign * 10 ** rng.uniform(-16, -0.4) for sign in (-1, 1) for _ in range(20 * scale)]
    for centre in (0.075, 0.925, 0.5):
        points += around(centre)
    points += [float(exp(-25)) * (1 + d) for d in (-1e-3, -1e-9, 0, 1e-9, 1e-3)]
    return points + [1e-300, 5e-324, 1e-310, 2.3e-308, 1 - 2**-53]


def interval_points(rng, scale):
    points = []
    for _ in range(120 * scale):
        a = rng.uniform(-40, 40)
        points.append((a, a + 10 ** rng.uniform(-12, 1.5)))
    for _ in range(60 * scale):
        a = rng.uniform(-4, 3)
        points.append((a, a + 10 ** rng.uniform(-8, 0.8)))
    for middle in (-300.0, -20.0, -1.5, 0.0, 0.7, 1.0, 5.0, 37.0):
        width = 1 / max(1.0, abs(middle))
        points += [(middle - width * s / 2, middle + width * s / 2) for s in (0.5, 0.999, 1.001, 2.0, 8.0)]
    for a, b in ((-1e4, -1e4 + 1e-3), (1e4, 1e4 + 1e-9), (-1e5, -1e4), (-3e3, 40.0), (-0.25, 0.75), (0.0, 1e-300)):
        points += [(a, b), (-b, -a)]
    return points


def write(name, columns, comment, rows):
    print(f"/* {comment} */\nstatic const double {name}[][{columns}] = {{")
    for row in rows:
        print("    {" + ", ".join(float(v).hex() for v in row) + "},")
    print("};\n")


def main(scale):
    rng = random.Random(20240607)
    print("/* Written by tests/reference/make_normal.py. */\n")
    rows = [normal_row(x) for x in sorted(set(normal_points(rng, scale)))]
    write("normal_rows", 8, "x, φ(x), Φ(x), log Φ(x), φ(x)/Φ(x), h(x), log h(x), h'(x)/h(x)", rows)
    rows = [(p, to_double(quantile(p))) for p in sorted(set(quantile_points(rng, scale))) if 0 < p < 1]
    write("quantile_rows", 2, "p, Φ⁻¹(p)", rows)
    write("interval_rows", 3, "a, b, log(Φ(b) − Φ(a))", [(a, b, log_interval(a, b)) for a, b in interval_points(rng, scale)])


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1)

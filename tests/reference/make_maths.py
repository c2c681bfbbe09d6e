#!/usr/bin/env python3
"""Writes tests/reference/maths.inc: exp, log and what is made of them by mpmath, for tests of src/base/maths.c.

Arguments are doubles, spread over each function's range with a fixed seed; values are computed in 60 digits and rounded once.

    python3 tests/reference/make_maths.py > tests/reference/maths.inc
"""
import random

from mpmath import mp, mpf

mp.dps = 60


def spread(rng, low, high, count):
    """Both signs where the range has them: evenly, and evenly in the exponent towards zero."""
    even = [rng.uniform(low, high) for _ in range(count)]
    small = [rng.choice([low, high]) * 10 ** rng.uniform(-18, 0) for _ in range(count)]
    return even + small


def row(name, rng, function, points):
    print(f"static const double {name}_rows[][2] = {{")
    for x in points:
        print(f"    {{{float(x).hex()}, {float(mp.nstr(function(mpf(x)), 40)).hex()}}},")
    print("};\n")


def main():
    rng = random.Random(1)
    print("/* Written by tests/reference/make_maths.py: x and the function's value. */\n")
    row("exp", rng, mp.exp, spread(rng, -745, 709.7, 150) + [-744.4, -720.5, 709.78, 708.0, -708.0, 0.0])
    row("expm1", rng, mp.expm1, spread(rng, -40, 60, 100) + spread(rng, -1, 1, 100) + [0.34, -0.34, 0.339999, -0.3399999])
    row("log", rng, mp.log, [10 ** rng.uniform(-307, 308) for _ in range(150)] + [rng.uniform(0.4, 2.5) for _ in range(150)] + [5e-324, 1e-310])
    row("log1p", rng, mp.log1p, spread(rng, -0.9999999, 5, 200) + [10 ** rng.uniform(0, 300) for _ in range(40)])
    row("sinh", rng, mp.sinh, spread(rng, -710, 710, 80) + spread(rng, -1, 1, 80))
    row("cosh", rng, mp.cosh, spread(rng, -710, 710, 80) + spread(rng, -1, 1, 40))
    row("tanh", rng, mp.tanh, spread(rng, -25, 25, 80) + spread(rng, -1, 1, 80))
    row("asinh", rng, mp.asinh, spread(rng, -5, 5, 100) + [10 ** rng.uniform(0, 300) for _ in range(60)])
    row("atanh", rng, mp.atanh, spread(rng, -0.9999, 0.9999, 150))
    row("cos_turn", rng, lambda t: mp.cos(2 * mp.pi * t), [rng.random() for _ in range(200)] + [i / 16 for i in range(17)])


main()

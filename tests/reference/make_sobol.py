#!/usr/bin/env python3
"""Writes tests/reference/sobol.inc: what nested scrambling leaves unchanged of the Sobol sequence, from SciPy's own points.

    python3 tests/reference/make_sobol.py > tests/reference/sobol.inc

However a sequence is scrambled, the number of leading binary digits that two of its points share in one coordinate stays
the same. The table holds it for point 0 and each of the points 1 … POINTS−1.
"""
import scipy
from scipy.stats import qmc

POINTS = 128
DIMENSIONS = list(range(16)) + [50, 200, 511, 777, 999]
BITS = 32


def main():
    sequence = qmc.Sobol(max(DIMENSIONS) + 1, scramble=False, bits=BITS).random(POINTS)
    print("/* Written by tests/reference/make_sobol.py with SciPy %s. */" % scipy.__version__)
    print("enum { SOBOL_REFERENCE_POINTS = %d };\n" % POINTS)
    print("static const struct {")
    print("    int dimension;")
    print("    unsigned char shared[SOBOL_REFERENCE_POINTS - 1];")
    print("} sobol_reference[] = {")
    for dimension in DIMENSIONS:
        digits = [int(x * 2**BITS) for x in sequence[:, dimension]]
        shared = ["%d" % (BITS - (digits[0] ^ x).bit_length()) for x in digits[1:]]
        rows = [", ".join(shared[i : i + 32]) for i in range(0, POINTS - 1, 32)]
        print("    {%d,\n     {%s}}," % (dimension, ",\n      ".join(rows)))
    print("};")


main()

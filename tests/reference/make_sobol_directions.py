#!/usr/bin/env python3
"""Writes src/design/sobol_directions.inc: the Joe-Kuo direction numbers (new-joe-kuo-6.21201) as SciPy bundles them.

    python3 tests/reference/make_sobol_directions.py > src/design/sobol_directions.inc

Per dimension: its primitive polynomial (all coefficients, the leading one included) and, one after another in one array, its
first m odd numbers, m being the polynomial's degree. The first dimension has degree 0 and none.
"""
import os

import numpy
import scipy
import scipy.stats

DIMENSIONS = 1000
WIDTH = 130


def rows(numbers):
    line = "   "
    for number in numbers:
        item = " %d," % number
        if len(line) + len(item) > WIDTH:
            yield line
            line = "   "
        line += item
    yield line


def table(name, numbers):
    assert all(0 <= number < 2**16 for number in numbers)
    print("\nstatic const uint16_t %s[] = {" % name)
    print("\n".join(rows(numbers)))
    print("};")


def main():
    path = os.path.join(os.path.dirname(scipy.stats.__file__), "_sobol_direction_numbers.npz")
    data = numpy.load(path)
    polynomials = [int(p) for p in data["poly"][:DIMENSIONS]]
    starts = []
    for dimension, polynomial in enumerate(polynomials):
        degree = polynomial.bit_length() - 1
        starts += [int(v) for v in data["vinit"][dimension][:degree]]
    print("/*")
    print(" * Written by tests/reference/make_sobol_directions.py from SciPy %s: new-joe-kuo-6.21201 (BSD licence)." %
          scipy.__version__)
    print(" * S. Joe, F. Y. Kuo: Constructing Sobol sequences with better two-dimensional projections, SIAM J. Sci. Comput. 2008.")
    print(" */")
    table("sobol_polynomials", polynomials)
    table("sobol_starts", starts)


main()

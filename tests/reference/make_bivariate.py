#!/usr/bin/env python3
"""Writes tests/reference/bivariate.inc: probabilities of two correlated normals from mpmath, into the far tails.

P(X < h, Y < k) = ∫ φ(t) Φ((k − rt)/√(1 − r²)) dt over t < h, by mpmath's quadrature with 20 digits over pieces that
end where the integrand turns; not the integral that the library uses.

    python3 tests/reference/make_bivariate.py > tests/reference/bivariate.inc
"""
from mpmath import mp, mpf, erfc, exp, inf, log, nstr, pi, quad, sqrt

mp.dps = 20


def cdf(z):
    return erfc(-z / sqrt(2)) / 2


def density(t):
    return exp(-t * t / 2) / sqrt(2 * pi)


def pieces(low, high, *marks):
    """From low to high by way of marks, finer around each."""
    cuts = {low, high}
    for mark, width in marks:
        for step in (0, 1, 4, 12, 40):
            cuts |= {mark + step * width, mark - step * width}
    return sorted(c for c in cuts if low <= c <= high)


def both(h, k, r):
    h, k, r = mpf(h), mpf(k), mpf(r)
    q = sqrt(1 - r * r)
    marks = [(mpf(0), mpf(1)), (h, 1 / (1 + abs(h))), (h, q * q / (1 + abs(h) + abs(k))), (k / r if r else mpf(0), q), (r * k, q), (r * k, q / (1 + abs(k)))]
    return quad(lambda t: density(t) * cdf((k - r * t) / q), pieces(min(h, mpf(0)) - 45, h, *marks))


def box(a, b, c, d, r):
    a, b, c, d, r = (mpf(v) for v in (a, b, c, d, r))
    q = sqrt(1 - r * r)
    marks = [(mpf(0), mpf(1)), (c / r if r else mpf(0), q), (d / r if r else mpf(0), q)]
    return quad(lambda t: density(t) * (cdf((d - r * t) / q) - cdf((c - r * t) / q)), pieces(a, b, *marks))


def main():
    print("/* Written by make_bivariate.py: do not edit. */")
    print("/* h, k, r, log P(X < h, Y < k) */")
    print("static const double both_rows[][4] = {")
    places = [(0, 0), (0.5, 0.51), (-1, 2), (1.5, 3), (-3, -2.5), (-8, 1), (-8, -8.1), (-20, -3), (4, -15), (7, 6), (-2, 2), (9, -6)]
    for h, k in places:
        for r in (-0.98, -0.3, 0.4, 0.999):
            print(f"    {{{h!r}, {k!r}, {r!r}, {nstr(log(both(h, k, r)), 15)}}},")
    print("};")
    print("/* a, b, c, d, r, log P(a < X < b, c < Y < d) */")
    print("static const double box_rows[][6] = {")
    for x, y in [((-1, 1), (-0.5, 2)), ((-4, -3), (-2, 0)), ((0.2, 0.3), (0.1, 0.4)), ((2, 2.001), (-0.5, -0.4)), ((1, 5), (2, 3.5))]:
        for r in (-0.6, 0.0, 0.5, 0.9):
            print(f"    {{{x[0]!r}, {x[1]!r}, {y[0]!r}, {y[1]!r}, {r!r}, {nstr(log(box(*x, *y, r)), 15)}}},")
    print("};")


if __name__ == "__main__":
    main()

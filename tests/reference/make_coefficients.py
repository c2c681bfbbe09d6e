#!/usr/bin/env python3
"""Writes every constant of the approximations in src/base/maths.c, src/linalg/normal.c and hot_vector.c.

Each function is interpolated in 60-digit arithmetic at Chebyshev nodes, of a variable in which it is smooth, by a polynomial
or a rational function. Interpolation at those nodes is within a small factor of the best approximation, so that one more
degree than a Remez fit would need buys the same accuracy with nothing iterative. The error of each fit, before its
coefficients are rounded to double, is measured between the nodes, checked and written beside the coefficients.

    python3 tests/reference/make_coefficients.py maths > src/base/maths_coefficients.h
    python3 tests/reference/make_coefficients.py normal > src/linalg/normal_coefficients.h
"""
import sys

from mpmath import mp, mpf, cos, erfc, erfinv, exp, findroot, log, lu_solve, matrix, npdf, ncdf, pi, polyval, sin, sqrt

mp.dps = 60
FIT_TOLERANCE = mpf("1e-16")


def scaled_tail(x):
    """Φ(−x)·exp(x²/2), x ≥ 0."""
    if x < 100:
        return erfc(x / sqrt(2)) * exp(x * x / 2) / 2
    return asymptotic_series(x, 1) / (x * sqrt(2 * pi))


def scaled_ei(x):
    """h(−x)·exp(x²/2), x ≥ 0."""
    if x < 100:
        with mp.workdps(90):
            return 1 / sqrt(2 * pi) - x * scaled_tail(x)
    return asymptotic_series(x, 3) / (x * x * sqrt(2 * pi))


def asymptotic_series(x, first):
    """1 − first/x² + first·(first+2)/x⁴ − …, for x so large that it converges to working precision before it diverges."""
    total = term = mpf(1)
    for k in range(200):
        term *= -(first + 2 * k) / (x * x)
        total += term
        if abs(term) < mp.eps * total:
            return total
    raise ArithmeticError("asymptotic series did not converge")


def chebyshev_nodes(count, low, high):
    return [(low + high) / 2 - (high - low) / 2 * cos(pi * (2 * i + 1) / (2 * count)) for i in range(count)]


def polynomial_fit(f, degree, low, high, weight=lambda x: 1):
    """Coefficients, lowest first, of the polynomial that interpolates f, and the largest error times weight."""
    nodes = chebyshev_nodes(degree + 1, low, high)
    rows = matrix([[x**j for j in range(degree + 1)] for x in nodes])
    coefficients = list(lu_solve(rows, matrix([f(x) for x in nodes])))
    checks = chebyshev_nodes(10 * degree, low, high)
    return coefficients, max(abs((polyval(coefficients[::-1], x) - f(x)) * weight(x)) for x in checks)


def rational_fit(f, n, m, low, high):
    """P of degree n and Q of degree m, Q(0) = 1, with P/Q = f at the nodes, and the largest relative error."""
    count = n + m + 1
    nodes = chebyshev_nodes(count, low, high)
    values = [f(x) for x in nodes]
    rows = matrix([[x**j for j in range(n + 1)] + [-y * x**j for j in range(1, m + 1)] for x, y in zip(nodes, values)])
    solution = list(lu_solve(rows, matrix(values)))
    p, q = solution[: n + 1], [mpf(1)] + solution[n + 1 :]
    checks = chebyshev_nodes(10 * count, low, high)
    return p, q, max(abs(polyval(p[::-1], x) / polyval(q[::-1], x) / f(x) - 1) for x in checks)


def half_line_fit(f, n, m, c):
    """f(x) ≈ P(x)/Q(x) on [0, ∞), m > n: fitted in u = x/(x + c), which maps the half line to [0, 1), then expanded in x."""
    p, q, error = rational_fit(lambda u: f(c * u / (1 - u)) / (1 - u) ** (m - n), n, m, mpf(0), 1 - mpf(10) ** -9)
    p, q = expand(p, c), expand(q, c)
    # Numerator in u times (1−u)^(m−n), over denominator in u, all times (x+c)^m: the m−n factors are a power of c.
    return [a * c ** (m - n) / q[-1] for a in p], [b / q[-1] for b in q], error


def expand(coefficients, c):
    """Coefficients in x of (x + c)^degree · Σ a_j (x/(x + c))^j."""
    degree = len(coefficients) - 1
    result = [mpf(0)] * (degree + 1)
    for j, a in enumerate(coefficients):
        for i in range(degree - j + 1):
            result[j + i] += a * mp.binomial(degree - j, i) * c ** (degree - j - i)
    return result


def log_quotient(z):
    """(log((1+s)/(1−s)) − 2s)/s at s = √z."""
    s = sqrt(z)
    return (log((1 + s) / (1 - s)) - 2 * s) / s / z


def upper_quantile(log_p):
    """x > 0 with Φ(−x) = exp(log_p)."""
    start = sqrt(-2 * log_p)
    return findroot(lambda x: log(scaled_tail(x)) - x * x / 2 - log_p, (start * mpf("0.8"), start), tol=mpf(10) ** -100)


def gauss_legendre(count):
    """The positive nodes and their weights on [−1, 1], count even."""
    guesses = [cos(pi * (i + mpf(3) / 4) / (count + mpf(1) / 2)) for i in range(count // 2)]
    nodes = [findroot(lambda x: mp.legendre(count, x), g) for g in guesses]
    # The derivative of the polynomial at its zero x is −count·P_{count−1}(x)/(x² − 1).
    return nodes, [2 * (1 - x * x) / (count * mp.legendre(count - 1, x)) ** 2 for x in nodes]


def recentre(coefficients, w0):
    """Coefficients in w0 − w of the polynomial in w."""
    result = [mpf(0)] * len(coefficients)
    for j, a in enumerate(coefficients):
        for i in range(j + 1):
            result[i] += a * mp.binomial(j, i) * w0 ** (j - i) * (-1) ** i
    return result


def write_array(name, comment, values, error=None):
    if error is not None and error > FIT_TOLERANCE:
        sys.exit(f"{name}: fit error {mp.nstr(error, 3)}")
    note = "" if error is None else f" Fit error {mp.nstr(error, 2)}."
    print(f"/* {comment}{note} */")
    print(f"static const double {name}[{len(values)}] = {{")
    numbers = [float(v).hex() for v in values]
    for i in range(0, len(numbers), 4):
        print("    " + ", ".join(numbers[i : i + 4]) + ",")
    print("};\n")


def write_scalar(name, value, comment):
    print(f"static const double {name} = {float(value).hex()}; /* {comment} */")


def write_split(name, value, bits, comment):
    """value = high + low with high of so many bits."""
    scale = mpf(2) ** (bits - 1 - mp.floor(log(value, 2)))
    high = mp.nint(value * scale) / scale
    write_scalar(f"{name}_hi", high, f"{comment}, its first {bits} bits")
    write_scalar(f"{name}_lo", value - high, "and the rest")
    print()


def write_ratio(name, comment, p, q, error):
    assert min(p + q) > 0, f"{name}: a negative coefficient would cancel"
    write_array(f"{name}_p", comment, p, error)
    write_array(f"{name}_q", "Its denominator.", q)


def write_tails():
    c = mpf("3.6")
    write_ratio("scaled_tail", "Φ(−x)·exp(x²/2) ≈ p(x)/q(x) for x ≥ 0.", *half_line_fit(scaled_tail, 10, 11, c))
    write_ratio("scaled_ei", "(φ(x) − xΦ(−x))·exp(x²/2) ≈ p(x)/q(x) for x ≥ 0.", *half_line_fit(scaled_ei, 10, 12, c))


def write_exp_and_log():
    """exp, log, and the cosine and sine of turns."""
    half = log(mpf(2)) / 2 * mpf("1.0001")
    fit = polynomial_fit(lambda r: (exp(r) - 1 - r) / r**2, 9, -half, half, lambda r: r * r)
    write_array("exp_poly", "exp(r) ≈ 1 + r + r²·poly(r) for |r| ≤ ½ log 2.", *fit)
    s = (sqrt(2) - 1) / (sqrt(2) + 1)
    fit = polynomial_fit(log_quotient, 6, mpf(10) ** -9, s * s * mpf("1.0001"), lambda z: z / 2)
    write_array("log_poly", "log((1+s)/(1−s)) ≈ 2s + s·z·poly(z), z = s², for |s| ≤ 3 − √8.", *fit)


def write_turns():
    eighth = mpf("0.0156251")
    fit = polynomial_fit(lambda z: (cos(2 * pi * sqrt(z)) - 1) / z, 6, mpf(10) ** -12, eighth, lambda z: z)
    write_array("cos_turn_poly", "cos 2πt ≈ 1 + z·poly(z), z = t², for |t| ≤ 1/8.", *fit)
    fit = polynomial_fit(lambda z: sin(2 * pi * sqrt(z)) / sqrt(z), 7, mpf(10) ** -12, eighth)
    write_array("sin_turn_poly", "sin 2πt ≈ t·poly(z), z = t², for |t| ≤ 1/8.", *fit)


def write_gauss():
    half = log(mpf(2)) / 2 * mpf("1.0001")
    fit = polynomial_fit(lambda r: mp.expm1(r / 2) / r if r else mpf(1) / 2, 10, -2 * half, 2 * half, lambda r: r)
    write_array("gauss_poly", "exp(r/2) ≈ 1 + r·poly(r) for |r| ≤ log 2.", *fit)


def write_log_ei():
    def ei(z):
        return npdf(z) + z * ncdf(z)

    with mp.workdps(90):
        root = findroot(lambda z: ei(z) - 1, mpf("0.9"))
    fit = polynomial_fit(lambda d: log(ei(root + d)) / d, 13, mpf("-0.4"), mpf("0.4"))
    write_array("log_ei_poly", "log h(z) ≈ d·poly(d), d = z − log_ei_root, for |d| ≤ 0.4.", *fit)
    write_split("log_ei_root", root, 53, "the z with h(z) = 1")


def write_quantile():
    w0 = mpf("0.425") ** 2
    p, q, error = rational_fit(lambda w: sqrt(2) * erfinv(2 * sqrt(w)) / sqrt(w), 8, 8, mpf(10) ** -12, w0)
    comment = "Φ⁻¹(½+q)/q ≈ p(w)/q(w), w = 0.425² − q², for |q| ≤ 0.425."
    write_ratio("quantile_centre", comment, recentre(p, w0), recentre(q, w0), error)
    for name, low, high, degree in (("near", mpf("1.6"), mpf(5), 9), ("far", mpf(5), mpf("27.5"), 10)):
        fit = rational_fit(lambda r, low=low: upper_quantile(-((r + low) ** 2)), degree, degree - 1, mpf(0), high - low)
        where = f"r = √−log p − {mp.nstr(low)} in [0, {mp.nstr(high - low)}]"
        write_ratio(f"quantile_{name}", f"−Φ⁻¹(p) ≈ p(r)/q(r), {where}.", *fit)


def write_quadrature():
    nodes, weights = gauss_legendre(12)
    write_array("legendre_node", "Gauss–Legendre rule of 12 points on [−1, 1]: the positive nodes.", nodes)
    write_array("legendre_weight", "Their weights.", weights)


def write_header(guard, where):
    print("/*")
    print(f" * Constants of the approximations in {where}, lowest power first.")
    print(" * Written by tests/reference/make_coefficients.py, which says how: change that, not this.")
    print(" */")
    print(f"#ifndef {guard}\n#define {guard}\n")


def write_maths():
    write_header("CKG_BASE_MATHS_COEFFICIENTS_H", "maths.c and linalg/hot_vector.c")
    write_exp_and_log()
    write_turns()
    write_split("ln2", log(mpf(2)), 32, "log 2")
    write_scalar("log2_e", 1 / log(mpf(2)), "1/log 2")


def write_normal():
    write_header("CKG_LINALG_NORMAL_COEFFICIENTS_H", "normal.c and hot_vector.c")
    write_tails()
    write_gauss()
    write_log_ei()
    write_quantile()
    write_quadrature()
    write_scalar("inv_sqrt_2pi", 1 / sqrt(2 * pi), "1/√(2π)")
    write_scalar("log_sqrt_2pi", log(2 * pi) / 2, "log √(2π)")


if __name__ == "__main__":
    {"maths": write_maths, "normal": write_normal}[sys.argv[1]]()
    print("\n#endif")

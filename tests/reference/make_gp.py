#!/usr/bin/env python3
"""Writes tests/reference/gp.inc: Gaussian processes conditioned on random data, computed with 50 digits.

For every kernel, d = 1, 2, 5, n = 1, 3, 8, 12 and kind of noise (estimated with unequal replicate counts, known variances, none
but the nugget), and for some of them with a trend beside the kernel: the log likelihood, the mean m, and the posterior at three points. Inputs are short decimals that Python and C
read as the same doubles. With n = 12, K may be as ill-conditioned as 1e12, so each answer comes with the scale of its first-order
perturbation bound: when the factor belongs to K + E with |E| <= eps |K|, the answer is off by at most eps times that scale.

Needs numpy (the random numbers, seed 20240) and mpmath.

    python3 tests/reference/make_gp.py > tests/reference/gp.inc
"""
import mpmath as mp
import numpy as np

mp.mp.dps = 50
NUGGET = mp.mpf(1e-11)
ESTIMATED, KNOWN, EXACT = range(3)
rng = np.random.default_rng(20240)


def short(value, digits=4):
    return float(f"{value:.{digits}g}")


def kappa(kernel, r2):
    if kernel == 0:
        return mp.exp(-r2 / 2)
    a = mp.sqrt((5 if kernel == 1 else 3) * r2)
    return (1 + a + (a * a / 3 if kernel == 1 else 0)) * mp.exp(-a)


def covariance(case, A, B):
    """s2 * kappa between the rows of A and B; with a trend also 12/d times the product of what they are beyond the middle."""
    s2 = mp.exp(mp.mpf(case["theta"][-1]))
    inv = [mp.exp(-mp.mpf(t)) for t in case["theta"][:case["d"]]]
    K = mp.matrix(len(A), len(B))
    for i, a in enumerate(A):
        for j, b in enumerate(B):
            K[i, j] = s2 * kappa(case["kernel"], sum(((mp.mpf(x) - mp.mpf(y)) * w) ** 2 for x, y, w in zip(a, b, inv)))
            if case["linear"]:
                K[i, j] += mp.mpf(12) / case["d"] * sum((mp.mpf(x) - 0.5) * (mp.mpf(y) - 0.5) for x, y in zip(a, b))
    return K


def draw_noise(case):
    n = case["n"]
    case.update(known=[0.0] * n, count=[1] * n, extra=0, within=0.0, constant=0.0)
    if case["noise"] == ESTIMATED:
        case["known"] = [-1.0] * n
        case["count"] = [int(c) for c in rng.integers(1, 6, n)]
        case["extra"] = sum(case["count"]) - n
        case["within"] = short(0.03 * rng.chisquare(case["extra"])) if case["extra"] else 0.0
        case["constant"] = short(-0.5 * sum(np.log(case["count"])))
    elif case["noise"] == KNOWN:
        case["known"] = [short(np.exp(rng.uniform(np.log(1e-3), np.log(0.3)))) for _ in range(n)]
        case["constant"] = short(rng.normal())


def full_covariance(case):
    """K + noise + nugget, and the estimated noise variance."""
    noise = mp.exp(mp.mpf(case["theta"][-2]))
    K = covariance(case, case["X"], case["X"])
    for i in range(case["n"]):
        K[i, i] += NUGGET * (mp.exp(mp.mpf(case["theta"][-1])) + case["linear"])
        K[i, i] += noise / case["count"][i] if case["known"][i] < 0 else mp.mpf(case["known"][i])
    return K, noise


def draw(kernel, d, n, noise, linear=0):
    case = dict(kernel=kernel, d=d, n=n, noise=noise, linear=linear)
    case["theta"] = [short(rng.uniform(np.log(0.15), np.log(1.5))) for _ in range(d)]
    case["theta"] += [short(rng.uniform(np.log(1e-3), np.log(0.3))), short(0.5 * rng.normal())]
    case["precision"] = [0.25, 4.0, float("inf")][int(rng.integers(3))]
    case["X"] = [[short(u) for u in rng.uniform(size=d)] for _ in range(n)]
    case["points"] = [[short(u) for u in rng.uniform(size=d)] for _ in range(3)]
    draw_noise(case)
    L = mp.cholesky(full_covariance(case)[0])
    z = mp.matrix([float(v) for v in rng.normal(size=n)])
    case["y"] = [short(float(v) + 0.3, 6) for v in L * z]
    return case


def norm(vector):
    return mp.sqrt(sum(v * v for v in vector))


def posterior(case, K, alpha, m):
    """Means (3), variances (3), the covariance of the first two, and the norm of the largest weights."""
    k = covariance(case, case["X"], case["points"])
    prior = covariance(case, case["points"], case["points"])
    weights = mp.inverse(K) * k
    rest = prior - k.T * weights
    mean = [m + (k.T * alpha)[p] for p in range(3)]
    return mean, [rest[p, p] for p in range(3)], rest[0, 1], max(norm(weights[:, p]) for p in range(3))


def solve(case):
    n = case["n"]
    K, noise = full_covariance(case)
    inverse = mp.inverse(K)
    y, ones, precision = mp.matrix([mp.mpf(v) for v in case["y"]]), mp.matrix([1] * n), case["precision"]
    total = (ones.T * inverse * ones)[0] + mp.mpf(precision)
    m = (ones.T * inverse * y)[0] / total if precision != float("inf") else mp.mpf(0)
    centred = y - m * ones
    alpha = inverse * centred
    fit = -((centred.T * alpha)[0] + (m * m * mp.mpf(precision) if m else 0) + mp.log(mp.det(K)) + n * mp.log(2 * mp.pi)) / 2
    fit += mp.mpf(case["constant"])
    if case["extra"]:
        fit -= (case["extra"] * mp.log(2 * mp.pi * noise) + mp.mpf(case["within"]) / noise) / 2
    mean, var, cov, w = posterior(case, K, alpha, m)
    size, a = mp.norm(K, mp.inf), norm(alpha)
    trace = sum(inverse[i, i] for i in range(n))
    m_scale = abs(m) + size * norm(inverse * ones) * a / total if m else mp.mpf(0)
    mean_scale = size * w * a + m_scale * (1 + w * mp.sqrt(n)) + 1
    return [fit, m] + mean + var + [cov, size * (a * a + trace) + abs(fit), m_scale, mean_scale, size * (1 + w * w)]


def row(values, pattern):
    return "{" + ", ".join("INFINITY" if v == float("inf") else format(v, pattern) for v in values) + "}"


def write(case):
    answers = solve(case)
    print(f"    {{{case['kernel']}, {case['d']}, {case['n']}, {case['noise']}, {case['linear']}, {row([case['precision']], 'g')[1:-1]},")
    print(f"     {row(case['theta'], 'g')},\n     {row([u for k in range(case['d']) for u in [x[k] for x in case['X']]], 'g')},")
    print(f"     {row(case['y'], '.6g')}, {row(case['known'], 'g')}, {row(case['count'], 'd')},")
    print(f"     {case['extra']}, {case['within']:g}, {case['constant']:g},")
    print(f"     {row([u for k in range(case['d']) for u in [x[k] for x in case['points']]], 'g')},")
    digits = [mp.nstr(v, 17) for v in answers[:9]]
    print("     " + ", ".join(digits[:2] + ["{" + ", ".join(digits[2:5]) + "}", "{" + ", ".join(digits[5:8]) + "}", digits[8]]) + ",")
    print("     " + ", ".join(mp.nstr(v, 3) for v in answers[9:]) + "},")


def main():
    print("/* Written by make_gp.py: do not edit. Gaussian processes to 17 digits; X and points are dimension-major. */")
    print("""static const struct gp_case {
    int kernel, d, n, noise, linear; /* noise: 0 estimated, 1 known, 2 none; linear: 1 with a trend */
    double precision, theta[7], X[60], y[12], known[12], count[12], extra, within, constant, points[15];
    double log_likelihood, m, mean[3], var[3], cov;                 /* cov: of the first two points */
    double likelihood_scale, m_scale, mean_scale, variance_scale;   /* what one relative unit of error in K does to each */
} gp_cases[] = {""")
    for kernel in range(3):
        for d in (1, 2, 5):
            for n in (1, 3, 8, 12):
                for noise in range(3):
                    write(draw(kernel, d, n, noise))
    for kernel in range(3):
        for d, n in ((1, 3), (2, 8), (5, 12)):
            for noise in range(3):
                write(draw(kernel, d, n, noise, linear=1))
    print("};")


if __name__ == "__main__":
    main()

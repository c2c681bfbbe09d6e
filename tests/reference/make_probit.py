#!/usr/bin/env python3
"""Writes tests/reference/probit.inc: probit classifiers conditioned on successes and failures, by other means than the engine's.

- exact: n = 1, 2, 3 designs with some labels each and the mean fixed at 0. log P(labels), mean and variance of the process at
  three points and the probability of success there by the trapezoidal rule over the whitened latent values, spacing 0.1 from -9
  to 9: for these smooth integrands that is exact to some 1e-13.
- ep: n = 6, 20 designs. Expectation propagation one label after the other (Rasmussen and Williams, algorithm 3.5, with a rank-one
  update of the whole covariance after each), a row per label, to 1e-12; the mean m maximises its log Z - p m^2/(2 (1 + s^2)),
  found by golden section.
- chain: the 20 designs of the last ep cases again, m fixed at what was found there: probabilities at the points by 400,000 steps
  of elliptical slice sampling, with their standard errors by batch means.

Inputs are short decimals that Python and C read as the same doubles. Needs numpy and scipy (seed 20261).

    python3 tests/reference/make_probit.py > tests/reference/probit.inc
"""
import numpy as np
from scipy.special import log_ndtr, ndtr

rng = np.random.default_rng(20261)
PENALTY, POINTS = 1.0, 3


def short(value, digits=4):
    return float(f"{value:.{digits}g}")


def covariance(case, A, B):
    A, B = np.asarray(A), np.asarray(B)
    ell, s2 = np.exp(case["theta"][:case["d"]]), np.exp(case["theta"][-1])
    r2 = (((A[:, None] - B[None]) / ell) ** 2).sum(-1)
    if case["kernel"] == 0:
        return s2 * np.exp(-r2 / 2)
    a = np.sqrt((5 if case["kernel"] == 1 else 3) * r2)
    return s2 * (1 + a + (a * a / 3 if case["kernel"] == 1 else 0)) * np.exp(-a)


def draw(kernel, d, n, s2, most):
    case = dict(kernel=kernel, d=d, n=n)
    case["theta"] = [short(rng.uniform(np.log(0.15), np.log(1.5))) for _ in range(d)] + [-4.0, short(np.log(s2))]
    case["X"] = [[short(u) for u in rng.uniform(size=d)] for _ in range(n)]
    case["points"] = [[short(u) for u in rng.uniform(size=d)] for _ in range(POINTS)]
    case["passed"] = [int(c) for c in rng.integers(0, most + 1, n)]
    case["failed"] = [int(rng.integers(0 if p else 1, most + 1 - p + (p == 0))) if p < most else 0 for p in case["passed"]]
    return case


def at_points(case, m, tau, nu):
    """From the labels' sites: mean and variance of f at the points, and the probability of success there."""
    X = [case["X"][i] for i in labels(case)[0]]
    K, root = covariance(case, X, X), np.sqrt(tau)
    k = root[:, None] * covariance(case, X, case["points"])
    B = np.eye(len(tau)) + np.outer(root, root) * K
    mu = m + k.T @ np.linalg.solve(B, (nu - tau * m) / root)
    var = K[0, 0] - (k * np.linalg.solve(B, k)).sum(0)
    return mu, var, ndtr(mu / np.sqrt(1 + var))


def exact(case):
    n, step = case["n"], 0.1
    K = covariance(case, case["X"], case["X"]) + 1e-11 * np.exp(case["theta"][-1]) * np.eye(n)
    L = np.linalg.cholesky(K)
    z = np.arange(-9, 9 + step / 2, step)
    grid = np.stack(np.meshgrid(*[z] * n, indexing="ij"), -1).reshape(-1, n)
    f = grid @ L.T
    weight = -0.5 * (grid ** 2).sum(1) + n * np.log(step / np.sqrt(2 * np.pi))
    weight = weight + log_ndtr(f) @ np.array(case["passed"]) + log_ndtr(-f) @ np.array(case["failed"])
    top = weight.max()
    weight = np.exp(weight - top)
    total = weight.sum()
    k = covariance(case, case["X"], case["points"])
    w = np.linalg.solve(K, k)
    at, rest = f @ w, K[0, 0] - (k * w).sum(0)
    mean = weight @ at / total
    var = rest + weight @ (at - mean) ** 2 / total
    return [top + np.log(total), 0.0], mean, var, weight @ ndtr(at / np.sqrt(1 + rest)) / total


def labels(case):
    rows = [i for i in range(case["n"]) for _ in range(case["passed"][i] + case["failed"][i])]
    signs = [s for i in range(case["n"]) for s in [1.0] * case["passed"][i] + [-1.0] * case["failed"][i]]
    return rows, np.array(signs)


def mills(z):
    return np.exp(-0.5 * z * z - 0.5 * np.log(2 * np.pi) - log_ndtr(z))


def propagate(case, m):
    """log Z and the labels' sites, which move one after the other."""
    rows, y = labels(case)
    X = [case["X"][i] for i in rows]
    K = covariance(case, X, X)
    n = len(y)
    tau, nu = np.zeros(n), np.zeros(n)
    mean, V = np.full(n, m), K.copy()
    for _ in range(2000):
        moved = 0.0
        for i in range(n):
            v = V[i, i]
            tc, nc = 1 / v - tau[i], mean[i] / v - nu[i]
            mc, vc = nc / tc, 1 / tc
            s = np.sqrt(1 + vc)
            l = mills(y[i] * mc / s)
            d1, d2 = y[i] * l / s, -l * (y[i] * mc / s + l) / (1 + vc)
            new_tau, new_nu = -d2 / (1 + vc * d2), (d1 - mc * d2) / (1 + vc * d2)
            dt, dn = new_tau - tau[i], new_nu - nu[i]
            moved = max(moved, abs(dt) * v, abs(dn - dt * mean[i]) * np.sqrt(v))
            tau[i], nu[i] = new_tau, new_nu
            mean = mean + V[:, i] * (dn - dt * mean[i]) / (1 + dt * v)
            V = V - np.outer(V[:, i], V[:, i]) * dt / (1 + dt * v)
        B = np.eye(n) + np.sqrt(np.outer(tau, tau)) * K      # afresh, so that rounding does not add up
        W = np.sqrt(tau)[:, None] * K
        V = K - W.T @ np.linalg.solve(B, W)
        mean = m + V @ (nu - tau * m)
        if moved < 1e-12:
            break
    var = V.diagonal()
    tc, nc = 1 / var - tau, mean / var - nu
    mass = lambda t, v: 0.5 * (v * v / t - np.log(t))
    log_z = log_ndtr(y * nc / tc / np.sqrt(1 + 1 / tc)) - mass(1 / var, mean / var) + mass(tc, nc)
    shift = nu - tau * m
    total = log_z.sum() + m * nu.sum() - 0.5 * m * m * tau.sum() + 0.5 * shift @ V @ shift - 0.5 * np.linalg.slogdet(B)[1]
    return total, tau, nu


def penalised(case, m):
    return propagate(case, m)[0] - 0.5 * PENALTY * m * m / (1 + np.exp(case["theta"][-1]))


def ep(case):
    reach = 3 * np.sqrt(1 + np.exp(case["theta"][-1]))
    low, high, golden = -reach, reach, (np.sqrt(5) - 1) / 2
    for _ in range(60):
        a, b = high - golden * (high - low), low + golden * (high - low)
        if penalised(case, a) < penalised(case, b):
            low = a
        else:
            high = b
    m = (low + high) / 2
    _, tau, nu = propagate(case, m)
    return [penalised(case, m), m], *at_points(case, m, tau, nu)


def chain(case, m, steps=400000):
    rows, y = labels(case)
    n = case["n"]
    K = covariance(case, case["X"], case["X"]) + 1e-10 * np.exp(case["theta"][-1]) * np.eye(n)
    L = np.linalg.cholesky(K)
    k = covariance(case, case["X"], case["points"])
    w = np.linalg.solve(K, k)
    rest = K[0, 0] - (k * w).sum(0)
    passed, failed = np.array(case["passed"]), np.array(case["failed"])
    log_p = lambda f: passed @ log_ndtr(m + f) + failed @ log_ndtr(-m - f)
    f, here, kept = np.zeros(n), None, []
    here = log_p(f)
    for step in range(steps):
        other, level = L @ rng.normal(size=n), here + np.log(rng.uniform())
        angle = rng.uniform(0, 2 * np.pi)
        low, high = angle - 2 * np.pi, angle
        while True:
            new = f * np.cos(angle) + other * np.sin(angle)
            value = log_p(new)
            if value > level:
                break
            low, high = (angle, high) if angle < 0 else (low, angle)
            angle = rng.uniform(low, high)
        f, here = new, value
        if step >= steps // 20:
            kept.append(ndtr((m + f @ w) / np.sqrt(1 + rest)))
    batches = np.array(kept).reshape(100, -1, POINTS).mean(1)
    return batches.mean(0), batches.std(0, ddof=1) / 10


def row(values, pattern="g"):
    return "{" + ", ".join(format(v, pattern) for v in values) + "}"


def write(case, answers, sampled=None):
    scalars, mean, var, probability = answers
    print(f"    {{{case['kernel']}, {case['d']}, {case['n']},")
    print(f"     {row(case['theta'])},\n     {row([u for k in range(case['d']) for u in [x[k] for x in case['X']]])},")
    print(f"     {row(case['passed'], 'd')}, {row(case['failed'], 'd')},")
    print(f"     {row([u for k in range(case['d']) for u in [x[k] for x in case['points']]])},")
    print(f"     {scalars[0]:.12g}, {scalars[1]:.9g},")
    print(f"     {row(mean, '.12g')},\n     {row(var, '.12g')},\n     {row(probability, '.12g')},")
    sampled = sampled or (np.zeros(POINTS), np.zeros(POINTS))
    print(f"     {row(sampled[0], '.6g')}, {row(sampled[1], '.2g')}}},")


def main():
    print("/* Written by make_probit.py: do not edit. Probit classifiers; X and points are dimension-major. */")
    print("""struct probit_case {
    int kernel, d, n;
    double theta[4], X[40], passed[20], failed[20], points[6];
    double log_likelihood, m, mean[3], var[3], probability[3];
    double sampled[3], sampled_error[3]; /* probabilities by a chain; 0: none */
};

static const struct probit_case probit_exact[] = {""")
    for kernel in range(3):
        for n in (1, 2, 3):
            for s2 in (1, 9, 60):
                case = draw(kernel, 1 + n % 2, n, s2, 2)
                write(case, exact(case))
    print("};\n\nstatic const struct probit_case probit_ep[] = {")
    for kernel in range(3):
        for n, s2 in ((6, 2), (6, 200), (20, 1), (20, 30)):
            case = draw(kernel, 2, n, s2, 3 if n == 6 else 1)
            answers = ep(case)
            write(case, answers, chain(case, answers[0][1]) if n == 20 and kernel == 1 else None)
    print("};")


if __name__ == "__main__":
    main()

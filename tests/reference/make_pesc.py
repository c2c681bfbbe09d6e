#!/usr/bin/env python3
"""Writes tests/reference/pesc.inc: how much measuring each outcome tells of where the feasible optimum is, by rejection sampling.

Each model is a few noisy observations of 1+K independent Gaussian processes (rbf, signal variance 1, mean 0) in one or two dimensions, all
of it drawn at random; every ten models are six in one dimension and four in two. The designs are a grid. Joint posterior draws of all
outcomes over the grid each have an optimum x*: the grid point with the largest objective among those that meet every limit (larger is
better), or "none". Draws are grouped by x*; with H the differential entropy of an outcome measured with noise at a grid point,

    information = H(all draws) − Σ_x* P(x*)·H(draws of that x*).

H is Vasicek's spacing estimate. Its bias depends on the size of the group, so H(all draws) is the same sum with the draws dealt out at
random to groups of those sizes. From seed to seed the results differ by some 0.002.

Needs numpy and scipy; the seeds are in the script.

    python3 tests/reference/make_pesc.py [models] > tests/reference/pesc.inc
"""
import sys

import numpy as np
from scipy.stats import differential_entropy

DRAWS = 400000
SIDE = {1: 41, 2: 13}


def kernel(a, b, ell):
    return np.exp(-0.5 * (((a[:, None, :] - b[None, :, :]) / ell) ** 2).sum(-1))


def make_model(i):
    rng = np.random.default_rng([20260, i])
    d, K = (1 if i % 10 < 6 else 2), 1 + i % 2
    n = int(rng.integers(3, 7)) if d == 1 else int(rng.integers(6, 11))
    X = np.round(rng.random((n, d)), 4)
    model = dict(i=i, d=d, K=K, n=n, X=X, ell=[], noise=[], y=[], lower=[0.0], upper=[0.0])
    for j in range(1 + K):
        low, high = (0.15, 0.5) if d == 1 else (0.25, 0.8)
        ell = np.round(np.exp(rng.uniform(np.log(low), np.log(high), d)), 4)
        noise = float(np.round(np.exp(rng.uniform(np.log(1e-3), np.log(3e-2))), 5))
        L = np.linalg.cholesky(kernel(X, X, ell) + noise * np.eye(n))
        model["ell"].append(ell)
        model["noise"].append(noise)
        model["y"].append(np.round(L @ rng.standard_normal(n), 4))
        if j:
            limit, upper = float(np.round(rng.uniform(-0.3, 0.7), 3)), rng.random() < 0.5
            model["lower"].append(-np.inf if upper else -limit)
            model["upper"].append(limit if upper else np.inf)
    return model


def make_grid(d):
    side = np.linspace(0, 1, SIDE[d])
    return side[:, None] if d == 1 else np.array([(a, b) for a in side for b in side])


def posterior(model, j, G):
    X, ell = model["X"], model["ell"][j]
    k = kernel(X, G, ell)
    w = np.linalg.solve(kernel(X, X, ell) + model["noise"][j] * np.eye(model["n"]), k)
    return w.T @ model["y"][j], kernel(G, G, ell) - k.T @ w


def draw_outcomes(model, G, rng):
    draws = []
    for j in range(1 + model["K"]):
        mean, cov = posterior(model, j, G)
        w, V = np.linalg.eigh(cov)
        root = (V * np.sqrt(np.maximum(w, 0))).astype(np.float32)
        draws.append(rng.standard_normal((DRAWS, len(G)), dtype=np.float32) @ root.T + mean.astype(np.float32))
    return draws


def optima(model, draws):
    """The number of each draw's best feasible point; the number of points where there is none."""
    met = np.ones(draws[0].shape, bool)
    for j in range(1, 1 + model["K"]):
        met &= (draws[j] >= model["lower"][j]) & (draws[j] <= model["upper"][j])
    best = np.where(met, draws[0], -np.inf).argmax(1)
    best[~met.any(1)] = met.shape[1]
    return best


def entropy(values):
    return differential_entropy(values.astype(np.float64), axis=0, method="vasicek")


def information(model):
    G = make_grid(model["d"])
    rng = np.random.default_rng([77, model["i"], 1])
    draws = draw_outcomes(model, G, rng)
    best = optima(model, draws)
    dealt = rng.permutation(DRAWS)
    share = np.zeros((1 + model["K"], len(G)))
    for j, values in enumerate(draws):
        y = values + np.float32(np.sqrt(model["noise"][j])) * rng.standard_normal(values.shape, dtype=np.float32)
        for star in range(len(G) + 1):
            group = np.where(best == star)[0]
            if len(group) >= 5:
                share[j] += len(group) / DRAWS * (entropy(y[dealt[group]]) - entropy(y[group]))
    return share


def show(values):
    texts = ["-INFINITY" if v == -np.inf else "INFINITY" if v == np.inf else repr(float(v)) for v in np.ravel(values)]
    return "{" + ", ".join(texts) + "}"


def rows(arrays):
    return "{" + ", ".join(show(a) for a in arrays) + "}"


def main():
    print("/* Written by make_pesc.py: do not edit. */")
    print("/* d, K, n; X (n×d); per outcome ell (d), noise variance, y (n), limits; information per outcome on the grid */")
    print("static const struct pesc_model {")
    print("    int d, K, n;")
    print("    double X[20], ell[3][2], noise[3], y[3][10], lower[3], upper[3], share[3][169];")
    print("} pesc_models[] = {")
    for i in range(int(sys.argv[1]) if len(sys.argv) > 1 else 10):
        model = make_model(i)
        share = np.round(information(model), 4) + 0.0
        print(f"    {{{model['d']}, {model['K']}, {model['n']}, {show(model['X'])}, {rows(model['ell'])},")
        print(f"     {show(model['noise'])},")
        print(f"     {rows(model['y'])},")
        print(f"     {show(model['lower'])}, {show(model['upper'])},")
        print("     {" + ",\n      ".join(wrap(show(s)) for s in share) + "}},", flush=True)
    print("};")


def wrap(text):
    words, lines = text.split(" "), [""]
    for word in words:
        if len(lines[-1]) + len(word) > 125:
            lines.append("")
        lines[-1] += word + " "
    return "\n       ".join(line.rstrip() for line in lines)


if __name__ == "__main__":
    main()

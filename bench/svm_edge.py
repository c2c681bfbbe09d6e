#!/usr/bin/env python3
"""How much of the unit square a support vector machine gets right after the first phase of svmcbo, by the width ρ of its second kernel.

Four regions: a disc, two thin arms, and those of the problems mystery and test-function-2. 10 designs of a Latin hypercube, then the
design of a grid with the smallest |h| + Σκ(ρ), one after another; beside them as many designs that fill the square. The share of the
grid on which the sign of h is right, a mean over 8 seeds. docs/policies/svmcbo.md has the figures for 30 designs.

Needs numpy, scipy and scikit-learn.

    python3 bench/svm_edge.py
"""

import numpy as np
from scipy.stats import qmc
from sklearn.svm import SVC

SIDE, INITIAL, SEEDS, CHECKS, WIDTH = 40, 10, 8, (20, 30, 40), 0.25
line = (np.arange(SIDE) + 0.5) / SIDE
GRID = np.array([(a, b) for a in line for b in line])


def disc(X):
    return np.hypot(X[:, 0] - 0.5, X[:, 1] - 0.5) < 0.35


def arms(X):
    return (np.abs(X[:, 0] - 0.3) < 0.07) | (np.hypot(X[:, 0] - 0.75, X[:, 1] - 0.3) < 0.15)


def mystery(X):
    return np.sin(5 * X[:, 0] - 5 * X[:, 1] - np.pi / 8) >= 0


def test_function_2(X):
    a, b = X[:, 0], X[:, 1]
    return (1.5 - a - 2 * b - 0.5 * np.sin(2 * np.pi * (a * a - 2 * b)) <= 0) & (a * a + b * b <= 1.5)


def edge(X, y):
    """h on the grid; 1 where there is no edge."""
    if len(set(y)) < 2:
        return np.ones(len(GRID))
    return SVC(C=1000, gamma=1 / (2 * WIDTH**2)).fit(X, y).decision_function(GRID)


def next_design(X, h, rho, rng):
    squares = ((GRID[:, None] - X[None]) ** 2).sum(-1)
    cover = np.exp(-squares / (2 * rho**2)).sum(1)
    return GRID[np.argmin(np.abs(h) + cover)] + rng.uniform(-0.5, 0.5, 2) / SIDE


def run(region, rho, seed):
    """The shares that are right at CHECKS; rho: of n designs, or None to fill the square."""
    X = qmc.LatinHypercube(2, seed=seed).random(INITIAL)
    filling = qmc.Sobol(2, seed=seed).random(64)
    right = {}
    for n in range(INITIAL, max(CHECKS) + 1):
        h = edge(X, region(X))
        right[n] = ((h > 0) == region(GRID)).mean()
        one = filling[n] if rho is None else next_design(X, h, rho(n), np.random.default_rng(n))
        X = np.vstack([X, one])
    return [right[n] for n in CHECKS]


WAYS = {"filling": None, "rho = sigma": lambda n: WIDTH, "rho = spacing": lambda n: n**-0.5 / np.sqrt(2 * np.pi)}
print("region           way            " + "".join(f"n = {n:<5d}" for n in CHECKS))
for region in (disc, arms, mystery, test_function_2):
    for name, rho in WAYS.items():
        shares = np.mean([run(region, rho, seed) for seed in range(SEEDS)], axis=0)
        print(f"{region.__name__:16s} {name:14s} " + "".join(f"{s:<9.3f}" for s in shares), flush=True)

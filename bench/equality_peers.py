#!/usr/bin/env python3
"""equality_peers.py [--seeds 5] [--evaluations 100]: SciPy's COBYQA and SLSQP on the problems of build/bench/equality.

From random starts, begun again where a run ends before the evaluations are spent; every evaluation of the objective counts once, with its constraints.
Equalities hold to 1e-4, as there; the gap is that of the best evaluation that is feasible. SLSQP's differences are evaluations like others.
"""
import argparse
import math

import numpy as np
from scipy.optimize import Bounds, NonlinearConstraint, minimize

TOLERANCE = 1e-4


def power(x):
    d = len(x)
    return [-math.sqrt(d) ** d * np.prod(x), np.sum(np.square(x)) - 1]


def g05(x):
    return [3 * x[0] + 1e-6 * x[0] ** 3 + 2 * x[1] + 2e-6 / 3 * x[1] ** 3,
            1000 * math.sin(-x[2] - 0.25) + 1000 * math.sin(-x[3] - 0.25) + 894.8 - x[0],
            1000 * math.sin(x[2] - 0.25) + 1000 * math.sin(x[2] - x[3] - 0.25) + 894.8 - x[1],
            1000 * math.sin(x[3] - 0.25) + 1000 * math.sin(x[3] - x[2] - 0.25) + 1294.8,
            x[2] - x[3] - 0.55, x[3] - x[2] - 0.55]


def g11(x):
    return [x[0] ** 2 + (x[1] - 1) ** 2, x[1] - x[0] ** 2]


def g13(x):
    return [math.exp(np.prod(x)), np.sum(np.square(x)) - 10, x[1] * x[2] - 5 * x[3] * x[4], x[0] ** 3 + x[1] ** 3 + 1]


def mixed(x):
    a, b, p, q = 4 * x[0] - 2, 4 * x[1] - 2, 2 * x[0] - 1, 2 * x[1] - 1
    s = 1 + (a + b + 1) ** 2 * (19 - 14 * a + 3 * a * a - 14 * b + 6 * a * b + 3 * b * b)
    t = 30 + (2 * a - 3 * b) ** 2 * (18 - 32 * a + 12 * a * a + 48 * b - 36 * a * b + 27 * b * b)
    g = (4 - 2.1 * p * p + p**4 / 3) * p * p + p * q + (4 * q * q - 4) * q * q + 3 * math.sin(6 * (1 - p)) + 3 * math.sin(6 * (1 - q))
    u, v = 15 * x[0] - 5, 15 * x[1]
    branin = (v - 5.1 / (4 * math.pi**2) * u * u + 5 / math.pi * u - 6) ** 2 + 10 * (1 - 1 / (8 * math.pi)) * math.cos(u) + 10
    return [(math.log(s * t) - 8.6928) / 2.4269, (25 - branin) / 100, (4 - g) / 10,
            1.5 - x[0] - 2 * x[1] - 0.5 * math.sin(2 * math.pi * (x[0] ** 2 - 2 * x[1]))]


PROBLEMS = {  # equalities, low, high, optimum, function
    "g03-4": (1, [0] * 4, [1] * 4, -1, power),
    "g03": (1, [0] * 10, [1] * 10, -1, power),
    "g05": (3, [0, 0, -0.55, -0.55], [1200, 1200, 0.55, 0.55], 5126.49671, g05),
    "g11": (1, [-1, -1], [1, 1], 0.75, g11),
    "g13": (3, [-2.3, -2.3, -3.2, -3.2, -3.2], [2.3, 2.3, 3.2, 3.2, 3.2], 0.0539498, g13),
    "mixed": (2, [0, 0], [1, 1], -0.6674614, mixed),
}


class Spent(Exception):
    pass


class Counted:
    """Each point evaluated once; the gap of the best feasible one, and when each goal was reached."""

    def __init__(self, problem, evaluations):
        self.equalities, self.low, self.high, self.best, self.function = problem
        self.evaluations, self.known = evaluations, {}
        self.gap, self.by = math.inf, [0, 0, 0]

    def __call__(self, x):
        x = np.clip(x, self.low, self.high)
        key = x.tobytes()
        if key not in self.known:
            if len(self.known) == self.evaluations:
                raise Spent
            self.known[key] = self.function(list(x))
            self.note(self.known[key])
        return self.known[key]

    def note(self, values):
        e = self.equalities
        if any(abs(c) > TOLERANCE for c in values[1:1 + e]) or any(c > 0 for c in values[1 + e:]):
            return
        gap = abs(values[0] - self.best) / max(1, abs(self.best))
        self.gap = min(self.gap, gap)
        for i, goal in enumerate((math.inf, 1e-2, 1e-3)):
            if not self.by[i] and gap <= goal:
                self.by[i] = len(self.known)


def run(method, name, evaluations, seed):
    f = Counted(PROBLEMS[name], evaluations)
    random = np.random.default_rng(seed)
    count = len(f.function(list(f.low))) - 1
    upper = [0.0] * count
    lower = [0.0] * f.equalities + [-math.inf] * (count - f.equalities)
    limits = NonlinearConstraint(lambda x: f(x)[1:], lower, upper)
    try:
        while True:
            minimize(lambda x: f(x)[0], random.uniform(f.low, f.high), method=method, bounds=Bounds(f.low, f.high), constraints=limits)
            if method == "SLSQP" and len(f.known) >= evaluations:
                break
    except Spent:
        pass
    return f


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--evaluations", type=int, default=100)
    given = parser.parse_args()
    for method in ("COBYQA", "SLSQP"):
        for name in PROBLEMS:
            runs = [run(method, name, given.evaluations, seed) for seed in range(1, given.seeds + 1)]
            found = [sum(r.by[i] > 0 for r in runs) for i in range(3)]
            when = sorted(r.by[2] or math.inf for r in runs)[len(runs) // 2]
            gaps = sorted(r.gap for r in runs)
            print(f"{name:6} {method:8} feasible {found[0]}, within 1e-2 {found[1]}, within 1e-3 {found[2]} of {len(runs)}; gap median "
                  f"{gaps[len(gaps) // 2]:.1e} worst {gaps[-1]:.1e}; 1e-3 by evaluation {when} (median)", flush=True)


main()

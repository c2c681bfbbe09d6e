#!/usr/bin/env python3
"""What looking ahead buys without constraints and without noise.

    bench/python/unconstrained.py [--seeds 10] >bench/results/unconstrained.md

Six functions without constraints, each variant of the policy on the same seeds; the best value evaluated, above the optimum.
"""

from __future__ import annotations

import argparse
import math
import os
import statistics

os.environ["OMP_NUM_THREADS"] = "1"

import numpy  # noqa: E402
import pyckg  # noqa: E402

WEIGHTS = numpy.array([1, 1.2, 3, 3.2])
WIDTHS_3 = numpy.array([[3, 10, 30], [0.1, 10, 35], [3, 10, 30], [0.1, 10, 35]])
CENTRES_3 = numpy.array([[3689, 1170, 2673], [4699, 4387, 7470], [1091, 8732, 5547], [381, 5743, 8828]]) / 1e4
WIDTHS_6 = numpy.array([[10, 3, 17, 3.5, 1.7, 8], [0.05, 10, 17, 0.1, 8, 14], [3, 3.5, 1.7, 10, 17, 8], [17, 8, 0.05, 10, 0.1, 14]])
CENTRES_6 = (
    numpy.array([[1312, 1696, 5569, 124, 8283, 5886], [2329, 4135, 8307, 3736, 1004, 9991], [2348, 1451, 3522, 2883, 3047, 6650], [4047, 8828, 8732, 5743, 1091, 381]])
    / 1e4
)


def hartmann(widths, centres):
    return lambda x: -float(WEIGHTS @ numpy.exp(-(widths * (numpy.array(x) - centres) ** 2).sum(1)))


def branin(x):
    return (x[1] - 5.1 / (4 * math.pi**2) * x[0] ** 2 + 5 / math.pi * x[0] - 6) ** 2 + 10 * (1 - 1 / (8 * math.pi)) * math.cos(x[0]) + 10


def bowl(x):
    return (x[0] - 1) ** 2 + (x[1] - 2.5) ** 2 + 3 * (x[2] - 4) ** 2


def rosenbrock(x):
    return sum(100 * (b - a * a) ** 2 + (1 - a) ** 2 for a, b in zip(x, x[1:]))


def ackley(x):
    waves = sum(math.cos(2 * math.pi * v) for v in x) / len(x)
    return -20 * math.exp(-0.2 * math.sqrt(sum(v * v for v in x) / len(x))) - math.exp(waves) + 20 + math.e


# name: bounds, function, its minimum
PROBLEMS = {
    "branin": ([(-5, 10), (0, 15)], branin, 0.39788735772973816),
    "ackley, d = 2": ([(-5, 10)] * 2, ackley, 0),
    "bowl, d = 3": ([(0, 5)] * 3, bowl, 0),
    "hartmann, d = 3": ([(0, 1)] * 3, hartmann(WIDTHS_3, CENTRES_3), -3.8627797869493365),
    "rosenbrock, d = 4": ([(-2, 2)] * 4, rosenbrock, 0),
    "hartmann, d = 6": ([(0, 1)] * 6, hartmann(WIDTHS_6, CENTRES_6), -3.322368011415515),
}
VARIANTS = {"auto": ("auto", {}), "auto, improve = 0": ("auto", {"improve": 0}), "cei": ("cei", {})}


def gaps(bounds, function, optimum, variant, seed, marks):
    """The best value above the optimum after so many evaluations."""
    policy, settings = variant
    space = {f"x{i}": pyckg.Real(*b) for i, b in enumerate(bounds)}
    study = pyckg.Study(space, objective="f", noise="none", seed=seed, policy=policy, settings=settings)
    best, found = math.inf, []
    for n in range(1, max(marks) + 1):
        trial = study.ask()
        value = function([trial.parameters[f"x{i}"] for i in range(len(bounds))])
        study.tell(trial, f=value)
        best = min(best, value)
        if n in marks:
            found.append(best - optimum)
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=10)
    options = parser.parse_args()
    marks = [20, 30, 50]
    print("# Without constraints and without noise\n")
    print(f"The best value evaluated, above the optimum: the median of seeds 1 to {options.seeds}, and the worst in brackets. By bench/python/unconstrained.py.\n")
    print("| function | policy | " + " | ".join(f"{n} evaluations" for n in marks) + " |\n|---|---|" + "---|" * len(marks))
    for name, problem in PROBLEMS.items():
        for title, variant in VARIANTS.items():
            columns = zip(*(gaps(*problem, variant, seed, marks) for seed in range(1, options.seeds + 1)))
            print(f"| {name} | {title} | " + " | ".join(f"{statistics.median(c):.1e} ({max(c):.1e})" for c in columns) + " |", flush=True)


if __name__ == "__main__":
    main()

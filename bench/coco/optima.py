#!/usr/bin/env python3
"""The optima of bbob-constrained, and a search for anything better.

    bench/coco/optima.py bench/coco/optima.json           writes f*: by dimension and function, a list of instances 1 … 15
    bench/coco/optima.py --check [--dimensions 2,3,5,10,20] [--functions 1-54] [--instances 1] [--starts 10]

The suite builds each problem around its optimum: the design is known, lies in the box, meets every constraint exactly (the largest c is 0) and has the value
that is written; whatever does not is refused. That nothing feasible is better follows from the construction (pseudoconvex functions under constraints that satisfy the
optimality conditions; for the Rastrigin functions, a local optimum that the constraints make the global one); --check looks for a counterexample by SciPy's SLSQP and COBYQA
from the optimum, from points near it, from the suite's start and from random designs. Whatever they evaluate counts, feasible without tolerance.
"""
import argparse
import json
import math
import time

import numpy as np
import scipy
from scipy.optimize import Bounds, NonlinearConstraint, minimize

import suite
from suite import numbers

DIMENSIONS = (2, 3, 5, 10, 20)
INSTANCES = range(1, 16)


def known_optimum(problem):
    """The value and the design, after a look at both."""
    value, x = problem.optimum()
    f, c = problem(x)
    assert np.all(x >= problem.low) and np.all(x <= problem.high), problem
    assert c.max() == 0 and f == value, (problem.function, problem.instance, problem.d, f - value, c.max())
    return value, x


def write(path):
    table = {}
    for d in DIMENSIONS:
        table[d] = {fn: [known_optimum(suite.Problem(fn, i, d))[0] for i in INSTANCES] for fn in suite.FUNCTIONS}
    with open(path, "w") as file:
        file.write("{\n")
        for d in DIMENSIONS:
            rows = ",\n".join(f'  "{fn}": {json.dumps(row)}' for fn, row in table[d].items())
            file.write(f'"{d}": {{\n{rows}\n}}{"," if d != DIMENSIONS[-1] else ""}\n')
        file.write("}\n")


class Watched:
    """A problem whose evaluations are watched: the best feasible one is kept."""

    def __init__(self, problem):
        self.problem, self.best, self.count, self.last = problem, math.inf, 0, None

    def __call__(self, x):
        x = np.clip(x, self.problem.low, self.problem.high)
        if self.last is None or not np.array_equal(self.last[0], x):
            f, c = self.problem(x)
            self.count += 1
            self.last = (x.copy(), f, c)
            if c.max() <= 0:
                self.best = min(self.best, f)
        return self.last[1], self.last[2]


def search(watched, method, start, unit):
    """One local search; objective and constraints in units that the optimiser copes with."""
    problem = watched.problem
    f_unit, c_unit = unit
    objective = lambda x: watched(x)[0] / f_unit
    bounds = Bounds(problem.low, problem.high)
    if method == "SLSQP":
        constraints = {"type": "ineq", "fun": lambda x: -watched(x)[1] / c_unit}
        options = {"maxiter": 300, "ftol": 1e-14}
    else:
        constraints = NonlinearConstraint(lambda x: watched(x)[1] / c_unit, -np.inf, 0)
        options = {"maxfev": 100 * problem.d, "initial_tr_radius": 0.5, "final_tr_radius": 1e-10}
    try:
        minimize(objective, start, method=method, bounds=bounds, constraints=constraints, options=options)
    except (ValueError, np.linalg.LinAlgError) as trouble:
        print(f"  {method}: {trouble}")


def starts(problem, optimum, count, random):
    """The optimum, the suite's start, points near the optimum, and anywhere."""
    yield optimum
    yield problem.start()
    for i in range(count - 2):
        if i % 2:
            yield random.uniform(problem.low, problem.high)
        else:
            yield np.clip(optimum + random.normal(size=problem.d), problem.low, problem.high)


def check_problem(function, instance, d, count):
    """How far below f* anything feasible was found (<= 0: not at all): from the optimum, and from elsewhere; f*; the evaluations made."""
    problem = suite.Problem(function, instance, d)
    value, x = known_optimum(problem)
    random = np.random.default_rng([function, instance, d])
    there, elsewhere = Watched(problem), Watched(problem)
    sample = [problem(random.uniform(problem.low, problem.high)) for _ in range(50)]
    unit = (np.std([f for f, _ in sample]), np.abs([c for _, c in sample]).mean(axis=0))
    for number, start in enumerate(starts(problem, x, count, random)):
        watched = elsewhere if number else there
        search(watched, "SLSQP", start, unit)
        if number < 2 and d <= 3:
            search(watched, "COBYQA", start, unit)
    return value - there.best, value - elsewhere.best, value, there.count + elsewhere.count


def check(dimensions, functions, instances, count):
    print("reached: to within 1e-6 of |f*| without having started there; better: than f* at all, by rounding where it is below 1e-12 of |f*|")
    print(f"scipy {scipy.__version__}; {count} starts of SLSQP a problem; up to d = 3 COBYQA from the optimum and the suite's start")
    print(f"{'d':>3} {'problems':>9} {'evaluations':>12} {'reached':>8} {'better':>7} {'largest, of |f*|':>17} {'seconds':>8}")
    for d in dimensions:
        began, gains, evaluations, reached, better = time.time(), [], 0, 0, 0
        for function in functions:
            for instance in instances:
                at_optimum, found, value, made = check_problem(function, instance, d, count)
                scale = max(1.0, abs(value))
                gain = max(at_optimum, found)
                gains.append(gain / scale)
                evaluations += made
                reached += found > -1e-6 * scale
                better += gain > 0
                if gain > 1e-12 * scale:
                    print(f"  function {function} instance {instance} d {d}: {gain:.3g} below {value!r}", flush=True)
        print(f"{d:3d} {len(gains):9d} {evaluations:12d} {reached:8d} {better:7d} {max(gains):17.2g} {time.time() - began:8.0f}", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("path", nargs="?")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--dimensions", type=numbers, default=list(DIMENSIONS))
    parser.add_argument("--functions", type=numbers, default=list(suite.FUNCTIONS))
    parser.add_argument("--instances", type=numbers, default=[1])
    parser.add_argument("--starts", type=int, default=10)
    options = parser.parse_args()
    if options.path:
        write(options.path)
    if options.check:
        check(options.dimensions, options.functions, options.instances, options.starts)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""What a suggestion costs through Optuna beside the library's own: pyckg.optuna.CkgSampler against pyckg.Study, the same problem and seed.

    bench/python/optuna_cost.py [--trials 220] [--seeds 3] >bench/results/python-optuna.txt

Each row: milliseconds a suggestion, the mean over the 20 trials from n on and over the seeds; `beside` is their ratio. Studies are made one step at a time
in turn, so that a busy machine slows both. Through Optuna a suggestion is study.ask() and trial.suggest_float for both parameters, in memory.
"""

import argparse
import math
import statistics
import time

import optuna

import pyckg
from pyckg.optuna import CkgSampler

WINDOW = 20
BOX = {"a": (0.0, 5.0), "b": (0.0, 5.0)}


def mystery(a, b):
    f = 2 + 0.01 * (b - a * a) ** 2 + (1 - a) ** 2 + 2 * (2 - b) ** 2 + 7 * math.sin(0.5 * a) * math.sin(0.7 * a * b)
    return f, -math.sin(a - b - math.pi / 8)


def plain(seed, noise):
    """A generator of seconds: each step one suggestion by pyckg.Study, evaluated and told."""
    study = pyckg.Study({name: pyckg.Real(*box) for name, box in BOX.items()}, "f", {"c": (None, 0)}, noise=noise, seed=seed)
    while True:
        start = time.perf_counter()
        trial = study.ask()
        yield time.perf_counter() - start
        f, c = mystery(**trial)
        study.tell(trial, f=f, c=c)


def through_optuna(seed, noise):
    study = optuna.create_study(sampler=CkgSampler(seed=seed, noise=noise))
    while True:
        start = time.perf_counter()
        trial = study.ask()
        design = {name: trial.suggest_float(name, *box) for name, box in BOX.items()}
        yield time.perf_counter() - start
        f, c = mystery(**design)
        trial.set_constraint("c", c)
        study.tell(trial, f)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", type=int, default=220)
    parser.add_argument("--seeds", type=int, default=3)
    options = parser.parse_args()
    optuna.logging.set_verbosity(optuna.logging.ERROR)

    print(__doc__.split("\n\n")[1].strip())
    print(f"pyckg {pyckg.__version__}, optuna {optuna.__version__}, mystery without noise told as such and estimated, one thread\n")
    print(f"{'noise':6} {'n':>4} {'pyckg':>8} {'Optuna':>8} {'beside':>7}")
    for noise in ("none", "auto"):
        taken = {plain: [], through_optuna: []}
        for seed in range(1, options.seeds + 1):
            runs = {way: way(seed, noise) for way in taken}
            steps = [{way: next(run) for way, run in runs.items()} for _ in range(options.trials)]
            for way in taken:
                taken[way].append([step[way] for step in steps])
        for n in (20, 50, 100, 200):
            if n + WINDOW <= options.trials:
                own, ours = (1e3 * statistics.fmean(statistics.fmean(run[n : n + WINDOW]) for run in taken[way]) for way in taken)
                print(f"{noise:6} {n:4d} {own:8.2f} {ours:8.2f} {ours / own:7.2f}", flush=True)


if __name__ == "__main__":
    main()

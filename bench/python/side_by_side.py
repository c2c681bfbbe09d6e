#!/usr/bin/env python3
"""What a Python user may take for an expensive constrained problem, side by side.

    bench/python/side_by_side.py --out FILE.jsonl [--methods …] [--problems …] [--seeds 1-10] [--jobs 1] [--seconds 0]
    bench/python/side_by_side.py --page bench/results/python-side-by-side.md FILE.jsonl…

Seven problems without noise, 50 evaluations each. The methods:

    pyckg         pyckg.Study with its defaults, told that there is no noise; it answers with its recommendation
    ckg-optuna    the same engine as Optuna's sampler, pyckg.optuna.CkgSampler(noise="none")
    gpsampler     Optuna's GPSampler(deterministic_objective=True)
    tpe           Optuna's TPESampler
    botorch       BoTorch's LogConstrainedExpectedImprovement by hand: default SingleTaskGPs with known, small noise, 8 restarts, 256 raw samples
    cobyqa        SciPy's minimize(method="COBYQA")
    de            SciPy's differential_evolution, its default population

All but SciPy's begin with the same Latin hypercube of max(10, 2(d+1)) designs; COBYQA begins at its first. Integers: COBYQA and BoTorch search a
relaxation, whose designs are rounded before they are evaluated; the others are told. Constraints are c <= 0. An answer is what a tool returns as its result: a
recommendation, the best trial, the last design; those that cannot answer, because they have seen nothing feasible, count as infeasible.

One line of JSON a run. A run has a process and one thread. Runs that FILE has already are not made again: killed and started again, it goes on.
After --seconds no run begins.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import gzip
import importlib
import importlib.util
import json
import math
import multiprocessing
import os
import statistics
import sys
import time
import traceback
import warnings

for _name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[_name] = "1"  # before anybody reads it

EVALUATIONS = 50

# --- the problems: f, and constraints c <= 0 ---


def mystery(x):
    a, b = x
    f = 2 + 0.01 * (b - a * a) ** 2 + (1 - a) ** 2 + 2 * (2 - b) ** 2 + 7 * math.sin(0.5 * a) * math.sin(0.7 * a * b)
    return f, [-math.sin(a - b - math.pi / 8)]


def new_branin(x):
    a, b = x
    branin = (b - 5.1 / (4 * math.pi**2) * a * a + 5 / math.pi * a - 6) ** 2 + 10 * (1 - 1 / (8 * math.pi)) * math.cos(a)
    return -((a - 10) ** 2) - (b - 15) ** 2, [branin + 5]


def test_function_2(x):
    a, b = x
    c = [((a - 3) ** 2 + (b + 2) ** 2) * math.exp(-(b**7)) - 12, 10 * a + b - 7, (a - 0.5) ** 2 + (b - 0.5) ** 2 - 0.2]
    return -((a - 1) ** 2) - (b - 0.5) ** 2, c


def gardner_1(x):
    a, b = x
    return math.cos(2 * a) * math.cos(b) + math.sin(a), [math.cos(a) * math.cos(b) - math.sin(a) * math.sin(b) - 0.5]


def gardner_2(x):
    a, b = x
    return math.sin(a) + b, [math.sin(a) * math.sin(b) + 0.95]


def pressure_vessel(x):
    """Sandgren, 1990: thicknesses in sixteenths of an inch, radius, length."""
    shell, head, r, length = x[0] * 0.0625, x[1] * 0.0625, x[2], x[3]
    f = 0.6224 * shell * r * length + 1.7781 * head * r * r + 3.1661 * shell**2 * length + 19.84 * shell**2 * r
    volume = math.pi * r * r * length + 4 / 3 * math.pi * r**3
    return f, [0.0193 * r - shell, 0.00954 * r - head, 1296000 - volume, length - 240]


def speed_reducer(x):
    """Golinski, 1970: face width, module, teeth of the pinion (integer), two lengths, two diameters."""
    b, m, z, l1, l2, d1, d2 = x
    f = (
        0.7854 * b * m * m * (3.3333 * z * z + 14.9334 * z - 43.0934)
        - 1.508 * b * (d1 * d1 + d2 * d2)
        + 7.4777 * (d1**3 + d2**3)
        + 0.7854 * (l1 * d1 * d1 + l2 * d2 * d2)
    )
    return f, [
        27 / (b * m * m * z) - 1,
        397.5 / (b * m * m * z * z) - 1,
        1.93 * l1**3 / (m * z * d1**4) - 1,
        1.93 * l2**3 / (m * z * d2**4) - 1,
        math.sqrt((745 * l1 / (m * z)) ** 2 + 16.9e6) / (110 * d1**3) - 1,
        math.sqrt((745 * l2 / (m * z)) ** 2 + 157.5e6) / (85 * d2**3) - 1,
        m * z / 40 - 1,
        5 * m / b - 1,
        b / (12 * m) - 1,
        (1.5 * d1 + 1.9) / l1 - 1,
        (1.1 * d2 + 1.9) / l2 - 1,
    ]


# name: (function, low, high, which are integers, K, optimum, where)
PROBLEMS = {
    "mystery": (mystery, [0, 0], [5, 5], (), 1, -1.1742743289, [2.744951044, 2.352251962]),
    "new-branin": (new_branin, [-5, 0], [10, 15], (), 1, -268.7885046754, [3.273023802, 0.048869745]),
    "test-function-2": (test_function_2, [0, 0], [1, 1], (), 3, -0.7483083109, [0.201691689, 0.833184861]),
    "gardner-1": (gardner_1, [0, 0], [6, 6], (), 1, -2.0, [4.712388980, 0]),
    "gardner-2": (gardner_2, [0, 0], [6, 6], (), 1, 0.2532358975, [4.712388980, 1.253235897]),
    "pressure-vessel": (pressure_vessel, [1, 1, 10, 10], [99, 99, 200, 200], (0, 1), 4, 6059.714335, [13, 7, 42.0984455958, 176.6365958424]),
    "speed-reducer": (
        speed_reducer,
        [2.6, 0.7, 17, 7.3, 7.3, 2.9, 5.0],
        [3.6, 0.8, 28, 8.3, 8.3, 3.9, 5.5],
        (2,),
        11,
        2994.471066,
        [3.5, 0.7, 17, 7.3, 7.7153199115, 3.3502146661, 5.2866544650],
    ),
}


class Problem:
    def __init__(self, name):
        self.name = name
        self.function, self.low, self.high, self.integers, self.K, self.optimum, self.best = PROBLEMS[name]
        self.d = len(self.low)
        self.names = [f"x{i + 1}" for i in range(self.d)]
        self.constraints = [f"c{k + 1}" for k in range(self.K)]

    def rounded(self, x):
        """The design in the box, integers rounded."""
        x = [min(max(float(v), low), high) for v, low, high in zip(x, self.low, self.high)]
        return [float(round(v)) if i in self.integers else v for i, v in enumerate(x)]

    def __call__(self, x):
        return self.function(self.rounded(x))

    def designs(self, seed):
        """A Latin hypercube to begin with."""
        from scipy.stats import qmc

        count = max(10, 2 * (self.d + 1))
        u = qmc.LatinHypercube(self.d, seed=seed).random(count)
        return [self.rounded([low + v * (high - low) for v, low, high in zip(row, self.low, self.high)]) for row in u]


class EndedError(Exception):
    """The budget is spent."""


class Recorder:
    """The problem as a tool sees it: keeps what was evaluated, and how long the tool thought before."""

    def __init__(self, problem):
        self.problem = problem
        self.x, self.f, self.c, self.seconds = [], [], [], []
        self.resumed = time.perf_counter()

    def __call__(self, x):
        if len(self.f) == EVALUATIONS:
            raise EndedError
        self.seconds.append(time.perf_counter() - self.resumed)
        f, c = self.problem(x)
        self.x.append(self.problem.rounded(x))
        self.f.append(f)
        self.c.append(c)
        self.resumed = time.perf_counter()
        return f, c

    @property
    def done(self):
        return len(self.f) == EVALUATIONS

    def best(self):
        """The best feasible design evaluated, or None."""
        feasible = [i for i, c in enumerate(self.c) if max(c) <= 0]
        return self.x[min(feasible, key=self.f.__getitem__)] if feasible else None


# --- the methods: each evaluates to the end of the budget, and returns its answer or None ---


def run_pyckg(evaluate, seed):
    import pyckg

    p = evaluate.problem
    kinds = [pyckg.Integer if i in p.integers else pyckg.Real for i in range(p.d)]
    space = {name: kind(low, high) for name, kind, low, high in zip(p.names, kinds, p.low, p.high)}
    study = pyckg.Study(space, objective="f", constraints={name: (None, 0) for name in p.constraints}, noise="none", seed=seed)
    designs = p.designs(seed)
    while not evaluate.done:
        i = len(evaluate.f)
        trial = study.add(dict(zip(p.names, designs[i]))) if i < len(designs) else study.ask()
        f, c = evaluate([trial[name] for name in p.names])
        study.tell(trial, f=f, **dict(zip(p.constraints, c)))
    found = study.recommend().parameters
    return [found[name] for name in p.names]


def run_optuna(evaluate, sampler, seed):
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    p = evaluate.problem
    study = optuna.create_study(sampler=sampler)
    for x in p.designs(seed):
        study.enqueue_trial({n: int(v) if i in p.integers else v for i, (n, v) in enumerate(zip(p.names, x))})
    while not evaluate.done:
        trial = study.ask()
        x = [
            trial.suggest_int(name, low, high) if i in p.integers else trial.suggest_float(name, low, high)
            for i, (name, low, high) in enumerate(zip(p.names, p.low, p.high))
        ]
        f, c = evaluate(x)
        for name, value in zip(p.constraints, c):
            trial.set_constraint(name, value)
        study.tell(trial, f)
    try:
        return [study.best_trial.params[name] for name in p.names]
    except ValueError:  # no feasible trial
        return None


def run_ckg_optuna(evaluate, seed):
    from pyckg.optuna import CkgSampler

    return run_optuna(evaluate, CkgSampler(noise="none", seed=seed), seed)


def run_gpsampler(evaluate, seed):
    import optuna

    startup = len(evaluate.problem.designs(seed))
    return run_optuna(evaluate, optuna.samplers.GPSampler(seed=seed, deterministic_objective=True, n_startup_trials=startup), seed)


def run_tpe(evaluate, seed):
    import optuna

    startup = len(evaluate.problem.designs(seed))
    return run_optuna(evaluate, optuna.samplers.TPESampler(seed=seed, n_startup_trials=startup), seed)


def run_botorch(evaluate, seed):
    import torch
    from botorch.acquisition.analytic import LogConstrainedExpectedImprovement
    from botorch.fit import fit_gpytorch_mll
    from botorch.models import ModelListGP, SingleTaskGP
    from botorch.models.transforms import Standardize
    from botorch.optim import optimize_acqf
    from gpytorch.mlls import SumMarginalLogLikelihood

    torch.set_num_threads(1)
    torch.manual_seed(seed)
    p = evaluate.problem
    low, high = torch.tensor(p.low, dtype=torch.double), torch.tensor(p.high, dtype=torch.double)
    bounds = torch.tensor([[0.0] * p.d, [1.0] * p.d], dtype=torch.double)
    for x in p.designs(seed):
        evaluate(x)
    while not evaluate.done:
        x = (torch.tensor(evaluate.x, dtype=torch.double) - low) / (high - low)
        f = -torch.tensor(evaluate.f, dtype=torch.double).unsqueeze(-1)
        c = torch.tensor(evaluate.c, dtype=torch.double)
        models = []
        for k in range(1 + p.K):
            y = torch.cat([f, c], dim=-1)[:, k : k + 1]
            models.append(SingleTaskGP(x, y, torch.full_like(y, 1e-6 * float(y.var())), outcome_transform=Standardize(1)))
        model = ModelListGP(*models)
        fit_gpytorch_mll(SumMarginalLogLikelihood(model.likelihood, model))
        feasible = (c <= 0).all(dim=-1)
        best = f[feasible].max() if feasible.any() else f.min()
        acquisition = LogConstrainedExpectedImprovement(model, best, 0, {k: (None, 0.0) for k in range(1, 1 + p.K)})
        u, _ = optimize_acqf(acquisition, bounds, q=1, num_restarts=8, raw_samples=256)
        evaluate((low + u[0].detach() * (high - low)).tolist())
    return evaluate.best()


class Once:
    """SciPy asks for the constraints of a design again and again: it is evaluated once, and the last answer kept."""

    def __init__(self, evaluate):
        self.evaluate, self.known, self.last = evaluate, {}, None

    def __call__(self, x):
        key = tuple(float(v) for v in x)
        if key not in self.known:
            self.known[key] = self.evaluate(key)
        self.last = key
        return self.known[key]


def run_cobyqa(evaluate, seed):
    from scipy.optimize import Bounds, NonlinearConstraint, minimize

    p = evaluate.problem
    both = Once(evaluate)
    constraint = NonlinearConstraint(lambda x: both(x)[1], -math.inf, 0)
    try:
        result = minimize(
            lambda x: both(x)[0],
            p.designs(seed)[0],
            method="COBYQA",
            bounds=Bounds(p.low, p.high),
            constraints=constraint,
            options={"maxfev": EVALUATIONS},
        )
        return list(result.x)
    except EndedError:
        return evaluate.best()


def run_de(evaluate, seed):
    from scipy.optimize import Bounds, NonlinearConstraint, differential_evolution

    p = evaluate.problem
    both = Once(evaluate)
    constraint = NonlinearConstraint(lambda x: both(x)[1], -math.inf, 0)
    try:
        result = differential_evolution(
            lambda x: both(x)[0],
            Bounds(p.low, p.high),
            constraints=constraint,
            integrality=[i in p.integers for i in range(p.d)],
            seed=seed,
            polish=False,
        )
        return list(result.x)
    except EndedError:
        return evaluate.best()


# name: (its function, the module whose version is written, how long a run takes beside the others)
METHODS = {
    "pyckg": (run_pyckg, "pyckg", 2),
    "ckg-optuna": (run_ckg_optuna, "optuna", 2),
    "gpsampler": (run_gpsampler, "optuna", 20),
    "tpe": (run_tpe, "optuna", 0.5),
    "botorch": (run_botorch, "botorch", 100),
    "cobyqa": (run_cobyqa, "scipy", 0.1),
    "de": (run_de, "scipy", 0.1),
}
NEEDS = {"gpsampler": "torch", "botorch": "botorch", "ckg-optuna": "pyckg"}


# --- a run and its line ---


def make_run(job):
    """The line of a run, whatever happens in it."""
    method, name, seed = job
    warnings.filterwarnings("ignore")
    line = {"method": method, "problem": name, "seed": seed, "version": version(METHODS[method][1])}
    recorder = Recorder(Problem(name))
    answer = None
    try:
        answer = METHODS[method][0](recorder, seed)
    except Exception as error:
        line["error"] = " ".join(traceback.format_exception_only(error)).strip().replace("\n", " ")[:500]

    initial = max(10, 2 * (recorder.problem.d + 1))
    thought = recorder.seconds[initial:]
    line.update(f=recorder.f, violation=[max(0.0, *c) for c in recorder.c], x=[[digits(v) for v in x] for x in recorder.x])
    line["seconds"] = statistics.fmean(thought) if thought else None
    line["answer"] = describe(recorder.problem, answer)
    return line


def digits(value):
    """Nine are enough to see where a design lay."""
    return float(f"{value:.9g}")


def describe(problem, x):
    """What the answer is really worth."""
    if x is None:
        return None
    f, c = problem(x)
    return {"x": problem.rounded(x), "f": f, "violation": max(0.0, *c)}


def version(module):
    try:
        return importlib.import_module(module).__version__
    except (ImportError, AttributeError):
        return None


def read(paths):
    lines = []
    for path in paths:
        with gzip.open(path, "rt") if str(path).endswith(".gz") else open(path) as file:
            lines += [json.loads(text) for text in file if text.endswith("}\n")]
    return lines


def numbers(text):
    """1-10 or 1,2,5."""
    out = []
    for part in text.split(","):
        first, _, last = part.partition("-")
        out += range(int(first), int(last or first) + 1)
    return out


def run_all(options):
    made = {(line["method"], line["problem"], line["seed"]) for line in read([options.out])} if os.path.exists(options.out) else set()
    jobs = [(m, p, s) for m in options.methods for p in options.problems for s in options.seeds if (m, p, s) not in made]
    jobs.sort(key=lambda job: -METHODS[job[0]][2] * (1 + PROBLEMS[job[1]][4]))
    deadline = time.time() + options.seconds if options.seconds > 0 else math.inf
    print(f"{len(jobs)} runs to make, {len(made)} made before", flush=True)

    context = multiprocessing.get_context("spawn")
    waiting, bad, count = list(jobs), 0, 0
    with concurrent.futures.ProcessPoolExecutor(options.jobs, mp_context=context) as pool, open(options.out, "a") as out:
        busy = set()
        while busy or (waiting and time.time() < deadline):
            while waiting and len(busy) < options.jobs and time.time() < deadline:
                busy.add(pool.submit(make_run, waiting.pop(0)))
            finished, busy = concurrent.futures.wait(busy, return_when=concurrent.futures.FIRST_COMPLETED)
            for future in finished:
                line = future.result()
                bad += "error" in line
                count += 1
                out.write(json.dumps(line) + "\n")
                out.flush()
                if options.verbose or "error" in line:
                    print(line["method"], line["problem"], line["seed"], line["seconds"], line.get("error", ""), flush=True)
    print(f"{count} runs made, {bad} with an error, {len(waiting)} left", flush=True)


# --- the page ---

TITLES = {
    "pyckg": "pyckg",
    "ckg-optuna": "Optuna, CkgSampler",
    "gpsampler": "Optuna, GPSampler",
    "tpe": "Optuna, TPE",
    "botorch": "BoTorch, LogCEI",
    "cobyqa": "SciPy, COBYQA",
    "de": "SciPy, differential_evolution",
}


def best_at_end(line):
    """The best feasible value evaluated, above the optimum; infinite if there is none."""
    values = [f for f, violation in zip(line["f"], line["violation"]) if violation <= 0]
    return max(0.0, min(values) - PROBLEMS[line["problem"]][5]) if values else math.inf


def answer_gap(line):
    answer = line["answer"]
    return math.inf if answer is None or answer["violation"] > 0 else max(0.0, answer["f"] - PROBLEMS[line["problem"]][5])


def shown(value):
    """Optima are known to nine digits or so."""
    if value == math.inf:
        return "none"
    if value < 1e-8:
        return "< 1e-8"
    return f"{value:.2g}" if value < 100 else f"{value:,.0f}"


def shown_seconds(value):
    if value is None:
        return ""
    if value < 1e-4:
        return "< 0.0001"
    return f"{value:.4f}" if value < 0.1 else f"{value:.2f}"


def table(head, rows):
    return ["| " + " | ".join(head) + " |", "|" + "---|" * len(head), *("| " + " | ".join(row) + " |" for row in rows), ""]


def cells(lines, methods, problems, of):
    """A row for each problem: of(lines of the cell) by method, the best in bold."""
    rows = []
    for p in problems:
        values = [of([x for x in lines if x["method"] == m and x["problem"] == p]) for m in methods]
        best = shown(min(v for v in values if v is not None))
        rows.append([p, *("" if v is None else f"**{shown(v)}**" if shown(v) == best else shown(v) for v in values)])
    return rows


def median_of(measure):
    return lambda lines: statistics.median(map(measure, lines)) if lines else None


def worst_of(measure):
    return lambda lines: max(map(measure, lines)) if lines else None


def page(options):
    lines = read(options.files)
    lines = list({(x["method"], x["problem"], x["seed"]): x for x in lines}.values())
    methods = [m for m in METHODS if any(x["method"] == m for x in lines)]
    problems = [p for p in PROBLEMS if any(x["problem"] == p for x in lines)]
    seeds = len({x["seed"] for x in lines})
    fewer = len(lines) < len(methods) * len(problems) * seeds
    head = ["", *(TITLES[m] for m in methods)]
    versions = sorted({(METHODS[x["method"]][1], x["version"]) for x in lines if x["version"]})

    text = [
        "# Side by side in Python",
        "",
        f"Seven problems without noise, {EVALUATIONS} evaluations, seeds 1 to {seeds}, one core a run, by "
        "[bench/python/side_by_side.py](../python/side_by_side.py), whose head says how each tool is used: "
        + ", ".join(f"{name} {number}" for name, number in versions)
        + ". The lines of all runs are in [python-side-by-side.jsonl.gz](python-side-by-side.jsonl.gz)."
        + (" Slower tools made fewer runs: the table of infeasible answers says how many." if fewer else ""),
        "",
        "## Best feasible value evaluated, above the optimum: the median",
        "",
        *table(head, cells(lines, methods, problems, median_of(best_at_end))),
        "## The same, the worst seed (none: nothing feasible was found)",
        "",
        *table(head, cells(lines, methods, problems, worst_of(best_at_end))),
        "## What the tool answers, above the optimum: the median",
        "",
        "pyckg recommends a design that it may not have evaluated; the others answer with a design that they have.",
        "",
        *table(head, cells(lines, methods, problems, median_of(answer_gap))),
        "## Answers that are infeasible, or none at all",
        "",
    ]
    rows = []
    for p in problems:
        row = [p]
        for m in methods:
            cell = [x for x in lines if x["method"] == m and x["problem"] == p]
            row.append(f"{sum(answer_gap(x) == math.inf for x in cell)} of {len(cell)}" if cell else "")
        rows.append(row)
    text += table(head, rows)

    text += ["## Seconds a suggestion", ""]
    rows = []
    for p in problems:
        means = []
        for m in methods:
            taken = [x["seconds"] for x in lines if x["method"] == m and x["problem"] == p and x["seconds"] is not None]
            means.append(statistics.fmean(taken) if taken else None)
        rows.append([p, *map(shown_seconds, means)])
    text += table(head, rows)
    errors = [x for x in lines if "error" in x]
    if errors:
        text += ["Runs that ended with an error, with what they had until then:", ""]
        text += [f"- {x['method']}, {x['problem']}, seed {x['seed']}, after {len(x['f'])} evaluations: {x['error']}" for x in errors]
        text += [""]
    with open(options.page, "w") as out:
        out.write("\n".join(text).rstrip() + "\n")


def chosen(text, known, what):
    names = text.split(",") if text else list(known)
    unknown = [name for name in names if name not in known]
    if unknown:
        sys.exit(f"side_by_side: there is no {what} {unknown[0]}; there are {', '.join(known)}")
    return names


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", help="the lines that the page is made from")
    parser.add_argument("--page", help="write the page instead of making runs")
    parser.add_argument("--out", help="where a line for each run is added")
    parser.add_argument("--methods", default="")
    parser.add_argument("--problems", default="")
    parser.add_argument("--seeds", default="1-10", type=numbers)
    parser.add_argument("--jobs", default=1, type=int, help="processes at once")
    parser.add_argument("--seconds", default=0, type=float, help="begin no run after so many; 0: no limit")
    parser.add_argument("--verbose", action="store_true", help="a line of text for each run")
    options = parser.parse_args()
    if options.page:
        return page(options)
    if not options.out:
        parser.error("--out or --page is needed")
    options.problems = chosen(options.problems, PROBLEMS, "problem")
    options.methods = chosen(options.methods, METHODS, "method")
    for method in list(options.methods):
        missing = [m for m in (METHODS[method][1], NEEDS.get(method)) if m and importlib.util.find_spec(m) is None]
        if missing:
            print(f"{method} is left out: {missing[0]} is not installed", flush=True)
            options.methods.remove(method)
    run_all(options)


if __name__ == "__main__":
    main()

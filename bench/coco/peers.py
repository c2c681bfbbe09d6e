#!/usr/bin/env python3
"""Other optimisers on COCO's bbob-constrained, with lines of JSON as build/bench/coco writes them.

    scripts/fetch-coco.sh
    build/bench/coco --initial-designs --dimensions 2,3 --out designs.jsonl
    bench/coco/peers.py --designs designs.jsonl --out FILE [--workers 1] [--seconds 0] [--seed 1] RUNS…

RUNS are TOOL:DIMENSIONS:FUNCTIONS:INSTANCES:BUDGET, such as optuna:2,3:1-54:1-3:20 for 20·d evaluations. The tools:

    optuna        GPSampler with deterministic_objective, constraints by Trial.set_constraint
    cobyqa        SciPy's COBYQA from the suite's feasible start, which is its first evaluation, with its own settings and c <= −1e-8; it may end before the budget
    egobox        EGO, constraint tolerance 0; egobox-trego: with its trust region
    logcei        BoTorch's LogConstrainedExpectedImprovement: default models told that there is no noise, 8 restarts, 256 raw samples
    scbo          BoTorch's tutorial of SCBO: trust region, Thompson sampling at min(5000, max(2000, 200 d)) candidates; a new region after a collapse

All but COBYQA begin with ckg's initial designs. A run has a process and one thread; those that take longest come first. None of them recommends anything but
what it has evaluated: the recommendation is the best feasible evaluated design, or the least infeasible. After --seconds no run begins, and those under way end with what they have.
"""
import argparse
import importlib
import json
import math
import os
import signal
import sys
import time
import traceback

for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "RAYON_NUM_THREADS"):
    os.environ[name] = "1"  # before anybody reads it

import numpy as np

import suite
from suite import numbers

EVERY, LAST = 5, 20
MARGIN = 1e-8  # of constraints that range over 1e2 … 1e5, for COBYQA, which ends within rounding of the limit, on either side


class Ended(Exception):
    """The budget or the time is spent."""


class Recorder:
    """A problem as an optimiser sees it, which keeps what was evaluated and how long the optimiser thought before."""

    def __init__(self, problem, evaluations):
        self.problem, self.evaluations = problem, evaluations
        self.X, self.F, self.C, self.taken = [], [], [], []
        self.resumed = time.perf_counter()

    def __call__(self, x):
        if len(self.F) == self.evaluations:
            raise Ended
        self.taken.append(time.perf_counter() - self.resumed)
        x = np.clip(np.asarray(x, dtype=float), self.problem.low, self.problem.high)
        f, c = self.problem(x)
        self.X.append(x)
        self.F.append(f)
        self.C.append(c)
        self.resumed = time.perf_counter()
        return f, c

    @property
    def n(self):
        return len(self.F)

    def unit(self):
        """All designs in the unit cube."""
        return (np.array(self.X) - self.problem.low) / (self.problem.high - self.problem.low)

    def from_unit(self, u):
        return self.problem.low + np.asarray(u) * (self.problem.high - self.problem.low)


# --- the tools: each evaluates until Ended, or until it has converged ---


def run_optuna(evaluate, designs, seed):
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    problem = evaluate.problem
    names = [f"x{i + 1}" for i in range(problem.d)]
    sampler = optuna.samplers.GPSampler(seed=seed, deterministic_objective=True, n_startup_trials=len(designs))
    study = optuna.create_study(sampler=sampler)
    for x in designs:
        study.enqueue_trial(dict(zip(names, x)))
    while True:
        trial = study.ask()
        x = [trial.suggest_float(name, low, high) for name, low, high in zip(names, problem.low, problem.high)]
        f, c = evaluate(x)
        for k, value in enumerate(c):
            trial.set_constraint(f"c{k + 1}", float(value))
        study.tell(trial, f)


def run_cobyqa(evaluate, designs, seed):
    from scipy.optimize import Bounds, NonlinearConstraint, minimize

    problem = evaluate.problem
    known = {}

    def both(x):  # SciPy asks for the constraints of a design again and again: it is evaluated once
        key = np.asarray(x, dtype=float).tobytes()
        if key not in known:
            known[key] = evaluate(x)
        return known[key]

    both(problem.start())  # which COBYQA moves where it is near the box
    constraint = NonlinearConstraint(lambda x: both(x)[1], -np.inf, -MARGIN)
    minimize(lambda x: both(x)[0], problem.start(), method="COBYQA", bounds=Bounds(problem.low, problem.high),
             constraints=constraint, options={"maxfev": evaluate.evaluations})


def run_egobox(evaluate, designs, seed, trego=False):
    import egobox

    problem = evaluate.problem
    trouble = []

    def many(X):
        try:
            return np.array([[f, *c] for f, c in map(evaluate, np.atleast_2d(X))])
        except BaseException as exception:
            trouble.append(exception)
            raise

    egor = egobox.Egor(np.column_stack([problem.low, problem.high]), cstr_specs=[egobox.CstrSpec.leq(0.0, tol=0.0)] * problem.K,
                       x_doe=np.array(designs), trego=trego, seed=seed)
    try:
        egor.minimize(many, max_iters=evaluate.evaluations - len(designs), stop_on_error=True)
    except BaseException:
        if trouble:
            raise trouble[0]
        raise


def run_egobox_trego(evaluate, designs, seed):
    run_egobox(evaluate, designs, seed, trego=True)


def tensors(evaluate):
    """Designs in the unit cube, the objective to be maximised, and the constraints."""
    import torch

    X = torch.tensor(evaluate.unit(), dtype=torch.double)
    Y = -torch.tensor(evaluate.F, dtype=torch.double).unsqueeze(-1)
    C = torch.tensor(np.array(evaluate.C), dtype=torch.double)
    return X, Y, C


def run_logcei(evaluate, designs, seed):
    import torch
    from botorch.acquisition.analytic import LogConstrainedExpectedImprovement
    from botorch.fit import fit_gpytorch_mll
    from botorch.models import ModelListGP, SingleTaskGP
    from botorch.models.transforms import Standardize
    from botorch.optim import optimize_acqf
    from gpytorch.mlls import SumMarginalLogLikelihood

    torch.manual_seed(seed)
    d, K = evaluate.problem.d, evaluate.problem.K
    bounds = torch.tensor([[0.0] * d, [1.0] * d], dtype=torch.double)
    for x in designs:
        evaluate(x)
    while True:
        X, Y, C = tensors(evaluate)
        outcomes = [torch.cat([Y, C], dim=-1)[:, k : k + 1] for k in range(1 + K)]
        model = ModelListGP(*[SingleTaskGP(X, y, torch.full_like(y, 1e-6 * float(y.var())), outcome_transform=Standardize(1)) for y in outcomes])
        fit_gpytorch_mll(SumMarginalLogLikelihood(model.likelihood, model))
        feasible = (C <= 0).all(dim=-1)
        best = Y[feasible].max() if feasible.any() else Y.min()
        acquisition = LogConstrainedExpectedImprovement(model, best, 0, {k: (None, 0.0) for k in range(1, 1 + K)})
        u, _ = optimize_acqf(acquisition, bounds, q=1, num_restarts=8, raw_samples=256)
        evaluate(evaluate.from_unit(u[0].detach().numpy()))


class Region:
    """The trust region of SCBO's tutorial with one evaluation at a time."""

    def __init__(self, d):
        self.length, self.successes, self.failures = 0.8, 0, 0
        self.patience = math.ceil(max(4.0, d))
        self.best, self.violation = -math.inf, math.inf

    def learn(self, y, c):
        violation = float(c.clamp(min=0).sum())
        if violation == 0:
            success = self.violation > 0 or y > self.best + 1e-3 * abs(self.best)
        else:
            success = violation < self.violation
        self.successes, self.failures = (self.successes + 1, 0) if success else (0, self.failures + 1)
        if violation < self.violation or (violation == self.violation == 0 and y > self.best):
            self.best, self.violation = y, violation
        if self.successes == 10:
            self.length, self.successes = min(2 * self.length, 1.6), 0
        elif self.failures == self.patience:
            self.length, self.failures = self.length / 2, 0

    @property
    def collapsed(self):
        return self.length < 0.5**7


def scbo_model(X, y):
    import gpytorch
    from botorch.fit import fit_gpytorch_mll
    from botorch.models import SingleTaskGP
    from botorch.models.transforms import Standardize
    from gpytorch.constraints import Interval
    from gpytorch.kernels import MaternKernel, ScaleKernel
    from gpytorch.likelihoods import GaussianLikelihood
    from gpytorch.mlls import ExactMarginalLogLikelihood

    kernel = ScaleKernel(MaternKernel(nu=2.5, ard_num_dims=X.shape[-1], lengthscale_constraint=Interval(0.005, 4.0)))
    likelihood = GaussianLikelihood(noise_constraint=Interval(1e-8, 1e-3))
    model = SingleTaskGP(X, y, covar_module=kernel, likelihood=likelihood, outcome_transform=Standardize(1))
    with gpytorch.settings.max_cholesky_size(float("inf")):
        fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
    return model


def scbo_choose(X, Y, C, region, seed):
    """A draw's best candidate in the trust region."""
    import gpytorch
    import torch
    from botorch.generation.sampling import ConstrainedMaxPosteriorSampling
    from botorch.models import ModelListGP
    from torch.quasirandom import SobolEngine

    d = X.shape[-1]
    model = scbo_model(X, Y)
    constraints = ModelListGP(*[scbo_model(X, C[:, k : k + 1]) for k in range(C.shape[-1])])

    # The region around the best feasible design, or the least infeasible.
    violation = C.clamp(min=0).sum(dim=-1)
    feasible = violation == 0
    centre = X[Y[:, 0].masked_fill(~feasible, -math.inf).argmax() if feasible.any() else violation.argmin()]
    low = (centre - region.length / 2).clamp(0, 1)
    high = (centre + region.length / 2).clamp(0, 1)

    # Candidates that differ from the centre in some coordinates only.
    count = min(5000, max(2000, 200 * d))
    candidates = low + (high - low) * SobolEngine(d, scramble=True, seed=seed).draw(count).double()
    mask = torch.rand(count, d, dtype=torch.double) <= min(20 / d, 1.0)
    mask[torch.arange(count)[mask.sum(dim=-1) == 0], torch.randint(0, d, (int((mask.sum(dim=-1) == 0).sum()),))] = True
    candidates = torch.where(mask, candidates, centre.expand(count, d))

    sampling = ConstrainedMaxPosteriorSampling(model=model, constraint_model=constraints, replacement=False)
    with torch.no_grad(), gpytorch.settings.max_cholesky_size(float("inf")):
        return sampling(candidates, num_samples=1)[0]


def run_scbo(evaluate, designs, seed):
    import torch

    torch.manual_seed(seed)
    d = evaluate.problem.d
    first = 0  # evaluation of this region
    while True:
        for x in designs:
            evaluate(x)
        region = Region(d)
        for i in range(first, evaluate.n):
            region.learn(-evaluate.F[i], torch.tensor(evaluate.C[i]))
        region.successes = region.failures = 0
        region.length = 0.8
        while not region.collapsed:
            X, Y, C = (part[first:] for part in tensors(evaluate))
            u = scbo_choose(X, Y, C, region, seed + evaluate.n)
            f, c = evaluate(evaluate.from_unit(u.numpy()))
            region.learn(-f, torch.tensor(c))
        first = evaluate.n
        draws = torch.quasirandom.SobolEngine(d, scramble=True, seed=seed + first).draw(len(designs)).double().numpy()
        designs = [evaluate.from_unit(u) for u in draws]


# name: (policy as shown, module whose version is written, function, cost of a suggestion beside the others')
TOOLS = {
    "optuna": ("GPSampler", "optuna", run_optuna, 10),
    "cobyqa": ("COBYQA", "scipy", run_cobyqa, 0.01),
    "egobox": ("EGO", "egobox", run_egobox, 2),
    "egobox-trego": ("TREGO", "egobox", run_egobox_trego, 2),
    "logcei": ("LogCEI", "botorch", run_logcei, 30),
    "scbo": ("SCBO", "botorch", run_scbo, 40),
}


# --- a run and its line ---


def initial_of(d):
    return max(10, 2 * (d + 1))


def is_checkpoint(n, d, evaluations):
    return n >= initial_of(d) and (n == initial_of(d) or n % EVERY == 0 or n in (5 * d, 10 * d, 20 * d, evaluations))


def checkpoints(recorder, made):
    """What was in hand after some numbers of evaluations up to `made`; one that converged keeps what it has."""
    F, violation = np.array(recorder.F), np.array([max(0.0, c.max()) for c in recorder.C])
    out = []
    for n in range(1, made + 1):
        if not is_checkpoint(n, recorder.problem.d, recorder.evaluations):
            continue
        f, v = F[:n], violation[:n]
        feasible = v <= 0
        chosen = int(np.argmin(np.where(feasible, f, np.inf)) if feasible.any() else np.argmin(v))
        out.append({"n": n, "best": float(f[chosen]) if feasible.any() else None, "f": float(f[chosen]), "violation": float(v[chosen]),
                    "p": None, "evaluated": True})
    return out


def mean(values):
    return float(np.mean(values)) if len(values) else None


def begin(job, seed):
    """The part of a line that is known before the run."""
    policy, module, _, _ = TOOLS[job["tool"]]
    return {"function": job["function"], "instance": job["instance"], "d": job["d"], "K": job["K"], "tool": job["tool"], "policy": policy,
            "kernel": "", "settings": "", "version": importlib.import_module(module).__version__, "seed": seed, "budget": job["budget"],
            "evaluations": job["budget"] * job["d"]}


def make_run(job, designs, seed):
    """The line of a run, whatever happens in it."""
    line = begin(job, seed)
    recorder = Recorder(suite.Problem(job["function"], job["instance"], job["d"]), line["evaluations"])
    trouble, converged = None, False
    try:
        TOOLS[job["tool"]][2](recorder, designs, 1000 * job["function"] + job["instance"] + 1000000 * (seed - 1))
        converged = recorder.n < line["evaluations"]
    except Ended:
        pass
    except Exception as exception:
        trouble = " ".join(traceback.format_exception_only(exception)).strip().replace("\n", " ")[:500]
    signal.setitimer(signal.ITIMER_REAL, 0)

    n, initial = recorder.n, initial_of(job["d"])
    line["checkpoints"] = checkpoints(recorder, line["evaluations"] if converged else n)
    line.update(initial=initial, seconds=mean(recorder.taken[initial:n]), seconds_last=mean(recorder.taken[max(initial, n - LAST) : n]), cpu=time.process_time())
    if converged:
        line["converged"] = n
    elif trouble:
        line["error"] = trouble
    elif n < line["evaluations"]:
        line["cut"] = n
    return line


def append(path, line):
    """At once, so that lines of several processes never mix."""
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o666)
    os.write(file, (json.dumps(line) + "\n").encode())
    os.close(file)


# --- all runs ---


def cut(signum, frame):
    raise Ended


def start(job, designs, options):
    """A process that makes the run; returns its id."""
    child = os.fork()
    if child:
        return child
    status = 1
    try:
        signal.signal(signal.SIGALRM, cut)
        if options.deadline < math.inf:
            signal.setitimer(signal.ITIMER_REAL, max(0.01, options.deadline - time.time()))
        append(options.out, make_run(job, designs, options.seed))
        status = 0
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(status)


def list_jobs(runs):
    """All runs, those that take longest first."""
    jobs = []
    for run in runs:
        tool, dimensions, functions, instances, budget = run.split(":")
        for d in numbers(dimensions):
            for function in numbers(functions):
                for instance in numbers(instances):
                    K = suite.Problem(function, instance, d).K
                    cost = TOOLS[tool][3] * (K + 1) * (int(budget) * d) ** 2
                    jobs.append(dict(tool=tool, d=d, function=function, instance=instance, budget=int(budget), K=K, cost=cost))
    return sorted(jobs, key=lambda job: -job["cost"])


def read_designs(path):
    with open(path) as file:
        return {(line["d"], line["function"], line["instance"]): line["designs"] for line in map(json.loads, file)}


def import_tools(names):
    """Once for all processes."""
    for name in names:
        importlib.import_module(TOOLS[name][1])
    if "logcei" in names or "scbo" in names or "optuna" in names:
        import torch
        torch.set_num_threads(1)
    if "logcei" in names or "scbo" in names:
        for module in ("botorch.acquisition.analytic", "botorch.generation.sampling", "botorch.optim", "botorch.fit", "botorch.models"):
            importlib.import_module(module)
    if "optuna" in names:
        importlib.import_module("optuna._gp.gp")


def run_all(jobs, designs, options):
    waiting, busy, bad = list(jobs), {}, 0
    while busy or (waiting and time.time() < options.deadline):
        if waiting and len(busy) < options.workers and time.time() < options.deadline:
            job = waiting.pop(0)
            busy[start(job, designs.get((job["d"], job["function"], job["instance"])), options)] = job
            continue
        child, status = os.wait()
        job = busy.pop(child)
        if status:
            bad += 1
            append(options.out, {**begin(job, options.seed), "error": f"the process ended with status {os.waitstatus_to_exitcode(status)}"})
    print(f"peers: {len(jobs) - len(waiting)} of {len(jobs)} runs made, {bad} processes ended badly", file=sys.stderr)


def main():
    import warnings

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", nargs="+")
    parser.add_argument("--designs", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=0)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    options.deadline = time.time() + options.seconds if options.seconds > 0 else math.inf

    warnings.filterwarnings("ignore")
    designs = read_designs(options.designs)
    wanted = list_jobs(options.runs)
    jobs = [job for job in wanted if job["tool"] == "cobyqa" or (job["d"], job["function"], job["instance"]) in designs]
    if len(jobs) < len(wanted):
        print(f"peers: {len(wanted) - len(jobs)} runs left out: no initial designs are given for them", file=sys.stderr)
    import_tools({job["tool"] for job in jobs})
    run_all(jobs, designs, options)


if __name__ == "__main__":
    main()

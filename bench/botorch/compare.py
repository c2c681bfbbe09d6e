"""Seconds per suggestion of BoTorch and ckg, on mystery at n = 50, including the fit, on one core, in the same run.

    python3 bench/botorch/compare.py build/bench/quality [repeats]

BoTorch: default SingleTaskGPs, 256 raw samples, 8 restarts; LogConstrainedExpectedImprovement, and the one-shot knowledge
gradient (64 fantasies) of the constrained objective. Both sides are timed at the 51st suggestion of a study that began with 10 space-filling
designs. BoTorch's study continued with LogCEI, one study per repeat; ckg's with the policy itself, mean over 20 studies, as the program prints it.
"""
import math
import subprocess
import sys
import time
import warnings

import torch
import botorch
from botorch.acquisition import qKnowledgeGradient
from botorch.acquisition.analytic import LogConstrainedExpectedImprovement
from botorch.acquisition.objective import ConstrainedMCObjective
from botorch.fit import fit_gpytorch_mll
from botorch.models import ModelListGP, SingleTaskGP
from botorch.models.transforms import Standardize
from botorch.optim import optimize_acqf
from gpytorch.mlls import SumMarginalLogLikelihood

warnings.filterwarnings("ignore")
torch.set_num_threads(1)
torch.set_default_dtype(torch.double)


def mystery(x):
    a, b = 5 * x[:, 0], 5 * x[:, 1]
    f = (2 + 0.01 * (b - a**2) ** 2 + (1 - a) ** 2 + 2 * (2 - b) ** 2 + 7 * torch.sin(0.5 * a) * torch.sin(0.7 * a * b))
    return torch.stack([-f, -torch.sin(a - b - math.pi / 8)], dim=-1)


def fitted(x, y):
    models = [SingleTaskGP(x, y[:, i : i + 1], outcome_transform=Standardize(1)) for i in range(2)]
    model = ModelListGP(*models)
    fit_gpytorch_mll(SumMarginalLogLikelihood(model.likelihood, model))
    return model


def suggest(policy, x, y):
    model = fitted(x, y)
    bounds = torch.tensor([[0.0, 0.0], [1.0, 1.0]])
    feasible = y[:, 1] <= 0
    if policy == "LogCEI":
        acquisition = LogConstrainedExpectedImprovement(model, y[feasible, 0].max(), 0, {1: (None, 0.0)})
    else:
        objective = ConstrainedMCObjective(lambda z, X=None: z[..., 0], [lambda z: z[..., 1]], infeasible_cost=y[:, 0].min().abs())
        acquisition = qKnowledgeGradient(model, num_fantasies=64, objective=objective)
    return optimize_acqf(acquisition, bounds, q=1, num_restarts=8, raw_samples=256)[0]


def study(seed):
    """The designs of a study after 50 evaluations."""
    torch.manual_seed(seed)
    x = torch.quasirandom.SobolEngine(2, scramble=True, seed=seed).draw(10).double()
    while len(x) < 50:
        x = torch.cat([x, suggest("LogCEI", x, mystery(x))])
    return x


def botorch_seconds(policy, studies):
    taken = []
    for x in studies:
        start = time.perf_counter()
        suggest(policy, x, mystery(x))
        taken.append(time.perf_counter() - start)
    return min(taken), sum(taken) / len(taken)


def ckg_seconds(program, policy):
    command = [program, "--problem", "mystery", "--noise", "0", "--evaluations", "51", "--seeds", "20", "--threads", "1"]
    out = subprocess.run(command + ["--policy", policy], check=True, capture_output=True, text=True).stdout
    return float(out.split()[-1]) / 1e3


def main():
    program, repeats = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 5
    ckg, cei = ckg_seconds(program, "ckg"), ckg_seconds(program, "cei")
    print(f"BoTorch {botorch.__version__}, torch {torch.__version__}, one core; mystery, n = 50; seconds per suggestion, fit included")
    print(f"{'policy':28} {'fastest':>9} {'mean':>9}   mean / ckg's mean")
    print(f"{'ckg: ckg':28} {'':>9} {ckg:9.5f}")
    print(f"{'ckg: cei':28} {'':>9} {cei:9.5f}")
    studies = [study(seed) for seed in range(repeats)]
    for policy, own, name in (("LogCEI", cei, "cei"), ("LogCEI", ckg, "ckg"), ("one-shot qKG", ckg, "ckg")):
        fastest, mean = botorch_seconds(policy, studies)
        print(f"{'BoTorch: ' + policy:28} {fastest:9.3f} {mean:9.3f}   {mean / own:8.0f} x ckg's {name}", flush=True)


if __name__ == "__main__":
    main()

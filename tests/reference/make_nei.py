#!/usr/bin/env python3
"""Writes tests/reference/nei.inc: noisy expected improvement by BoTorch on models whose numbers are given.

Per model: SingleTaskGPs with the given length-scales, signal variance, zero mean and noise variances, one per outcome, told at 8 designs;
qLogNoisyExpectedImprovement (q = 1, no pruning) at 24 points, the mean of 32 scrambled Sobol rules of 8,192 samples and the standard error of
that mean, both relative; and for a model without constraints the analytic LogNoisyExpectedImprovement (32 times 1,024 fantasies) as well. The
smoothing that makes BoTorch's values differentiable is turned down: thin tails, a softplus of temperature 1e-7, sigmoids of width 1e-5. A draw
without a feasible design improves on the number given as bound: BoTorch's own is a random one.

Made with BoTorch 0.18.1, GPyTorch 1.15.2, torch 2.15.0, double precision, seeds as below.

    python3 tests/reference/make_nei.py > tests/reference/nei.inc
"""
import math
import sys
import warnings

import torch
from botorch.acquisition.analytic import LogNoisyExpectedImprovement
from botorch.acquisition.logei import qLogNoisyExpectedImprovement
from botorch.acquisition.objective import GenericMCObjective
from botorch.acquisition.utils import compute_best_feasible_objective
from botorch.models import ModelListGP, SingleTaskGP
from botorch.sampling.normal import SobolQMCNormalSampler
from gpytorch.kernels import MaternKernel, RBFKernel, ScaleKernel
from gpytorch.means import ZeroMean

warnings.filterwarnings("ignore")
torch.set_default_dtype(torch.double)
N, POINTS, RULES, SAMPLES, FANTASIES, BOUND = 8, 24, 32, 8192, 1024, -3.0

# kernel; noise sd of the objective and of the constraints; limits (lower, upper) of the constraints
MODELS = [
    ("rbf", [0.3], []),
    ("matern52", [0.15], []),
    ("rbf", [0.3, 0.2], [(-math.inf, 0.3)]),
    ("matern52", [0.2, 0.4], [(-0.2, math.inf)]),
    ("rbf", [0.3, 0.3, 0.2], [(-math.inf, 0.2), (-0.7, 0.9)]),
    ("matern52", [0.1, 0.5, 0.3], [(-0.1, math.inf), (-math.inf, -0.3)]),
]


def truth(x, j):
    a, b = x[:, 0], x[:, 1]
    return [torch.sin(5 * a) + torch.cos(4 * b + 1), torch.sin(4 * a + 3 * b), 1.2 * torch.cos(5 * a - 2 * b)][j]


def make(kernel, sds, seed):
    torch.manual_seed(seed)
    x = torch.quasirandom.SobolEngine(2, scramble=True, seed=seed).draw(N).double()
    outcomes = []
    for j, sd in enumerate(sds):
        ell, s2 = 0.15 + 0.25 * torch.rand(2), 0.8 + 0.6 * torch.rand(1).item()
        var = torch.full((N,), sd * sd) * (0.5 + torch.rand(N))
        outcomes.append((ell, s2, var, truth(x, j) + var.sqrt() * torch.randn(N)))
    models = []
    for ell, s2, var, y in outcomes:
        base = RBFKernel(ard_num_dims=2) if kernel == "rbf" else MaternKernel(nu=2.5, ard_num_dims=2)
        base.lengthscale = ell
        scaled = ScaleKernel(base)
        scaled.outputscale = s2
        models.append(SingleTaskGP(x, y[:, None], var[:, None], covar_module=scaled, mean_module=ZeroMean(), outcome_transform=None).eval())
    return x, outcomes, models


def constraints_of(limits):
    out = []
    for j, (lower, upper) in enumerate(limits):
        if lower > -math.inf:
            out.append(lambda z, j=j, lower=lower: lower - z[..., 1 + j])
        if upper < math.inf:
            out.append(lambda z, j=j, upper=upper: z[..., 1 + j] - upper)
    return out or None


def combined(logs):
    """The log of the mean of exp over the rules, and the standard error of that mean, relative."""
    values = torch.stack(logs)
    top = values.amax(dim=0)
    linear = (values - top).exp()
    mean = linear.mean(dim=0)
    return top + mean.log(), linear.std(dim=0) / math.sqrt(len(logs)) / mean


class Bounded(qLogNoisyExpectedImprovement):
    def _compute_best_feasible_objective(self, samples, obj):
        return compute_best_feasible_objective(samples, obj, self._constraints, infeasible_obj=torch.tensor(BOUND))


def monte_carlo(models, x, limits, points):
    model = ModelListGP(*models) if len(models) > 1 else models[0]
    objective = GenericMCObjective(lambda z, X=None: z[..., 0])
    logs = []
    for rule in range(RULES):
        acquisition = Bounded(
            model, x, sampler=SobolQMCNormalSampler(torch.Size([SAMPLES]), seed=1000 + rule), objective=objective,
            constraints=constraints_of(limits), eta=1e-5, fat=False, tau_max=1e-7, tau_relu=1e-7, prune_baseline=False, cache_root=False)
        with torch.no_grad():
            logs.append(acquisition(points[:, None, :]))
    return combined(logs)


def analytic(model, x, points):
    logs = []
    for rule in range(RULES):
        torch.manual_seed(500 + rule)
        with torch.no_grad():
            logs.append(LogNoisyExpectedImprovement(model, x, num_fantasies=FANTASIES)(points[:, None, :]))
    return combined(logs)


def numbers(values):
    return ", ".join({math.inf: "INFINITY", -math.inf: "-INFINITY"}.get(float(v), repr(float(v))) for v in values)


def main():
    print("/* Written by make_nei.py: do not edit. */")
    print(f"enum {{ NEI_N = {N}, NEI_POINTS = {POINTS}, NEI_OUTCOMES = 3, NEI_MODELS = {len(MODELS)} }};")
    print("struct nei_outcome {\n    double ell[2], s2, lower, upper, y[NEI_N], noise[NEI_N];\n};")
    print("/* value and analytic are logarithms, the errors relative */")
    print("struct nei_model {\n    const char *kernel;\n    int K;\n    double bound, X[2][NEI_N], U[2][NEI_POINTS];\n"
          "    struct nei_outcome outcome[NEI_OUTCOMES];\n"
          "    double value[NEI_POINTS], error[NEI_POINTS], analytic[NEI_POINTS], analytic_error[NEI_POINTS];\n};")
    print("static const struct nei_model nei_models[NEI_MODELS] = {")
    for seed, (kernel, sds, limits) in enumerate(MODELS):
        x, outcomes, models = make(kernel, sds, seed)
        points = torch.quasirandom.SobolEngine(2, scramble=True, seed=77 + seed).draw(POINTS).double()
        value, error = monte_carlo(models, x, limits, points)
        print(f'    {{"{kernel}", {len(limits)}, {BOUND!r},')
        print("     {" + ", ".join("{" + numbers(x[:, k]) + "}" for k in range(2)) + "},")
        print("     {" + ", ".join("{" + numbers(points[:, k]) + "}" for k in range(2)) + "},")
        print("     {")
        for j, (ell, s2, var, y) in enumerate(outcomes):
            lower, upper = limits[j - 1] if j else (0.0, 0.0)
            print(f"      {{{{{numbers(ell)}}}, {s2!r}, {numbers([lower])}, {numbers([upper])}, {{{numbers(y)}}}, {{{numbers(var)}}}}},")
        print("     },")
        print("     {" + numbers(value) + "}, {" + numbers(error) + "},")
        value, error = analytic(models[0], x, points) if not limits else (torch.zeros(POINTS), torch.zeros(POINTS))
        print("     {" + numbers(value) + "}, {" + numbers(error) + "}},")
        print(f"model {seed} done", file=sys.stderr, flush=True)
    print("};")


if __name__ == "__main__":
    main()

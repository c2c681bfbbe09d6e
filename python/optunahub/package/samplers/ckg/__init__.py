"""Constrained Bayesian optimisation with the constrained knowledge gradient, for OptunaHub."""

from pyckg.optuna import CkgSampler

__all__ = ["CkgSampler"]

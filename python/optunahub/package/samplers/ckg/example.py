"""The tension/compression spring: the lightest one that meets four limits."""

import optuna
import optunahub


def objective(trial: optuna.Trial) -> float:
    wire = trial.suggest_float("wire", 0.05, 2.0, log=True)
    coil = trial.suggest_float("coil", 0.25, 1.3)
    turns = trial.suggest_float("turns", 2.0, 15.0)
    trial.set_constraint("deflection", 1 - coil**3 * turns / (71785 * wire**4))
    shear = (4 * coil**2 - wire * coil) / (12566 * (coil * wire**3 - wire**4))
    trial.set_constraint("stress", shear + 1 / (5108 * wire**2) - 1)
    trial.set_constraint("surge", 1 - 140.45 * wire / (coil**2 * turns))
    trial.set_constraint("diameter", (wire + coil) / 1.5 - 1)
    return (turns + 2) * coil * wire**2


if __name__ == "__main__":
    sampler = optunahub.load_module("samplers/ckg").CkgSampler(noise="none", seed=1)
    study = optuna.create_study(sampler=sampler)
    study.optimize(objective, n_trials=60)
    print("best feasible trial:", study.best_trial.value, study.best_trial.params)
    print("recommended:", sampler.recommend(study))

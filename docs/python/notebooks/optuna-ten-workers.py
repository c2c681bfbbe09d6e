# %% [markdown]
# # Optuna with ten workers
#
# Ten processes share one Optuna storage, each with a `CkgSampler` of its own. What one of them evaluates is pending for
# the others, so they spread out instead of evaluating the same design ten times.

# %%
import subprocess
import sys
from pathlib import Path

import optuna

from pyckg.optuna import CkgSampler

optuna.logging.set_verbosity(optuna.logging.WARNING)

# %% [markdown]
# A worker is a script of its own: the objective with its constraints, and a study loaded from the storage. The problem
# is a pressure vessel: two thicknesses in sixteenths of an inch, a radius and a length, the least cost.

# %%
WORKER = '''
import math
import optuna
from optuna.storages.journal import JournalFileBackend
from pyckg.optuna import CkgSampler

optuna.logging.set_verbosity(optuna.logging.WARNING)

def vessel(trial):
    shell = trial.suggest_int("shell", 1, 40) / 16
    head = trial.suggest_int("head", 1, 40) / 16
    radius = trial.suggest_float("radius", 10, 100)
    length = trial.suggest_float("length", 10, 240)
    trial.set_constraint("shell", 0.0193 * radius - shell)
    trial.set_constraint("head", 0.00954 * radius - head)
    trial.set_constraint("volume", 1 - (math.pi * radius**2 * length + 4 / 3 * math.pi * radius**3) / 1296000)
    return 0.6224 * shell * radius * length + 1.7781 * head * radius**2 + 3.1661 * shell**2 * length + 19.84 * shell**2 * radius

if __name__ == "__main__":
    storage = optuna.storages.JournalStorage(JournalFileBackend("vessel.log"))
    study = optuna.load_study(study_name="vessel", storage=storage, sampler=CkgSampler(noise="none"))
    study.optimize(vessel, n_trials=8)
'''
written = Path("worker.py").write_text(WORKER)

# %%
from optuna.storages.journal import JournalFileBackend

storage = optuna.storages.JournalStorage(JournalFileBackend("vessel.log"))
study = optuna.create_study(study_name="vessel", storage=storage, sampler=CkgSampler(noise="none", seed=1))

workers = [subprocess.Popen([sys.executable, "worker.py"], stderr=subprocess.DEVNULL) for _ in range(10)]
print("workers ended with", [worker.wait() for worker in workers])

# %% [markdown]
# Eighty trials, made by ten workers that know of each other only through the storage; no two are the same design.

# %%
trials = study.trials
print(len(trials), "trials,", len({tuple(trial.params.values()) for trial in trials}), "different designs")
print(sum(all(v <= 0 for v in trial.constraints.values()) for trial in trials), "of them feasible")
print("best feasible:", round(study.best_value, 1), study.best_trial.params)

# %% [markdown]
# The best design that is known costs 5850.4. What the models recommend, with the probability that all limits hold:

# %%
found = study.sampler.recommend(study)
print(found.parameters)
print("cost", round(found.objective.mean, 1), "feasible with", round(found.probability_feasible, 3))

# %% [markdown]
# # A noisy simulation
#
# A service desk: how many people, and how many days of training for each, so that nine of ten callers are served within
# a quarter of an hour? Cost is known exactly; the time is what a simulation of one day says, and no two days are the
# same.

# %%
import numpy as np

import pyckg

CALLERS = 400  # a day, one every minute on average


def day(people, training, rng):
    """The minutes within which nine of ten callers were served, on one simulated day."""
    arrivals = np.cumsum(rng.exponential(1.0, CALLERS))
    service = rng.exponential(4.0 + 6.0 * np.exp(-training / 3.0), CALLERS)
    free = np.zeros(people)
    minutes = np.empty(CALLERS)
    for i in range(CALLERS):
        first = free.argmin()
        free[first] = max(arrivals[i], free[first]) + service[i]
        minutes[i] = free[first] - arrivals[i]
    return float(np.quantile(minutes, 0.9))


def cost(people, training):
    return people * (1.0 + 0.04 * training)


# %% [markdown]
# How noisy is a day? Ten days of the same desk:

# %%
rng = np.random.default_rng(7)
print(np.round([day(7, 5.0, rng) for _ in range(10)], 1))

# %% [markdown]
# The study is told that the cost is exact; how noisy the time is, it finds out. A time is above 0, and that is worth
# saying: it is then modelled on a log scale, where long times may scatter more than short ones. (Where the standard
# deviation of a measurement is well known, tell it: `minutes=(13.2, 0.4)`. One that was estimated from a few days is not
# well known.)


# %%
def evaluate(people, training):
    return {"cost": cost(people, training), "minutes": day(people, training, rng)}


study = pyckg.Study(
    {"people": pyckg.Integer(4, 20), "training": pyckg.Real(0, 12, step=0.5)},
    objective="cost",
    constraints={"minutes": (None, 15)},
    noise={"cost": "none"},
    positive=["minutes"],
    seed=1,
)
study.optimize(evaluate, budget=50)
study.trials().tail()

# %% [markdown]
# The best trial that measured feasible may only have had a quiet day. The recommendation weighs that, and it may be
# asked to be safe:

# %%
lucky = study.best()
even = study.recommend(probability=0.5)
safe = study.recommend(probability=0.95)
print("best measured:", lucky.parameters, "cost", round(lucky.values["cost"], 2), "took", round(lucky.values["minutes"], 1))
for found in (even, safe):
    minutes = found.constraints["minutes"]
    print("recommended:  ", found.parameters, "cost", round(found.objective.mean, 2), end=" ")
    print("takes", round(minutes.mean, 1), "+-", round(minutes.sd, 1), "holds with", round(found.probability_feasible, 2))

# %% [markdown]
# The cost and the probability that the limit holds, over both parameters:

# %%
study.plot("map")

# %% [markdown]
# What is true? Four hundred days say it, which the study never saw.

# %%
truth = np.random.default_rng(0)
for name, design in (("best measured", lucky.parameters), ("even chances", even.parameters), ("safe", safe.parameters)):
    print(f"{name:14}", round(np.mean([day(**design, rng=truth) for _ in range(400)]), 1), "minutes")

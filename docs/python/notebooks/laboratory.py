# %% [markdown]
# # Ask and tell in the laboratory
#
# An adhesive: the strongest one that can still be poured and does not set before it is used. Four samples fit into the
# oven at a time, a sample may be spoilt, and not everything is measured every time. Evaluations are made by people, so
# the study is asked and told by hand, and kept in a store between the days: a file that the program `ckg` reads as well.

# %%
import numpy as np

import pyckg

study = pyckg.Study(
    {
        "temperature": pyckg.Real(60, 140, step=1),
        "minutes": pyckg.Integer(10, 120, log=True),
        "hardener": pyckg.Real(0.05, 0.4, step=0.005),
        "catalyst": pyckg.Categorical(["amine", "tin", "none"]),
    },
    objective="strength",
    maximize=True,
    constraints={"viscosity": (None, 12), "pot life": (20, None)},
    rules=['if catalyst == "tin" then temperature <= 110'],
    store="adhesive.db",
    seed=1,
)

# %% [markdown]
# The laboratory is played by a function here.

# %%
rng = np.random.default_rng(3)
SPEED = {"amine": 1.0, "tin": 1.6, "none": 0.5}


def laboratory(temperature, minutes, hardener, catalyst):
    speed = SPEED[catalyst] * np.exp((temperature - 100) / 40)
    cured = 1 - np.exp(-speed * minutes / 30)
    strength = 40 * cured * np.exp(-(((hardener - 0.22) / 0.12) ** 2)) - 0.08 * max(0, temperature - 110) + rng.normal(0, 0.4)
    viscosity = 6 + 30 * hardener * SPEED[catalyst] ** 0.5 + rng.normal(0, 0.2)
    pot_life = 70 * np.exp(-2 * hardener) / SPEED[catalyst] + rng.normal(0, 1)
    return {"strength": strength, "viscosity": viscosity, "pot life": pot_life}


# %% [markdown]
# **The first day.** Four asks give four different designs: what is under way is taken into account.

# %%
batch = [study.ask() for _ in range(4)]
for trial in batch:
    print(trial.number, trial.parameters)

# %% [markdown]
# One sample was spoilt, and of another the pot life was not measured. Names that are no Python names are told as a
# mapping.

# %%
measured = [laboratory(**trial) for trial in batch]
study.tell(batch[0], measured[0])
study.tell(batch[1], failed="the mould leaked")
study.tell(batch[2], {"strength": measured[2]["strength"], "viscosity": measured[2]["viscosity"]})
study.tell(batch[3], measured[3])

# %% [markdown]
# A sample that the laboratory made on its own is told as well:

# %%
own = study.add({"temperature": 100, "minutes": 60, "hardener": 0.2, "catalyst": "amine"})
study.tell(own, laboratory(**own))

# %% [markdown]
# The pot life that was missing comes in later, and a slip of the pen is corrected. Both stay in the history of the
# trial.

# %%
study.correct(batch[2], {"pot life": measured[2]["pot life"]}, note="measured in the evening")
study.correct(own, strength=28.1, note="read off the wrong scale")
study.close()

# %% [markdown]
# **The next days**, perhaps in another process, perhaps by `ckg ask adhesive.db` on another computer:

# %%
study = pyckg.open("adhesive.db")
for _ in range(8):
    batch = [study.ask() for _ in range(4)]
    for trial in batch:
        study.tell(trial, laboratory(**trial))
study.trials().tail(6)

# %% [markdown]
# **What to make?** The recommendation, and what is expected of it:

# %%
found = study.recommend(probability=0.9)
print(found.parameters)
print("strength", round(found.objective.mean, 2), "+-", round(found.objective.sd, 2))
for name, value in found.constraints.items():
    print(name, round(value.mean, 2), "+-", round(value.sd, 2), "holds with", round(value.probability, 3))
print("all hold with", round(found.probability_feasible, 3))

# %% [markdown]
# What each outcome does along each parameter, through the recommended design:

# %%
study.plot("slices")

# %% [markdown]
# **Is it worth another day?** What further samples are expected to gain, in units of strength:

# %%
gain = study.gain()
print("by one more sample", round(gain.next, 3), "- by knowing everything", round(gain.perfect_information, 3))

"""test_examples.py PROGRAM: the problems of examples/ are solved as a user would, in a copy of their folder. The budget must be spent, and the recommended
design must be feasible by the true function and nearly as good as the best one known; the bounds are at least twice the worst of eight seeds. With
CKG_TEST_LIGHT in the environment only the quickest is solved to its end; the others begin and go on."""
import importlib.util
import json
import math
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
EXAMPLES = os.path.join(ROOT, "examples")
PROGRAM = os.path.abspath(sys.argv[1])
LIGHT = bool(os.environ.get("CKG_TEST_LIGHT"))


QUICKEST = "floor"


def load(name):
    spec = importlib.util.spec_from_file_location(name, os.path.join(EXAMPLES, name, name + ".py"))
    module = importlib.util.module_from_spec(spec)
    sys.dont_write_bytecode = True
    spec.loader.exec_module(module)
    return module


def spring(design):
    return load("spring").spring(**design)


def depot(design, years=150):
    rng = random.Random(7)
    depot = load("depot")
    cost, served = zip(*(depot.year(rng, **design) for _ in range(years)))
    return {"cost": statistics.mean(cost), "served": statistics.mean(served)}


def charging(design, weeks=300):
    rng = random.Random(7)
    cost, late = zip(*(load("charging").station(rng, **design) for _ in range(weeks)))
    return {"cost": statistics.mean(cost), "late": statistics.mean(late)}


def floor(design):
    script = os.path.join(EXAMPLES, "floor", "floor.awk")
    words = [str(design[name]) for name in ("material", "shape", "joists", "height")]
    return json.loads(subprocess.run(["awk", "-f", script, *words], check=True, capture_output=True).stdout)


# Budget, true function, limits (with room for what the simulations cannot tell), objective, best known value, how far above it is allowed.
EXPECTED = {
    "spring": (50, spring, {"deflection": (1, None), "stress": (None, 1), "frequency": (1, None), "diameter": (None, 1.5)}, "weight", 0.0126652, 0.02),
    "depot": (40, depot, {"served": (0.9785, None)}, "cost", 255, 0.04),
    "charging": (40, charging, {"late": (None, 5.3)}, "cost", 316.7, 0.35),
    "floor": (30, floor, {"stress": (None, 1), "sag": (None, 13), "mass": (None, 500)}, "cost", 1034.325818, 1e-6),
}


def ckg(folder, *words):
    done = subprocess.run([PROGRAM, *words], cwd=folder, capture_output=True, text=True, timeout=3000)
    assert done.returncode == 0, f"ckg {' '.join(words)}: exit status {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout


def shorten(path, budget):
    """A smaller budget, where every instruction counts."""
    with open(path) as file:
        lines = [f"budget: {budget}\n" if line.startswith("budget:") else line for line in file]
    with open(path, "w") as file:
        file.writelines(lines)


def check(name, folder):
    budget, true, limits, objective, best, allowed = EXPECTED[name]
    shortened = LIGHT and name != QUICKEST
    if shortened:
        budget = 13
        shorten(os.path.join(folder, name + ".yaml"), budget)
    printed = ckg(folder, "run", name + ".yaml")
    assert f"recommended after {budget} evaluations" in printed, printed
    status = json.loads(ckg(folder, "status", "--json", name + ".yaml"))
    assert (status["evaluations"], status["complete"], status["running"]) == (budget, budget, 0), status
    recommended = json.loads(ckg(folder, "recommend", "--json", name + ".yaml"))
    values = true(recommended["parameters"])
    print(f"{name}: {objective} {values[objective]:.6g}, best known {best:.6g}")
    if shortened:
        return
    for constraint, (low, high) in limits.items():
        value = values[constraint]
        assert (low is None or value >= low) and (high is None or value <= high), f"{name}: {constraint} is {value}: {recommended}"
    assert values[objective] <= best + allowed * abs(best), f"{name}: {values[objective]} is more than {allowed:%} above {best}: {recommended}"


def waits(chargers, power, times, patience):
    """The chance of each of those waits or more where drivers come at random all day and energies are exponential: a queue M/M/c whose customers leave
    at once where they would wait for more than `patience`. The wait that a driver meets is 0, or has a density that falls by c·mu − lambda up to the
    patience and by c·mu beyond."""
    arrive, serve = 120 / 1440, power / (60 * 30)
    state = [(arrive / serve) ** n / math.factorial(n) for n in range(chargers)]
    falls = chargers * serve - arrive
    at_patience = math.exp(-falls * patience) / (chargers * serve)
    beyond = [arrive * state[-1] * ((math.exp(-falls * t) - math.exp(-falls * patience)) / falls + at_patience) for t in (0, *times)]
    return [b / (sum(state) + beyond[0]) for b in beyond[1:]]


def check_simulation(chargers, power, days=500, runs=12 if LIGHT else 30):
    """The simulated station has the cost and the late drivers of the formula, to four standard errors, where there is a formula."""
    station = load("charging").station
    values = [station(random.Random(run), chargers, power, fee=0, days=days, busy=(1,) * 24, accepts=(1000,), shape=1, blocking=0) for run in range(runs)]
    late, lost = waits(chargers, power, (10, 30), 30)
    exact = chargers * (15 + 0.3 * power) + 6 * 120 * lost, 100 * late
    for name, value, simulated in zip(("cost", "late"), exact, zip(*values)):
        error = statistics.stdev(simulated) / runs ** 0.5
        assert abs(statistics.mean(simulated) - value) < 4 * error and error < 0.02 * value, \
            f"charging, {chargers} of {power} kW: {name} is {statistics.mean(simulated)} ± {error}, by the formula {value}"


for station in ((5, 50), (4, 60), (2, 70)):
    check_simulation(*station)

def compare(folder):
    """What `make run` shows at the end: both designs, each with what the study says and with the truth."""
    done = subprocess.run([sys.executable, "compare.py", PROGRAM, "charging.yaml"], cwd=folder, check=True, capture_output=True, text=True, encoding="utf-8")
    assert done.stdout.count("true  ") == 3 and "recommended" in done.stdout and "best measured (trial" in done.stdout, done.stdout


for each in EXPECTED:
    with tempfile.TemporaryDirectory() as place:
        copy = os.path.join(place, each)
        shutil.copytree(os.path.join(EXAMPLES, each), copy)
        check(each, copy)
        if each == "charging":
            compare(copy)

#!/usr/bin/env python3
"""study.py --out FOLDER [options]: compares policies on mnist.yaml. If it is killed, start it again: it carries on where it stopped.

In replication r, `ckg run` evaluates the initial design with seed r. Each policy continues from a copy of that study, so that all start alike,
and is asked for its recommendation at regular intervals. Each recommended design is then trained again several times, with seeds that no
study uses: its "ground truth".

FOLDER gets recommended.csv (the designs and what is predicted for them), retrained.csv (the ground truth, a row for each training),
trials.csv (every evaluation of every study) and settings.json; figure.py turns them into a table and a figure."""
import argparse
import concurrent.futures
import csv
import json
import math
import os
import re
import shutil
import subprocess
import sys
import threading

HERE = os.path.dirname(os.path.abspath(__file__))
BUILD = os.path.join(HERE, "..", "..", "build")
FULL = {"train": 50000, "validation": 10000, "epochs": 5, "predictions": 3000, "prediction_seconds": 0, "cpu": 0, "limit_ms": 1,
        "replications": 20, "evaluations": 70, "step": 10, "retrain": 20}
RESULT = ["error", "time_ms"]
LOCK = threading.Lock()


def arguments():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--out", required=True, metavar="FOLDER")
    p.add_argument("--full", action="store_true", help="the paper's setting: " + ", ".join(f"{k} {v}" for k, v in FULL.items()))
    p.add_argument("--policies", default="ckg,nei,cts,pkg,random", help="default: %(default)s")
    for name, value, text in (("train", 5000, "images"), ("validation", 5000, "images"), ("epochs", 2, ""), ("predictions", 100, "timed"),
                              ("prediction-seconds", 0.2, "longest time to spend on timing; 0: no limit"), ("cpu", 1, "1: processor time instead of wall-clock time"),
                              ("log-error", 0, "1: the objective is log10 of the error"), ("limit-ms", 4.0, "the constraint"),
                              ("replications", 10, ""), ("first", 1, "number of the first replication"),
                              ("initial", 20, "evaluations"), ("evaluations", 50, "in total"), ("step", 5, "evaluations between recommendations"),
                              ("retrain", 3, "trainings of a recommended design"), ("jobs", 1, "replications at once")):
        p.add_argument("--" + name, type=type(value), default=value, help=f"{text}; default: {value}".lstrip("; "))
    p.add_argument("--data", default=os.path.join(HERE, "data"), metavar="FOLDER")
    p.add_argument("--ckg", default=os.path.join(BUILD, "ckg"), metavar="PROGRAM")
    p.add_argument("--mnist", default=os.path.join(BUILD, "examples", "mnist"), metavar="PROGRAM")
    given = p.parse_args()
    if given.full:
        for name, value in FULL.items():
            setattr(given, name, value)
    for name in ("out", "data", "ckg", "mnist"):
        setattr(given, name, os.path.abspath(getattr(given, name)))
    return given


class Table:
    """A CSV file that is appended to, a row at a time; the first `keys` columns say which row it is."""

    def __init__(self, path, columns, keys):
        self.path, self.columns, self.keys, self.rows = path, columns, keys, {}
        if os.path.exists(path):
            with open(path, newline="") as file:
                whole = [line for line in file if line.endswith("\n")]
            for row in csv.DictReader(whole):
                self.rows[tuple(row[c] for c in columns[:keys])] = row
            with open(path + ".new", "w", newline="") as file:      # a row cut short by a kill is made again
                file.writelines(whole)
            os.replace(path + ".new", path)
        else:
            with open(path, "w", newline="") as file:
                file.write(",".join(columns) + "\n")

    def get(self, *key):
        return self.rows.get(tuple(map(str, key)))

    def add(self, *values):
        row = dict(zip(self.columns, map(str, values)))
        with LOCK:
            self.rows[tuple(map(str, values[:self.keys]))] = row
            with open(self.path, "a", newline="") as file:
                csv.writer(file, lineterminator="\n").writerow(values)
        return row


def evaluator(g, seed):
    return [g.mnist, "--data", g.data, "--train", str(g.train), "--validation", str(g.validation), "--epochs", str(g.epochs),
            "--predictions", str(g.predictions), "--prediction-seconds", str(g.prediction_seconds), "--cpu", str(g.cpu),
            "--seed", str(seed)]


def objective(g):
    return "log_error" if g.log_error else "error"


def write_problem(g, path, replication, policy, budget):
    """mnist.yaml with these settings."""
    with open(os.path.join(HERE, "mnist.yaml")) as file:
        text = file.read()
    command = json.dumps(evaluator(g, replication) + ["--log-time", "1", "--log-error", str(g.log_error)])
    for pattern, by in (("^budget: .*", f"budget: {budget}"), ("^initial: .*", f"initial: {g.initial}"), ("^policy: .*", f"policy: {policy}"),
                        ("^seed: .*", f"seed: {replication}"), ("log_time: {max: [^,]*,", f"log_time: {{max: {math.log10(g.limit_ms):.17g},"),
                        ("name: error,", f"name: {objective(g)},"), (r"command: \[[^]]*\]", f"command: {command}"),
                        ("timeout: .*", "timeout: 36000")):
        text, found = re.subn(pattern, lambda _: by, text, flags=re.MULTILINE)
        assert found == 1, f"mnist.yaml: {pattern} {found} times"
    with open(path, "w") as file:
        file.write(text)


def ckg(g, *words):
    done = subprocess.run([g.ckg, *words], capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"ckg {' '.join(words)}: {done.stderr.strip()}")
    return done.stdout


def run_to(g, folder, replication, policy, budget):
    problem = os.path.join(folder, "mnist.yaml")
    write_problem(g, problem, replication, policy, budget)
    ckg(g, "run", "--quiet", "--threads", "1", problem)
    return problem


def begin(g, replication):
    """The folder of the study with the initial design."""
    folder = os.path.join(g.out, str(replication), "initial")
    os.makedirs(folder, exist_ok=True)
    run_to(g, folder, replication, "random", g.initial)
    return folder


def copy_study(initial, folder):
    if not os.path.exists(folder):
        shutil.copytree(initial, folder + ".new")
        os.rename(folder + ".new", folder)


def retrain(g, tables, design, key):
    for k in range(g.retrain):
        if tables["retrained"].get(*key, k):
            continue
        done = subprocess.run(evaluator(g, 1000000 + k), input=json.dumps(design), capture_output=True, text=True)
        if done.returncode:
            raise SystemExit(f"{g.mnist}: {done.stderr.strip()}")
        answer = json.loads(done.stdout)
        tables["retrained"].add(*key, k, *(repr(answer[name]) for name in RESULT))


def look(g, tables, folder, replication, policy, budget):
    """Evaluates up to the budget, takes the recommendation and its ground truth."""
    key = (replication, policy, budget)
    row = tables["recommended"].get(*key)
    if not row:
        problem = run_to(g, folder, replication, policy, budget)
        r = json.loads(ckg(g, "recommend", "--json", "--threads", "1", problem))
        limit = r["constraints"]["log_time"]
        row = tables["recommended"].add(*key, *(repr(v) for v in (*r["parameters"].values(), r["objective"]["mean"], r["objective"]["sd"],
                                                                  limit["mean"], limit["sd"], r["probability_feasible"])))
    design = {name: float(row[name]) for name in tables["parameters"]}
    retrain(g, tables, design, key)


def add_trials(g, tables, folder, replication, policy):
    for line in ckg(g, "trials", "--json", os.path.join(folder, "mnist.yaml")).splitlines():
        t = json.loads(line)
        if not tables["trials"].get(replication, policy, t["trial"]):
            values = [t["parameters"][name] for name in tables["parameters"]] + [t["values"].get(name) for name in (objective(g), "log_time")]
            tables["trials"].add(replication, policy, t["trial"], t["state"], *map(repr, values))


def replicate(g, tables, replication):
    initial = begin(g, replication)
    for policy in g.policies.split(","):
        folder = os.path.join(g.out, str(replication), policy)
        copy_study(initial, folder)
        for budget in range(g.initial, g.evaluations + 1, g.step):
            look(g, tables, folder, replication, policy, budget)
        add_trials(g, tables, folder, replication, policy)
        print(f"replication {replication}: {policy} is done", flush=True)


def check_settings(g):
    """A folder holds one setting; how many replications and which policies may grow."""
    fixed = {name: getattr(g, name) for name in ("train", "validation", "epochs", "predictions", "prediction_seconds", "cpu", "limit_ms",
                                                 "log_error", "initial", "evaluations", "step", "retrain")}
    path = os.path.join(g.out, "settings.json")
    if os.path.exists(path):
        with open(path) as file:
            if json.load(file) != fixed:
                raise SystemExit(f"{path}: the folder has results of another setting; choose another folder")
        return
    with open(path, "w") as file:
        json.dump(fixed, file, indent=1)
        file.write("\n")


def main():
    g = arguments()
    os.makedirs(g.out, exist_ok=True)
    check_settings(g)
    with open(os.path.join(HERE, "mnist.yaml")) as file:
        names = re.findall(r"^  (\w+): +{type:", file.read(), flags=re.MULTILINE)
    key = ["replication", "policy"]
    measured = [objective(g), "log_time"]
    predicted = [measured[0], measured[0] + "_sd", "log_time", "log_time_sd", "probability_feasible"]
    columns = {"recommended": (key + ["evaluations"] + names + predicted, 3),
               "retrained": (key + ["evaluations", "training"] + RESULT, 4),
               "trials": (key + ["trial", "state"] + names + measured, 3)}
    tables = {name: Table(os.path.join(g.out, name + ".csv"), *c) for name, c in columns.items()}
    tables["parameters"] = names
    with concurrent.futures.ThreadPoolExecutor(g.jobs) as pool:
        for done in [pool.submit(replicate, g, tables, r) for r in range(g.first, g.first + g.replications)]:
            done.result()


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""test_bench_own.py CKG [TEST …]: replicated experiments on a problem file of the user's own, on the models of its trials or by its command.

Costs are compared with what `ckg predict` says of the designs, and with the command's own answers; the bytes are the same for any number of threads and after
a kill.
"""
import csv
import json
import math
import time

from harness import Folder, check, main

EVALUATOR = """
import json, sys
p = json.load(sys.stdin)
if p["a"] > 0.95: sys.exit("broken")
open("log.txt", "a").write(json.dumps(p) + "\\n")
print(json.dumps({"y": 3 - (p["a"] - 0.3) ** 2 - (p["b"] - 2) ** 2 / 4 - (p["k"] == "red"), "c": p["a"] * p["b"]}))
"""


def write_study(folder, trials=24, noise="none", command=True):
    """To maximise 3 − (a − 0.3)² − (b − 2)²/4 − [k = red] where a·b ≤ 0.5: the best feasible design is at a = 0.25."""
    problem = {"name": "mine", "goal": "maximize", "budget": 14, "initial": 6, "seed": 1,
               "parameters": {"a": {"type": "real", "low": 0, "high": 1}, "b": {"type": "integer", "low": 0, "high": 4},
                              "k": {"type": "categorical", "values": ["red", "blue"]}},
               "objective": {"name": "y", "noise": noise}, "constraints": {"c": {"max": 0.5, "noise": "none"}}}
    if command:
        problem["evaluate"] = {"command": ["python3", "evaluate.py"]}
        folder.write("evaluate.py", EVALUATOR)
    folder.write("mine.yaml", json.dumps(problem))
    lines = []
    for i in range(trials):
        a, b, k = (i * 0.618034) % 1, i % 5, ["red", "blue"][i // 2 % 2]
        y = 3 - (a - 0.3) ** 2 - (b - 2) ** 2 / 4 - (k == "red")
        lines.append(json.dumps({"trial": i + 1, "state": "complete", "parameters": {"a": a, "b": b, "k": k}, "values": {"y": y, "c": a * b}, "origin": "user",
                                 "seconds": None, "why": None}))
    if trials:
        folder.write("trials.jsonl", "\n".join(lines) + "\n")
        folder.ckg("import", "mine.yaml", "trials.jsonl", expect=0)


def words(out, *more, policies="cei,random", threads=1):
    return ["bench", "--problem", "mine.yaml", "--policy", policies, "--replications", 2, "--out", out, "--threads", threads, "--quiet", *more]


def files(folder, out):
    paths = sorted(p for p in (folder.path / out).rglob("*") if p.is_file() and p.name != "timing.csv")
    return {str(p.relative_to(folder.path / out)): p.read_bytes() for p in paths}


def rows(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def test_costs_are_those_of_the_models():
    with Folder() as folder:
        write_study(folder)
        folder.ckg(*words("b"), expect=0)
        check(set(files(folder, "b")) == {"bench.json"} | {f"{p}mine_0_{k}.csv" for p in ("", "designs/") for k in ("cei", "random")}, files(folder, "b"))
        costs, designs = rows(folder.path / "b/mine_0_cei.csv"), [r for r in rows(folder.path / "b/designs/mine_0_cei.csv") if r["recommended_x1"]]
        check(len(costs) == len(designs) == 2 * (14 - 6 + 1), len(costs), len(designs))
        check(min(float(c["oc_recommended"]) for c in costs) > -1e-6, "better than the best")
        folder.write("at.csv", "a,b,k\n" + "".join(f"{d['recommended_x1']},{d['recommended_x2']},{['red', 'blue'][int(d['recommended_x3'])]}\n" for d in designs))
        said = [json.loads(line)["outcomes"] for line in folder.ckg("predict", "mine.yaml", "--at", "at.csv", "--json", expect=0).out.splitlines()]
        optima = set()
        for cost, p in zip(costs, said):
            feasible = p["c"]["mean"] <= 0.5
            check(cost["recommended_feasible"] == str(int(feasible)), cost, p)
            if feasible:
                optima.add(round(float(cost["oc_recommended"]) + p["y"]["mean"], 6))
        check(len(optima) == 1, "costs are not from one optimum", optima)
        check(abs(optima.pop() - (3 - 0.05 ** 2)) < 0.02, optima)
        check(float(costs[-1]["oc_recommended"]) < 0.05, costs[-1])
        summary = folder.ckg("bench", "--summary", "b", expect=0).out
        check("mine" in summary and "random" in summary, summary)
        folder.ckg("bench", "--plot", "b", "-o", "b.svg", expect=0)


def test_same_bytes_however_it_is_run():
    with Folder() as folder:
        write_study(folder)
        folder.ckg(*words("one"), expect=0)
        folder.ckg(*words("two", threads=2), expect=0)
        check(files(folder, "one") == files(folder, "two"))
        process = folder.start(*words("killed"))
        while process.poll() is None and not list((folder.path / "killed").glob("parts/*.rows")) and not list((folder.path / "killed").glob("mine*.csv")):
            time.sleep(0.002)
        process.kill()
        process.wait()
        folder.ckg(*words("killed"), expect=0)
        check(files(folder, "one") == files(folder, "killed"))


def test_what_it_was_done_on_is_kept():
    """Other settings of the models, or other trials, do not mix with what a folder has."""
    with Folder() as folder:
        write_study(folder, trials=12)
        folder.ckg(*words("b", "-m", "kernel=matern32", "--model", "fit=ml", policies="cei"), expect=0)
        record = json.loads((folder.path / "b/bench.json").read_text())
        check(record["model"] == "kernel=matern32 fit=ml" and "12 trials" in record["files"] and record["evaluations"] == 14 and record["initial"] == 6, record)
        folder.ckg(*words("b", policies="cei"), expect=2).one_line("other settings")
        folder.ckg(*words("other", policies="cei"), expect=0)
        check(files(folder, "b")["mine_0_cei.csv"] != files(folder, "other")["mine_0_cei.csv"], "the settings change nothing")
        folder.ckg("bench", "--problem", "mystery", "--out", "c", "-m", "nonsense=1", expect=2).one_line("nonsense")
        folder.ckg("ask", "mine.yaml", expect=0)
        folder.ckg(*words("b", "-m", "kernel=matern32", "--model", "fit=ml", policies="cei"), expect=2).one_line("other settings")


def test_by_the_command():
    """The best so far is the command's own answer; designs are evaluated once; a failed evaluation is a failed trial."""
    with Folder() as folder:
        write_study(folder, trials=0)
        folder.ckg(*words("b", "--real", "--evaluations", 9, policies="random"), expect=0)
        seen = [json.loads(line) for line in (folder.path / "log.txt").read_text().splitlines()]
        check(len(seen) == len({json.dumps(p) for p in seen}), "a design was evaluated twice")
        costs, designs = rows(folder.path / "b/mine_0_random.csv"), rows(folder.path / "b/designs/mine_0_random.csv")
        best = -math.inf
        for design in designs:
            if design["evaluation"] == "1":
                best = -math.inf
            a, b, k = float(design["x1"]), float(design["x2"]), int(design["x3"])
            if a <= 0.95 and a * b <= 0.5:
                best = max(best, 3 - (a - 0.3) ** 2 - (b - 2) ** 2 / 4 - (k == 0))
            for cost in costs:
                if (cost["replication"], cost["evaluation"]) == (design["replication"], design["evaluation"]) and best > -math.inf:
                    check(abs(float(cost["oc_best_feasible"]) + best) < 1e-9, cost, best)
        folder.write("evaluate.py", "raise SystemExit('never')")
        folder.ckg(*words("c", "--real", "--evaluations", 7, policies="random"), expect=1)


def test_refused():
    with Folder() as folder:
        write_study(folder, trials=0, command=False)
        folder.ckg(*words("b"), expect=2).one_line("mine.yaml: 'y' has not been measured yet", "--real")
        folder.ckg(*words("b", "--real"), expect=2).one_line("--real needs `evaluate: {command: …}`")
        folder.ckg("bench", "--problem", "none.yaml", "--out", "b", expect=2).one_line("none.yaml")
        folder.ckg("bench", "--problem", "mystery", "--real", "--out", "b", expect=2).one_line("--real is for problem files")
        write_study(folder, trials=10)
        folder.ckg(*words("b", "--noise", "1"), expect=2).one_line("says that its objective has none")
        folder.write("mystery.yaml", (folder.path / "mine.yaml").read_text())
        folder.ckg("bench", "--problem", "mystery.yaml", "--real", "--out", "b", expect=2).one_line("also a built-in problem")
        check(not (folder.path / "b").exists())


if __name__ == "__main__":
    main(globals())

#!/usr/bin/env python3
"""test_yesno.py CKG [TEST …]: constraints that answer yes or no: told in every way, shown, kept, exported, changed."""
import json

from harness import Folder, check, main

COST = """import json, sys
x = json.load(sys.stdin)
print(json.dumps({"cost": x["a"] + x["b"], "runs": x["a"] * x["b"] > 0.25}))
"""
FILE = """name: s
goal: minimize
budget: 14
initial: 6
policy: cei
seed: 1
parameters:
  a: {type: real, low: 0, high: 1}
  b: {type: real, low: 0, high: 1}
objective: {name: cost, noise: none}
constraints:
  runs: {type: yesno, description: whether it runs}
evaluate: {command: [python3, cost.py]}
"""
PEOPLE = FILE.replace("evaluate: {command: [python3, cost.py]}\n", "")


def study(folder, budget=6):
    folder.write("cost.py", COST)
    folder.write("s.yaml", FILE.replace("budget: 14", f"budget: {budget}"))
    return folder.ckg("run", "--verbose", "s.yaml", expect=0)


def values(folder, name="s.yaml"):
    return [t["values"].get("runs") for t in folder.trials(name)]


def test_a_run():
    """The best of a·b > 0.25 is a + b = 1; a yes is a fact, and what is said of other designs a probability."""
    with Folder() as folder:
        out = study(folder, 14).out
        check("runs=yes" in out and "runs=no" in out and "runs                 yes, met (= yes)" in out, out)
        trials = folder.trials("s.yaml")
        for t in trials:
            check(t["values"]["runs"] is (t["parameters"]["a"] * t["parameters"]["b"] > 0.25) is t["feasible"], t)

        # What is recommended, by either rule.
        found = json.loads(folder.ckg("recommend", "s.yaml", "--json", expect=0).out)
        check(1 < found["objective"]["mean"] < 1.25 and found["probability_feasible"] == 1, found)
        check(found["best_evaluated"]["constraints"] == {"runs": True}, found)
        check("yes with probability" in folder.ckg("recommend", "s.yaml", "-p", "0.8", expect=0).out)
        folder.ckg("recommend", "s.yaml", "--limit", "runs=0", expect=2).one_line("answers yes or no and has no limit")

        # What is predicted, and the model.
        folder.write("at.csv", "a,b\n0.05,0.05\n0.9,0.9\n")
        low, high = map(json.loads, folder.ckg("predict", "s.yaml", "--at", "at.csv", "--json", expect=0).out.splitlines())
        for p in (low, high):
            runs = p["outcomes"]["runs"]
            check(abs(runs["mean"] * (1 - runs["mean"]) - runs["sd"] ** 2) < 1e-9, p)
            check(abs(runs["mean"] - p["probability_feasible"]) < 1e-9, p)
        check(low["probability_feasible"] < 0.2 and high["probability_feasible"] > 0.8, (low, high))
        check(" runs with probability" in folder.ckg("predict", "s.yaml", "--at", "at.csv", expect=0).out)
        model = json.loads(folder.ckg("model", "s.yaml", "--json", expect=0).out)["runs"]
        check(model["scale"] == "probit" and model["noise_sd"] is None and 0 < model["mean"] < 1, model)
        check("probit (yes or no)" in folder.ckg("model", "s.yaml", expect=0).out)

        # The report and its pictures.
        folder.ckg("report", "s.yaml", "-o", "r.html", expect=0)
        page = (folder.path / "r.html").read_text()
        check("= yes" in page and "whether it runs" in page and "NaN" not in page and ">nan<" not in page)


def test_kept_exported_and_imported():
    with Folder() as folder:
        study(folder)
        told = values(folder)
        for kind in ("csv", "jsonl"):
            folder.ckg("export", "s.yaml", "-o", f"t.{kind}", expect=0)
        check("true" in (folder.path / "t.csv").read_text() and "false" in (folder.path / "t.csv").read_text())
        for kind in ("csv", "jsonl"):
            folder.write(f"{kind}.yaml", PEOPLE.replace("name: s", f"name: {kind}"))
            folder.ckg("import", f"{kind}.yaml", f"t.{kind}", expect=0)
            check(values(folder, f"{kind}.yaml") == told, kind)
        folder.write("p.yaml", PEOPLE.replace("name: s", "name: p"))
        folder.write("p.csv", "a,b,cost,runs\n.1,.2,3,YES\n.3,.4,5,no\n.5,.6,7,1\n.7,.8,9,0\n.9,.1,1,\n")
        folder.ckg("import", "p.yaml", "p.csv", expect=0)
        check(values(folder, "p.yaml") == [True, False, True, False, None])
        folder.write("q.csv", "a,b,cost,runs\n.1,.25,3,0.5\n")
        folder.ckg("import", "p.yaml", "q.csv", expect=2).one_line("q.csv:2: runs = '0.5' is not true or false")


def test_told_by_people():
    """Every word for yes and no; nothing else, and no standard deviation."""
    with Folder() as folder:
        folder.write("s.yaml", PEOPLE.replace("initial: 6", "initial: 9"))
        for i, word in enumerate(("yes", "true", "1", "True", "no", "false", "0", "NO", "null"), 1):
            folder.ckg("ask", "s.yaml", expect=0)
            folder.ckg("tell", "s.yaml", str(i), "cost=1", f"runs={word}", expect=0)
        check(values(folder) == 4 * [True] + 4 * [False] + [None])
        folder.ckg("ask", "s.yaml", expect=0)
        for word in ("maybe", "2", "0.5", "[1,0.1]", '"perhaps"'):
            said = folder.ckg("tell", "s.yaml", "10", "cost=1", f"runs={word}", expect=2)
            check("runs" in said.err and "yes" in said.err and said.err.count("\n") == 1, said.err)
        folder.ckg("tell", "s.yaml", "1", "runs=no", expect=1).one_line("already complete with runs = yes")
        folder.ckg("tell", "s.yaml", "1", "runs=no", "--replace", expect=0)
        check(values(folder)[0] is False)


def test_found_in_a_text():
    """Behind a text in a file, as a simulator writes it."""
    with Folder() as folder:
        folder.write("sim.py", COST.replace('print(json.dumps({"cost": x["a"] + x["b"], "runs": x["a"] * x["b"] > 0.25}))',
                                            'print("cost:", x["a"], "\\nconverged: ", "yes," if x["a"] > 0.5 else "NO")'))
        folder.write("s.yaml", FILE.replace("[python3, cost.py]", '[python3, sim.py], results: {find: {cost: "cost:", runs: "converged:"}}').replace("budget: 14", "budget: 4"))
        folder.ckg("run", "s.yaml", expect=0)
        for t in folder.trials("s.yaml"):
            check(t["values"]["runs"] is (t["parameters"]["a"] > 0.5), t)


def test_changed():
    """Numbers become answers only where they are 1 or 0; answers become numbers."""
    with Folder() as folder:
        study(folder)
        told = values(folder)
        folder.write("s.yaml", FILE.replace("budget: 14", "budget: 6").replace("type: yesno, ", "min: 0.5, noise: none, "))
        said = json.loads(folder.ckg("change", "s.yaml", "--yes", "--json", expect=0).out)
        check(said["changes"] == ["runs is a number now"], said)
        check(values(folder) == [float(t) for t in told])
        folder.write("s.yaml", FILE.replace("budget: 14", "budget: 6"))
        said = json.loads(folder.ckg("change", "s.yaml", "--yes", "--json", expect=0).out)
        check(said["changes"] == ["runs answers yes or no now"], said)
        check(values(folder) == told)


if __name__ == "__main__":
    main(globals())

#!/usr/bin/env python3
"""test_rules.py CKG: rules of a problem file. Every design that is run, asked for or recommended obeys them; designs of one's own must, data need
not; they are part of what a study remembers, and are shown."""
import json

from harness import Folder, check, main

PROBLEM = """\
name: tube
goal: minimize
budget: 12
initial: 5
seed: 3
parameters:
  od:    {type: real, low: 1, high: 4}
  pitch: {type: real, low: 1, high: 6, step: 0.05}
  rows:  {type: integer, low: 1, high: 9}
  metal: {type: categorical, values: [steel, brass]}
  load:  {value: 2.5}
rules:
  - pitch >= 1.2 * od
  - od * rows <= 4 * load
  - if metal == "brass" then rows in [2, 4]
objective: {name: cost, noise: none}
constraints: {heat: {min: 4, noise: none}}
evaluate: {command: [python3, tube.py]}
"""

TUBE = """\
import json, sys
s = json.load(sys.stdin)
cost = s["pitch"] ** 2 + s["rows"] * (1 if s["metal"] == "steel" else 0.9) + (s["od"] - 2) ** 2
print(json.dumps({"cost": cost, "heat": s["od"] * s["rows"]}))
"""


def obeys(x):
    brass = x["metal"] != "brass" or x["rows"] in (2, 4)
    return x["pitch"] >= 1.2 * x["od"] and x["od"] * x["rows"] <= 10 and brass


def read(folder, *words):
    return [json.loads(line) for line in folder.ckg(*words, "--json", expect=0).out.splitlines()]


def begin(folder, text=PROBLEM):
    folder.write("tube.yaml", text)
    folder.write("tube.py", TUBE)


def test_every_design_obeys():
    with Folder() as folder:
        begin(folder)
        folder.ckg("run", "tube.yaml", "--quiet", expect=0)
        trials = read(folder, "trials", "tube.yaml")
        check(len(trials) == 12, trials)
        for trial in trials:
            check(obeys(trial["parameters"]), trial)
        for words in ((), ("--evaluated",), ("--probability", "0.9")):
            recommended = read(folder, "recommend", "tube.yaml", *words)[0]
            check(obeys(recommended["parameters"]), words, recommended)

        # As it is printed, in fewer digits, it obeys too; what people round is forgiven.
        lines = [line.split() for line in folder.ckg("recommend", "tube.yaml", expect=0).out.splitlines()]
        shown = {words[0]: words[1] for words in lines if len(words) > 1 and words[0] in ("od", "pitch", "rows", "metal")}
        check(len(shown) == 4, lines)
        folder.ckg("ask", "tube.yaml", "--at", *(f"{name}={value}" for name, value in shown.items()), expect=1).one_line("exceed the budget")

        # The limit of the first rule and of the constraint: od as thin as heat lets it be, pitch the next step above 1.2 od.
        x = read(folder, "recommend", "tube.yaml")[0]["parameters"]
        check(x["pitch"] - 1.2 * x["od"] < 0.06, x)


def test_designs_of_ones_own():
    with Folder() as folder:
        begin(folder)
        at = ("od=2", "pitch=2.35", "rows=3", "metal=steel")
        folder.ckg("ask", "tube.yaml", "--at", *at, expect=2).one_line("the design breaks the rule 'pitch >= 1.2 * od'")
        folder.ckg("ask", "tube.yaml", "--at", "od=2", "pitch=2.4", *at[2:], expect=0)  # 1.2 · 2 as people reckon it
        folder.ckg("tell", "tube.yaml", 1, "cost=9", "heat=6", expect=0)
        check(read(folder, "trials", "tube.yaml")[0]["feasible"] is True)
        begin(folder, PROBLEM.replace("name: tube", "name: other") +
              "designs: [{od: 2, pitch: 3, rows: 6, metal: steel}]\n")
        folder.ckg("status", "tube.yaml", expect=2).one_line("tube.yaml:19:11: the design breaks the rule 'od * rows <= 4 * load'")


def test_data_are_data():
    with Folder() as folder:
        begin(folder)
        folder.write("old.csv", "od,pitch,rows,metal,cost,heat\n2,2,3,steel,1,6\n3,3,3,steel,1,9\n2,3,3,steel,12,6\n")
        folder.ckg("import", "tube.yaml", "old.csv", expect=0).one_line("old.csv:2: 2 designs break a rule")
        trials = read(folder, "trials", "tube.yaml")
        check([t["feasible"] for t in trials] == [False, False, True], trials)
        check(read(folder, "status", "tube.yaml")[0]["best_feasible"]["trial"] == 3)
        check(obeys(read(folder, "recommend", "tube.yaml", "--evaluated")[0]["parameters"]))
        check(obeys(read(folder, "ask", "tube.yaml")[0]["parameters"]))


def test_remembered_and_shown():
    with Folder() as folder:
        begin(folder)
        folder.ckg("ask", "tube.yaml", expect=0)
        rules = ["pitch >= 1.2 * od", "od * rows <= 4 * load", 'if metal == "brass" then rows in [2, 4]']
        check(read(folder, "status", "tube.yaml")[0]["rules"] == rules)
        check(read(folder, "status", "--store", "sqlite:tube.db", "--study", "tube")[0]["rules"] == rules)
        folder.ckg("report", "tube.yaml", "-o", "r.html", expect=0)
        check("<code>od * rows &#60;= 4 * load</code>" in (folder / "r.html").read_text())
        begin(folder, PROBLEM.replace("1.2 * od", "1.3 * od"))
        folder.ckg("ask", "tube.yaml", expect=2).one_line("new rule pitch >= 1.3 * od", "the rule pitch >= 1.2 * od is gone")

        # Their order is nobody's concern.
        lines = PROBLEM.splitlines(keepends=True)
        at = lines.index("rules:\n") + 1
        begin(folder, "".join(lines[:at] + lines[at:at + 3][::-1] + lines[at + 3:]))
        folder.ckg("ask", "tube.yaml", expect=0)


if __name__ == "__main__":
    main(globals())

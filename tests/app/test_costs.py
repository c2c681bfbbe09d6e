#!/usr/bin/env python3
"""test_costs.py CKG [TEST …]: outcomes that are measured one at a time.

Where outcomes have a cost, a trial says what to measure: in words, in JSON, and to the evaluation in CKG_MEASURE. What comes together is asked for
together, the budget is in units of cost and is never exceeded, and what was measured of a design in several trials counts together. One process for
each step makes the same trials as a run. Without costs nothing of all this is seen.
"""
import json
import os

from harness import Folder, check, main, problem

COMMAND = ["python3", "evaluate.py"]
PROGRAM = """import json, math, os, sys
d = json.load(sys.stdin)
x, y = d["x"], d["y"]
assert "measure" not in d
wanted = os.environ["CKG_MEASURE"].split(",")
value = {"f": math.sin(7 * x) + math.cos(6 * y) + x, "c": math.sin(4 * x + 5 * y) - 0.3, "e": x * y - 0.6}
print(json.dumps({name: value[name] for name in wanted}))
"""


def priced(budget=40, command=COMMAND, more="initial: 4\n", groups="groups: [[f, e]]\n", cost=5):
    return problem("s", command, budget=budget, policy="auto", more=more + groups).replace(
        "{name: f, noise: none}", f"{{name: f, noise: none, cost: {cost}}}").replace(
            "  c: {max: 0, noise: none}\n", "  c: {max: 0, noise: none, cost: 1}\n  e: {max: 0, noise: none, cost: 0}\n")


def trials(folder):
    return [json.loads(line) for line in folder.ckg("trials", "s.yaml", "--json", expect=0).out.splitlines()]


def test_run_measures_what_is_worth_it():
    with Folder() as folder:
        folder.write("evaluate.py", PROGRAM)
        folder.write("s.yaml", priced(budget=34))
        ran = folder.ckg("run", "s.yaml", expect=0)
        check("no value" not in ran.err and "no value" not in ran.out, ran.out, ran.err)
        made = trials(folder)
        spent = 0
        for t in made:
            check(t["state"] == "complete" and sorted(t["values"]) == sorted(t["measure"]), t)
            check(("f" in t["measure"]) == ("e" in t["measure"]), t)
            check(t["cost"] == 5 * ("f" in t["measure"]) + ("c" in t["measure"]), t)
            spent += t["cost"]
        check(all(len(t["measure"]) == 3 for t in made[:4]), made[:4])
        check(any(len(t["measure"]) < 3 for t in made[4:]), made[4:])
        check(spent <= 34 and spent + 1 > 34, spent)
        status = json.loads(folder.ckg("status", "s.yaml", "--json", expect=0).out)
        check(status["spent"] == spent and status["budget"] == 34, status)
        check(f"cost so far: {spent:g} of 34" in folder.ckg("status", "s.yaml", expect=0).out)

        # One process for each step makes the same trials.
        with Folder() as other:
            other.write("s.yaml", priced(command=(), budget=34))
            for t in made:
                asked = json.loads(other.ckg("ask", "s.yaml", "--json", expect=0).out)
                check(all(asked[key] == t[key] for key in ("parameters", "measure", "cost")), asked, t)
                other.ckg("tell", "s.yaml", asked["trial"], *(f"{name}={value!r}" for name, value in t["values"].items()), expect=0)
            other.ckg("ask", "s.yaml", expect=1)


def test_ask_and_tell():
    with Folder() as folder:
        folder.write("s.yaml", priced(command=(), budget=22))
        for _ in range(3):
            trial = json.loads(folder.ckg("ask", "s.yaml", "--json", expect=0).out)
            check(trial["measure"] == ["f", "c", "e"] and trial["cost"] == 6, trial)
            x = trial["parameters"]["x"]
            folder.ckg("tell", "s.yaml", trial["trial"], f"f={x}", f"c={x - 0.5}", f"e={x - 2}", expect=0)
        said = folder.ckg("ask", "s.yaml", expect=0).out
        check("measure f,c,e" in said, said)

        # Only one more outcome can be paid for, but for nothing else; of several designs all or none.
        refused = folder.ckg("ask", "s.yaml", expect=1)
        refused.one_line("the budget of 22 is spent", "cost 24")
        folder.write("s.yaml", priced(command=(), budget=25))
        folder.ckg("ask", "s.yaml", "-n", 3, expect=1).one_line("3 designs were asked for, and the budget of 25 pays for 1; raise `budget`")
        check(len(trials(folder)) == 4)
        trial = json.loads(folder.ckg("ask", "s.yaml", "--json", expect=0).out)
        check(trial["measure"] == ["c"] and trial["cost"] == 1, trial)
        folder.ckg("tell", "s.yaml", trial["trial"], "c=-0.25", expect=0)
        check(trials(folder)[-1]["feasible"] is None)


def test_known_together():
    with Folder() as folder:
        folder.write("s.yaml", priced(command=(), budget=60))
        for values in (["f=1.5", "e=-1"], ["c=-0.25"]):
            folder.ckg("ask", "s.yaml", "--at", "x=0.25", "y=0.75", expect=0)
            number = len(trials(folder))
            folder.ckg("tell", "s.yaml", number, *values, expect=0)
        check([t["feasible"] for t in trials(folder)] == [True, True], trials(folder))
        check([t["cost"] for t in trials(folder)] == [5, 1])
        status = json.loads(folder.ckg("status", "s.yaml", "--json", expect=0).out)
        check(status["best_feasible"] == {"trial": 1, "objective": 1.5}, status)


def test_what_is_sure_need_not_be_measured():
    """The best design is known but for a constraint that holds everywhere by far: it is recommended, and what was measured of it is said as such."""
    with Folder() as folder:
        folder.write("s.yaml", priced(command=(), budget=200, groups="", cost=1).replace("cost: 0", "cost: 6"))
        rows = [f"{x / 4},{y / 4},{abs(x / 4 - 0.6) + abs(y / 4 - 0.4)},{x / 4 - 0.9},-100" for x in range(4) for y in range(4)]
        folder.write("in.csv", "\n".join(["x,y,f,c,e", *rows, ""]))
        folder.ckg("import", "s.yaml", "in.csv", expect=0)
        folder.ckg("ask", "s.yaml", "--at", "x=0.6", "y=0.4", expect=0)
        folder.ckg("tell", "s.yaml", 17, "f=0", "c=-0.3", expect=0)
        said = folder.ckg("recommend", "s.yaml", "--evaluated", expect=0).out.splitlines()
        check(said[0].endswith("the design of trial 17:"), said)
        check(said[3] == "measured, and predicted where there is a ±:", said)
        check([line.split() for line in said[4:6]] == [["f", "0"], ["c", "-0.3,", "met", "(<=", "0)"]], said)
        check("±" in said[6] and "met with probability > 0.9999" in said[6], said)
        whole = json.loads(folder.ckg("recommend", "s.yaml", "--evaluated", "--json", expect=0).out)
        check(whole["objective"] == {"mean": 0, "sd": 0} and whole["constraints"]["c"]["sd"] == 0 < whole["constraints"]["e"]["sd"], whole)


def test_without_costs():
    with Folder() as folder:
        folder.write("s.yaml", problem("s", ["sh", "-c", "env | grep -c CKG_MEASURE >&2; echo '{\"f\": 1, \"c\": 0}'"], budget=2))
        os.environ["CKG_MEASURE"] = "leftover"
        folder.ckg("run", "s.yaml", expect=0)
        del os.environ["CKG_MEASURE"]
        whole = json.loads(folder.ckg("trials", "s.yaml", "1", "--json", expect=0).out.splitlines()[0])
        check("measure" not in whole and "cost" not in whole, whole)
        check("spent" not in json.loads(folder.ckg("status", "s.yaml", "--json", expect=0).out))


# Of a command of its own: it answers what it is asked for, and says so in a file.
PART = """import json, math, os, sys
d = json.load(sys.stdin)
x, y = d["x"], d["y"]
wanted = os.environ["CKG_MEASURE"]
with open("asked", "a") as asked:
    asked.write(os.environ["CKG_TRIAL"] + " " + sys.argv[1] + " " + wanted + "\\n")
value = {"f": math.sin(7 * x) + math.cos(6 * y) + x, "c": math.sin(4 * x + 5 * y) - 0.3, "e": x * y - 0.6}
print("chatter of", sys.argv[1])
print(json.dumps({name: value[name] for name in wanted.split(",")} | {"by " + sys.argv[1]: 1}), end="")
"""
PARTS = """evaluate:
  commands:
    e: [python3, part.py, "it's e"]
    c: [python3, part.py, "c at {x}"]
"""


def test_a_command_for_each_group():
    with Folder() as folder:
        folder.write("part.py", PART)
        folder.write("s.yaml", priced(budget=34, command=()) + PARTS)
        folder.ckg("run", "s.yaml", expect=0)
        made = trials(folder)
        asked = [line.split(" ", 1) for line in (folder.path / "asked").read_text().splitlines()]
        for t in made:
            ran = [words for trial, words in asked if int(trial) == t["trial"]]
            x = next(iter(words for words in ran if words.startswith("c at")), "c at ").split()[2:3]
            check(sorted(t["values"]) == sorted(t["measure"]), t)
            check([words.split()[-1] for words in ran] ==
                  ["f,e"] * ("f" in t["measure"]) + ["c"] * ("c" in t["measure"]), t, ran)
            check(not x or "c" not in t["measure"] or float(x[0]) == t["parameters"]["x"], t, ran)
        check(any(len(t["measure"]) == 3 for t in made) and any(t["measure"] == ["c"] for t in made), made)

        # What the answers have beside outcomes is kept, of all of them.
        whole = json.loads(folder.ckg("trials", "s.yaml", "1", "--json", expect=0).out)
        check(whole["extra"] == {"by it's e": 1, "by c at " + repr(made[0]["parameters"]["x"]): 1}, whole)

        # The same trials as with one command for all.
        with Folder() as other:
            other.write("evaluate.py", PROGRAM)
            other.write("s.yaml", priced(budget=34))
            other.ckg("run", "s.yaml", expect=0)
            check([t["parameters"] for t in trials(other)] == [t["parameters"] for t in made])


def test_a_command_that_fails():
    for broken, why in (("import sys; sys.exit(3)", "exit status 3"), ("print('nothing')", "one of its commands")):
        for first in (0, 1):
            with Folder() as folder:
                folder.write("part.py", PART)
                folder.write("broken.py", broken)
                text = priced(budget=6, command=(), more="initial: 1\n") + PARTS
                lines = text.splitlines(keepends=True)
                at = -2 if first else -1
                lines[at] = lines[at].replace("part.py", "broken.py")
                folder.write("s.yaml", "".join(lines))
                folder.ckg("run", "s.yaml")
                made = trials(folder)
                check(made[0]["state"] == "failed" and why in made[0]["why"], made[0])

                # The first that fails is the last that runs.
                check((folder.path / "asked").exists() == (not first or why != "exit status 3"), broken, first)


def test_slips_of_commands():
    with Folder() as folder:
        folder.write("part.py", PART)
        good = priced(command=()) + PARTS
        one = "  command: [python3, part.py]\n"
        free = good.replace(", cost: 5", "").replace(", cost: 1", "").replace(", cost: 0", "").replace("groups: [[f, e]]\n", "")
        for text, words in ((good.replace('    c: [python3, part.py, "c at {x}"]\n', ""), ("no command measures 'c'",)),
                            (good + "    f: [python3, part.py]\n", ("'f' comes together with 'e'",)),
                            (good.replace("    c: [", "    nobody: ["), ("no outcome 'nobody'",)),
                            (good + one, ("`command` evaluates everything",)),
                            (good + "  results: {find: {f: F}}\n", ("`results` goes with one `command`",)),
                            (good.replace("[python3, part.py, \"c", "[\"\", \"c"), ("must not be empty",)),
                            (good.replace("  commands:", "  commands: {}\n  needs:"), ("no command measures 'f'",)),
                            (free, ("one at a time",))):
            folder.write("s.yaml", text)
            folder.ckg("status", "s.yaml", expect=2).one_line(*words)
        folder.write("s.yaml", good.replace('part.py, "c', 'nowhere.py, "c'))
        folder.ckg("run", "s.yaml", expect=2).one_line("s.yaml:", "'nowhere.py' does not exist")


def test_slips():
    with Folder() as folder:
        for text, words in ((priced().replace("[f, e]", "[f, nobody]"), ("'nobody'",)),
                            (priced(groups="groups: [f, e]\n"), ("come together",)),
                            (priced(groups=""), ("'e' costs nothing",)),
                            (priced(cost=-1), ("from 0 to 1e+150",)),
                            (priced().replace("  x: {", "  measure: {"), ("'measure'",))):
            folder.write("s.yaml", text)
            folder.ckg("status", "s.yaml", expect=2).one_line(*words)


if __name__ == "__main__":
    main(globals())

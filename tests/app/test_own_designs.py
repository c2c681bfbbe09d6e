#!/usr/bin/env python3
"""test_own_designs.py CKG: designs of the user's own. Those of the problem file come first, in order, each as often as it stands there, however
often the run is killed; `ckg ask --at` and imported rows without results are queued and evaluated before the next suggestion."""
import json
import pathlib

from harness import Folder, check, main, scale

FIRST = [{"x": 0.25, "n": 4, "c": 8}, {"x": 0.75, "n": 2, "c": "a=b"}, {"x": 0.25, "n": 4, "c": 8}, {"x": 0.1, "n": 1, "c": True}]

PROBLEM = """name: s
goal: minimize
budget: {budget}
initial: {initial}
seed: 5
parameters:
  x:   {{type: real, low: 0, high: 1}}
  n:   {{type: integer, low: 1, high: 8}}
  c:   {{type: categorical, values: [8, 'a=b', true]}}
  lot: {{value: 3}}
objective: {{name: f, noise: {noise}}}
constraints:
  g: {{max: 1, noise: {noise}}}
designs: {designs}
{more}"""

EVALUATOR = """
import json, os, pathlib, signal, sys
s = json.load(sys.stdin)
with open("seen", "a") as seen:
    seen.write(json.dumps([os.environ["CKG_TRIAL"], s]) + "\\n")
died = pathlib.Path("died" + os.environ["CKG_TRIAL"])
if pathlib.Path("deadly").exists() and not died.exists():
    died.touch()
    os.kill(int(os.environ["CKG_WORKER"].split("-")[0]), signal.SIGKILL)  # the run; the parent is a guard
    signal.pause()
print(json.dumps({"f": (s["x"] - 0.4) ** 2 + 0.1 * (s["n"] - 3) ** 2, "g": s["x"]}))
"""

COMMAND = "evaluate:\n  command: [python3, e.py]\n"


def write(folder, budget=9, initial=6, designs=FIRST, noise="auto", more=COMMAND):
    folder.write("e.py", EVALUATOR)
    folder.write("s.yaml", PROBLEM.format(budget=budget, initial=initial, designs=json.dumps(designs), noise=noise, more=more))


def made(folder):
    """The designs of the trials, the fixed value left out, and where each is from."""
    trials = folder.trials("s.yaml")
    check(all(t["parameters"].pop("lot") == 3 for t in trials))
    return [t["parameters"] for t in trials], [t["origin"] for t in trials]


def test_the_files_designs_come_first():
    with Folder() as folder:
        write(folder)
        folder.ckg("run", "s.yaml", "--quiet", expect=0)
        designs, origins = made(folder)
        check(designs[:4] == FIRST, designs)
        check(origins == ["user"] * 4 + ["design"] * 2 + ["policy"] * 3, origins)


def test_asked_for_by_hand():
    with Folder() as folder:
        write(folder, more="")
        lines = folder.ckg("ask", "s.yaml", "-n", 5, expect=0).out.splitlines()
        check(lines[0] == "trial 1: x=0.25 n=4 c=8  (a design of your own)" and "own" not in lines[4], lines)
        check(lines[3].startswith("trial 4: x=0.1 n=1 c=true"), lines)


def test_killed_between_two():
    """A run that dies at every single evaluation makes the same trials as one that never does, none lost and none twice."""
    with Folder() as calm, Folder() as deadly:
        for folder in (calm, deadly):
            write(folder, budget=scale(9, 6), initial=5)
        calm.ckg("run", "s.yaml", "--quiet", expect=0)
        deadly.write("deadly", "")
        for _ in range(20):
            if deadly.ckg("run", "s.yaml", "--quiet").status == 0:
                break
        check(made(deadly) == made(calm), made(deadly), made(calm))
        check(len(list(pathlib.Path(deadly.path).glob("died*"))) == scale(9, 6))
        deadly.nothing_left()


def test_several_at_once():
    with Folder() as folder:
        write(folder, more=COMMAND + "  parallel: 3\n")
        folder.ckg("run", "s.yaml", "--quiet", expect=0)
        designs, origins = made(folder)
        check(designs[:4] == FIRST and origins[:5] == ["user"] * 4 + ["design"], designs, origins)


def test_more_designs_later():
    """What is added to the list is evaluated next; what was evaluated already, or imported, is not again."""
    with Folder() as folder:
        write(folder, budget=5, designs=FIRST[:2])
        folder.ckg("run", "s.yaml", "--quiet", expect=0)
        write(folder, budget=6, designs=[FIRST[3]] + FIRST[:2])
        folder.ckg("run", "s.yaml", "--quiet", expect=0)
        designs, origins = made(folder)
        check(designs[:2] == FIRST[:2] and designs[5] == FIRST[3] and origins[5] == "user", designs)
    with Folder() as folder:
        write(folder, designs=FIRST[:2])
        folder.write("old.csv", "x,n,c,f,g\n0.75,2,a=b,1,0\n")
        folder.ckg("import", "s.yaml", "old.csv", expect=0)
        folder.ckg("run", "s.yaml", "--quiet", expect=0)
        check(made(folder)[0][:2] == [FIRST[1], FIRST[0]] and made(folder)[0].count(FIRST[1]) == 1)


def test_another_one_was_made():
    """A design of the file that somebody corrected to the one really made has been taken up all the same."""
    with Folder() as folder:
        write(folder, designs=FIRST[:3], more="")
        folder.ckg("ask", "s.yaml", "-n", 3, expect=0)
        folder.ckg("tell", "s.yaml", 1, "f=1", "g=0", "--at", "x=0.26", expect=0)
        folder.ckg("tell", "s.yaml", 2, "f=1", "g=0", "--at", "n=3", expect=0)
        check("own" not in folder.ckg("ask", "s.yaml", expect=0).out)
        write(folder, designs=FIRST, more="")
        check("trial 5: x=0.1 n=1 c=true" in folder.ckg("ask", "s.yaml", expect=0).out)


def test_the_store_alone():
    with Folder() as folder:
        write(folder, more="")
        folder.ckg("ask", "s.yaml", expect=0)
        one = json.loads(folder.ckg("ask", "--store", "s.db", "--study", "s", "--json", expect=0).out)
        check(one["parameters"]["c"] == "a=b" and one["trial"] == 2, one)


def test_queued_by_hand():
    with Folder() as folder:
        write(folder, designs=[])
        said = folder.ckg("ask", "s.yaml", "--at", "x=0.5", "n=7", "c=a=b", expect=0)
        check(said.out == "trial 1: x=0.5 n=7 c=a=b  (a design of your own, queued for the next run)\n" and said.err == "", said.out, said.err)
        one = json.loads(folder.ckg("ask", "s.yaml", "--at=c=true", "n=7", "x=5e-1", "lot=3", "--json", expect=0).out)
        check(one["trial"] == 2 and one["state"] == "pending" and one["origin"] == "user" and one["parameters"]["c"] is True, one)
        folder.ckg("run", "s.yaml", "--quiet", expect=0)
        designs, origins = made(folder)
        check(designs[0] == {"x": 0.5, "n": 7, "c": "a=b"} and origins[2] == "design", designs, origins)
        check(len(designs) == 9)
        folder.ckg("ask", "s.yaml", "--at", "x=0.5", "n=7", "c=8", expect=1).one_line("1 more trial would exceed the budget of 9")


def test_taken_back():
    with Folder() as folder:
        write(folder, designs=[])
        folder.ckg("ask", "s.yaml", "--at", "x=0.5", "n=7", "c=8", expect=0)
        folder.ckg("undo", "s.yaml", expect=0)
        check(folder.trials("s.yaml") == [], folder.trials("s.yaml"))
        folder.ckg("run", "s.yaml", "--quiet", expect=0)
        seen = [json.loads(line)[1] for line in (folder / "seen").read_text().splitlines()]
        check(len(seen) == 9 and {"x": 0.5, "n": 7, "c": 8, "lot": 3} not in seen, seen)


def test_between_suggestions():
    with Folder() as folder:
        write(folder, budget=4, initial=2, designs=[])
        folder.ckg("run", "s.yaml", "--quiet", expect=0)
        write(folder, budget=7, initial=2, designs=[])
        folder.ckg("ask", "s.yaml", "--at", "x=0.5", "n=7", "c=8", expect=0)
        folder.ckg("run", "s.yaml", "--quiet", expect=0)
        designs, origins = made(folder)
        check(designs[4] == {"x": 0.5, "n": 7, "c": 8} and origins[4:] == ["user", "policy", "policy"], designs, origins)
        seen = [json.loads(line)[0] for line in (folder / "seen").read_text().splitlines()]
        check(seen == [str(i) for i in range(1, 8)], seen)


def test_what_is_known_already():
    with Folder() as folder:
        write(folder, designs=[], noise="none", more="")
        words = ["--at", "x=0.5", "n=7", "c=8"]
        folder.ckg("ask", "s.yaml", *words, expect=0)
        folder.ckg("ask", "s.yaml", *words, expect=0).one_line("note: trial 1 has the same design and is still open")
        folder.ckg("tell", "s.yaml", 1, "f=1", "g=1", expect=0)
        folder.ckg("tell", "s.yaml", 2, "f=1", expect=0)
        folder.ckg("ask", "s.yaml", *words, expect=0).one_line("note: trial 1 has the same design and measured it without noise")
        check(folder.ckg("ask", "s.yaml", *words, "--quiet", expect=0).err == "")
    with Folder() as folder:
        write(folder, designs=[], more="")
        folder.ckg("ask", "s.yaml", "--at", "x=0.5", "n=7", "c=8", expect=0)
        folder.ckg("tell", "s.yaml", 1, "f=1", "g=1", expect=0)
        check(folder.ckg("ask", "s.yaml", "--at", "x=0.5", "n=7", "c=8", expect=0).err == "")


def test_refusals():
    with Folder() as folder:
        write(folder, designs=[], more="")
        for words, said in ((["x=0.5", "n=7"], "parameter 'c' is missing"), (["x=2", "n=7", "c=8"], "parameter 'x': 2 is outside [0, 1]"),
                            (["x=0.5", "n=1.5", "c=8"], "parameter 'n': 1.5 is not an integer"), (["x=0.5", "n=7", "c=9"], "'9' is not one of its values"),
                            (["x=0.5", "y=7"], "'y=7' is not NAME=VALUE with the name of a parameter"), (["x=0.5", "x=0.6"], "'x' is given twice"),
                            (["x=wide", "n=7", "c=8"], "x=wide: expected a number"), (["x=0.5", "n=7", "c=8", "lot=4"], "parameter 'lot' is fixed at 3, not 4"),
                            (["x"], "'x' is not NAME=VALUE"), (["x=nan", "n=7", "c=8"], "expected a number")):
            folder.ckg("ask", "s.yaml", "--at", *words, expect=2).one_line(said)
        folder.ckg("ask", "s.yaml", "x=0.5", expect=2).one_line("unexpected argument 'x=0.5'", "--at NAME=VALUE… queues a design of your own")
        folder.ckg("ask", "s.yaml", "-n", 2, "--at", "x=0.5", expect=2).one_line("--at queues one design")
        check(folder.trials("s.yaml") == [])


def test_imported_designs_are_queued():
    with Folder() as folder:
        write(folder, designs=[])
        folder.write("plan.csv", "x,n,c,f,g\n0.5,1,8,1,1\n0.125,2,8,,\n0.375,3,true,,\n0.625,4,a=b,,0.5\n")
        check(folder.ckg("import", "s.yaml", "plan.csv", expect=0).out == "2 trials imported, 2 designs queued\n")
        folder.write("one.jsonl", '{"x": 0.875, "n": 5, "c": 8}\n')
        check(folder.ckg("import", "s.yaml", "one.jsonl", expect=0).out == "0 trials imported, 1 design queued\n")
        check([t["state"] for t in folder.trials("s.yaml")] == ["complete", "pending", "pending", "complete", "pending"])
        folder.ckg("run", "s.yaml", "--quiet", expect=0)
        seen = [json.loads(line)[0] for line in (folder / "seen").read_text().splitlines()]
        check(seen[:3] == ["2", "3", "5"] and len(folder.trials("s.yaml")) == 9, seen)
        check("1 row is already there" in folder.ckg("import", "s.yaml", "one.jsonl", expect=0).out)
        folder.ckg("import", "s.yaml", "one.jsonl", "--again", expect=1).one_line("with the 1 design to be queued there would be 10 trials", "raise `budget`")
        check(len(folder.trials("s.yaml")) == 9)


if __name__ == "__main__":
    main(globals())

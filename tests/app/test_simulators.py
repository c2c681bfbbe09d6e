"""Simulators' habits: a folder for each trial with files and filled-in templates, results in files, variables and lines of shell before the command."""
import json
import os
import pathlib
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from harness import Folder, check, kill_group, main, wait_for  # noqa: E402

PROBLEM = """name: {name}
goal: minimize
budget: {budget}
policy: sobol
seed: 1
parameters:
  x: {{type: real, low: 0, high: 1}}
  n: {{type: integer, low: 3, high: 9}}
  alloy: {{type: categorical, values: [steel, brass]}}
  lot: {{value: 7}}
objective: {{name: f, noise: none}}
constraints:
  c: {{max: 0, noise: none}}
evaluate:
  command: {command}
{evaluate}
"""
ANSWER = "echo '{\"f\": 1, \"c\": -1}'"


def scene(command, evaluate, budget=2, name="s"):
    folder = Folder()
    folder.write(f"{name}.yaml", PROBLEM.format(name=name, budget=budget, command=json.dumps(command), evaluate=evaluate))
    return folder


def states(folder, study="s.yaml"):
    return [t["state"] for t in folder.trials(study)]


def test_templates():
    """Every value is what the design on standard input has, in the format that the deck asks for."""
    with scene(["sh", "-c", "cat >design.json; " + ANSWER], "  work: {templates: {in/deck.inp: deck.template, plain.txt: plain.template}}") as folder:
        folder.write("deck.template", "X {{x}}\nE[{{ x : %12.4e }}]\nN[{{n:%5d}}]\nA[{{alloy:%-8s}}] {{alloy}}\nL {{lot}} {{lot:%.2f}}\n")
        folder.write("plain.template", "{x} ${x} {{ 1 + 2 }} {{}} {{x {{n}} }} {% raw %} {{x:}} {{{n}}}\n")
        folder.ckg("run", "s.yaml", expect=0)
        for trial in ("1", "2"):
            d = json.loads((folder / "s.work" / trial / "design.json").read_text())
            lines = (folder / "s.work" / trial / "in" / "deck.inp").read_text().splitlines()
            check(float(lines[0].split()[1]) == d["x"], lines, d)
            check(lines[1:] == ["E[%12.4e]" % d["x"], "N[%5d]" % d["n"], "A[%-8s] %s" % (d["alloy"], d["alloy"]), "L 7 7.00"], lines, d)
            plain = (folder / "s.work" / trial / "plain.txt").read_text()
            check(plain == "{x} ${x} {{ 1 + 2 }} {{}} {{x %d }} {%% raw %%} {{x:}} {%d}\n" % (d["n"], d["n"]), plain)


def test_wrong_templates():
    """What cannot be filled in is said with its place before anything is spent."""
    for text, words in (("a\n  {{y1}} {{aloy}}\n", ("deck.template:2:3: there is no parameter 'y1'",)), ("{{aloy}}", ("deck.template:1:1:", "did you mean alloy?")),
                        ("ab {{x:%n}}", ("deck.template:1:4: '%n' is no format",)), ("{{x:%s%s}}", ("is no format",)), ("{{x:%9999f}}", ("is no format",)),
                        (None, ("deck.template",))):
        with scene(["sh", "-c", ANSWER], "  work: {templates: {deck.inp: deck.template}}") as folder:
            if text:
                folder.write("deck.template", text)
            folder.ckg("run", "s.yaml", expect=2).one_line(*words)
            check(not (folder / "s.work").exists() and not (folder / "s.db").exists(), list(folder.path.iterdir()))
    with scene(["sh", "-c", ANSWER], "  work: {files: [mesh.dat]}") as folder:
        folder.ckg("run", "s.yaml", expect=2).one_line("the file 'mesh.dat' of `work` does not exist")
    with scene(["python3", "solve.py"], "  work: {}") as folder:
        folder.write("solve.py", "")
        folder.ckg("run", "s.yaml", expect=2).one_line("s.yaml:", "'solve.py' is not; add it to `files`")


def test_number_for_a_word():
    """A format for numbers and a category: that trial has failed, and says where."""
    with scene(["sh", "-c", ANSWER], "  work: {templates: {deck.inp: deck.template}}", budget=1) as folder:
        folder.write("deck.template", "A {{alloy:%5d}}\n")
        folder.ckg("run", "s.yaml", expect=1).one_line("deck.template:1:3:", "which is no number for %5d")


def test_files():
    """Files are found by their name; a program by its path; the folder is where the command runs, and each trial has its own."""
    with scene(["./bin/solve", "{n}"], "  parallel: 2\n  work: {folder: runs/deep, files: [data/mesh.dat, bin]}", budget=4) as folder:
        (folder / "bin").mkdir()
        (folder / "data").mkdir()
        folder.write("data/mesh.dat", "mesh\n")
        folder.write("bin/solve", "#!/bin/sh\ntest ! -e own || exit 9\ntouch own\ncat mesh.dat >copy\nls bin >listed\nprintf '{\"f\": %d, \"c\": -1}\\n' $1\n", mode=0o755)
        folder.ckg("run", "s.yaml", expect=0)
        for trial in folder.trials("s.yaml"):
            place = folder / "runs" / "deep" / str(trial["trial"])
            check((place / "copy").read_text() == "mesh\n" and (place / "listed").read_text() == "solve\n" and trial["values"]["f"] == trial["parameters"]["n"], trial)
        check((folder / "data" / "mesh.dat").exists() and (folder / "bin" / "solve").exists(), "what was linked is gone")


def test_keep():
    """All, those that failed, or none; and never what a link leads to."""
    fails = "touch big; test $CKG_TRIAL != 2 && " + ANSWER
    for keep, kept in (("all", {"1", "2", "3"}), ("failed", {"2"}), ("none", set())):
        with scene(["sh", "-c", fails], f"  work: {{keep: {keep}, files: [data]}}", budget=3) as folder:
            (folder / "data").mkdir()
            folder.write("data/mesh.dat", "mesh\n")
            folder.ckg("run", "s.yaml", expect=0)
            there = {p.name for p in (folder / "s.work").iterdir()} if (folder / "s.work").exists() else set()
            check(there == kept, keep, there)
            check((folder / "data" / "mesh.dat").read_text() == "mesh\n", "the file behind the link is gone")


def test_quota():
    """The oldest go when the others are too large together; one that runs stays."""
    with scene(["sh", "-c", "head -c 300000 /dev/zero >big; " + ANSWER], "  work: {quota: 1 MB}", budget=8) as folder:
        folder.ckg("run", "s.yaml", expect=0)
        there = {p.name for p in (folder / "s.work").iterdir()}
        check(there == {"6", "7", "8"}, there)


def test_retried():
    """Another try finds an empty folder; so does a trial that was cut off by the death of its run."""
    tries = "test ! -e mark || exit 9; touch mark; cd ../..; echo >>tries; test $(wc -l <tries) -gt 1 && " + ANSWER
    with scene(["sh", "-c", tries], "  retries: 3\n  work: {}", budget=1) as folder:
        folder.ckg("run", "s.yaml", expect=0)
        check(states(folder) == ["complete"] and (folder / "tries").read_text() == "\n\n", folder.trials("s.yaml"))
    with scene(["sh", "-c", "test ! -e mark || exit 9; touch mark; until test -e ../../go; do sleep 0.05; done; " + ANSWER], "  work: {keep: failed}", budget=1) as folder:
        run = folder.start("run", "s.yaml")
        wait_for(lambda: (folder / "s.work" / "1" / "mark").exists(), "the evaluation")
        kill_group(run)
        (folder / "go").touch()
        folder.ckg("run", "s.yaml", expect=0)
        check(states(folder) == ["complete"] and not (folder / "s.work").exists(), folder.trials("s.yaml"))


def test_not_ours():
    """A folder that somebody else has made is never touched."""
    with scene(["sh", "-c", ANSWER], "  work: {keep: none}", budget=1) as folder:
        (folder / "s.work" / "1").mkdir(parents=True)
        folder.write("s.work/1/thesis.tex", "precious")
        folder.ckg("run", "s.yaml", expect=1).one_line("s.work/1 is there and not by `ckg`")
        check((folder / "s.work" / "1" / "thesis.tex").read_text() == "precious", "it is gone")


def test_results_in_json():
    """An object in a file counts, and more than one on standard output; without the file there is no answer."""
    command = "echo '{\"f\": 9, \"c\": 9}'; test $CKG_TRIAL = 2 || printf '{\\n \"f\": 2,\\n \"c\": [-1, 0.5], \"steps\": 12}' >out.json"
    with scene(["sh", "-c", command], "  work: {}\n  results: out.json") as folder:
        folder.ckg("run", "s.yaml", expect=0)
        one, two = folder.trials("s.yaml")
        check(one["values"] == {"f": 2, "c": [-1, 0.5]}, one)
        check(two["state"] == "failed" and two["why"] == "no answer: it wrote no file 'out.json'", two)


def test_results_found():
    """Numbers behind texts, where they come last, as C or Fortran writes them."""
    find = '  results: {find: {f: "TOTAL   MASS =", c: "MAX. STRESS:"}}'
    for listing, expected in (("TOTAL MASS = 1.0\\nMAX. STRESS: 1\\nTOTAL\\tMASS =   -1.5D+01 kg\\nMAX. STRESS:-2,5", (-15, -2)), ("TOTAL MASS =.5\\nMAX. STRESS: -1e-3;", (0.5, -0.001)),
                              ("TOTAL MASS = 1", "no 'MAX. STRESS:' in its output"), ("TOTAL MASS = ****\\nMAX. STRESS: 1", "no number after 'TOTAL   MASS =' in its output: ****"),
                              ("TOTAL MASS = NaN\\nMAX. STRESS: 1", "no number after 'TOTAL   MASS =' in its output: NaN"), ("TOTAL MASS = 1.2.3\\nMAX. STRESS: 1", "no number after 'TOTAL   MASS =' in its output"),
                              ("TOTAL MASS = 0x10\\nMAX. STRESS: 1", "no number after 'TOTAL   MASS =' in its output"), ("TOTAL MASS = 1e999\\nMAX. STRESS: 1", "no number after 'TOTAL   MASS =' in its output")):
        with scene(["sh", "-c", f"printf '{listing}\\n'"], find, budget=1) as folder:
            folder.ckg("run", "s.yaml")
            trial, = folder.trials("s.yaml")
            if isinstance(expected, str):
                check(trial["state"] == "failed" and expected in trial["why"], listing, trial)
            else:
                check(trial["values"] == {"f": expected[0], "c": expected[1]}, listing, trial)


def test_surroundings():
    """Variables and lines before the command; what these print is no answer, and one that fails is a failed trial with its words."""
    lines = '  environment: {GREETING: "it\'s $HOME", THREADS: 4, PATH: "%s"}\n  before: ["export MODULE=cfd # loaded", "echo \'{\\"f\\": 9, \\"c\\": 9}\'", "f() { HIDDEN=1; }; f"]' % os.environ["PATH"]
    command = ["sh", "-c", "test \"$GREETING\" = \"it's \\$HOME\" && test $THREADS$MODULE = 4cfd && test -z \"$HIDDEN\" && test \"$0\" = 'a b' && " + ANSWER, "a b"]
    with scene(command, lines) as folder:
        folder.ckg("run", "s.yaml", expect=0)
        check(all(t["values"] == {"f": 1, "c": -1} for t in folder.trials("s.yaml")), folder.trials("s.yaml"))
    with scene(["sh", "-c", "touch began; " + ANSWER], '  before: ["echo no licence >&2; false", "touch after"]', budget=1) as folder:
        folder.ckg("run", "s.yaml", expect=1)
        trial, = folder.trials("s.yaml")
        check(trial["why"] == "exit status 1: no licence" and not (folder / "began").exists() and not (folder / "after").exists(), trial)


def test_definition_is_kept():
    """What the file says is in the store, and read back from there as the same."""
    evaluate = """  environment: {A: 1}
  before: [true]
  work: {folder: runs, keep: failed, quota: 1.5 GB, files: [d.template], templates: {deck: d.template}}
  results: {file: out, find: {f: "F =", c: "C ="}}"""
    with scene(["sh", "-c", "printf 'F = 1\\nC = -1\\n' >out; test -L d.template && test $A = 1"], evaluate, budget=1) as folder:
        folder.write("d.template", "{{x}}")
        folder.ckg("run", "s.yaml", expect=0)
        folder.write("s.yaml", (folder / "s.yaml").read_text().replace("budget: 1", "budget: 2"))
        folder.ckg("run", "s.yaml", expect=0)
        folder.ckg("retry", "s.yaml", "2")
        (folder / "s.yaml").unlink()
        folder.ckg("run", "--store", "s.db", "--study", "s", expect=0)
        check(states(folder, pathlib.Path("s.db")) == ["complete"] * 2, folder.trials("s.db"))
        check(not (folder / "runs").exists(), list((folder / "runs").rglob("*")))


if __name__ == "__main__":
    main(globals())

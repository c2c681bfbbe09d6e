#!/usr/bin/env python3
"""test_progress.py CKG [TEST …]: what `ckg run` prints into a pipe: a line where something is learnt, signs of life, and what came of it at the end.

The evaluator answers by the number of the trial, so that it is known when a best design, a failure or nothing comes.
"""
import json
import re

from harness import Folder, check, main

ANSWERS = """import json, os, sys
answer = json.load(open("answers.json"))[int(os.environ["CKG_TRIAL"]) - 1]
sys.exit(answer) if isinstance(answer, str) else print(json.dumps(answer))
"""


def study(answers, noise="none", constraint=True, initial=4, budget=None, goal="minimize"):
    """A folder with a study of which the trials have these answers: f, or (f, c) with c <= 0 feasible, or why it fails."""
    folder = Folder()
    pairs = [a if isinstance(a, str) else dict(zip(("f", "c"), a if isinstance(a, tuple) else (a, -1) if constraint else (a,))) for a in answers]
    folder.write("answers.json", json.dumps(pairs))
    folder.write("answer.py", ANSWERS)
    folder.write("s.yaml", f"name: s\ngoal: {goal}\nbudget: {budget or len(answers)}\ninitial: {initial}\nseed: 1\npolicy: random\n"
                 "parameters: {x: {type: real, low: 0, high: 1}, y: {type: real, low: 0, high: 1}}\n"
                 f"objective: {{name: f, noise: {noise}}}\n" + (f"constraints: {{c: {{max: 0, noise: {noise}}}}}\n" if constraint else "")
                 + "evaluate: {command: [python3, answer.py]}\n")
    return folder


def lines(folder, *words):
    """What was printed before the recommendation, and from it on."""
    out = folder.ckg("run", "s.yaml", *words, expect=0).out
    at = out.index("recommended after")
    return out[:at].splitlines(), out[at:]


def test_what_is_learnt():
    """First feasible, the initial design, a best that is better by more than 0.1 % of the spread from 200 down, and nothing of the others."""
    answers = [(100, 1), 200, 100, (50, 1), 99.95, 99, 99.5, 98.9999, 98.95, 98.89] + [150] * 20
    with study(answers) as folder:
        said, end = lines(folder)
        check(said[:2] == ["2/30  first feasible: f = 200 (trial 2)", "4/30  initial design done: 2 of 4 feasible, best f = 100 (trial 3)"], said)
        best = [line for line in said if "best feasible" in line]
        check(best == ["6/30  best feasible: f = 99 (trial 6)", "10/30  best feasible: f = 98.89 (trial 10)"], best)

        # Then a sign of life after every fifth evaluation without a line.
        alive = [line.split("/")[0] for line in said if "recommended: f = " in line]
        check(alive == ["15", "20", "25"], alive)
        check("25/30  recommended: f = 98.89 (trial 10), feasible as measured" in said, said)

        # 1 % of the spread is 1.01: 99.95 is too far, 99 is not.
        check("\nwithin 1 % of the best, of the range measured, after 6 evaluations\n" in end, end)
        check(re.search(r"\none more evaluation is expected to gain \S+\n$", end), end)


def test_the_same_digits():
    """A thousandth of a small spread may be too little to be seen."""
    with study([1000.2, 1000.1, 1000.05, 1000.04, 1000.03, 1000.02, 999]) as folder:
        said, _ = lines(folder)
        check(said[1:] == ["4/7  initial design done: 4 of 4 feasible, best f = 1000 (trial 4)", "7/7  best feasible: f = 999 (trial 7)"], said)


def test_maximize():
    with study([1, 2, 3, 4, 3.999, 4.001, 5] + [1] * 23, goal="maximize") as folder:
        said, end = lines(folder)
        check([line for line in said if "best feasible" in line] == ["7/30  best feasible: f = 5 (trial 7)"], said)
        check("\nwithin 1 % of the best, of the range measured, after 7 evaluations\n" in end, end)


def test_failures_are_said():
    with study([5, "no licence", 4, 3, "no licence", 2], initial=2) as folder:
        said, _ = lines(folder)
        check([line for line in said if "fail" in line] == [f"{n}/6  trial {n} failed: exit status 1: no licence" for n in (2, 5)], said)


def test_a_line_for_each():
    with study([5.0, 4, 3, 3, 3, 3]) as folder:
        said, end = lines(folder, "--verbose")
        check(len(said) == 6 and said[1] == "2/6  trial 2 complete  f=4  c=-1  feasible  best 4 (trial 2)", said)
        check("within 1 %" in end, end)


def test_without_constraints():
    """Nothing is called feasible where nothing can be infeasible."""
    with study([5.0, 4, 3, 3, 2, 3] + [4] * 14, constraint=False) as folder:
        said, end = lines(folder)
        check(said[0] == "4/20  initial design done: best f = 3 (trial 3)" and said[1] == "5/20  best: f = 2 (trial 5)", said)
        check(said[2] == "10/20  recommended: f = 2 (trial 5)" and not any("feasible" in line for line in said), said)


def test_nothing_feasible():
    with study([(5.0, 1)] * 10) as folder:
        said, end = lines(folder)
        check(said[0] == "4/10  initial design done: 0 of 4 feasible" and not any("best" in line for line in said), said)
        check("within 1 %" not in end and "expected to gain" not in end, end)


def test_one_feasible():
    """A range of nothing says nothing of how soon it was found."""
    with study([(5.0, 1)] * 9 + [4]) as folder:
        check("within 1 %" not in lines(folder)[1])


def test_noise():
    """Under noise the best measurement may be luck: how soon it came is not said."""
    with study([5.0 + i % 7 for i in range(14)], noise="auto") as folder:
        said, end = lines(folder)
        check(any(" ± " in line and "feasible with probability" in line for line in said), said)
        check("within 1 %" not in end and "expected to gain" in end, end)


def test_going_on():
    with study([5.0, 4, 3, 3, 2, 1], budget=3) as folder:
        lines(folder)
        folder.write("s.yaml", (folder / "s.yaml").read_text().replace("budget: 3", "budget: 6"))
        said, _ = lines(folder)
        check(said[0] == "continuing after 3 of 6 evaluations" and said[1].startswith("4/6  initial design done"), said)
        said, end = lines(folder)
        check(not said and "within 1 %" in end, said, end)


def test_quiet_and_json():
    with study([5.0, 4, 3, 3, 2, 1]) as folder:
        check(folder.ckg("run", "s.yaml", "--json", expect=0).out.count("\n") == 7)
        out = folder.ckg("run", "s.yaml", "--quiet", expect=0).out
        check(out.startswith("recommended after") and "within 1 %" not in out and "expected to gain" not in out, out)


if __name__ == "__main__":
    main(globals())

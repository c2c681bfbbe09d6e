#!/usr/bin/env python3
"""test_answers.py CKG [TEST …]: what an evaluation answers is never thrown away.

The answer is the last JSON object of the output that begins at the start of a line and ends at the end of one, on one line or over several. Members
that are no outcome are kept beside the trial with a note. All that a failed evaluation printed is kept, and can be told afterwards.
"""
import json

from harness import Folder, check, main, problem

GOOD = '{"f": 1, "c": -1}'
PRETTY = json.dumps({"f": 1, "c": -1}, indent=2)
NESTED = json.dumps({"runs": [{"f": 98, "c": 98}, {"f": 99, "c": 99}], "f": 1, "c": -1, "last": {"f": 97}}, indent=4)
FLAT = '{\n"f": 1,\n"inner":\n{"f": 99}\n,\n"c": -1\n}'

# What is printed, and the value of f, or part of the reason.
OUTPUTS = {
    "over several lines": (PRETTY, 1),
    "over several lines behind chatter": ("start\n{ not this\n" + PRETTY + "\ndone", 1),
    "with a mark before it": ("\ufeff" + PRETTY, 1),
    "with a mark after chatter": ("hello\n\ufeff" + GOOD, 1),
    "with carriage returns": (PRETTY.replace("\n", "\r\n"), 1),
    "indented": ("\n".join("   " + line for line in PRETTY.splitlines()), 1),
    "with objects inside": (NESTED, 1),
    "with an object alone on its line inside": (FLAT, 1),
    "brackets in a text": ('{\n"f": 1, "c": -1,\n"say": "}]{ \\" }"\n}', 1),
    "an opening line with a value": ('{"f": 1,\n"c": -1}', 1),
    "two over several lines": (PRETTY.replace("1", "5") + "\n" + PRETTY, 1),
    "one line behind several": (PRETTY.replace("1", "5") + "\n" + GOOD, 1),
    "several behind one line": (GOOD.replace("1", "5") + "\n" + PRETTY, 1),
    "a brace that is never closed, then an answer": ("{\n  mesh = 3\n" + GOOD, 1),
    "a brace that is closed but no JSON, around an answer": ("{\n  mesh = 3\n" + GOOD + "\n}", 1),
    "many braces, then an answer over several lines": ("{\n" * 1000 + PRETTY, 1),
    "a megabyte between a brace and the answer": ("{\n" + "x" * 99 + "\n" + ("y" * 99 + "\n") * 20000 + PRETTY, 1),
    "the last of a list": ("[\n" + PRETTY.replace("1", "5") + ",\n" + PRETTY + "\n]", 1),
    "not the object inside one with a comma too many": (NESTED[:-2] + ",\n}", "not JSON"),
    "not the object inside one that is cut off": (NESTED[:NESTED.index('"last"')], "not JSON"),
    "not the line inside one that is cut off": (FLAT[:FLAT.index(',\n"c"')], "not JSON"),
    "not the object inside one with a NaN": (NESTED.replace("-1", "NaN"), "not JSON"),
    "not what is before a NaN over several lines": (GOOD + "\n" + PRETTY.replace("-1", "NaN"), "not JSON"),
    "cut off, behind a good line": (GOOD + "\n" + PRETTY[:-1], 1),
    "garbage behind it": (GOOD + " done", "not JSON"),
    "garbage behind several lines": (PRETTY + " done", "no answer"),
    "a text over two lines": ('{"f": 1, "c": "a\nb"}', "no"),
}


def printing_study(folder, outputs, **how):
    """Trial i prints output i."""
    for i, text in enumerate(outputs):
        folder.write(f"{i + 1}.out", text + "\n")
    folder.write("s.yaml", problem("s", ["sh", "-c", 'cat "$CKG_TRIAL.out"; exit "$(cat "$CKG_TRIAL.status" 2>/dev/null || echo 0)"'], budget=len(outputs), **how))


def whole(folder, trial):
    return json.loads(folder.ckg("trials", "s.yaml", trial, "--json", expect=0).out)


def test_where_the_answer_is():
    with Folder() as folder:
        printing_study(folder, [text for text, _ in OUTPUTS.values()], evaluate="  parallel: 2\n  pause_after: 0\n")
        folder.ckg("run", "s.yaml", "--quiet", expect=0)
        wrong = []
        for t, (name, (_, wanted)) in zip(folder.trials("s.yaml"), OUTPUTS.items()):
            good = t["values"].get("f") == wanted if wanted == 1 else t["state"] == "failed" and wanted in t["why"]
            if not good:
                wrong.append(f"\n  {name}: {t['state']}, {t['values']}, {t['why']}")
        check(not wrong, *wrong)


def test_members_that_are_no_outcomes():
    """They are kept with a note, and said once; a name that was probably meant is named."""
    extra = {"iterations": 12, "mesh": {"cells": [1e6, 2.5], "name": "fine \"é\""}, "converged": True, "none": None, "x": 0.25}
    outputs = [GOOD, json.dumps({"f": 1, "c": -1, **extra}), json.dumps({"f": 1, "c": -1, "iterations": 3})]
    with Folder() as folder:
        printing_study(folder, outputs)
        said = folder.ckg("run", "s.yaml", expect=0).err.splitlines()
        check(len(said) == 1 and said[0].startswith("trial 2: no outcome of the problem, and kept beside the trial: 'iterations', 'mesh', "), said)
        first, second, third = (whole(folder, i) for i in (1, 2, 3))
        check(first["extra"] == {} and first["notes"] is None and first["answer"] is None, first)
        check(second["extra"] == extra and "kept beside the trial" in second["notes"] and second["state"] == "complete", second)
        check(second["values"] == {"f": 1, "c": -1}, second)
        check(third["extra"] == {"iterations": 3}, third)


def test_a_misspelt_outcome():
    with Folder() as folder:
        printing_study(folder, ['{"weigth": 1, "c": -1}', GOOD], more="")
        folder.write("s.yaml", (folder / "s.yaml").read_text().replace("name: f,", "name: weight,"))
        folder.write("2.out", '{"weight": 1, "c": -1}\n')
        said = folder.ckg("run", "s.yaml", expect=0).err.splitlines()
        check(said == ["trial 1: no outcome of the problem, and kept beside the trial: 'weigth' (did you mean weight?); 'weight' has no value (said once)"], said)
        t = whole(folder, 1)
        check(t["state"] == "complete" and t["values"] == {"c": -1} and t["extra"] == {"weigth": 1}, t)


def test_an_answer_without_any_outcome_fails_and_is_kept():
    with Folder() as folder:
        printing_study(folder, ['{"weigth": 1}', GOOD])
        folder.write("s.yaml", (folder / "s.yaml").read_text().replace("name: f,", "name: weight,"))
        folder.write("2.out", '{"weight": 1, "c": -1}\n')
        folder.ckg("run", "s.yaml", expect=0)
        t = whole(folder, 1)
        check(t["state"] == "failed" and t["why"] == "the answer has no value of any outcome, only of 'weigth' (did you mean weight?)", t)
        check(t["answer"] == '{"weigth": 1}\n' and t["extra"] == {"weigth": 1}, t)


def test_all_that_a_failed_one_printed_is_kept():
    """As valid text, up to 65,536 bytes of its end."""
    with Folder() as folder:
        printing_study(folder, [f"mesh\n{GOOD}", "x" * 200000 + "\n" + GOOD.replace("1", "nothing", 1), "", GOOD], evaluate="  pause_after: 0\n")
        (folder / "3.out").write_bytes(b"\xff\xfe\0 half\n")
        folder.write("1.status", "7")
        folder.ckg("run", "s.yaml", expect=0)
        first, second, third = (whole(folder, i) for i in (1, 2, 3))
        check(first["why"] == "exit status 7" and first["answer"] == f"mesh\n{GOOD}\n", first)
        check(len(second["answer"].encode()) == 65536 + len("… ".encode()) and second["answer"].startswith("… xxx"), len(second["answer"]))
        check(third["answer"] == "\ufffd\ufffd\ufffd half\n", third)


def test_a_kept_answer_can_be_told():
    """The solver answered and then died in its last step: the numbers are good."""
    with Folder() as folder:
        printing_study(folder, [f"mesh\n{PRETTY}", "nothing", "nothing", '{"weight": 2}'], evaluate="  pause_after: 0\n")
        folder.write("1.status", "139")
        folder.write("3.status", "7")
        folder.ckg("run", "s.yaml", expect=1)
        check("`ckg tell STUDY 1 --from-answer` takes the values from there" in folder.ckg("trials", "s.yaml", 1, expect=0).out)
        check("trial 1 is complete and feasible" in folder.ckg("tell", "s.yaml", 1, "--from-answer", expect=0).out)
        t = whole(folder, 1)
        check(t["state"] == "complete" and t["values"] == {"f": 1, "c": -1} and t["why"] is None, t)

        # What cannot be read is said, and can be told by hand.
        folder.ckg("tell", "s.yaml", 2, "--from-answer", expect=2).one_line("trial 2: no answer: there is no JSON object", "`ckg trials` shows it")
        folder.ckg("tell", "s.yaml", 4, "--from-answer", expect=2).one_line("only of 'weight'")
        folder.ckg("tell", "s.yaml", 4, "--replace", "f=2", expect=0)
        check(whole(folder, 4)["values"] == {"f": 2} and whole(folder, 4)["answer"] == '{"weight": 2}\n', whole(folder, 4))
        folder.ckg("tell", "s.yaml", 3, "--from-answer", "--failed", "why", expect=2).one_line("either --failed or --from-answer")

        # A change like others: it can be taken back.
        folder.ckg("undo", "s.yaml", expect=0)
        folder.ckg("undo", "s.yaml", expect=0)
        check(whole(folder, 1)["state"] == "failed", whole(folder, 1))


def test_a_trial_without_a_kept_answer():
    with Folder() as folder:
        folder.write("s.yaml", problem("s", [], budget=3))
        folder.ckg("ask", "s.yaml", expect=0)
        folder.ckg("tell", "s.yaml", 1, "--from-answer", expect=1).one_line("no answer of trial 1 is kept")


if __name__ == "__main__":
    main(globals())

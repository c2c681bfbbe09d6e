#!/usr/bin/env python3
"""test_study_crashes.py CKG: a solver that dies on a quarter of the designs, through a slip, a licence outage, a changed limit and a stop.

The designs that it dies on pause nothing and are learnt. The licence server that is down from trial 13 of 26 on costs no trial, and leaves no trace in
the model of failures: the best design found is the one that a search through all designs finds, within 1 %.
"""
import pathlib
import shutil
import sys

from harness import Folder, check, check_numbers, main

STUDY = pathlib.Path(__file__).parent / "studies" / "crashes"
sys.path.insert(0, str(STUDY))
from polar import polar, separates  # noqa: E402

FILE = "wing.yaml"


def best_drag(lift):
    found = []
    for i in range(601):
        for j in range(501):
            angle, camber = 12 * i / 600, 0.1 * j / 500
            drag, given = polar(angle, camber)
            if not separates(angle, camber) and given >= lift:
                found.append(drag)
    return min(found)


def edit(folder, name, old, new):
    text = (folder / name).read_text()
    check(text.count(old) == 1, name, "has", text.count(old), "of", old)
    folder.write(name, text.replace(old, new))


def check_failures(folder):
    """Every trial has the result of its design, and nothing of an outage is left."""
    for t in folder.trials(FILE):
        crashes = separates(t["parameters"]["angle"], t["parameters"]["camber"])
        check(t["state"] == ("failed" if crashes else "complete"), t)
        check(not crashes or "signal 11" in t["why"], t)


def check_best(folder, lift):
    best = folder.status(FILE)["best_feasible"]
    check(best["objective"] <= 1.01 * best_drag(lift), best, "where", best_drag(lift), "is to be had")


def outage(folder):
    folder.write("licence", "12")
    folder.ckg("run", FILE, "--quiet", expect=1).one_line("paused after ", "cannot check out a licence")
    trials = folder.status(FILE)["outage"]["trials"]
    check(trials[0] == 13 and len(trials) <= 5, trials)
    for _ in range(2):
        folder.ckg("run", FILE, "--quiet", expect=1).one_line("cannot check out a licence")
    check(folder.status(FILE)["outage"]["trials"] == trials, folder.status(FILE))
    folder.write("licence", "1000")


def changed_limit(folder):
    edit(folder, FILE, "min: 1.25", "min: 1.1")
    edit(folder, FILE, "budget: 26", "budget: 36")
    folder.ckg("change", FILE, "--yes", expect=0)
    folder.ckg("run", FILE, "--quiet", expect=0)
    check_failures(folder)
    check_best(folder, 1.1)


def stop(folder):
    """A larger budget is not spent where it gains nothing."""
    edit(folder, FILE, "budget: 36", "budget: 100\nstop: {gain: 1%}")
    folder.ckg("run", FILE, "--quiet", expect=0).one_line("stopped after", "of 100 evaluations", "less than 1%")
    check(folder.status(FILE)["stopped"] is True, folder.status(FILE))
    check_failures(folder)
    check_best(folder, 1.1)


def test_study():
    with Folder() as folder:
        shutil.copytree(STUDY, folder.path, dirs_exist_ok=True)

        # A mistake that costs nothing: a parameter's name in the command.
        edit(folder, FILE, "command: [", 'command: [env, "ANGLE={angel}", ')
        folder.ckg("run", FILE, "--quiet", expect=2).one_line("{angel}", "angle")
        edit(folder, FILE, 'command: [env, "ANGLE={angel}", ', "command: [")

        outage(folder)
        folder.ckg("run", FILE, "--quiet", expect=0)
        check_numbers(folder.trials(FILE), 26)
        check_failures(folder)
        check_best(folder, 1.25)
        changed_limit(folder)

        # One that died on a quarter of the designs, and paused for none of them.
        failed = [t for t in folder.trials(FILE) if t["state"] == "failed"]
        check(3 <= len(failed) <= 18, len(failed))
        stop(folder)
        folder.nothing_left()


if __name__ == "__main__":
    main(globals())

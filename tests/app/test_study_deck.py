#!/usr/bin/env python3
"""test_study_deck.py CKG: a heat exchanger, evaluated by an input deck, through what happens to a study in weeks.

A mistake in the template, a licence server that goes down at trial 13 of 26, a duty that the customer raises afterwards, and a run that ends when little is
left to gain. No trial is lost to the mistake or the outage, and the best design found is the one that a search through all designs finds, within 2 %.
"""
import pathlib
import shutil
import sys

from harness import Folder, check, check_numbers, main

STUDY = pathlib.Path(__file__).parent / "studies" / "deck"
sys.path.insert(0, str(STUDY))
from exchanger import solve  # noqa: E402

FILE = "exchanger.yaml"


def best_cost(duty):
    """The least cost by a search through a grid of all designs; finer ones gain less than 1 %."""
    found = []
    for tubes in range(20, 201, 2):
        for bore in range(10, 41):
            for length in range(10, 61, 1):
                cost, given, drop, _ = solve(tubes, bore, length / 10)
                if given >= duty and drop <= 20:
                    found.append(cost)
    return min(found)


def edit(folder, name, old, new):
    text = (folder / name).read_text()
    check(text.count(old) == 1, name, "has", text.count(old), "of", old)
    folder.write(name, text.replace(old, new))


def states(folder):
    return [t["state"] for t in folder.trials(FILE)]


def check_best(folder, duty):
    best = folder.status(FILE)["best_feasible"]
    trial = folder.trials(FILE)[best["trial"] - 1]
    cost, given, drop, _ = solve(*(trial["parameters"][name] for name in ("tubes", "diameter", "length")))
    check(given >= duty * (1 - 1e-9) and drop <= 20 and abs(cost - best["objective"]) < 1e-6, trial)
    check(cost <= 1.02 * best_cost(duty), "cost", cost, "where", best_cost(duty), "is to be had")


def mistake_in_the_template(folder):
    edit(folder, "exchanger.template", "$diameter", "$bore")
    folder.ckg("run", FILE, "--quiet", expect=1).one_line("paused after 3 of 26 evaluations", "KeyError: 'bore'")
    check(states(folder) == ["failed"] * 3, states(folder))
    edit(folder, "exchanger.template", "$bore", "$diameter")


def outage(folder):
    said = folder.ckg("run", FILE, "--quiet", expect=1).one_line("paused after 15 of 26 evaluations", "trials 13 to 15", "SOLVER: licence server does not answer")
    check(states(folder) == ["complete"] * 12 + ["failed"] * 3, states(folder))
    check(folder.status(FILE)["outage"]["trials"] == [13, 14, 15], folder.status(FILE))
    again = folder.ckg("run", FILE, "--quiet", expect=1)
    check(again.err == said.err and states(folder) == ["complete"] * 12 + ["failed"] * 3, again.err, states(folder))
    folder.write("licence", "1000")


def changed_limit(folder):
    """The trials keep their meaning: their duties are known."""
    edit(folder, FILE, "min: 500", "min: 700")
    edit(folder, FILE, "budget: 26", "budget: 38")
    folder.ckg("run", FILE, "--quiet", expect=2).one_line("limit of duty from 500 to 700", "ckg change")
    folder.ckg("change", FILE, "--yes", expect=0)
    folder.ckg("run", FILE, "--quiet", expect=0)
    check(states(folder) == ["complete"] * 38, states(folder))
    check_best(folder, 700)


def stop(folder):
    """A larger budget is not spent where it gains nothing."""
    edit(folder, FILE, "budget: 38", "budget: 100\nstop: {gain: 1%}")
    folder.ckg("run", FILE, "--quiet", expect=0).one_line("stopped after", "of 100 evaluations", "less than 1%")
    check(folder.status(FILE)["stopped"] is True, folder.status(FILE))
    check_best(folder, 700)


def test_study():
    with Folder() as folder:
        shutil.copytree(STUDY, folder.path, dirs_exist_ok=True)
        folder.write("licence", "12")

        mistake_in_the_template(folder)
        outage(folder)
        folder.ckg("run", FILE, "--quiet", expect=0)
        trials = folder.trials(FILE)
        check_numbers(trials, 26)
        check(states(folder) == ["complete"] * 26, states(folder))
        check_best(folder, 500)

        # What the listing said beyond the outcomes is still there.
        check("reynolds" in folder.ckg("trials", FILE, 13, expect=0).out)
        changed_limit(folder)
        stop(folder)
        folder.nothing_left()


if __name__ == "__main__":
    main(globals())

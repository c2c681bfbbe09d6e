#!/usr/bin/env python3
"""test_study_network.py CKG: the tuning of a network on a shared machine, through what happens to a study in days.

A slip in the command, an answer under a wrong name, a driver that is gone for a night, a latency that must be lower than was said, and a run that
ends when little is left to gain. The design recommended is near the best one that the limit allows.
"""
import json
import pathlib
import shutil
import sys

from harness import Folder, check, check_numbers, main

STUDY = pathlib.Path(__file__).parent / "studies" / "network"
sys.path.insert(0, str(STUDY))
from train import truth  # noqa: E402

FILE = "network.yaml"


def best_error(limit):
    found = [truth(10 ** (-4 + i / 50), units, step * 0.05)[0] for i in range(151) for units in range(8, 513) for step in range(17)
             if truth(0.01, units, 0)[1] <= limit]
    return min(found)


def edit(folder, name, old, new):
    text = (folder / name).read_text()
    check(text.count(old) == 1, name, "has", text.count(old), "of", old)
    folder.write(name, text.replace(old, new))


def states(folder):
    return [t["state"] for t in folder.trials(FILE)]


def slip_in_the_command(folder):
    edit(folder, FILE, '"{units}"', '"{unit}"')
    folder.ckg("run", FILE, "--quiet", expect=2).one_line(f"{FILE}:", "{unit}", "units")
    check(not (folder / "network.db").exists(), "something was begun")
    edit(folder, FILE, '"{unit}"', '"{units}"')


def wrong_name(folder):
    """The first six answers call the error `eror`: nothing of them is lost, and it is told afterwards."""
    folder.write("objective", "eror")
    edit(folder, FILE, "budget: 24", "budget: 6")
    ran = folder.ckg("run", FILE)
    check("eror" in ran.err, ran.err)
    trials = [t for t in folder.trials(FILE) if t["state"] == "complete"]
    check(len(trials) == 6, states(folder))
    for t in trials:
        check(t["values"].keys() == {"latency"}, t)
        shown = folder.ckg("trials", FILE, t["trial"], "--json", expect=0).out
        error = json.loads(shown)["extra"]["eror"]
        folder.ckg("tell", FILE, t["trial"], f"error={error!r}", expect=0)
    folder.write("objective", "error")
    edit(folder, FILE, "budget: 6", "budget: 24")
    check(all(t["values"].keys() == {"error", "latency"} for t in folder.trials(FILE)), folder.trials(FILE))


def outage(folder):
    edit(folder, FILE, "budget: 24", "budget: 12")
    folder.ckg("run", FILE, "--quiet", expect=0)
    edit(folder, FILE, "budget: 12", "budget: 24")
    folder.write("no-gpu", "")
    folder.ckg("run", FILE, "--quiet", expect=1).one_line("paused after", "no CUDA-capable device", "ckg run")
    failed = folder.status(FILE)["outage"]["trials"]
    check(failed[0] == 13 and len(failed) <= 5, failed)
    (folder / "no-gpu").unlink()
    folder.ckg("run", FILE, "--quiet", expect=0)
    check_numbers(folder.trials(FILE), 24)
    check(states(folder) == ["complete"] * 24, states(folder))


def changed_limit_and_stop(folder):
    """The latency must be 4 ms; the run goes on until little is to be gained, which is before its budget."""
    edit(folder, FILE, "max: 8", "max: 4")
    edit(folder, FILE, "budget: 24", "budget: 90\nstop: {gain: 5%}")
    folder.ckg("run", FILE, "--quiet", expect=2).one_line("limit of latency from 8 to 4", "ckg change")
    folder.ckg("change", FILE, "--yes", expect=0)
    folder.ckg("run", FILE, "--quiet", expect=0).one_line("stopped after", "of 90 evaluations", "less than 5%")
    status = folder.status(FILE)
    check(status["stopped"] is True and status["evaluations"] < 90, status)


def test_study():
    with Folder() as folder:
        shutil.copytree(STUDY, folder.path, dirs_exist_ok=True)
        slip_in_the_command(folder)
        wrong_name(folder)
        outage(folder)
        changed_limit_and_stop(folder)

        # What is recommended keeps the limit, and is as good as can be told from so many noisy errors.
        said = json.loads(folder.ckg("recommend", FILE, "--json", expect=0).out)
        error, latency = truth(*(said["parameters"][name] for name in ("rate", "units", "dropout")))
        check(latency <= 4 and error <= 1.05 * best_error(4), said, error, latency, best_error(4))
        check(said["objective"]["mean"] > 0, said)
        folder.nothing_left()


if __name__ == "__main__":
    main(globals())

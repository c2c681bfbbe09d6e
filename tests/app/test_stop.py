#!/usr/bin/env python3
"""test_stop.py CKG [TEST …]: what more evaluations are expected to gain, and runs that end by it.

`status` says what is to be gained, or that it is not known and why. With `stop` a run ends before its budget, says why and how it goes on; whether it
ends follows from the trials alone, so that an interrupted run ends where the whole one does, however it was told of its trials.
"""
import signal

from harness import Folder, check, main, problem, wait_for

CAN = """import json, math, sys
can = json.load(sys.stdin)
r, h = 1 + 2.5 * can["x"], 1 + 19 * can["y"]
print(json.dumps({"f": 2 * math.pi * r * (r + h), "c": 500 - math.pi * r * r * h}))
"""


def can(budget=40, more="", evaluate=""):
    return problem("can", ["python3", "can.py"], budget=budget, policy="auto", more="initial: 6\n" + more, evaluate=evaluate)


def folder_of(budget=40, more="", evaluate=""):
    folder = Folder()
    folder.write("can.py", CAN)
    folder.write("can.yaml", can(budget, more, evaluate))
    return folder


def test_a_run_ends_and_says_why():
    with folder_of(more="stop: {gain: 1%, patience: 3}\n") as folder:
        ran = folder.ckg("run", "can.yaml", expect=0)
        ran.one_line("stopped after", "of 40 evaluations", "left are expected to gain", "less than 1%", "3 times in a row", "ckg run --no-stop")
        ended = len(folder.trials("can.yaml"))
        check(8 <= ended < 40, ended)
        check(f"recommended after {ended} evaluations" in ran.out, ran.out)

        # The state of the study says so, for people and for programs.
        status = folder.status("can.yaml")
        gain = status["expected_gain"]
        check(status["stopped"] is True and 0 <= gain["next"] <= gain["remaining"], status)
        best = status["best_feasible"]["objective"]
        check(gain["remaining"] < 0.01 * best, gain, best)
        said = folder.ckg("status", "can.yaml", expect=0).out
        check("expected gain: " in said and f"by the {40 - ended} that are left" in said and "stopped: the " in said, said)

        # The same command ends at once; --no-stop goes on.
        folder.ckg("run", "can.yaml", expect=0).one_line(f"stopped after {ended} of 40")
        check(len(folder.trials("can.yaml")) == ended)
        folder.ckg("run", "can.yaml", "--no-stop", "--quiet", expect=0)
        check(len(folder.trials("can.yaml")) == 40)
        check(folder.status("can.yaml")["expected_gain"]["remaining"] == 0)


def test_it_can_be_changed_between_runs():
    with folder_of(budget=16) as folder:
        folder.ckg("run", "can.yaml", "--quiet", expect=0)
        check(folder.status("can.yaml")["stopped"] is False)
        folder.write("can.yaml", can(40, "stop: {gain: 20}\n"))
        folder.ckg("run", "can.yaml", "--quiet", expect=0).one_line("stopped after 16 of 40", "less than 20")
        folder.write("can.yaml", can(40, "stop: {gain: 1e-12}\n"))
        check(folder.status("can.yaml")["stopped"] is False)
        folder.write("can.yaml", can(18, "stop: {gain: 1e-12}\n"))
        check(folder.ckg("run", "can.yaml", "--quiet", expect=0).err == "")
        check(len(folder.trials("can.yaml")) == 18)


def test_an_interrupted_run_ends_where_the_whole_one_does():
    with folder_of(more="stop: {gain: 2, patience: 4}\n") as whole, folder_of(more="stop: {gain: 2, patience: 4}\n") as parts:
        whole.ckg("run", "can.yaml", "--quiet", expect=0)
        wanted = whole.trials("can.yaml")
        check(len(wanted) < 40, len(wanted))
        for evaluations in range(1, len(wanted), 3):
            parts.write("can.yaml", can(evaluations, "stop: {gain: 2, patience: 4}\n"))
            parts.ckg("run", "can.yaml", "--quiet", expect=0)
        parts.write("can.yaml", can(40, "stop: {gain: 2, patience: 4}\n"))
        process = parts.start("run", "can.yaml", "--quiet")
        wait_for(lambda: len(parts.trials("can.yaml")) > evaluations or process.poll() is not None)
        process.send_signal(signal.SIGINT)
        process.communicate()
        parts.ckg("run", "can.yaml", "--quiet", expect=0).one_line(f"stopped after {len(wanted)} of 40")
        got = parts.trials("can.yaml")
        check([t["parameters"] for t in got] == [t["parameters"] for t in wanted], "other designs")


def test_several_at_once():
    with folder_of(more="stop: {gain: 2%}\n", evaluate="  parallel: 3\n") as folder:
        folder.ckg("run", "can.yaml", "--quiet", expect=0).one_line("stopped after")
        ended = [t for t in folder.trials("can.yaml") if t["state"] == "complete"]
        check(len(ended) < 40 and folder.status("can.yaml")["stopped"] is True, len(ended))
        check(folder.status("can.yaml")["running"] == 0)


def test_what_is_not_known():
    with folder_of() as folder:
        nothing = {"next": None, "remaining": None}
        check(folder.status("can.yaml")["expected_gain"] == nothing)
        check("expected gain: not known yet: 'f', 'c' have not been measured yet" in folder.ckg("status", "can.yaml").out)
        folder.write("can.yaml", can(3))
        folder.ckg("run", "can.yaml", "--quiet", expect=0)
        check(folder.status("can.yaml")["expected_gain"] == nothing)
        said = folder.ckg("status", "can.yaml", expect=0).out
        check("not known yet: nothing feasible has been measured" in said or "not known yet: too few evaluations" in said, said)


def test_without_stop_nothing_is_said_of_it():
    with folder_of(budget=9) as folder:
        ran = folder.ckg("run", "can.yaml", expect=0)
        check("stopped" not in ran.out + ran.err)
        gain = folder.status("can.yaml")["expected_gain"]
        check(gain["remaining"] == 0 and (gain["next"] is None or gain["next"] >= 0), gain)


if __name__ == "__main__":
    main(globals())

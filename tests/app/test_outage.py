#!/usr/bin/env python3
"""test_outage.py CKG [TEST …]: an outage is not a constraint.

Failures in a row pause the run with one line that says how to go on. The next run tries one of them again first: while the outage lasts, that costs
one evaluation and no trial; once it is over, all that failed in it is evaluated again. Designs that fail by themselves pause nothing.
"""
import json
import os
import signal

from harness import Folder, check, check_numbers, main, once_there, problem, read_until, scale, wait_for

# Counts its starts; fails for as long as there is a file "down", with what that holds as its last line.
SERVER = '''echo $CKG_TRIAL >>begun
if test -e down; then cat down >&2; exit 1; fi
'''
GOOD = 'printf \'{"f": %s, "c": %s}\\n\' "$1" -1\n'


def server_study(folder, budget=20, script=SERVER + GOOD, evaluate="", **how):
    folder.write("look.sh", script)
    folder.write("s.yaml", problem("s", ["sh", "look.sh", "{x}"], budget=budget, evaluate=evaluate, **how))


def states(folder):
    return [t["state"] for t in folder.trials("s.yaml")]


def begun(folder):
    return [int(n) for n in (folder / "begun").read_text().split()] if (folder / "begun").exists() else []


def after(folder, trials, **how):
    """A study of which so many trials are complete, and the server is down."""
    server_study(folder, budget=trials, **how)
    folder.ckg("run", "s.yaml", "--quiet", expect=0)
    server_study(folder, **how)
    folder.write("down", "no licence\n")


def test_the_first_three():
    with Folder() as folder:
        server_study(folder)
        folder.write("down", "no licence\n")
        folder.ckg("run", "s.yaml", "--quiet", expect=1).one_line(
            "paused after 3 of 20 evaluations: the first 3 evaluations failed alike (trials 1 to 3, exit status 1: no licence)",
            "`ckg run s.yaml` tries trial 1 again and, if that works, the others", "`ckg discard s.yaml 1 2 3`", "a larger `pause_after` goes on, and 0 never pauses")
        check(states(folder) == ["failed"] * 3 and begun(folder) == [1, 2, 3], states(folder), begun(folder))

        # While it lasts, a run costs one evaluation and no trial.
        for i in (1, 2):
            again = folder.ckg("run", "s.yaml", expect=1).err.splitlines()
            check(again[0] == "the study was paused: trial 1 is tried again first" and again[-1].startswith("paused after 3 of 20"), again)
            check(states(folder) == ["failed"] * 3 and begun(folder) == [1, 2, 3] + [1] * i, states(folder), begun(folder))

        # When it is over, nothing was spent.
        os.remove(folder / "down")
        said = folder.ckg("run", "s.yaml", expect=0).err.splitlines()
        check(said == ["the study was paused: trial 1 is tried again first", "trial 1 works now: what failed with it is evaluated again"], said)
        check(states(folder) == ["complete"] * 20 and begun(folder)[5:] == list(range(1, 21)), states(folder), begun(folder))


def test_later_on():
    with Folder() as folder:
        after(folder, 12)
        folder.ckg("run", "s.yaml", "--quiet", expect=1).one_line("paused after 15 of 20 evaluations: the last 3 evaluations failed alike (trials 13 to 15, ")
        check(states(folder) == ["complete"] * 12 + ["failed"] * 3, states(folder))
        os.remove(folder / "down")
        folder.ckg("run", "s.yaml", "--quiet", expect=0)
        check(states(folder) == ["complete"] * 20 and begun(folder)[15:] == list(range(13, 21)), states(folder), begun(folder))


def test_status_says_it():
    with Folder() as folder:
        after(folder, 12)
        check(folder.status("s.yaml")["outage"] is None, folder.status("s.yaml"))
        folder.ckg("run", "s.yaml", "--quiet", expect=1)
        check(folder.status("s.yaml")["outage"] == {"trials": [13, 14, 15], "why": "exit status 1: no licence"}, folder.status("s.yaml"))
        said = folder.ckg("status", "s.yaml", expect=0).out
        check("\npaused: the last 3 evaluations failed alike (trials 13 to 15, exit status 1: no licence); once the cause is mended, " in said, said)
        os.remove(folder / "down")
        folder.ckg("run", "s.yaml", "--quiet", expect=0)
        check(folder.status("s.yaml")["outage"] is None and "paused" not in folder.ckg("status", "s.yaml", expect=0).out)


def paused_but_for_one(folder):
    """The study is paused, and only the evaluation that waits still runs."""
    return folder.status("s.yaml")["outage"] and folder.status("s.yaml")["running"] == 1


def test_several_at_once():
    """No more are started; what runs ends first, and its results count."""
    script = SERVER.replace("if test", f"test $CKG_TRIAL != 16 || {{ {once_there('go', 'true')}; }}\nif test") + GOOD
    with Folder() as folder:
        after(folder, 12, script=script, evaluate="  parallel: 4\n")
        process = folder.start("run", "s.yaml")
        wait_for(lambda: paused_but_for_one(folder), what=lambda: states(folder))
        count = len(states(folder))
        check(count <= 18, "more than two were started meanwhile:", states(folder))
        check(process.poll() is None, "it did not wait for trial 16")
        folder.write("go", "")
        _, err = process.communicate()
        check(process.returncode == 1 and f"paused after {count} of 20".encode() in err, process.returncode, err)
        check(states(folder)[12:] == ["failed"] * (count - 12), states(folder))
        done = len(begun(folder))
        os.remove(folder / "down")
        folder.ckg("run", "s.yaml", "--quiet", expect=0)
        check(states(folder) == ["complete"] * 20 and sorted(begun(folder)[done:]) == list(range(13, 21)), begun(folder))


def test_one_of_those_under_way_succeeds():
    """Then it was no outage, and the run goes on."""
    script = SERVER.replace("if test -e down", f"test $CKG_TRIAL != 16 || {{ {once_there('go', 'rm -f down')}; }}\nif test -e down") + GOOD
    with Folder() as folder:
        after(folder, 12, script=script, evaluate="  parallel: 4\n")
        process = folder.start("run", "s.yaml")
        wait_for(lambda: paused_but_for_one(folder), what=lambda: states(folder))
        count = len(states(folder))
        folder.write("go", "")
        process.communicate()
        expected = ["complete" if n == 16 or n > count else "failed" for n in range(13, 21)]
        check(process.returncode == 0 and states(folder)[12:] == expected, states(folder))


def test_pause_after():
    for n in (1, 2, 7):
        with Folder() as folder:
            after(folder, 4, evaluate=f"  pause_after: {n}\n")
            folder.ckg("run", "s.yaml", "--quiet", expect=1).one_line(f"the last {n} evaluations failed" if n > 1 else "(trial 5, exit status 1: no licence)")
            check(states(folder)[4:] == ["failed"] * n, states(folder))
    with Folder() as folder:
        server_study(folder, evaluate="  pause_after: 0\n")
        folder.write("down", "no licence\n")
        folder.ckg("run", "s.yaml", "--quiet", expect=1).one_line("every evaluation failed")
        check(states(folder) == ["failed"] * 20, states(folder))


def test_messages_that_differ():
    """Numbers in what is said do not matter; other words need five in a row."""
    for line, expected in (('run $CKG_TRIAL of /tmp/x$$: no licence', 3), ('$(printf %$CKG_TRIAL.0s | tr " " x)', 5)):
        with Folder() as folder:
            script = f'test ! -e down || {{ echo "{line}" >&2; exit 1; }}\n' + GOOD
            after(folder, 12, script=script)
            folder.ckg("run", "s.yaml", "--quiet", expect=1).one_line(f"the last {expected} evaluations failed" + (" alike" if expected == 3 else " (trials"))
            check(states(folder)[12:] == ["failed"] * expected, states(folder))


def test_designs_that_fail():
    """A third of the box crashes the simulator, with one message: no pause in 300 evaluations, once one has worked; an outage is one all the same."""
    script = 'test ! -e down || { cat down >&2; exit 1; }\nawk -v x="$1" \'BEGIN { if (x > 0.67) exit 1 }\' || test $CKG_TRIAL = 1 || { echo "diverged at step $CKG_TRIAL" >&2; exit 3; }\n' + GOOD
    with Folder() as folder:
        server_study(folder, budget=300, script=script)
        folder.ckg("run", "s.yaml", "--quiet", expect=0)
        failed = states(folder).count("failed")
        check(80 < failed < 120, failed)
        server_study(folder, budget=310, script=script)
        folder.write("down", "no licence\n")
        folder.ckg("run", "s.yaml", "--quiet", expect=1).one_line("the last 3 evaluations failed alike (trials 301 to 303, exit status 1: no licence)")


def test_designs_that_fail_together():
    """What fails for the first time at the edge of what works is no outage before five in a row; elsewhere three are enough."""
    for spread, expected in ((0, 5), (1, 3)):
        script = (f'test ! -e down || {{ echo diverged >&2; exit 3; }}\n{GOOD}')
        with Folder() as folder:
            folder.write("look.sh", script)
            text = problem("s", ["sh", "look.sh", "{x}"], budget=12)
            folder.write("s.yaml", text)
            folder.ckg("run", "s.yaml", "--quiet", expect=0)
            good = [t["parameters"] for t in folder.trials("s.yaml")]
            folder.write("s.yaml", text.replace("budget: 12", "budget: 30"))
            for i in range(10):
                x, y = (good[i]["x"], good[i]["y"]) if spread else (0.001 * i, 0.001 * i)
                folder.ckg("ask", "s.yaml", "--at", f"x={x + 1e-9 if x < 0.5 else x - 1e-9}", f"y={y}", expect=0)
            folder.write("down", "")
            folder.ckg("run", "s.yaml", "--quiet", expect=1).one_line(f"the last {expected} evaluations failed alike (trials 13 to {12 + expected}, ")


def test_failures_that_people_told_pause_nothing():
    with Folder() as folder:
        server_study(folder, budget=10)
        for _ in range(6):
            trial = json.loads(folder.ckg("ask", "s.yaml", "--json", expect=0).out)["trial"]
            folder.ckg("tell", "s.yaml", trial, "--failed", "it broke", expect=0)
        check(folder.status("s.yaml")["outage"] is None)
        folder.ckg("run", "s.yaml", "--quiet", expect=0)
        check(states(folder) == ["failed"] * 6 + ["complete"] * 4)


def test_the_budget_ends_in_an_outage():
    """A study whose last evaluations were lost is paused, not over."""
    with Folder() as folder:
        after(folder, 17)
        folder.ckg("run", "s.yaml", "--quiet", expect=1).one_line("paused after 20 of 20 evaluations")
        folder.ckg("run", "s.yaml", "--quiet", expect=1).one_line("paused after 20 of 20 evaluations")
        os.remove(folder / "down")
        folder.ckg("run", "s.yaml", "--quiet", expect=0)
        check(states(folder) == ["complete"] * 20)


def test_another_failure_when_it_is_tried_again():
    """Its design may be at fault, so the others are tried too, one after the other; where none works, the study stays paused."""
    with Folder() as folder:
        server_study(folder, evaluate="  parallel: 4\n  pause_after: 3\n")
        folder.write("down", "no licence\n")
        folder.ckg("run", "s.yaml", "--quiet", expect=1)
        failed = len(begun(folder))
        folder.write("down", "cannot open the mesh\n")
        folder.ckg("run", "s.yaml", "--quiet", expect=1).one_line(f"paused after {failed} of 20", "cannot open the mesh")
        check(begun(folder)[failed:] == list(range(1, failed + 1)) and set(states(folder)) == {"failed"}, begun(folder))


def test_a_design_that_fails_when_it_is_tried_again():
    """Trial 13 would have failed anyway. The outage is over all the same, and what it took is evaluated again."""
    with Folder() as folder:
        after(folder, 12, script=SERVER + "test $CKG_TRIAL != 13 || { echo diverged >&2; exit 3; }\n" + GOOD)
        folder.ckg("run", "s.yaml", "--quiet", expect=1)
        os.remove(folder / "down")
        folder.ckg("run", "s.yaml", "--quiet", expect=0)
        check(states(folder) == ["complete"] * 12 + ["failed"] + ["complete"] * 7, states(folder))
        check([t["why"] for t in folder.trials("s.yaml")][12] == "exit status 3: diverged")


def test_killed_while_it_is_tried_again():
    """The trial is not lost, and the study goes on."""
    with Folder() as folder:
        after(folder, 12)
        folder.ckg("run", "s.yaml", "--quiet", expect=1)
        folder.write("look.sh", "echo $CKG_TRIAL >>begun\n" + once_there("go", GOOD))
        process = folder.start("run", "s.yaml")
        wait_for(lambda: len(begun(folder)) == 16, what="the second evaluation of trial 13")
        process.kill()
        process.communicate()
        folder.write("go", "")
        folder.write("look.sh", "echo $CKG_TRIAL >>begun\n" + GOOD)
        folder.ckg("run", "s.yaml", "--quiet", expect=0)
        trials = folder.trials("s.yaml")
        check_numbers(trials, 20)
        check([t["state"] for t in trials].count("complete") >= 18, states(folder))
        folder.nothing_left()


def test_interrupted_while_it_is_tried_again():
    """It may end first, and what it shows is not forgotten."""
    with Folder() as folder:
        after(folder, 12)
        folder.ckg("run", "s.yaml", "--quiet", expect=1)
        folder.write("look.sh", "echo $CKG_TRIAL >>begun\n" + once_there("go", GOOD))
        process = folder.start("run", "s.yaml")
        wait_for(lambda: len(begun(folder)) == 16, what="the second evaluation of trial 13")
        process.send_signal(signal.SIGINT)
        read_until(process.stderr, b"finishing 1 running")
        folder.write("go", "")
        process.communicate()
        check(process.returncode == 1 and states(folder)[12:] == ["complete", "pending", "pending"], process.returncode, states(folder))
        folder.ckg("run", "s.yaml", "--quiet", expect=0)
        check(states(folder) == ["complete"] * 20, states(folder))


def test_killed_at_every_write_of_the_next_run():
    """Nothing is lost, and no result is made twice. Killed just behind the second evaluation, the others may stay failed: `ckg retry` is for them."""
    with Folder() as folder:
        after(folder, 12)
        folder.ckg("run", "s.yaml", "--quiet", expect=1)
        paused = {name: (folder / name).read_bytes() for name in ("s.db", "begun")}
        os.remove(folder / "down")
        kills = 0
        for place in range(1, 200, scale(3, 9)):
            for left in folder.path.glob("s.db*"):
                left.unlink()
            for name, content in paused.items():
                (folder / name).write_bytes(content)
            process = folder.start("run", "s.yaml", "--quiet", env={"CKG_FAULT": f"kill:{place}"})
            process.communicate()
            if process.returncode != -signal.SIGKILL:
                break
            kills += 1
            before = {t["trial"]: t["values"] for t in folder.trials("s.yaml") if t["state"] == "complete"}
            done = len(begun(folder))
            folder.ckg("run", "s.yaml", "--quiet", expect=0)
            trials = folder.trials("s.yaml")
            check_numbers(trials, 20)
            check({t["state"] for t in trials} <= {"complete", "failed"} and sum(t["state"] == "failed" for t in trials) in (0, 2), place, states(folder))
            check(all(trials[number - 1]["values"] == values for number, values in before.items()), "a result has changed")
            check(not set(begun(folder)[done:]) & set(before), "evaluated twice:", set(begun(folder)[done:]) & set(before))
        check(kills > scale(12, 3), "few kills", kills)
        folder.nothing_left()


def test_retry_and_discard():
    """The commands that the line names."""
    with Folder() as folder:
        after(folder, 12)
        folder.ckg("run", "s.yaml", "--quiet", expect=1)
        folder.ckg("discard", "s.yaml", 13, 14, 15, expect=0)
        check(folder.status("s.yaml")["outage"] is None)
        os.remove(folder / "down")
        folder.ckg("run", "s.yaml", "--quiet", expect=0)
        check(states(folder) == ["complete"] * 12 + ["discarded"] * 3 + ["complete"] * 8, states(folder))
    with Folder() as folder:
        after(folder, 12)
        folder.ckg("run", "s.yaml", "--quiet", expect=1)
        folder.ckg("retry", "s.yaml", "--failed", expect=0)
        check(folder.status("s.yaml")["outage"] is None)
        os.remove(folder / "down")
        folder.ckg("run", "s.yaml", "--quiet", expect=0)
        check(states(folder) == ["complete"] * 20, states(folder))


if __name__ == "__main__":
    main(globals())

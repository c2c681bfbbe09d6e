"""Mistakes mended: replace, complete, another design, discard, retry, undo; whatever is said is kept, and killed at any write it is whole."""
import itertools
import json
import os
import shutil
import sqlite3
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from harness import Folder, check, main, problem, scale, wait_for  # noqa: E402
from checksums import forged  # noqa: E402

# Made by hand, so that every trial is told by a person.
LAB = """name: lab
goal: maximize
budget: 30
initial: 5
policy: cei
seed: 5
parameters:
  temperature: {type: real, low: 20, high: 90}
  hours: {type: integer, low: 1, high: 12}
  solvent: {type: categorical, values: [water, ethanol]}
objective: {name: yield, noise: none}
constraints:
  purity: {min: 95, noise: none}
"""


def measure(parameters):
    t, h = parameters["temperature"], parameters["hours"]
    water = parameters["solvent"] == "water"
    return {"yield": 60 - (t - 65) ** 2 / 40 - (h - 7) ** 2 / 3 - 4 * water, "purity": 99 - t / 20 + 0.1 * h}


def words(values):
    return [f"{name}={value!r}" for name, value in values.items()]


STORE = ("lab.db", "lab.db-wal", "lab.db-shm")
MADE = {}  # {trials: {file: its bytes}}


def laboratory(folder, trials=8):
    """A study with so many trials told, and one pending; made once, then copied."""
    folder.write("lab.yaml", LAB)
    if trials not in MADE:
        for number in range(1, trials + 1):
            asked = json.loads(folder.ckg("ask", "lab.yaml", "--json", expect=0).out)
            folder.ckg("tell", "lab.yaml", number, *words(measure(asked["parameters"])), expect=0)
        folder.ckg("ask", "lab.yaml", expect=0)
        MADE[trials] = {name: (folder / name).read_bytes() for name in STORE if (folder / name).exists()}
    for name, content in MADE[trials].items():
        (folder / name).write_bytes(content)


def asked_next(folder):
    """What a copy of the study would ask for next."""
    copy = folder / "copy"
    shutil.rmtree(copy, ignore_errors=True)
    copy.mkdir()
    for name in ("lab.yaml", *STORE):
        if (folder / name).exists():
            shutil.copy(folder / name, copy / name)
    return folder.ckg("ask", "lab.yaml", "-n", 2, "--json", cwd=copy, expect=0).out


def one(folder, number, study="lab.yaml"):
    return json.loads(folder.ckg("trials", study, number, "--json", expect=0).out)


def test_a_typo_has_a_cure_of_one_line():
    with Folder() as folder:
        laboratory(folder, 3)
        right = one(folder, 2)["values"]
        folder.ckg("tell", "lab.yaml", 2, "--replace", "yield=550", expect=0)
        folder.ckg("tell", "lab.yaml", 2, "yield=55", expect=1).one_line("trial 2", "yield = 550", "--replace")
        check(folder.ckg("tell", "lab.yaml", 2, "--replace", "yield=55", expect=0).out == "trial 2 is complete and feasible\n")
        trial = one(folder, 2)
        check(trial["values"] == {"yield": 55, "purity": right["purity"]}, trial)
        check([c["kind"] for c in trial["history"]] == ["tell", "replace", "replace"], trial["history"])
        check([c["after"]["values"]["yield"] for c in trial["history"]] == [right["yield"], 550, 55])
        check(all("@" in c["who"] and c["made"].endswith("Z") and c["undone"] is None for c in trial["history"]))
        check(trial["history"][2]["command"] == "tell lab.yaml 2 --replace yield=55")
        said = folder.ckg("trials", "lab.yaml", 2, expect=0).out
        check("ckg tell lab.yaml 2 --replace yield=55" in said and "550" in said, said)


def test_a_value_measured_later():
    with Folder() as folder:
        laboratory(folder, 2)
        folder.ckg("tell", "lab.yaml", 3, "yield=40", expect=0)
        check(one(folder, 3)["feasible"] is None)
        folder.ckg("tell", "lab.yaml", 3, "purity=96.5", "yield=41", expect=1).one_line("yield = 40", "--replace")
        folder.ckg("tell", "lab.yaml", 3, "purity=96.5", expect=0)
        trial = one(folder, 3)
        check(trial["values"] == {"yield": 40, "purity": 96.5} and trial["feasible"] is True, trial)
        folder.ckg("tell", "lab.yaml", 3, "purity=null", expect=1).one_line("purity = 96.5")
        folder.ckg("tell", "lab.yaml", 3, "--replace", "purity=null", expect=0)
        check(one(folder, 3)["values"] == {"yield": 40})
        folder.ckg("tell", "lab.yaml", 3, "--replace", "yield=null", expect=2).one_line("nothing would be left", "ckg discard")


def test_the_design_really_made():
    with Folder() as folder:
        laboratory(folder, 2)
        before = one(folder, 3)["parameters"]
        folder.ckg("tell", "lab.yaml", 3, "yield=40", "--at", "temperature=200", expect=2).one_line("--at", "temperature")
        folder.ckg("tell", "lab.yaml", 3, "yield=40", "--at", "heat=81", expect=2).one_line("heat=81", "parameter")
        folder.ckg("tell", "lab.yaml", 3, "yield=40", "--at", "temperature=81", "solvent=water", "purity=97", expect=0)
        trial = one(folder, 3)
        check(trial["parameters"] == {**before, "temperature": 81, "solvent": "water"}, trial)
        check(trial["values"] == {"yield": 40, "purity": 97}, trial)
        folder.ckg("tell", "lab.yaml", 3, "--at", "temperature=80.5", expect=1).one_line("--replace")
        folder.ckg("tell", "lab.yaml", 3, "--replace", "--at", "temperature=80.5", expect=0)
        trial = one(folder, 3)
        check(trial["parameters"]["temperature"] == 80.5 and trial["values"] == {"yield": 40, "purity": 97}, trial)
        check('at {"temperature": 81' in folder.ckg("trials", "lab.yaml", 3, expect=0).out)


def test_failed_after_all_and_the_other_way_round():
    with Folder() as folder:
        laboratory(folder, 2)
        folder.ckg("tell", "lab.yaml", 2, "--failed", "spilt", expect=1).one_line("already complete", "--replace")
        folder.ckg("tell", "lab.yaml", 2, "--failed", "spilt", "--replace", expect=0)
        trial = one(folder, 2)
        check(trial["state"] == "failed" and trial["why"] == "spilt" and trial["values"] == {}, trial)
        folder.ckg("tell", "lab.yaml", 2, "yield=3", expect=1).one_line("already failed", "--replace")
        folder.ckg("tell", "lab.yaml", 2, "yield=3", "--replace", expect=0)
        trial = one(folder, 2)
        check(trial["state"] == "complete" and trial["why"] is None and trial["values"] == {"yield": 3}, trial)


def test_discarded_trials_are_out_of_sight():
    """Models, recommendation, best and budget are those of a study without them; the trials stay where they are."""
    with Folder() as folder:
        laboratory(folder, 6)
        best = folder.status("lab.yaml")["best_feasible"]["trial"]
        said = folder.ckg("discard", "lab.yaml", best, "--note", "wrong flask", expect=0).out
        check(said.startswith(f"trial {best} is discarded"), said)
        status = folder.status("lab.yaml")
        check(status["discarded"] == 1 and status["complete"] == 5 and status["best_feasible"]["trial"] != best, status)
        trial = one(folder, best)
        check(trial["state"] == "discarded" and trial["feasible"] is None and len(trial["values"]) == 2, trial)
        check(trial["notes"] == "wrong flask", trial)
        check("discarded" in folder.ckg("export", "lab.yaml", expect=0).out.splitlines()[best])
        check(json.loads(folder.ckg("recommend", "lab.yaml", "--json", expect=0).out)["evaluations"] == 5)
        check(json.loads(folder.ckg("model", "lab.yaml", "--json", expect=0).out)["yield"]["observations"] == 5)
        folder.ckg("discard", "lab.yaml", best, expect=1).one_line("discarded already")
        folder.ckg("discard", "lab.yaml", best, "--restore", expect=0)
        check(one(folder, best)["state"] == "complete" and folder.status("lab.yaml")["best_feasible"]["trial"] == best)
        folder.ckg("discard", "lab.yaml", best, "--restore", expect=1).one_line("not discarded")
        folder.ckg("discard", "lab.yaml", "1-3", 5, expect=0)
        check([t["state"] == "discarded" for t in folder.trials("lab.yaml")] == [True, True, True, False, True, False, False])
        folder.ckg("discard", "lab.yaml", "9", expect=2).one_line("there is no trial '9'")
        folder.ckg("discard", "lab.yaml", "x", expect=2).one_line("'x' is not the number of a trial")


def test_figures_and_report_leave_them_out():
    """Not even as pending ones; the table of the report has them, with their state."""
    with Folder() as folder:
        laboratory(folder, 6)
        folder.ckg("tell", "lab.yaml", 7, *words(measure(one(folder, 7)["parameters"])), expect=0)
        folder.ckg("discard", "lab.yaml", 2, 5, expect=0)
        for kind in ("map", "slices", "convergence"):
            folder.ckg("plot", "lab.yaml", "--kind", kind, "-o", "out.svg", expect=0)
            picture = (folder / "out.svg").read_text()
            check("pending" not in picture, kind)
        folder.ckg("plot", "lab.yaml", "--kind", "map", "-o", "out.svg", expect=0)
        picture = (folder / "out.svg").read_text()
        check("trial 3, " in picture and "trial 2, " not in picture and "trial 5, " not in picture)
        folder.ckg("report", "lab.yaml", "-o", "out.html", expect=0)
        page = (folder / "out.html").read_text()
        check("5 complete, 0 failed, 2 discarded" in page and page.count("discarded") >= 3)


FAILS_WHILE_AWAY = ["sh", "-c", """test -e server || { echo 'no licence' >&2; exit 1; }; echo '{"f": 1, "c": -1}'"""]


def test_an_outage_is_set_aside_or_tried_again():
    """Discarded trials do not count, so the same budget makes up for them; retried ones come before anything new."""
    with Folder() as folder:
        folder.write("s.yaml", problem("s", FAILS_WHILE_AWAY, budget=2))
        folder.write("server", "")
        folder.ckg("run", "s.yaml", "--quiet", expect=0)
        (folder / "server").unlink()
        folder.write("s.yaml", problem("s", FAILS_WHILE_AWAY, budget=6, evaluate="  pause_after: 0\n"))
        folder.ckg("run", "s.yaml", "--quiet")
        states = [t["state"] for t in folder.trials("s.yaml")]
        check(states == ["complete"] * 2 + ["failed"] * 4, states)
        folder.write("server", "")
        folder.ckg("discard", "s.yaml", "--failed", "--since", 5, expect=0)
        check([t["trial"] for t in folder.trials("s.yaml") if t["state"] == "discarded"] == [5, 6])
        folder.ckg("retry", "s.yaml", "--failed", "--since", "2020-01-31T14:00", expect=0)
        pending = [t for t in folder.trials("s.yaml") if t["state"] == "pending"]
        check([t["trial"] for t in pending] == [3, 4] and all(t["why"] is None for t in pending), pending)
        lines = folder.ckg("run", "s.yaml", "--json", expect=0).out.splitlines()
        ended = [json.loads(line)["trial"] for line in lines if '"trial": ' in line and '"state": "complete"' in line]
        check(ended[:4] == [3, 4, 7, 8], ended)
        states = [t["state"] for t in folder.trials("s.yaml")]
        check(states == ["complete"] * 4 + ["discarded"] * 2 + ["complete"] * 2, states)
        folder.ckg("retry", "s.yaml", 5, 6, expect=0)
        folder.ckg("run", "s.yaml", "--quiet", expect=0)
        check([t["state"] for t in folder.trials("s.yaml")] == ["complete"] * 8)
        folder.ckg("retry", "s.yaml", "--failed", expect=1).one_line("no trial has failed")
        folder.ckg("retry", "s.yaml", "--failed", "--since", "soon", expect=2).one_line("--since", "'soon'")


def test_since():
    with Folder() as folder:
        laboratory(folder, 1)
        folder.ckg("ask", "lab.yaml", "-n", 3, expect=0)
        for number in (2, 3, 4, 5):
            folder.ckg("tell", "lab.yaml", number, "--failed", "spilt", expect=0)
        with forged(folder / "lab.db") as store:
            store.execute("UPDATE trial SET ended = ended - 7200 WHERE number < 4")
        for since, found in (("1h", [4, 5]), ("3h", [2, 3, 4, 5]), ("90min", [4, 5]), ("2d", [2, 3, 4, 5]), ("3", [3, 4, 5]), ("2999-01-01", [])):
            result = folder.ckg("retry", "lab.yaml", "--failed", "--since", since)
            check(result.status == (0 if found else 1), since, result.err)
            check([t["trial"] for t in folder.trials("lab.yaml") if t["state"] == "pending"] == found, since)
            if found:
                folder.ckg("undo", "lab.yaml", expect=0)


CHANGES = (("tell", 2, "--replace", "yield=55"), ("tell", 3, "--replace", "--at", "hours=4", "temperature=40"), ("discard", 1, 4, 5),
           ("retry", 6), ("tell", 6, "yield=1", "purity=99"), ("tell", 9, "--failed", "spilt"), ("tell", 7, "--replace", "--failed", "spilt"),
           ("discard", "--failed"), ("discard", 4, "--restore"), ("retry", 5), ("tell", 8, "--note", "cloudy"))


def test_undo_of_everything_is_the_study_of_before():
    """Bit for bit in what is asked next, and in the trials."""
    with Folder() as folder:
        laboratory(folder)
        asked, trials = asked_next(folder), folder.trials("lab.yaml")
        seen = [trials]
        for words_ in CHANGES:
            folder.ckg(words_[0], "lab.yaml", *words_[1:], expect=0)
            seen.append(folder.trials("lab.yaml"))
        check(asked_next(folder) != asked, "the changes changed nothing")
        for words_ in reversed(CHANGES):
            check(folder.trials("lab.yaml") == seen.pop(), words_)
            said = json.loads(folder.ckg("undo", "lab.yaml", "--json", expect=0).out)
            check(said["command"].startswith(f"{words_[0]} lab.yaml {words_[1]}"), said, words_)
        check(folder.trials("lab.yaml") == trials)
        check(asked_next(folder) == asked, "another design is asked for")
        for _ in range(8):
            folder.ckg("undo", "lab.yaml", expect=0)
        folder.ckg("undo", "lab.yaml", expect=1).one_line("nothing to undo")
        check(all(t["state"] == "pending" for t in folder.trials("lab.yaml")))


def rows(folder):
    store = sqlite3.connect(folder / "lab.db")
    trials = store.execute("SELECT number, state, queued, parameters, outcomes, why, notes, starts, failures FROM trial ORDER BY number").fetchall()
    changes = store.execute("SELECT number, command, undone IS NULL FROM change ORDER BY number").fetchall()
    images = store.execute("SELECT change, trial, side FROM image ORDER BY change, trial, side").fetchall()
    study = store.execute("SELECT definition, redefined > 0 FROM study").fetchall()
    store.close()
    return trials, changes, images, study


def killed_anywhere(command, prepare=(), yaml=None, early=None):
    """Killed, or without space, at every place that the command passes, or at every fourth: the store is as before it or as after it, and it can be given again."""
    with Folder() as folder:
        laboratory(folder, 4)
        folder.write("in.csv", "temperature,hours,solvent,yield,purity\n50,5,water,30,97\n60,6,water,31,97\n")
        if early:
            folder.write("lab.yaml", early)
        for words_ in prepare:
            folder.ckg(words_[0], "lab.yaml", *words_[1:], expect=0)
        if yaml:
            folder.write("lab.yaml", yaml)
        shutil.copytree(folder.path, folder / "base", dirs_exist_ok=True, ignore=shutil.ignore_patterns("base"))
        before = rows(folder)
        folder.ckg(command[0], "lab.yaml", *command[1:], expect=0)
        after = rows(folder)
        check(before != after, command)
        ends = set()
        for kind, first in (("kill", 1), ("full", 2)):
            for place in itertools.count(first, scale(1, 4)):
                for name in STORE:
                    (folder / name).unlink(missing_ok=True)
                    if (folder / "base" / name).exists():
                        shutil.copy(folder / "base" / name, folder / name)
                result = folder.ckg(command[0], "lab.yaml", *command[1:], env={"CKG_FAULT": f"{kind}:{place}"})
                found = rows(folder)
                check(found in (before, after), command, kind, place, "neither before nor after:", found)
                ends.add(found == after)
                if result.status == 0:
                    check(found == after, command, kind, place)
                    break
                if kind == "full":
                    result.one_line("full")
                if found == before:
                    folder.ckg(command[0], "lab.yaml", *command[1:], expect=0)
                    check(rows(folder) == after, command, kind, place)
            check(place > 5, command, "few places:", place)
        check(ends == {True, False}, command)


def test_killed_while_replacing():
    killed_anywhere(("tell", 2, "--replace", "yield=55", "--at", "hours=3"))


def test_killed_while_discarding():
    killed_anywhere(("discard", 1, 2, 4))


def test_killed_while_retrying():
    killed_anywhere(("retry", 1, 3), prepare=[("discard", 3)])


def test_killed_while_undoing():
    killed_anywhere(("undo",), prepare=[("discard", 1, 2, 4)])


def test_killed_while_importing_and_undoing_that():
    killed_anywhere(("import", "in.csv"))
    killed_anywhere(("undo",), prepare=[("import", "in.csv")])


WAITS = ["sh", "-c", """until test -e go$CKG_TRIAL; do sleep 0.02; done; python3 -c "
import json, sys
p = json.load(sys.stdin)
print(json.dumps({'f': (p['x'] - 0.3) ** 2 + p['y'], 'c': 0.4 - p['x'] - p['y']}))" """]


def test_a_run_follows_what_others_change():
    """While it evaluates, a value is corrected, a trial is discarded and one is to be tried again: it goes on as a study of those trials would."""
    with Folder() as folder:
        folder.write("s.yaml", problem("s", WAITS, budget=10, policy="cei", more="initial: 4\n"))
        for number in range(1, 8):
            folder.write(f"go{number}", "")
        run = folder.start("run", "s.yaml")
        wait_for(lambda: len(folder.trials("s.yaml")) == 8)
        folder.ckg("tell", "s.yaml", 2, "--replace", "f=-3.5", expect=0)
        folder.ckg("tell", "s.yaml", 3, "--replace", "--at", "x=0.875", expect=0)
        folder.ckg("discard", "s.yaml", 1, expect=0)
        folder.ckg("retry", "s.yaml", 4, expect=0)
        folder.ckg("undo", "s.yaml", expect=0)
        folder.ckg("discard", "s.yaml", 8, expect=1).one_line("being evaluated")
        for number in range(8, 13):
            folder.write(f"go{number}", "")
        _, err = run.communicate()
        check(run.returncode == 0, err)
        trials = folder.trials("s.yaml")
        check(len(trials) == 11 and trials[0]["state"] == "discarded", "the discarded one was not made up for:", len(trials))
        check(trials[1]["values"]["f"] == -3.5 and trials[2]["parameters"]["x"] == 0.875, trials[:3])

        # A fresh process that knows the first eight and was never told anything else.
        (folder / "fresh").mkdir()
        for name in os.listdir(folder.path):
            if name.startswith("s."):
                shutil.copy(folder / name, folder / "fresh" / name)
        with forged(folder / "fresh" / "s.db") as store:
            store.execute("DELETE FROM trial WHERE number > 8")
        asked = json.loads(folder.ckg("ask", "s.yaml", "--json", cwd=folder / "fresh", expect=0).out)
        check(asked["parameters"] == trials[8]["parameters"], asked, trials[8])


def test_undo_of_a_retry_does_not_lose_the_new_result():
    with Folder() as folder:
        folder.write("s.yaml", problem("s", ["sh", "-c", """echo "{\\"f\\": $(cat value), \\"c\\": -1}" """], budget=3))
        folder.write("value", "1")
        folder.ckg("run", "s.yaml", "--quiet", expect=0)
        folder.write("value", "2")
        folder.ckg("retry", "s.yaml", 2, expect=0)
        folder.ckg("run", "s.yaml", "--quiet", expect=0)
        check([t["values"]["f"] for t in folder.trials("s.yaml")] == [1, 2, 1])
        folder.ckg("undo", "s.yaml", expect=1).one_line("trial 2", "got a result", "--yes")
        check([t["values"]["f"] for t in folder.trials("s.yaml")] == [1, 2, 1])
        folder.ckg("undo", "s.yaml", "--yes", expect=0)
        check([t["values"]["f"] for t in folder.trials("s.yaml")] == [1, 1, 1])
        history = one(folder, 2, "s.yaml")["history"]
        check(history[0]["put_aside"]["values"] == {"f": 2, "c": -1} and history[0]["undone"], history)
        folder.ckg("undo", "s.yaml", expect=1).one_line("nothing to undo")


def test_undo_of_an_import():
    with Folder() as folder:
        laboratory(folder, 2)
        asked = asked_next(folder)
        folder.write("in.csv", "temperature,hours,solvent,yield,purity\n50,5,water,30,97\n60,6,water,31,97\n")
        folder.ckg("import", "lab.yaml", "in.csv", expect=0)
        check(len(folder.trials("lab.yaml")) == 5)
        folder.ckg("undo", "lab.yaml", expect=0)
        check(len(folder.trials("lab.yaml")) == 3 and asked_next(folder) == asked)
        folder.ckg("import", "lab.yaml", "in.csv", expect=0)
        folder.ckg("ask", "lab.yaml", expect=0)
        folder.ckg("undo", "lab.yaml", expect=1).one_line("1 trial has followed", "ckg discard")
        folder.ckg("discard", "lab.yaml", "4-5", expect=0)
        check([t["state"] for t in folder.trials("lab.yaml")][2:] == ["pending", "discarded", "discarded", "pending"])


if __name__ == "__main__":
    main(globals())

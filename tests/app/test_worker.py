"""ckg worker: several processes and studies, orders, signals, answers that outlive the store and the worker, and what it never runs."""
import collections
import json
import os
import pathlib
import signal
import sqlite3
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from harness import PATIENCE, Folder, check, check_numbers, kill_group, main, once_there, problem, scale, wait_for  # noqa: E402
from checksums import forged  # noqa: E402

# Says who was evaluated, then answers.
QUICK = """echo "$CKG_STUDY $CKG_TRIAL" >>log; echo '{"f": 1, "c": -1}'"""


def shell(script):
    return ["/bin/sh", "-c", script]


def work(folder, *words, **how):
    return folder.ckg("worker", "s.db", "--spool", "spool", *words, **how)


def start(folder, *words, **how):
    return folder.start("worker", "s.db", "--spool", "spool", *words, **how)


def trials(folder, name="s"):
    return [json.loads(line) for line in folder.ckg("trials", "s.db", "--study", name, "--json", expect=0).out.splitlines()]


def begun(folder):
    log = folder / "log"
    return collections.Counter(log.read_text().splitlines()) if log.exists() else collections.Counter()


def ended(process):
    out, err = process.communicate(timeout=PATIENCE)
    return process.returncode, out.decode(), err.decode()


def test_several_workers_and_studies():
    budget = scale(40, 12)
    with Folder() as folder:
        for name in "ab":
            folder.write(f"{name}.yaml", problem(name, shell(QUICK), budget=budget))
        workers = [start(folder, "--begin", "--until-idle", "--slots", 2) for _ in range(3)]
        run = folder.start("run", "a.yaml", "--store", "s.db", "--quiet")
        for process in [*workers, run]:
            status, out, err = ended(process)
            check(status == 0 and not err, status, out, err)
        for name in "ab":
            check_numbers(trials(folder, name), budget)
            check({t["state"] for t in trials(folder, name)} == {"complete"}, trials(folder, name))
        check(len(begun(folder)) == 2 * budget and set(begun(folder).values()) == {1}, begun(folder))
        check(not os.listdir(folder / "spool"), os.listdir(folder / "spool"))
        folder.nothing_left()


def test_one_worker_is_a_run():
    """Same seed, same designs, same answers as `ckg run`, also by a model."""
    with Folder() as folder:
        command = shell("""read -r d; echo "$d" | sed 's/.*"x":[ ]*\\([0-9.e-]*\\).*/{"f": \\1, "c": -1}/'""")
        folder.write("s.yaml", problem("s", command, budget=14, policy="auto"))
        folder.ckg("run", "s.yaml", "--store", "run.db", "--quiet", expect=0)
        lines = work(folder, "--begin", "--until-idle", "--json", expect=0).out.splitlines()
        check([json.loads(line)["study"] for line in lines] == ["s"] * 14, lines)
        ran = folder.ckg("trials", "run.db", "--json", expect=0).out.splitlines()
        for one, other in zip(map(json.loads, ran), trials(folder), strict=True):
            check(one["parameters"] == other["parameters"] and one["values"] == other["values"], one, other)


def test_studies_that_are_wanted():
    with Folder() as folder:
        for name in "ab":
            folder.write(f"{name}.yaml", problem(name, shell(QUICK), budget=3))
        work(folder).one_line("--begin")
        work(folder, "--begin", "--study", "b", "--until-idle", "--quiet", expect=0)
        check({line.split()[0] for line in begun(folder)} == {"b"}, begun(folder))
        work(folder, "--study", "c", expect=2).one_line("no problem file for the study 'c'")
        folder.ckg("worker", "a.yaml", "b.yaml", expect=2).one_line("which store?")
        folder.ckg("worker", "a.yaml", "--begin", "--until-idle", "--quiet", "--spool", "spool", expect=0)
        check(len(folder.trials("a.yaml")) == 3, folder.trials("a.yaml"))

        # A folder with something else in it, and a file that is wrong.
        folder.write("other.yaml", "services: {}\n")
        said = work(folder, ".", "--study", "b", "--until-idle", expect=0).err
        check("other.yaml:1:1" in said, said)
        work(folder, "other.yaml", expect=2).one_line("other.yaml:1:1")
        folder.write("a2.yaml", problem("a", shell(QUICK), budget=3))
        work(folder, "a.yaml", "a2.yaml", expect=2).one_line("has a problem file already")


def test_a_raised_budget():
    with Folder() as folder:
        folder.write("s.yaml", problem("s", shell(QUICK), budget=2))
        process = start(folder, "--begin", "--quiet")
        wait_for(lambda: len(begun(folder)) == 2)
        folder.write("more.yaml", problem("s", shell(QUICK), budget=4))
        folder.ckg("ask", "more.yaml", "--store", "s.db", expect=0)  # which takes over the budget, and one trial
        wait_for(lambda: len(begun(folder)) == 3)
        process.send_signal(signal.SIGTERM)
        check(ended(process) == (0, "", ""))
        check([t["state"] for t in trials(folder)] == ["complete", "complete", "pending", "complete"], trials(folder))


def test_drain():
    """What waits is evaluated, and nothing is chosen."""
    with Folder() as folder:
        folder.write("s.yaml", problem("s", shell(QUICK), budget=9))
        for x in (0.25, 0.75):
            folder.ckg("ask", "s.yaml", "--store", "s.db", "--at", f"x={x}", "y=0.5", expect=0)
        work(folder, "--drain", "--quiet", expect=0)
        check([t["parameters"]["x"] for t in trials(folder)] == [0.25, 0.75], trials(folder))
        check({t["state"] for t in trials(folder)} == {"complete"}, trials(folder))
        work(folder, "--drain", "--until-idle", expect=2).one_line("exclude")


def test_labels():
    with Folder() as folder:
        folder.write("s.yaml", problem("s", shell(QUICK), budget=2, evaluate="  needs: {licence: cfd, bench: 2}\n"))
        said = work(folder, "--begin", "--until-idle", "--label", "licence=cfd", expect=0).err
        check("lacks --label bench=2" in said and not begun(folder), said)
        work(folder, "--until-idle", "--quiet", "--label", "bench=2", "licence=cfd", expect=0)
        check(len(begun(folder)) == 2, begun(folder))
        work(folder, "--label", "cfd", expect=2).one_line("NAME=VALUE")

        # What the store's definition needs holds too, whatever the worker's own file says.
        folder.write("s.yaml", problem("s", shell(QUICK), budget=3))
        with forged(folder / "s.db") as store:
            definition = json.loads(store.execute("SELECT definition FROM study").fetchone()[0])
            store.execute("UPDATE study SET definition = ?", (json.dumps({**definition, "budget": 3}),))
        check("lacks --label" in work(folder, "--until-idle", expect=0).err)
        check(len(begun(folder)) == 2, begun(folder))


def test_designs_ahead():
    """While one is evaluated, two wait; and whoever only chooses keeps one waiting."""
    with Folder() as folder:
        slow = shell(once_there("go", "echo '{\"f\": 1, \"c\": -1}'"))
        folder.write("s.yaml", problem("s", slow, budget=6, evaluate="  ahead: 2\n"))
        process = start(folder, "--begin", "--until-idle", "--quiet")
        wait_for(lambda: (folder / "s.db").exists() and [t["state"] for t in trials_or_none(folder)] == ["running", "pending", "pending"])
        folder.write("go", "")
        check(ended(process) == (0, "", ""))
        check_numbers(trials(folder), 6)

        folder.write("only.yaml", problem("only", slow, budget=2))
        chooser = start(folder, "only.yaml", "--begin", "--slots", 0, "--quiet")
        wait_for(lambda: [t["state"] for t in trials_or_none(folder, "only")] == ["pending"])
        work(folder, "only.yaml", "--until-idle", "--quiet", expect=0)
        check({t["state"] for t in trials(folder, "only")} == {"complete"}, trials(folder, "only"))
        chooser.send_signal(signal.SIGTERM)
        check(ended(chooser) == (0, "", ""))


def trials_or_none(folder, name="s"):
    result = folder.ckg("trials", "s.db", "--study", name, "--json")
    return [json.loads(line) for line in result.out.splitlines()] if not result.status else []


def test_failures_in_a_row():
    """Evaluations that fail hold their study back, which is said; others go on, and so does it once a person has mended it."""
    with Folder() as folder:
        folder.write("a.yaml", problem("a", shell("test -e mended && echo '{\"f\": 1, \"c\": -1}'"), budget=8))
        folder.write("b.yaml", problem("b", shell(QUICK), budget=8))
        said = work(folder, "--begin", "--until-idle", expect=0)
        check("a: paused: " in said.err and len(said.err.splitlines()) == 1, said.err)
        check(len(begun(folder)) == 8 and len(trials(folder, "a")) < 8, begun(folder), trials(folder, "a"))
        folder.write("mended", "")
        work(folder, "--until-idle", "--quiet", expect=0)
        check({t["state"] for t in trials(folder, "a")} == {"complete"} and len(trials(folder, "a")) == 8, trials(folder, "a"))


def test_who_is_at_work():
    """`ckg status` has the workers, what each does, and their leases; also of one that was killed."""
    with Folder() as folder:
        folder.write("s.yaml", problem("s", shell(once_there("go", "echo '{\"f\": 1, \"c\": -1}'")), budget=6))
        check(folder.status("s.yaml")["workers"] == [] and folder.status("s.yaml")["suggestions_per_minute"] is None)
        process = start(folder, "--begin", "--slots", 2, "--label", "bench=2", "--quiet")
        wait_for(lambda: [t["state"] for t in trials_or_none(folder)] == ["running", "running"])
        status = json.loads(folder.ckg("status", "s.db", "--json", expect=0).out)
        (worker,) = status["workers"]
        check(list(worker) == ["worker", "host", "process", "slots", "labels", "alive", "seconds", "silent", "trials"], worker)
        check(worker["process"] == process.pid and worker["slots"] == 2 and worker["labels"] == ["bench=2"], worker)
        check(worker["alive"] is True and worker["trials"] == [1, 2], worker)
        check([(lease["trial"], lease["worker"]) for lease in status["leases"]] == [(1, worker["worker"]), (2, worker["worker"])], status)
        check(all(0 < lease["left"] <= 60 for lease in status["leases"]) and status["suggestions_per_minute"] > 0, status)
        said = folder.ckg("status", "s.db", expect=0).out
        check(f"(process {process.pid}, 2 slots): trials 1, 2" in said and "suggestions:" in said, said)

        kill_group(process)
        check("trials 1, 2, gone" in folder.ckg("status", "s.db", expect=0).out)
        folder.write("go", "")
        work(folder, "--until-idle", "--quiet", expect=0)
        status = json.loads(folder.ckg("status", "s.db", "--json", expect=0).out)
        check(status["workers"] == [] and status["leases"] == [], status)


def test_termination():
    """SIGTERM: evaluations end where there is time for it, and are handed back where there is not."""
    with Folder() as folder:
        script = """echo "$CKG_STUDY $CKG_TRIAL" >>log; """ + once_there("go", "echo '{\"f\": 1, \"c\": -1}'")
        folder.write("s.yaml", problem("s", shell(script), budget=5))
        process = start(folder, "--begin", "--quiet", "--slots", 2, "--grace", 0)
        wait_for(lambda: len(begun(folder)) == 2)
        process.send_signal(signal.SIGTERM)
        check(ended(process) == (0, "", ""))
        check([t["state"] for t in trials(folder)] == ["pending", "pending"], trials(folder))
        folder.nothing_left()

        process = start(folder, "--quiet", "--slots", 2, "--grace", 100000)
        wait_for(lambda: sum(begun(folder).values()) == 4)
        process.send_signal(signal.SIGTERM)
        folder.write("go", "")
        check(ended(process) == (0, "", ""))
        check([t["state"] for t in trials(folder)] == ["complete", "complete"], trials(folder))
        folder.nothing_left()


def test_a_death_at_every_call_of_the_store():
    """Killed wherever it calls the store, and started again: the whole budget, no trial lost, none recorded twice. What was answered is never asked for
    again, for it is in the spool."""
    with Folder() as folder:
        script = """echo "$CKG_TRIAL" >>log; echo "{\\"f\\": $CKG_TRIAL, \\"c\\": -1}"; """
        for place in range(1, scale(150, 60), scale(7, 13)):
            for name in ("s.db", "log"):
                (folder / name).unlink(missing_ok=True)
            folder.write("s.yaml", problem("s", shell(script), budget=3))
            process = start(folder, "--begin", "--until-idle", "--quiet", env={"CKG_FAULT": f"kill:{place}"})
            status, _, err = ended(process)
            check(status in (0, -signal.SIGKILL), place, status, err)
            waiting = [json.loads(path.read_text()) for path in (folder / "spool").glob("*.answer")] if (folder / "spool").exists() else []
            before = begun(folder)
            work(folder, "--begin", "--until-idle", "--quiet", expect=0)
            check([t["values"] for t in trials(folder)] == [{"f": n, "c": -1} for n in (1, 2, 3)], place, trials(folder))
            for answer in waiting:
                check(begun(folder)[str(answer["trial"])] == before[str(answer["trial"])], place, "evaluated again though answered:", answer)
            check(not list((folder / "spool").iterdir()), place, os.listdir(folder / "spool"))
        folder.nothing_left()


def test_a_death_where_outcomes_have_costs():
    """An answer that waits is known by its design and by what was to be measured."""
    with Folder() as folder:
        script = """echo "$CKG_TRIAL" >>log; echo "{\\"f\\": $CKG_TRIAL, \\"c\\": -1}"; """
        text = problem("s", shell(script), budget=9).replace("{name: f, noise: none}", "{name: f, noise: none, cost: 1}")
        folder.write("s.yaml", text.replace("c: {max: 0, noise: none}", "c: {max: 0, noise: none, cost: 2}"))
        waited = 0
        for place in range(70, 110, 4):
            for name in ("s.db", "log"):
                (folder / name).unlink(missing_ok=True)
            ended(start(folder, "--begin", "--until-idle", "--quiet", env={"CKG_FAULT": f"kill:{place}"}))
            waited += len(list((folder / "spool").glob("*.answer")))
            result = work(folder, "--begin", "--until-idle", "--quiet", expect=0)
            check(not result.err and not list((folder / "spool").iterdir()), place, result.err, os.listdir(folder / "spool"))
        check(waited, "no answer waited anywhere")


def test_a_store_that_fails():
    """A call of the store that fails, wherever it is, is said and tried again; no answer is lost or evaluated twice."""
    with Folder() as folder:
        script = """echo "$CKG_TRIAL" >>log; echo "{\\"f\\": $CKG_TRIAL, \\"c\\": -1}"; """
        folder.write("s.yaml", problem("s", shell(script), budget=3))
        begin = ["--begin", "--until-idle", "--quiet"]
        for place in range(36, scale(150, 60), scale(11, 17)):
            for name in ("s.db", "log"):
                (folder / name).unlink(missing_ok=True)
            result = work(folder, *begin, env={"CKG_FAULT": f"full:{place}"})
            if result.status:  # before it began
                check(result.status == 1 and not begun(folder), place, result.status, result.err)
                work(folder, *begin, expect=0)
            check([t["values"] for t in trials(folder)] == [{"f": n, "c": -1} for n in (1, 2, 3)], place, trials(folder))
            check(not list((folder / "spool").iterdir()), place, os.listdir(folder / "spool"))


def test_answers_of_a_dead_worker():
    """An answer of before stands in the trial's notes where it has another, and is set aside where the trial is another."""
    with Folder() as folder:
        folder.write("s.yaml", problem("s", shell(QUICK), budget=2))
        work(folder, "--begin", "--until-idle", "--quiet", expect=0)
        design = json.dumps(trials(folder)[0]["parameters"])
        design = sqlite3.connect(folder / "s.db").execute("SELECT parameters FROM trial WHERE number = 1").fetchone()[0]
        answer = {"store": f"sqlite:{os.path.realpath(folder / 's.db')}", "study": "s", "trial": 1, "parameters": design, "starts": 1, "worker": 77,
                  "machine": "elsewhere", "process": 1, "born": 1, "state": "complete", "outcomes": '{"f": 5, "c": -2}', "why": None, "log": None,
                  "answer": None, "extra": None, "notes": None, "seconds": 3.5, "failures": 0}
        folder.write("spool/1-1-1.answer", json.dumps(answer))
        folder.write("spool/1-1-2.answer", json.dumps({**answer, "parameters": '{"x": 0, "y": 0}'}))
        folder.write("spool/1-1-3.answer", json.dumps({**answer, "store": "sqlite:/other.db"}))
        folder.write("spool/1-1-4.answer", "no answer at all")
        said = work(folder, "--until-idle", expect=0).err
        check("trial 1 came late" in said and "1-1-2.answer.unused" in said, said)
        check(trials(folder)[0]["values"] == {"f": 1, "c": -1}, trials(folder))
        check('"f": 5' in folder.ckg("trials", "s.db", "1", expect=0).out)
        check(sorted(os.listdir(folder / "spool")) == ["1-1-2.answer.unused", "1-1-3.answer", "1-1-4.answer"], os.listdir(folder / "spool"))


HOSTILE = "touch '{}'; echo '{{\"f\": 1, \"c\": -1}}'"


def test_a_hostile_store_runs_nothing_of_its_own():
    """Whatever the rows of a store say, the commands of the worker's own files are run, in their own folder, and nothing else."""
    with Folder() as folder:
        evil = folder / "evil"
        evil_command = shell(HOSTILE.format(evil))
        more = "  lot: {value: plain}\n  alloy: {type: categorical, values: [steel, brass]}\n"
        yaml = problem("s", ["/bin/sh", "-c", "pwd >>where; echo \"$0 $1 $2\" >>said; " + QUICK, "{lot}", "{alloy}", "{x}"], budget=6)
        (folder / "own").mkdir()
        folder.write("own/s.yaml", yaml.replace("objective:", more + "objective:", 1))
        work(folder, "own", "--begin", "--drain", "--quiet", expect=0)

        # A fixed value of the store's own, in a row whose seal holds, is another problem.
        with forged(folder / "s.db") as store:
            definition = json.loads(store.execute("SELECT definition FROM study").fetchone()[0])
            hostile = json.loads(json.dumps(definition))
            hostile["parameters"]["lot"] = {"value": f"$(touch '{evil}')"}
            store.execute("UPDATE study SET definition = ?", (json.dumps(hostile),))
        work(folder, "own", "--until-idle", "--quiet", expect=2).one_line("has another problem")

        # Another command and folder; and a study that only the store knows.
        with forged(folder / "s.db") as store:
            hostile = {**definition, "evaluate": {"command": evil_command, "parallel": 9, "retries": 3}}
            store.execute("UPDATE study SET definition = ?, folder = '/'", (json.dumps(hostile),))
            store.execute("INSERT INTO study (name, definition, folder, seed, created) VALUES ('t', ?, '/', '1', 1)",
                          (json.dumps({**hostile, "name": "t"}),))
        work(folder, "own", "--until-idle", "--quiet", expect=0)
        check(not evil.exists(), "the store's command was run")
        check(set((folder / "own/where").read_text().splitlines()) == {str(os.path.realpath(folder / "own"))}, (folder / "own/where").read_text())
        said = (folder / "own/said").read_text().splitlines()
        check(len(said) == 6 and {line.split()[0] for line in said} == {"plain"}, said)
        check({line.split()[1] for line in said} <= {"steel", "brass"}, said)
        check(not trials_or_none(folder, "t"), "the store's own study was evaluated")
        check(work(folder, "own", "--study", "t", "--until-idle").status == 2)


def test_hostile_designs_and_other_problems():
    """A design that is none of the file's problem is not evaluated, and neither is a study with another problem."""
    with Folder() as folder:
        folder.write("s.yaml", problem("s", shell(QUICK), budget=3))
        folder.ckg("ask", "s.yaml", "--store", "s.db", "--at", "x=0.5", "y=0.5", expect=0)
        for parameters in ('{"x": "; touch evil", "y": 0.5}', '{"x": 7, "y": 0.5}', '{"x": 0.5}', '{"x": 0.5, "y": 0.5, "PATH": "/evil"}', "[]"):
            with forged(folder / "s.db") as store:
                store.execute("UPDATE trial SET parameters = ?", (parameters,))
            result = work(folder, "--until-idle", "--quiet")
            check(result.status == 1 and not begun(folder), parameters, result.status, result.err, begun(folder))
            result.one_line("trial 1 is damaged")
        with forged(folder / "s.db") as store:
            store.execute("DELETE FROM trial")
            definition = store.execute("SELECT definition FROM study").fetchone()[0]
            store.execute("UPDATE study SET definition = ?", (definition.replace('"high":1', '"high":2').replace('"high": 1', '"high": 2'),))
        work(folder, "--until-idle", "--quiet", expect=2).one_line("has another problem")
        check(not begun(folder), begun(folder))


if __name__ == "__main__":
    main(globals())

"""No two clocks are compared: a run of another machine is alive while its heartbeat changes, by our own waiting."""
import os
import sqlite3
import threading
import time

from harness import PATIENCE, Folder, check, main, preload, problem, wait_for
from checksums import forged

ANSWER = ["sh", "-c", "echo $CKG_TRIAL >> evaluated; echo '{\"f\": 1, \"c\": -1}'"]
SPEED = 30      # so that a minute of waiting is two seconds


def lend_trial(folder, ahead, budget=3, name="s"):
    """A study whose first trial is evaluated by a run on another machine, whose heartbeat is so many seconds ahead of our clock."""
    folder.write(f"{name}.yaml", problem(name, ANSWER, budget=budget))
    folder.ckg("ask", f"{name}.yaml", expect=0)
    with forged(folder / f"{name}.db") as store:
        store.execute("INSERT INTO worker (machine, process, born, heartbeat) VALUES ('far boot space', 7, 5, ?)", (time.time() + ahead,))
        store.execute("UPDATE trial SET state = 'running', queued = 1, worker = last_insert_rowid()")


class Beats:
    """The other machine's heartbeat, while this lasts; its clock is so many seconds ahead. However busy the machine is, clocks with `clock` in their
    environment go on for no more than ten seconds until the next one."""

    def __init__(self, folder, ahead):
        self.folder, self.ahead, self.over = folder, ahead, False
        self.thread = threading.Thread(target=self.beat)
        self.start = time.monotonic()
        self.allow(10)
        self.clock = {"CKG_TEST_CLOCK_SPEED": SPEED, "CKG_TEST_CLOCK_START": self.start, "CKG_TEST_CLOCK_UNTIL": folder / "until"}

    def allow(self, until):
        self.until = until
        self.folder.write("until.new", str(until))
        os.rename(self.folder / "until.new", self.folder / "until")

    def beat(self):
        store = sqlite3.connect(self.folder / "s.db", isolation_level=None, timeout=PATIENCE)
        while not self.over:
            store.execute("UPDATE worker SET heartbeat = ? WHERE machine = 'far boot space'", (time.time() + self.ahead,))
            self.allow(min(SPEED * (time.monotonic() - self.start), self.until) + 10)
            time.sleep(0.02)
        store.close()

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.over = True
        self.thread.join()
        os.unlink(self.folder / "until")


def states(folder):
    return [t["state"] for t in folder.trials("s.yaml")]


def evaluated(folder):
    return sorted((folder / "evaluated").read_text().split())


def test_heartbeat_from_the_future():
    """It is said, and the trial is taken over after a time of our own waiting."""
    with Folder() as folder:
        lend_trial(folder, 1e6)
        run = folder.ckg("run", "s.yaml", expect=0, env=preload(folder, "clock", CKG_TEST_CLOCK_SPEED=SPEED))
        run.one_line("trial 1", "far", "ahead")
        check(states(folder) == ["complete"] * 3, states(folder))


def test_tell_takes_from_the_silent():
    """Whatever the clocks say, `tell` waits for a sign of life, and says so."""
    for ahead, words in ((1e6, "ahead"), (-1e6, "last heard of")):
        with Folder() as folder:
            lend_trial(folder, ahead)
            told = folder.ckg("tell", "s.yaml", 1, "f=2", "c=-1", expect=0, env=preload(folder, "clock", CKG_TEST_CLOCK_SPEED=SPEED))
            told.one_line("trial 1", "far", words)
            check(folder.trials("s.yaml")[0]["values"] == {"f": 2, "c": -1})


def test_tell_leaves_the_living():
    for ahead in (1e6, 0, -1e6):
        with Folder() as folder:
            lend_trial(folder, ahead)
            with Beats(folder, ahead):
                told = folder.ckg("tell", "s.yaml", 1, "f=2", "c=-1", "--quiet", expect=1)
            told.one_line("trial 1", "far")
            check(states(folder) == ["running"])


def test_clock_of_another_machine():
    """A run whose clock is behind, or ahead, keeps its trial as long as it lives."""
    for ahead in (-1e6, 1e6):
        with Folder() as folder:
            lend_trial(folder, ahead)
            with Beats(folder, ahead) as beats:
                run = folder.start("run", "s.yaml", env=preload(folder, "clock", **beats.clock))
                wait_for(lambda: states(folder)[1:] == ["complete"] * 2, "the other trials")
                check(states(folder)[0] == "running" and evaluated(folder) == ["2", "3"], "a living run was robbed")
            run.communicate()
            check(run.returncode == 0 and evaluated(folder) == ["1", "2", "3"], run.returncode)


def test_steps_of_our_clock():
    """The clock is set forward and back while runs wait: nothing is robbed, nobody is forgotten, and each trial is evaluated once."""
    with Folder() as folder:
        lend_trial(folder, 0)
        folder.write("step", "0")
        with Beats(folder, 0) as beats:
            env = preload(folder, "clock", CKG_TEST_CLOCK_STEP=folder / "step", **beats.clock)
            runs = [folder.start("run", "s.yaml", env=env)]
            wait_for(lambda: len(states(folder)) == 3 and states(folder)[1:] == ["complete"] * 2, "the other trials")
            for seconds in (200000, -200000, 4000000):
                folder.write("step.new", str(seconds))
                os.rename(folder / "step.new", folder / "step")
                runs.append(folder.start("run", "s.yaml", env=env))
                wait_for(lambda: count_workers(folder) == 1 + len(runs), "the next run")
            check(states(folder)[0] == "running", "a living run was robbed")
        for run in runs:
            _, err = run.communicate()
            check(run.returncode == 0, run.returncode, err)
        check(evaluated(folder) == ["1", "2", "3"], evaluated(folder))
        check(all(t["seconds"] >= 0 for t in folder.trials("s.yaml")))


def count_workers(folder):
    store = sqlite3.connect(folder / "s.db", timeout=PATIENCE)
    count = store.execute("SELECT count(*) FROM worker").fetchone()[0]
    store.close()
    return count


if __name__ == "__main__":
    main(globals(), beside=[t for name, t in list(globals().items()) if name.startswith("test_")])

"""Nothing is lost: runs are killed at random moments and at every write, and the study ends as if nothing had happened."""
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from harness import PATIENCE, Folder, check, check_numbers, compile_c, kill_group, main, problem, scale, wait_for  # noqa: E402

# Writes its beginning and end into the log. A lock per trial tells when a second one runs at the same time; with DAEMON set a child in a session of
# its own keeps the lock for ever, with FAIL set some designs fail, with HANG set the evaluation never ends.
EVALUATOR = r"""
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

static void note(const char *what)
{
    char line[100];
    const int log = open("log", O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    snprintf(line, sizeof line, "%s %s\n", what, getenv("CKG_TRIAL"));
    if (write(log, line, strlen(line)) < 0)
        exit(9);
}

int main(int count, char **words)
{
    char name[100];
    const double x = atof(words[1]), y = atof(words[2]);
    snprintf(name, sizeof name, "lock.%s", getenv("CKG_TRIAL"));
    const int lock = open(name, O_RDWR | O_CREAT, 0666);
    note("begin");
    if (flock(lock, LOCK_EX | LOCK_NB))
        note("overlap");
    if (getenv("DAEMON") && !fork()) {
        setsid();
        if (fork())
            _exit(0);
        for (;;)
            pause();
    }
    if (getenv("FAIL") && x > 0.7) {
        note("end");
        return 3;
    }
    if (getenv("SLEEP_MS"))
        usleep(1000 * atoi(getenv("SLEEP_MS")));
    while (getenv("HANG"))
        pause();
    note("end");
    printf("{\"f\": %.17g, \"c\": %.17g}\n", (x - 0.3) * (x - 0.3) + (y - 0.7) * (y - 0.7) + count * 0, x + y - 1.2);
    return 0;
}
"""


def study_folder(budget=40, policy="auto", evaluate=""):
    folder = Folder()
    compile_c(folder, "quick", EVALUATOR)
    folder.write("s.yaml", problem("s", ["./quick", "{x}", "{y}"], budget=budget, policy=policy, evaluate=evaluate))
    return folder


def start_again(folder):
    """Without the study and the traces of its evaluations."""
    for path in folder.path.iterdir():
        if path.name.startswith(("s.db", "lock.", "log")):
            path.unlink()


def essence(trials):
    return [(t["trial"], t["state"], t["parameters"], t["values"], t["feasible"], t["origin"]) for t in trials]


class Watch:
    """That no trial is begun after its result has been stored, and no two evaluations of one trial run at once."""

    def __init__(self, folder):
        self.folder, self.read, self.stored, self.begun = folder, 0, set(), 0

    def look(self):
        log = self.folder / "log"
        lines = log.read_text().splitlines() if log.exists() else []
        for line in lines[self.read:]:
            what, trial = line.split()
            check(what != "overlap", "two evaluations of trial", trial, "at once")
            check(what != "begin" or int(trial) not in self.stored, "trial", trial, "evaluated again after it was stored")
            self.begun += what == "begin"
        self.read = len(lines)
        trials = self.folder.trials("s.yaml")
        check([t["trial"] for t in trials] == list(range(1, len(trials) + 1)), "a gap in", [t["trial"] for t in trials])
        now = {t["trial"] for t in trials if t["state"] in ("complete", "failed")}
        check(self.stored <= now, "lost:", self.stored - now)
        check(self.folder.status("s.yaml")["evaluations"] == len(now))
        self.stored = now
        return trials


def reference(folder, budget, env):
    start = time.monotonic()
    folder.ckg("run", "s.yaml", expect=0, env=env)
    seconds = time.monotonic() - start
    trials = folder.trials("s.yaml")
    check_numbers(trials, budget)
    check({t["state"] for t in trials} == ({"complete", "failed"} if env else {"complete"}))
    start_again(folder)
    return essence(trials), seconds


def check_end(folder, watch, expected, env):
    folder.ckg("run", "s.yaml", expect=0, env=env)
    trials = watch.look()
    check(essence(trials) == expected, "other trials than without the kills:", [(a, b) for a, b in zip(essence(trials), expected) if a != b][:1])
    start_again(folder)
    folder.nothing_left()


def test_random_moments():
    rng = random.Random(4)
    kills, wanted, studies = 0, scale(100, 12), 0
    with study_folder() as folder:
        expected, seconds = reference(folder, 40, {})
        while kills < wanted:
            watch = Watch(folder)
            for _ in range(scale(25, 6)):
                process = folder.start("run", "s.yaml")
                time.sleep(seconds * rng.random() ** 3)
                killed = process.poll() is None
                kill_group(process)
                kills += killed
                if not killed:
                    break
                if (folder / "s.db").exists():
                    watch.look()
            check_end(folder, watch, expected, {})
            studies += 1
        print(f"  {kills} kills in {studies} studies, {seconds:.2f} s uninterrupted")


def test_every_write():
    """Some of the evaluations fail, and are tried twice."""
    kills, env = 0, {"FAIL": 1}
    with study_folder(budget=16, evaluate="  retries: 1\n  pause_after: 0\n") as folder:
        expected, _ = reference(folder, 16, env)
        watch = Watch(folder)
        for place in range(1, scale(90, 60), scale(1, 7)):
            process = folder.start("run", "s.yaml", env={**env, "CKG_FAULT": f"kill:{place}"})
            process.communicate(timeout=PATIENCE)
            killed = process.returncode == -signal.SIGKILL
            check(killed or process.returncode == 0, "ended with", process.returncode)
            kills += killed
            if (folder / "s.db").exists():
                watch.look()
            if not killed:
                check_end(folder, watch, expected, env)
                watch = Watch(folder)
        check_end(folder, watch, expected, env)
        print(f"  {kills} kills")
        check(kills > scale(60, 6), "few kills: are the fault points compiled in?", kills)


def test_left_over_evaluations_end_first():
    rng = random.Random(5)
    with study_folder(budget=12, policy="sobol", evaluate="  parallel: 3\n") as folder:
        env = {"SLEEP_MS": 60, "DAEMON": 1}
        start = time.monotonic()
        folder.ckg("run", "s.yaml", env=env, expect=0)
        seconds = time.monotonic() - start
        start_again(folder)
        watch = Watch(folder)
        for _ in range(scale(20, 5)):
            process = folder.start("run", "s.yaml", env=env)
            time.sleep(seconds * rng.uniform(0.02, 0.5))
            kill_group(process)
            if (folder / "s.db").exists():
                watch.look()
        folder.ckg("run", "s.yaml", env=env, expect=0)
        check_numbers(watch.look(), 12)
        folder.nothing_left()


def test_left_over_is_killed_not_awaited():
    """The evaluation never ends; killed between its start and the note of it in the store, which is the next write, it is found all the same, or
    its guard has ended it already."""
    with study_folder(budget=2, policy="sobol") as folder:
        for place in range(1, 120):
            env = {"HANG": 1, "CKG_FAULT": f"kill:{place}"}
            process = folder.start("run", "s.yaml", env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            check(process.wait(timeout=PATIENCE) == -signal.SIGKILL, process.returncode)
            begun = folder.left_behind() or (folder / "log").exists()
            if begun:
                break
            start_again(folder)
        check(begun, "no evaluation was ever begun")
        folder.ckg("run", "s.yaml", expect=0)
        check("overlap" not in (folder / "log").read_text())
        folder.nothing_left()


def test_result_of_a_lost_run_can_be_told():
    with study_folder(budget=2, policy="sobol") as folder:
        process = folder.start("run", "s.yaml", env={"HANG": 1})
        wait_for((folder / "log").exists, what="the evaluation")
        folder.ckg("tell", "s.yaml", 1, "f=1", "c=-1", expect=1).one_line("is being evaluated")
        kill_group(process)
        folder.ckg("tell", "s.yaml", 1, "f=1", "c=-1", expect=0)
        folder.nothing_left()
        folder.ckg("run", "s.yaml", expect=0)
        check([t["values"]["f"] == 1 for t in folder.trials("s.yaml")] == [True, False])


def test_commands_leave_all_or_nothing():
    table = "x,y,f,c\n" + "".join(f"0.{i},0.5,{i},-1\n" for i in range(1, 8))
    with Folder() as folder:
        folder.write("s.yaml", problem("s", [], budget=40))
        folder.write("old.csv", table)
        folder.ckg("ask", "s.yaml", "-n", 3, expect=0)
        before = folder.trials("s.yaml")
        shutil.copy(folder / "s.db", folder / "kept.db")
        cases = [(("tell", "s.yaml", 2, "f=1.5", "c=-1"), 0, 1), (("tell", "s.yaml", 2, "--failed", "broke"), 0, 1), (("ask", "s.yaml"), 1, 0), (("ask", "s.yaml", "-n", 2), 2, 0),
                 (("import", "s.yaml", "old.csv"), 7, 7)]
        for words, more, told in cases:
            reached = {"kill": 0, "full": 0}
            for fault in ("kill", "full"):
                for place in range(1, 60, scale(1, 4)):
                    for suffix in ("", "-wal", "-shm"):
                        (folder / f"s.db{suffix}").unlink(missing_ok=True)
                    shutil.copy(folder / "kept.db", folder / "s.db")
                    result = folder.ckg(*words, env={"CKG_FAULT": f"{fault}:{place}"})
                    after = folder.trials("s.yaml")
                    done = len(after) == len(before) + more and sum(t["state"] != "pending" for t in after) == told
                    check(done or after == before, words, fault, place, "left", json.dumps(after))
                    if result.status == 0:
                        check(done, words, fault, place, "said it was done")
                        break
                    reached[fault] += 1
                    if fault == "full":
                        check(result.status == 1, words, place, result.status)
                        result.one_line("disk is full")
            check(reached["kill"] >= scale(5, 1) and reached["full"] >= scale(5, 1), words, reached)


if __name__ == "__main__":
    main(globals())

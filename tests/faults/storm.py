"""storm.py PROGRAM [SECONDS [SEED]]: runs of studies in a storm, for as long as is said: several at once, killed, stopped, interrupted and continued at
random moments, with a wall clock that jumps, disks that are full for a while and system calls that fail. Beside them a model of what must hold:

- trials are numbered from 1 without a gap, and never more than the budget;
- a result that was once seen never changes, and is that of its design;
- no two evaluations of a trial run at once, and none begins after its result was stored;
- a run ends by the signal it was sent, or with a line that says why, and is never deaf;
- in the end the budget is exactly reached, every trial is complete, the store is whole, and no process is left.

Every study prints its seed: `storm.py PROGRAM 0 SEED` begins with that study."""
import os
import random
import shutil
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "app"))
from harness import PATIENCE, Folder, check, check_numbers, compile_c, left_behind, preload, problem  # noqa: E402
from test_kill import EVALUATOR  # noqa: E402

SECONDS = float(sys.argv[2]) if len(sys.argv) > 2 else 60
SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


class Totals:
    def __init__(self):
        self.studies = self.trials = self.runs = self.kills = self.signals = self.pauses = self.steps = self.faults = self.refused = self.looks = 0

    def line(self):
        return (f"{self.studies} studies, {self.trials} trials, {self.runs} runs: {self.kills} kills, {self.signals} other signals, {self.pauses} pauses, "
                f"{self.steps} clock steps, {self.faults} runs with failing calls or a full disk, {self.refused} runs ended with a line, {self.looks} looks")


class Run:
    """A run of the study, with the shims of clock and faults in front of it."""

    def __init__(self, storm):
        rng = storm.rng
        env = {**preload(storm.folder, "clock"), **preload(storm.folder, "faults")}
        env["LD_PRELOAD"] = f"{storm.folder / 'clock.so'}:{storm.folder / 'faults.so'}"
        env["CKG_TEST_CLOCK_STEP"] = storm.folder / "step"
        env["SLEEP_MS"] = rng.choice((0, 5, 20))
        self.fault = rng.random() < 0.25
        if self.fault:
            env["CKG_SHIM"] = f"{rng.randrange(1, 700)}:{rng.choice(('full', 'full', 'fail', 'again', 'short'))}"
        else:
            env["CKG_SHIM"] = "1000000000:fail"
        storm.totals.runs += 1
        storm.totals.faults += self.fault
        self.sent = set()
        self.process = storm.folder.start("run", "s.yaml", "--quiet", env=env, stdout=subprocess.DEVNULL)

    def send(self, number):
        self.sent.add(number)
        try:
            (os.killpg if number == signal.SIGKILL else os.kill)(self.process.pid, number)
        except ProcessLookupError:
            pass

    def end(self, totals):
        """Waits for its end, which must be one that can be explained."""
        try:
            _, err = self.process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"a run is deaf to {self.sent}")
        status, lines = self.process.returncode, err.decode(errors="replace").splitlines()
        totals.refused += status == 1
        check(status in (0, 1) or status == 2 and self.fault or -status in self.sent or status - 128 in self.sent, "a run ended with", status, "after", self.sent, lines)
        asked = self.sent & set(SIGNALS)
        most = 1 + 2 * len(asked) + (3 if self.fault else 0)  # the answers that a full disk cannot take are said one by one
        check(len(lines) <= most, "a run said", lines)
        check(status != 1 or lines or asked, "a run failed without a word")


class Storm:
    def __init__(self, seed, totals, tools):
        self.rng, self.totals = random.Random(seed), totals
        self.budget = self.rng.choice((30, 40, 60))
        self.folder = Folder()
        for name in ("quick", "clock.so", "faults.so"):
            shutil.copy(tools / name, self.folder / name)
        self.folder.write("step", "0")
        self.folder.write("s.yaml", problem("s", ["./quick", "{x}", "{y}"], budget=self.budget, policy=self.rng.choice(("sobol", "sobol", "cei")),
                                            evaluate=f"  parallel: {self.rng.choice((1, 2, 3))}\n  pause_after: 0\n", seed=seed))
        self.known, self.read, self.runs = {}, 0, []

    def look(self):
        """What must hold while the storm goes on."""
        if not (self.folder / "s.db").exists():
            return 0
        self.read_log(self.known)
        trials = self.folder.trials("s.yaml")
        self.totals.looks += 1
        check([t["trial"] for t in trials] == list(range(1, len(trials) + 1)), "a gap in", [t["trial"] for t in trials])
        check(len(trials) <= self.budget, "more trials than the budget:", len(trials))
        check(set(self.known) <= {t["trial"] for t in trials if t["state"] == "complete"}, "results were lost:", self.known.keys())
        for trial in trials:
            if trial["state"] != "complete":
                check(trial["state"] in ("pending", "running"), trial)
                continue
            x, y = trial["parameters"]["x"], trial["parameters"]["y"]
            check(trial["values"] == {"f": (x - 0.3) * (x - 0.3) + (y - 0.7) * (y - 0.7), "c": x + y - 1.2}, "another value than its design's:", trial)
            seen = self.known.setdefault(trial["trial"], trial["parameters"])
            check(seen == trial["parameters"], "trial", trial["trial"], "has changed")

        # What was written meanwhile may be older than what is known now.
        self.read_log({})
        return sum(t["state"] == "complete" for t in trials)

    def read_log(self, stored):
        """What evaluations wrote since the last time; what was stored by then is not begun again."""
        log = self.folder / "log"
        lines = log.read_text().splitlines() if log.exists() else []
        for line in lines[self.read:]:
            what, trial = line.split()
            check(what != "overlap", "two evaluations of trial", trial, "at once")
            check(what != "begin" or int(trial) not in stored, "trial", trial, "was begun after it was stored")
        self.read = len(lines)

    def gust(self):
        """One thing that goes wrong."""
        rng, totals = self.rng, self.totals
        run = rng.choice(self.runs)
        what = rng.random()
        if what < 0.75:
            totals.kills += run.process.poll() is None
            run.send(signal.SIGKILL)
        elif what < 0.85:
            totals.signals += 1
            run.send(rng.choice(SIGNALS))
        elif what < 0.92:
            totals.pauses += 1
            run.send(signal.SIGSTOP)
            time.sleep(rng.uniform(0, 0.05))
            run.send(signal.SIGCONT)
        else:
            totals.steps += 1
            self.folder.write("step.new", str(rng.choice((0, rng.randrange(-10 ** 6, 10 ** 6), rng.randrange(-100, 100), 10 ** 9))))
            os.rename(self.folder / "step.new", self.folder / "step")

    def rage(self):
        """Until the study is done, or the storm has had its time with it."""
        most = self.rng.choice((1, 1, 2, 3))
        for gusts in range(1, 1000):
            for run in [r for r in self.runs if r.process.poll() is not None]:
                run.end(self.totals)
                self.runs.remove(run)
            while len(self.runs) < most:
                self.runs.append(Run(self))
            time.sleep(self.rng.choice((0.002, 0.01, 0.02, 0.03, 0.06)) * self.rng.uniform(0.5, 1.5))
            self.gust()
            if gusts % 16 == 0 and self.look() == self.budget:
                break

    def calm(self):
        """The end: without the storm, all of it is there."""
        for run in self.runs:
            run.send(signal.SIGCONT)
            run.send(signal.SIGKILL)
            run.end(self.totals)
        self.folder.ckg("run", "s.yaml", "--quiet", expect=0)
        check(self.look() == self.budget, "the budget was not reached")
        check_numbers(self.folder.trials("s.yaml"), self.budget)
        self.folder.ckg("check", "s.yaml", "--quiet", expect=0)
        self.folder.nothing_left()
        self.totals.studies += 1
        self.totals.trials += self.budget


def main():
    first = int(sys.argv[3]) if len(sys.argv) > 3 else random.SystemRandom().randrange(10 ** 9)
    end = time.monotonic() + SECONDS
    totals, seed = Totals(), first
    tools = Folder()
    compile_c(tools, "quick", EVALUATOR)
    preload(tools, "clock")
    preload(tools, "faults")
    while True:
        print(f"study with seed {seed}; so far {totals.line()}", flush=True)
        storm = Storm(seed, totals, tools)
        try:
            storm.rage()
            storm.calm()
        except AssertionError:
            print(f"seed {seed} failed; its folder is {storm.folder.path}", flush=True)
            for pid, _ in left_behind():
                os.kill(pid, signal.SIGKILL)
            raise
        storm.folder.__exit__()
        seed += 1
        if time.monotonic() > end:
            break
    tools.__exit__()
    print(f"seeds {first} to {seed - 1}: {totals.line()}")
    check(not left_behind(), "left behind:", left_behind())


if __name__ == "__main__":
    main()

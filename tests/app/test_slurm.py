"""Evaluations as jobs of a real Slurm, started on this machine by scripts/slurm-here.sh: a whole study with all that goes wrong on a cluster, jobs that are
preempted, a run that is stopped. Where Slurm is not installed this says so and is skipped."""
import collections
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from harness import FOREVER, Folder, check, check_numbers, kill_group, main, problem, wait_for  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "slurm-here.sh"
SKIPPED = 77

# Every call is a line of the file `calls`. Trial 5 fails and trial 9 never ends, nor does the first evaluation of trial 12, or of those that ONCE names; the others
# take a moment, and wait as long as there is a file `hold`.
EVALUATOR = f"""#!/bin/sh
echo "$CKG_TRIAL" >>calls
case $CKG_TRIAL in
5) echo "the mesh is inverted" >&2; exit 3 ;;
9) exec sleep {FOREVER} ;;
esac
case " ${{ONCE:-12}} " in
*" $CKG_TRIAL "*) [ "$(grep -c "^$CKG_TRIAL\$" calls)" -gt 1 ] || exec sleep {FOREVER} ;;
esac
while [ -e hold ]; do sleep 0.1; done
sleep "${{NAP:-0.2}}"
awk -v x="$1" -v y="$2" 'BEGIN {{ printf "{{\\"f\\": %.17g, \\"c\\": %.17g}}\\n", (x - 0.3)^2 + (y - 0.7)^2, x + y - 1.2 }}'
"""


class Cluster:
    """A Slurm of its own, in a folder with a short name."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="sl-", dir="/tmp")
        self.conf = os.path.join(self.folder, "slurm.conf")
        self.env = {"SLURM_CONF": self.conf}

    def __enter__(self):
        try:
            self.here("start")
        except subprocess.CalledProcessError:
            self.__exit__()
            raise
        return self

    def here(self, what):
        # Without the mark of the tests: daemons are no evaluations that were left behind.
        subprocess.run([HERE, what, self.folder], check=True, stdout=subprocess.DEVNULL, stderr=None if what == "start" else subprocess.DEVNULL)

    def __exit__(self, *_):
        self.here("stop")
        shutil.rmtree(self.folder, ignore_errors=True)

    def call(self, *words):
        """What it prints. A busy controller may not answer in time, or when `now` is over: then it is asked again."""

        def answer():
            done = subprocess.run(words, env={**os.environ, **self.env}, capture_output=True, text=True)
            again = "imed out" in done.stderr or "Unable to contact" in done.stderr or "Invalid time" in done.stderr
            check(not done.returncode or again, words, done.stderr)
            return [done.stdout] if not done.returncode else None

        return wait_for(answer, f"an answer of {words[0]}")[0]

    def jobs(self, name, *more):
        """Those of the study, or of that name."""
        lines = (line.split() for line in self.call("squeue", "-h", "-r", "-o", "%i %j", *more).splitlines())
        return [job for job, title in lines if title == name or title.startswith(f"ckg-{name}-")]

    def job_of(self, folder, name, trial):
        """The running job of a trial, by its ticket."""
        ticket = folder / f"{name}.jobs" / str(trial) / "ticket"
        try:
            words = ticket.read_text().split()
        except OSError:
            return None
        job = f"{words[2]}_{words[1]}" if len(words) == 3 else None
        return job if job in self.jobs(name, "-t", "running") else None


def calls(folder):
    try:
        return collections.Counter(int(line) for line in (folder / "calls").read_text().split())
    except OSError:
        return collections.Counter()


def study(budget, concurrent, name="s", policy="auto", more=""):
    folder = Folder()
    folder.write("evaluate", EVALUATOR, mode=0o755)
    folder.write(f"{name}.yaml", problem(name, ["./evaluate", "{x}", "{y}"], budget=budget, policy=policy,
                                         evaluate=f"  slurm: {{partition: all, time: 5, cpus: 1, options: [--mem=20M], concurrent: {concurrent}}}\n{more}"))
    return folder


def nothing_left(folder, name="s"):
    """Slurm itself tidies up behind a cancelled job, which is COMPLETING meanwhile."""

    def left():
        return [line for line in CLUSTER.call("squeue", "-h", "-r", "-o", "%j %i %T").splitlines() if line.startswith(f"ckg-{name}-")]

    wait_for(lambda: all(line.endswith(" COMPLETING") for line in left()), "no job that runs or waits")
    wait_for(lambda: not left(), "no job")
    folder.nothing_left()
    check(not (folder / f"{name}.jobs").exists(), "files are left:", list((folder / f"{name}.jobs").rglob("*")))


def half_tidied(folder):
    """As if the run had been killed while it took the files of trials away that had ended: with all of them, and with the last one left."""
    ended = [t["trial"] for t in folder.trials("s.yaml") if t["state"] == "complete"]
    for trial, files in ((ended[0], ("design.json",)), (ended[1], ("design.json", "run", "ticket", "begun", "output", "status"))):
        left = folder / "s.jobs" / str(trial)
        left.mkdir(exist_ok=True)
        for name in files:
            (left / name).write_text({"ticket": "ckg-s-0123456789abcdef 2 1\n", "status": "0\n"}.get(name, ""))
    (folder / "s.jobs" / "ckg-s-0123456789abcdef-2.log").touch()


def test_whole_study():
    """60 evaluations, 8 at once: a failing one, one over its time limit, one that somebody cancels, slurmd and slurmctld restarted, the run killed."""
    with study(60, 8) as folder:
        begun = time.monotonic()
        run = folder.start("run", "s.yaml", env=CLUSTER.env)

        # A job that somebody cancels is evaluated again.
        cancelled = wait_for(lambda: CLUSTER.job_of(folder, "s", 12), "the job of trial 12")
        wait_for(lambda: calls(folder)[12], "its evaluation")
        CLUSTER.call("scancel", cancelled)

        # Slurm looks every half minute whose time is over: that of trial 9 ends now.
        late = wait_for(lambda: CLUSTER.job_of(folder, "s", 9), "the job of trial 9")
        CLUSTER.call("scontrol", "update", f"JobId={late}", "EndTime=now")

        # The daemon of the node is restarted, then the controller; jobs go on meanwhile.
        wait_for(lambda: len(calls(folder)) >= 20, "20 evaluations")
        CLUSTER.here("node-down")
        CLUSTER.here("node-up")
        CLUSTER.here("controller-down")
        time.sleep(1)
        CLUSTER.here("controller-up")

        # The run is killed while jobs run, and goes on.
        wait_for(lambda: len(calls(folder)) >= 30, "30 evaluations")
        (folder / "hold").touch()
        wait_for(lambda: len(CLUSTER.jobs("s", "-t", "running")) >= 4, "jobs that run")
        kill_group(run)
        before = calls(folder)
        check(CLUSTER.jobs("s"), "no job outlives the run")
        half_tidied(folder)
        (folder / "hold").unlink()
        result = folder.ckg("run", "s.yaml", env=CLUSTER.env, expect=0)

        # Every trial was evaluated once but the cancelled one, and ended as it should.
        trials = folder.trials("s.yaml")
        check_numbers(trials, 60)
        states = collections.Counter(t["state"] for t in trials)
        check(states == {"complete": 58, "failed": 2}, states)
        check(trials[4]["why"] == "exit status 3: the mesh is inverted", trials[4]["why"])
        check("its job was ended: over its time limit of 00:0" in trials[8]["why"], trials[8]["why"])
        many = {t: n for t, n in calls(folder).items() if n != 1}
        check(many == {12: 2}, "evaluated more than once:", many, "when killed:", before)
        check(all(0.1 < t["seconds"] < time.monotonic() - begun for t in trials if t["state"] == "complete"), [t["seconds"] for t in trials])
        best = min(t["values"]["f"] for t in trials if t["feasible"])
        check(best < 1e-3, "the optimum 0 was not found:", best, result.out[-500:])
        nothing_left(folder)


def test_preempted():
    """Jobs that give way to more urgent ones wait again; that is no failure, and no new job of ours."""
    with study(2, 2, policy="sobol") as folder:
        run = folder.start("run", "s.yaml", env={**CLUSTER.env, "ONCE": "1 2"})
        wait_for(lambda: sum(calls(folder).values()) == 2, "two evaluations")
        jobs = CLUSTER.jobs("s")
        CLUSTER.call("sbatch", "--parsable", "-p", "urgent", "-J", "urgent", "-n", "16", "-o", "/dev/null", "--wrap", "true")
        wait_for(lambda: CLUSTER.jobs("s", "-t", "pending") == jobs, "the preemption")
        wait_for(lambda: not CLUSTER.jobs("urgent"), "the urgent job")

        # Slurm lets a requeued job wait two minutes. Where it has not done with it yet, it fails it unstarted, and it is submitted again.
        time.sleep(1)
        for job in jobs:
            CLUSTER.call("scontrol", "update", f"JobId={job}", "StartTime=now")
        err = run.communicate()[1]
        check(run.returncode == 0, run.returncode, err, folder.trials("s.yaml"))
        trials = folder.trials("s.yaml")
        check([t["state"] for t in trials] == ["complete"] * 2 and calls(folder) == {1: 2, 2: 2}, trials, calls(folder))
        nothing_left(folder)


def test_stopped():
    """SIGTERM ends the jobs, too; their trials wait, and the next run evaluates them. Who has no such partition hears so at once."""
    with study(6, 3, policy="sobol", name="t") as folder:
        run = folder.start("run", "t.yaml", env={**CLUSTER.env, "NAP": FOREVER})
        wait_for(lambda: sum(calls(folder).values()) == 3, "three evaluations")
        run.send_signal(signal.SIGTERM)
        err = run.communicate()[1]
        check(run.returncode == 1 and b"interrupted after 0 of 6" in err, run.returncode, err)
        nothing_left(folder, "t")
        check([t["state"] for t in folder.trials("t.yaml")] == ["pending"] * 3, folder.trials("t.yaml"))

        wrong = (folder / "t.yaml").read_text().replace("partition: all", "partition: al")
        folder.write("t.yaml", wrong)
        folder.ckg("run", "t.yaml", env=CLUSTER.env, expect=1).one_line("invalid partition")
        check([t["state"] for t in folder.trials("t.yaml")] == ["pending"] * 3, folder.trials("t.yaml"))
        folder.write("t.yaml", wrong.replace("partition: al", "partition: all"))

        folder.write("evaluate", EVALUATOR.replace("5) echo", "55) echo"), mode=0o755)
        folder.ckg("run", "t.yaml", env=CLUSTER.env, expect=0)
        check([t["state"] for t in folder.trials("t.yaml")] == ["complete"] * 6, folder.trials("t.yaml"))
        nothing_left(folder, "t")


if __name__ == "__main__":
    missing = [name for name in ("munged", "slurmctld", "slurmd", "sbatch") if not shutil.which(name, path=os.environ["PATH"] + ":/usr/sbin:/sbin")]
    if missing:
        print("Slurm is not installed, so evaluations as its jobs were NOT tested: there is no", ", ".join(missing))
        sys.exit(SKIPPED)
    with Cluster() as CLUSTER:
        main(globals(), beside=[test_stopped])

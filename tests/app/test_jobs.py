"""Evaluations as jobs, with programs that stand in for Slurm's and do what a real one does once in a thousand jobs: nodes fail, answers do not come, jobs are
forgotten. tests/app/test_slurm.py has the real one."""
import collections
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from harness import Folder, check, kill_group, main, problem, wait_for  # noqa: E402

# sbatch, squeue, scontrol and scancel in one. The n-th submission does what the n-th word of PLAN says: `run`, with or without an error behind it, or a
# state in which its tasks end without having been run. Every call is a line of `said`.
STAND_IN = r"""
import os, signal, sys, time
here = os.environ["SLURM_HERE"]
name, words = os.path.basename(sys.argv[0]), sys.argv[1:]
with open(f"{here}/said", "a") as said:
    said.write(" ".join([name, *words]) + "\n")


def option(start, default=None):
    return next((w[len(start):] for w in words if w.startswith(start)), default)


def refuse(why):
    sys.exit(f"{name}: error: {why}")


def jobs():
    for entry in sorted(os.listdir(here)):
        if entry.startswith("job."):
            title, state = open(f"{here}/{entry}").read().split(" ", 1)
            yield entry[4:], title, state.strip()


def state_of(job):
    return next((state.split()[0] for name, _, state in jobs() if name == job), None)


def set_state(job, state):
    title = open(f"{here}/job.{job}").read().split()[0] if os.path.exists(f"{here}/job.{job}") else option("--job-name=")
    with open(f"{here}/part.{job}.{os.getpid()}", "w") as out:
        out.write(f"{title} {state}")
    os.rename(f"{here}/part.{job}.{os.getpid()}", f"{here}/job.{job}")


def submit():
    count = int(option("--array=0-")) + 1
    number = len([l for l in open(f"{here}/said") if l.startswith("sbatch")])
    plan = os.environ["PLAN"].split()
    what = plan[number - 1] if number <= len(plan) else "run"
    script = sys.stdin.read()
    if what == "full" and count > 1:
        refuse("QOSMaxSubmitJobPerUserLimit\nBatch job submission failed: Job violates accounting/QOS policy (job submit limit, user's size and/or time limits)")
    if what == "away":
        refuse("Batch job submission failed: Unable to contact slurm controller (connect failure)")
    for index in range(count):
        job = f"{number}_{index}"
        if what not in ("run", "doubt", "hang", "full"):
            set_state(job, what.replace("+", " "))
            continue
        set_state(job, "RUNNING 0:0")
        if os.fork():
            continue
        os.setsid()
        open(f"{here}/leads.{job}.{os.getpid()}", "w").close()
        for descriptor in (0, 1, 2):
            os.dup2(os.open("/dev/null", os.O_RDWR), descriptor)
        env = {**os.environ, "SLURM_ARRAY_TASK_ID": str(index), "CKG_WORKER": ""}
        os.execvpe("sh", ["sh", "-c", f"sh -c \"$1\"; code=$?; [ $code = 0 ] && s=COMPLETED || s=FAILED; "
                          f"echo \"$2 $s $code:0\" >'{here}/part.{job}.end' && mv '{here}/part.{job}.end' '{here}/job.{job}'", "sh", script, option("--job-name=")], env)
    if what == "doubt":
        refuse("Batch job submission failed: Socket timed out on send/recv operation")
    while what == "hang":
        time.sleep(1)
    print(f"{number};here")


def show():
    if os.path.exists(f"{here}/away"):
        refuse("slurm_load_jobs error: Unable to contact slurm controller (connect failure)")
    title, wanted = option("--name="), words[-1].split(",")
    for job, named, state in jobs():
        word = state.split()[0]
        if word == "FORGOTTEN":
            continue
        if title and named == title:
            print(job.split("_")[0])
        elif not title and job in wanted:
            print(f"{job}|{word}|{'JobHeldAdmin' if word == 'PENDING' else 'None'}")


def control():
    for job, _, state in jobs():
        if job == words[-1]:
            print(f"JobId=1 JobState={state.split()[0]} ExitCode={(state.split() + ['0:0'])[1]} TimeLimit=00:01:00 X=1")


def cancel():
    for job in words[1:]:
        if state_of(job) == "RUNNING":
            while not (leader := [e for e in os.listdir(here) if e.startswith(f"leads.{job}.")]):
                time.sleep(0.01)
            try:
                os.killpg(int(leader[0].split(".")[-1]), signal.SIGTERM)
            except ProcessLookupError:
                pass
        set_state(job, "CANCELLED 0:15")


{"sbatch": submit, "squeue": show, "scontrol": control, "scancel": cancel}[name]()
"""

EVALUATOR = r"""#!/bin/sh
echo "$CKG_TRIAL" >>calls
case $WHAT in
crash) kill -SEGV $$ ;;
esac
until [ -z "$GATE" ] || [ -e "$GATE" ]; do sleep 0.05; done
awk -v x="$1" -v y="$2" 'BEGIN { printf "{\"f\": %.17g, \"c\": %.17g}\n", x + y, x - 2 }'
"""


class Scene(Folder):
    """A study of two trials and a cluster that follows the plan."""

    def __init__(self, plan="", **env):
        super().__init__()
        self.write("evaluate", EVALUATOR, mode=0o755)
        self.write("s.yaml", problem("s", ["./evaluate", "{x}", "{y}"], budget=2, evaluate="  slurm: {concurrent: 2}\n"))
        for name in ("sbatch", "squeue", "scontrol", "scancel"):
            (self / "bin").mkdir(exist_ok=True)
            self.write(f"bin/{name}", f"#!{sys.executable} -IS\n{STAND_IN}", mode=0o755)
        (self / "slurm").mkdir()
        self.env = {"PATH": f"{self / 'bin'}:{os.environ['PATH']}", "SLURM_HERE": self / "slurm", "PLAN": plan, **env}

    def run(self, expect=0):
        return self.ckg("run", "s.yaml", env=self.env, expect=expect)

    def said(self, program):
        try:
            return [line for line in (self / "slurm" / "said").read_text().splitlines() if line.startswith(program)]
        except OSError:
            return []

    def calls(self):
        try:
            return collections.Counter(int(line) for line in (self / "calls").read_text().split())
        except OSError:
            return collections.Counter()

    def check_complete(self, calls={1: 1, 2: 1}):
        trials = self.trials("s.yaml")
        check([t["state"] for t in trials] == ["complete"] * 2, trials)
        check(self.calls() == calls, self.calls())
        check(not (self / "s.jobs").exists(), list((self / "s.jobs").rglob("*")))

    def check_failed(self, *words):
        for trial in self.trials("s.yaml"):
            check(trial["state"] == "failed" and all(w in trial["why"] for w in words), trial)
        check(not (self / "s.jobs").exists(), list((self / "s.jobs").rglob("*")))


def check_lost(what):
    with Scene(what) as scene:
        scene.run()
        scene.check_complete()
        check(len(scene.said("sbatch")) == 2, scene.said("sbatch"))


def test_node_failed():
    check_lost("NODE_FAIL")


def test_preempted_for_good():
    check_lost("PREEMPTED")


def test_forgotten():
    check_lost("FORGOTTEN")


def test_cancelled_once():
    check_lost("CANCELLED")


def test_never_started():
    """Slurm fails a job with exit status 1 when it cannot be started: that is not the design's."""
    check_lost("FAILED+1:0")


def test_cancelled_twice():
    with Scene("CANCELLED CANCELLED") as scene:
        scene.run(expect=1)
        scene.check_failed("cancelled by somebody, twice")


def test_lost_for_ever():
    with Scene("NODE_FAIL " * 20) as scene:
        scene.run(expect=1)
        scene.check_failed("lost again and again", "NODE_FAIL")
        check(len(scene.said("sbatch")) == 6, scene.said("sbatch"))


def test_memory():
    with Scene("OUT_OF_MEMORY+0:125") as scene:
        scene.run(expect=1)
        scene.check_failed("over its limit of memory")


def test_time():
    with Scene("TIMEOUT+0:0") as scene:
        scene.run(expect=1)
        scene.check_failed("over its time limit of 00:01:00")


def test_not_shared():
    """The job was run, they say, and there is nothing of it."""
    with Scene("COMPLETED+0:0") as scene:
        scene.run(expect=1)
        scene.check_failed("do all nodes share that folder?")


def test_crash():
    with Scene(WHAT="crash") as scene:
        scene.run(expect=1)
        scene.check_failed("killed by signal 11")


def test_roughness():
    """A submission of which it is not known whether it worked is found by its name."""
    with Scene("doubt") as scene:
        result = scene.run()
        scene.check_complete()
        check(len(scene.said("sbatch")) == 1, scene.said("sbatch"))
        check(result.err.count("Socket timed out") == 1 and "answers again" in result.err, result.err)


def test_controller_away():
    """Nothing is lost while the controller is away, for submissions or for questions."""
    with Scene("away away", GATE="gate") as scene:
        run = scene.start("run", "s.yaml", env=scene.env)
        wait_for(lambda: len(scene.calls()) == 2, "the evaluations")
        (scene / "slurm" / "away").touch()
        before = len(scene.said("squeue"))
        wait_for(lambda: len(scene.said("squeue")) > before + 1, "questions in vain")
        (scene / "gate").touch()
        err = run.communicate()[1].decode()
        check(run.returncode == 0 and err.count("Unable to contact") == 2, run.returncode, err)
        scene.check_complete()


def test_full():
    """Where the cluster takes one job at a time, they are submitted one at a time."""
    with Scene("full full full full full full") as scene:
        scene.run()
        scene.check_complete()


def test_held():
    with Scene("PENDING") as scene:
        run = scene.start("run", "s.yaml", env=scene.env)
        wait_for(lambda: len(scene.said("squeue")) > 2, "questions")
        run.terminate()
        err = run.communicate()[1].decode()
        check("is held (JobHeldAdmin)" in err, err)
        check(len(scene.said("scancel")) == 1 and not (scene / "s.jobs").exists(), scene.said("scancel"))


def test_killed_while_submitting():
    """The run is killed when its jobs are submitted and it does not know their number yet."""
    with Scene("hang", GATE="gate") as scene:
        run = scene.start("run", "s.yaml", env=scene.env)
        wait_for(lambda: len(scene.calls()) == 2, "the evaluations")
        kill_group(run)
        (scene / "gate").touch()
        scene.run()
        scene.check_complete()
        check(len(scene.said("sbatch")) == 1, scene.said("sbatch"))
        scene.nothing_left()


def test_another_design():
    """The store was thrown away and the study begun anew, with jobs of the old one under way: these are ended, their results nobody's."""
    with Scene("", GATE="gate") as scene:
        run = scene.start("run", "s.yaml", env=scene.env)
        wait_for(lambda: len(scene.calls()) == 2, "the evaluations")
        kill_group(run)
        for path in scene.path.glob("s.db*"):
            path.unlink()
        run = scene.start("run", "s.yaml", env=scene.env)
        wait_for(lambda: sum(" CANCELLED " in path.read_text() for path in (scene / "slurm").glob("job.*")) == 2, "the end of the old ones")
        (scene / "gate").touch()
        err = run.communicate()[1]
        check(run.returncode == 0, run.returncode, err)
        scene.check_complete(calls={1: 2, 2: 2})
        check(len(scene.said("sbatch")) == 2 and len(scene.said("scancel")) == 2, scene.said("s"))


if __name__ == "__main__":
    main(globals(), beside=[t for n, t in list(globals().items()) if n.startswith("test_")])

"""Faults at system calls: every command, with the n-th call failing, interrupted, cut short or never answered, or the process killed there. Either the
command does what it should, or it says in one line that it could not; and the store is whole afterwards.

CKG_FAULTS=all takes every call of every command in every way, CKG_FAULTS=N so many of them by chance, by CKG_FAULTS_SEED; CKG_FAULTS_OF=run takes
the commands that begin so."""
import collections
import os
import pathlib
import random
import shutil
import signal
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from harness import PATIENCE, Folder, check, compile_c, kill_group, main, preload, problem, scale, wait_for  # noqa: E402
from test_kill import EVALUATOR  # noqa: E402

ANSWER = ["/bin/sh", "-c", "test $CKG_TRIAL -ne 5 || { echo no licence >&2; exit 3; }; echo '{\"f\": 0.'$CKG_TRIAL'25, \"c\": -1}'"]
BUDGET = 8

# What only reads: its output is as without the fault, or there is none; OUT.svg is a file that it writes.
READ = ("export s.yaml", "export s.yaml --json", "export s.yaml -o OUT.svg", "trials s.yaml", "trials s.yaml 3", "trials s.yaml --json", "status s.yaml --json",
        "recommend s.yaml", "model s.yaml", "importance s.yaml --json", "predict s.yaml --at at.csv", "score s.yaml --at at.csv --policy cei", "report s.yaml -o OUT.svg",
        "plot s.yaml -o OUT.svg", "check s.yaml", "check s.yaml --save OUT.svg", "problems mystery", "bench --problem mystery --policy random --initial 3 --evaluations 4 --replications 1 --out NEW --quiet")
# What writes: the study is as before, or as after.
WRITE = ("tell s.yaml 7 f=1.5 c=-1", "tell s.yaml 7 --failed broke", "tell s.yaml 3 --replace f=2", "discard s.yaml 2 3", "retry s.yaml 5", "undo s.yaml",
         "ask s.yaml", "ask s.yaml --at x=0.5 y=0.25", "import s.yaml in.csv", "change s.yaml --yes", "run s.yaml --quiet", "run s.yaml --json")


def begin(folder):
    """Six trials of a run, a change, a trial that was asked for."""
    folder.write("s.yaml", problem("s", ANSWER, budget=6))
    folder.write("at.csv", "x,y\n0.5,0.5\n0.25,0.75\n")
    folder.write("in.csv", "x,y,f,c\n0.125,0.5,1,-1\n")
    folder.ckg("run", "s.yaml", "--quiet", expect=0)
    folder.ckg("tell", "s.yaml", 4, "--replace", "f=0.375", expect=0)
    folder.write("s.yaml", problem("s", ANSWER, budget=BUDGET))
    folder.ckg("ask", "s.yaml", expect=0)
    shutil.copy(folder / "s.db", folder / "kept.db")


def again(folder, words):
    """As it was begun."""
    for path in folder.path.iterdir():
        if path.name.startswith(("s.db", "OUT", ".OUT", "NEW")):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    shutil.copy(folder / "kept.db", folder / "s.db")
    limit = "max: 0.5" if words[0] == "change" else "max: 0"
    folder.write("s.yaml", problem("s", ANSWER, budget=BUDGET).replace("max: 0", limit))


def state(folder):
    return [(t["trial"], t["state"], t["parameters"], t["values"], t["why"]) for t in folder.trials("s.db")]


def output(folder, result):
    """What was printed and written; of an experiment its tables, for it prints times."""
    file = folder / "OUT.svg"
    if (folder / "NEW").exists():
        return sorted((path.name, path.read_text()) for path in (folder / "NEW").glob("*.csv") if path.name != "timing.csv")
    return result.out, file.read_bytes() if file.exists() else None


def calls(folder, words):
    """Every call of the command, with the ways in which it may go wrong; what it gives, and what it leaves."""
    again(folder, words)
    log = folder / "calls"
    log.unlink(missing_ok=True)
    result = folder.ckg(*words, env=preload(folder, "faults", CKG_SHIM_LOG=log), expect=0)
    return [line.split() for line in log.read_text().splitlines()], output(folder, result), state(folder)


class Tally:
    def __init__(self):
        self.met, self.refused, self.kills = collections.Counter(), 0, 0


def meet(folder, words, number, way, right, before, after, tally):
    """One fault, and what must hold behind it."""
    where = f"ckg {' '.join(words)} with {way} at call {number}:"
    again(folder, words)
    log = folder / "met"
    log.unlink(missing_ok=True)
    result = folder.ckg(*words, env=preload(folder, "faults", CKG_SHIM=f"{number}:{way}", CKG_SHIM_LOG=log))

    # It ends by itself, and says why; what a run says besides, while it waits and of what waits for people, is no complaint.
    killed = result.status == -signal.SIGKILL
    check(result.status in (0, 1, 2) or killed and way == "kill", where, "ended with", result.status, result.err)
    if result.status > 0:
        complaints = [line for line in result.err.splitlines() if "is pending: `ckg tell`" not in line and "; finishing 1 running" not in line]
        check(len(complaints) == 1 or not complaints and "finishing" in result.err, where, "not one line of complaint:", repr(result.err))
    tally.refused += result.status > 0
    tally.kills += killed
    if log.exists():
        tally.met[log.read_text().split()[1]] += 1

    # What it gave is right, and the store is whole.
    if result.status == 0 and " ".join(words) in READ:
        check(output(folder, result) == right, where, "exit 0 with another output:", output(folder, result))
    folder.ckg("check", "s.db", "--quiet", expect=0)
    left = state(folder)
    if words[0] == "run":
        check(left[:6] == before[:6] and len(left) <= BUDGET, where, "left", left)
        folder.ckg("run", "s.yaml", "--quiet", expect=0)
        check(ends_as(state(folder), after), where, "does not go on to the end:", state(folder)[6:])
    else:
        check(left == after or left == before and (result.status or before == after), where, "left", left)
    folder.nothing_left()


def ends_as(trials, after):
    """An evaluation whose pipe cannot be read is a failed trial that says why; everything else is as without the fault."""
    failed = [(t[0], "failed", t[2], {}, None) for t in after]
    return len(trials) == len(after) and all(t == a or i > 5 and (*t[:4], None) == f and t[4] for i, (t, a, f) in enumerate(zip(trials, after, failed)))


def chosen(places):
    wanted = os.environ.get("CKG_FAULTS", str(scale(110, 16)))
    if wanted == "all":
        return places
    seed = int(os.environ.get("CKG_FAULTS_SEED", "13"))
    return sorted(random.Random(seed).sample(places, min(int(wanted), len(places))))


def test_faults():
    """All of them, and at the end what went wrong."""
    tally, wrong = Tally(), []
    with Folder() as folder:
        begin(folder)
        before = state(folder)
        places, known = [], {}
        for line in (line for line in READ + WRITE if line.startswith(os.environ.get("CKG_FAULTS_OF", ""))):
            lines, right, after = calls(folder, line.split())
            known[line] = right, after
            places += [(line, int(number), way) for number, _, ways in lines for way in ways.split(",")]
        for line, number, way in chosen(places):
            right, after = known[line]
            try:
                meet(folder, line.split(), number, way, right, before, after, tally)
            except AssertionError as why:
                wrong.append(str(why))
    met = sum(tally.met.values())
    print(f"  {met} faults at {len(places)} places of {len(known)} commands: {tally.refused} refused, {tally.kills} killed, the others of no consequence")
    print("  by call:", ", ".join(f"{call} {count}" for call, count in tally.met.most_common()))
    check(met > 0, "no fault was met")
    check(not wrong, len(wrong), "went wrong:\n", "\n".join(wrong[:20]))


def test_a_guard_that_is_late():
    """A run is killed when its guard has been asked for an evaluation and has not begun it: who takes the trial over waits for the guard."""
    with Folder() as folder:
        compile_c(folder, "quick", EVALUATOR)
        folder.write("s.yaml", problem("s", ["./quick", "{x}", "{y}"], budget=1))
        env = preload(folder, "faults", CKG_SHIM="1000000000:fail", CKG_SHIM_GATE=folder / "gate")
        late = folder.start("run", "s.yaml", "--quiet", env=env)
        wait_for(lambda: (folder / "s.db").exists() and [t["state"] for t in folder.trials("s.yaml")] == ["running"], what="the trial")
        wait_for(lambda: len(guards(late.pid)) > 1, what="its guard")
        kill_group(late)
        over = folder.start("run", "s.yaml", "--quiet", env={"SLEEP_MS": 300})
        time.sleep(0.5)
        check(not (folder / "log").exists(), "an evaluation was begun while another was about to be")
        folder.write("gate", "")
        _, err = over.communicate(timeout=PATIENCE)
        check(over.returncode == 0 and "overlap" not in (folder / "log").read_text(), over.returncode, err)
        folder.nothing_left()


def guards(run):
    """The processes that the run's guards are: the one that starts them, and one for each evaluation."""
    found = []
    for path in pathlib.Path("/proc").glob("[0-9]*/comm"):
        try:
            found += [path.parent.name] if path.read_text() == f"ckgg {run}\n" else []
        except OSError:
            pass
    return found


if __name__ == "__main__":
    main(globals())

"""Several processes on one study: no trial is lost or evaluated twice, the budget holds, and no design comes twice."""
import collections
import json
import os
import random
import re
import sys
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from harness import PATIENCE, Folder, check, check_numbers, compile_c, kill_group, main, problem, scale, wait_for  # noqa: E402

# Appends its trial to the log, so that a second evaluation shows.
EVALUATOR = r"""
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int count, char **words)
{
    const int log = open("log", O_WRONLY | O_APPEND | O_CREAT, 0666);
    char line[32];
    snprintf(line, sizeof line, "%s\n", getenv("CKG_TRIAL"));
    if (write(log, line, strlen(line)) < 0)
        return 1;
    printf("{\"f\": %s, \"c\": -1}\n", count > 1 ? words[1] : "0");
    return 0;
}
"""


def ask_and_tell(folder, stop, told, faults):
    """A person beside the runs. The budget may be spent at any moment."""
    while not stop.is_set():
        asked = folder.ckg("ask", "s.yaml", "--json")
        if asked.status:
            if "budget" not in asked.err:
                faults.append(asked.err)
            return
        trial = json.loads(asked.out)
        result = folder.ckg("tell", "s.yaml", trial["trial"], f"f={trial['parameters']['x']}", "c=-1")
        if result.status:
            faults.append(result.err)
        told.append(trial["trial"])


def check_study(folder, budget, extra=0):
    """`extra`: evaluations that were cut off by a kill and may have begun twice."""
    trials = folder.trials("s.yaml")
    check_numbers(trials, budget)
    check({t["state"] for t in trials} == {"complete"}, collections.Counter(t["state"] for t in trials))
    designs = collections.Counter(json.dumps(t["parameters"]) for t in trials)
    check(len(designs) == budget, "a design came twice:", designs.most_common(1))
    for t in trials:
        check(t["values"]["f"] == t["parameters"]["x"], "the value of another trial:", t)
    log = folder / "log"
    begun = collections.Counter(int(line) for line in log.read_text().split()) if log.exists() else {}
    check(sum(n - 1 for n in begun.values()) <= extra, "evaluated twice:", [t for t, n in begun.items() if n > 1])
    folder.nothing_left()
    return trials, begun


BESIDE = re.compile(r"trial \d+ was given up and evaluated again, and has that answer: this one is in its notes")


def test_many_trials_by_eight_processes():
    rng = random.Random(7)
    budget, kills = scale(1000, 120), scale(6, 2)
    with Folder() as folder:
        compile_c(folder, "quick", EVALUATOR)
        folder.write("s.yaml", problem("s", ["./quick", "{x}"], budget=budget))
        stop, told, faults = threading.Event(), [], []
        people = [threading.Thread(target=ask_and_tell, args=(folder, stop, told, faults)) for _ in range(2)]
        start = time.monotonic()
        runs = [folder.start("run", "s.yaml", "--quiet") for _ in range(8)]
        for person in people:
            person.start()
        for _ in range(kills):
            time.sleep(rng.uniform(0.05, 0.3))
            victim = runs.pop(rng.randrange(len(runs)))
            if victim.poll() is not None:
                runs.append(victim)
                continue
            kill_group(victim)
            runs.append(folder.start("run", "s.yaml", "--quiet"))
        beside = 0  # answers of a run that was killed between its spool and the store, delivered after another evaluation (PostgreSQL)
        for process in runs:
            _, err = process.communicate(timeout=PATIENCE)
            lines = [line for line in err.decode().splitlines() if "pending" not in line]
            check(process.returncode == 0 and all(map(BESIDE.fullmatch, lines)), process.returncode, err)
            beside += len(lines)
        spooled = "postgresql://" in (folder / "s.yaml").read_text()  # a file has no spool, and nothing comes late
        check(beside <= (kills if spooled else 0), beside, "answers beside others after", kills, "kills")
        seconds = time.monotonic() - start
        stop.set()
        for person in people:
            person.join()
        check(not faults, faults[:3])
        _, begun = check_study(folder, budget, extra=kills)
        check(not set(told) & set(begun), "told and evaluated:", set(told) & set(begun))
        check(len(told) + len(begun) == budget, len(told), len(begun), budget)
        print(f"  {budget} trials, {len(told)} of them told, in {seconds:.1f} s")


def test_all_begin_a_study_at_once():
    for _ in range(scale(6, 2)):
        with Folder() as folder:
            compile_c(folder, "quick", EVALUATOR)
            folder.write("s.yaml", problem("s", ["./quick", "{x}"], budget=9))
            for process in [folder.start("run", "s.yaml", "--quiet") for _ in range(8)]:
                _, err = process.communicate(timeout=PATIENCE)
                check(process.returncode == 0 and not err, process.returncode, err)
            check_study(folder, 9)


def test_two_runs_by_a_model():
    with Folder() as folder:
        compile_c(folder, "quick", EVALUATOR)
        folder.write("s.yaml", problem("s", ["./quick", "{x}"], budget=scale(24, 14), policy="auto", evaluate="  parallel: 2\n"))
        for process in [folder.start("run", "s.yaml", "--quiet") for _ in range(2)]:
            _, err = process.communicate(timeout=PATIENCE)
            check(process.returncode == 0 and not err, process.returncode, err)
        check_study(folder, scale(24, 14))


def test_the_budget_holds_against_asking():
    with Folder() as folder:
        folder.write("s.yaml", problem("s", [], budget=10))
        processes = [folder.start("ask", "s.yaml", "-n", 3) for _ in range(6)]
        said = [p.communicate(timeout=PATIENCE) for p in processes]
        ended = [p.returncode for p in processes]

        # What was printed is what is there, the budget holds, and nobody was refused while there was room.
        made = len(folder.trials("s.yaml"))
        check(sum(out.count(b"\n") for out, _ in said) == made == 9, said)
        check(sorted(ended) == [0, 0, 0, 1, 1, 1], ended)
        check(all(len(err.splitlines()) == status for (_, err), status in zip(said, ended)), said)


def test_asking_for_many_is_all_or_none():
    """100 and 60 at once, with room for 110: who is first has all, the other nothing, and is told what is left."""
    for policy in ("sobol", "cei"):
        with Folder() as folder:
            folder.write("s.yaml", problem("s", [], budget=110, policy=policy, more="initial: 100\n"))
            wanted = [100, 60]
            processes = [folder.start("ask", "s.yaml", "-n", n) for n in wanted]
            said = [p.communicate(timeout=PATIENCE) for p in processes]
            check(sorted(p.returncode for p in processes) == [0, 1], [p.returncode for p in processes], said)
            winner = [p.returncode for p in processes].index(0)
            got, refused = wanted[winner], wanted[1 - winner]
            check_numbers(folder.trials("s.yaml"), got)
            check(said[winner][0].count(b"\n") == got and not said[1 - winner][0], said)
            line = f"{refused} more trials would exceed the budget of 110: {110 - got} are left; raise `budget` in the problem file"
            check(said[1 - winner][1].decode().splitlines() == [line], said)

            # The rest is there for whoever asks for no more than that.
            folder.ckg("ask", "s.yaml", "-n", 110 - got + 1, expect=1).one_line(f": {110 - got} are left")
            folder.ckg("ask", "s.yaml", "-n", 110 - got, expect=0)
            folder.ckg("ask", "s.yaml", expect=1).one_line("1 more trial would exceed the budget of 110: 0 are left")
            check_numbers(folder.trials("s.yaml"), 110)


def test_asking_beside_a_run():
    """What a run adds meanwhile is its own: who asks has all designs in a row, or none."""
    with Folder() as folder:
        compile_c(folder, "quick", EVALUATOR)
        folder.write("s.yaml", problem("s", ["./quick", "{x}"], budget=60))
        run = folder.start("run", "s.yaml", "--quiet")
        wait_for(lambda: (folder / "log").exists())
        asked = [folder.start("ask", "s.yaml", "-n", 10, "--json") for _ in range(3)]
        said = [p.communicate(timeout=PATIENCE) for p in asked]
        for process, (out, err) in zip(asked, said):
            numbers = [json.loads(line)["trial"] for line in out.splitlines()]
            check(numbers == list(range(numbers[0], numbers[0] + 10)) if process.returncode == 0 else not numbers and b"left" in err, numbers, err)
        for trial in [json.loads(line) for out, _ in said for line in out.splitlines()]:
            folder.ckg("tell", "s.yaml", trial["trial"], f"f={trial['parameters']['x']}", "c=-1", expect=0)
        run.communicate(timeout=PATIENCE)
        check(run.returncode == 0, run.returncode)
        check_study(folder, 60)


if __name__ == "__main__":
    main(globals())

"""Several processes on one study: no trial is lost or evaluated twice, the budget holds, and no design comes twice."""
import collections
import json
import os
import random
import sys
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from harness import PATIENCE, Folder, check, check_numbers, compile_c, kill_group, main, problem, scale  # noqa: E402

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
        for process in runs:
            _, err = process.communicate(timeout=PATIENCE)
            lines = [line for line in err.decode().splitlines() if "pending" not in line]
            check(process.returncode == 0 and not lines, process.returncode, err)
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
        folder.write("s.yaml", problem("s", ["./quick", "{x}"], budget=scale(24, 14), policy="ckg", evaluate="  parallel: 2\n"))
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
        check(sum(out.count(b"\n") for out, _ in said) == made, said)
        check(8 <= made <= 10 and ended.count(0) <= 3, made, ended)
        check(all(len(err.splitlines()) == status for (_, err), status in zip(said, ended)), said)

        # PostgreSQL gives the turn back for a moment with every trial; a file's is kept to the end.
        if "store:" not in (folder / "s.yaml").read_text():
            check(sorted(ended) == [0, 0, 0, 1, 1, 1] and made == 9, ended, made)


if __name__ == "__main__":
    main(globals())

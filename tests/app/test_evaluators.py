"""Bad evaluators: each is a failed trial with its reason in one line, the study goes on, and no process or descriptor is left behind."""
import json
import os
import pathlib
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from harness import (FOREVER, PATIENCE, PROGRAM, Folder, Terminal, check, check_numbers, compile_c, environment, main, once_there, problem,  # noqa: E402
                     read_until, scale, wait_for)

GOOD = 'echo \'{"f": 1, "c": -1}\'\n'
HANG = f"sleep {FOREVER}"
WITHOUT_ENVIRONMENT = f"{FOREVER}.{os.getpid()}"

# What the evaluation does as a shell script, and what its trial says: part of the reason, or None for a complete trial.
SCRIPTS = {
    "exits": ("exit 3", "exit status 3"),
    "exits after an answer": (GOOD + "exit 3", "exit status 3"),
    "dies of a signal": (GOOD + "kill -SEGV $$", "signal 11"),
    "kills its group": ("kill -KILL 0", "signal 9"),
    "hangs": (HANG, "timed out"),
    "ignores the request to end": ("trap '' TERM\nwhile :; do " + HANG + "; done", "timed out"),
    "answers, then hangs": (GOOD + HANG, "timed out"),
    "stops itself": ("while :; do kill -STOP $$; done", "timed out"),
    "closes its output, then hangs": ("exec >&- 2>&-\n" + HANG, "timed out"),
    "child in its group": (HANG + " &\n" + GOOD, None),
    "child in a session of its own": (f"setsid {HANG} </dev/null >/dev/null 2>&1 &\nsleep 0.05\n" + GOOD, None),
    "child that holds the pipes": (f"setsid {HANG} &\nsleep 0.05\n" + GOOD, None),
    "child without environment": (f"env -i /usr/bin/setsid /bin/sleep {WITHOUT_ENVIRONMENT} &\nsleep 0.05\n" + GOOD, None),
    "child that writes for ever": ("setsid yes &\nsleep 0.05\n", "no answer"),
    "children that fork and fork": (f"setsid sh -c 'for i in 1 2 3 4 5 6 7 8 9; do ({HANG} &) ; done; {HANG}' &\nsleep 0.05\n" + GOOD, None),
    "children that hop": ("setsid sh -c 'hop() { (sleep 0.001; hop) & }; hop' &\nsleep 0.05\n" + GOOD, None),
    "prints 100 MB": ("yes 'and so on and so on' | head -c 100000000\n" + GOOD, None),
    "prints 100 MB of complaints": ("yes 'and so on and so on' | head -c 100000000 >&2\n" + GOOD, None),
    "prints 100 MB without a newline": ("head -c 100000000 /dev/zero | tr '\\0' x", "no answer"),
    "an answer behind 100 MB on its line": ("head -c 100000000 /dev/zero | tr '\\0' ' '\n" + GOOD, "no answer"),
    "prints nothing": ("true", "no answer"),
    "an empty line": ("echo", "no answer"),
    "no newline at the end": ("printf '{\"f\": 1, \"c\": -1}'", None),
    "a carriage return": ("printf '  {\"f\": 1, \"c\": -1}\\r\\n'", None),
    "not UTF-8": ("printf '{\"f\": 1, \"c\": -1, \"\\377\\376\": 2}\\n'", "not JSON"),
    "chatter that is not UTF-8": ("printf '\\377\\376\\000\\n'\n" + GOOD, None),
    "complaints that are not UTF-8": ("printf '\\377\\376\\000 broken\\n' >&2\nexit 1", "exit status 1"),
    "zero bytes": ("printf '{\"f\": 1,\\000 \"c\": -1}\\n'", "not JSON"),
    "NaN": ("echo '{\"f\": NaN, \"c\": -1}'", "not JSON"),
    "Infinity": ("echo '{\"f\": Infinity, \"c\": -1}'", "not JSON"),
    "1e400": ("echo '{\"f\": 1e400, \"c\": -1}'", "not JSON"),
    "NaN after a good line": (GOOD + "echo '{\"f\": NaN, \"c\": -1}'", "not JSON"),
    "-Infinity after a good line": (GOOD + "echo '{\"f\": -Infinity, \"c\": -1}'", "not JSON"),
    "1e400 after a good line": (GOOD + "echo '{\"f\": 1e400, \"c\": -1}'", "not JSON"),
    "a good line after NaN": ("echo '{\"f\": NaN, \"c\": -1}'\n" + GOOD, None),
    "a brace after a good line": (GOOD + "echo '{ done, NaN in 3 places }'", None),
    "1e200": ("echo '{\"f\": 1e200, \"c\": -1}'", "wrong answer"),
    "an sd of 1e200": ("echo '{\"f\": [1, 1e200], \"c\": -1}'", "wrong answer"),
    "an sd of 1e-170": ("echo '{\"f\": [1, 1e-170], \"c\": -1}'", "wrong answer"),
    "a text": ("echo '{\"f\": \"1\", \"c\": -1}'", "wrong answer"),
    "true": ("echo '{\"f\": true, \"c\": -1}'", "wrong answer"),
    "a nested object": ("echo '{\"f\": {\"value\": 1}, \"c\": -1}'", "wrong answer"),
    "a list": ("echo '[1, -1]'", "no answer"),
    "a list of three": ("echo '{\"f\": [1, 2, 3], \"c\": -1}'", "wrong answer"),
    "a negative deviation": ("echo '{\"f\": [1, -2], \"c\": -1}'", "standard deviation"),
    "a deviation": ("echo '{\"f\": [1, 0.5], \"c\": -1}'", None),
    "the wrong names": ("echo '{\"weight\": 1, \"d\": -1}'", "no value of any outcome, only of 'weight', 'd'"),
    "a parameter's name": ("echo '{\"x\": 1, \"f\": 1, \"c\": -1}'", None),
    "over several lines": ("printf '{\\n  \"f\": 1,\\n  \"c\": -1\\n}\\n'", None),
    "a mark before it": ("printf '\\357\\273\\277{\"f\": 1, \"c\": -1}\\n'", None),
    "a name twice": ("echo '{\"f\": 1, \"f\": 2, \"c\": -1}'", "duplicate"),
    "an empty object": ("echo '{}'", "no value"),
    "all null": ("echo '{\"f\": null, \"c\": null}'", "no value"),
    "one measured": ("echo '{\"f\": 1, \"c\": null}'", None),
    "half an answer": ("echo '{\"f\": 1,'", "not JSON"),
    "another trial": ("echo \"{\\\"trial\\\": $((CKG_TRIAL + 1)), \\\"f\\\": 1, \\\"c\\\": -1}\"", "another trial"),
    "its own trial": ("echo \"{\\\"trial\\\": $CKG_TRIAL, \\\"f\\\": 1, \\\"c\\\": -1}\"", None),
    "a trial that is no number": ("echo '{\"trial\": \"one\", \"f\": 1, \"c\": -1}'", "another trial"),
    "two answers": ("echo '{\"f\": 5, \"c\": 5}'\n" + GOOD, None),
    "chatter behind the answer": (GOOD + "echo done\necho '[1, 2]'\necho '\"{}\"'", None),
    "many lines that look like answers": ("yes '{ is not an answer' | head -n 100000\n" + GOOD, None),
    "many answers": ("yes '{\"f\": 2, \"c\": 2}' | head -n 100000\n" + GOOD, None),
    "deep nesting": ("head -c 500000 /dev/zero | tr '\\0' '['; echo", "no answer"),
    "deep nesting in an object": ("printf '{\"f\": '; head -c 500000 /dev/zero | tr '\\0' '['; echo", "not JSON"),
    "closes its input": ("exec <&-\n" + GOOD, None),
    "a newline in the reason": ("printf '%s\\n' '{\"a\\nb\": 1}'", "only of 'a b'"),
    "escape sequences in the reason": ("printf '%s\\n' '{\"\\u001b[31m\": 1}'", "only of '\\x1b[31m'"),
}


def script_study(folder, name, scripts, budget, **how):
    """Trial i runs script i."""
    for i, script in enumerate(scripts):
        folder.write(f"{name}.{i + 1}.sh", script + "\n")
    command = ["/bin/sh", "-c", f". ./{name}.$CKG_TRIAL.sh"]
    folder.write(f"{name}.yaml", problem(name, command, budget=budget, **how))


def check_scripts(cases, expect, **how):
    """Each case is a trial of one study."""
    with Folder() as folder:
        script_study(folder, "s", [s for s, _ in cases.values()], len(cases), **how)
        folder.ckg("run", "s.yaml", "--quiet", expect=expect)
        folder.nothing_left()
        trials = folder.trials("s.yaml")
        check_numbers(trials, len(cases))
        wrong = []
        for t, (name, (_, reason)) in zip(trials, cases.items()):
            good = t["state"] == "complete" and t["why"] is None if reason is None else t["state"] == "failed" and reason in (t["why"] or "")
            one_line = all(ord(c) >= 32 for c in t["why"] or "") and len(t["why"] or "") < 1000
            values = reason is not None or t["values"].get("f") in (1, [1, 0.5])
            if not (good and one_line and values):
                wrong.append((name, t["state"], t["why"], t["values"]))
        check(not wrong, *(f"\n  {w}" for w in wrong))


def test_each_in_one_study():
    check_scripts({name: case for name, case in SCRIPTS.items() if case[1] != "timed out"}, 0, evaluate="  parallel: 4\n  pause_after: 0\n")
    find = [p for p in os.listdir("/proc") if p.isdigit() and command_of(p) == f"/bin/sleep\0{WITHOUT_ENVIRONMENT}\0".encode()]
    check(not find, "the child without environment lives on:", find)


def test_each_that_times_out():
    check_scripts({name: case for name, case in SCRIPTS.items() if case[1] == "timed out"}, 1, evaluate=f"  timeout: {scale(1, 3)}\n  parallel: 4\n  pause_after: 0\n")


def command_of(process):
    try:
        return pathlib.Path(f"/proc/{process}/cmdline").read_bytes()
    except OSError:
        return b""


def test_large_input_that_is_not_read():
    """More parameters than a pipe holds, to an evaluation that does not look at them, or reads them late."""
    with Folder() as folder:
        lines = "\n".join(f"  n{i:0190}: {{type: categorical, values: [{'a' * 190}, {'b' * 190}]}}" for i in range(200))
        text = problem("s", ["/bin/sh", "-c", f"test $CKG_TRIAL = 1 || {{ sleep 0.1; wc -c >size; }}; {GOOD}"], budget=2)
        folder.write("s.yaml", text.replace("  x: {type: real, low: 0, high: 1}\n  y: {type: real, low: 0, high: 1}", lines))
        folder.ckg("run", "s.yaml", "--quiet", expect=0)
        check([t["state"] for t in folder.trials("s.yaml")] == ["complete"] * 2)
        check(int((folder / "size").read_text()) > 65536)


# Answers how many descriptors above 2 it was given, and how many its parent has.
LOOKER = r"""
#include <fcntl.h>
#include <dirent.h>
#include <stdio.h>
#include <unistd.h>

int main(void)
{
    char path[64];
    int given = 0, held = 0;
    for (int fd = 3; fd < 1000; fd++)
        given += fcntl(fd, F_GETFD) >= 0;
    snprintf(path, sizeof path, "/proc/%d/fd", (int)getppid());
    DIR *folder = opendir(path);
    while (folder && readdir(folder))
        held++;
    printf("{\"f\": %d, \"c\": %d}\n", given, held);
    return folder == NULL;
}
"""


def test_descriptors():
    """Evaluations get three descriptors, and the run keeps no more of them the longer it lasts."""
    with Folder() as folder:
        compile_c(folder, "look", LOOKER)
        folder.write("look.sh", f"setsid {HANG} &\nexec ./look\n")
        budget = scale(60, 20)
        folder.write("s.yaml", problem("s", ["./look"], budget=budget, evaluate="  parallel: 2\n"))
        folder.write("t.yaml", problem("t", ["/bin/sh", "look.sh"], budget=budget, evaluate="  parallel: 2\n"))
        for study in ("s", "t"):
            folder.ckg("run", f"{study}.yaml", expect=0)
            values = [t["values"] for t in folder.trials(f"{study}.yaml")]
            held = [v["c"] for v in values]
            check(study != "s" or {v["f"] for v in values} == {0}, "descriptors of evaluations:", values)
            # two places have three pipes each, and four more ends and a file while one of them is being started; a leak would
            # add to the smallest number
            check(max(held) <= min(held) + 11, "descriptors of the run:", held)
            check(min(held[budget // 2:]) <= max(held[:5]), "descriptors of the run:", held)
        folder.nothing_left()


def test_what_an_evaluation_is_told():
    with Folder() as folder:
        folder.write("look.sh", 'cat >"in.$CKG_TRIAL"\npwd >where\necho "$CKG_STUDY $CKG_TRIAL $1" >told\n' + GOOD)
        folder.write("s.yaml", problem("s", ["/bin/sh", "look.sh", "a{x}b{z}{"], budget=1))
        folder.ckg("run", "s.yaml", expect=0)
        x = folder.trials("s.yaml")[0]["parameters"]
        check(json.loads((folder / "in.1").read_text()) == x)
        study, trial, word = (folder / "told").read_text().split()
        check((study, trial, word) == ("s", "1", f"a{json.dumps(x['x'])}b{{z}}{{"), study, trial, word, x)
        check((folder / "where").read_text().strip() == str(folder.path.resolve()))


def test_retries():
    count = 'n=$(cat n.$CKG_TRIAL 2>/dev/null || echo 0); echo $((n + 1)) >n.$CKG_TRIAL\n'
    with Folder() as folder:
        folder.write("twice.sh", count + "test $n -ge 2 || exit 7\n" + GOOD)
        folder.write("s.yaml", problem("s", ["/bin/sh", "twice.sh"], budget=4, evaluate="  retries: 2\n"))
        folder.ckg("run", "s.yaml", expect=0)
        check([(t["state"], t["why"]) for t in folder.trials("s.yaml")] == [("complete", None)] * 4)
        check([(folder / f"n.{i}").read_text() for i in range(1, 5)] == ["3\n"] * 4)
    with Folder() as folder:
        folder.write("twice.sh", count + "test $n -ge 2 || exit 7\n" + GOOD)
        folder.write("s.yaml", problem("s", ["/bin/sh", "twice.sh"], budget=4, evaluate="  retries: 1\n  pause_after: 0\n"))
        folder.ckg("run", "s.yaml", "--quiet", expect=1).one_line("every evaluation failed")
        check([(t["state"], t["why"]) for t in folder.trials("s.yaml")] == [("failed", "exit status 7")] * 4)
        check([(folder / f"n.{i}").read_text() for i in range(1, 5)] == ["2\n"] * 4)


def test_time_limits_side_by_side():
    """Every second one hangs; the others answer, and all hang at the same time. What is in time on a slow machine is found by trying."""
    script = f"test $((CKG_TRIAL % 2)) = 0 || {{ trap '' TERM; {HANG} & wait; {HANG}; }}; {GOOD}"
    for limit in (0.5, 4, 32, 256):
        with Folder() as folder:
            folder.write("s.yaml", problem("s", ["/bin/sh", "-c", script], budget=8, evaluate=f"  parallel: 4\n  timeout: {limit}\n"))
            start = time.monotonic()
            folder.ckg("run", "s.yaml", expect=0)
            seconds, found = time.monotonic() - start, states(folder)
            folder.nothing_left()
            check(found[::2] == ["failed"] * 4, found)
            if found[1::2] == ["complete"] * 4 and seconds < 3 * (limit + 2):  # with the two seconds from SIGTERM to SIGKILL
                return
            print(f"  {limit} s: {found}, took {seconds:.1f} s")
    raise AssertionError("the time limits are not side by side")


def quick_study(folder, then=GOOD, budget=4):
    """Two evaluations at once, which note that they have begun, and then do this."""
    script = f"echo $CKG_TRIAL >>begun; {then}"
    folder.write("s.yaml", problem("s", ["/bin/sh", "-c", script], budget=budget, evaluate="  parallel: 2\n"))


def waiting_study(folder):
    """Two evaluations at once, which wait until the test lets them go."""
    quick_study(folder, once_there("go", GOOD))


def wait_for_two(folder):
    wait_for(lambda: (folder / "begun").exists() and len((folder / "begun").read_text().split()) >= 2, what="two evaluations")


def states(folder):
    return [t["state"] for t in folder.trials("s.yaml")]


def test_interrupted_once():
    with Folder() as folder:
        waiting_study(folder)
        process = folder.start("run", "s.yaml")
        wait_for_two(folder)
        process.send_signal(signal.SIGINT)
        first = read_until(process.stderr, b"finishing 2 running")
        folder.write("go", "")
        _, err = process.communicate(timeout=PATIENCE)
        check(process.returncode == 1 and b"finishing 2 running" in first and b"run the same command to continue" in first + err, process.returncode, first, err)
        check(states(folder) == ["complete", "complete"], states(folder))
        folder.nothing_left()
        folder.ckg("run", "s.yaml", expect=0)
        check(states(folder) == ["complete"] * 4)
        check(sorted((folder / "begun").read_text().split()) == ["1", "2", "3", "4"])


def stopped_at_once(*signals):
    with Folder() as folder:
        quick_study(folder, HANG)
        process = folder.start("run", "s.yaml")
        wait_for_two(folder)
        process.send_signal(signals[0])
        for number in signals[1:]:
            read_until(process.stderr, b"finishing 2 running evaluations")
            process.send_signal(number)
        _, err = process.communicate(timeout=PATIENCE)
        check(process.returncode == 1 and b"run the same command to continue" in err, process.returncode, err)
        check(states(folder) == ["pending", "pending"], states(folder))
        folder.nothing_left()
        quick_study(folder)
        folder.ckg("run", "s.yaml", expect=0)
        check(states(folder) == ["complete"] * 4)


def test_interrupted_twice():
    stopped_at_once(signal.SIGINT, signal.SIGINT)


def test_terminated():
    stopped_at_once(signal.SIGTERM)
    stopped_at_once(signal.SIGHUP)


def test_interrupted_on_a_terminal():
    """Ctrl-C as it is typed reaches the run and not its evaluations."""
    with Folder() as folder:
        waiting_study(folder)
        run = Terminal(folder, "run", "s.yaml")
        wait_for_two(folder)
        run.type(b"\x03")
        wait_for(lambda: run.read() or b"finishing the running evaluations" in run.written, "what Ctrl-C does")
        folder.write("go", "")
        shown = run.end()
        check(run.status == 1, run.status, shown)
        check(b"finishing the running evaluations" in shown and b"run the same command to continue" in shown, shown)
        check(states(folder) == ["complete", "complete"], states(folder))
        folder.nothing_left()


def test_nohup():
    with Folder() as folder:
        waiting_study(folder)
        process = subprocess.Popen(["nohup", PROGRAM, "run", "s.yaml"], cwd=folder.path, env=environment(folder.mark),
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        wait_for_two(folder)
        process.send_signal(signal.SIGHUP)
        folder.write("go", "")
        process.communicate(timeout=PATIENCE)
        check(process.returncode == 0 and states(folder) == ["complete"] * 4, process.returncode)


def test_nobody_reads_the_lines():
    with Folder() as folder:
        quick_study(folder, budget=20)
        process = folder.start("run", "s.yaml")
        process.stdout.readline()
        process.stdout.close()
        process.stdout = None
        _, err = process.communicate(timeout=PATIENCE)
        check(process.returncode in (0, 1) and len(err.splitlines()) <= 1, process.returncode, err)
        check(states(folder) == ["complete"] * 20, states(folder))
        folder.nothing_left()


def test_started_without_standard_files():
    with Folder() as folder:
        quick_study(folder, budget=3)
        subprocess.run(["/bin/sh", "-c", f'exec "{PROGRAM}" run s.yaml <&- >&- 2>&-'], cwd=folder.path, env=environment(folder.mark))
        check(states(folder) == ["complete"] * 3, states(folder))


def test_program_that_cannot_be_started():
    """What only the attempt can tell hands the trial back; the same command goes on. What can be told before is in test_slips.py."""
    with Folder() as folder:
        folder.write("plain.txt", "no program\n", mode=0o755)
        folder.write("s.yaml", problem("s", ["./plain.txt"], budget=3, evaluate="  parallel: 2\n"))
        for _ in range(2):
            folder.ckg("run", "s.yaml", expect=1).one_line("./plain.txt", "Exec format error")
            check(states(folder) == ["pending"], states(folder))
        quick_study(folder, budget=3)
        folder.ckg("run", "s.yaml", expect=0)
        check(states(folder) == ["complete"] * 3)


def test_children_that_were_there_before():
    """A shell that becomes the program leaves it a child that is no evaluation's."""
    with Folder() as folder:
        quick_study(folder, budget=3)
        script = f'{HANG} & echo $! >innocent; exec "{PROGRAM}" run s.yaml'
        process = subprocess.run(["/bin/sh", "-c", script], cwd=folder.path, env=environment(folder.mark), stdout=subprocess.DEVNULL)
        check(process.returncode == 0)
        innocent = int((folder / "innocent").read_text())
        check(command_of(innocent), "it was killed")  # it may still be about to become `sleep`
        os.kill(innocent, signal.SIGKILL)
        folder.nothing_left()


if __name__ == "__main__":
    main(globals())

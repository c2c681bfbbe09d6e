"""What an attacker, a damaged store or another user's process must not be able to do."""
import os
import shutil
import signal
import sqlite3
import subprocess
import sys

from harness import FOREVER, PATIENCE, PROGRAM, Folder, Skip, check, compile_c, kill_group, main, once_there, problem, wait_for
from checksums import forged  # noqa: E402

ANSWER = ["sh", "-c", "echo '{\"f\": 1, \"c\": -1}'"]
NOBODY = 54321      # no account of this machine has it


def as_nobody(*words):
    return ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", *map(str, words)]


def open_folder(folder):
    """A folder where NOBODY may work, with a copy of the program that it can reach."""
    if os.geteuid() or not shutil.which("setpriv"):
        raise Skip("only root can be another user")
    os.chmod(folder.path, 0o777)
    shutil.copy(PROGRAM, folder / "ckg")
    os.chmod(folder / "ckg", 0o755)
    return str(folder / "ckg")


def run_as_nobody(folder, program, *words, **how):
    return subprocess.Popen(as_nobody(program, *words), cwd=folder.path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **how)


def test_child_of_another_user():
    """A setuid program cannot be killed by who started it: its trial times out all the same, and the run goes on and stops when it is told to."""
    with Folder() as folder:
        program = open_folder(folder)
        compile_c(folder, "stays", "#include <unistd.h>\nint main(void) { while (!setuid(0)) sleep(1000); return 1; }\n")
        os.chmod(folder / "stays", 0o4755)
        if not os.stat(folder / "stays").st_mode & 0o4000 or os.statvfs(folder.path).f_flag & os.ST_NOSUID:
            raise Skip("setuid programs do not work here")
        try:
            # Until it has become root it can be killed, so that on a busy machine it needs more time for that.
            for limit in (0.5, 2, 8, 32):
                name = f"s{limit}".replace(".", "_")
                folder.write(f"{name}.yaml", problem(name, [str(folder / "stays")], budget=1, evaluate=f"  timeout: {limit}\n"))
                out, err = run_as_nobody(folder, program, "run", f"{name}.yaml").communicate(timeout=PATIENCE)
                check("timed out" in out, out, err)
                if "another user" in out:
                    break
            check("another user" in out, out, err)

            # Told to stop while one runs: at once, although it cannot be killed.
            before = len(list_stays(folder))
            folder.write("t.yaml", problem("t", [str(folder / "stays")], budget=2))
            run = run_as_nobody(folder, program, "run", "t.yaml")
            wait_for(lambda: len([pid for pid in list_stays(folder) if is_root(pid)]) > before, "another child")
            run.terminate()
            run.communicate(timeout=PATIENCE)
        finally:
            for pid in list_stays(folder):
                os.kill(pid, 9)


def list_stays(folder):
    found = []
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            if os.readlink(f"/proc/{entry}/exe") == str(folder / "stays"):
                found.append(int(entry))
        except OSError:
            pass
    return found


def is_root(pid):
    try:
        return os.stat(f"/proc/{pid}").st_uid == 0 and "\nUid:\t0\t0\t" in open(f"/proc/{pid}/status").read()
    except OSError:
        return False


def lose_a_trial(path, process, born):
    """Trial 1 is a dead worker's, and its evaluation is said to be that process."""
    with forged(path) as store:
        machine = store.execute("SELECT machine FROM lost").fetchone()[0]
        store.execute("INSERT INTO worker (machine, process, born, heartbeat) VALUES (?, 999999999, 5, 0)", (machine,))
        store.execute("UPDATE trial SET state = 'running', outcomes = NULL, worker = last_insert_rowid(), process = ?, born = ? WHERE number = 1",
                      (process, born))


def remember_machine(path):
    """The machine's name as its workers give it, kept in a table beside ours."""
    store = sqlite3.connect(path, isolation_level=None, timeout=60)
    store.execute("CREATE TABLE lost AS SELECT machine FROM worker")
    store.close()


def test_numbers_of_damaged_rows():
    """A row that says process 1, 0 or -1, or somebody else's, kills nobody."""
    with Folder() as folder:
        program = open_folder(folder)
        bystander = subprocess.Popen(as_nobody("sleep", str(FOREVER)), start_new_session=True)
        try:
            # A study with one trial complete, in which we know how the machine is called.
            folder.write("s.yaml", problem("s", ["sh", "-c", "until test -e go; do sleep 0.02; done; echo '{\"f\": 1, \"c\": -1}'"], budget=1))
            run = run_as_nobody(folder, program, "run", "s.yaml")
            wait_for(lambda: (folder / "s.db").exists() and has_worker(folder / "s.db"), "a worker")
            remember_machine(folder / "s.db")
            folder.write("go", "")
            run.communicate(timeout=PATIENCE)

            for process, born in ((1, 0), (1, None), (0, 0), (-1, 0), (-1, 5), (bystander.pid, 0), (bystander.pid, 5), (2**40, 0), (bystander.pid, None)):
                lose_a_trial(folder / "s.db", process, born)
                run = run_as_nobody(folder, program, "run", "s.yaml")
                out, err = run.communicate(timeout=PATIENCE)
                check(run.returncode == 0, process, born, "the run ended with", run.returncode, out, err)
                check(bystander.poll() is None, process, born, "a bystander was killed")
        finally:
            bystander.kill()
            bystander.wait()


def has_worker(path):
    try:
        with sqlite3.connect(path, timeout=60) as store:
            return store.execute("SELECT count(*) FROM worker").fetchone()[0]
    except sqlite3.OperationalError:
        return 0


CROWD = """
import os, sys, time
names = [n for n in os.listdir('alive') if n.startswith('child-')]
alive = 0
for n in names:
    try:
        os.kill(int(n[6:]), 0)
        alive += open(f'/proc/{n[6:]}/stat').read().rsplit(')', 1)[1].split()[0] not in 'ZX'
    except (OSError, ValueError):
        pass
if alive:
    open('double', 'a').write(f'{os.environ["CKG_TRIAL"]} begins beside {alive} of its former evaluation\\n')
for n in names:
    os.unlink('alive/' + n)
for i in range(int(sys.argv[1])):
    pid = os.fork()
    if not pid:
        os.setsid()
        open(f'alive/child-{os.getpid()}', 'w').close()
        time.sleep(1000000)
        os._exit(0)
open('ready', 'w').close()
time.sleep(1000000)
"""


def test_one_evaluation_at_a_time():
    """A run that is told to stop hands its trial back only when nothing of the evaluation runs any longer."""
    with Folder() as folder:
        (folder / "alive").mkdir()
        folder.write("crowd.py", CROWD)
        folder.write("s.yaml", problem("s", [sys.executable, "crowd.py", "200"], budget=1))
        first = folder.start("run", "s.yaml")
        for _ in range(4):
            wait_for((folder / "ready").exists, "the evaluation")
            (folder / "ready").unlink()
            second = folder.start("run", "s.yaml")
            first.terminate()
            first.communicate()
            first = second
        wait_for((folder / "ready").exists, "the evaluation")
        first.terminate()
        first.communicate()
        check(not (folder / "double").exists(), "two at once:", (folder / "double").read_text() if (folder / "double").exists() else "")
        folder.nothing_left()


def test_one_store_by_two_paths():
    """A link to the store is the store: one turn, and both runs end well."""
    for _ in range(4):
        with Folder() as folder:
            folder.write("s.yaml", problem("s", ANSWER, budget=30))
            folder.ckg("status", "s.yaml")
            folder.ckg("ask", "s.yaml", expect=0)
            os.symlink("s.db", folder / "link.db")
            runs = [folder.start("run", "s.yaml", *more) for more in ((), ("--store", "sqlite:link.db"), ("--store", f"sqlite:{folder / 'link.db'}"))]
            for run in runs:
                out, err = run.communicate()
                check(run.returncode == 0, "ended with", run.returncode, err)
            check(len(folder.trials("s.yaml")) == 30)
            check(not (folder / "link.db-turn").exists(), "a second turn")


def test_planted_links():
    """A link that waits where a file is going to be written is not followed, and what killed commands left is swept."""
    with Folder() as folder:
        folder.write("s.yaml", problem("s", ANSWER, budget=3))
        folder.ckg("run", "s.yaml", expect=0)
        folder.write("victim", "precious\n")
        ended = subprocess.Popen(["true"])
        ended.wait()
        folder.write(f"out.csv.{ended.pid}.part", "left by a killed command")
        folder.write(f"other.csv.{ended.pid}.part", "of another file")
        done = subprocess.run(["sh", "-c", f'ln -s victim out.csv.$$.part; ln -s victim out.csv.1.$$.part; exec "{PROGRAM}" export s.yaml -o out.csv'],
                              cwd=folder.path, capture_output=True, text=True)
        check(done.returncode == 0, done.stderr)
        check((folder / "victim").read_text() == "precious\n", "a planted link was followed")
        check((folder / "out.csv").read_text().startswith("trial,"), "no table")
        check(not (folder / f"out.csv.{ended.pid}.part").exists(), "a killed command's part stays")
        check((folder / f"other.csv.{ended.pid}.part").exists(), "what belongs to another file was swept")

        # Nor is a link in the turn's place.
        folder.write("t.yaml", problem("t", ANSWER, budget=3))
        os.symlink("nowhere", folder / "t.db-turn")
        folder.ckg("run", "t.yaml", expect=1).one_line("t.db-turn")
        check(not (folder / "nowhere").exists(), "a planted link was followed")


def test_limit_on_the_size_of_files():
    """`ulimit -f`: one line, not death by a signal; the study goes on without the limit."""
    with Folder() as folder:
        folder.write("s.yaml", problem("s", ANSWER, budget=40))
        done = subprocess.run(["sh", "-c", f'ulimit -f 60; exec "{PROGRAM}" run s.yaml'], cwd=folder.path, capture_output=True, text=True)
        check(done.returncode == 1, done.returncode, done.stderr)
        check(len(done.stderr.splitlines()) == 1 and "s.db" in done.stderr, done.stderr)
        folder.ckg("run", "s.yaml", expect=0)
        check(len(folder.trials("s.yaml")) == 40)


DAEMON = """
import os, sys, time
if os.fork():
    os._exit(0)
os.setsid()
if os.fork():
    os._exit(0)
for fd in range(3, 64):
    try:
        os.close(fd)
    except OSError:
        pass
nothing = os.open('/dev/null', os.O_RDWR)
for fd in range(3):
    os.dup2(nothing, fd)
with open(sys.argv[1] + '.part', 'w') as out:
    out.write(str(os.getpid()))
os.rename(sys.argv[1] + '.part', sys.argv[1])
time.sleep(1000000)
"""


def is_alive(pid):
    try:
        return open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()[0] not in "ZX"
    except OSError:
        return False


def test_daemons_of_a_killed_run():
    """Daemons without environment, session, files or parent end with the run that was killed, whether alone or with its group; and with their
    evaluation, while others run."""
    for alone in (True, False):
        with Folder() as folder:
            folder.write("daemon.py", DAEMON)
            folder.write("s.yaml", problem("s", ["sh", "-c", f"env -i setsid '{sys.executable}' daemon.py daemon-$CKG_TRIAL & {once_there('go', 'true')}"],
                                           budget=2, evaluate="  parallel: 2\n"))
            run = folder.start("run", "s.yaml")
            pids = []
            try:
                for trial in (1, 2):
                    wait_for((folder / f"daemon-{trial}").exists, "a daemon")
                    pids.append(int((folder / f"daemon-{trial}").read_text()))
                check(all(map(is_alive, pids)))
                if alone:
                    run.kill()
                    run.communicate()
                else:
                    kill_group(run)
                wait_for(lambda: not any(map(is_alive, pids)), "the end of the daemons")
                folder.nothing_left()
            finally:
                for pid in filter(is_alive, pids):
                    os.kill(pid, 9)

    # One evaluation has ended, another goes on.
    with Folder() as folder:
        folder.write("daemon.py", DAEMON)
        folder.write("s.yaml", problem("s", ["sh", "-c", f"env -i setsid '{sys.executable}' daemon.py daemon-$CKG_TRIAL & "
                                             + once_there("go-$CKG_TRIAL", "echo '{\"f\": 1, \"c\": -1}'").replace("'go-$CKG_TRIAL'", "go-$CKG_TRIAL")],
                                       budget=2, evaluate="  parallel: 2\n"))
        run = folder.start("run", "s.yaml")
        for trial in (1, 2):
            wait_for((folder / f"daemon-{trial}").exists, "a daemon")
        first, second = (int((folder / f"daemon-{trial}").read_text()) for trial in (1, 2))
        folder.write("go-1", "")
        wait_for(lambda: not is_alive(first), "the end of the first daemon")
        check(is_alive(second) and run.poll() is None)
        folder.write("go-2", "")
        run.communicate()
        check(run.returncode == 0 and not is_alive(second))
        folder.nothing_left()


def processes_called(name):
    found = []
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            found += [int(entry)] if open(f"/proc/{entry}/comm").read() == f"{name}\n" else []
        except OSError:
            pass
    return found


def is_stopped(pid):
    return open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()[0] == "T"


def test_stopped_guards_of_a_killed_run():
    """The system sends SIGHUP to those of a killed run who were stopped at its death: they do their work all the same."""
    with Folder() as folder:
        folder.write("daemon.py", DAEMON)
        folder.write("s.yaml", problem("s", ["sh", "-c", f"env -i setsid '{sys.executable}' daemon.py daemon & {once_there('go', 'true')}"], budget=1))
        run = folder.start("run", "s.yaml")
        wait_for((folder / "daemon").exists, "the daemon")
        daemon = int((folder / "daemon").read_text())
        guards = processes_called(f"ckgg {run.pid}")
        try:
            check(len(guards) == 2, "who starts guards, and one of them:", guards)
            for pid in guards:
                os.kill(pid, signal.SIGSTOP)
            wait_for(lambda: all(map(is_stopped, guards)), "guards that are stopped")
            run.kill()
            run.communicate()
            wait_for(lambda: not is_alive(daemon), "the end of the daemon")
            folder.nothing_left()
        finally:
            for pid in filter(is_alive, [daemon, *guards]):
                os.kill(pid, signal.SIGKILL)


def test_killed_guard():
    """Who kills the guard of an evaluation, or the process that starts guards, gets the same result as without."""
    with Folder() as folder:
        folder.write("s.yaml", problem("s", ["sh", "-c", "echo $PPID > guard.part; mv guard.part guard-$CKG_TRIAL; "
                                             + once_there("go", "echo '{\"f\": 1, \"c\": -1}'")], budget=2))
        run = folder.start("run", "s.yaml")
        wait_for((folder / "guard-1").exists, "the evaluation")
        guard = int((folder / "guard-1").read_text())
        starter = int(open(f"/proc/{guard}/stat").read().rsplit(")", 1)[1].split()[1])
        check(guard != run.pid and starter != run.pid, "no guard")
        os.kill(starter, 9)
        os.kill(guard, 9)
        folder.write("go", "")
        _, err = run.communicate()
        check(run.returncode == 0, err)
        check([t["state"] for t in folder.trials("s.yaml")] == ["complete"] * 2, folder.trials("s.yaml"))
        folder.nothing_left()


if __name__ == "__main__":
    main(globals())

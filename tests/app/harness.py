"""What the tests of the program share: folders to work in, the program run with a time limit, evaluators, processes that were left behind."""
import contextlib
import fcntl
import json
import os
import pathlib
import pty
import select
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import time
import traceback

PROGRAM = os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else "build/ckg"
WITH_FAULTS = os.path.join(os.path.dirname(PROGRAM), "tests", "ckg_with_faults")
LIGHT = bool(os.environ.get("CKG_TEST_LIGHT"))
MARK = f"CKG_TEST_MARK={os.getpid()}.{time.time_ns()}."

# No test depends on the machine's speed. What must happen is waited for, PATIENCE seconds at the most, which tells what hangs from what is slow; what
# must be cut off lasts FOREVER, so that it cannot end by itself and pass for cut off.
PATIENCE = 900
FOREVER = 1000000
LEFT_OUT = 77  # the exit status of a test that this machine cannot run
MOMENT = 60  # enough for what was killed to go, on a machine however busy


class Skip(Exception):
    pass


def scale(full, light):
    return light if LIGHT else full


def environment(mark, **more):
    name, value = mark.split("=")
    out = {k: v for k, v in os.environ.items() if not k.startswith("CKG_") or k == "CKG_TEST_LIGHT"}
    return {**out, "TERM": "xterm", name: value, **{k: str(v) for k, v in more.items()}}


def check(truth, *what):
    if not truth:
        raise AssertionError(" ".join(str(w) for w in what))


def ignore_here(number):
    """Here alone: what is started gets the signal's default, for a handler ends where a program begins."""
    signal.signal(number, lambda *_: None)


# The tests may themselves run where signals are ignored.
for ignored in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM):
    if signal.getsignal(ignored) == signal.SIG_IGN:
        ignore_here(ignored)


class Terminal:
    """The program on a terminal of its own, started from there by another process, as by a shell. That process outlives it: where the leader of a session
    ends, the system throws away what it wrote on the terminal and nobody has read yet."""

    def __init__(self, folder, *words, columns=80, **more):
        held, self.hold = os.pipe()
        try:
            self.leader, self.master = pty.fork()
        except OSError as why:
            raise Skip(why)
        if not self.leader:
            try:
                os.close(self.hold)
                set_columns(0, columns)
                self.lead(held, folder, words, more)
            finally:
                os._exit(127)
        os.close(held)
        self.written = b""
        self.over = False

    def lead(self, held, folder, words, more):
        ignore_here(signal.SIGINT)
        program = subprocess.Popen([PROGRAM, *words], cwd=folder.path, env=environment(folder.mark, **more))
        status = program.wait()
        for descriptor in (0, 1, 2):
            os.close(descriptor)
        os.read(held, 1)
        os._exit(status & 255)

    def resize(self, columns):
        set_columns(self.master, columns)

    def type(self, keys):
        os.write(self.master, keys)

    def read(self):
        """What there is; true: it is over."""
        if not self.over and select.select([self.master], [], [], 0.02)[0]:
            try:
                data = os.read(self.master, 65536)
            except OSError:
                data = b""
            self.over = not data
            self.written += data
        return self.over

    def end(self):
        """All that it wrote; its exit status is kept."""
        wait_for(self.read, "its end")
        os.close(self.hold)
        self.status = os.waitstatus_to_exitcode(os.waitpid(self.leader, 0)[1])
        os.close(self.master)
        return self.written


def set_columns(terminal, columns):
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))


class Folder:
    """A folder of its own, removed at the end; programs that it started and that no test waited for end with it."""

    def __init__(self, where=None):
        self.path = pathlib.Path(tempfile.mkdtemp(prefix="ckg-", dir=where))
        self.mark = MARK + self.path.name
        self.started = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in self.started:
            if process.poll() is None:
                kill_group(process)
        shutil.rmtree(self.path, ignore_errors=True)

    def __truediv__(self, name):
        return self.path / name

    def write(self, name, text, mode=0o644):
        (self.path / name).write_text(text)
        (self.path / name).chmod(mode)
        return str(self.path / name)

    def start(self, *words, **how):
        """The program in a session of its own; the one with faults where CKG_FAULT asks for one."""
        how.setdefault("stdout", subprocess.PIPE)
        how.setdefault("stderr", subprocess.PIPE)
        how.setdefault("stdin", subprocess.DEVNULL)
        env = environment(self.mark, **{"XDG_STATE_HOME": self / ".state", **how.pop("env", {})})
        program = WITH_FAULTS if "CKG_FAULT" in env else PROGRAM
        words = [w if isinstance(w, bytes) else str(w) for w in words]
        process = subprocess.Popen([program, *words], cwd=how.pop("cwd", self.path), env=env, start_new_session=True, **how)
        self.started.append(process)
        return process

    def ckg(self, *words, expect=None, **how):
        """The program to its end: status, output, complaints. It must never die of a signal that the test did not ask for."""
        process = self.start(*words, **how)
        try:
            out, err = process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            raise AssertionError(f"ckg {' '.join(map(str, words))}: not over after {PATIENCE} s")
        result = Result(process.returncode, (out or b"").decode(errors="replace"), (err or b"").decode(errors="replace"))
        if expect is not None:
            said = result.out[-2000:] + result.err[-2000:]
            check(result.status == expect, "ckg", *words, "ended with", result.status, "instead of", expect, "\n", said)
        return result

    def trials(self, study):
        return [json.loads(line) for line in self.ckg("trials", study, "--json", expect=0).out.splitlines()]

    def status(self, study):
        return json.loads(self.ckg("status", study, "--json", expect=0).out)

    def left_behind(self):
        return left_behind(self.mark)

    def nothing_left(self):
        """No process that was started here, directly or not; what was killed may take a moment to go."""
        wait_for(lambda: not self.left_behind(), what=lambda: f"the end of {self.left_behind()}")


class Result:
    def __init__(self, status, out, err):
        self.status, self.out, self.err = status, out, err

    def one_line(self, *words):
        """The complaint is one line that has these words."""
        lines = self.err.splitlines()
        check(len(lines) == 1, "not one line of complaint:", repr(self.err))
        check(len(lines[0]) < 1000, "a long line:", lines[0])
        for word in words:
            check(word in lines[0], repr(word), "is missing in", repr(lines[0]))
        return self


def kill_group(process):
    """SIGKILL to the program's whole group; evaluations have groups of their own and live on."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.communicate()


def compile_c(folder, name, source):
    path = folder.write(f"{name}.c", source)
    subprocess.run([os.environ.get("CC", "cc"), "-O1", "-o", str(folder / name), path, "-lm"], check=True)
    return str(folder / name)


def preload(folder, name, **settings):
    """The environment of a program with tests/app/shim_NAME.c in front of the system's library."""
    source = pathlib.Path(__file__).with_name(f"shim_{name}.c")
    if not (folder / f"{name}.so").exists():
        subprocess.run([os.environ.get("CC", "cc"), "-O1", "-shared", "-fPIC", "-o", str(folder / f"{name}.so"), str(source), "-ldl", "-lm"], check=True)
    sanitizer = ":".join(filter(None, (os.environ.get("ASAN_OPTIONS"), "verify_asan_link_order=0")))
    return {"LD_PRELOAD": folder / f"{name}.so", "ASAN_OPTIONS": sanitizer, **settings}


def problem(name, command, budget=10, policy="sobol", more="", evaluate="", seed=1):
    words = ", ".join(json.dumps(w) for w in command)
    run = f"evaluate:\n  command: [{words}]\n{evaluate}" if command else ""
    return f"""name: {name}
goal: minimize
budget: {budget}
policy: {policy}
seed: {seed}
{more}parameters:
  x: {{type: real, low: 0, high: 1}}
  y: {{type: real, low: 0, high: 1}}
objective: {{name: f, noise: none}}
constraints:
  c: {{max: 0, noise: none}}
{run}"""


def marked(pid, mark):
    try:
        return mark.encode() in pathlib.Path(f"/proc/{pid}/environ").read_bytes()
    except OSError:
        return False


def left_behind(mark=MARK):
    """Processes that carry the mark."""
    found = []
    for entry in os.listdir("/proc"):
        if entry.isdigit() and marked(entry, mark):
            try:
                found.append((int(entry), pathlib.Path(f"/proc/{entry}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")))
            except OSError:
                pass
    return found


def wait_for(truth, what="it"):
    """The first true value; `what` may be a function, called when there was none."""
    end = time.monotonic() + PATIENCE
    while True:
        value = truth()
        if value:
            return value
        if time.monotonic() > end:
            raise AssertionError(f"waited {PATIENCE} s for {what() if callable(what) else what}")
        time.sleep(0.005)


def read_until(stream, words):
    """What a pipe gives up to and with these words, or to its end; read past the stream's buffer, so that communicate() gives the rest."""
    got = b""
    while words not in got:
        block = os.read(stream.fileno(), 65536)
        if not block:
            break
        got += block
    return got


def once_there(name, then):
    """A shell script that waits until the test has written the file."""
    return f"until test -e '{name}'; do sleep 0.02; done; {then}"


def check_numbers(trials, budget):
    numbers = [t["trial"] for t in trials]
    check(numbers == list(range(1, budget + 1)), "trials", numbers, "instead of 1 …", budget)


def run_test(name, test, ends):
    start = time.monotonic()
    try:
        test()
        ends[name] = "good"
    except Skip as why:
        ends[name] = f"left out: {' '.join(str(why).split())}"
    except Exception:
        traceback.print_exc()
        ends[name] = "FAILED"
    print(f"{name}: {ends[name]}, {time.monotonic() - start:.1f} s", flush=True)


def main(names, beside=(), light=None):
    """Runs what is called test_…, the tests of `beside`, which mostly wait, beside the others; `names` is the module's globals(). With light settings
    only those of `light` run, where they are given. Where nothing could run, the whole counts as left out."""
    wanted = sys.argv[2:] or [t.__name__ for t in LIGHT and light or ()]
    ends = {}
    tests = {n: t for n, t in names.items() if n.startswith("test_") and (not wanted or n in wanted)}
    threads = [threading.Thread(target=run_test, args=(t.__name__, t, ends)) for t in beside if t.__name__ in tests]
    for thread in threads:
        thread.start()
    for name, test in tests.items():
        if test not in beside:
            run_test(name, test, ends)
    for thread in threads:
        thread.join()
    if end_what_is_left() or "FAILED" in ends.values():
        sys.exit(1)
    sys.exit(0 if "good" in ends.values() else LEFT_OUT)


def end_what_is_left():
    """How many processes are left behind, which are ended; what was killed may take a moment to go."""
    end = time.monotonic() + MOMENT
    while (left := left_behind()) and time.monotonic() < end:
        time.sleep(0.005)
    for pid, what in left:
        print("left behind:", pid, what)
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    return len(left)

"""pauses.py FOLDER [WORD…]: runs `ctest WORD…` in that folder and meanwhile stops one process of the tests after the other, by chance, for up to three
seconds, as a machine does that has too much to do. Who waits for a moment, and not for what must happen, fails; so does a program that relies on what
usually comes first. Servers that tests start are stopped too. CKG_PAUSES: seconds between two of them on average, 0.1 unless it says otherwise."""
import os
import random
import signal
import subprocess
import sys
import threading
import time

APART = float(os.environ.get("CKG_PAUSES", "0.1"))
LENGTHS = (0.1, 0.3, 1, 3)
MARK = f"PAUSED_BY={os.getpid()}"
SPARED = ("ctest", "cc1", "collect2", "ld", "as")  # compilers have nothing to show


def read(path):
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""


def victims(known):
    """Processes with our mark that are not stopped already; `known` keeps who has it, by number."""
    found = []
    for entry in filter(str.isdigit, os.listdir("/proc")):
        if entry not in known:
            known[entry] = MARK.encode() in read(f"/proc/{entry}/environ").split(b"\0")
        stat = read(f"/proc/{entry}/stat").decode(errors="replace")
        name, _, rest = stat[stat.find("(") + 1:].rpartition(")")
        if known[entry] and name not in SPARED and rest.split()[:1] not in ([], ["T"], ["Z"]):
            found.append(int(entry))
    return found


def send(process, number):
    try:
        os.kill(process, number)
    except ProcessLookupError:
        pass


def main():
    chance, known, stopped = random.Random(), {}, 0
    tests = subprocess.Popen(["ctest", "--output-on-failure", *sys.argv[2:]], cwd=sys.argv[1], env={**os.environ, **dict([MARK.split("=")])})
    while tests.poll() is None:
        if found := victims(known):
            one = chance.choice(found)
            send(one, signal.SIGSTOP)
            threading.Timer(chance.choice(LENGTHS) * chance.random(), send, (one, signal.SIGCONT)).start()
            stopped += 1
        time.sleep(chance.expovariate(1 / APART))
    print(f"processes were stopped {stopped:,} times")
    return tests.returncode


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""serve_beside.py CKG [--pairs N] [--evaluations N] [--policy NAME]: what a run loses by a server that is looked at, as a table for bench/results/serve.md.

A study with 500 trials already, evaluations that take a few milliseconds, so that the run does nothing but choose, write and start: the worst case. Alone, and
with `ckg serve` beside it that has 50 streams of events and three pages open, which ask as a browser does after every event. The two in turn, each first every
other time. Of the run: processor time (its own and its evaluations'), how long it was ready and had no processor, and wall time. What readers need of the
processor here is a browser's elsewhere; where it is this machine's, it slows everything on it alike."""
import http.client
import os
import pathlib
import selectors
import shutil
import statistics
import subprocess
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tests/app"))
from harness import PROGRAM, Folder, check, problem, wait_for  # noqa: E402
from test_serve import Events, Server  # noqa: E402


def option(name, otherwise):
    return type(otherwise)(sys.argv[sys.argv.index(name) + 1]) if name in sys.argv else otherwise


PAIRS, EVALUATIONS, POLICY, TRIALS, STREAMS, PAGES = option("--pairs", 20), option("--evaluations", 1000), option("--policy", "sobol"), 500, 50, 3
MODELS = option("--models", "yes") == "yes"
TICKS = os.sysconf("SC_CLK_TCK")


def make_study(folder):
    evaluate = ["sh", "-c", "echo '{\"f\": 1, \"c\": -1}'"]
    folder.write("run.yaml", problem("run", evaluate, budget=TRIALS + EVALUATIONS, policy=POLICY, more="model: {samples: 1}\n"))
    rows = [f"{(i * 37 % TRIALS) / TRIALS},{i / TRIALS},{(i * 7919 % 1000) / 1000},{(i * 31 % 100) / 100 - 0.6}" for i in range(TRIALS)]
    folder.write("rows.csv", "x,y,f,c\n" + "\n".join(rows) + "\n")
    folder.ckg("import", "run.yaml", "rows.csv", "--quiet", expect=0)
    shutil.move(folder / "run.db", folder / "kept.db")


def processor_time(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


class Readers:
    """Streams that are read, and pages that ask after every event."""

    def __init__(self, server):
        self.server, self.over, self.events, self.asked = server, threading.Event(), 0, 0
        self.news = [threading.Event() for _ in range(PAGES)]
        self.streams = [Events(server, "/api/v1/events?study=1") for _ in range(STREAMS)]
        self.threads = [threading.Thread(target=self.listen), *(threading.Thread(target=self.page, args=(k,)) for k in range(PAGES))]
        for thread in self.threads:
            thread.start()

    def listen(self):
        ready = selectors.DefaultSelector()
        for stream in self.streams:
            stream.socket.setblocking(False)
            ready.register(stream.socket, selectors.EVENT_READ)
        while not self.over.is_set():
            for key, _ in ready.select(0.2):
                self.events += key.fileobj.recv(65536).count(b"event: study")
                for news in self.news:
                    news.set()

    def page(self, k):
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=600)
        revision = TRIALS
        while not self.over.is_set():
            if not self.news[k].wait(0.2):
                continue
            self.news[k].clear()
            for path in ("/api/v1/studies/1/problem", "/api/v1/studies/1", f"/api/v1/studies/1/trials?since={revision}", "/study/1/part/head", "/api/v1/studies/1/times",
                         *(("/api/v1/studies/1/status",) if MODELS and k == 0 else ())):
                connection.request("GET", path)
                answer = connection.getresponse()
                answer.read()
                self.asked += 1
                if "since" in path:
                    revision = int(answer.getheader("Ckg-Revision"))
            self.over.wait(0.3)

    def end(self):
        self.over.set()
        for thread in self.threads:
            thread.join()
        for stream in self.streams:
            stream.socket.close()


def run_once(folder):
    """Of one run: wall time, processor time, time without a processor, all in seconds."""
    begun = time.perf_counter()
    process = subprocess.Popen([PROGRAM, "run", "run.yaml", "--quiet", "--threads", "1"], cwd=folder.path, stdout=subprocess.DEVNULL)
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    wall = time.perf_counter() - begun
    waited = int(pathlib.Path(f"/proc/{process.pid}/schedstat").read_text().split()[1]) / 1e9
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    check(process.returncode == 0, "the run ended with", process.returncode)
    return {"processor": used.ru_utime + used.ru_stime, "without": waited, "wall": wall}


def measure(folder, watched):
    for name in folder.path.glob("run.db*"):
        name.unlink()
    shutil.copy(folder / "kept.db", folder / "run.db")
    if not watched:
        return run_once(folder)
    with Server(folder, "run.yaml") as server:
        wait_for(lambda: [s.get("trials") for s in server.lines("studies")] == [TRIALS])
        readers = Readers(server)
        before, own = processor_time(server.process.pid), time.process_time()
        found = run_once(folder)
        found["server"], found["readers"] = processor_time(server.process.pid) - before, time.process_time() - own
        wait_for(lambda: server.json("studies/1")["trials"] == TRIALS + EVALUATIONS)
        readers.end()
        found["events"], found["asked"] = readers.events / STREAMS, readers.asked
        return found


def main():
    found = {False: [], True: []}
    with Folder() as folder:
        make_study(folder)
        for turn in range(PAIRS):
            for watched in (turn % 2 == 0, turn % 2 == 1):
                found[watched].append(measure(folder, watched))
    print(f"{PAIRS} pairs of runs of {EVALUATIONS} evaluations by `{POLICY}`, load of the machine {os.getloadavg()[0]:.1f}.\n")
    print("| of the run | alone, s | watched, s | ratio of pairs | middle half of the ratios |\n|---|---|---|---|---|")
    for key, words in (("processor", "processor time"), ("without", "ready, without a processor"), ("wall", "wall time")):
        pairs = sorted(b[key] / a[key] for a, b in zip(found[False], found[True]))
        medians = [statistics.median(one[key] for one in found[k]) for k in (False, True)]
        low, high = pairs[len(pairs) // 4], pairs[-1 - len(pairs) // 4]
        print(f"| {words} | {medians[0]:.3f} | {medians[1]:.3f} | {statistics.median(pairs):.3f} | {low:.3f} to {high:.3f} |")
    share = [statistics.median(one[key] / one["wall"] for one in found[True]) for key in ("server", "readers")]
    print(f"\nThe server took {100 * share[0]:.1f} % of a processor meanwhile, the readers' program {100 * share[1]:.1f} %; each stream had {statistics.median(one['events'] for one in found[True]):.0f} "
          f"events of a run, and the pages asked {statistics.median(one['asked'] for one in found[True]):.0f} times.")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""serve_soak.py CKG [--minutes M]: the memory of `ckg serve` while pages are loaded again and again, as a table for bench/results/serve.md.

A study of 10,000 trials and one for each odd name of tests/app/test_names.py. A reload is a page with its files and everything that it asks for, of any of the
studies in turn; of the large study, what needs models is asked for and given up, as by somebody who leaves the page. Trials are added meanwhile."""
import http.client
import pathlib
import re
import socket
import sys
import time
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tests/app"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tests/browser"))
from harness import Folder, check, problem, wait_for  # noqa: E402
from test_names import NAMES  # noqa: E402
from test_pages import named_study  # noqa: E402
from test_serve import Events, Server  # noqa: E402

TRIALS, STREAMS = 10000, 50
MINUTES = float(sys.argv[sys.argv.index("--minutes") + 1]) if "--minutes" in sys.argv else 60
ROWS = 12
FILES = [f"/{path.name}" for path in (pathlib.Path(__file__).resolve().parents[1] / "app/serve/files").glob("*.[jc]s*")]
QUICK = ["studies/{}", "studies/{}/trials", "studies/{}/problem", "studies/{}/times", "studies/{}/trials/4"]
MODELS = ["status", "recommend", "model", "importance", "frontier", "slices", "map"]
PARTS = ["recommendation", "convergence", "importance", "frontier", "maps", "slices", "checks", "trials", "study", "models"]


def large_study(folder):
    folder.write("large.yaml", problem("large", [], budget=2 * TRIALS, policy="sobol"))
    rows = [f"{(i * 37 % 9973) / 9973},{(i * 101 % 9967) / 9967},{(i * 7919 % 10007) / 1000},{(i % 3) - 1}" for i in range(TRIALS)]
    folder.write("large.csv", "x,y,f,c\n" + "\n".join(rows) + "\n")
    folder.ckg("import", "large.yaml", "large.csv", "--quiet", expect=0)


def figures(server):
    """Megabytes in memory now and at most, and open files."""
    text = pathlib.Path(f"/proc/{server.process.pid}/status").read_text()
    kilobytes = [int(re.search(rf"{name}:\s+(\d+)", text)[1]) for name in ("VmRSS", "VmHWM")]
    return [k / 1024 for k in kilobytes], len(list(pathlib.Path(f"/proc/{server.process.pid}/fd").iterdir()))


class Reader:
    """Somebody who loads pages on one connection, and counts."""

    def __init__(self, server):
        self.server, self.answers, self.bytes, self.reloads = server, 0, 0, 0
        self.connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=600)

    def get(self, path, *allowed):
        self.connection.request("GET", path)
        answer = self.connection.getresponse()
        self.bytes += len(answer.read())
        self.answers += 1
        check(answer.status in (200, *allowed), path, "gives", answer.status)

    def leave(self, path):
        """Asks, and is gone a moment later."""
        with socket.create_connection(("127.0.0.1", self.server.port), timeout=600) as s:
            s.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
            time.sleep(0.2)
        self.answers += 1

    def reload(self, study, large):
        turn = self.reloads
        pages = ["/", f"/study/{study}", f"/study/{study}/trial/{turn % 4 + 1}", f"/study/{study}/lab", "/part/studies", f"/study/{study}/part/head"]
        for path in (pages[turn % len(pages)], FILES[turn % len(FILES)], *("/api/v1/" + path.format(study) for path in QUICK)):
            self.get(path)
        if large:
            self.leave(f"/api/v1/studies/{study}/{MODELS[turn % len(MODELS)]}")
        else:
            self.get(f"/api/v1/studies/{study}/{MODELS[turn % len(MODELS)]}", 409)
            self.get(f"/study/{study}/part/{PARTS[turn % len(PARTS)]}", 409)
            at = urllib.parse.quote('{"kind": "other"}')
            self.get(f"/api/v1/studies/{study}/predict?at={at}", 400, 409)
        self.reloads += 1


def row(begun, reader, server):
    (now, most), files = figures(server)
    print(f"| {(time.monotonic() - begun) / 60:.1f} | {reader.reloads:,} | {reader.answers:,} | {reader.bytes / 1e9:.2f} | {now:.1f} | {most:.1f} | {files} |", flush=True)


def soak(folder, server):
    ids = [s["id"] for s in server.lines("studies")]
    large = next(s["id"] for s in server.lines("studies") if s["trials"] >= TRIALS)
    streams = [Events(server) for _ in range(STREAMS)]
    reader, begun, rows = Reader(server), time.monotonic(), 0
    print("| minutes | reloads | answers | GB sent | memory, MB | at most, MB | open files |\n|---|---|---|---|---|---|---|")
    while rows <= ROWS:
        reader.reload(large if reader.reloads % 10 == 0 else ids[reader.reloads % len(ids)], reader.reloads % 10 == 0 or ids[reader.reloads % len(ids)] == large)
        if reader.reloads % 100 == 0:
            folder.ckg("ask", "large.yaml", "--quiet", expect=0)
        if (rows == 0 and reader.reloads == len(ids)) or time.monotonic() - begun >= rows * MINUTES * 60 / ROWS > 0:
            row(begun, reader, server)
            rows += 1
    for stream in streams:
        stream.socket.close()


def main():
    with Folder() as folder:
        large_study(folder)
        for i, name in enumerate(NAMES):
            named_study(folder, name, i)
        with Server(folder, "large.yaml", "--store", "all.db") as server:
            wait_for(lambda: len(server.lines("studies")) == len(NAMES) + 1 and any(s.get("trials") == TRIALS for s in server.lines("studies")))
            soak(folder, server)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""serve_load.py CKG [--trials N] [--seconds S]: `ckg serve` under load, as a table for bench/results/serve.md.

A study of N trials, 50 streams of events, and one client that asks for the last trials again and again; beside it, in the same seconds and in turn, the same
bytes as a file from nginx; then the server's memory over thousands of answers. What a run beside it loses is serve_beside.py's."""
import http.client
import json
import os
import pathlib
import re
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time

PROGRAM = os.path.abspath(sys.argv[1])
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tests/app"))
from harness import Folder, check, problem, wait_for  # noqa: E402
from test_serve import Events, Server  # noqa: E402


def option(name, otherwise):
    return int(sys.argv[sys.argv.index(name) + 1]) if name in sys.argv else otherwise


TRIALS, SECONDS, STREAMS = option("--trials", 10000), option("--seconds", 20), 50
NGINX = """pid nginx.pid; error_log error.log; worker_processes 1; daemon off; user %s;
events { worker_connections 200; }
http { access_log off; keepalive_requests 1000000; default_type application/json;
 client_body_temp_path t; proxy_temp_path t; fastcgi_temp_path t; uwsgi_temp_path t; scgi_temp_path t;
 server { listen 127.0.0.1:%d; root %s; } }
"""


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def big_study(folder):
    folder.write("big.yaml", problem("big", [], budget=TRIALS + 100, policy="sobol"))
    rows = [f"{(i * 37 % TRIALS) / TRIALS},{i / TRIALS},{(i * 7919 % 1000) / 1000},{(i * 31 % 100) / 100 - 0.6}" for i in range(TRIALS)]
    folder.write("big.csv", "x,y,f,c\n" + "\n".join(rows) + "\n")
    folder.ckg("import", "big.yaml", "big.csv", "--quiet", expect=0)


def memory(server):
    text = pathlib.Path(f"/proc/{server.process.pid}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+)", text)[1]) / 1024


def timed(connection, path):
    begun = time.perf_counter()
    connection.request("GET", path)
    length = len(connection.getresponse().read())
    return (time.perf_counter() - begun) * 1e3, length


def quantiles(times):
    times = sorted(times)
    return statistics.median(times), times[int(0.99 * (len(times) - 1))]


def compare(server, folder, path, name):
    """Milliseconds of an answer from the server and from nginx, turn by turn."""
    ours = http.client.HTTPConnection("127.0.0.1", server.port, timeout=600)
    _, length = timed(ours, path)
    ours.request("GET", path)
    (folder / "file").write_bytes(ours.getresponse().read())
    port = free_port()
    folder.write("nginx.conf", NGINX % (os.environ.get("USER") or "root", port, folder.path))
    nginx = subprocess.Popen([shutil.which("nginx", path=os.environ["PATH"] + ":/usr/sbin"), "-p", str(folder.path), "-c", str(folder / "nginx.conf")], stderr=subprocess.DEVNULL)
    try:
        wait_for(lambda: not socket.socket().connect_ex(("127.0.0.1", port)))
        theirs = http.client.HTTPConnection("127.0.0.1", port, timeout=600)
        check(timed(theirs, "/file")[1] == length, "another file")
        times, until = ([], []), time.monotonic() + SECONDS
        while time.monotonic() < until:
            times[0].append(timed(ours, path)[0])
            times[1].append(timed(theirs, "/file")[0])
    finally:
        nginx.terminate()
        nginx.wait()
    (median, worst), (nginx_median, nginx_worst) = quantiles(times[0]), quantiles(times[1])
    print(f"| {name} | {length:,} | {len(times[0])} | {median:.2f} | {worst:.2f} | {nginx_median:.2f} | {nginx_worst:.2f} | {worst / nginx_worst:.1f} |", flush=True)


def main():
    with Folder() as folder:
        big_study(folder)
        with Server(folder, "big.yaml") as server:
            wait_for(lambda: [s.get("trials") for s in server.lines("studies")] == [TRIALS])
            streams = [Events(server) for _ in range(STREAMS)]
            for stream in streams:
                stream.next()
            print("| answer | bytes | times | ckg median, ms | p99, ms | nginx median, ms | p99, ms | p99 to p99 |\n|---|---|---|---|---|---|---|---|")
            revision = server.json("studies/1")["revision"]
            compare(server, folder, "/api/v1/studies/1", "one study at a glance")
            compare(server, folder, f"/api/v1/studies/1/trials?since={revision - 1}", f"the trials of the last change ({TRIALS:,}, imported at once)")

            # What changes is told to all of them while they look.
            first = memory(server)
            connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=600)
            for i in range(2000):
                timed(connection, ("/api/v1/studies/1", "/api/v1/studies/1/trials", "/study/1", "/", "/study/1/part/head")[i % 5])
                if i % 400 == 0:
                    folder.ckg("ask", "big.yaml", "--quiet", expect=0)
                if i == 400:
                    first = memory(server)
            print(f"\nMemory: {first:.1f} MB after 400 answers, {memory(server):.1f} MB after 2,000, 400 of them with all trials.")


if __name__ == "__main__":
    main()

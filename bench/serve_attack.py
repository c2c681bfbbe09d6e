#!/usr/bin/env python3
"""serve_attack.py CKG: what somebody may try against `ckg serve --steer`, and what comes of it, as a table for docs/serve-attacks.md.

Every try is made against one server, which must answer a proper request after each of them; in the end nothing may have changed in the study, nothing may
stand on standard error, where a build with sanitizers would complain, and the server must end well."""
import http.client
import json
import pathlib
import resource
import socket
import sys
import time

PROGRAM = pathlib.Path(sys.argv[1]).resolve()
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tests/app"))
from harness import Folder, check, problem, wait_for  # noqa: E402
from test_serve import ATTACKS, everything  # noqa: E402
from test_steer import Desk  # noqa: E402

CONNECTIONS = 10000
HIDDEN = b"GET /nope HTTP/1.1\r\nHost: localhost\r\n\r\n"


def statuses(answer):
    return " ".join(part[:3].decode() for part in answer.split(b"HTTP/1.1 ")[1:]) or "closed without a word"


def rows_of_heads(server):
    for name, (data, status) in ATTACKS.items():
        got = server.raw(data.replace(b"localhost\r\n\r\n", b"localhost\r\nConnection: close\r\n\r\n"))
        expected = 401 if name == "POST" else status  # a server that takes changes asks for the token
        yield name, statuses(got), got.startswith(b"HTTP/1.1 %d " % expected)


def rows_of_changes(server):
    """Who may not change anything, and what cannot be said."""
    path, body, kind = "/api/v1/studies/1/tell", '{"trial": 1, "values": {"f": 1}}', {"Content-Type": "application/json"}
    good = {"Authorization": "Bearer " + server.token}
    cookie = {"Cookie": server.ask("/?token=" + server.token).getheader("Set-Cookie").split(";")[0]}
    ours = {"Origin": f"http://127.0.0.1:{server.port}", "Ckg-Steer": "1"}
    form = {"Content-Type": "text/plain", "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}
    tries = {
        "a change without a token": (body, kind, 401),
        "with a token that is wrong in its last letter": (body, {**kind, "Authorization": "Bearer " + server.token[:-1] + "x"}, 401),
        "with the token in the address": (body, kind, 401),
        "a wrong token beside the right cookie": (body, {**kind, **cookie, **ours, "Authorization": "Bearer x"}, 401),
        "the cookie, from a script of another site": (body, {**kind, **cookie, **ours, "Origin": "http://evil.example"}, 403),
        "the cookie, from another port of this machine": (body, {**kind, **cookie, **ours, "Origin": "http://127.0.0.1:1"}, 403),
        "the cookie, from a page in a file": (body, {**kind, **cookie, **ours, "Origin": "null"}, 403),
        "a form of another site, with the cookie": (body, {**cookie, **form, "Origin": "http://evil.example"}, 403),
        "the same by a browser that sends no origin": (body, {**cookie, **form}, 403),
        "a form of our own machine's other page": (body, {**cookie, **form, "Sec-Fetch-Site": "same-site"}, 403),
        "the cookie without our field": (body, {**kind, **cookie, "Origin": ours["Origin"]}, 403),
        "the right token for a name that was bent": (body, {**kind, **good, "Host": "evil.example"}, 421),
        "a form with the right token": (body, {**good, "Content-Type": "application/x-www-form-urlencoded"}, 415),
        "a body of 65,537 bytes": (" " * 65537, {**kind, **good}, 413),
        "a body of 60,000 brackets": ("[" * 60000, {**kind, **good}, 400),
        "an object 8,000 deep": ('{"trial": 1, "values": ' + '{"f": ' * 8000 + "1" + "}" * 8001, {**kind, **good}, 400),
        "NaN": ('{"trial": 1, "values": {"f": NaN}}', {**kind, **good}, 400),
        "a number beyond all": ('{"trial": 1, "values": {"f": 1e999}}', {**kind, **good}, 400),
        "a negative standard deviation": ('{"trial": 1, "values": {"f": [1, -1]}}', {**kind, **good}, 400),
        "trial -1": ('{"trial": -1, "values": {"f": 1}}', {**kind, **good}, 400),
        "trial 1 twice in one object": ('{"trial": 1, "trial": 1, "values": {"f": 1}}', {**kind, **good}, 400),
        "an outcome called __proto__": ('{"trial": 1, "values": {"__proto__": 1}}', {**kind, **good}, 400),
        "a zero byte in a text": ('{"trial": 1, "failed": "a\\u0000b"}', {**kind, **good}, 400),
        "bytes that are no UTF-8": (b'{"trial": 1, "failed": "\xff"}', {**kind, **good}, 400),
        "half a surrogate": ('{"trial": 1, "failed": "\\ud800"}', {**kind, **good}, 400),
    }
    for name, (text, fields, status) in tries.items():
        answer = server.send(path + ("?token=" + server.token if "address" in name else ""), text, fields)
        yield name, str(answer.status), answer.status == status


def rows_of_bodies(server):
    """Bodies that do not come as they were announced."""
    head = f"POST /api/v1/studies/1/tell HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAuthorization: Bearer {server.token}\r\n".encode()
    for name, data, status in (("a length and nothing behind it, then the end", b"Content-Length: 50\r\n\r\n{", 0), ("two lengths", b"Content-Length: 2\r\nContent-Length: 40\r\n\r\n{}", 400),
                               ("a length and chunks", b"Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}", 501), ("a length with a sign", b"Content-Length: +2\r\n\r\n{}", 400),
                               ("a length of 20 digits", b"Content-Length: 99999999999999999999\r\n\r\n", 413),
                               ("a second request in the body", b"Content-Length: %d\r\n\r\n%s" % (len(HIDDEN), HIDDEN), 400)):
        got = server.raw(head + data, half=not status)
        yield name, statuses(got), got.startswith(b"HTTP/1.1 %d " % status) and got.count(b"HTTP/1.1 ") == 1 if status else not got


def connect(server):
    return socket.create_connection(("127.0.0.1", server.port), timeout=60)


def row_of_crowd(server):
    """Ten thousand at once, silent or in the middle of a request; somebody asks properly all the while."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    most = min(CONNECTIONS, hard - 200)
    crowd, slowest, answered = [], 0.0, 0
    for i in range(most):
        s = connect(server)
        s.sendall(b"GET / HTTP/1.1\r\nX: " if i % 2 else b"")
        crowd.append(s)
        if i % 100 == 0:
            begun = time.monotonic()
            answered += server.ask("/api/v1/studies").status == 200
            slowest = max(slowest, time.monotonic() - begun)
    for s in crowd:
        s.close()
    return f"{most:,} connections, each silent or with half a request", f"{answered} of {(most + 99) // 100} proper requests beside them answered, the slowest in {slowest:.2f} s", answered == (most + 99) // 100


def row_of_slowness(server):
    """A byte a second, of heads and of bodies, from as many as there are places."""
    head = f"POST /api/v1/studies/1/tell HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAuthorization: Bearer {server.token}\r\nContent-Length: 60000\r\n\r\n".encode()
    slow = [connect(server) for _ in range(250)]
    for i, s in enumerate(slow):
        s.sendall(head if i % 2 else b"GET / HTTP/1.1\r\nX: ")
    begun, answered, asked = time.monotonic(), 0, 0
    while slow and time.monotonic() - begun < 60:
        for s in list(slow):
            try:
                s.setblocking(False)
                if not s.recv(4096):
                    raise OSError
                slow.remove(s)
            except BlockingIOError:
                try:
                    s.send(b" ")
                except OSError:
                    slow.remove(s)
            except OSError:
                slow.remove(s)
        asked += 1
        answered += server.ask("/api/v1/studies").status == 200
        time.sleep(1)
    return "slowloris: 250 heads and bodies, a byte a second each", f"all let go after {time.monotonic() - begun:.0f} s; {answered} of {asked} proper requests meanwhile answered", not slow and answered == asked


def row_of_guesses(server):
    """Tokens guessed one behind the other."""
    connection, refused = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60), 0
    for i in range(2000):
        connection.request("GET", "/api/v1/server", headers={"Authorization": f"Bearer {i:032x}"})
        refused += json.loads(connection.getresponse().read()).get("steer") is False
    return "2,000 guesses of the token", f"{refused} were wrong", refused == 2000


def memory(server):
    for line in pathlib.Path(f"/proc/{server.process.pid}/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) // 1024
    return 0


def main():
    with Folder() as folder:
        folder.write("a.yaml", problem("a", [], policy="sobol"))
        folder.ckg("ask", "a.yaml", expect=0)
        before = folder.ckg("export", "a.yaml", expect=0).out
        with Desk(folder, "a.yaml") as server:
            wait_for(lambda: server.lines("studies"))
            print("| try | what comes back | as it should be |\n|---|---|---|")
            good = True
            for rows in (rows_of_heads, rows_of_changes, rows_of_bodies):
                for name, result, expected in rows(server):
                    good &= expected and server.ask("/api/v1/studies").status == 200
                    print(f"| {name} | {result} | {'yes' if expected else 'NO'} |", flush=True)
            first = memory(server)
            for row in (row_of_guesses, row_of_crowd, row_of_slowness):
                name, result, expected = row(server)
                good &= expected
                print(f"| {name} | {result} | {'yes' if expected else 'NO'} |", flush=True)
            print(f"\nThe server's memory: {first} MB before the last three, {memory(server)} MB after them.")
        check(folder.ckg("export", "a.yaml", expect=0).out == before, "the study has changed")
        print("The study is what it was, standard error is empty, and the server ended well.")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())

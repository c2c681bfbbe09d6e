#!/usr/bin/env python3
"""test_serve.py CKG: `ckg serve` on a free port: every address, the same shapes as --json, live pages, odd names as text, who gets in and who does not,
what clients may try, a run beside it that is not held up, and its end."""
import html.parser
import http.client
import json
import os
import pathlib
import signal
import socket
import sys
import threading
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import harness
from harness import Folder, Skip, check, main, once_there, problem, read_until, wait_for
from test_names import NAMES

EVALUATE = ["python3", "-c", "import json, sys; p = json.load(sys.stdin); print(json.dumps({'f': (p['x'] - .3) ** 2 + p['y'], 'c': .4 - p['x']}))"]
SECTIONS = ["recommendation", "convergence", "importance", "frontier", "maps", "slices", "checks", "trials", "study", "models"]
LIGHTLY = "model: {samples: 1}\n"


class Server:
    """`ckg serve` with these words; ended by SIGTERM, which must leave nothing to complain about."""

    def __init__(self, folder, *words, listen="127.0.0.1:0"):
        self.process = folder.start("serve", *words, "--listen", listen)
        line = read_until(self.process.stdout, b"\n").decode()
        if "without libevent" in line or not line:
            err = self.process.communicate()[1].decode()
            if "without libevent" in err:
                raise Skip(err)
            raise AssertionError(err)
        address = line.split("http://")[1].split(",")[0]
        self.port = int(address.split(":")[1].split("/")[0])
        self.token = address.split("token=")[1] if "token=" in address else None

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGCONT)
            self.process.send_signal(signal.SIGTERM)
        _, err = self.process.communicate(timeout=harness.PATIENCE)
        if not kind:
            check(self.process.returncode == 0 and not err, "the server ended with", self.process.returncode, err)

    def ask(self, path, method="GET", **fields):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=harness.PATIENCE)
        connection.request(method, path, headers={k.replace("_", "-"): v for k, v in fields.items()})
        answer = connection.getresponse()
        answer.body = answer.read()
        connection.close()
        return answer

    def text(self, path):
        answer = self.ask(path)
        check(answer.status == 200, path, "gives", answer.status, answer.body[:300])
        return answer.body.decode()

    def json(self, path):
        return json.loads(self.text("/api/v1/" + path))

    def lines(self, path):
        return [json.loads(line) for line in self.text("/api/v1/" + path).splitlines()]

    def raw(self, data, **how):
        """What comes back for these bytes, to the end of the connection."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=harness.PATIENCE) as s:
            try:
                s.sendall(data)
                if how.get("half"):
                    s.shutdown(socket.SHUT_WR)
            except OSError:
                pass
            return everything(s)


def everything(s):
    got = b""
    try:
        while block := s.recv(65536):
            got += block
    except OSError:
        pass
    return got


class Events:
    """A stream of events, read line by line."""

    def __init__(self, server, path="/api/v1/events", **fields):
        self.socket = socket.create_connection(("127.0.0.1", server.port), timeout=harness.PATIENCE)
        head = "".join(f"{k.replace('_', '-')}: {v}\r\n" for k, v in fields.items())
        self.socket.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n{head}\r\n".encode())
        self.file = self.socket.makefile("rb")
        self.head = self.file.readline().decode()
        while self.file.readline() not in (b"\r\n", b""):
            pass
        self.id = None

    def next(self, kind="study"):
        """The data of the next event of that kind."""
        event, data = None, None
        while line := self.file.readline().decode():
            line = line.rstrip("\n")
            if line.startswith("event: "):
                event = line[7:]
            elif line.startswith("data: "):
                data = line[6:]
            elif line.startswith("id: "):
                self.id = line[4:]
            elif not line and event == kind:
                return json.loads(data)
        raise AssertionError("the stream has ended")


def finished_study(folder, name="spring", budget=8):
    folder.write(f"{name}.yaml", problem(name, EVALUATE, budget=budget, more=LIGHTLY))
    folder.ckg("run", f"{name}.yaml", "--quiet", expect=0)
    return f"{name}.yaml"


# --- addresses and shapes ---


def test_same_as_json():
    """What programs get is what --json prints."""
    with Folder() as folder:
        study = finished_study(folder)
        design = {"x": 0.5, "y": 0.25}
        folder.write("at.json", json.dumps(design))

        def printed(*words):
            return [json.loads(line) for line in folder.ckg(*words, "--json", expect=0).out.splitlines()]

        with Server(folder, study) as server:
            wait_for(lambda: server.lines("studies"))
            check(server.lines("studies/1/trials") == printed("trials", study), "the trials differ")
            check([server.json("studies/1/trials/3")] == printed("trials", study, "3"), "a trial differs")
            for name in ("status", "recommend", "model", "importance"):
                check([server.json("studies/1/" + name)] == printed(name, study), name, "differs")
            at = urllib.parse.quote(json.dumps(design))
            check([server.json("studies/1/predict?at=" + at)] == printed("predict", study, "--at", "at.json"), "a prediction differs")
            frontier = server.lines("studies/1/frontier")
            shape = set(server.json("studies/1/recommend"))
            check(len(frontier) == 8 and all(f["recommendation"] is None or set(f["recommendation"]) == shape for f in frontier), "another frontier:", frontier)

            summary = server.json("studies/1")
            check([summary] == server.lines("studies"), "the summaries differ")
            steps, values = summary["improvements"], {t["trial"]: t["values"]["f"] for t in printed("trials", study) if t["feasible"]}
            check(steps[-1] == list(summary["best_feasible"].values()) and all(min(v for n, v in values.items() if n <= t) == f == values[t] for t, f in steps), steps)
            check(summary["study"] == "spring" and summary["complete"] == 8 and summary["state"] == "done", summary)
            revision = summary["revision"]
            check(server.lines(f"studies/1/trials?since={revision}") == [], "something is newer than the newest")
            newer = server.lines(f"studies/1/trials?since={revision - 1}")
            check([t["trial"] for t in newer] == [8], "since another trial:", newer)
            check(server.ask("/api/v1/studies/1/trials").getheader("Ckg-Revision") == str(revision), "another revision")


def test_costs():
    """Where outcomes have costs, the budget is one of costs: what is spent of it is what counts."""
    with Folder() as folder:
        text = problem("costs", ["sh", "-c", "echo '{\"f\": 1, \"c\": -1}'"], budget=12, policy="sobol", more=LIGHTLY)
        folder.write("costs.yaml", text.replace("{name: f, noise: none}", "{name: f, noise: none, cost: 1}").replace("{max: 0, noise: none}", "{max: 0, noise: none, cost: 4}"))
        folder.ckg("run", "costs.yaml", "--quiet", expect=0)
        with Server(folder, "costs.yaml") as server:
            wait_for(lambda: server.lines("studies"))
            summary, status = server.json("studies/1"), folder.status("costs.yaml")
            check(summary["state"] == "done" and summary["spent"] == status["spent"] > summary["evaluations"], summary, status)
            check(f", {summary['spent']} of 12 spent:" in server.text("/study/1/part/head"), server.text("/study/1/part/head"))


def test_addresses():
    """Every page and every address of the OpenAPI file answers; everything else is not there."""
    with Folder() as folder:
        study = finished_study(folder)
        folder.write("empty.yaml", problem("empty", EVALUATE))
        with Server(folder, study, "empty.yaml") as server:
            check(len(server.lines("studies")) == 2, "a study is missing when it says that it serves:", server.lines("studies"))
            paths = ["/", "/study/1", "/study/1/trial/2", "/study/1/lab", "/study/1/part/head", "/style.css", "/live.js", "/api/v1/openapi.json",
                     *(f"/study/{i}/part/{s}" for i in (1, 2) for s in SECTIONS), "/study/2", "/study/2/report", "/study/1/report"]
            for path in paths:
                answer = server.ask(path)
                check(answer.status == 200 and answer.body, path, "gives", answer.status, answer.body[:200])
                policy = answer.getheader("Content-Security-Policy")
                check("default-src 'none'" in policy and "script-src 'unsafe" not in policy, path, policy)
                check(answer.getheader("X-Content-Type-Options") == "nosniff" and answer.getheader("Referrer-Policy") == "no-referrer", path)
                check(b"<script>" not in answer.body and b" onload=" not in answer.body and b"style=" not in answer.body, "something inline in", path)
                silent = server.ask(path, "HEAD")
                check(silent.status == 200 and not silent.body and silent.getheader("Content-Length") == str(len(answer.body)), "HEAD", path)
            page = server.text("/")
            check("<main" in page and "<header" in page and "<footer" in page and "<noscript" in page, "the page lacks something")
            check(all(server.text(path) == page for path in ("/study/1", "/study/2", "/study/1/lab", "/study/1/trial/2")), "a page has something of a study in it")
            check(all(f'<section id="{s}"' in server.text(f"/study/1/part/{s}") for s in SECTIONS), "a part is no section")
            written = folder.ckg("report", study, "-o", "report.html", expect=0) and (folder / "report.html").read_text()
            check(server.text("/study/1/report") == written, "the report differs from the command's")

            files = [*(pathlib.Path(__file__).resolve().parents[2] / "app/serve/files").glob("*.*")]
            check(sum(len(server.text(f"/{file.name}")) for file in files) < 150000 and len(files) > 10, "what the pages need is too much")
            described = server.json("openapi.json")["paths"]
            for path in (path for path, how in described.items() if "get" in how):
                real = path.replace("{study}", "1").replace("{trial}", "1")
                asked = {"predict": "?at=%7B%22x%22:0,%22y%22:0%7D", "figure": "?of=%7B%22kind%22:%22convergence%22%7D"}
                if not path.endswith("/events"):
                    answer = server.ask(real + asked.get(path.split("/")[-1], ""))
                    check(answer.status == 200, real, "gives", answer.status, answer.body)
            for path in ("/api/v1/studies/3", "/api/v1/studies/0", "/api/v1/studies/01", "/api/v1/studies/1/nope", "/api/v1/studies/1/trials/9", "/api/v1",
                         "/api/v1/studies/1/trials/3/4", "/api/v2/studies", "/study/1/part/nope", "/study/3", "/study/99999999999", "/study/1/trial/0", "/study/1/trial/9", "/nope", "/study"):
                check(server.ask(path).status == 404, path, "is there")
            check(server.ask("/api/v1/studies/2/recommend").status == 409, "a recommendation of nothing")
            for path in ("/api/v1/studies/{}", "/api/v1/studies/{}/trials", "/study/{}", "/study/{}/trial/2"):
                check(server.text(path.format("spring")) == server.text(path.format(1)) == server.text(path.format("%73pring")), path, "differs by name")
            check(Events(server, "/api/v1/events?study=spring").next()["id"] == 1, "the events of another study")
            for wrong, status in (("abc", 404), ("3", 404), ("", 404), ("spring2", 404), ("%zz", 400)):
                answer = server.ask("/api/v1/events?study=" + wrong)
                check(answer.status == status and "error" in json.loads(answer.body), "events of", wrong, "give", answer.status)
            for wrong in ("since=x", "since=-1", "since="):
                check(server.ask("/api/v1/studies/1/trials?" + wrong).status == 400, wrong)
            for wrong in ("", "?at=3", "?at={}", "?at=%7B%22x%22:7,%22y%22:0%7D", "?at=%zz"):
                check(server.ask("/api/v1/studies/1/predict" + wrong).status == 400, "predict", wrong)


def test_same_name():
    """A name that two studies have names neither of them."""
    with Folder() as folder:
        for name in ("a", "b"):
            folder.write(f"{name}.yaml", problem("same", EVALUATE))
        with Server(folder, "a.yaml", "b.yaml") as server:
            check([server.ask("/study/" + word).status for word in ("same", "1", "2")] == [404, 200, 200], "one of two")


def test_figures():
    """The figures that pages draw: without constraints a frontier where evaluations have failed, and each outcome against its predictions, also of more than reports have room for."""
    def kind(server, study, **more):
        return server.ask(f"/api/v1/studies/{study}/figure?of=" + urllib.parse.quote(json.dumps(more)))

    with Folder() as folder:
        names = [f"c{i}" for i in range(12)]
        many = problem("many", [], policy="sobol", budget=20, more=LIGHTLY).replace("  c: {max: 0, noise: none}", "\n".join(f"  {name}: {{max: 0, noise: none}}" for name in names))
        free = problem("free", [], policy="sobol", budget=20, more=LIGHTLY).replace("constraints:\n  c: {max: 0, noise: none}\n", "")
        for name, text, outcomes in (("many", many, ["f", *names]), ("free", free, ["f"])):
            folder.write(f"{name}.yaml", text)
            folder.ckg("ask", f"{name}.yaml", "-n", "6", expect=0)
            for trial in range(1, 6):
                folder.ckg("tell", f"{name}.yaml", str(trial), *(f"{o}={trial * (i + 2) % 5 - 3}" for i, o in enumerate(outcomes)), expect=0)
        with Server(folder, "many.yaml", "free.yaml") as server:
            for name in ("f", *names):
                answer = kind(server, 1, kind="residuals", outcome=name)
                panels = json.loads(answer.body)["figure"]["panels"]
                check(answer.status == 200 and len(panels) == 1 and panels[0]["title"] == name, name, answer.body[:300])
            check(kind(server, 2, kind="frontier").status == 409, "what safety costs where nothing can fail")
            folder.ckg("tell", "free.yaml", "6", "--failed", "it broke", expect=0)
            wait_for(lambda: kind(server, 2, kind="frontier").status == 200)


# --- live ---


def test_live():
    """A run beside the server: every change is told on the streams, which go on where they ended; new studies of a store come by themselves."""
    script = once_there("go", "rm go; echo '{\"f\": 1, \"c\": -1}'")
    with Folder() as folder:
        folder.write("slow.yaml", problem("slow", ["sh", "-c", script], budget=3))
        folder.write("other.yaml", problem("other", []))
        folder.ckg("ask", "other.yaml", "--store", "all.db", expect=0)
        with Server(folder, "slow.yaml", "--store", "all.db") as server:
            wait_for(lambda: len(server.lines("studies")) == 2)
            events = Events(server, "/api/v1/events?study=1")
            check(events.next()["trials"] == 0, "it begins with how it stands")
            run = folder.start("run", "slow.yaml", "--quiet")
            for done in range(3):
                while server.json("studies/1").get("complete") != done or not server.json("studies/1")["running"]:
                    events.next()
                (folder / "go").touch()
            while server.json("studies/1")["complete"] != 3:
                events.next()
            check(run.wait(timeout=harness.PATIENCE) == 0, "the run failed")
            events.next("seen")
            check("3 of 3 evaluations" in server.text("/study/1/part/head"), "the page is out of date")

            # Whoever comes back hears of what happened meanwhile, and of nothing else.
            again = Events(server, Last_Event_ID=events.id)
            folder.ckg("ask", "other.yaml", "--store", "all.db", expect=0)
            check(again.next() == {"id": 2, "revision": 2, "trials": 2}, "other news")
            check(Events(server, Last_Event_ID="1-5").next()["id"] == 1, "an id of another server")

            # Studies that come later, trials that are taken back, a definition that changes.
            folder.write("third.yaml", problem("third", []))
            folder.ckg("ask", "third.yaml", "--store", "all.db", expect=0)
            wait_for(lambda: len(server.lines("studies")) == 3)
            folder.ckg("tell", "other.yaml", "--store", "all.db", "1", "f=1", "c=0", expect=0)
            wait_for(lambda: server.json("studies/2")["complete"] == 1)
            folder.ckg("undo", "other.yaml", "--store", "all.db", expect=0)
            wait_for(lambda: server.json("studies/2")["complete"] == 0)
            folder.write("slow.yaml", problem("slow", ["true"], budget=3, more="stop: {gain: 1}\n").replace("budget: 3", "budget: 5"))
            folder.ckg("ask", "slow.yaml", expect=0)
            wait_for(lambda: server.json("studies/1")["budget"] == 5)


def test_store_gone():
    """A store that is damaged or gone is said on the pages, and the server goes on."""
    with Folder() as folder:
        folder.write("a.yaml", problem("a", []))
        folder.ckg("ask", "a.yaml", expect=0)
        with Server(folder, "a.yaml") as server:
            wait_for(lambda: server.lines("studies"))
            kept = {p.name: p.read_bytes() for p in folder.path.glob("a.db*")}
            folder.write("a.yaml", "name: [")
            (folder / "a.db").write_bytes(b"no database" * 1000)
            wait_for(lambda: server.json("studies/1")["trouble"])
            check(len(server.lines("studies/1/trials")) == 1 and server.ask("/study/1").status == 200, "what was known is lost")
            folder.write("a.yaml", problem("a", []))
            for name, data in kept.items():
                (folder / name).write_bytes(data)
            wait_for(lambda: server.json("studies/1")["trouble"] is None)


# --- odd names ---


class Skeleton(html.parser.HTMLParser):
    """Tags and attributes' names of a page."""

    def __init__(self, text):
        super().__init__()
        self.tags = []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, *sorted(k for k, _ in attributes)))

    def handle_endtag(self, tag):
        self.tags.append("/" + tag)


def test_names():
    """Each odd name everywhere at once: pages, and parts of them, have the same elements as those of a plain one."""
    with Folder() as folder:
        names = ["plain", *NAMES[:: harness.scale(1, 8)]]
        for i, name in enumerate(names):
            definition = {"name": name, "goal": "minimize", "budget": 9, "policy": "sobol", "seed": 1, "objective": {"name": (name + " o")[-200:]}, "constraints": {(name + " c")[-200:]: {"max": 0}},
                          "parameters": {(name + " p")[-200:]: {"type": "real", "low": 0, "high": 1}, "kind": {"type": "categorical", "values": [name, "other"]}}}
            folder.write("problem.json", json.dumps(definition))
            folder.ckg("ask", "problem.json", "--store", "names.db", expect=0)
            folder.ckg("tell", "problem.json", "--store", "names.db", "1", "--failed", name if name.strip(" \ufeff\u00a0") else "why", expect=0)
        with Server(folder, "names.db") as server:
            wait_for(lambda: len(server.lines("studies")) == len(names))
            ids = {s["study"]: s["id"] for s in server.lines("studies")}
            check(set(ids) == set(names), "other names:", set(names) ^ set(ids))
            def tags(path, name):
                return Skeleton(server.text(f"/study/{ids[name]}{path}")).tags

            for path in ("", "/trial/1", "/part/head", "/part/trials", "/part/study"):
                plain = tags(path, "plain")
                for name in names:
                    check(tags(path, name) == plain, path, "has other elements for", repr(name))


# --- who gets in ---


def test_gate():
    with Folder() as folder:
        folder.write("a.yaml", problem("a", []))
        folder.ckg("ask", "a.yaml", expect=0)
        with Server(folder, "a.yaml", "--host", "lab.example") as server:
            check(server.token is None, "a token on the loopback")
            hosts = {"localhost": 200, f"localhost:{server.port}": 200, "127.0.0.1": 200, "[::1]:8080": 200, "lab.example": 200, "LAB.example:443": 200,
                     "evil.example": 421, f"evil.example:{server.port}": 421, "localhost.evil.example": 421, "127.0.0.1.evil.example": 421, "192.0.2.7": 421,
                     "localhost:x": 400, "[::1": 400, "a@localhost": 421, "x" * 70: 400}
            for host, status in hosts.items():
                check(server.ask("/", Host=host).status == status, host, "gives", server.ask("/", Host=host).status)
            for origin, status in {"http://localhost": 200, "https://localhost": 200, "http://evil.example": 403, "null": 403, "http://localhost:1": 403,
                                   "file://localhost": 403}.items():
                check(server.ask("/api/v1/studies", Host="localhost", Origin=origin).status == status, origin)
            check(server.ask("/api/v1/studies", Sec_Fetch_Site="cross-site", Sec_Fetch_Mode="no-cors").status == 403, "another site's page reads")
            check(server.ask("/", Sec_Fetch_Site="cross-site", Sec_Fetch_Mode="navigate").status == 200, "a link from another site does not work")
            check(server.ask("/", Sec_Fetch_Site="same-origin").status == 200, "our own page")

        with Server(folder, "a.yaml", listen="0.0.0.0:0") as server:
            check(len(server.token) == 32, "a token:", server.token)
            good = {"Authorization": "Bearer " + server.token}
            check(server.ask("/", **good).status == 200 and server.ask("/", Host="192.0.2.7", **good).status == 200, "the token is not enough")
            check(server.ask("/", Host="evil.example", **good).status == 421, "a name that was bent")
            for wrong in ("", "Bearer ", "Bearer x", "Bearer " + server.token[:-1], "Bearer " + server.token + "0", "Basic " + server.token):
                check(server.ask("/api/v1/studies", Authorization=wrong).status == 401, wrong)
            for path in ("/", "/study/1", "/style.css", "/api/v1/events", "/?token=", "/?token=" + server.token[1:], "/nope"):
                check(server.ask(path).status == 401, path, "is open")
            came = server.ask("/study/1?token=" + server.token)
            cookie = came.getheader("Set-Cookie")
            check(came.status == 303 and came.getheader("Location") == "/study/1" and "HttpOnly" in cookie and "SameSite=Strict" in cookie, cookie)
            check(server.ask("/", Cookie="a=b; " + cookie.split(";")[0]).status == 200, "the cookie does not open")
            check(server.ask("/", Cookie=cookie.split("=")[0] + "=x").status == 401, "any cookie opens")
            check(server.ask("//evil.example?token=" + server.token).getheader("Location") == "/", "led elsewhere")

        folder.write("token", "correct-horse-battery\n")
        with Server(folder, "a.yaml", "--token-file", "token") as server:
            check(server.ask("/").status == 401 and server.ask("/", Authorization="Bearer correct-horse-battery").status == 200, "the file's token")
        for text in ("short\n", "with blanks in between\n", ""):
            folder.write("token", text)
            folder.ckg("serve", "a.yaml", "--token-file", "token", expect=2).one_line("token")


# --- what clients may try ---

GOOD = b"GET /api/v1/studies HTTP/1.1\r\nHost: localhost\r\n"

ATTACKS = {
    "no request": (b"\r\n\r\n", 400),
    "rubbish": (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", 400),
    "a zero byte": (b"GET /\0 HTTP/1.1\r\nHost: localhost\r\n\r\n", 400),
    "no version": (b"GET /\r\nHost: localhost\r\n\r\n", 400),
    "another version": (b"GET / HTTP/2.0\r\nHost: localhost\r\n\r\n", 505),
    "no host": (b"GET / HTTP/1.1\r\n\r\n", 400),
    "two hosts": (GOOD + b"Host: evil.example\r\n\r\n", 400),
    "a blank before the colon": (GOOD + b"Origin : http://evil.example\r\n\r\n", 400),
    "a folded field": (GOOD + b"X: a\r\n b\r\n\r\n", 400),
    "a bare line feed": (GOOD + b"X: a\nY: b\r\n\r\n", 400),
    "a bare carriage return": (GOOD + b"X: a\rY: b\r\n\r\n", 400),
    "a field without a colon": (GOOD + b"nonsense\r\n\r\n", 400),
    "an absolute address": (b"GET http://evil.example/ HTTP/1.1\r\nHost: localhost\r\n\r\n", 400),
    "a proxy's request": (b"CONNECT evil.example:443 HTTP/1.1\r\nHost: localhost\r\n\r\n", 405),
    "POST without a length": (b"POST /api/v1/studies HTTP/1.1\r\nHost: localhost\r\n\r\n", 411),
    "POST": (b"POST /api/v1/studies HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}", 403),
    "DELETE": (b"DELETE /api/v1/studies/1 HTTP/1.1\r\nHost: localhost\r\n\r\n", 405),
    "PUT with a body": (b"PUT /study/1 HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n\r\nabc", 413),
    "TRACE": (b"TRACE / HTTP/1.1\r\nHost: localhost\r\n\r\n", 405),
    "GET with a body": (GOOD + b"Content-Length: 40\r\n\r\nGET /nope HTTP/1.1\r\nHost: localhost\r\n\r\n", 413),
    "a negative length": (GOOD + b"Content-Length: -1\r\n\r\n", 400),
    "two lengths": (GOOD + b"Content-Length: 0\r\nContent-Length: 9\r\n\r\n", 400),
    "chunks": (GOOD + b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 501),
    "bad chunks": (GOOD + b"Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\nx", 501),
    "hidden chunks": (GOOD + b"Transfer-Encoding: \x0bchunked\r\n\r\n", 400),
    "many fields": (GOOD + b"".join(b"X%d: y\r\n" % i for i in range(80)) + b"\r\n", 431),
    "a giant field": (GOOD + b"X: " + b"a" * 200000 + b"\r\n\r\n", 431),
    "a giant address": (b"GET /" + b"a" * 200000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n", 431),
    "a giant line that never ends": (b"a" * 3000000, 431),
    "up the tree": (b"GET /../../etc/passwd HTTP/1.1\r\nHost: localhost\r\n\r\n", 404),
    "up the tree, encoded": (b"GET /%2e%2e/%2e%2e/etc/passwd HTTP/1.1\r\nHost: localhost\r\n\r\n", 404),
    "the same twice encoded": (b"GET /study/%252e%252e%252fetc HTTP/1.1\r\nHost: localhost\r\n\r\n", 404),
    "a backslash": (b"GET /..\\..\\etc\\passwd HTTP/1.1\r\nHost: localhost\r\n\r\n", 400),
    "a zero byte, encoded": (b"GET /style.css%00.html HTTP/1.1\r\nHost: localhost\r\n\r\n", 404),
    "a large number": (b"GET /study/184467440737095516161 HTTP/1.1\r\nHost: localhost\r\n\r\n", 404),
    "a negative number": (b"GET /study/-1 HTTP/1.1\r\nHost: localhost\r\n\r\n", 404),
    "a format": (b"GET /study/1/part/%25s%25n HTTP/1.1\r\nHost: localhost\r\n\r\n", 404),
    "markup": (b"GET /<script> HTTP/1.1\r\nHost: localhost\r\n\r\n", 400),
    "bytes above ASCII": (b"GET /\xff\xfe HTTP/1.1\r\nHost: localhost\r\n\r\n", 400),
    "a range": (b"GET /live.js HTTP/1.1\r\nHost: localhost\r\nRange: bytes=0-,0-,0-\r\nConnection: close\r\n\r\n", 200),
    "an upgrade": (GOOD + b"Upgrade: h2c\r\nConnection: Upgrade, close\r\n\r\n", 200),
}


def test_attacks():
    """Each try gets its status and nothing else, and a good request behind it is answered."""
    with Folder() as folder:
        folder.write("a.yaml", problem("a", []))
        folder.ckg("ask", "a.yaml", expect=0)
        with Server(folder, "a.yaml") as server:
            wait_for(lambda: server.lines("studies"))
            for name, (data, status) in ATTACKS.items():
                got = server.raw(data.replace(b"localhost\r\n\r\n", b"localhost\r\nConnection: close\r\n\r\n"))
                check(got.startswith(b"HTTP/1.1 %d " % status), name, "gives", got[:80], "instead of", status)
                check(got.count(b"HTTP/1.1 ") == 1 and b"root:" not in got, name, "gives more:", got[-300:])
                check(server.ask("/api/v1/studies").status == 200, "no answer after", name)

            # Requests one behind the other are answered in their order, the last by the end of the connection.
            got = server.raw(b"GET /nope HTTP/1.1\r\nHost: localhost\r\n\r\n" + GOOD + b"\r\n" + b"HEAD / HTTP/1.1\r\nHost: localhost\r\n\r\n" +
                             b"GET /live.js HTTP/1.0\r\nHost: localhost\r\n\r\n" + b"GET /never HTTP/1.1\r\nHost: localhost\r\n\r\n")
            check([p[:3] for p in got.split(b"HTTP/1.1 ")[1:]] == [b"404", b"200", b"200", b"200"] and got.endswith(server.ask("/live.js").body), "pipelined:", got[:200])
            check(server.raw(GOOD + b"\r\n", half=True).startswith(b"HTTP/1.1 200 "), "half a connection")

            # Byte by byte is fine, as long as it comes.
            with socket.create_connection(("127.0.0.1", server.port)) as s:
                for i in range(len(GOOD)):
                    s.sendall(GOOD[i:i + 1])
                s.sendall(b"Connection: close\r\n\r\n")
                check(everything(s).startswith(b"HTTP/1.1 200 "), "byte by byte")


def test_crowd():
    """More connections than there are places, silent ones and streams: whoever asks properly is answered; those who say nothing or half a request are let go."""
    with Folder() as folder:
        folder.write("a.yaml", problem("a", []))
        folder.ckg("ask", "a.yaml", expect=0)
        with Server(folder, "a.yaml") as server:
            wait_for(lambda: server.lines("studies"))
            crowd = []
            for i in range(harness.scale(700, 300)):
                s = socket.create_connection(("127.0.0.1", server.port), timeout=harness.PATIENCE)
                s.sendall(b"GET / HTTP/1.1\r\nX: " if i % 2 else b"")
                crowd.append(s)
                if i % 100 == 0:
                    check(server.ask("/").status == 200, "no answer beside", i)
            streams = [Events(server) for _ in range(140)]
            refused = [s for s in streams if " 503 " in s.head]
            check(len(refused) == 12 and server.ask("/").status == 200, len(refused), "streams were refused")
            for s in crowd:
                got = everything(s)
                check(not got or got.startswith(b"HTTP/1.1 408 "), "the silent got", got[:60])
            check(server.ask("/").status == 200, "no answer in the end")


def test_reader_who_does_not_read():
    """Somebody asks for much and reads nothing: others are served, and the server ends all the same."""
    with Folder() as folder:
        folder.write("a.yaml", problem("a", []))
        folder.ckg("ask", "a.yaml", expect=0)
        with Server(folder, "a.yaml") as server:
            wait_for(lambda: server.lines("studies"))
            with socket.create_connection(("127.0.0.1", server.port)) as s:
                s.setblocking(False)
                try:
                    while True:
                        s.send(b"GET /api/v1/openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n" * 100)
                except BlockingIOError:
                    pass
                check(server.ask("/").status == 200, "no answer beside one who does not read")


# --- a run beside it ---


def test_run_beside():
    """A run suggests the same with a server that is asked for everything all the time, and goes on while the server stands still."""
    with Folder() as folder, Folder() as other:
        text = problem("spring", EVALUATE, budget=12, policy="auto", more=LIGHTLY + "initial: 6\n")
        folder.write("spring.yaml", text)
        other.write("spring.yaml", text)
        other.ckg("run", "spring.yaml", "--quiet", expect=0)
        with Server(folder, "spring.yaml") as server:
            wait_for(lambda: server.lines("studies"))
            over = threading.Event()

            def pester():
                paths = ["/study/1/part/maps", "/api/v1/studies/1/status", "/study/1", "/api/v1/studies/1/recommend", "/api/v1/studies/1/trials"]
                while not over.is_set():
                    for path in paths:
                        check(server.ask(path).status in (200, 409), path)

            thread = threading.Thread(target=pester)
            thread.start()
            folder.ckg("run", "spring.yaml", "--quiet", expect=0)
            over.set()
            thread.join()
            same = [[t["parameters"] for t in f.trials("spring.yaml")] for f in (folder, other)]
            check(same[0] == same[1], "the run chose other designs")

            # Wherever it is stopped, it holds nothing that others need.
            folder.write("more.yaml", problem("more", [], policy="sobol", budget=100))
            folder.ckg("ask", "more.yaml", "--store", "spring.db", expect=0)
            for _ in range(4):
                asking = threading.Thread(target=lambda: server.ask("/study/1/report"))
                asking.start()
                server.process.send_signal(signal.SIGSTOP)
                folder.ckg("ask", "more.yaml", "--store", "spring.db", expect=0)
                server.process.send_signal(signal.SIGCONT)
                asking.join()


# --- its beginning and its end ---


def test_end():
    """A signal ends it at once, whatever it is computing; a port that is taken, and studies that are not there, are one line."""
    with Folder() as folder:
        folder.write("slow.yaml", problem("slow", [], policy="auto", budget=400, more="model: {samples: 64}\n"))
        table = "x,y,f,c\n" + "".join(f"{(i * 37 % 400) / 400},{i / 400},{(i * 7919 % 1000) / 1000},-1\n" for i in range(300))
        folder.write("table.csv", table)
        folder.ckg("import", "slow.yaml", "table.csv", expect=0)
        with Server(folder, "slow.yaml") as server:
            wait_for(lambda: [s["trials"] for s in server.lines("studies")] == [300])
            waiting = threading.Thread(target=lambda: server.raw(b"GET /study/1/report HTTP/1.1\r\nHost: localhost\r\n\r\n"))
            waiting.start()
            events = Events(server)
            events.next()
            folder.ckg("serve", "slow.yaml", "--listen", f"127.0.0.1:{server.port}", expect=1).one_line("cannot listen", str(server.port))
            check(server.ask("/api/v1/studies/1").status == 200, "no answer while it computes")
            server.process.send_signal(signal.SIGTERM)
            check(server.process.wait(timeout=harness.PATIENCE) == 0, "it did not end well")
            waiting.join()
        folder.ckg("serve", expect=2).one_line("which studies")
        folder.ckg("serve", "none.yaml", "--listen", "127.0.0.1:0", expect=2).one_line("none.yaml")
        folder.ckg("serve", "--store", "none.db", "--listen", "127.0.0.1:0", expect=2).one_line("none.db")
        for wrong in ("nonsense:80", "127.0.0.1:99999", "127.0.0.1:x", "::1", "", "1.2.3.4.5:80"):
            folder.ckg("serve", "slow.yaml", "--listen", wrong, expect=2).one_line("--listen")


if __name__ == "__main__":
    main(globals(), beside=[test_crowd])

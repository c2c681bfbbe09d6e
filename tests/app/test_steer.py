#!/usr/bin/env python3
"""test_steer.py CKG: what `ckg serve --steer` changes: every action with the shapes and the words of its command, runs and workers that pause, stop and go on,
who may and who may not, what bodies may hold, numbers of studies that stay, and `ckg run --serve`."""
import json
import pathlib
import re
import socket
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import harness
from harness import Folder, Skip, check, main, once_there, problem, read_until, wait_for
from test_serve import EVALUATE, Server, everything, finished_study

BENCH = problem("bench", [], budget=12, policy="sobol")


class Desk(Server):
    """A server that takes changes, and who has its token."""

    def __init__(self, folder, *words, listen="127.0.0.1:0"):
        super().__init__(folder, *words, "--steer", listen=listen)

    def post(self, action, body, study=1, status=200, **fields):
        """The objects of the answer."""
        fields = {"Authorization": "Bearer " + self.token, "Content-Type": "application/json", **fields}
        answer = self.send(f"/api/v1/studies/{study}/{action}", body if isinstance(body, (bytes, str)) else json.dumps(body), fields)
        check(answer.status == status, action, body, "gives", answer.status, answer.body[:300])
        return [json.loads(line) for line in answer.body.decode().splitlines()]

    def refuse(self, action, body, status=400, study=1, **fields):
        return self.post(action, body, study, status, **fields)[0]["error"]

    def send(self, path, body, fields):
        import http.client
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=harness.PATIENCE)
        connection.request("POST", path, body, {k.replace("_", "-"): v for k, v in fields.items() if v is not None})
        answer = connection.getresponse()
        answer.body = answer.read()
        connection.close()
        return answer


# --- actions ---


def test_bench():
    """A lab's day: ask, tell with a value missing and an sd, complete, correct, fail, retry, set aside, undo; as the commands have it, and in their words."""
    with Folder() as folder:
        folder.write("bench.yaml", BENCH)
        with Desk(folder, "bench.yaml") as desk:
            wait_for(lambda: desk.lines("studies"))
            asked = desk.post("ask", {"number": 2})
            check([t["trial"] for t in asked] == [1, 2] and asked[0]["state"] == "pending", asked)
            check(asked == folder.trials("bench.yaml"), "the command sees other trials")

            told = desk.post("tell", {"trial": 1, "values": {"f": [1.5, 0.1]}, "note": "by hand"})[0]
            check(told["values"] == {"f": [1.5, 0.1]} and told["feasible"] is None and "'c'" in told["note"], told)
            told = desk.post("tell", {"trial": 1, "values": {"c": -1}})[0]
            check(told["values"] == {"f": [1.5, 0.1], "c": -1} and told["feasible"] is True, told)
            said = desk.refuse("tell", {"trial": 1, "values": {"f": 2}}, 409)
            check(said == folder.ckg("tell", "bench.yaml", "1", "f=2", expect=1).err.strip().removeprefix("ckg: "), "other words:", said)
            told = desk.post("tell", {"trial": 1, "values": {"f": 2, "c": None}, "replace": True})[0]
            check(told["values"] == {"f": 2} and told["feasible"] is None, told)
            told = desk.post("tell", {"trial": 2, "failed": "the <oven> was cold"})[0]
            check((told["state"], told["why"]) == ("failed", "the <oven> was cold"), told)

            queued = desk.post("enqueue", {"parameters": {"x": 0.25, "y": 0.5}})[0]
            check(queued["trial"] == 3 and queued["origin"] == "user" and "note" not in queued, queued)
            again = desk.post("enqueue", {"parameters": {"x": 0.25, "y": 0.5}})[0]
            check(again["trial"] == 4 and "trial 3 has the same design" in again["note"], again)
            made = desk.post("tell", {"trial": 3, "at": {"x": 0.26}, "values": {"f": 3, "c": -1}})[0]
            check(made["parameters"] == {"x": 0.26, "y": 0.5}, made)

            check([t["state"] for t in desk.post("retry", {"failed": True})] == ["pending"], "nothing was tried again")
            check(desk.refuse("retry", {"failed": True}, 409) == "no trial has failed", "something has failed")
            gone = desk.post("discard", {"trials": [3, 4, 3], "note": "wrong lot"})
            check([(t["trial"], t["state"]) for t in gone] == [(3, "discarded"), (4, "discarded")], gone)
            back = desk.post("discard", {"trials": [3], "restore": True})[0]
            check(back["state"] == "complete" and back["values"] == {"f": 3, "c": -1}, back)
            undone = desk.post("undo", {})[0]
            check(undone["command"] == "restore 3 (from ckg serve)" and undone["left"] >= 8, undone)
            check(folder.trials("bench.yaml")[2]["state"] == "discarded", "it was not undone")
            left = undone["left"]
            printed = json.loads(folder.ckg("undo", "bench.yaml", "--json", expect=0).out)
            check(set(printed) == set(undone) and printed["left"] == left - 1, printed)

            # What was changed is on the pages at once, and the history says from where.
            wait_for(lambda: desk.lines("studies/1/trials") == folder.trials("bench.yaml"))
            check("(from ckg serve)" in folder.ckg("trials", "bench.yaml", "1", expect=0).out, "no history")


def test_refused():
    """What cannot be told, queued or changed: one line of why, and nothing changes."""
    with Folder() as folder:
        folder.write("bench.yaml", BENCH)
        folder.ckg("ask", "bench.yaml", expect=0)
        deep = "[" * 30000 + "]" * 30000
        with Desk(folder, "bench.yaml") as desk:
            wait_for(lambda: desk.lines("studies"))
            before = folder.ckg("export", "bench.yaml", expect=0).out
            tries = {
                "tell": ["", "x", "[]", "3", "null", "{", "{}", '{"trial": 1}', '{"trial": 1} x', '{"trial": 1, "trial": 1, "values": {"f": 1}}', deep, '{"trial": 1, "values": ' + deep + "}",
                         {"trial": 0, "values": {"f": 1}}, {"trial": -1, "values": {"f": 1}}, {"trial": 1.0, "values": {"f": 1}}, {"trial": "1", "values": {"f": 1}},
                         {"trial": 10**9 + 1, "values": {"f": 1}}, {"trial": 1, "values": {}}, {"trial": 1, "values": {"f": None}}, {"trial": 1, "values": [1]},
                         {"trial": 1, "values": {"f": "1"}}, {"trial": 1, "values": {"f": [1]}}, {"trial": 1, "values": {"f": [1, -1]}}, {"trial": 1, "values": {"f": [1, 2, 3]}},
                         {"trial": 1, "values": {"f": {}}}, {"trial": 1, "values": {"g": 1}}, {"trial": 1, "values": {"": 1}}, '{"trial": 1, "values": {"f": NaN}}',
                         '{"trial": 1, "values": {"f": Infinity}}', '{"trial": 1, "values": {"f": -1e999}}', '{"trial": 1, "values": {"f": 01}}',
                         {"trial": 1, "failed": ""}, {"trial": 1, "failed": 3}, {"trial": 1, "failed": "a\0b"}, {"trial": 1, "failed": "why", "values": {"f": 1}},
                         {"trial": 1, "values": {"f": 1}, "at": {"x": 7}}, {"trial": 1, "values": {"f": 1}, "at": {"z": 0}}, {"trial": 1, "values": {"f": 1}, "at": 3},
                         {"trial": 1, "values": {"f": 1}, "replace": 1}, {"trial": 1, "values": {"f": 1}, "nonsense": 1}, {"trial": 1, "values": {"f": 1}, "__proto__": {}},
                         b'{"trial": 1, "failed": "\xff\xfe"}', b'{"trial": 1, "values": {"f": 1}}\0', '{"trial": 1, "failed": "\\ud800"}'],
                "enqueue": [{}, {"parameters": {}}, {"parameters": {"x": 1}}, {"parameters": {"x": 2, "y": 0}}, {"parameters": {"x": 0, "y": 0, "z": 0}}, {"parameters": {"x": None, "y": 0}},
                            {"parameters": {"x": "0", "y": 0}}, {"parameters": {"x": -1e308, "y": 0}}, {"x": 0, "y": 0}],
                "ask": [{"number": 0}, {"number": 101}, {"number": -1}, {"number": 1.5}, {"number": "1"}],
                "discard": [{}, {"trials": []}, {"trials": [0]}, {"trials": ["1"]}, {"trials": 1}, {"trials": [1], "failed": True}, {"trials": [1.5]}],
                "retry": [{}, {"trials": [-1]}, {"failed": "yes"}],
                "undo": [{"yes": 1}, {"no": True}],
                "pause": [{"x": 1}, "[]"], "resume": ["3"], "stop": ['"x"'],
                "budget": [{}, {"budget": 0}, {"budget": -5}, {"budget": 1.5}, {"budget": "9"}, {"budget": 10**12}],
                "limits": [{}, {"limits": {"nope": {"max": 1}}}, {"limits": {"c": 1}}, {"limits": {"c": {"noise": 1}}}, {"limits": {"c": {"max": "x"}}}, {"limits": {"c": {"max": None}}}],
            }
            for action, bodies in tries.items():
                for body in bodies:
                    said = desk.refuse(action, body)
                    check("\n" not in said and 5 < len(said) < 400, action, body, "says", repr(said))
            check(desk.refuse("tell", {"trial": 2, "values": {"f": 1}}, 404) == "there is no trial 2; the last is 1", "another trial")
            check(desk.refuse("ask", {"number": 12}, 409), "beyond the budget")
            check(desk.refuse("undo", {}, 409) == "there is nothing to undo", "something was done")
            check(folder.ckg("export", "bench.yaml", expect=0).out == before, "something has changed")
            for path, status in (("/api/v1/studies/1/nope", 404), ("/api/v1/studies/2/tell", 404), ("/api/v1/studies/1/trials", 405), ("/api/v1/studies", 405), ("/", 405), ("/api/v1/studies/1/recommend", 405),
                                 ("/api/v1/events", 405), ("/nope", 404)):
                answer = desk.send(path, "{}", {"Authorization": "Bearer " + desk.token, "Content-Type": "application/json"})
                check(answer.status == status, path, "gives", answer.status)
            answer = desk.ask("/api/v1/studies/1/tell")
            check(answer.status == 405 and answer.getheader("Allow") == "POST", "GET of an action:", answer.status)


def test_limits():
    """A limit and a budget that are changed: what that does, and who follows."""
    with Folder() as folder:
        study = finished_study(folder, budget=6)
        with Desk(folder, study) as desk:
            wait_for(lambda: desk.lines("studies"))
            feasible = sum(t["feasible"] is True for t in folder.trials(study))
            would = desk.post("limits", {"limits": {"c": {"max": 100}}, "dry_run": True})[0]
            check(would["feasible_before"] == feasible and would["feasible_after"] == 6 and len(would["changes"]) == 1, would)
            check(sum(t["feasible"] is True for t in folder.trials(study)) == feasible, "it was changed")
            check(desk.post("limits", {"limits": {"c": {"max": 100}}})[0] == would, "it did something else")
            wait_for(lambda: all(t["feasible"] for t in desk.lines("studies/1/trials")))
            folder.ckg("run", study, expect=2).one_line(f"{study} lacks what ", "changed by `ckg serve`", "limit of c from 0 to 100", f"or `ckg change {study}` takes it back")

            # What the line says: written into the file, or taken back, or undone here.
            text = (folder / study).read_text()
            check("max: 0" in text, text)
            folder.write(study, text.replace("max: 0", "max: 100"))
            folder.ckg("run", study, "--quiet", expect=0)
            folder.write(study, text)
            folder.ckg("change", study, "--yes", expect=0)
            check(sum(t["feasible"] is True for t in folder.trials(study)) == feasible, "it was not taken back")
            folder.write(study, text.replace("max: 0", "max: 7"))
            folder.ckg("run", study, expect=2).one_line(f"{study} changed: limit of c from 0 to 7", f"`ckg change {study}` takes it over")
            folder.write(study, text)
            desk.post("limits", {"limits": {"c": {"max": 100}}})
            check(desk.post("undo", {})[0]["command"] == "change (from ckg serve)", "it cannot be undone")

            # The budget holds for the next run too, until the file gives another.
            check(desk.post("budget", {"budget": 8})[0] == {"study": "spring", "budget": 8, "paused_by_user": None}, "another budget")
            folder.ckg("run", study, "--quiet", expect=0)
            check(len(folder.trials(study)) == 8, "the run has not followed")
            text = (folder / study).read_text()
            folder.write(study, text.replace("budget: 6", "budget: 7"))
            folder.ckg("run", study, "--quiet", expect=0)
            wait_for(lambda: desk.json("studies/1")["budget"] == 7)


# --- going on ---


def evaluations(folder, study):
    return [t["state"] for t in folder.trials(study)]


def test_pause():
    """A run that is paused ends what it evaluates, starts nothing, goes on, follows another budget, and ends when it is asked to; the next run goes on."""
    script = once_there("go", "rm go; echo '{\"f\": 1, \"c\": -1}'")
    with Folder() as folder:
        folder.write("slow.yaml", problem("slow", ["sh", "-c", script], budget=4, policy="sobol"))
        with Desk(folder, "slow.yaml") as desk:
            run = folder.start("run", "slow.yaml")
            wait_for(lambda: desk.lines("studies") and desk.json("studies/1").get("running") == 1)
            held = desk.post("pause", {})[0]["paused_by_user"]
            check("@" in held["by"] and held["stopped"] is False, held)
            wait_for(lambda: desk.json("studies/1")["state"] == "paused" and desk.json("studies/1")["paused_by_user"] == held)
            check("paused by " + held["by"] in folder.ckg("status", "slow.yaml", expect=0).out, "status does not say so")
            check(json.loads(folder.ckg("status", "slow.yaml", "--json", expect=0).out)["paused_by_user"] == held, "nor as JSON")
            said = desk.text("/study/1/part/head")
            check(f"<p>paused by {held['by']} since 20" in said, "nor does the page:", said)
            (folder / "go").touch()
            wait_for(lambda: evaluations(folder, "slow.yaml") == ["complete"])
            time.sleep(1.5)
            check(evaluations(folder, "slow.yaml") == ["complete"] and run.poll() is None, "it has not waited")

            # By hand one can go on all the same.
            folder.ckg("resume", "slow.yaml", expect=0)
            wait_for(lambda: evaluations(folder, "slow.yaml") == ["complete", "running"])
            (folder / "go").touch()
            wait_for(lambda: evaluations(folder, "slow.yaml") == ["complete"] * 2 + ["running"])
            desk.post("budget", {"budget": 40})
            desk.post("stop", {})
            (folder / "go").touch()
            out, err = run.communicate(timeout=harness.PATIENCE)
            check(run.returncode == 1 and b"stopped by" in err and b"after 3 of 40" in err, run.returncode, err)
            check(b"paused by" in err and b"goes on" in err, "the run does not say that it waits:", err)
            check(desk.json("studies/1")["paused_by_user"]["stopped"] is True, "it is not stopped")

            # Whoever starts a run wants it to go on.
            desk.post("budget", {"budget": 4})
            run = folder.start("run", "slow.yaml", "--quiet")
            wait_for(lambda: evaluations(folder, "slow.yaml") == ["complete"] * 3 + ["running"])
            (folder / "go").touch()
            check(run.wait(timeout=harness.PATIENCE) == 0, "the run failed")
            wait_for(lambda: desk.json("studies/1")["paused_by_user"] is None)


def test_pause_worker():
    """A worker holds back too, and goes on."""
    with Folder() as folder:
        folder.write("w.yaml", problem("w", EVALUATE, budget=3, policy="sobol"))
        folder.ckg("ask", "w.yaml", expect=0)
        folder.ckg("tell", "w.yaml", "1", "f=1", "c=-1", expect=0)
        check("paused by" in folder.ckg("pause", "w.yaml", expect=0).out, "it is not paused")
        worker = folder.start("worker", "w.yaml", "--store", "w.db", "--slots", "1", "--until-idle")
        time.sleep(2)
        check(evaluations(folder, "w.yaml") == ["complete"], "it has not held back")
        check(json.loads(folder.ckg("resume", "w.yaml", "--json", expect=0).out) == {"study": "w", "budget": 3, "paused_by_user": None}, "another answer")
        check(worker.wait(timeout=harness.PATIENCE) == 0 and evaluations(folder, "w.yaml") == ["complete"] * 3, "it has not gone on")


# --- who may ---


def test_who():
    """Without --steer nothing; without the token nothing; no form, no script of another site, no body before one is let in."""
    with Folder() as folder:
        folder.write("bench.yaml", BENCH)
        folder.ckg("ask", "bench.yaml", expect=0)
        path, body, json_ = "/api/v1/studies/1/tell", '{"trial": 1, "values": {"f": 1}}', {"Content-Type": "application/json"}
        with Server(folder, "bench.yaml") as server:
            wait_for(lambda: server.lines("studies"))
            answer = Desk.send(server, path, body, json_)
            check(answer.status == 403 and "read only" in json.loads(answer.body)["error"], answer.status, answer.body)
            check(server.json("server")["steer"] is False, "it says that it steers")

        with Desk(folder, "bench.yaml") as desk:
            wait_for(lambda: desk.lines("studies"))
            good = {"Authorization": "Bearer " + desk.token}
            check(desk.ask("/").status == 200 and desk.json("server")["steer"] is False, "looking needs no token here")
            check(json.loads(desk.ask("/api/v1/server", **good).body)["steer"] is True, "who has the token may steer")
            cookie = {"Cookie": desk.ask("/?token=" + desk.token).getheader("Set-Cookie").split(";")[0]}
            ours = {"Origin": f"http://127.0.0.1:{desk.port}", "Ckg-Steer": "1"}
            tries = [
                ("no token", {**json_}, 401), ("a wrong one", {**json_, "Authorization": "Bearer " + desk.token[:-1] + "x"}, 401), ("an empty one", {**json_, "Authorization": "Bearer "}, 401),
                ("a wrong one beside the cookie", {**json_, **cookie, **ours, "Authorization": "Bearer x"}, 401),
                ("the cookie alone", {**json_, **cookie}, 403), ("without its field", {**json_, **cookie, "Origin": ours["Origin"]}, 403), ("without an origin", {**json_, **cookie, "Ckg-Steer": "1"}, 403),
                ("another site", {**json_, **cookie, **ours, "Origin": "http://evil.example"}, 403), ("another port", {**json_, **cookie, **ours, "Origin": "http://127.0.0.1:1"}, 403),
                ("a file", {**json_, **cookie, **ours, "Origin": "null"}, 403), ("another site with the token", {**json_, **good, "Origin": "http://evil.example"}, 403),
                ("a form of another site", {**cookie, "Origin": "http://evil.example", "Content-Type": "text/plain", "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}, 403),
                ("the same without an origin", {**cookie, "Content-Type": "text/plain", "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}, 403),
                ("a form of another port", {**cookie, "Content-Type": "text/plain", "Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "navigate"}, 403),
                ("a name that was bent", {**json_, **good, "Host": "evil.example"}, 421),
                ("a form", {**good, "Content-Type": "application/x-www-form-urlencoded"}, 415), ("text", {**good, "Content-Type": "text/plain"}, 415), ("no type", {**good}, 415),
                ("nearly JSON", {**good, "Content-Type": "application/jsonp"}, 415),
            ]
            for name, fields, status in tries:
                answer = desk.send(path, body, fields)
                check(answer.status == status and "error" in json.loads(answer.body), name, "gives", answer.status, answer.body)
            check(desk.send(path + "?token=" + desk.token, body, json_).status == 401, "the token in the address")
            check(folder.trials("bench.yaml")[0]["state"] == "pending", "something has changed")

            # A body is not waited for from who may not send one, nor one that is too long.
            head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n".encode()
            token = f"Authorization: Bearer {desk.token}\r\n".encode()
            for more, status in ((b"Content-Length: 60000\r\n\r\n", 401), (token + b"Content-Length: 65537\r\n\r\n", 413), (token + b"Content-Length: 99999999999999999999\r\n\r\n", 413),
                                 (token + b"Content-Length: 1e3\r\n\r\n", 400), (token + b"Content-Length: +2\r\n\r\n", 400), (token + b"\r\n", 411), (token + b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 501),
                                 (token + b"Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}", 400), (token + b"Expect: 200-maybe\r\nContent-Length: 2\r\n\r\n{}", 417)):
                got = desk.raw(head + more)
                check(got.startswith(b"HTTP/1.1 %d " % status), more, "gives", got[:60])

            # By the cookie of our own page, in pieces, with what follows behind it, and with a word before the body.
            whole = body.encode()
            with socket.create_connection(("127.0.0.1", desk.port), timeout=harness.PATIENCE) as s:
                s.sendall(head + token + b"Expect: 100-continue\r\nContent-Length: %d\r\n\r\n" % len(whole))
                check(s.recv(100).startswith(b"HTTP/1.1 100 "), "no word that it goes on")
                for i in range(len(whole)):
                    s.sendall(whole[i:i + 1])
                s.sendall(b"GET /nope HTTP/1.0\r\nHost: localhost\r\n\r\n")
                got = everything(s)
                check(got.count(b"HTTP/1.1 ") == 2 and got.startswith(b"HTTP/1.1 200 ") and b"404 Not Found" in got, got)
            answer = desk.send(path, '{"trial": 1, "values": {"c": 0}}', {**json_, **cookie, **ours})
            check(answer.status == 200 and json.loads(answer.body)["values"] == {"f": 1, "c": 0}, answer.body)


def test_numbers():
    """A study has the same number when the server is started again, whatever was begun meanwhile."""
    with Folder() as folder:
        for name, store in (("b", "one.db"), ("c", "two.db")):
            folder.write(name + ".yaml", problem(name, []))
            folder.ckg("ask", name + ".yaml", "--store", store, expect=0)
        folder.write("f.yaml", problem("f", []))
        words = ("f.yaml", "one.db", "two.db")

        def numbers(count):
            with Server(folder, *words) as server:
                wait_for(lambda: len(server.lines("studies")) == count)
                found = {s["study"]: s["id"] for s in server.lines("studies")}
                check(all(server.json(f"studies/{i}")["study"] == s for s, i in found.items()), found)
                return found

        first = numbers(3)
        for name, store in (("a", "one.db"), ("z", "one.db"), ("d", "two.db")):
            folder.write(name + ".yaml", problem(name, []))
            folder.ckg("ask", name + ".yaml", "--store", store, expect=0)
        second = numbers(6)
        check(first == {k: second[k] for k in first} == {"f": 1, "b": 2, "c": 3} and second == numbers(6), first, second)


# --- beside a run ---


def test_run_serve():
    """`ckg run --serve`: the run is seen and steered, is not troubled by the server's end, and takes it along."""
    script = once_there("go", "rm go; echo '{\"f\": 1, \"c\": -1}'")
    with Folder() as folder:
        folder.write("slow.yaml", problem("slow", ["sh", "-c", script], budget=2, policy="sobol"))

        def begin():
            run = folder.start("run", "slow.yaml", "--quiet", "--serve", "127.0.0.1:0", "--steer")
            line = read_until(run.stderr, b"\n").decode()
            if "without libevent" in line:
                raise Skip(line)
            found = re.search(r"http://127.0.0.1:(\d+)/\?token=(\w+), and anyone with this address can change the study; it ends with the run", line)
            check(found, "it says", line)
            desk = Desk.__new__(Desk)
            desk.port, desk.token = int(found[1]), found[2]
            return run, desk

        run, desk = begin()
        wait_for(lambda: desk.lines("studies") and desk.json("studies/1").get("running") == 1)
        desk.post("enqueue", {"parameters": {"x": 0.5, "y": 0.5}})
        (folder / "go").touch()
        wait_for(lambda: evaluations(folder, "slow.yaml") == ["complete", "running"])
        check(folder.trials("slow.yaml")[1]["parameters"] == {"x": 0.5, "y": 0.5}, "another design")
        desk.post("budget", {"budget": 3})

        # Without the server all goes on; another one is told why there is none.
        taken = folder.start("run", "slow.yaml", "--quiet", "--serve", f"127.0.0.1:{desk.port}")
        check("goes on without" in read_until(taken.stderr, b"\n").decode(), "two servers at one address")
        (folder / "go").touch()
        for process in (run, taken):
            wait_for(lambda: process.poll() is not None or not (folder / "go").exists())
            while process.poll() is None:
                (folder / "go").touch()
                time.sleep(0.2)
            check(process.returncode == 0, "a run ended with", process.returncode)
        check(evaluations(folder, "slow.yaml") == ["complete"] * 3, evaluations(folder, "slow.yaml"))

        def is_gone():
            try:
                socket.create_connection(("127.0.0.1", desk.port), timeout=harness.PATIENCE).close()
            except OSError:
                return True
            return False

        wait_for(is_gone)
        folder.ckg("run", "slow.yaml", "--steer", expect=2).one_line("--serve")
        folder.ckg("run", "slow.yaml", "--serve=nonsense", expect=2).one_line("--listen")


if __name__ == "__main__":
    main(globals())

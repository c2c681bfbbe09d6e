#!/usr/bin/env python3
"""test_serve_postgresql.py CKG: `ckg serve` with studies in a server of PostgreSQL: seen, steered, paused while a run waits, and after the server was restarted."""
import json
import pathlib
import socket
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import harness
import postgresql
import checksums
from harness import Folder, check, main, once_there, problem, wait_for
from test_serve import Events
from test_steer import Desk

SERVER = None


def test_steered():
    script = once_there("go", "rm go; echo '{\"f\": 1, \"c\": -1}'")
    with Folder() as folder:
        url = SERVER.database("serve")
        folder.write("slow.yaml", problem("slow", ["sh", "-c", script], budget=3, policy="sobol"))
        folder.write("bench.yaml", problem("bench", [], budget=9, policy="sobol"))
        folder.ckg("ask", "bench.yaml", "--store", url, expect=0)
        with Desk(folder, "--store", url) as desk:
            wait_for(lambda: [s["study"] for s in desk.lines("studies")] == ["bench"])
            told = desk.post("tell", {"trial": 1, "values": {"f": 2, "c": [-1, 0.1]}})[0]
            check(told["feasible"] is True and [t["trial"] for t in desk.post("ask", {"number": 2})] == [2, 3], told)
            check(desk.post("undo", {})[0]["left"] == 0, "the change is still there")

            # A study that comes later, its run paused and gone on; the stream tells.
            events = Events(desk)
            run = folder.start("run", "slow.yaml", "--store", url)
            wait_for(lambda: len(desk.lines("studies")) == 2 and desk.json("studies/2").get("running") == 1)
            held = desk.post("pause", {}, study=2)[0]["paused_by_user"]
            while desk.json("studies/2")["paused_by_user"] != held:
                events.next()
            (folder / "go").touch()
            wait_for(lambda: desk.json("studies/2")["complete"] == 1)
            check(desk.json("studies/2")["running"] == 0 and run.poll() is None, "it has not waited")
            desk.post("enqueue", {"parameters": {"x": 0.5, "y": 0.5}}, study=2)
            desk.post("resume", {}, study=2)
            wait_for(lambda: desk.json("studies/2")["running"] == 1)
            desk.post("stop", {}, study=2)
            (folder / "go").touch()
            err = run.communicate(timeout=harness.PATIENCE)[1]
            check(run.returncode == 1 and b"stopped by" in err, run.returncode, err)

            # A server that was away.
            SERVER.restart()
            wait_for(lambda: json.loads(desk.ask("/api/v1/studies/1/trials/1").body).get("trial") == 1)
            check(desk.post("budget", {"budget": 8}, study=2)[0]["budget"] == 8, "another budget")
            wait_for(lambda: desk.json("studies/2")["budget"] == 8 and desk.json("studies/2")["trouble"] is None)


def make_version_5(database):
    """Takes the columns away that a store of version 5 had not, of its only trial and study, and seals both without them."""
    SERVER.sql("ALTER TABLE ckg.trial DROP COLUMN evaluator, DROP COLUMN chosen_by, DROP COLUMN reason; UPDATE ckg.ckg_store SET version = 5", database)
    row = json.loads(SERVER.sql("SELECT row_to_json(t) FROM ckg.trial t", database))
    trial = checksums.checksum([row[name] for name in checksums.TRIAL.split(", ")[:checksums.LATER[checksums.TRIAL]]])
    SERVER.sql(f"UPDATE ckg.trial SET seal = {trial}; UPDATE ckg.study SET trials = {trial}", database)
    row = json.loads(SERVER.sql("SELECT row_to_json(s) FROM ckg.study s", database))
    SERVER.sql(f"UPDATE ckg.study SET seal = {checksums.checksum([row[name] for name in checksums.STUDY.split(', ')])}", database)


def test_workers():
    """A study that workers evaluate: who has which trial, and who had it; also where the store was made before that was kept."""
    with Folder() as folder:
        url = SERVER.database("crew")
        folder.write("crew.yaml", problem("crew", ["sh", "-c", once_there("go", "echo '{\"f\": 1, \"c\": -1}'")], budget=4, policy="sobol"))
        folder.ckg("ask", "crew.yaml", "--store", url, expect=0)
        make_version_5("crew")
        with Desk(folder, "--store", url) as desk:
            wait_for(lambda: [s["study"] for s in desk.lines("studies")] == ["crew"])
            workers = [folder.start("worker", "crew.yaml", "--store", url, "--until-idle", "--quiet") for _ in range(2)]
            names = {f"{socket.gethostname()} {worker.pid}" for worker in workers}
            wait_for(lambda: desk.json("studies/1").get("running") == 2)
            at_work = {t for t in desk.json("studies/1/times")["worker"] if t}
            check(at_work == names, at_work, "instead of", names)
            (folder / "go").touch()
            for worker in workers:
                worker.communicate(timeout=harness.PATIENCE)
            wait_for(lambda: desk.json("studies/1")["complete"] == 3)
            evaluated = [desk.json(f"studies/1/trials/{n}")["worker"] for n in range(1, 5)]
            check(evaluated[0] is None and set(evaluated[1:]) == names, evaluated)
            check(desk.json("studies/1/times")["worker"] == evaluated, "others have evaluated them")


if __name__ == "__main__":
    if not postgresql.is_installed():
        print("PostgreSQL is not installed here (Debian: postgresql): `ckg serve` with a server of it is not tested")
        sys.exit(77)
    if "built without PostgreSQL" in subprocess.run([harness.PROGRAM, "studies", "--store", "postgresql://x"], capture_output=True, text=True).stderr:
        print("this ckg was built without libpq (Debian: libpq-dev): `ckg serve` with PostgreSQL is not tested")
        sys.exit(77)
    with postgresql.Server() as SERVER:
        main(globals())

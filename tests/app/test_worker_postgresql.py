"""Workers of a server: many of them, a server that ends while they evaluate and comes back, and what was measured meanwhile."""
import json
import os
import random
import subprocess
import sys
import time

import postgresql
from harness import PATIENCE, PROGRAM, Folder, check, check_numbers, compile_c, kill_group, main, once_there, problem, read_until, wait_for
from test_concurrent import EVALUATOR
from test_worker import begun, ended, shell

SERVER = None


def name_of(folder):
    return folder.path.name.replace("-", "_").lower()


def database(folder):
    return SERVER.database(name_of(folder))


def wait_for_workers(folder, workers):
    wait_for(lambda: all(SERVER.has_begun(name_of(folder), worker) for worker in workers), "the workers")


def work(folder, url, *words, **how):
    return folder.ckg("worker", url, "--spool", "spool", *words, **how)


def start(folder, url, *words, **how):
    return folder.start("worker", url, "--spool", "spool", *words, **how)


def trials(folder, url, name="s"):
    return [json.loads(line) for line in folder.ckg("trials", "--store", url, "--study", name, "--json", expect=0).out.splitlines()]


def spooled(folder):
    return sorted(os.listdir(folder / "spool")) if (folder / "spool").exists() else []


def test_workers_kills_and_restarts():
    """Two studies, workers that are killed, connections that are cut and a server that is restarted: all of it evaluated, nothing lost, nothing twice."""
    rng = random.Random(5)
    with Folder() as folder:
        url, budget, kills = database(folder), 60, 2
        compile_c(folder, "quick", EVALUATOR)
        for name in "st":
            folder.write(f"{name}.yaml", problem(name, ["sh", "-c", once_there("go", "exec ./quick $0"), "{x}"], budget=budget))
        workers = [start(folder, url, "--begin", "--until-idle", "--quiet", "--slots", 2) for _ in range(4)]
        wait_for_workers(folder, workers)
        (folder / "go").touch()
        for turn in range(6):
            time.sleep(rng.uniform(0.1, 0.3))
            if turn % 3 == 1:
                SERVER.restart("immediate")
            elif turn % 3 == 2:
                kill_group(workers.pop(0))
                workers.append(start(folder, url, "--begin", "--until-idle", "--quiet", "--slots", 2))
                wait_for_workers(folder, workers)
            else:
                SERVER.sql(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'ckg' AND pid <> pg_backend_pid()")
        for process in workers:
            status, _, err = ended(process)
            check(status == 0, status, err)
        for name in "st":
            check_numbers(trials(folder, url, name), budget)
            check({t["state"] for t in trials(folder, url, name)} == {"complete"}, trials(folder, url, name))
            check(all(t["values"]["f"] == t["parameters"]["x"] for t in trials(folder, url, name)), trials(folder, url, name))
            folder.ckg("check", "--store", url, "--study", name, expect=0)
        check(sum(begun(folder).values()) <= 2 * budget + 2 * kills * 2, "evaluated twice:", begun(folder))
        check(not spooled(folder), spooled(folder))
        folder.nothing_left()


def test_a_server_that_is_away_while_an_answer_comes():
    """The answer waits in the spool, also when the worker is killed; the next one delivers it, and it is not evaluated again."""
    with Folder() as folder:
        url = database(folder)
        script = "echo \"$CKG_STUDY $CKG_TRIAL\" >>log; " + once_there("go", "echo '{\"f\": 7, \"c\": -1}'")
        folder.write("s.yaml", problem("s", shell(script), budget=2))
        process = start(folder, url, "--begin", "--slots", 2)
        wait_for(lambda: len(begun(folder)) == 2)
        SERVER.stop()
        try:
            folder.write("go", "")
            wait_for(lambda: len([name for name in spooled(folder) if name.endswith(".answer")]) == 2)
            kill_group(process)
        finally:
            SERVER.start()
        work(folder, url, "--until-idle", "--quiet", expect=0)
        check([t["values"]["f"] for t in trials(folder, url)] == [7, 7], trials(folder, url))
        check(sum(begun(folder).values()) == 2 and not spooled(folder), begun(folder), spooled(folder))


def test_a_worker_outlives_its_server():
    """The same with a worker that lives: it says so, and delivers by itself when the server is there again. One that is started meanwhile waits for it."""
    with Folder() as folder:
        url = database(folder)
        script = "echo \"$CKG_STUDY $CKG_TRIAL\" >>log; " + once_there("go", "echo '{\"f\": 7, \"c\": -1}'")
        folder.write("s.yaml", problem("s", shell(script), budget=3))
        process = start(folder, url, "--begin", "--until-idle")
        wait_for(lambda: len(begun(folder)) == 1)
        SERVER.stop()
        try:
            folder.write("go", "")
            wait_for(lambda: [name for name in spooled(folder) if name.endswith(".answer")])
            late = start(folder, url, "--until-idle", "--quiet")
            said = read_until(late.stderr, b"waiting for it").decode()
        finally:
            SERVER.start()
        status, out, err = ended(process)
        check(status == 0, status, out, err)
        status, out, err = ended(late)
        check(status == 0 and (said + err).count("waiting for it") == 1, status, out, said, err)
        check([t["values"]["f"] for t in trials(folder, url)] == [7, 7, 7], trials(folder, url))
        check(sum(begun(folder).values()) == 3 and not spooled(folder), begun(folder), spooled(folder))


def test_a_command_of_the_database_is_not_run():
    with Folder() as folder:
        url = database(folder)
        folder.write("s.yaml", problem("s", shell("touch evil; echo '{\"f\": 1, \"c\": -1}'"), budget=2))
        folder.ckg("ask", "s.yaml", "--store", url, expect=0)
        folder.ckg("run", "--store", url, "--study", "s", expect=2).one_line("give the problem file")
        check(not (folder / "evil").exists())


def test_the_store_of_the_problem_files():
    """`store:` in every file that a worker has, and where they differ."""
    with Folder() as folder:
        url = database(folder)
        for name in "st":
            folder.write(f"{name}.yaml", problem(name, shell("echo '{\"f\": 1, \"c\": -1}'"), budget=2) + f"store: {url}\n")
        folder.ckg("worker", "--begin", "--until-idle", "--quiet", "--spool", "spool", expect=0)
        check(len(trials(folder, url, "s")) == len(trials(folder, url, "t")) == 2)
        status = json.loads(folder.ckg("status", "--store", url, "--study", "s", "--json", expect=0).out)
        check(status["workers"] == [] and status["running"] == 0, status)
        folder.write("t.yaml", problem("t", shell("true"), budget=2))
        folder.ckg("worker", expect=2).one_line("which store?")


if __name__ == "__main__":
    if not postgresql.is_installed():
        print("PostgreSQL is not installed here (Debian: postgresql): workers of a server are not tested")
        sys.exit(77)
    if "built without PostgreSQL" in subprocess.run([PROGRAM, "studies", "--store", "postgresql://x"], capture_output=True, text=True).stderr:
        print("this ckg was built without libpq (Debian: libpq-dev): workers of a server are not tested")
        sys.exit(77)
    with postgresql.Server() as SERVER:
        main(globals())

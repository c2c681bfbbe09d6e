"""Studies in PostgreSQL: every command, several processes, kills, a server that ends, credentials. One server for all of it.

The tests of test_concurrent.py and test_kill.py run here too: every problem file gets a `store:` in a database of its folder's own.
"""
import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import time

import harness
from harness import PATIENCE, PROGRAM, Folder, Skip, check, compile_c, main, marked, once_there, problem, wait_for
import postgresql
import test_concurrent as concurrent
import test_kill as kill

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "faults"))
from nothing_lost import storm  # noqa: E402

ANSWER = ["sh", "-c", "echo \"{\\\"f\\\": 0.$CKG_TRIAL, \\\"c\\\": -1}\""]
SERVER = None


# --- problem files that say `store:` ---

def database_of(folder):
    return folder.path.name.replace("-", "_").lower()


def url_of(folder):
    return SERVER.url(database_of(folder))


def make_database(folder):
    SERVER.sql(f"CREATE DATABASE {database_of(folder)} OWNER ckg")
    (folder / "s.db").touch()  # some tests ask whether there is a store yet


write_plain = Folder.write


def write_with_store(folder, name, text, mode=0o644):
    if name.endswith(".yaml"):
        if not (folder / "s.db").exists():
            make_database(folder)
        text += f"store: {url_of(folder)}\n"
    return write_plain(folder, name, text, mode)


def start_again(folder):
    SERVER.sql(f"DROP DATABASE {database_of(folder)} WITH (FORCE)")
    before_start_again(folder)
    make_database(folder)


before_start_again = kill.start_again


class Stored:
    """As long as it lasts, problem files name a store on the server."""

    def __enter__(self):
        Folder.write, kill.start_again, self.light = write_with_store, start_again, harness.LIGHT
        harness.LIGHT = True

    def __exit__(self, *_):
        Folder.write, kill.start_again, harness.LIGHT = write_plain, before_start_again, self.light


def stored(test):
    def run():
        with Stored():
            test()
    run.__name__ = test.__name__
    return run


test_many_trials_by_eight_processes = stored(concurrent.test_many_trials_by_eight_processes)
test_all_begin_a_study_at_once = stored(concurrent.test_all_begin_a_study_at_once)
test_two_runs_by_a_model = stored(concurrent.test_two_runs_by_a_model)
test_the_budget_holds_against_asking = stored(concurrent.test_the_budget_holds_against_asking)
test_asking_for_many_is_all_or_none = stored(concurrent.test_asking_for_many_is_all_or_none)
test_asking_beside_a_run = stored(concurrent.test_asking_beside_a_run)
test_random_moments = stored(kill.test_random_moments)
test_every_write = stored(kill.test_every_write)
test_left_over_evaluations_end_first = stored(kill.test_left_over_evaluations_end_first)


# --- the same as in a file ---

def essence(text):
    """Everything but how long evaluations took."""
    return [{k: v for k, v in json.loads(line).items() if k not in ("seconds", "asked", "ended")} for line in text.splitlines()]


def test_bit_for_bit_as_in_a_file():
    """One run, and every command after it."""
    with Folder() as folder:
        folder.write("s.yaml", problem("s", ["./quick", "{x}", "{y}"], budget=16, policy="auto"))
        compile_c(folder, "quick", kill.EVALUATOR)
        url = SERVER.database("bits")
        words = [["run"], ["trials", "--json"], ["recommend", "--json"], ["model", "--json"], ["importance", "--json"], ["check"],
                 ["tell", "3", "--replace", "f=0.5", "c=-0.25"], ["discard", "4"], ["undo"], ["trials", "3", "--json"], ["retry", "5"], ["run"],
                 ["trials", "--json"], ["recommend", "--json"], ["check"], ["export"]]
        for command, *more in words:
            here = folder.ckg(command, "s.yaml", *more, expect=0)
            there = folder.ckg(command, "s.yaml", *more, "--store", url, expect=0)
            if "--json" in more and command == "trials" and len(more) == 1:
                check(essence(here.out) == essence(there.out), command)
            elif "--json" in more and command != "trials":
                check(here.out == there.out, command, here.out, there.out)
        check(len(folder.trials("s.yaml")) == 16)


# What evaluations and people may write: bytes that are no UTF-8, the last characters of Unicode, quotes, backslashes, letters of all kinds.
ODD = b"\xff\xfe\x80 \xf4\x8f\xbf\xbf \xf4\x8f\xbe\x80 '; DROP TABLE ckg.trial; -- \\x00 \"$1\" \xc3\xa9 \xf0\x9f\x90\x98 \xed\xa0\x80\n"


def test_odd_bytes():
    """They come back as from a file, also where a server takes nothing but UTF-8; numbers to the last bit."""
    with Folder() as folder:
        (folder / "odd").write_bytes(ODD)
        folder.write("answer", '{"f": -0.0, "c": -4.9406564584124654e-324, "more": "\\\\ \\u00e9 \\u001b"}\n')
        script = "cat odd >&2; test $CKG_TRIAL = 2 && exit 3; cat answer"
        folder.write("s.yaml", problem("s", ["sh", "-c", script], budget=3, evaluate="  pause_after: 0\n"))
        url = SERVER.database("odd")
        for more in ([], ["--store", url]):
            folder.ckg("run", "s.yaml", "--quiet", *more, expect=0)
        plain = [folder.ckg("trials", "s.yaml", "2", expect=0).out, folder.ckg("trials", "s.yaml", "--json", expect=0).out]
        there = [folder.ckg("trials", "s.yaml", "2", "--store", url, expect=0).out, folder.ckg("trials", "s.yaml", "--json", "--store", url, expect=0).out]
        strip = re.compile(r"\d[\d.e-]* s\b|\d{4}-\d\d-\d\d \d\d:\d\d:\d\d|evaluated by \S+ \d+").sub
        check(strip("", plain[0]) == strip("", there[0]), plain[0], there[0])
        check(essence(plain[1]) == essence(there[1]), plain[1], there[1])
        check("e-324" in there[1], there[1])
        folder.ckg("check", "s.yaml", "--store", url, expect=0)


def test_studies():
    with Folder() as folder:
        url = SERVER.database("several")
        check("no study in it yet" in folder.ckg("studies", "--store", url, expect=1).err)
        for name, budget in (("one", 2), ("another, with 'quotes'", 4)):
            folder.write("s.yaml", problem(json.dumps(name), ANSWER, budget=budget) + f"store: {url}\n")
            folder.ckg("run", "s.yaml", "--quiet", expect=0)
        lines = [json.loads(line) for line in folder.ckg("studies", "--store", url, "--json", expect=0).out.splitlines()]
        check([(s["study"], s["budget"], s["complete"]) for s in lines] == [("another, with 'quotes'", 4, 4), ("one", 2, 2)], lines)
        out = folder.ckg("studies", url, expect=0).out
        check("one: 2 of 2 evaluations (2 complete, 0 failed), 0 running, 0 pending, last result 20" in out, out)
        check(folder.ckg("status", "--store", url, "--study", "one", expect=0).out.startswith("one: 2 of 2"))
        check("which study" in folder.ckg("status", url, expect=2).err)


# --- a server that ends, connections that are cut ---

def cut_connections(database):
    SERVER.sql(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{database}' AND pid <> pg_backend_pid()")


def test_server_ends_and_comes_back():
    """While runs evaluate: nothing is lost, nothing twice, nobody notices."""
    rng = random.Random(11)
    with Stored(), Folder() as folder:
        compile_c(folder, "quick", concurrent.EVALUATOR)
        budget = 60
        folder.write("s.yaml", problem("s", ["sh", "-c", once_there("go", "exec ./quick $0"), "{x}"], budget=budget, evaluate="  parallel: 2\n"))
        runs = [folder.start("run", "s.yaml", "--quiet") for _ in range(3)]
        wait_for(lambda: all(SERVER.has_begun(database_of(folder), run) for run in runs), "the runs")
        (folder / "go").touch()
        for turn in range(6):
            time.sleep(rng.uniform(0.1, 0.4))
            if turn % 3 == 2:
                SERVER.restart("immediate")
            else:
                cut_connections(database_of(folder))
        for process in runs:
            _, err = process.communicate(timeout=PATIENCE)
            check(process.returncode == 0 and not err, process.returncode, err)
        concurrent.check_study(folder, budget)
        folder.ckg("check", "s.yaml", expect=0)


def spooled(folder):
    spool = folder / ".state/ckg/spool"
    return sorted(name for name in os.listdir(spool) if name.endswith(".answer")) if spool.exists() else []


def begin_two(folder, budget, *words):
    """A run whose first two evaluations wait for the file "go"."""
    folder.write("s.yaml", problem("s", ["sh", "-c", "echo $CKG_TRIAL >>log; " + once_there("go", "echo '{\"f\": 7, \"c\": -1}'")], budget=budget, evaluate="  parallel: 2\n"))
    run = folder.start("run", "s.yaml", *words)
    wait_for(lambda: (folder / "log").exists() and len((folder / "log").read_text().split()) == 2)
    return run


def check_each_once(folder, budget):
    check([t["values"]["f"] for t in folder.trials("s.yaml")] == [7] * budget, folder.trials("s.yaml"))
    check(sorted(map(int, (folder / "log").read_text().split())) == list(range(1, budget + 1)), "evaluated twice")
    check(not spooled(folder), spooled(folder))
    folder.ckg("check", "s.yaml", expect=0)


def test_a_run_outlives_its_server():
    """Answers that come while the server is away wait in the spool; the run delivers them when it is back, and goes on."""
    with Stored(), Folder() as folder:
        run = begin_two(folder, 5, "--quiet")
        SERVER.stop()
        try:
            folder.write("go", "")
            wait_for(lambda: len(spooled(folder)) == 2 or run.poll() is not None)
            check(run.poll() is None, "the run has ended:", run.poll())
        finally:
            SERVER.start()
        _, err = run.communicate(timeout=PATIENCE)
        check(run.returncode == 0 and not err, run.returncode, err)
        check_each_once(folder, 5)


def test_answers_of_a_run_that_ended_meanwhile():
    """Killed or interrupted while the server is away: the next run, or a worker, delivers what waits, and evaluates nothing again."""
    for end, heir in ((signal.SIGKILL, "run"), (signal.SIGINT, "run"), (signal.SIGINT, "worker")):
        with Stored(), Folder() as folder:
            run = begin_two(folder, 4)
            SERVER.stop()
            try:
                folder.write("go", "")
                wait_for(lambda: len(spooled(folder)) == 2 or run.poll() is not None)
                os.killpg(run.pid, end)
                _, err = run.communicate(timeout=PATIENCE)
            finally:
                SERVER.start()
            if end == signal.SIGINT:
                check(b"2 answers wait in " in err and b"; the next run or worker here delivers them" in err, err)
                check(run.returncode == 1 and err.decode().splitlines()[-1].startswith("interrupted after "), run.returncode, err)
            folder.ckg(heir, "s.yaml", "--quiet", *(["--until-idle"] if heir == "worker" else []), expect=0)
            check_each_once(folder, 4)


def test_a_run_without_a_spool():
    """Where answers cannot wait, a server that stays away ends the run, and what was answered is said."""
    with Stored(), Folder() as folder:
        (folder / ".state").write_text("no folder")
        run = begin_two(folder, 4, "--quiet")
        SERVER.stop()
        try:
            folder.write("go", "")
            _, err = run.communicate(timeout=PATIENCE)
        finally:
            SERVER.start()
        check(run.returncode == 1 and err.count(b"record that with `ckg tell`") == 2, run.returncode, err)


def test_nothing_is_lost():
    """Sixteen workers, some killed, connections cut, the server ends five times; 2,000 trials by tests/faults/nothing_lost.py, see docs/reliability.md."""
    storm(SERVER, trials=120, count=16, seed=3, apart=False)


def test_server_that_is_not_there():
    with Folder() as folder:
        for url in (f"postgresql://ckg@/none?host={SERVER.folder}", "postgresql://nobody@127.0.0.1:1/none", "postgresql:///x?host=/nowhere"):
            result = folder.ckg("studies", "--store", url, expect=1)
            result.one_line(url)
        for url, status in (("postgresql://host:port/x", 1), ("postgresql://h/x?nonsense=1", 2), ("postgresql://[/x", 2)):
            folder.ckg("studies", "--store", url, expect=status).one_line()


def test_what_a_database_must_be():
    with Folder() as folder:
        folder.write("s.yaml", problem("s", ANSWER, budget=2))
        SERVER.sql("CREATE DATABASE latin OWNER ckg ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0")
        folder.ckg("run", "s.yaml", "--store", SERVER.url("latin"), expect=2).one_line("LATIN1", "UTF8")
        SERVER.sql("CREATE DATABASE others")
        folder.ckg("run", "s.yaml", "--store", SERVER.url("others"), expect=1).one_line("permission denied", "GRANT CREATE")
        SERVER.sql("CREATE SCHEMA ckg AUTHORIZATION ckg", database="others")
        folder.ckg("run", "s.yaml", "--quiet", "--store", SERVER.url("others"), expect=0)
        SERVER.sql("CREATE TABLE study (id int)", database="others")  # another program's, in its own schema
        folder.ckg("check", "s.yaml", "--store", SERVER.url("others"), expect=0)
        SERVER.sql("CREATE DATABASE taken OWNER ckg")
        SERVER.sql("CREATE SCHEMA ckg AUTHORIZATION ckg; CREATE TABLE ckg.theirs (id int)", database="taken")
        folder.ckg("run", "s.yaml", "--store", SERVER.url("taken"), expect=2).one_line("another program")


# --- credentials ---

def lines_of_processes(folder):
    """Of what was started there; other processes may be those of the same test, run once more at the same time."""
    for entry in os.listdir("/proc"):
        if entry.isdigit() and marked(entry, folder.mark):
            try:
                yield pathlib.Path(f"/proc/{entry}/cmdline").read_bytes()
            except OSError:
                pass


def test_credentials_are_nowhere():
    """However the password comes: in the URL, in the file, in the environment, in a file of passwords."""
    secret = "pa55-w0rd-%2Fof%20ckg"
    with postgresql.Server(auth="scram-sha-256") as server, Folder() as folder:
        server.sql("ALTER ROLE ckg PASSWORD 'pa55-w0rd-/of ckg'")
        plain = server.url()
        said = []

        def ckg(*words, expect=0, **how):
            result = folder.ckg(*words, expect=expect, **how)
            said.append(result.out + result.err)
            return result

        # Without one, and with a wrong one.
        slow = problem("s", ["sh", "-c", "until test -e go; do sleep 0.02; done; env >env; echo '{\"f\": 1, \"c\": -1}'"], budget=3)
        folder.write("s.yaml", slow)
        ckg("run", "s.yaml", "--store", plain, expect=1)
        ckg("run", "s.yaml", "--store", server.url(password="wrong-pa55-w0rd"), expect=1)
        ckg("run", "s.yaml", "--store", f"postgresql://ckg:{secret}@/ckg?nonsense=1", expect=2)
        ckg("run", "s.yaml", f"--store=postgresql://ckg:{secret}@host:port/ckg", expect=1)

        # On the command line, while it runs.
        run = folder.start("run", "s.yaml", "--store", server.url(password=secret))
        wait_for(lambda: server.sql("SELECT COUNT(*) FROM pg_stat_activity WHERE usename = 'ckg'") == "1", what="the run")
        lines = list(lines_of_processes(folder))
        check(lines and not any(b"pa55-w0rd" in line for line in lines), "a password in the list of processes:", lines)
        folder.write("go", "")
        out, err = run.communicate(timeout=PATIENCE)
        check(run.returncode == 0, err)
        said += [out.decode(), err.decode()]

        # In the problem file, behind the question mark, in the environment, in a file of passwords, in a service.
        folder.write("t.yaml", slow.replace("name: s", "name: t") + f"store: {server.url(password=secret)}\n")
        ckg("run", "t.yaml")
        ckg("tell", "t.yaml", "2", "--replace", "f=3")
        ckg("tell", "s.yaml", "2", "--replace", "f=3", "--store", server.url(more=f"&password={secret}"))
        ckg("undo", "s.yaml", "--store", server.url(password=secret))
        ckg("status", "s.yaml", "--store", plain, env={"PGPASSWORD": "pa55-w0rd-/of ckg"})
        folder.write("pass", "*:*:*:ckg:pa55-w0rd-/of ckg\n", mode=0o600)
        ckg("trials", "s.yaml", "--json", "--store", plain, env={"PGPASSFILE": folder / "pass"})
        folder.write("service", f"[lab]\nhost={server.folder}\nuser=ckg\ndbname=ckg\npassword=pa55-w0rd-/of ckg\n")
        ckg("studies", "--store", "postgresql://?service=lab", env={"PGSERVICEFILE": folder / "service"})
        ckg("report", "t.yaml", "-o", "r.html")
        ckg("check", "t.yaml", "--json")
        ckg("export", "t.yaml")

        # Nowhere.
        dump = subprocess.run([postgresql.find("pg_dump"), "-h", server.folder, "-U", "boss", "ckg"], env={**os.environ, "PGPASSWORD": "boss"},
                              capture_output=True, text=True, check=True).stdout
        check("tell t.yaml 2 --replace" in dump, "the history is not in the dump")
        for what in (*said, dump, (folder / "r.html").read_text(), (folder / "env").read_text()):
            check("pa55-w0rd" not in what, "a password in", what[:3000])


# --- the how-to ---

def commands_of(text):
    """(command, pattern of what it prints) of a block of the page."""
    for part in re.split(r"^\$ ", text, flags=re.M)[1:]:
        command, _, expected = part.partition("\n")
        yield command, re.escape(expected).replace("…", ".*")


def test_the_howto():
    """What docs/howto/postgresql.md shows, but for the name of the machine."""
    page = pathlib.Path(__file__).parents[2] / "docs" / "howto" / "postgresql.md"
    there, tried = f"?host={SERVER.folder}", 0
    with Folder() as folder:
        for words, text in re.findall(r"^```(.*)\n((?:.*\n)*?)```$", page.read_text(), re.M):
            if "file=lab.sql" in words:
                for statement in text.split(";")[:-1]:
                    SERVER.sql(statement)
            elif "file=spring.yaml" in words:
                folder.write("spring.yaml", text.replace("db.lab/lab", "/lab" + there))
            elif "tried" in words:
                for command, expected in commands_of(text):
                    command = re.sub(r"(postgresql://\w+@)db.lab/lab", rf"'\1/lab{there}'", command)
                    done = subprocess.run(["sh", "-c", command], cwd=folder.path, text=True, capture_output=True,
                                          env={**os.environ, "PATH": os.path.dirname(PROGRAM) + ":" + os.environ["PATH"]})
                    printed = (done.stdout + done.stderr).replace("@/lab" + there, "@db.lab/lab")
                    check(done.returncode == 0 and re.fullmatch(expected, printed), command, printed)
                    tried += 1
    check(tried == 5, tried)


# --- pgbouncer ---

def test_through_pgbouncer():
    """In transaction mode, where no two transactions need have the same connection of the server's."""
    bouncer = shutil.which("pgbouncer", path=os.environ["PATH"] + ":/usr/sbin")
    if not bouncer:
        raise Skip("pgbouncer is not installed here (Debian: pgbouncer)")
    with Folder() as folder:
        SERVER.database("pooled")
        config = SERVER.write("pgbouncer.ini", f"""[databases]
pooled = host={SERVER.folder} dbname=pooled user=ckg
[pgbouncer]
listen_addr =
unix_socket_dir = {SERVER.folder}
listen_port = 6432
auth_type = any
pool_mode = transaction
default_pool_size = 3
server_reset_query_always = 1
server_reset_query = DISCARD ALL
{"" if os.geteuid() else f"user = {postgresql.USER}"}
logfile = {SERVER.folder}/pgbouncer.log
""")
        process = subprocess.Popen([bouncer, config], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            wait_for(lambda: os.path.exists(f"{SERVER.folder}/.s.PGSQL.6432"), what="pgbouncer")
            compile_c(folder, "quick", concurrent.EVALUATOR)
            folder.write("s.yaml", problem("s", ["./quick", "{x}"], budget=40) + f"store: postgresql://ckg@/pooled?host={SERVER.folder}&port=6432\n")
            runs = [folder.start("run", "s.yaml", "--quiet") for _ in range(5)]
            for run in runs:
                _, err = run.communicate(timeout=PATIENCE)
                check(run.returncode == 0 and not err, run.returncode, err)
            concurrent.check_study(folder, 40)
            folder.ckg("check", "s.yaml", expect=0)
        finally:
            process.terminate()
            process.wait()


if __name__ == "__main__":
    if not postgresql.is_installed():
        print("PostgreSQL is not installed here (Debian: postgresql): its store is not tested")
        sys.exit(77)
    if "built without PostgreSQL" in subprocess.run([PROGRAM, "studies", "--store", "postgresql://x"], capture_output=True, text=True).stderr:
        print("this ckg was built without libpq (Debian: libpq-dev): its store is not tested")
        sys.exit(77)
    with postgresql.Server() as SERVER:
        main(globals())

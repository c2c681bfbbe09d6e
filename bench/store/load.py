"""load.py BUILD [OPTUNA_PYTHON]: the load that PostgreSQL takes as a store, into bench/results/store.txt.

A server of its own, durable, on this machine. With 1, 8 and 32 workers: claims with finishes a second by build/bench/store_load, and the same
statements, as the server has logged them, by pgbench right after. Then a trial as `ckg run` has it in the store, and in Optuna's storage on the same
server, in turn, where a Python with optuna and psycopg2 is given; and what idle workers (IDLE, 1,000) cost the server.
"""
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "tests", "app"))
BUILD, OPTUNA = os.path.abspath(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else ""
sys.argv[1:] = [os.path.join(BUILD, "ckg")]
import postgresql  # noqa: E402

MARKER = 100  # the number of the last trial that store_load evaluates alone

OPTUNA_SCRIPT = """
import sys, time, optuna
optuna.logging.set_verbosity(optuna.logging.ERROR)
study = optuna.create_study(storage=sys.argv[1], sampler=optuna.samplers.RandomSampler(seed=1))
study.optimize(lambda t: t.suggest_float("wire", 0, 1) + t.suggest_int("coils", 1, 9), n_trials=10)
start = time.monotonic()
study.optimize(lambda t: t.suggest_float("wire", 0, 1) + t.suggest_int("coils", 1, 9), n_trials=100)
print(1e3 * (time.monotonic() - start) / 100)
"""


def logged(server):
    """The statements of the last claim and its finish, as pgbench takes them: numbers of trials and revisions as the server gives them."""
    with open(os.path.join(server.folder, "log")) as file:
        entries = re.split(r"\n(?=\d{4}-\d\d-\d\d )", file.read())
    found = []
    for entry in entries:
        statement = re.search(r"LOG:  (?:statement|execute <unnamed>): (.*)", entry, re.S)
        detail = re.search(r"DETAIL:  parameters: (.*)", entry, re.S)
        if statement:
            found.append([" ".join(statement[1].split()), {}])
        elif detail and found:
            found[-1][1] = dict(re.findall(r"(\$\d+) = ('(?:[^']|'')*'|NULL)", detail[1]))
    starts = [i for i, (words, _) in enumerate(found) if words.startswith("SELECT t.number") and "MIN(p.number)" in words]
    commits = [i for i, (words, _) in enumerate(found) if words == "COMMIT"]
    first = max(i for i in starts if i < commits[-2])
    return found[first:[i for i in commits if i > first][1] + 1]


def script(statements):
    """The transactions' statements; the study's row, which each takes hold of, has the revision that its changes get."""
    revision, lines = None, []
    for at, (words, values) in enumerate(statements):
        def value(match):
            text = values[match[0]]
            if text == f"'{MARKER}'" and "SET revision = $1, last" not in words:
                return ":number"
            if revision and text == f"'{revision}'":
                return "(:revision + 1)"
            return text if not re.fullmatch(r"'-?[\d.]+'", text) else text.strip("'") if not text.startswith("'-") else f"({text.strip(chr(39))})"
        text = re.sub(r"\$\d+", value, words)
        if "LIMIT 1" in words:
            text = f"SELECT q.number FROM ({text}) q \\gset"
        elif words.startswith("SELECT id, name"):
            text += " \\gset"
            revision = next(v["$1"].strip("'") for w, v in statements[at:] if "SET revision = $1, last" in w)
        else:
            text += ";"
        lines.append(text)
    return "\n".join(lines) + "\n"


def rate(server, workers, trials, name=None):
    """The name of a new database, and what it took there."""
    name = name or f"load_{workers}"
    url = server.database(name)
    ours = subprocess.run([os.path.join(BUILD, "bench", "store_load"), url, str(workers), str(trials)], check=True, capture_output=True, text=True).stdout.strip()
    return name, ours


def pgbench(server, name, path, workers, trials):
    server.sql("UPDATE ckg.trial SET state = 'pending', outcomes = NULL, worker = NULL, seconds = NULL, ended = NULL, lease = NULL WHERE number > 100",
               database=name)
    done = subprocess.run([postgresql.find("pgbench"), "-n", "-M", "extended", "-f", path, "-c", str(workers), "-j", "2", "-t", str(trials // workers),
                           "-h", server.folder, "-U", "ckg", name], capture_output=True, text=True)
    found = re.search(r"tps = ([\d.]+)", done.stdout)
    return float(found[1]) if found else done.stderr[-300:]


def seconds_of(server):
    """Processor time of the server and everything below it."""
    leader = int(open(os.path.join(server.data, "postmaster.pid")).readline())
    tick, total = os.sysconf("SC_CLK_TCK"), 0
    for entry in os.listdir("/proc"):
        try:
            fields = open(f"/proc/{entry}/stat").read().rpartition(")")[2].split()
            if entry.isdigit() and (int(entry) == leader or int(fields[1]) == leader):
                total += int(fields[11]) + int(fields[12])
        except (OSError, ValueError, IndexError):
            pass
    return total / tick


def idle(server, count, seconds=60):
    """Workers that have nothing to do, after all have come."""
    with tempfile.TemporaryDirectory() as folder:
        url = server.database(f"idle_{count}")
        with open(os.path.join(folder, "s.yaml"), "w") as file:
            file.write("name: s\ngoal: minimize\nbudget: 1\npolicy: sobol\nparameters: {x: {type: real, low: 0, high: 1}}\nobjective: {name: f}\n"
                       "evaluate: {command: [sh, -c, 'echo \"{\\\"f\\\": 1}\"']}\n")
        program = os.path.join(BUILD, "ckg")
        subprocess.run([program, "run", "s.yaml", "--store", url, "--quiet"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        workers = []
        try:
            while len(workers) < count:
                workers += [subprocess.Popen([program, "worker", "--store", url, "s.yaml", "--quiet", "--threads", "1"], cwd=folder,
                                             stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) for _ in range(20)]
                while int(server.sql("SELECT COUNT(*) FROM ckg.worker", database=f"idle_{count}")) < len(workers):
                    time.sleep(0.1)
            if any(worker.poll() is not None for worker in workers):
                raise SystemExit("a worker has ended")
            before, start = seconds_of(server), time.monotonic()
            time.sleep(seconds)
            return 100 * (seconds_of(server) - before) / (time.monotonic() - start)
        finally:
            for worker in workers:
                worker.terminate()
            for worker in workers:
                worker.wait()


def main():
    lines = []

    def say(line):
        print(line, flush=True)
        lines.append(line)

    with postgresql.Server(safe=True, settings=("max_connections=1100", "log_statement=all")) as server:
        say(f"PostgreSQL {server.sql('SHOW server_version')}, fsync on, unix socket, {os.cpu_count()} cores")
        subprocess.run([os.path.join(BUILD, "bench", "store_load"), server.database("logged"), "1", "0"], check=True, stdout=subprocess.DEVNULL)
        path = server.write("claim.sql", script(logged(server)))
        server.sql("ALTER SYSTEM SET log_statement = 'none'")
        server.sql("SELECT pg_reload_conf()")
        for workers, trials in ((1, 400), (8, 800), (32, 800)):
            name, ours = rate(server, workers, trials)
            bare = pgbench(server, name, path, workers, trials)
            say(f"{ours}; pgbench with the same statements: {bare if isinstance(bare, str) else f'{bare:.0f}'} a second")
        if OPTUNA:
            server.database("optuna")
            url = f"postgresql+psycopg2://ckg@/optuna?host={server.folder}"
            ours, theirs = [], []
            for turn in range(3):
                ours.append(float(re.search(r"([\d.]+) ms", rate(server, 1, 0, f"alone_{turn}")[1])[1]))
                theirs.append(float(subprocess.run([OPTUNA, "-c", OPTUNA_SCRIPT, url], check=True, capture_output=True, text=True).stdout))
            version = subprocess.run([OPTUNA, "-c", "import optuna; print(optuna.__version__)"], check=True, capture_output=True, text=True).stdout.strip()
            say(f"milliseconds of a trial, in turn: ours {', '.join(f'{t:.1f}' for t in ours)}, Optuna {version}'s RDB storage with its random sampler "
                f"{', '.join(f'{t:.1f}' for t in theirs)}: {statistics.median(theirs) / statistics.median(ours):.1f} times as long by the medians")
        count = int(os.environ.get("IDLE", "1000"))
        say(f"{count} idle workers, a connection each: {idle(server, count):.2f} % of one core for the server, over a minute")
    with open(os.path.join(HERE, "..", "results", "store.txt"), "w") as file:
        file.write("".join(line + "\n" for line in lines))


if __name__ == "__main__":
    main()

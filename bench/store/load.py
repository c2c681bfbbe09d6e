"""load.py BUILD [OPTUNA_PYTHON]: the load that PostgreSQL takes as a store, into bench/results/store.txt.

A server of its own, durable, on this machine. With 1, 8 and 32 workers: claims with finishes a second by build/bench/store_load, and the same
statements, as the server has logged them, by pgbench right after. Then Optuna's storage on the same server, one trial after the other, where a
Python with optuna and psycopg2 is given; and what idle workers cost the server.
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
    starts = [i for i, (words, _) in enumerate(found) if words.startswith("SELECT t.number") and "LIMIT" not in words and "$2" not in words]
    commits = [i for i, (words, _) in enumerate(found) if words == "COMMIT"]
    first = max(i for i in starts if i < commits[-2])
    return found[first:[i for i in commits if i > first][1] + 1]


def script(statements):
    revision, lines = None, []
    for at, (words, values) in enumerate(statements):
        def value(match):
            text = values[match[0]]
            if text == f"'{MARKER}'":
                return ":number"
            if revision and text == f"'{revision}'":
                return ":revision"
            return text if not re.fullmatch(r"'-?[\d.]+'", text) else text.strip("'") if not text.startswith("'-") else f"({text.strip(chr(39))})"
        text = re.sub(r"\$\d+", value, words)
        if "LIMIT 1" in words:
            text = f"SELECT q.number FROM ({text}) q \\gset"
        elif "RETURNING revision" in words:
            text = text.replace("RETURNING revision", "RETURNING revision AS revision") + " \\gset"
            revision = None
            for w, vs in statements[at:]:
                if w.startswith("UPDATE ckg.trial SET state = 'running'"):
                    revision = vs["$1"].strip("'")
                    break
                if w.startswith("UPDATE ckg.trial SET state = $1"):
                    revision = vs["$2"].strip("'")
                    break
        else:
            text += ";"
        lines.append(text)
    return "\n".join(lines) + "\n"


def rate(server, workers, trials):
    """Ours, then pgbench's with the same number of trials that wait."""
    name = f"load_{workers}"
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


def idle(server, count, seconds=30):
    """Workers that have nothing to do, after all have come."""
    with tempfile.TemporaryDirectory() as folder:
        url = server.database(f"idle_{count}")
        with open(os.path.join(folder, "s.yaml"), "w") as file:
            file.write("name: s\ngoal: minimize\nbudget: 1\npolicy: sobol\nparameters: {x: {type: real, low: 0, high: 1}}\nobjective: {name: f}\n"
                       "evaluate: {command: [sh, -c, 'echo \"{\\\"f\\\": 1}\"']}\n")
        program = os.path.join(BUILD, "ckg")
        subprocess.run([program, "run", "s.yaml", "--store", url, "--quiet"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        workers = [subprocess.Popen([program, "worker", "--store", url, "s.yaml", "--quiet", "--threads", "1"], cwd=folder, stdin=subprocess.DEVNULL,
                                    stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) for _ in range(count)]
        try:
            while int(server.sql("SELECT COUNT(*) FROM pg_stat_activity WHERE usename = 'ckg'")) < count:
                time.sleep(0.5)
            time.sleep(5)
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
        for workers, trials in ((1, 1000), (8, 1600), (32, 1600)):
            name, ours = rate(server, workers, trials)
            bare = pgbench(server, name, path, workers, trials)
            say(f"{ours}; pgbench with the same statements: {bare if isinstance(bare, str) else f'{bare:.0f}'} a second")
        if OPTUNA:
            server.database("optuna")
            url = f"postgresql+psycopg2://ckg@/optuna?host={server.folder}"
            times = [float(subprocess.run([OPTUNA, "-c", OPTUNA_SCRIPT, url], check=True, capture_output=True, text=True).stdout) for _ in range(3)]
            say(f"Optuna's RDB storage on the same server, random sampler: {statistics.median(times):.1f} ms a trial (of {', '.join(f'{t:.1f}' for t in times)})")
        count = int(os.environ.get("IDLE", "200"))
        say(f"{count} idle workers: {idle(server, count):.2f} % of one core for the server")
    with open(os.path.join(HERE, "..", "results", "store.txt"), "w") as file:
        file.write("".join(line + "\n" for line in lines))


if __name__ == "__main__":
    main()

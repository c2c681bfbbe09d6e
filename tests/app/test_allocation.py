"""The n-th allocation fails, in the program and in every library that it uses: what is printed is right to the last byte, or the exit status is 1 and one
line says that memory ran out; and the store is whole.

`make test` tries a few places of every command; CKG_TEST_ALLOCATIONS=100 tries so many, and =all, as `make allocations` has it, every one.
"""
import os
import random
import re
import shutil
import sqlite3

from harness import PROGRAM, Folder, Skip, check, main, preload, scale

WANTED = os.environ.get("CKG_TEST_ALLOCATIONS")
SEED = int(os.environ.get("CKG_TEST_SEED", 1))
FEW = int(WANTED) if WANTED and WANTED.isdigit() else scale(10, 5)

STUDY = """name: s
goal: minimize
budget: {budget}
initial: 6
policy: cei
seed: 1
parameters:
  x: {{type: real, low: 0, high: 1}}
  k: {{type: integer, low: 1, high: 4}}
  a: {{type: categorical, values: [one, two]}}
  lot: {{value: 3}}
rules: ["x + k <= 4.5"]
objective: {{name: f, noise: none}}
constraints:
  c: {{max: {limit}, noise: none}}
evaluate:
  command: [sh, -c, "echo oh >&2; test $CKG_TRIAL != 5 && echo '{{\\"f\\": {{x}}, \\"c\\": -1, \\"more\\": 2}}'"]
"""

COMMANDS = [
    "status s.yaml", "status s.yaml --json", "trials s.yaml", "trials s.yaml --json", "trials s.yaml 5", "trials s.yaml 5 --json",
    "export s.yaml -o out", "export s.yaml --json -o out", "recommend s.yaml --threads 1", "recommend s.yaml --json --threads 1",
    "recommend s.yaml -p 0.9 --limit c=1 --threads 1", "model s.yaml --threads 1", "model s.yaml --json --threads 1", "importance s.yaml --threads 1",
    "predict s.yaml --at at.csv --threads 1", "score s.yaml --at at.csv --threads 1", "plot s.yaml -o out.svg --threads 1",
    "report s.yaml -o out.html --threads 1", "ask s.yaml -n 2 --threads 1", "ask s.yaml --at x=0.5 k=2 a=one", "tell s.yaml 3 --replace f=2 --note why",
    "tell s.yaml 5 --replace --failed no", "discard s.yaml 3", "retry s.yaml 5", "undo s.yaml", "import s.yaml in.csv --threads 1", "change s.yaml --yes",
    "check s.yaml", "run s.yaml --threads 1 --json", "run s.yaml --dry-run --threads 1", "new other", "policies --json", "problems mystery", "status",
    "completion bash", "bench --problem mystery --policy sobol,cei --replications 2 --initial 3 --evaluations 5 --seed 1 --threads 1 --quiet --out results",
    "bench --summary fresh/results", "bench --summary fresh/results --json", "bench --plot fresh/results -o out.svg",
]

WRITING = {"ask", "tell", "discard", "retry", "undo", "import", "change", "run"}

# What differs from one undisturbed command to the next.
MOMENTS = re.compile(rb"\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\dZ?|\"(seconds|asked|ended)\": [0-9.e-]+|[0-9.]+ s\n|\\.[0-9]+\\.part")


def make_study(folder):
    """Twelve trials, one of them failed, a change, and room for two more."""
    folder.write("s.yaml", STUDY.format(budget=12, limit=0))
    folder.ckg("run", "s.yaml", "--quiet", expect=0)
    folder.ckg("discard", "s.yaml", 2, expect=0)
    folder.write("s.yaml", STUDY.format(budget=14, limit=0))
    folder.write("at.csv", "x,k,a\n0.2,2,one\n0.7,3,two\n")
    folder.write("in.csv", "x,k,a,f,c\n0.2,2,one,1,-1\n0.7,3,two,2,\n")
    folder.ckg("status", "s.yaml", expect=0)
    shutil.copytree(folder.path, folder / "fresh")
    folder.ckg(*"bench --problem mystery --policy sobol,cei --replications 2 --initial 3 --evaluations 5 --seed 1 --out fresh/results".split(), expect=0)


def renew(folder, command):
    shutil.rmtree(folder / "results", ignore_errors=True)
    for entry in os.listdir(folder.path):
        if entry not in ("fresh", "alloc.so"):
            os.unlink(folder / entry)
    for entry in os.listdir(folder / "fresh"):
        if entry != "results":
            shutil.copy(folder / "fresh" / entry, folder / entry)
    if command.startswith("change"):
        folder.write("s.yaml", STUDY.format(budget=14, limit=1))


def execute(folder, command, n):
    """Exit status, standard output, standard error, files written, of the command on a fresh study."""
    renew(folder, command)
    env = preload(folder, "alloc", CKG_TEST_ALLOC=n, CKG_TEST_ALLOC_COUNT=folder / "count")
    process = folder.start(*command.split(), env=env)
    out, err = process.communicate()
    written = [folder / name for name in ("out", "out.svg", "out.html", "other.yaml")] + sorted((folder / "results").glob("mystery*.csv"))
    files = {path.name: MOMENTS.sub(b"", path.read_bytes()) for path in written if path.exists()}
    return process.returncode, MOMENTS.sub(b"", out), err.decode(errors="replace"), files


def check_store(folder):
    store = sqlite3.connect(folder / "s.db")
    whole = store.execute("PRAGMA integrity_check").fetchone()[0]
    store.close()
    check(whole == "ok", whole)
    folder.ckg("trials", "--store", "sqlite:s.db", "--study", "s", expect=0)


def check_place(folder, command, n, reference):
    status, out, err, files = execute(folder, command, n)
    if status == reference[0]:
        if (status, out, files) == (reference[0], reference[1], reference[3]):
            return
    check(status == 1, "exit status", status, "with", repr(err[-500:]), "and" if out == reference[1] else "and another output:", repr(out[-300:]))

    # A run goes on with what runs, and may say twice that there is no memory.
    lines = err.splitlines()
    check(len(lines) == 1 or (command.startswith("run") and lines), "not one line:", repr(err))
    check("memory" in lines[-1] or "cannot start thread" in lines[-1], "not about memory:", lines[-1])
    check(not re.search("not YAML|damaged|constraint failed", err), err)


def places(count, rng):
    if WANTED == "all":
        return [sign * n for n in range(1, count + 1) for sign in (1, -1)]
    return [rng.choice((1, -1)) * rng.randint(1, count) for _ in range(FEW)]


def test_every_command():
    with Folder() as folder:
        make_study(folder)
        skip_sanitizers()
        tried = failed = 0
        known = folder.ckg("--help", expect=0).out
        for command in (c for c in COMMANDS if f"  {c.split()[0]} " in known):
            rng = random.Random(f"{SEED} {command}")
            reference = execute(folder, command, 0)
            count = int((folder / "count").read_text())
            check(execute(folder, command, 0)[:2] == reference[:2], command, "differs by itself")
            for n in places(count, rng) if count else []:
                tried += 1
                try:
                    check_place(folder, command, n, reference)
                    if command.split()[0] in WRITING:
                        check_store(folder)
                except AssertionError as what:
                    failed += 1
                    print(f"ckg {command}: allocation {n} of {count} fails: {what}", flush=True)
        print(f"{tried} allocations, seed {SEED}")
        check(not failed, failed, "of", tried)


def skip_sanitizers():
    """Their allocators are their own."""
    program = open(PROGRAM, "rb").read()
    if any(name in program for name in (b"__asan_init", b"__tsan_init", b"__msan_init")):
        raise Skip("sanitizers have allocators of their own")


if __name__ == "__main__":
    main(globals())

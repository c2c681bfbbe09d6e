"""output.py PROGRAM FOLDER: all that the program says to one list of questions, a file in FOLDER for each, so that two programs can be compared.

Studies of every kind are made by the program itself, with fixed seeds and values that are computed here. Then every command is asked about each of
them, as text and as JSON, every figure is drawn, every address of a server is looked at, results are posted, lines and problem files that are wrong
are tried, and what is in the stores at the end is written down. What no two runs have in common is replaced by a word in capitals: times, durations,
machine, processes, folders, ports, tokens, and the seals of the store, which cover times. `scripts/same-output.sh` runs this for two programs."""
import concurrent.futures
import hashlib
import http.client
import json
import os
import pathlib
import re
import shutil
import socket
import sqlite3
import sys
import urllib.parse

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "app"))
import harness  # noqa: E402
from harness import PROGRAM, Folder, Terminal, wait_for  # noqa: E402
from test_serve import ATTACKS, SECTIONS, Events, Server  # noqa: E402
from test_steer import Desk  # noqa: E402
from test_versions import OLD  # noqa: E402

FIGURES = ["sheet", "convergence", "map", "slices", "importance", "frontier", "acquisition", "residuals"]

# --- studies ---

REAL = {"type": "real", "low": 0, "high": 1}
XY = {"x": REAL, "y": REAL}
EXACT = {"name": "f", "noise": "none"}
BELOW = {"max": 0, "noise": "none"}
LIGHTLY = {"samples": 2}
ODD = {"parameter": "Größe <b>&", "category": "$(touch pwned)", "objective": "a=b, \"c\"", "constraint": "'); drop table trials; --"}
CHOICE = "x,y,batch\n" + "".join(f"{i / 10},{i * i % 11 / 10},b{i}\n" for i in range(12))


def answers(program):
    """The command of an evaluation: awk, which has started before Python would have found its modules."""
    return {"command": ["awk", "BEGIN { x = ARGV[1]; y = ARGV[2]; " + program + " }", "{x}", "{y}"]}


def prints(f, c):
    return answers(f'printf "{{\\"f\\": %.12g, \\"c\\": %.12g}}\\n", {f}, {c}')


MIXED = {"heat": {"type": "real", "low": 0.5, "high": 3, "step": 0.25, "unit": "°C", "description": "of the oven"},
         "batch": {"type": "integer", "low": 1, "high": 256, "scale": "log"}, "rate": {"type": "real", "low": 0.001, "high": 1, "scale": "log"},
         "shelf": {"type": "categorical", "values": [1, 3, 5]}, "alloy": {"type": "categorical", "values": ["steel", "brass"]},
         "recipe": {"value": 7}}

# What a problem file says beyond its name, goal, budget and seed.
STUDIES = {
    "plain": {"parameters": XY, "objective": EXACT, "constraints": {"c": BELOW}, "budget": 10, "initial": 6,
              "evaluate": prints("(x - 0.3)^2 + y", "0.4 - x")},
    "free": {"parameters": {"x": REAL}, "objective": EXACT, "budget": 9, "policy": "nei"},
    "noisy": {"parameters": XY, "objective": {"name": "f"}, "constraints": {"c": {"max": 0}}, "budget": 14, "model": LIGHTLY},
    "limits": {"parameters": XY, "objective": {"name": "f", "noise": 0.01, "unit": "kg"}, "policy": "cei",
               "constraints": {"c": BELOW, "low": {"min": 0.1, "noise": "none"},
                               "both": {"min": -1, "max": 0.5, "noise": "none", "unit": "mm", "description": "how far"}}},
    "equal": {"parameters": XY, "objective": {**EXACT, "positive": True}, "constraints": {"e": {"equal": 0.5, "tolerance": 0.1, "noise": "none"}}},
    "rules": {"parameters": {**XY, "kind": {"type": "categorical", "values": ["a", "b"]}}, "objective": EXACT, "constraints": {"c": BELOW},
              "rules": ["x + y <= 1.8", 'if kind == "b" then x < 0.95']},
    "yesno": {"parameters": XY, "objective": EXACT, "constraints": {"ok": {"type": "yesno"}}, "model": LIGHTLY},
    "costs": {"parameters": XY, "objective": {**EXACT, "cost": 0.5},
              "constraints": {"c": {**BELOW, "cost": 4}, "low": {"min": 0.1, "noise": "none", "cost": 0}},
              "groups": [["c", "low"]], "budget": 70, "initial": 4},
    "varying": {"parameters": XY, "objective": {"name": "f", "noise": "varying"}, "constraints": {"c": {"max": 0, "noise": "auto"}}, "model": LIGHTLY,
                "budget": 14},
    "mixed": {"goal": "maximize", "parameters": MIXED, "objective": EXACT, "constraints": {"c": BELOW}, "policy": {"name": "ckg", "candidates": 20}},
    "failing": {"parameters": XY, "objective": EXACT, "constraints": {"c": BELOW}, "failures": "model", "budget": 9, "initial": 6,
                "evaluate": {**answers('if (x > 0.6) { print "no licence" >"/dev/stderr"; exit 3 } '
                                       'printf "{\\"f\\": %.12g, \\"c\\": -1, \\"extra\\": 5}\\n", x + y'), "retries": 1}},
    "pending": {"parameters": XY, "objective": EXACT, "constraints": {"c": BELOW}, "designs": [{"x": 0.5, "y": 0.5}, {"x": 0.25, "y": 1}]},
    "history": {"parameters": XY, "objective": EXACT, "constraints": {"c": BELOW}, "budget": 20},
    "odd": {"parameters": {ODD["parameter"]: REAL, "kind": {"type": "categorical", "values": [ODD["category"], "重さ"]}},
            "objective": {"name": ODD["objective"], "noise": "none"}, "constraints": {ODD["constraint"]: {"max": 0, "noise": "none"}},
            "policy": "sobol"},
    "choose": {"choose_from": "choice.csv", "objective": EXACT, "constraints": {"c": BELOW}, "budget": 8, "initial": 5,
               "evaluate": prints("(x - 0.3)^2 + y", "0.4 - x")},
    "stop": {"parameters": XY, "objective": EXACT, "constraints": {"c": BELOW}, "budget": 14, "initial": 6, "stop": {"gain": "1%", "patience": 2},
             "evaluate": prints("(x - 0.3)^2 + y", "0.4 - x")},
    "empty": {"parameters": XY, "objective": EXACT, "constraints": {"c": BELOW}},
    "many": {"parameters": {f"p{i}": REAL for i in range(5)}, "objective": {"name": "f"}, "constraints": {"c": BELOW}, "policy": "kg",
             "model": {"samples": 1}},
    "worker": {"parameters": XY, "objective": EXACT, "constraints": {"c": BELOW}, "budget": 6, "policy": "sobol", "evaluate": prints("x + y", "-x")},
}

# What is done with each, in this order; "rows N" imports N trials, the study's file stands behind the command.
IMPORTED = [["rows", 8], ["import", "rows.csv"], ["ask", "-n", 2, "--json"], ["ask"]]
STEPS = {
    "plain": [["run", "--dry-run"], ["run", "--verbose"], ["run"]],
    "failing": [["run", "--verbose"], ["tell", 2, "--from-answer"], ["retry", "--failed", "--json"], ["discard", 3, "--note", "no licence"]],
    "choose": [["ask", "--json"], ["run", "--quiet"]],
    "stop": [["run"], ["run", "--json"], ["run", "--no-stop", "--verbose"]],
    "pending": [["ask", "-n", 3], ["ask", "--at", "x=0.125", "y=0.75"], ["tell", 1, "f=1", "c=-1"], ["pause"], ["resume", "--json"],
                ["pause", "--stop", "--json"]],
    "costs": [["rows", 5], ["import", "rows.csv", "--quiet"], ["ask", "-n", 2, "--json"], ["tell", 6, "f=0.5"], ["ask"]],
    "varying": [["rows", 12], ["import", "rows.csv", "--again"], ["ask"]],
    "noisy": [["rows", 9], ["import", "rows.csv"], ["import", "rows.csv"], ["ask"], ["tell", 10, "f=[0.5, 0.1]", "c=-0.2", "--json"],
              ["ask", "-m", "fit=ml"]],
    "history": [["rows", 8], ["import", "rows.csv"], ["tell", 2, "f=3", "--replace", "--note", "misread"], ["tell", 2, "f=4"],
                ["tell", 3, "c=null", "--replace"], ["tell", 4, "f=1", "c=-1", "--replace", "--at", "x=0.75"], ["discard", "5-6", "--note", "cold"],
                ["discard", 5, "--restore", "--json"],
                ["retry", 7, "--json"], ["tell", 7, "--failed", "<oven> was cold"], ["retry", "--failed"], ["tell", 7, "f=0.25", "c=0.1"], ["undo"],
                ["undo", "--yes"],
                ["change-limit"], ["status"], ["change"], ["change", "--json"], ["change", "--yes"], ["undo", "--json"], ["change", "--yes"]],
    "odd": [["ask", "-n", 4, "--json"], ["tell", 1, ODD["objective"] + "=1", ODD["constraint"] + "=-1"], ["tell", 2, "--failed", "<script>"]],
    "empty": [], "worker": [],
}


def unit_design(i, dimension):
    """The design by its shares of the ranges, which fill the space."""
    return [round((i + 1) * a % 1, 3) for a in (0.618034, 0.414214, 0.732051, 0.236068, 0.645751, 0.316625)[:dimension]]


def value_of(parameter, share):
    if "value" in parameter:
        return None
    if parameter["type"] == "categorical":
        return parameter["values"][int(share * len(parameter["values"]))]
    low, high = parameter["low"], parameter["high"]
    value = low * (high / low) ** share if parameter.get("scale") == "log" else low + (high - low) * share
    step = parameter.get("step", 1 if parameter["type"] == "integer" else 0)
    return low + round((value - low) / step) * step if step else round(value, 6)


def design_of(name, i):
    if name == "choose":
        return {"x": 0.5, "y": 0.3}
    parameters = STUDIES[name]["parameters"]
    made = {p: value_of(how, share) for (p, how), share in zip(parameters.items(), unit_design(i, 6), strict=False)}
    return {p: value for p, value in made.items() if value is not None}


def outcomes_of(name, i):
    """Smooth, and with something like noise where the study has some."""
    u = [*unit_design(i, len(STUDIES[name]["parameters"])), 0.5]
    noise = {"noisy": 0.05, "varying": 0.2 * u[0], "many": 0.02}.get(name, 0) * (37 * i % 11 - 5) / 5
    values = {STUDIES[name]["objective"]["name"]: sum((k + 1) * (x - 0.3) ** 2 for k, x in enumerate(u)) + noise}
    for k, (constraint, limit) in enumerate(STUDIES[name].get("constraints", {}).items()):
        value = 0.4 - u[k % len(u)] + 0.3 * u[0] * u[1] + noise
        values[constraint] = str(value < 0).lower() if limit.get("type") else round(value, 6)
    return {outcome: value if isinstance(value, str) else round(value, 6) for outcome, value in values.items()}


def table(rows):
    return ",".join(rows[0]) + "\n" + "".join(",".join(map(str, row.values())) + "\n" for row in rows)


# --- recording ---

HOST = re.escape(socket.gethostname())
NUMBER = r"[0-9][0-9.]*(?:e[-+]?[0-9]+)?"
MASKS = [(re.compile(pattern, re.M), word) for pattern, word in (
    (rf"[\w.-]+@{HOST}\b", "WHO"), (rf"\b{HOST} [0-9a-f-]{{36}} \S+ [0-9]+", "WORKER"), (rf"\b{HOST}[ :][0-9]+", "WORKER"), (rf"\b{HOST}\b", "HOST"),
    (r"\b20[0-9]{2}-[01][0-9]-[0-3][0-9][T ][0-2][0-9]:[0-5][0-9](?::[0-5][0-9](?:\.[0-9]+)?)?Z?", "DATE"),
    (r"\b1[7-9][0-9]{8}(?:\.[0-9]+)?\b", "TIME"), (rf'"(seconds|seconds_per_suggestion)": {NUMBER}', r'"\1": DURATION'),
    (rf'"suggestions_per_minute": (?:null|{NUMBER})', '"suggestions_per_minute": PACE'),  # null where all were asked for at one time
    (rf"^{NUMBER} s$", "DURATION s"), (rf"^([0-9]+,[a-z]+,[a-z]+),{NUMBER},", r"\1,DURATION,"), (r"(127\.0\.0\.1):[0-9]{2,5}\b", r"\1:PORT"),
    (r"token=[0-9a-f]{32}", "token=TOKEN"), (r'(<td>seconds</td><td class="why">)[^<]+', r"\1DURATION"),
    (r'(<td class="left">(?:design|policy|user)</td><td>)[^<]+', r"\1DURATION"),
    (rf"( [0-9.]+ % +[0-9.]+ %) +{NUMBER}$", r"\1 DURATION"), (rf"(<td>[0-9.]+ %</td><td>[0-9.]+ %</td><td>){NUMBER}(?=</td></tr>)", r"\1DURATION"))]

TIMES = {"created", "asked", "ended", "made", "undone", "heartbeat", "began", "lease", "held_at", "seconds"}
CHECKSUMS = {"seal", "last", "trials", "changes", "images"}
HERE_ONLY = TIMES | CHECKSUMS | {"folder", "machine", "process", "born", "who", "undone_by", "held_by", "evaluator", "about"}


class Record:
    """What was said, each in a file under its name."""

    def __init__(self, folder, into):
        self.folder, self.into, self.count = folder, pathlib.Path(into), {}

    def masked(self, text):
        text = text.replace(str(self.folder.path), "FOLDER")
        for pattern, word in MASKS:
            text = pattern.sub(word, text)
        return text

    def keep(self, name, said):
        """Text or bytes; what cannot be a file's name is left out of it, and two names never become one."""
        if isinstance(said, bytes):
            said = said.decode("utf-8", "surrogateescape")
        *folders, last = name.split("/")
        last = re.sub(r"[^\w.=,+-]+", "_", last)[:120]
        path = self.into.joinpath(*folders, last)
        if path.exists():
            path = path.with_name(last + "~" + hashlib.sha256(name.encode()).hexdigest()[:6])
        if path.exists():
            raise AssertionError(f"two things are called {name}")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(self.masked(said), encoding="utf-8", errors="surrogateescape", newline="")
        self.count[folders[0]] = self.count.get(folders[0], 0) + 1

    def say(self, group, *words, where="", number="", **how):
        """What the program says to these words."""
        words = [str(word) for word in words]
        given = how.pop("input", None)
        if given is not None:
            how["stdin"] = -1
        process = self.folder.start(*words, cwd=self.folder / where, **how)
        out, err = process.communicate(given, timeout=harness.PATIENCE)
        text = f"$ ckg {' '.join(words)}\nexit status {process.returncode}\n--- standard output\n".encode() + out + b"--- standard error\n" + err
        self.keep(f"{group}/{number}{'_'.join(words).replace('/', '_')}", text)
        return out

    def draw(self, group, *words, where=""):
        """What a command says and the file that it writes, which is called as its last word."""
        self.say(group, *words, where=where)
        file = self.folder / where / words[-1]
        if file.exists():
            data = file.read_bytes()
            kind = {".png": lambda b: hashlib.sha256(b).hexdigest() + "\n"}.get(file.suffix, lambda b: b)
            self.keep(f"{group}/file_{'_'.join(map(str, words[:-1]))}_{file.name}", kind(data))


# --- what every study is asked ---


def define(folder, name):
    """The problem file and what belongs to it, in a folder called as the study."""
    (folder / name).mkdir()
    text = {"name": name, "goal": "minimize", "budget": 12, "initial": 8, "seed": 1, **STUDIES[name]}
    (folder / name / f"{name}.json").write_text(json.dumps(text, indent=1, ensure_ascii=False))
    (folder / name / "choice.csv").write_text(CHOICE)
    if name != "odd":
        (folder / name / "at.csv").write_text(table([design_of(name, 1), design_of(name, 5)]))
    else:
        (folder / name / "at.csv").write_text("\n".join(json.dumps(design_of(name, i)) for i in (1, 5)) + "\n")


def take_steps(record, name):
    define(record.folder, name)
    for i, (command, *words) in enumerate(STEPS.get(name, IMPORTED)):
        folder = record.folder / name
        if command == "rows":
            (folder / "rows.csv").write_text(table([{**design_of(name, k), **outcomes_of(name, k)} for k in range(words[0])]))
        elif command == "change-limit":
            file = folder / f"{name}.json"
            file.write_text(file.read_text().replace('"max": 0', '"max": 0.125'))
        else:
            record.say(f"steps/{name}", command, f"{name}.json", *words, where=name, number=f"{i:02}_")


LOOKS = [["status"], ["trials"], ["trials", 1], ["trials", 2], ["trials", 7], ["recommend"], ["recommend", "--evaluated"], ["recommend", "-p", 0.9],
         ["model"], ["model", "-m", "kernel=matern32"], ["importance"], ["predict", "--at", "at.csv"], ["score", "--at", "at.csv"],
         ["score", "--at", "at.csv", "--policy", "cei"], ["export"], ["check"], ["change"]]


def look(record, name, file):
    group = f"studies/{name}"
    for command, *words in LOOKS:
        for form in ([], ["--json"]):
            record.say(group, command, file, *words, *form, where=name)
    record.say(group, "recommend", file, "--exact", where=name)
    record.say(group, "recommend", file, "--limit", "c=0.1", where=name)
    record.say(group, "studies", "--store", f"{name}.db", where=name)
    record.say(group, "studies", "--store", f"{name}.db", "--json", where=name)
    for kind in FIGURES:
        record.draw("figures/" + name, "plot", file, "--kind", kind, "-o", f"{kind}.svg", where=name)
    record.draw("figures/" + name, "report", file, "-o", "report.html", where=name)


def study(record, name):
    take_steps(record, name)
    look(record, name, f"{name}.json")


def old_store(record, version, file):
    """A store that an older version wrote, brought up to date: it has the same times everywhere, and so the same seals."""
    name = f"version-{version}"
    (record.folder / name).mkdir()
    store = sqlite3.connect(record.folder / name / f"{name}.db")
    store.executescript((HERE.parent / f"app/stores/{name}.sql").read_text())
    store.close()
    (record.folder / name / "at.csv").write_text("x,coils,alloy\n0.5,4,brass\n")
    if version == 1:
        (record.folder / name / f"{name}.yaml").write_text(OLD)
    look(record, name, file)


def closer(record):
    """Settings that one study shows as well as all."""
    for policy in re.findall(r'"name": "(\w+)", "title"', record.say("policies", "policies", "--json").decode()):
        for command in (["score", "plain.json", "--at", "at.csv", "--policy", policy, "--json"], ["policies", policy],
                        ["policies", policy, "--json"]):
            record.say("policies", *command, where="plain")
        record.draw("figures/policies", "plot", "plain.json", "--kind", "acquisition", "--policy", policy, "-o", f"{policy}.svg", where="plain")
    for words in (["--kind", "map", "-x", "y", "-y", "x"], ["--kind", "acquisition", "--x", "x"], ["--kind", "acquisition", "--x", "y", "--y", "x"],
                  ["--kind", "slices", "-m", "fit=ml"], []):
        record.draw("figures/plain", "plot", "plain.json", *words, "-o", f"{'_'.join(words)}.svg", where="plain")
    for kind in FIGURES:
        record.draw("figures/plain", "plot", "plain.json", "--kind", kind, "-o", f"{kind}.png", where="plain")
    for setting in ("kernel=rbf", "fit=sample", "warp=true", "preset=paper", "penalty=5", "kernel=nonsense", "samples=0"):
        for command in ("model", "recommend"):
            record.say("settings", command, "noisy.json", "-m", setting, "--json", where="noisy")
    for words in (["export", "mixed.json", "-o", "out.csv"], ["export", "mixed.json", "--json", "-o", "out.json"],
                  ["check", "mixed.json", "--save", "saved.csv"]):
        record.draw("files", *words, where="mixed")
    for file in ("out.csv", "out.json", "saved.csv"):
        record.say("files", "import", "mixed.json", file, "--store", f"copy-{file}.db", where="mixed")
        record.say("files", "export", "mixed.json", "--store", f"copy-{file}.db", where="mixed")
    for words in (["worker", "worker.db", "worker.json", "--begin", "--until-idle"], ["trials", "worker.json", "--json"],
                  ["worker", "worker.db", "worker.json", "--drain"]):
        record.say("worker", *words, where="worker")


def terminals(record):
    """The same commands where somebody sits before them: colours, widths."""
    for columns in (60, 200):
        for words in (["--help"], ["run", "--help"], ["status", "history/history.json"], ["trials", "mixed/mixed.json"],
                      ["trials", "history/history.json", "2"],
                      ["recommend", "limits/limits.json"], ["model", "mixed/mixed.json"], ["importance", "many/many.json"], ["policies", "ckg"],
                      ["nonsense"]):
            said = Terminal(record.folder, *words, columns=columns).end()
            record.keep(f"terminal/{columns}_{'_'.join(words).replace('/', '_')}", said)


def several(record):
    """Two studies in one store, and a store that is gone on with by its name."""
    for name in ("pending", "empty"):
        record.say("several", "ask", f"{name}/{name}.json", "--store", "both.db")
    for words in (["studies", "--store", "both.db"], ["studies", "--store", "both.db", "--json"], ["status", "both.db"],
                  ["status", "both.db", "--study", "empty"],
                  ["trials", "--store", "sqlite:both.db", "--study", "pending"], ["status", "both.db", "--study", "none"],
                  ["tell", "both.db", "--study", "empty", 1, "f=1", "c=0"]):
        record.say("several", *words)


# --- what the program says of itself ---


def itself(record):
    overview = record.say("help", "--help").decode()
    names = [*re.findall(r"^  (\w+)", overview, re.M), "manual", "complete"]
    for words in ([], ["-h"], ["help"]):
        record.say("help", *words, number=len(words))
    for name in names:
        record.say("help", name, "--help")
        record.say("manual", "manual", name)
    for words in ([], ["problem"], ["problem", "--markdown"]):
        record.say("manual", "manual", *words)
    for shell in ("bash", "fish", "zsh"):
        record.say("completion", "completion", shell)
    for line in ("", "re", "run --", "recommend plain/plain.json --l", "plot plain/plain.json --kind ", "plot plain/plain.json -x ",
                 "tell plain/plain.json ", "tell plain/plain.json 1 ",
                 "problems ", "policies c", "bench --policy ckg,", "score plain/plain.json --policy ", "run plain/plain.json -m kernel=", "manual p",
                 "completion "):
        record.say("completion", "complete", "--", *line.split(" "))
    record.say("new", "new", "fresh")
    record.keep("new/fresh.yaml", (record.folder / "fresh.yaml").read_bytes())
    record.say("new", "new", "fresh", number="again_")
    record.say("policies", "policies")
    record.say("problems", "problems")
    for problem in json_lines(record.say("problems", "problems", "--json")):
        middle = json.dumps(dict.fromkeys(problem["parameters"], 0.5)).encode()
        record.say("problems", "problems", problem["name"])
        record.say("problems", "problems", problem["name"], "--json")
        record.say("problems", "problems", problem["name"], "--evaluate", input=middle)
        record.draw("figures/problems", "problems", problem["name"], "-o", f"{problem['name']}.svg")
    return names


def json_lines(text):
    return [json.loads(line) for line in text.splitlines()]


def benches(record):
    cell = ["bench", "--problem", "gardner-1,mystery", "--policy", "random,cei", "--noise", "0,0.1", "--replications", 2, "--initial", 4,
            "--evaluations", 7, "--out", "cell"]
    record.say("bench", *cell, "--quiet")
    record.say("bench", *cell, "--quiet", number="again_")
    record.say("bench", "bench", "--problem", "noisy/noisy.json", "--policy", "random", "--replications", 1, "--initial", 3, "--evaluations", 4,
               "--out", "own", "--quiet")
    for folder in ("cell", "own"):
        for file in sorted((record.folder / folder).rglob("*.*")):
            if file.name != "timing.csv":
                record.keep(f"bench/{folder}_{file.name}", file.read_bytes())
    for words in (["--summary", "cell"], ["--summary", "cell", "--json"], ["--summary", "cell", "--at", "5,7"], ["--summary", "own"],
                  ["--summary", "none"]):
        record.say("bench", "bench", *words)
    for file in ("cell.svg", "cell.html"):
        record.draw("figures/bench", "bench", "--plot", "cell", "-o", file)


# --- what is wrong ---

WRONG = ["rcommend s.json", "staus", "manul", "xyzzy", "--version x", "--nonsense", "run s.json --quite", "trials s.json --jsn",
         "plot s.json --ouput=x.svg",
         "plot s.json -o x.svg -k slcies", "plot s.json -o x.svg -k map -x xx", "plot s.json -o x.pdf", "plot s.json -o none/x.svg",
         "score s.json --at at.csv --policy ckgg",
         "problems mystry", "problems --evaluate", "bench --out b --problem gardner-3", "bench --out b", "bench --problem mystery", "bench --plot b",
         "manual recomend",
         "predict s.json", "predict s.json --at none.csv", "predict s.json --at s.json", "score s.json", "report s.json", "report s.json -o x.txt",
         "tell s.json", "tell s.json 1",
         "tell s.json 1 f", "tell s.json 1 f=", "tell s.json 1 f=x", "tell s.json 1 g=1", "tell s.json 1 f=nan", "tell s.json 1 f=[1,-1]",
         "tell s.json 99 f=1", "tell s.json 0 f=1",
         "tell s.json x f=1", "tell s.json 1 f=1 f=2", "tell s.json 1 f=1 --failed why", "tell s.json 1 --from-answer", "tell s.json 1 --at x=7 f=1",
         "discard s.json", "discard s.json 9",
         "discard s.json 3-1", "discard s.json --failed --since x", "retry s.json", "retry s.json 1", "retry s.json --failed", "undo s.json",
         "import s.json", "import s.json none.csv",
         "import s.json broken.csv", "import s.json far.csv", "import s.json far.csv --lenient", "import s.json empty.csv", "new", "new a/b", "new s",
         "completion", "completion tcsh",
         "ask s.json -n 0", "ask s.json -n 1000", "ask s.json -n x", "ask s.json --at x=1", "ask s.json --at x=9 y=0", "ask s.json --at x=1 y=0 z=3",
         "run s.json", "run s.json --threads 257",
         "run s.json --serve nonsense", "run none.json", "run s.json s.json", "status", "status none.db", "status broken.db",
         "status s.json --study s", "status --store s.db --study t",
         "status --study s", "status --store mysql://x", "status --store", "status postgresql://nobody@127.0.0.1:1/none?connect_timeout=1",
         "recommend s.json -p 0", "recommend s.json -p often",
         "recommend s.json --limit", "recommend s.json --limit d=1", "recommend s.json --limit c=x", "recommend s.json -m kernel=x",
         "recommend s.json -m nonsense=1", "studies", "studies s.json",
         "studies --store none.db", "serve none.db", "serve --listen x", "serve s.json --listen 127.0.0.1:99999", "serve s.json --token-file none",
         "worker none.db s.json", "worker --grace x",
         "worker s.db s.json", "check none.db", "check broken.db", "check broken.db --json", "pause none.json", "change s.db",
         "export s.json -o none/x", "bench --summary none", "policies nonsense",
         "bench --out b --problem mystery --noise -1", "bench --out b --problem mystery,mystery", "bench --out b --problem mystery --policy none",
         "trials s.json 99", "trials s.json x", "trials s.json 1 2"]


def refusals(record, names):
    where = "wrong"
    (record.folder / where).mkdir()
    files = {"s.json": json.dumps({"name": "s", "goal": "minimize", "budget": 9, "seed": 1, "policy": "sobol", **STUDIES["empty"]}),
             "at.csv": "x,y\n0.5,0.5\n",
             "broken.csv": "x,y,f,c\n0.5,0.5,1\n", "far.csv": "x,y,f,c,other\n7,0.5,1,0,3\n0.25,0.5,1,0,3\n", "empty.csv": "",
             "broken.db": "nonsense " * 100}
    for name, text in files.items():
        (record.folder / where / name).write_text(text)
    record.say("wrong/before", "ask", "s.json", where=where)
    for line in WRONG:
        record.say("wrong/lines", *line.split(), where=where)
    for name in names:
        words = [["--nonsense"], ["-Z"], ["--quiet", "-q"], ["--quiet=1"], ["--study", "s"], ["s.json", "1", "2", "3", "--nonsense"]]
        page = record.folder.ckg(name, "--help").out
        words += [[option] for option, value in re.findall(r"^  (?:-\w,|   ) (--[\w-]+)( [A-Z])?", page, re.M) if value]
        if name not in ("serve", "worker", "complete"):
            words.append([])
        for given in words:
            record.say(f"wrong/{name}", name, *given, where=where)


def broken_files(record):
    source = HERE.parent / "app/broken"
    shutil.copytree(source, record.folder / "broken", ignore=lambda _, names: [n for n in names if n.endswith(".expected")])
    for file in sorted(p.name for p in (record.folder / "broken").iterdir()):
        record.say("broken", "status", file, where="broken")


# --- servers ---

LOOKED_AT = ["", "status", "trials", "trials?since=3", "trials?since=x", "trials/1", "trials/2", "trials/99", "recommend", "model", "importance",
             "frontier", "predict?at=AT", "predict?at={}",
             "predict", "problem", "times", "slices", 'slices?of={"at": AT}', 'slices?of={"at": 3}', "map", 'map?of={"at": AT}',
             'map?of={"x": "y", "y": "x"}', "nope", "tell"]
PAGES = ["", "/lab", "/part/head", *(f"/part/{section}" for section in SECTIONS), "/part/nope", "/report", "/trial/1", "/trial/2", "/trial/99"]
COMMON = ["/", "/favicon.ico", "/api/v1/openapi.json", "/api/v1/studies", "/api/v1/server", "/api/v1/studies/99", "/api/v1/nope",
          "/api/v2/studies", "/nope", "/study", "/study/0"]
GATE = {"other host": {"Host": "evil.example"}, "bad host": {"Host": "[::1"}, "other origin": {"Origin": "http://evil.example"},
        "other site": {"Sec-Fetch-Site": "cross-site"},
        "wrong token": {"Authorization": "Bearer x"}, "no gzip": {"Accept-Encoding": "identity"}, "gzip": {"Accept-Encoding": "gzip"}}


def keep_answer(record, name, answer):
    """Status, fields and body; the body says its length."""
    fields = sorted(f"{k}: {v}" for k, v in answer.getheaders() if k.lower() not in ("date", "content-length", "etag"))
    record.keep(name, f"{answer.status}\n".encode() + "\n".join(fields).encode() + b"\n\n" + answer.body)


def get(record, server, group, path, name=None, method="GET", **fields):
    real = urllib.parse.quote(path, safe="/?=&%")
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=harness.PATIENCE)
    connection.request(method, real, headers=fields)
    answer = connection.getresponse()
    answer.body = answer.read()
    connection.close()
    keep_answer(record, f"{group}/{(name or path).replace('/', '_')}", answer)


def look_at_studies(record, server, names, group):
    for number, name in enumerate(names, 1):
        at = json.dumps(design_of(name, 2), ensure_ascii=False)
        for path in LOOKED_AT:
            path = path.replace("AT", at)
            get(record, server, f"{group}/{name}", f"/api/v1/studies/{number}" + (f"/{path}" if path else ""), "api_" + path.replace(at, "AT"))
        for path in PAGES:
            get(record, server, f"{group}/{name}", f"/study/{number}{path}", "page" + path)


def serve(record):
    """Everything that can be looked at; every study stands in a server's list by the order in which it was named."""
    names = list(STUDIES)
    files = [f"/{p.name}" for p in (HERE.parents[1] / "app/serve/files").iterdir()]
    with Server(record.folder, *(f"{name}/{name}.json" for name in names)) as server:
        wait_for(lambda: len(server.lines("studies")) == len(names))
        for path in [*COMMON, *sorted(files)]:
            get(record, server, "serve/common", path)
        for name, fields in GATE.items():
            get(record, server, "serve/gate", "/api/v1/studies/1", name, **fields)
        for path in ("/", "/api/v1/studies", "/study/1", "/api/v1/studies/1/model"):
            get(record, server, "serve/common", path, f"head {path}", method="HEAD")
        for name, (data, _) in ATTACKS.items():
            if len(data) < 100000:  # where more is refused before all of it has come, the answer may be lost
                head, _, body = server.raw(data, half=True).partition(b"\r\n\r\n")
                record.keep(f"serve/attacks/{name}", head.split(b"\r\n")[0] + b"\n" + body)
        record.keep("serve/common/events", json.dumps(Events(server, "/api/v1/events?study=1").next()) + "\n")
        look_at_studies(record, server, names, "serve")


POSTED = {
    "history": [("budget", {"budget": 40}), ("budget", {"budget": 0}), ("ask", {"number": 2}), ("ask", {"number": 0}), ("ask", {}),
                ("enqueue", {"parameters": {"x": 0.5, "y": 0.25}}),
                ("enqueue", {"parameters": {"x": 0.5, "y": 0.25}}), ("enqueue", {"parameters": {"x": 7, "y": 0}}), ("enqueue", {}),
                ("tell", {"trial": 9, "values": {"f": 1.5, "c": [-0.25, 0.125]}}),
                ("tell", {"trial": 9, "values": {"f": 2}}), ("tell", {"trial": 9, "values": {"f": 2, "c": None}, "replace": True, "note": "by hand"}),
                ("tell", {"trial": 10, "failed": "<cold>"}),
                ("tell", {"trial": 11, "at": {"x": 0.75}, "values": {"f": 3, "c": -1}}), ("tell", {"trial": 99, "values": {"f": 1}}),
                ("tell", {"trial": 1}), ("tell", {"trial": 1, "values": {"g": 1}}),
                ("tell", {"trial": 1, "values": {"f": "1"}}), ("tell", {"trial": 1, "nonsense": 1}), ("tell", "["), ("tell", ""),
                ("tell", '{"trial": 1, "trial": 1}'), ("retry", {"failed": True}),
                ("retry", {"failed": True}), ("retry", {}), ("discard", {"trials": [9, 11], "note": "wrong lot"}),
                ("discard", {"trials": [9], "restore": True}), ("discard", {"trials": []}),
                ("limits", {"limits": {"c": {"max": 0.25}}, "dry_run": True}), ("limits", {"limits": {"c": {"max": 0.25}}}),
                ("limits", {"limits": {"d": {"max": 1}}}), ("limits", {}), ("undo", {}),
                ("undo", {"yes": 1}), ("pause", {}), ("resume", {}), ("stop", {}), ("resume", "3"), ("pause", {}), ("trials", {}), ("nope", {}),
                ("recommend", {})],
    "pending": [("tell", {"trial": 2, "values": {"f": 0.5, "c": -0.5}}), ("enqueue", {"parameters": {"x": 1, "y": 1}}), ("undo", {}), ("undo", {})],
    "empty": [("ask", {"number": 3}), ("tell", {"trial": 1, "values": {"f": 1, "c": -1}}), ("undo", {})],
    "costs": [("tell", {"trial": 7, "values": {"f": 0.75}}), ("limits", {"limits": {"c": {"max": 0.5}}}), ("ask", {"number": 1})],
}


def steer(record):
    """What is posted to copies of some studies, and what can be looked at afterwards."""
    for name in POSTED:
        shutil.copytree(record.folder / name, record.folder / "steer" / name)
    with Desk(record.folder, *(f"steer/{name}/{name}.json" for name in POSTED)) as desk:
        wait_for(lambda: len(desk.lines("studies")) == len(POSTED))
        allowed = {"Authorization": "Bearer " + desk.token, "Content-Type": "application/json"}
        for why, fields in {"nothing": {}, "token": {**allowed, "Authorization": "Bearer x"}, "type": {**allowed, "Content-Type": "text/plain"},
                            "origin": {**allowed, "Origin": "http://evil.example"}}.items():
            keep_answer(record, f"steer/refused_{why}", desk.send("/api/v1/studies/1/pause", "{}", fields))
        for number, (name, posts) in enumerate(POSTED.items(), 1):
            for i, (action, body) in enumerate(posts):
                body = body if isinstance(body, str) else json.dumps(body)
                keep_answer(record, f"steer/{name}/post_{i:02}_{action}", desk.send(f"/api/v1/studies/{number}/{action}", body, allowed))
            printed = [json.dumps(line) for line in json_lines(record.say(f"steer/{name}", "trials", f"steer/{name}/{name}.db", "--json"))]
            wait_for(lambda number=number, printed=printed: [json.dumps(line) for line in desk.lines(f"studies/{number}/trials")] == printed)
        get(record, desk, "steer", "/api/v1/server", **allowed)
        look_at_studies(record, desk, POSTED, "steer/looks")


# --- stores ---


def shown(column, value, name):
    """A value of the store; what is this run's own is only there or not."""
    own = column in HERE_ONLY and value is not None and not (name.startswith("version-") and column in TIMES | CHECKSUMS)
    return column.upper() if own else repr(value)


def dump(record, path):
    """Every table's definition and rows, by their order; what is this run's own is a word."""
    name = "_".join(path.relative_to(record.folder.path).parts)
    store = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    lines = [f"{row[0]}: {row[1]}" for row in store.execute("SELECT name, sql FROM sqlite_master ORDER BY name")]
    for pragma in ("application_id", "user_version", "journal_mode", "encoding"):
        lines.append(f"{pragma}: {store.execute(f'PRAGMA {pragma}').fetchone()[0]}")
    for (table_name,) in store.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name").fetchall():
        found = store.execute(f'SELECT * FROM "{table_name}" ORDER BY rowid')
        columns = [column[0] for column in found.description]
        for row in found:
            lines.append(f"{table_name}: " + ", ".join(f"{c}={shown(c, v, name)}" for c, v in zip(columns, row, strict=True)))
    store.close()
    record.keep(f"stores/{name}", "\n".join(lines) + "\n")


def prepare(folder):
    """The same surroundings everywhere; commands of problem files find the program as ckg."""
    for name in ("NO_COLOR", "COLUMNS", "LINES", "PGHOST", "PGCONNECT_TIMEOUT", "SLURM_JOB_ID"):
        os.environ.pop(name, None)
    (folder / "bin").mkdir()
    (folder / "bin/ckg").symlink_to(PROGRAM)
    os.environ.update(TZ="UTC", LC_ALL="C.UTF-8", HOME=str(folder.path), XDG_STATE_HOME=str(folder / "state"),
                      PATH=f"{folder / 'bin'}:{os.environ['PATH']}")


def together(*tasks):
    """Functions with what they are called with, as many at once as there are cores."""
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return [task.result() for task in [pool.submit(*task) for task in tasks]]


def main(into):
    shutil.rmtree(into, ignore_errors=True)
    with Folder() as folder:
        prepare(folder)
        record = Record(folder, into)
        together((old_store, record, 1, "version-1.yaml"), (old_store, record, 5, "version-5.db"), *((study, record, name) for name in STUDIES))
        names = itself(record)
        together((closer, record), (several, record), (benches, record), (refusals, record, names), (broken_files, record))
        terminals(record)
        serve(record)
        steer(record)
        for path in sorted(folder.path.rglob("*.db")):
            if path.name != "broken.db":
                dump(record, path)
        print(", ".join(f"{count} {name}" for name, count in sorted(record.count.items())))


if __name__ == "__main__":
    main(sys.argv[2])

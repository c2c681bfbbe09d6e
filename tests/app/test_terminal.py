"""What people read: nothing from a name, a reason or an evaluation acts on their terminal or spreadsheet, and every table comes back exactly."""
import csv
import io
import json
import os
import re

from harness import Folder, Terminal, check, main, once_there, problem, wait_for

# Colours, a title, C1's way of beginning a sequence, a bell, backspaces, a carriage return, marks of direction, ends of lines, a byte that is no text.
EVIL = "a\x1b[31mb\x1b]0;t\x07c\x9b2Jd\x08\x08e\rf\u202eg\u2066h\u200fi\u2028j\x7fk\x00"[:-1]
BYTES = EVIL.encode() + b"\xff\xc3"
UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]")


def check_safe(result, *words):
    for text in (result.out, result.err):
        found = UNSAFE.search(text)
        check(not found, words, "prints", found and repr(found.group()), "in", repr(text[:2000]))


def make_evil(folder):
    """A study with evil texts wherever texts may be anything."""
    (folder / "bytes").write_bytes(BYTES)
    name = "n\u202em\u2067"
    text = problem(name, ["sh", "-c", "cat bytes >&2; cat bytes; exit 3"], budget=6, evaluate="  retries: 0\n")
    folder.write("s.yaml", text.replace("  y:", f'  "p\u202e\u200f":').replace("  c:", '  "c\u2066":'))
    folder.ckg("ask", "s.yaml", "-n", 4, expect=0)
    folder.ckg("tell", "s.yaml", 1, "f=1", "c\u2066=-1", "--note", EVIL + "\nnext", expect=0)
    folder.ckg("tell", "s.yaml", 2, "--failed", EVIL + "\nmore\ttext", expect=0)
    folder.ckg("tell", "s.yaml", 3, "f=2", "c\u2066=-2", expect=0)
    return name


def test_nothing_acts_on_a_terminal():
    with Folder() as folder:
        make_evil(folder)
        run = folder.ckg("run", "s.yaml")
        check_safe(run, "run")
        for words in (["status"], ["trials"], ["trials", 1], ["trials", 2], ["trials", 5], ["recommend"], ["model"], ["importance"], ["discard", 3],
                      ["undo"], ["retry", 2], ["tell", 2, "--failed", EVIL], ["ask", "--at", f"x={EVIL}"], ["tell", 4, f"{EVIL}=1"], [EVIL], ["change"]):
            check_safe(folder.ckg(words[0], "s.yaml", *words[1:]), *words)
        for words in (["trials"], ["status"], ["recommend"], ["model"], ["importance"], ["trials", 2], ["trials", 5]):
            shown = folder.ckg(words[0], "s.yaml", *words[1:], "--json")
            check_safe(shown, *words, "--json")
            for line in shown.out.splitlines():
                json.loads(line)
        check_safe(folder.ckg(EVIL), "no such command")
        check_safe(folder.ckg("status", EVIL + ".yaml"), "no such file")
        folder.write("t.yaml", f'name: "{EVIL.encode("unicode_escape").decode()}"\n')
        check_safe(folder.ckg("status", "t.yaml", expect=2), "a name that is refused")

        # Nor does a byte that is no text.
        folder.ckg("tell", "s.yaml", 4, "--replace", "--failed", BYTES, expect=0)
        process = folder.start("trials", "s.yaml")
        check("\\xff\\xc3" in process.communicate()[0].decode(errors="strict"))

        # Data are not changed by how they are shown.
        trials = folder.trials("s.yaml")
        check(trials[1]["why"] == EVIL, trials[1]["why"])
        check(set(trials[0]["parameters"]) == {"x", "p\u202e\u200f"})
        check(json.loads(folder.ckg("trials", "s.yaml", 1, "--json").out)["notes"] == EVIL + "\nnext")


def test_a_newline_stays_in_its_row():
    with Folder() as folder:
        folder.write("s.yaml", problem("s", []))
        folder.ckg("ask", "s.yaml", "-n", 2, expect=0)
        folder.ckg("tell", "s.yaml", 1, "--failed", "one\ntwo\r\nthree\n    2  complete  design yes", expect=0)
        lines = folder.ckg("trials", "s.yaml", expect=0).out.splitlines()
        check(len(lines) == 3 and "one\\ntwo\\r\\nthree" in lines[1], lines)
        said = folder.ckg("trials", "s.yaml", 1, expect=0).out.splitlines()
        check(not any(line.startswith("three") for line in said), said)
        check(len(folder.ckg("undo", "s.yaml", expect=0).out.splitlines()) == 1)


# --- tables ---

FORMULAS = ["=1+1", "+x", "-x", "@a", "-5%", "'=a", "''-a", "'a", "\t=a", "-1", "1e3", "plain", "=HYPERLINK(\"http://x\",\"y\")", "+", "-"]


def spreadsheet_runs(cell):
    """Whether a spreadsheet takes the cell for a formula; a number is a number."""
    try:
        float(cell)
        return False
    except ValueError:
        return cell[:1] in ("=", "+", "-", "@", "\t", "\r")


def names_problem(name, parameters, objective, constraints, fixed=None):
    rows = {p: {"type": "real", "low": 0, "high": 1} for p in parameters}
    rows["kind"] = {"type": "categorical", "values": [f for f in FORMULAS if "\t" not in f]}
    if fixed:
        rows[fixed] = {"value": "=fixed"}
    return json.dumps({"name": name, "goal": "minimize", "budget": 40, "policy": "sobol", "seed": 3, "parameters": rows, "objective": {"name": objective},
                       "constraints": {c: {"max": 0} for c in constraints}})


def check_round_trip(folder, count, reasons, **names):
    """What is exported, as CSV and as JSON lines, is imported as the same trials."""
    outcomes = [names["objective"], *names["constraints"]]
    folder.write("a.yaml", names_problem("a", **names))
    folder.ckg("ask", "a.yaml", "-n", count + len(reasons), expect=0)
    for i in range(1, count + 1):
        told = [f"{o}=[{i / 7 - k}, {0.1 * i}]" if (i + k) % 2 else f"{o}={i / 7 - k}" for k, o in enumerate(outcomes)]
        folder.ckg("tell", "a.yaml", i, "--", *told, expect=0)
    for i, why in enumerate(reasons, count + 1):
        folder.ckg("tell", "a.yaml", i, f"--failed={why}", expect=0)
    before = folder.trials("a.yaml")

    table = folder.ckg("export", "a.yaml", expect=0).out
    for row in csv.reader(io.StringIO(table)):
        check(not any(map(spreadsheet_runs, row)), "a spreadsheet would run a cell of", row)
    for number, how in enumerate(([], ["--json"])):
        folder.ckg("export", "a.yaml", "-o", f"table{number}", *how, expect=0)
        folder.write(f"b{number}.yaml", names_problem(f"b{number}", **names))
        folder.ckg("import", f"b{number}.yaml", f"table{number}", expect=0)
        check(folder.trials(f"b{number}.yaml") == before, names, how, folder.trials(f"b{number}.yaml"), before)


def test_formulas_in_tables():
    """Texts that a spreadsheet would run are quoted as data, numbers stay numbers, and all comes back exactly."""
    with Folder() as folder:
        check_round_trip(folder, 12, FORMULAS, parameters=["=p", "-q"], objective="@o", constraints=["+c"], fixed="-f")


def test_names_that_tables_use():
    """`trial`, `state` and the like as names, `f.sd` beside `f`, and an outcome called `penalty`."""
    for names in ({"parameters": ["trial", "f.sd"], "objective": "f", "constraints": ["state", "why"]},
                  {"parameters": ["seconds", "parameters"], "objective": "f.sd", "constraints": ["f", "f.sd.sd"], "fixed": "origin"},
                  {"parameters": ["values", "log"], "objective": "penalty", "constraints": ["trial", "penalty.sd"], "fixed": "trial.sd"}):
        with Folder() as folder:
            check_round_trip(folder, 4, ["no"], **names)


def test_an_outcome_called_penalty():
    """Its model is its own, and M has another name then."""
    def no_twice(pairs):
        check(len({k for k, _ in pairs}) == len(pairs), "a key appears twice in", [k for k, _ in pairs])
        return dict(pairs)

    for names, key in ((("penalty", "c"), "penalty_M"), (("f", "penalty"), "penalty_M"), (("penalty", "penalty_M"), "penalty_M_"), (("f", "c"), "penalty")):
        with Folder() as folder:
            folder.write("s.yaml", problem("s", []).replace("name: f", f"name: {names[0]}").replace("  c:", f"  {names[1]}:"))
            folder.ckg("ask", "s.yaml", "-n", 6, expect=0)
            for i in range(1, 7):
                folder.ckg("tell", "s.yaml", i, f"{names[0]}={i * i}", f"{names[1]}={i - 4}", expect=0)
            model = json.loads(folder.ckg("model", "s.yaml", "--json", expect=0).out, object_pairs_hook=no_twice)
            check(set(model) == {*names, key} and isinstance(model[key], (int, float)), model)
            check("kernel" in model[names[0]] and "kernel" in model[names[1]], model)
            for words in (["recommend"], ["status"], ["importance"]):
                json.loads(folder.ckg(*words, "s.yaml", "--json", expect=0).out, object_pairs_hook=no_twice)
            folder.write("at.csv", "x,y\n0.5,0.5\n")
            for words in (["predict"], ["score", "--policy", "cei"]):
                json.loads(folder.ckg(words[0], "s.yaml", *words[1:], "--at", "at.csv", "--json", expect=0).out, object_pairs_hook=no_twice)
            folder.ckg("report", "s.yaml", "-o", "r.html", expect=0)


# --- a terminal ---

class Screen:
    """A terminal of a few columns, as far as the program uses one: text that wraps, and sequences that move up and erase."""

    def __init__(self, columns):
        self.columns, self.rows, self.row, self.column, self.pending = columns, [""], 0, 0, b""
        self.foreign = []       # sequences that are not the program's own

    def put(self, character):
        if self.column == self.columns:
            self.row, self.column = self.row + 1, 0
        while len(self.rows) <= self.row:
            self.rows.append("")
        line = self.rows[self.row].ljust(self.column)
        self.rows[self.row] = line[:self.column] + character + line[self.column + 1:]
        self.column += 1

    def feed(self, data):
        data = self.pending + data
        cut = max((i for i in range(max(0, len(data) - 8), len(data)) if data[i] in b"\x1b" or data[i] >= 0xC0), default=None)
        keep = len(data) if cut is None or re.match(rb"\x1b\[\d*[AJK]|[\xc0-\xdf].|[\xe0-\xef]..|[\xf0-\xf7]...", data[cut:], re.S) else cut
        self.pending, text = data[keep:], data[:keep].decode()
        for part in re.findall("\x1b\\[\\d*[AJK]|[^\x1b]|\x1b", text):
            if part == "\r":
                self.column = 0
            elif part == "\n":
                self.row += 1
                while len(self.rows) <= self.row:
                    self.rows.append("")
            elif part.endswith("A") and len(part) > 1:
                self.row = max(0, self.row - int(part[2:-1] or 1))
            elif part == "\x1b[K":
                self.rows[self.row] = self.rows[self.row][:self.column]
            elif part == "\x1b[J":
                self.rows[self.row:] = [self.rows[self.row][:self.column]]
            elif UNSAFE.match(part):
                self.foreign.append(part)
            else:
                self.put(part)

    def lines(self):
        return [row.rstrip() for row in self.rows if row.strip()]


class Drawn(Terminal):
    """What a terminal of that width shows."""

    def __init__(self, folder, columns, *words, kind="xterm"):
        super().__init__(folder, *words, columns=columns, LC_ALL="C.UTF-8", TERM=kind)
        self.screen = Screen(columns)
        self.drawn = 0

    def read(self):
        over = super().read()
        self.screen.feed(self.written[self.drawn:])
        self.drawn = len(self.written)
        return over

    def until(self, words):
        wait_for(lambda: self.read() or any(words in line for line in self.screen.lines()), words)

    def end(self):
        super().end()
        return self.screen


def test_narrow_terminal_and_interrupt():
    """The terminal writes ^C where the cursor is; what is drawn next leaves nothing of it, and the advice is there to be read."""
    for columns in (40, 30):
        with Folder() as folder:
            folder.write("s.yaml", problem("s", ["sh", "-c", "until test -e go; do sleep 0.02; done; echo '{\"f\": 1, \"c\": -1}'"], budget=3))
            run = Drawn(folder, columns, "run", "s.yaml")
            run.until("1 running" if columns > 50 else "time")
            wait_for(lambda: run.read() or [t for t in folder.trials("s.yaml") if t["state"] == "running"], "the evaluation")
            run.type(b"\x03")
            run.until("kills them")
            block = run.screen.lines()
            check("finishing the running evaluations; Ctrl-C again kills them" in " ".join(" ".join(block).split()), block)
            check(sum(line.startswith("s  ") for line in block) == 1 and block[0].startswith("s  ") and "^C" not in " ".join(block), block)
            folder.write("go", "")
            screen = run.end()
            check(not screen.foreign, screen.foreign)
            lines = screen.lines()
            check(sum(line.startswith("s  ") for line in lines) == 1 and lines[0].startswith("s  "), lines)
            check("".join(lines).count("interrupted after 1 of 3 evaluations") == 1, lines)


def test_terminal_that_becomes_narrower():
    """Lines of the block that the terminal has parted are all gone back over."""
    with Folder() as folder:
        folder.write("s.yaml", problem("s", ["sh", "-c", once_there("go", "echo '{\"f\": 1, \"c\": -1}'")], budget=1))
        run = Drawn(folder, 100, "run", "s.yaml")
        run.until("1 running")
        seen = len(run.written)
        run.resize(30)
        wait_for(lambda: run.read() or re.search(rb"\x1b\[(6|7|8|9|1\d)A", run.written[seen:]), "the way back over parted lines")
        folder.write("go", "")
        run.end()


def test_terminal_that_cannot_be_drawn_on():
    with Folder() as folder:
        folder.write("s.yaml", problem("s", ["sh", "-c", "echo '{\"f\": 1, \"c\": -1}'"], budget=2))
        run = Drawn(folder, 80, "run", "s.yaml", kind="dumb")
        run.end()
        check(b"\x1b" not in run.written and b"2/2  initial design done: 2 of 2 feasible" in run.written, run.written)


def test_evil_on_a_terminal():
    with Folder() as folder:
        make_evil(folder)
        screen = Drawn(folder, 60, "run", "s.yaml").end()
        check(not screen.foreign, screen.foreign)
        screen = Drawn(folder, 60, "export", "s.yaml").end()
        check(not screen.foreign, screen.foreign)


def test_narrow_tables():
    """No row of `ckg trials` is wider than the terminal, whatever names and reasons are, but for the reason."""
    with Folder() as folder:
        names = ["n" * 200, "a_rather_long_name_of_a_parameter", "名前" * 30]
        folder.write("s.yaml", names_problem("s", names, "f" * 100, ["c" * 60]))
        folder.ckg("ask", "s.yaml", "-n", 3, expect=0)
        for columns in (24, 40, 80):
            terminal = Drawn(folder, columns, "trials", "s.yaml")
            terminal.end()
            for line in terminal.written.decode().splitlines():
                wide = sum(2 if ord(c) > 0x2E80 else 1 for c in line.rstrip())
                check(wide <= max(columns, 33), columns, "columns, but", wide, repr(line))


# --- slips ---

def test_probability_out_of_range():
    with Folder() as folder:
        folder.write("s.yaml", problem("s", []))
        for word in ("1.5", "0", "1", "-0.5", "nan", "inf"):
            folder.ckg("recommend", "s.yaml", "-p", word, expect=2).one_line("--probability", word)


def test_dry_run_of_a_spent_budget():
    with Folder() as folder:
        folder.write("s.yaml", problem("s", ["sh", "-c", "echo '{\"f\": 1, \"c\": -1}'"], budget=2))
        check(len(folder.ckg("run", "s.yaml", "--dry-run", expect=0).out.splitlines()) == 2)
        folder.ckg("run", "s.yaml", expect=0)
        said = folder.ckg("run", "s.yaml", "--dry-run", expect=0).one_line("budget of 2", "spent")
        check(not said.out, said.out)


if __name__ == "__main__":
    main(globals())

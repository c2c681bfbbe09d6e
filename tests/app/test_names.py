#!/usr/bin/env python3
"""test_names.py CKG: names that would mean something to a shell, SQL, a page or a terminal come through ask, tell and trials unharmed.

Each name is, one after the other, the name of the study, of a parameter, of a category, of the objective and of a constraint. A name with a newline
or another control character is refused, in each of these places. With CKG_TEST_LIGHT in the environment every name is tried in one place only.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

NAMES = [
    "wire diameter", " leading and trailing ", "it's", 'say "when"', "back\\slash", "a;b", "a && b | c > d", "$(touch pwned)", "`touch pwned`",
    "${HOME}", "<script>alert(1)</script>", "&lt;b&gt;", "'); drop table trials; --", "%s%n%d", "{x}", "a=b", "a,b", "-n", "--json", "#comment",
    "a: b", "- a", "[a]", "*a", "&a", "!a", "~a", "<<", "null", "on", "yes", "0", "1e3", "Größe", "重さ", "🌀 whirl", "e\u0301", "\u202eabc",
    "a\u00a0b", "\ufeff", "\ufffd", "\uffff", "/etc/passwd", "..", ".", "x" * 200,
]
REFUSED = ["a\nb", "a\rb", "a\tb", "a\x00b", "\x1b[31m", "a\x7fb", "a\u0085b", "a\u009bb", "a\u2028b", "a\u2029b", "", "x" * 201, "é" * 101]


def problem(study="study", parameter="p", category="c", objective="o", constraint="k"):
    parameters = {parameter: {"type": "real", "low": 0, "high": 1}, "kind": {"type": "categorical", "values": [category, "other"]}}
    return {"name": study, "goal": "minimize", "budget": 20, "policy": "sobol", "seed": 1, "parameters": parameters,
            "objective": {"name": objective}, "constraints": {constraint: {"max": 0}}}


def write(folder, definition):
    """As JSON."""
    path = pathlib.Path(folder) / "problem.json"
    path.write_text(json.dumps(definition), encoding="utf-8")
    return path


class Checker:
    def __init__(self, program):
        self.program = program
        self.wrong = []

    def run(self, path, *words):
        return subprocess.run([self.program, *words], cwd=path.parent, stdin=subprocess.DEVNULL, capture_output=True, timeout=3000)

    def lines(self, path, *words):
        got = self.run(path, *words)
        if got.returncode or got.stderr:
            raise AssertionError(f"ckg {' '.join(words)}: {got.returncode} {got.stderr!r}")
        return [json.loads(line) for line in got.stdout.decode("utf-8").splitlines()]

    def carried(self, name, place):
        definition = problem(**{place: name})
        parameters, outcomes = definition["parameters"], [definition["objective"]["name"], *definition["constraints"]]
        with tempfile.TemporaryDirectory() as folder:
            path = write(folder, definition)
            asked = self.lines(path, "ask", path.name, "-n", "3", "--json")
            told = [f"{outcomes[0]}=1.5", f"{outcomes[1]}=[-0.25, 0.5]"]
            for trial in asked:
                self.lines(path, "tell", path.name, "--json", "--", str(trial["trial"]), *told)
            listed = self.lines(path, "trials", path.name, "--json")
            named = self.lines(path, "trials", "--json", "--store=problem.db", f"--study={definition['name']}")
            status = self.lines(path, "status", path.name, "--json")[0]
            readable = self.run(path, "trials", path.name).stdout.decode("utf-8")
            assert [t["parameters"] for t in listed] == [t["parameters"] for t in asked], "the parameters differ"
            assert named == listed, "the study's name finds other trials"
            assert all(list(t["parameters"]) == list(parameters) for t in listed), "the names of the parameters differ"
            assert all(t["parameters"]["kind"] in parameters["kind"]["values"] for t in listed), "the categories differ"
            assert {t["parameters"]["kind"] for t in listed} == set(parameters["kind"]["values"]), "a category is missing"
            assert all(t["values"] == {outcomes[0]: 1.5, outcomes[1]: [-0.25, 0.5]} for t in listed), f"the values differ: {listed[0]['values']}"
            assert all(t["feasible"] is True for t in listed), "not feasible"
            assert status["study"] == definition["name"] and status["complete"] == 3, f"the status differs: {status}"
            assert len(readable.splitlines()) == 4, "the table has other lines than its head and three trials"
            self.through_tables(path)
            if place in ("parameter", "category"):
                self.through_command(path, definition)
            left = {p.name for p in pathlib.Path(folder).iterdir()} - {"problem.json"}
            assert all(name.startswith("problem.db") for name in left), f"left behind: {left}"

    def through_tables(self, path):
        """Exported, imported into another store and exported again: the same bytes, as CSV and as JSON."""
        for form in ([], ["--json"]):
            table, copy = path.parent / "table", path.parent / "copy.db"
            first = self.run(path, "export", path.name, *form)
            table.write_bytes(first.stdout)
            imported = self.run(path, "import", path.name, "table", "--store=copy.db", "--quiet")
            second = self.run(path, "export", path.name, "--store=copy.db", *form)
            assert not imported.returncode and not imported.stderr, f"import says {imported.stderr!r}"
            assert first.stdout == second.stdout and not second.returncode, f"the table differs: {first.stdout!r} {second.stdout!r}"
            table.unlink()
            for file in path.parent.glob(copy.name + "*"):
                file.unlink()

    def through_command(self, path, definition):
        """The words of an evaluation's command hold the values, and nothing of them is ever a shell's."""
        name = next(iter(definition["parameters"]))
        command = ["/bin/sh", "-c", 'cat >/dev/null; printf "%s" "$1" >given; echo "{\\"o\\": 1, \\"k\\": -1}"', "sh", "{" + name + "}|{kind}"]
        path.write_text(json.dumps(dict(definition, budget=4, evaluate={"command": command})), encoding="utf-8")
        ran = self.run(path, "run", path.name, "--quiet", "--threads=1")
        assert not ran.returncode, f"run says {ran.stderr!r}"
        last = self.lines(path, "trials", path.name, "--json")[-1]["parameters"]
        value, kind = (path.parent / "given").read_text(encoding="utf-8").split("|", 1)
        assert float(value) == last[name] and kind == last["kind"], f"the command was given {value!r} {kind!r}"
        (path.parent / "given").unlink()

    def refused(self, name, place):
        with tempfile.TemporaryDirectory() as folder:
            path = write(folder, problem(**{place: name}))
            got = self.run(path, "ask", path.name)
            assert got.returncode == 2 and not got.stdout, f"not refused: {got}"
            assert got.stderr.count(b"\n") == 1 and got.stderr.startswith(b"problem.json:1:"), f"says {got.stderr!r}"
            assert len(list(pathlib.Path(folder).iterdir())) == 1, "a store was made"

    def check(self, what, name, place):
        try:
            what(name, place)
        except Exception as why:
            self.wrong.append(f"{place} {name!r}: {why}")


def main():
    checker = Checker(str(pathlib.Path(sys.argv[1]).resolve()))
    places = ("study", "parameter", "category", "objective", "constraint")
    light = bool(os.environ.get("CKG_TEST_LIGHT"))
    with ThreadPoolExecutor(4) as pool:  # most of the time a store waits for the disk
        for what, names in ((checker.carried, NAMES), (checker.refused, REFUSED)):
            for i, name in enumerate(names):
                for place in places[i % 5:i % 5 + 1] if light else places:
                    pool.submit(checker.check, what, name, place)
    print("\n".join(checker.wrong) if checker.wrong else f"{len(NAMES)} names carried, {len(REFUSED)} refused")
    return 1 if checker.wrong else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""test_parameters.py CKG: parameters as people have them. Steps, log integers, categories that are numbers or truths, fixed values, units,
descriptions, positive outcomes: through the problem file, the command, the store, export and import, JSON, texts and the report."""
import csv
import decimal
import io
import json

from harness import Folder, check, main

ODD = 'lot <b>"&\' ü'

PROBLEM = f"""name: s
goal: minimize
budget: 13
initial: 10
seed: 3
parameters:
  wire:  {{type: real, low: 0.05, high: 2.004, step: 0.01, unit: mm, description: the wire's diameter}}
  batch: {{type: integer, low: 1, high: 1024, scale: log}}
  turns: {{type: integer, low: 3, high: 12, step: 4}}
  nodes: {{type: categorical, values: [8, 32.50, 128, "7", true, false, steel, 1e3]}}
  lot:   {{value: 3, unit: kg}}
  {json.dumps(ODD)}: {{value: {json.dumps(ODD)}, description: {json.dumps(ODD)}}}
  ok:    {{value: true}}
objective: {{name: weight, noise: none, positive: true, unit: 'g<i>', description: {json.dumps("what & how")}}}
constraints:
  stress: {{max: 20, noise: none, unit: MPa}}
"""

EVALUATOR = """
import json, math, sys
text = sys.stdin.read()
s = json.loads(text)
with open("seen", "a") as seen:
    seen.write(json.dumps([text, sys.argv[1:]]) + "\\n")
print(json.dumps({"weight": s["wire"] + abs(math.log2(s["batch"]) - 5) + 0.01 * s["turns"], "stress": 5 / s["wire"]}))
"""

NODES = [8, 32.5, 128, "7", True, False, "steel", 1000]


def write(folder, command=True, problem=PROBLEM):
    run = 'evaluate:\n  command: [python3, e.py, "{lot}", "{nodes}", "{wire}", %s]\n' % json.dumps("{" + ODD + "}")
    folder.write("e.py", EVALUATOR)
    folder.write("s.yaml", problem + (run if command else ""))


def same_type(a, b):
    return type(a) is type(b) and a == b


def on_lattice(p):
    wire = decimal.Decimal(repr(p["wire"]))
    return (wire * 100 == int(wire * 100) and decimal.Decimal("0.05") <= wire <= 2 and p["batch"] in range(1, 1025) and p["turns"] in (3, 7, 11)
            and any(same_type(p["nodes"], v) for v in NODES))


def test_designs_keep_to_steps_and_types():
    with Folder() as folder:
        write(folder)
        folder.ckg("run", "s.yaml", "--quiet", expect=0)
        seen = [json.loads(line) for line in (folder / "seen").read_text().splitlines()]
        check(len(seen) == 13, len(seen))
        for text, words in seen:
            p = json.loads(text)
            check(on_lattice(p), text)
            check(len(str(p["wire"])) <= 4, text)
            check(p["lot"] == 3 and p[ODD] == ODD and p["ok"] is True, text)
            node = p["nodes"]
            check(words == ["3", str(node).lower() if isinstance(node, bool) else str(node), str(p["wire"]), ODD], words, node)
        check(len({json.loads(text)["turns"] for text, _ in seen}) == 3)

        # The same designs in what is printed, and a recommendation on the steps.
        trials = folder.trials("s.yaml")
        check([t["parameters"] for t in trials] == [json.loads(text) for text, _ in seen])
        r = json.loads(folder.ckg("recommend", "s.yaml", "--json", expect=0).out)
        check(on_lattice(r["parameters"]) and r["parameters"]["lot"] == 3, r)
        r = json.loads(folder.ckg("recommend", "s.yaml", "--json", "-p", "0.9", expect=0).out)
        check(on_lattice(r["parameters"]), r)


def test_log_integers_fill_octaves():
    """Of 64 designs that fill 1 … 1024 on a log scale, a linear scale would have nearly all above 64."""
    with Folder() as folder:
        write(folder, command=False, problem=PROBLEM.replace("budget: 13\ninitial: 10", "budget: 64\ninitial: 64"))
        lines = folder.ckg("ask", "s.yaml", "-n", 64, "--json", expect=0).out.splitlines()
        below = sum(json.loads(line)["parameters"]["batch"] <= 32 for line in lines)
        check(24 <= below <= 42, below)


def test_units_are_shown():
    with Folder() as folder:
        write(folder)
        folder.ckg("run", "s.yaml", "--quiet", expect=0)
        text = folder.ckg("recommend", "s.yaml", expect=0).out
        for words in ("  wire (mm) ", "  weight (g<i>) ", "  stress (MPa) ", "  lot (kg)             3 (fixed)", f"{ODD} (fixed)"):
            check(words in text, words, text)
        check("weight (g<i>): kernel " in folder.ckg("model", "s.yaml", expect=0).out)
        check("scale logarithm" in folder.ckg("model", "s.yaml", expect=0).out.splitlines()[0])
        folder.ckg("report", "s.yaml", "-o", "r.html", expect=0)
        page = (folder / "r.html").read_text()
        for words in ("the wire's diameter", "wire (mm)", "what &#38; how", "in steps of 0.01", "in steps of 4", "fixed", "positive"):
            check(words in page or words.replace("'", "&#39;") in page, words)
        check("<i>" not in page and 'lot <b>' not in page, "a unit or a name became markup")
        for kind in ("convergence", "slices", "map"):
            folder.ckg("plot", "s.yaml", "-o", f"{kind}.svg", "-k", kind, expect=0)
        check("wire (mm)" in (folder / "slices.svg").read_text())
        check("weight (g&#60;i&#62;)" in (folder / "convergence.svg").read_text())
        folder.ckg("plot", "s.yaml", "-o", "batch.svg", "-k", "slices", "-x", "batch", expect=0)
    with Folder() as folder:
        write(folder, command=False)
        check(" mm batch=" in folder.ckg("ask", "s.yaml", expect=0).out)


def test_export_and_import():
    with Folder() as folder:
        write(folder)
        folder.ckg("run", "s.yaml", "--quiet", expect=0)
        table = folder.ckg("export", "s.yaml", expect=0).out
        lines = folder.ckg("export", "s.yaml", "--json", expect=0).out
        rows = list(csv.DictReader(io.StringIO(table)))
        check(all(row["lot"] == "3" and row[ODD] == ODD and row["ok"] == "true" for row in rows), rows[0])
        for name, text in (("csv", table), ("jsonl", lines)):
            folder.write(f"old.{name}", text)
            folder.write(f"{name}.yaml", (folder / "s.yaml").read_text().replace("name: s\n", f"name: {name}\n"))
            folder.ckg("import", f"{name}.yaml", f"old.{name}", expect=0)
            check(folder.ckg("export", f"{name}.yaml", expect=0).out == table, name)

        # What a spreadsheet makes of numbers is still them; another value of a fixed one is another thing.
        folder.write("sheet.yaml", (folder / "s.yaml").read_text().replace("name: s\n", "name: sheet\n"))
        folder.write("sheet.csv", "wire,batch,turns,nodes,lot,weight,stress\n0.5,2.0,7,8.0,3.0,1,1\n0.5,2,7,TRUE,3,1,1\n".replace("TRUE", "true"))
        folder.ckg("import", "sheet.yaml", "sheet.csv", expect=0)
        check([t["parameters"]["nodes"] for t in folder.trials("sheet.yaml")] == [8, True])
        folder.write("sheet.csv", "wire,batch,turns,nodes,lot,weight,stress\n0.5,2,7,8,4,1,1\n")
        folder.ckg("import", "sheet.yaml", "sheet.csv", expect=2).one_line("sheet.csv:2: parameter 'lot' is fixed at 3, not '4'")
        folder.write("sheet.jsonl", '{"wire": 0.5, "batch": 2, "turns": 7, "nodes": 8, "ok": false, "weight": 1}\n')
        folder.ckg("import", "sheet.yaml", "sheet.jsonl", expect=2).one_line("sheet.jsonl:1: parameter 'ok' is fixed at true, not false")


def test_predictions_take_fixed_columns():
    with Folder() as folder:
        write(folder)
        folder.ckg("run", "s.yaml", "--quiet", expect=0)
        folder.write("at.csv", "wire,batch,turns,nodes,lot\n0.313,32,7,128,3\n")
        p = json.loads(folder.ckg("predict", "s.yaml", "--at", "at.csv", "--json", expect=0).out)
        check(p["outcomes"]["weight"]["mean"] > 0 and p["parameters"]["nodes"] == 128 and p["parameters"]["lot"] == 3, p)


def test_the_store_suffices():
    """The study by its name alone has the types, steps, units and fixed values of the file."""
    with Folder() as folder:
        write(folder, command=False)
        folder.ckg("ask", "s.yaml", expect=0)
        alone = ["--store", "s.db", "--study", "s"]
        one = json.loads(folder.ckg("ask", *alone, "--json", expect=0).out)["parameters"]
        check(on_lattice(one) and one["lot"] == 3 and one["ok"] is True and one[ODD] == ODD, one)
        check(" mm batch=" in folder.ckg("ask", *alone, expect=0).out)


def test_what_may_change():
    with Folder() as folder:
        write(folder, command=False)
        folder.ckg("ask", "s.yaml", expect=0)
        for old, new in (("unit: mm", "unit: cm"), ("the wire's diameter", "something else"), ("values: [8,", 'values: ["8",'), (", unit: kg", "")):
            write(folder, command=False, problem=PROBLEM.replace(old, new))
            folder.ckg("ask", "s.yaml", expect=0)
        for old, new, words in (("step: 0.01", "step: 0.02", "step of wire from 0.01 to 0.02"), ("lot:   {value: 3", "lot:   {value: 4", "parameter 'lot' was fixed at 3 and is now fixed at 4"),
                                ("lot:   {value: 3, unit: kg}", "lot: {type: real, low: 1, high: 9}", "lot varies now; it was fixed at 3"),
                                ("  ok:    {value: true}\n", "", "parameter 'ok' is gone"), ("  ok: ", "  more: {value: 1}\n  ok: ", "new parameter more, fixed at 1"),
                                ("positive: true, ", "", "`ckg change s.yaml` takes it over")):
            write(folder, command=False, problem=PROBLEM.replace(old, new))
            check(PROBLEM.replace(old, new) != PROBLEM, old)
            folder.ckg("ask", "s.yaml", expect=2).one_line(words)


def test_positive_outcomes():
    with Folder() as folder:
        write(folder, command=False)
        folder.ckg("ask", "s.yaml", "-n", 2, expect=0)
        folder.ckg("tell", "s.yaml", 1, "weight=0", "stress=1", expect=2).one_line("outcome 'weight' is declared positive and cannot be 0")
        folder.ckg("tell", "s.yaml", 1, "weight=0.1", "stress=-1", expect=0)
        folder.write("bad.csv", "wire,batch,turns,nodes,weight\n0.5,2,7,8,-1\n")
        folder.ckg("import", "s.yaml", "bad.csv", expect=2).one_line("bad.csv:2:", "declared positive")
        folder.write("e.py", 'print(\'{"weight": -2, "stress": 1}\')\n')
        folder.write("s.yaml", PROBLEM + "evaluate:\n  command: [python3, e.py]\n")
        folder.ckg("run", "s.yaml", "--quiet")
        failed = [t for t in folder.trials("s.yaml") if t["state"] == "failed"]
        check(failed and "declared positive and cannot be -2" in failed[0]["why"], failed)


if __name__ == "__main__":
    main(globals())

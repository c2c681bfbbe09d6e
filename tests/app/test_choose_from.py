#!/usr/bin/env python3
"""test_choose_from.py CKG: a finite list of designs from a CSV. Columns become parameters, or are passed on; every design comes from the list and each
once; the store alone suffices; a changed list is a changed problem; every mistake in the CSV is named with its line."""
import csv
import io
import json

from harness import Folder, check, main

TABLE = """id,copper,zinc,heat,family,coated,note,code
A1,0.5,10,1,brass,true,"soft, <b>",007
A2,0.55,12,1,brass,false,brittle,008
B1,0.7,20,1,bronze,true,ü,009
B2,0.75,22,1,bronze,false,nice,010
C1,0.9,3,1,brass,true,cheap,011
C2,0.3,40,1,bronze,false,dear,12345678901234567891
"""

PROBLEM = """name: s
goal: minimize
budget: 9
initial: 2
seed: 1
{more}choose_from: {name}
objective: {{name: cost, noise: none}}
constraints:
  hardness: {{max: 1, noise: none}}
"""

EVALUATOR = """
import json, sys
s = json.load(sys.stdin)
with open("seen", "a") as seen:
    seen.write(json.dumps([s, sys.argv[1:]]) + "\\n")
print(json.dumps({"cost": s["copper"] + s["zinc"] / 50, "hardness": s["copper"]}))
"""

COMMAND = 'evaluate:\n  command: [python3, e.py, "{id}", "{note}", "{code}", "{copper}"]\n'


def write(folder, table=TABLE, more="", name="alloys.csv", command=COMMAND):
    folder.write("e.py", EVALUATOR)
    folder.write("alloys.csv", table)
    folder.write("s.yaml", PROBLEM.format(more=more, name=name) + command)


def rows(table=TABLE):
    return list(csv.DictReader(io.StringIO(table)))


def test_every_design_once_with_its_columns():
    with Folder() as folder:
        write(folder)
        folder.ckg("run", "s.yaml", "--quiet", expect=0)
        seen = [json.loads(line) for line in (folder / "seen").read_text().splitlines()]
        check(sorted(s["id"] for s, _ in seen) == ["A1", "A2", "B1", "B2", "C1", "C2"], seen)
        for s, words in seen:
            row = next(r for r in rows() if r["id"] == s["id"])
            check(s == {"copper": float(row["copper"]), "zinc": int(row["zinc"]), "family": row["family"], "coated": row["coated"] == "true",
                        "heat": 1, "id": row["id"], "note": row["note"], "code": row["code"]}, s, row)
            check(words == [row["id"], row["note"], row["code"], row["copper"]], words)

        # In texts, JSON, tables and the report, and back.
        best = min(rows(), key=lambda r: float(r["copper"]) + float(r["zinc"]) / 50)
        r = json.loads(folder.ckg("recommend", "s.yaml", "--json", expect=0).out)
        check(r["parameters"]["id"] == best["id"] and r["parameters"]["code"] == best["code"], r)
        check(f"  id                   {best['id']}\n" in folder.ckg("recommend", "s.yaml", expect=0).out)
        folder.ckg("report", "s.yaml", "-o", "r.html", expect=0)
        page = (folder / "r.html").read_text()
        check(best["id"] == "A1" and "soft, &#60;b&#62;" in page and "soft, <b>" not in page)
        for form in ([], ["--json"]):
            folder.write("old", folder.ckg("export", "s.yaml", *form, expect=0).out)
            folder.write("t.yaml", (folder / "s.yaml").read_text().replace("name: s\n", f"name: t{len(form)}\n"))
            folder.ckg("import", "t.yaml", "old", expect=0)
            check(folder.ckg("export", "t.yaml", *form, expect=0).out == (folder / "old").read_text(), form)


def test_the_store_alone():
    with Folder() as folder:
        write(folder, command="")
        first = json.loads(folder.ckg("ask", "s.yaml", "--json", expect=0).out)["parameters"]
        (folder / "alloys.csv").unlink()
        second = json.loads(folder.ckg("ask", "--store", "s.db", "--study", "s", "--json", expect=0).out)["parameters"]
        check(first["id"] != second["id"] and second["code"].startswith(("0", "1")), second)
        folder.ckg("ask", "s.yaml", expect=2).one_line("s.yaml:6:14: alloys.csv: No such file or directory")


def test_the_same_study_in_another_folder():
    with Folder() as folder:
        write(folder, command="")
        one = folder.ckg("ask", "s.yaml", expect=0).out
        (folder / "elsewhere").mkdir()
        check(folder.ckg("ask", "../s.yaml", "--store", "x.db", cwd=folder / "elsewhere", expect=0).out == one)
        check(" id=" in one and " note=" in one, one)


def test_declared_parameters():
    """Ranges, scales and values may be given or left to the table; what is not declared is passed on."""
    with Folder() as folder:
        write(folder, command="", more="parameters: {zinc: {type: integer, scale: log}, family: {type: categorical}, copper: {type: real, low: 0, high: 1, unit: '%'}}\n")
        p = json.loads(folder.ckg("ask", "s.yaml", "--json", expect=0).out)["parameters"]
        check(list(p) == ["zinc", "family", "copper", "id", "heat", "coated", "note", "code"], p)
        check(p["heat"] == 1 and isinstance(p["coated"], bool), p)


def test_a_list_in_the_file():
    with Folder() as folder:
        write(folder, command="", name='[{a: 1, c: "7"}, {c: "8", a: 2.5}, {a: 3, c: "7"}]')
        folder.ckg("ask", "s.yaml", "-n", 4, expect=1).one_line("4 designs were asked for, and 3 are left")
        check(not folder.trials("s.yaml"))
        said = [json.loads(line)["parameters"] for line in folder.ckg("ask", "s.yaml", "-n", 3, "--json", expect=0).out.splitlines()]
        check(sorted(said, key=str) == [{"a": 1, "c": "7"}, {"a": 2.5, "c": "8"}, {"a": 3, "c": "7"}], said)
        folder.ckg("ask", "s.yaml", expect=1).one_line("every design has been evaluated or is pending")


def test_own_designs_are_of_the_list():
    with Folder() as folder:
        write(folder, command="", more="designs: [{copper: 0.7, zinc: 20, family: bronze, coated: true}]\n")
        check("trial 1: copper=0.7 zinc=20 family=bronze coated=true id=B1" in folder.ckg("ask", "s.yaml", expect=0).out)
        folder.ckg("ask", "s.yaml", "--at", "copper=0.9", "zinc=3", "family=brass", "coated=true", expect=0)
        folder.ckg("ask", "s.yaml", "--at", "copper=0.9", "zinc=4", "family=brass", "coated=true", expect=2).one_line("not one of the designs to choose from")


def test_a_changed_list_is_a_changed_problem():
    with Folder() as folder:
        write(folder, command="")
        folder.ckg("ask", "s.yaml", expect=0)
        for old, new, said in (("0.75,22", "0.76,22", "the list of designs to choose from (6, and 6 before)"),
                               ("C2,", "C3,0.4,17,1,brass,true,new,013\nC2,", "the list of designs to choose from (7, and 6 before)")):
            write(folder, command="", table=TABLE.replace(old, new))
            folder.ckg("ask", "s.yaml", expect=2).one_line(said)
        folder.ckg("change", "s.yaml", "--yes", expect=0)
        check(len(folder.ckg("ask", "s.yaml", "-n", 6, "--json", expect=0).out.splitlines()) == 6)
    with Folder() as folder:
        write(folder, command="")
        folder.ckg("ask", "s.yaml", expect=0)
        write(folder, command="", table=TABLE.replace("cheap", "another note"))
        folder.ckg("ask", "s.yaml", expect=0)


def test_mistakes_in_the_table():
    cases = [("alloys.csv:4: 'copper' is empty", TABLE.replace("0.7,", ",")), ("alloys.csv:3: 7 fields, but the header has 8", TABLE.replace("0.55,", "")),
             ("alloys.csv:1: the column 'zinc' appears twice", TABLE.replace("copper,zinc", "zinc,zinc")),
             ("alloys.csv:8: the same design as in line 2", TABLE + "A9,0.5,10,1,brass,true,again,1\n"),
             ("s.yaml:6:14: there must be at least 2 designs to choose from, not 1", "a,b\n1,2\n"), ("at least 2 designs to choose from, not 0", "a,b\n"),
             ("at least 2 designs to choose from, not 0", ""), ("none of the columns can be a parameter", "id,x\n1,2\n2,2\n"),
             ("alloys.csv:1: column 2 needs a name", "a,\n1,2\n2,3\n"), ("'a' is too large for a number", "a,b\n1e999,2\n2,3\n"),
             ("'cost' is already a parameter", "cost,b\n1,2\n2,3\n"), ("'cost' is already a parameter", "a,cost\n1,x\n2,y\n"),
             ("alloys.csv:2: ", 'a,b\n"1,2\n2,3\n')]
    for said, table in cases:
        with Folder() as folder:
            write(folder, table=table, command="")
            folder.ckg("status", "s.yaml", expect=2).one_line(said)
    declared = [("s.yaml:7:14: there is no column 'tin' for the parameter", "{tin: {type: real, low: 0, high: 1}}"), ("`low` is missing", "{tin: {type: real}}"),
                ("alloys.csv:5: parameter 'copper': 0.75", "{copper: {type: real, low: 0, high: 0.7}}"), ("alloys.csv:2: copper = 'brass' is not a number", None),
                ("alloys.csv:2: 'brass' is not one of the values of 'family'", "{family: {type: categorical, values: [bronze, x]}, copper: {type: real}}"),
                ("alloys.csv:2: parameter 'heat' is fixed at 2", "{copper: {type: real}, heat: {value: 2}}"),
                ("alloys.csv:3: the same design as in line 2", "{family: {type: categorical}}")]
    for said, parameters in declared:
        with Folder() as folder:
            table = TABLE if parameters else TABLE.replace("A1,0.5", "A1,brass")
            write(folder, table=table, command="", more=f"parameters: {parameters or '{copper: {type: real, low: 0, high: 1}}'}\n")
            folder.ckg("status", "s.yaml", expect=2).one_line(said)


if __name__ == "__main__":
    main(globals())

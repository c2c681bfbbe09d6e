#!/usr/bin/env python3
"""test_trial_table.py CKG [TEST …]: `ckg trials` for people: columns that line up whatever the names, on terminals of every width, with 200 constraints."""
import json
import re

from harness import Folder, Terminal, check, main

LONG = "total annualised cost of the heat exchanger"
NAMES = ["tube outer diameter in millimetres", "a_name_that_goes_on_and_on_without_any_blank_in_it", "größe", "n"]


def terminal(folder, columns, *words):
    """What the program prints on a terminal of that width."""
    out = Terminal(folder, *words, columns=columns).end()
    return [line.rstrip("\r") for line in out.decode().split("\n") if line.strip()]


def write_study(folder, constraints=2, trials=7):
    problem = {"name": "s", "goal": "minimize", "budget": 50, "seed": 1, "objective": {"name": LONG, "noise": "none"},
               "parameters": {name: {"type": "real", "low": 0, "high": 1} for name in NAMES} |
               {"alloy": {"type": "categorical", "values": ["steel", "a duplex stainless steel of the second kind"]}},
               "constraints": {f"constraint_number_{k}": {"max": 0.5} for k in range(constraints)}}
    folder.write("s.yaml", json.dumps(problem))
    lines = []
    for i in range(trials):
        values = {LONG: i + 0.5, **{f"constraint_number_{k}": 0.9 if k % 50 == 7 and i % 2 else 0.1 + 0.0001 * k for k in range(constraints)}}
        design = {name: (i + 1) / 10 for name in NAMES} | {"alloy": problem["parameters"]["alloy"]["values"][i % 2]}
        lines.append(json.dumps({"trial": i + 1, "state": "complete", "parameters": design, "values": values, "origin": "user", "seconds": None, "why": None}))
    folder.write("t.jsonl", "\n".join(lines) + "\n")
    folder.ckg("import", "s.yaml", "t.jsonl", expect=0)


def columns_of(line):
    """Where its words end; blanks within a cell are single, between cells they may be single too."""
    return {m.end() for m in re.finditer(r"\S+", line)}


def test_columns_line_up_in_a_pipe():
    """One head, in which every name is whole, and every cell ends where its name does."""
    with Folder() as folder:
        write_study(folder)
        head, *rows = folder.ckg("trials", "s.yaml", expect=0).out.splitlines()
        check(len(rows) == 7, rows)
        for name in NAMES + [LONG, "constraint_number_1"]:
            check(name in head, name, "is not whole in", head)
            end = re.search(rf"(?<=\s){re.escape(name)}(?=\s|$)", head).end()
            for row in rows:
                check(end in columns_of(row), name, "does not end with its column:", row)


def test_every_width_of_a_terminal():
    with Folder() as folder:
        write_study(folder)
        for width in (60, 80, 100, 132, 400):
            lines = terminal(folder, width, "trials", "s.yaml")
            body = [line for line in lines if not line.endswith("why")]
            check(max(map(len, body)) <= width, width, max(map(len, body)))
            blocks = sum(line.startswith("trial") for line in lines)
            check(blocks == 1 if width == 400 else blocks > 1, width, blocks)
            check(all(sum(line.split()[0] == str(i) for line in lines) == blocks for i in range(1, 8)), "every trial in every block")
            for value in ("0.3", "1.5", "steel", "a duplex stainless steel of the second kind"):
                check(any(value in line for line in lines), value)
            if width < 400:
                check("heat exchanger" in "\n".join(lines) or "exchanger" in "\n".join(lines), "the end of a long name")


def test_two_hundred_constraints():
    """The constraints that are broken have columns, the others are counted; everything is in JSON."""
    with Folder() as folder:
        write_study(folder, constraints=200)
        head, *rows, foot = folder.ckg("trials", "s.yaml", expect=0).out.splitlines()
        shown = re.findall(r"constraint_number_\d+", head)
        check(len(shown) == 12 and {f"constraint_number_{k}" for k in (7, 57, 107, 157)} <= set(shown), shown)
        check("others broken" in head and foot.startswith("188 other constraints") and len(rows) == 7, foot)
        check(len(head) < 600, len(head))
        check(len(json.loads(folder.ckg("trials", "s.yaml", "--json", expect=0).out.splitlines()[0])["values"]) == 201)


if __name__ == "__main__":
    main(globals())

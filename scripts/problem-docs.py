#!/usr/bin/env python3
"""problem-docs.py: from the lines of `ckg problems --json` on standard input to docs/problems.md on standard output."""
import json
import sys

HEAD = """# The test problems

These problems have known optima. All are minimised, and a design is feasible where every constraint is at most 0.

- `ckg problems` lists them.
- `ckg problems NAME` writes a problem file for `ckg run`.
- `ckg problems NAME -o FILE.svg` draws a problem that has two parameters.
- `ckg bench --problem NAME,…` runs replicated experiments.

In the pictures the feasible region is coloured, more strongly where the objective is smaller, and the star marks the
optimum. `tests/app/test_problems.c` checks the optima and the feasible shares; `scripts/figures.sh build` writes this page.
"""


def number(value):
    return f"{value:.10g}".replace("-", "−", 1) if value < 0 else f"{value:.10g}"


def box(problem):
    ranges = [(p["low"], p["high"]) for p in problem["parameters"].values()]
    if len(set(ranges)) == 1:
        return f"[{number(ranges[0][0])}, {number(ranges[0][1])}]" + ("" if len(ranges) == 1 else f"^{len(ranges)}")
    return " × ".join(f"[{number(low)}, {number(high)}]" for low, high in ranges)


def section(problem):
    picture = problem["name"].split("-noisy-")[0]
    print(f"\n## {problem['name']}\n\n{problem['title'][0].upper() + problem['title'][1:]}.\n")
    if problem["dimension"] == 2 and picture == problem["name"]:
        print(f'<img src="problems/{picture}.svg" alt="{picture}: objective, feasible region and optimum" width="330">\n')
    print("```\nf  = " + problem["objective"])
    for k, formula in enumerate(problem["constraint_formulas"], 1):
        print(f"c{k} = {formula}")
    print("```\n")
    best = ", ".join(f"{x:.6g}".replace("-", "−") for x in problem["best"])
    print(f"- box {box(problem)}; {100 * problem['feasible_share']:.3g} % of it feasible")
    print(f"- optimum {number(problem['optimum'])} at ({best})")
    print(f"- {problem['reference']}")


print(HEAD, end="")
for line in sys.stdin:
    section(json.loads(line))

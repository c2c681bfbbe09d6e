#!/usr/bin/env python3
"""decoupled-page.py RUNS.csv: the table and the figure of bench/results/decoupled.md from the runs of build/bench/decoupled.

Prints the table in Markdown, and writes the figure beside the runs, as RUNS.svg: the mean opportunity cost over the cost spent.
"""
import collections
import math
import pathlib
import statistics
import sys

PROBLEMS = ["mystery", "mystery-redundant", "mystery-nine", "new-branin", "test-function-2", "test-function-2-redundant"]
COSTS = ["equal", "objective-10", "constraint-10"]
WAYS = {"ckg": "#888888", "dckg": "#c03020", "cei+": "#2060b0"}
SHOWN = (2, 5, 10)


def read(path):
    """(problem, costs, way) → the runs, each a list of (opportunity cost, feasible) at every tenth."""
    runs = collections.defaultdict(dict)
    for line in path.read_text().splitlines():
        problem, costs, way, seed, checks, *_ = line.split(",")
        runs[problem, costs, way][int(seed)] = [tuple(map(float, c.split(":"))) for c in checks.split()]
    return runs


def cell(runs, at):
    values = [run[at][0] for run in runs]
    mean = statistics.fmean(values)
    half = 1.96 * statistics.stdev(values) / math.sqrt(len(values)) if len(values) > 1 else math.nan
    return f"{mean:.2g} ± {half:.1g} ({statistics.median(values):.1g})"


def table(runs):
    print("| problem | costs | seeds | spent | coupled `ckg` | `ckg` one at a time | `cei`+ |")
    print("|---|---|---:|---:|---:|---:|---:|")
    for problem in PROBLEMS:
        for costs in COSTS:
            made = [runs[problem, costs, way] for way in WAYS]
            seeds = sorted(set(made[0]) & set(made[1]) & set(made[2]))
            for at in SHOWN if seeds else ():
                cells = " | ".join(cell([m[seed] for seed in seeds], at) for m in made)
                print(f"| {problem} | {costs} | {len(seeds)} | {10 * at} % | {cells} |")


def figure(runs):
    wide, high, gap = 250, 150, 46
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{3 * (wide + gap) + 20}" height="{len(PROBLEMS) * (high + gap) + 30}" '
           'font-family="sans-serif" font-size="11"><rect width="100%" height="100%" fill="white"/>']
    for i, problem in enumerate(PROBLEMS):
        for j, costs in enumerate(COSTS):
            x, y = gap + j * (wide + gap), 30 + i * (high + gap)
            out.append(f'<rect x="{x}" y="{y}" width="{wide}" height="{high}" fill="none" stroke="#aaa"/>'
                       f'<text x="{x}" y="{y - 5}">{problem}, {costs}</text>')
            for power in range(-8, 3, 2):
                level = y + high * (2 - power) / 10
                out.append(f'<text x="{x - 4}" y="{level + 4:.1f}" text-anchor="end" fill="#666">1e{power}</text>')
            for k, (way, colour) in enumerate(WAYS.items()):
                made = list(runs[problem, costs, way].values())
                if not made:
                    continue
                means = [statistics.fmean(run[at][0] for run in made) for at in range(11)]
                points = " ".join(f"{x + wide * at / 10:.1f},{y + high * min(1, max(0, (2 - math.log10(max(m, 1e-8))) / 10)):.1f}"
                                  for at, m in enumerate(means))
                out.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>')
                if not i and not j:
                    out.append(f'<text x="{x + wide - 60}" y="{y + 16 + 14 * k}" fill="{colour}">{way}</text>')
            out.append(f'<text x="{x + wide / 2}" y="{y + high + 14}" text-anchor="middle" fill="#666">cost spent, 0 … 100 %</text>')
    return "\n".join([*out, "</svg>", ""])


if __name__ == "__main__":
    source = pathlib.Path(sys.argv[1])
    found = read(source)
    table(found)
    source.with_suffix(".svg").write_text(figure(found))

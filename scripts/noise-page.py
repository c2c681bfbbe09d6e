#!/usr/bin/env python3
"""noise-page.py varying|constraints: the pages bench/results/varying.md and noisy-constraints.md from the lines beside them.

The lines are those of build/bench/varying and build/bench/noisy_constraints; their heads say what the columns are.
"""
import csv
import pathlib
import statistics
import sys

RESULTS = pathlib.Path(__file__).resolve().parent.parent / "bench" / "results"
PROBLEMS = ("mystery", "new-branin", "test-function-2")


def read(name):
    path = RESULTS / name
    return list(csv.reader(path.read_text().splitlines())) if path.exists() else []


def shown(values):
    """Mean and, in brackets, median."""
    return f"{statistics.mean(values):.3g} ({statistics.median(values):.3g})" if values else "–"


def table(head, rows):
    return "\n".join(["| " + " | ".join(head) + " |", "|" + "---|" * len(head), *("| " + " | ".join(map(str, row)) + " |" for row in rows), ""])


def compare(lines, grows, ways):
    """A row for each problem: the seeds that every way has."""
    for problem in PROBLEMS:
        costs = {way: {line[3]: float(line[4]) for line in lines if line[:3] == [problem, grows, way]} for way in ways}
        seeds = sorted(set.intersection(*(set(c) for c in costs.values())), key=int)
        if not seeds:
            continue
        each = [[costs[way][seed] for seed in seeds] for way in ways]
        ratio = statistics.mean(each[-1]) / statistics.mean(each[0]) if statistics.mean(each[0]) else float("nan")
        yield [problem, len(seeds), *map(shown, each), f"{ratio:.2f}"]


def varying():
    lines = read("varying.csv")
    parts = ["# Noise that varies over the space", "",
             "By `make varying` (`bench/varying.c`). The objective of the paper's three problems has noise whose standard deviation grows tenfold",
             "from the low end of the first parameter to its high end; in the middle it is 1, 20 and 0.3. Constraints have none. `one` takes noise to",
             "be the same everywhere, as `auto` did before; `auto` lets the evidence decide; `varying` is told.", "",
             "## Held-out measurements", "", "```", (RESULTS / "varying-predict.txt").read_text().rstrip(), "```", "",
             "## Opportunity cost after 110 evaluations with ckg", "",
             "Mean and, in brackets, median; the last column is the ratio of the means. Where there are few seeds the ratio says little: one run that",
             "ends in a wrong region outweighs all others.", ""]
    rows = list(compare(lines, "1", ("one", "varying")))
    parts += ["Noise that grows tenfold:", "", table(["problem", "seeds", "one", "varying", "ratio"], rows)] if rows else []
    rows = list(compare(lines, "0", ("one", "auto")))
    parts += ["Noise that is the same everywhere:", "", table(["problem", "seeds", "one", "auto", "ratio"], rows)] if rows else []
    (RESULTS / "varying.md").write_text("\n".join(parts).rstrip() + "\n")


def constraint_rows(lines, column, names):
    for problem in PROBLEMS:
        for name in names:
            of = [line for line in lines if line[0] == problem and line[column] == name and line[3 - column] == ("auto" if column == 1 else "ckg")]
            if of:
                yield [problem, name, len(of), shown([float(r[4]) for r in of]), f"{sum(r[5] == '1' for r in of)} of {len(of)}",
                       f"{statistics.mean(float(r[6]) for r in of):.2f}", shown([float(r[7]) for r in of]),
                       f"{sum(r[8] == '1' for r in of)} of {len(of)}", f"{statistics.mean(float(r[9]) for r in of):.2f}"]


def constraints():
    lines = read("noisy-constraints.csv")
    head = ["seeds", "OC", "feasible", "stated", "OC, asked for 0.9", "feasible", "stated"]
    parts = ["# Noise on the constraints, and what an infeasible design is worth", "",
             "By `make noisy-constraints` (`bench/noisy_constraints.c`). The objective and every constraint of the paper's three problems have noise:",
             "standard deviations 1 and 0.1, 10 and 3, 0.03 and 1. After 50 evaluations: the opportunity cost (OC) of what is recommended, mean and",
             "median; an infeasible one counts as the paper's M = 0. How many were truly feasible, and the mean probability that was stated. Then the",
             "same for recommendations that ask for a probability of 0.9 (`ckg recommend -p 0.9`).", "",
             "## Policies", "", table(["problem", "policy", *head], constraint_rows(lines, 1, ("ckg", "cei", "nei", "random"))),
             "## M, with ckg", "",
             "`auto`: the worst posterior mean, the default. `zero`: the paper's. `observed`: the worst value seen. `mild`: the median of those seen.",
             "`harsh`: as far beyond the worst seen as it is from the best.", "",
             table(["problem", "M", *head], constraint_rows(lines, 2, ("auto", "zero", "observed", "mild", "harsh")))]
    (RESULTS / "noisy-constraints.md").write_text("\n".join(parts).rstrip() + "\n")


if __name__ == "__main__":
    {"varying": varying, "constraints": constraints}[sys.argv[1]]()

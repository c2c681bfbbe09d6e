#!/usr/bin/env python3
"""noise-page.py varying|constraints: the tables of bench/results/varying.md and noisy-constraints.md, and a figure, from the lines beside them.

The lines are those of build/bench/varying and build/bench/noisy_constraints; their heads say what the columns are. What a page says up to the mark stays.
"""
import csv
import math
import pathlib
import statistics
import sys

RESULTS = pathlib.Path(__file__).resolve().parent.parent / "bench" / "results"
PROBLEMS = ("mystery", "new-branin", "test-function-2")


MARK = "<!-- tables by scripts/noise-page.py -->"


def rewrite(name, parts):
    """The page with new tables below the mark."""
    page = RESULTS / name
    words = page.read_text().partition(MARK)[0]
    page.write_text(words + "\n".join([MARK, "", *parts]).rstrip() + "\n")


def read(name):
    path = RESULTS / name
    return list(csv.reader(path.read_text().splitlines())) if path.exists() else []


def half(values):
    """Half of the 95 % interval of the mean."""
    return 1.96 * statistics.stdev(values) / math.sqrt(len(values)) if len(values) > 1 else math.nan


def shown(values):
    """Mean ± 95 % interval and, in brackets, median."""
    return f"{statistics.mean(values):.2g} ± {half(values):.1g} ({statistics.median(values):.2g})" if values else "–"


def table(head, rows):
    return "\n".join(["| " + " | ".join(head) + " |", "|" + "---|" * len(head), *("| " + " | ".join(map(str, row)) + " |" for row in rows), ""])


def compare(lines, grows, ways):
    """A row for each problem: the seeds that every way has."""
    for problem in PROBLEMS:
        costs = {way: {line[3]: float(line[4]) for line in lines if line[:3] == [problem, grows, way]} for way in ways}
        chosen = sum(line[6] == "1" for line in lines if line[:3] == [problem, grows, "auto"])
        seeds = sorted(set.intersection(*(set(c) for c in costs.values())), key=int)
        if not seeds:
            continue
        each = [[costs[way][seed] for seed in seeds] for way in ways]
        ratios = [f"{statistics.mean(e) / statistics.mean(each[0]):.2f}" for e in each[1:]]
        yield [problem, len(seeds), *map(shown, each), " / ".join(ratios), chosen]


def varying():
    lines = read("varying.csv")
    parts = ["## Held-out measurements", "", "```", (RESULTS / "varying-predict.txt").read_text().rstrip(), "```", "",
             "## Opportunity cost after 110 evaluations with ckg", "",
             "Mean ± 95 % interval and, in brackets, median; the ratio of the means to that of `one`; in how many studies `auto` had found at the end that",
             "the noise varies.", ""]
    rows = list(compare(lines, "1", ("one", "auto", "varying")))
    parts += ["Noise that grows tenfold:", "", table(["problem", "seeds", "one", "auto", "varying", "ratio, auto / varying", "found"], rows)]
    rows = list(compare(lines, "0", ("one", "auto")))
    parts += ["Noise that is the same everywhere:", "", table(["problem", "seeds", "one", "auto", "ratio", "found"], rows)]
    rewrite("varying.md", parts)


HEAD = ["seeds", "OC", "feasible", "stated", "OC, asked for 0.9", "feasible", "stated"]
RULES = {"generous": "#c03020", "mild": "#d08020", "auto": "#208050", "observed": "#2060b0", "zero": "#6040a0", "harsh": "#666666"}


def constraint_rows(lines, column):
    """A row for each problem and policy (column 1) or M of ckg (column 2)."""
    other = (2, "auto") if column == 1 else (1, "ckg")
    names = list(dict.fromkeys(line[column] for line in lines)) if column == 1 else RULES
    for problem in PROBLEMS:
        for name in names:
            of = [line for line in lines if line[0] == problem and line[column] == name and line[other[0]] == other[1]]
            if of:
                yield [problem, name, len(of), shown([float(r[4]) for r in of]), sum(r[5] == "1" for r in of),
                       f"{statistics.mean(float(r[6]) for r in of):.3f}", shown([float(r[7]) for r in of]),
                       sum(r[8] == "1" for r in of), f"{statistics.mean(float(r[9]) for r in of):.3f}"]


def reliability(lines):
    """Of recommendations with a stated probability in each bin: how many, the mean stated, the share that was feasible."""
    for what, at in (("by utility", 5), ("asked for 0.9", 8)):
        for policies in ({"ckg"}, {line[1] for line in lines}):
            pairs = [(float(r[at + 1]), r[at] == "1") for r in lines if r[1] in policies and r[2] == "auto"]
            for low, high in ((0, 0.5), (0.5, 0.89), (0.89, 0.99), (0.99, 1.01)):
                of = [pair for pair in pairs if low <= pair[0] < high]
                if of:
                    held = sum(ok for _, ok in of) / len(of)
                    interval = 1.96 * math.sqrt(max(held * (1 - held), 0.25 / len(of)) / len(of))
                    yield [what, "ckg" if len(policies) == 1 else "all", f"{low:g} – {min(high, 1):g}", len(of),
                           f"{statistics.mean(p for p, _ in of):.3f}", f"{held:.3f} ± {interval:.2f}"]


def penalty_figure(lines):
    """For each problem the mean opportunity cost over M, on a logarithmic scale, and below it how many recommendations were infeasible."""
    wide, high, gap = 250, 150, 60
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{3 * (wide + gap) + 10}" height="{high + 115}" font-family="sans-serif" font-size="11">'
           '<rect width="100%" height="100%" fill="white"/>']
    for i, problem in enumerate(PROBLEMS):
        x, y = gap + i * (wide + gap), 30
        costs = {rule: [float(r[4]) for r in lines if r[:3] == [problem, "ckg", rule]] for rule in RULES}
        top = math.ceil(math.log10(max(map(statistics.mean, costs.values())) * 1.01))
        out.append(f'<rect x="{x}" y="{y}" width="{wide}" height="{high}" fill="none" stroke="#aaa"/><text x="{x}" y="{y - 6}">{problem}: mean opportunity cost</text>')
        out += [f'<text x="{x - 4}" y="{y + high * k / 3 + 4:.1f}" text-anchor="end" fill="#666">{10.0 ** (top - k):g}</text>' for k in range(4)]
        for k, (rule, colour) in enumerate(RULES.items()):
            def level(value, y=y, top=top):
                return y + high * min(1, max(0, (top - math.log10(max(value, 1e-9))) / 3))
            middle, at, reach = statistics.mean(costs[rule]), x + wide * (k + 0.5) / len(RULES), half(costs[rule])
            infeasible = sum(r[5] == "0" for r in lines if r[:3] == [problem, "ckg", rule])
            out.append(f'<line x1="{at}" x2="{at}" y1="{level(middle + reach):.1f}" y2="{level(middle - reach):.1f}" stroke="{colour}" stroke-width="2"/>'
                       f'<circle cx="{at}" cy="{level(middle):.1f}" r="4" fill="{colour}"/>'
                       f'<text transform="translate({at + 4},{y + high + 50}) rotate(-60)" fill="{colour}">{rule}</text>'
                       f'<text x="{at}" y="{y + high + 68}" text-anchor="middle">{infeasible}</text>')
        out.append(f'<text x="{x + wide / 2}" y="{y + high + 82}" text-anchor="middle" fill="#666">infeasible recommendations of {len(costs["auto"])}</text>')
    return "\n".join([*out, "</svg>", ""])


def constraints():
    lines = read("noisy-constraints.csv")
    quiet = read("penalty-quiet.csv")
    (RESULTS / "penalty.svg").write_text(penalty_figure(lines))
    parts = ["## Policies", "", table(["problem", "policy", *HEAD], constraint_rows(lines, 1)),
             "## What a stated probability is worth", "",
             table(["recommendation", "policies", "stated", "number", "mean stated", "feasible"], reliability(lines)),
             "## M, with ckg", "", "![opportunity cost over M](penalty.svg)", "",
             "`generous`: the best value seen. `mild`: the median of those seen. `auto`: the worst posterior mean, the default. `observed`: the worst value seen.",
             "`zero`: what the score takes an infeasible recommendation for, a user's own cost. `harsh`: as far beyond the worst seen as that is from the best.",
             "", table(["problem", "M", *HEAD], constraint_rows(lines, 2)),
             "Without any noise:", "", table(["problem", "M", *HEAD], constraint_rows(quiet, 2))]
    rewrite("noisy-constraints.md", parts)


if __name__ == "__main__":
    {"varying": varying, "constraints": constraints}[sys.argv[1]]()

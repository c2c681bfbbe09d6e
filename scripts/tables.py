#!/usr/bin/env python3
"""The tables and figures of pages about measurements, from what the benchmarks wrote.

    scripts/tables.py batch RUNS.csv               prints those of bench/results/batch.md
    scripts/tables.py decoupled RUNS.csv           prints that of bench/results/decoupled.md and draws its figure
    scripts/tables.py varying FOLDER               writes bench/results/varying.md from FOLDER/varying.csv and varying-predict.txt
    scripts/tables.py constraints FOLDER           writes noisy-constraints.md and penalty.svg there from FOLDER/noisy-constraints.csv and penalty-quiet.csv
    scripts/tables.py paper                        writes docs/results.md from bench/results/paper.jsonl
    scripts/tables.py policies                     writes docs/policies/README.md from bench/results/policies_quality.txt and policies_speed.txt

What a page says outside its marks stays.
"""
import collections
import csv
import json
import math
import pathlib
import re
import statistics
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
RESULTS = ROOT / "bench" / "results"
PROBLEMS = ("mystery", "new-branin", "test-function-2")


# --- what all pages have ---


def half(values):
    """Half of the 95 % interval of the mean."""
    return 1.96 * statistics.stdev(values) / math.sqrt(len(values)) if len(values) > 1 else math.nan


def shown(values):
    """Mean ± 95 % interval and, in brackets, median."""
    return f"{statistics.fmean(values):.2g} ± {half(values):.1g} ({statistics.median(values):.2g})" if values else "–"


def table(head, rows):
    """The lines of a table, and an empty one."""
    lines = ["| " + " | ".join(map(str, row)) + " |" for row in (head, *rows)]
    return [lines[0], "|" + "---|" * len(head), *lines[1:], ""]


def fill(path, **parts):
    """The page with new lines between each <!-- MARK --> and <!-- end -->."""
    text = path.read_text()
    for mark, lines in parts.items():
        text = re.sub(rf"(<!-- {mark} -->\n).*?(<!-- end -->)", lambda m: m[1] + "\n" + "\n".join(lines).rstrip() + "\n\n" + m[2], text, flags=re.S)
    path.write_text(text)


def read(path):
    return list(csv.reader(path.read_text().splitlines())) if path.exists() else []


def figure(width, height, parts):
    return "\n".join([f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif" font-size="11">',
                      '<rect width="100%" height="100%" fill="white"/>', *parts, "</svg>", ""])


def frame(x, y, wide, high, title):
    return f'<rect x="{x}" y="{y}" width="{wide}" height="{high}" fill="none" stroke="#aaa"/><text x="{x}" y="{y - 5}">{title}</text>'


# --- batches ---

CHECKS = {"ellipsoid": (60, 92), "powers": (60, 92)}  # evaluations; of the other cells 34 and 50
LEAST = 1e-9  # added before logarithms are taken: less is nothing


def batch(path):
    """(cell, q) → {seed: (opportunity costs at the checks, milliseconds of a suggestion)}, at the mean."""
    runs = collections.defaultdict(dict)
    for cell, _, way, q, seed, costs, ms in read(path):
        if way == "mean":
            runs[cell, int(q)][seed] = ([float(c) for c in costs.split()], float(ms))
    costs, ratios, times = [], [], []
    for cell in dict.fromkeys(cell for cell, _ in runs):
        made = [runs[cell.removesuffix("-async"), 1], runs[cell, 4], runs[cell, 8]]
        seeds = set.intersection(*map(set, made))
        if not seeds:
            continue
        ms = [statistics.fmean(m[s][1] for s in seeds) for m in made]
        times.append([cell, f"{ms[0]:.1f}", *(f"{t:.1f} ({t / ms[0]:.2f})" for t in ms[1:])])
        for at, evaluations in enumerate(CHECKS.get(cell, (34, 50))):
            costs.append([cell, len(seeds), evaluations, *(shown([m[s][0][at] for s in seeds]) for m in made)])
            for q, m in zip((4, 8), made[1:]):
                ratio = [math.log10((m[s][0][at] + LEAST) / (made[0][s][0][at] + LEAST)) for s in seeds]
                ratios.append([cell, q, evaluations, f"{statistics.fmean(ratio):+.2f} ± {half(ratio):.2f}", f"{sum(r < 0 for r in ratio)} of {len(seeds)}"])
    print("\n".join(table(["cell", "seeds", "evaluations", "one by one", "q = 4", "q = 8"], costs) +
                    table(["cell", "q", "evaluations", "log₁₀ of the ratio to one by one", "nearer"], ratios) +
                    table(["cell", "one by one", "q = 4", "q = 8"], times)))


# --- outcomes measured one at a time ---

VARIANTS = ("mystery", "mystery-redundant", "mystery-nine", "new-branin", "test-function-2", "test-function-2-redundant")
COSTS = ("equal", "objective-10", "constraint-10")
WAYS = {"ckg": "#888888", "dckg": "#c03020", "cei+": "#2060b0"}


def decoupled(path):
    """(problem, costs, way) → {seed: opportunity cost at every tenth of the budget}."""
    runs = collections.defaultdict(dict)
    for problem, costs, way, seed, checks, *_ in read(path):
        runs[problem, costs, way][seed] = [float(check.partition(":")[0]) for check in checks.split()]
    rows = []
    for problem in VARIANTS:
        for costs in COSTS:
            made = [runs[problem, costs, way] for way in WAYS]
            seeds = set.intersection(*map(set, made))
            rows += [[problem, costs, len(seeds), f"{10 * at} %", *(shown([m[seed][at] for seed in seeds]) for m in made)] for at in (2, 5, 10) if seeds]
    print("\n".join(table(["problem", "costs", "seeds", "spent", "coupled `ckg`", "`ckg` one at a time", "`cei`+"], rows)))
    (RESULTS / "decoupled.svg").write_text(decoupled_figure(runs))


def decoupled_figure(runs):
    wide, high, gap = 250, 150, 46
    out = []
    for i, problem in enumerate(VARIANTS):
        for j, costs in enumerate(COSTS):
            x, y = gap + j * (wide + gap), 30 + i * (high + gap)
            out.append(frame(x, y, wide, high, f"{problem}, {costs}"))
            out += [f'<text x="{x - 4}" y="{y + high * (2 - power) / 10 + 4:.1f}" text-anchor="end" fill="#666">1e{power}</text>' for power in range(-8, 3, 2)]
            for k, (way, colour) in enumerate(WAYS.items()):
                means = [statistics.fmean(values) for values in zip(*runs[problem, costs, way].values())]
                points = " ".join(f"{x + wide * at / 10:.1f},{y + high * min(1, max(0, (2 - math.log10(max(m, 1e-8))) / 10)):.1f}" for at, m in enumerate(means))
                out.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>')
                if not i and not j:
                    out.append(f'<text x="{x + wide - 60}" y="{y + 16 + 14 * k}" fill="{colour}">{way}</text>')
            out.append(f'<text x="{x + wide / 2}" y="{y + high + 14}" text-anchor="middle" fill="#666">cost spent, 0 … 100 %</text>')
    return figure(3 * (wide + gap) + 20, len(VARIANTS) * (high + gap) + 30, out)


# --- noise that varies ---


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


def varying(folder):
    lines = read(folder / "varying.csv")
    fill(RESULTS / "varying.md", tables=[
        "## Held-out measurements", "", "```", (folder / "varying-predict.txt").read_text().rstrip(), "```", "",
        "## Opportunity cost after 110 evaluations with ckg", "",
        "Mean ± 95 % interval and, in brackets, median; the ratio of the means to that of `one`; in how many studies `auto` had found at the end that",
        "the noise varies.", "", "Noise that grows tenfold:", "",
        *table(["problem", "seeds", "one", "auto", "varying", "ratio, auto / varying", "found"], compare(lines, "1", ("one", "auto", "varying"))),
        "Noise that is the same everywhere:", "",
        *table(["problem", "seeds", "one", "auto", "ratio", "found"], compare(lines, "0", ("one", "auto")))])


# --- noise on the constraints ---

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
    out = []
    for i, problem in enumerate(PROBLEMS):
        x, y = gap + i * (wide + gap), 30
        costs = {rule: [float(r[4]) for r in lines if r[:3] == [problem, "ckg", rule]] for rule in RULES}
        top = math.ceil(math.log10(max(map(statistics.mean, costs.values())) * 1.01))
        out.append(frame(x, y, wide, high, f"{problem}: mean opportunity cost"))
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
    return figure(3 * (wide + gap) + 10, high + 115, out)


def constraints(folder):
    lines, quiet = read(folder / "noisy-constraints.csv"), read(folder / "penalty-quiet.csv")
    (RESULTS / "penalty.svg").write_text(penalty_figure(lines))
    fill(RESULTS / "noisy-constraints.md", tables=[
        "## Policies", "", *table(["problem", "policy", *HEAD], constraint_rows(lines, 1)),
        "## What a stated probability is worth", "",
        *table(["recommendation", "policies", "stated", "number", "mean stated", "feasible"], reliability(lines)),
        "## M, with ckg", "", "![opportunity cost over M](penalty.svg)", "",
        "`generous`: the best value seen. `mild`: the median of those seen. `auto`: the worst posterior mean, the default. `observed`: the worst value seen.",
        "`zero`: what the score takes an infeasible recommendation for, a user's own cost. `harsh`: as far beyond the worst seen as that is from the best.",
        "", *table(["problem", "M", *HEAD], constraint_rows(lines, 2)),
        "Without any noise:", "", *table(["problem", "M", *HEAD], constraint_rows(quiet, 2))])


# --- the paper's experiments ---

EVALUATIONS = (20, 30, 50, 75, 110)


def number(value):
    return f"{value:.2g}".replace("e-0", "e-")


def cells(rows):
    """One table per problem and noise: policies by evaluations, the best mean and what is tied with it in bold."""
    for problem, noise in dict.fromkeys((r["problem"], r["noise"]) for r in rows):
        mine = {(r["policy"], r["evaluation"]): r for r in rows if (r["problem"], r["noise"]) == (problem, noise)}
        names = list(dict.fromkeys(policy for policy, _ in mine))
        best = {e: min((mine[name, e] for name in names), key=lambda r: r["mean"]) for e in EVALUATIONS}
        lines = []
        for name in names:
            words = [f"`{name}`"]
            for e in EVALUATIONS:
                r = mine[name, e]
                text = f"{number(r['mean'])} ± {number(r['half_width_95'])} ({number(r['median'])})"
                words.append(f"**{text}**" if r["mean"] - r["half_width_95"] <= best[e]["mean"] + best[e]["half_width_95"] else text)
            lines.append(words + [f"{100 * r['infeasible']:.0f} %", f"{100 * r['right_region']:.0f} %"])
        yield from [f"### {problem}, σ = {noise:g}", "", *table(["policy", *EVALUATIONS, "infeasible", "right region"], lines)]


def times(rows):
    """The mean over all suggestions of a policy; the cells have equally many."""
    of = collections.defaultdict(dict)
    for r in rows:
        of[r["policy"]][r["problem"], r["noise"]] = 1e3 * r["seconds_per_suggestion"]
    problems = dict.fromkeys((r["problem"], r["noise"]) for r in rows)
    return table(["policy", *(f"{problem}, {noise:g}" for problem, noise in problems)],
                 ([f"`{policy}`", *(f"{ms[p]:.0f}" for p in problems)] for policy, ms in sorted(of.items(), key=lambda item: -sum(item[1].values()))))


def paper():
    rows = [json.loads(line) for line in (RESULTS / "paper.jsonl").read_text().splitlines()]
    fill(ROOT / "docs" / "results.md", tables=cells(rows), times=times(rows))


# --- policies ---


def short(text):
    value = float(text)
    return f"{value:.1e}".replace("e-0", "e-") if 0 < abs(value) < 0.001 else f"{value:.2g}"


def quality():
    found, policy = collections.defaultdict(dict), None
    for line in (RESULTS / "policies_quality.txt").read_text().splitlines():
        begins = re.match(r"policy (\w+),", line)
        policy = begins[1] if begins else policy
        row = re.match(r"(\S+) +([01]) +(\S+) ± (\S+) +(\S+)", line)
        if row:
            problem, noise, *numbers = row.groups()
            found[policy][problem, noise] = "{} ± {} ({})".format(*map(short, numbers))
    columns = [(p, n) for p in PROBLEMS for n in "01"]
    return table(["policy", *(f"{p}, {n}" for p, n in columns)], ([f"[`{r}`]({r}.md)", *(c[at] for at in columns)] for r, c in found.items()))


def speed():
    words = [line.split() for line in (RESULTS / "policies_speed.txt").read_text().splitlines()[3:]]
    return table(["policy", "problem", "noise", "n = 20", "50", "100", "200", "50, in Choleskys"],
                 (["`" + w[0] + "`", *w[1:-1], f"{float(w[-1]):.2f}"] for w in words if w[0] not in ("random", "sobol")))


def policies():
    fill(ROOT / "docs" / "policies" / "README.md", quality=quality(), speed=speed())


if __name__ == "__main__":
    makers = {maker.__name__: maker for maker in (batch, decoupled, varying, constraints, paper, policies)}
    makers[sys.argv[1]](*map(pathlib.Path, sys.argv[2:]))

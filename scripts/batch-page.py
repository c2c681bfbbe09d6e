#!/usr/bin/env python3
"""batch-page.py RUNS.csv [ROUNDS.csv]: the tables of bench/results/batch.md from the runs of build/bench/batch, in Markdown on standard output. ROUNDS.csv
has single batches by two ways, of which one was taken out since."""
import collections
import math
import pathlib
import statistics
import sys

CELLS = {"mystery": (34, 50), "new-branin": (34, 50), "test-function-2": (34, 50), "ellipsoid": (60, 92), "powers": (60, 92),
         "mystery-noise": (34, 50), "new-branin-noise": (34, 50), "test-function-2-noise": (34, 50),
         "mystery-async": (34, 50), "new-branin-async": (34, 50), "test-function-2-async": (34, 50), "mystery-noise-async": (34, 50)}
SHOWN = (0, 1)
WAYS = ("mean", "integrated")
LEAST = 1e-9  # added before logarithms are taken: less is nothing


def read(path):
    """(cell, q, way) → {seed: (opportunity costs at the checks, milliseconds of a suggestion)}."""
    runs = collections.defaultdict(dict)
    for line in path.read_text().splitlines():
        cell, policy, way, q, seed, costs, ms = line.split(",")
        if policy == "ckg":
            runs[cell, int(q), way][int(seed)] = ([float(c) for c in costs.split()], float(ms))
    return runs


def made_of(runs, cell):
    """What is shown of a cell; with noise there is one way alone."""
    alone = runs[cell.removesuffix("-async"), 1, "mean"]
    return [alone] + [runs[cell, q, way] for q in (4, 8) for way in WAYS]


def common(runs, cell):
    """The seeds that everything shown of a cell has."""
    return sorted(set.intersection(*(set(m) for m in made_of(runs, cell) if m)))


def spread(values):
    half = 1.96 * statistics.stdev(values) / math.sqrt(len(values)) if len(values) > 1 else math.nan
    return f"{statistics.fmean(values):.2g} ± {half:.1g} ({statistics.median(values):.1g})"


def costs(runs):
    print("| cell | seeds | evaluations | one by one | q = 4, at the mean | q = 4, integrated | q = 8, at the mean | q = 8, integrated |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|")
    for cell, evaluations in CELLS.items():
        seeds = common(runs, cell)
        for at in SHOWN if seeds else ():
            words = " | ".join(spread([m[seed][0][at] for seed in seeds]) if m else "–" for m in made_of(runs, cell))
            print(f"| {cell} | {len(seeds)} | {evaluations[at]} | {words} |")


def pairs(runs):
    """Integrated against at the mean, seed by seed: the mean difference of the logarithms to base 10, and how often it was smaller."""
    print("| cell | q | seeds | log₁₀ of the ratio, first check | nearer | last check | nearer |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    for cell in CELLS:
        for q in (4, 8):
            mean, integrated = (runs[cell, q, way] for way in WAYS)
            seeds = sorted(set(mean) & set(integrated))
            words = []
            for at in SHOWN if len(seeds) > 1 else ():
                ratio = [math.log10((integrated[s][0][at] + LEAST) / (mean[s][0][at] + LEAST)) for s in seeds]
                half = 1.96 * statistics.stdev(ratio) / math.sqrt(len(ratio))
                words += [f"{statistics.fmean(ratio):+.2f} ± {half:.2f}", f"{sum(r < 0 for r in ratio)} of {len(seeds)}"]
            if words:
                print(f"| {cell} | {q} | {len(seeds)} | {' | '.join(words)} |")


def times(runs):
    print("| cell | one by one | q = 4, at the mean | q = 4, integrated | q = 8, at the mean | q = 8, integrated |")
    print("|---|---:|---:|---:|---:|---:|")
    for cell in CELLS:
        seeds = [] if cell.endswith("-async") else common(runs, cell)
        if seeds:
            ms = [statistics.fmean(m[seed][1] for seed in seeds) if m else math.nan for m in made_of(runs, cell)]
            print(f"| {cell} | {ms[0]:.1f} | " + " | ".join("–" if math.isnan(t) else f"{t:.1f} ({t / ms[0]:.2f})" for t in ms[1:]) + " |")


def rounds(path):
    """What one batch gains by either way, from the same trials: powers of ten of the cost of the best design in hand."""
    gains = collections.defaultdict(list)
    for line in path.read_text().splitlines():
        cell, q, _, _, *found = line.split(",")
        before, mean, integrated = (float(cost) + LEAST for cost in found)
        gains[cell, int(q)].append((math.log10(before / mean), math.log10(before / integrated)))
    print("| cell | q | batches | gain at the mean | integrated | difference | better | worse |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|")
    for (cell, q), pair in gains.items():
        difference = [b - a for a, b in pair]
        half = 1.96 * statistics.stdev(difference) / math.sqrt(len(pair))
        means = " | ".join(f"{statistics.fmean(side):.2f}" for side in zip(*pair))
        print(f"| {cell} | {q} | {len(pair)} | {means} | {statistics.fmean(difference):+.3f} ± {half:.3f} | "
              f"{sum(d > 1e-3 for d in difference)} | {sum(d < -1e-3 for d in difference)} |")


def main():
    runs = read(pathlib.Path(sys.argv[1]))
    for part in (costs, pairs, times):
        part(runs)
        print()
    if len(sys.argv) > 2:
        rounds(pathlib.Path(sys.argv[2]))


main()

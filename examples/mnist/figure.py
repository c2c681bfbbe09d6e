#!/usr/bin/env python3
"""figure.py FOLDER [-o FILE.svg]: prints a table of the results of study.py, CSV files or compressed ones, and draws the paper's Figure 4 from
them: (a) the re-trained error of the recommended design against evaluations, (b) the same after the last one. Means over replications with
95 % intervals by Student's t. A replication counts once all policies have finished it, and then every recommendation counts, including
those over the limit; the table says how many meet it."""
import argparse
import collections
import csv
import gzip
import json
import math
import os
import statistics

T = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093]
COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#777777", "#e69f00"]
WIDTH, HEIGHT, LEFT, TOP, BOTTOM, SPLIT, SECOND = 860, 400, 64, 46, 340, 560, 640


def read(folder, name):
    path = os.path.join(folder, name + ".csv")
    with (open(path, newline="") if os.path.exists(path) else gzip.open(path + ".gz", "rt", newline="")) as file:
        return list(csv.DictReader(file))


def interval(values):
    """Mean and half the width of the 95 % interval; 0 where there is only one value."""
    n = len(values)
    if n < 2:
        return values[0], 0
    return statistics.mean(values), (T[n - 2] if n - 2 < len(T) else 1.96) * statistics.stdev(values) / math.sqrt(n)


def truths(folder, settings):
    """truth[policy][evaluations] = [(error, time)], a pair of means over trainings for each replication that is complete."""
    cells = collections.defaultdict(list)
    for row in read(folder, "retrained"):
        cells[int(row["replication"]), row["policy"], int(row["evaluations"])].append((float(row["error"]), float(row["time_ms"])))
    policies = list(dict.fromkeys(policy for _, policy, _ in cells))
    looks = range(settings["initial"], settings["evaluations"] + 1, settings["step"])
    complete = [r for r in sorted({r for r, _, _ in cells})
                if all(len(cells.get((r, p, n), ())) == settings["retrain"] for p in policies for n in looks)]
    if not complete:
        raise SystemExit(f"{folder}: no replication is complete")
    return {p: {n: [tuple(map(statistics.mean, zip(*cells[r, p, n]))) for r in complete] for n in looks} for p in policies}


def infeasible_share(folder, first, limit):
    """Of the evaluations of each policy after the initial design, the share that measured more than the limit; and of the initial designs."""
    over = collections.defaultdict(list)
    for row in read(folder, "trials"):
        if row["log_time"] != "None":
            over["initial" if int(row["trial"]) <= first else row["policy"]].append(float(row["log_time"]) > math.log10(limit))
    return {name: statistics.mean(values) for name, values in over.items()}


def print_table(truth, over, limit, last):
    print(f"After {last} evaluations; limit {limit:g} ms; {over.get('initial', math.nan):.0%} of the initial designs exceed it.\n")
    print("| policy | replications | error, mean ± 95 % | median | above the first policy's | time, ms | meet the limit | evaluations over it |")
    print("|---|---|---|---|---|---|---|---|")
    first = [e for e, _ in next(iter(truth.values()))[last]]
    for policy, looks in truth.items():
        errors, times = zip(*looks[last])
        mean, half = interval(errors)
        more, wide = interval([e - f for e, f in zip(errors, first)])
        met = sum(t <= limit for t in times)
        print(f"| {policy} | {len(errors)} | {mean:.4f} ± {half:.4f} | {statistics.median(errors):.4f} | {more:+.4f} ± {wide:.4f} "
              f"| {statistics.mean(times):.2f} | {met}/{len(errors)} | {over.get(policy, math.nan):.0%} |")


class Picture:
    def __init__(self):
        self.parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}" '
                      'font-family="sans-serif" font-size="12">', f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>']

    def line(self, x1, y1, x2, y2, colour, width=1.0):
        self.parts.append(f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}" stroke-width="{width}"/>')

    def text(self, x, y, text, anchor="middle", colour="#222222", more=""):
        self.parts.append(f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{colour}"{more}>{text}</text>')

    def path(self, points, colour):
        self.parts.append(f'<polyline points="{" ".join(f"{x:.1f},{y:.1f}" for x, y in points)}" fill="none" stroke="{colour}" stroke-width="2"/>')

    def whisker(self, x, low, high, y, colour):
        self.line(x, low, x, high, colour, 1.2)
        for end in (low, high):
            self.line(x - 3, end, x + 3, end, colour, 1.2)
        self.parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.2" fill="{colour}"/>')


def height_of(low, high):
    """Error to pixels, logarithmic."""
    return lambda v: BOTTOM - (BOTTOM - TOP) * math.log(min(max(v, low), high) / low) / math.log(high / low)


def draw_axis(p, y, low, high, left, right):
    p.line(left, TOP, left, BOTTOM, "#222222")
    p.line(left, BOTTOM, right, BOTTOM, "#222222")
    for tick in (a * 10.0 ** b for b in (-3, -2, -1) for a in (1, 1.5, 2, 3, 4, 5, 6, 7, 8, 9)):
        wide = high / low > 4
        if low <= tick <= high and not (wide and round(tick / 10 ** math.floor(math.log10(tick) + 1e-9), 3) not in (1, 2, 3, 5, 7)):
            p.line(left, y(tick), right, y(tick), "#e4e4e4")
            p.text(left - 6, y(tick) + 4, f"{tick:g}", "end")


def draw(truth, last, path):
    looks = sorted(next(iter(truth.values())))
    bounds = {p: {n: interval([e for e, _ in pairs]) for n, pairs in each.items()} for p, each in truth.items()}
    means = [m for each in bounds.values() for m, _ in each.values()]
    ends = [m + s * h for each in bounds.values() for m, h in each.values() for s in (-1, 1)]
    low, high = max(min(ends), min(means) / 2) * 0.95, min(max(ends), max(means) * 1.3)
    y = height_of(low, high)
    x = lambda n: LEFT + 16 + (SPLIT - LEFT - 32) * (n - looks[0]) / max(1, looks[-1] - looks[0])
    p = Picture()
    draw_axis(p, y, low, high, LEFT, SPLIT)
    draw_axis(p, y, low, high, SECOND, WIDTH - 10)
    p.text((LEFT + SPLIT) / 2, 22, "(a) error of the recommended design, trained anew")
    p.text((SECOND + WIDTH - 10) / 2, 22, f"(b) after {last}")
    p.text((LEFT + SPLIT) / 2, BOTTOM + 38, "evaluations")
    p.text(16, (TOP + BOTTOM) / 2, "validation error", more=f' transform="rotate(-90 16 {(TOP + BOTTOM) / 2})"')
    for n in looks:
        p.text(x(n), BOTTOM + 18, str(n))
    for k, (policy, each) in enumerate(bounds.items()):
        colour, shift = COLOURS[k % len(COLOURS)], 3.0 * (k - (len(bounds) - 1) / 2)
        p.path([(x(n) + shift, y(m)) for n, (m, _) in sorted(each.items())], colour)
        for n, (m, h) in each.items():
            p.whisker(x(n) + shift, y(m - h), y(m + h), y(m), colour)
        p.text(LEFT + 60 + 90 * k, HEIGHT - 6, policy, "start", colour, ' font-weight="bold"')
        p.line(LEFT + 34 + 90 * k, HEIGHT - 10, LEFT + 54 + 90 * k, HEIGHT - 10, colour, 3)
        m, h = each[last]
        place = SECOND + (WIDTH - 10 - SECOND) * (k + 0.5) / len(bounds)
        p.whisker(place, y(m - h), y(m + h), y(m), colour)
        p.text(place, BOTTOM + 18, policy, colour=colour)
    with open(path, "w") as file:
        file.write("\n".join(p.parts) + "\n</svg>\n")


def main():
    a = argparse.ArgumentParser(description=__doc__)
    a.add_argument("folder")
    a.add_argument("-o", "--output", metavar="FILE.svg")
    given = a.parse_args()
    settings = json.load(open(os.path.join(given.folder, "settings.json")))
    truth = truths(given.folder, settings)
    last = max(next(iter(truth.values())))
    print_table(truth, infeasible_share(given.folder, settings["initial"], settings["limit_ms"]), settings["limit_ms"], last)
    if given.output:
        draw(truth, last, given.output)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""From the lines of build/bench/coco and peers.py to one page.

    bench/coco/page.py [--out bench/results/coco.md] [--figure bench/results/coco-reliability.svg] [--machine TEXT] OURS.jsonl bench/results/coco/*.jsonl.gz

Without --out the page is printed. What is compared, and how, is said on the page itself (ABOUT).
"""
import argparse
import collections
import gzip
import json
import math
import pathlib
import statistics
import sys

OPTIMA = pathlib.Path(__file__).resolve().parent / "optima.json"
BUDGETS = (5, 10, 20)  # times d
FLOOR = 1e-8  # of a gap, in logarithms
TIE = 1e-6  # of |f*|: gaps below it are none
ROUNDING = 1e-12  # of |f*|
FEW = 10  # statements in a bin: not drawn
BINS = (0.0, 0.5, 0.9, 0.95, 0.99, 0.999, 1.0)
KINDS = ("sphere", "ellipsoid", "linear slope", "ellipsoid, rotated", "discus", "bent cigar", "different powers", "Rastrigin", "Rastrigin, rotated")
NAMES = {
    "optuna": "Optuna GPSampler",
    "cobyqa": "COBYQA, feasible start",
    "egobox": "egobox",
    "egobox-trego": "egobox, TREGO",
    "logcei": "BoTorch LogCEI",
    "scbo": "BoTorch SCBO",
}
ABOUT = """\
COCO's suite bbob-constrained, without noise: each run is one optimiser on one instance of one function, and has one thread. Except for COBYQA, which starts from the suite's own feasible
design (and stays 1e-8 inside every limit, so as not to end beyond it by rounding), all begin with the same Latin hypercube of max(10, 2(d+1)) designs. Feasible means that every constraint holds, without tolerance. Ranks are among the optimisers of a table, on the runs that all
of them made: 1 is best, ties share. A gap is f − f* with the optimum known by construction ([optima.json](../coco/optima.json)); gaps below 1e-6 of |f*| (of 1, if |f*| < 1) count as equal. Logarithms are of
gaps of at least 1e-8.

- rank, evaluated: by the best feasible design evaluated; whoever has none shares the last place.
- rank, recommended: by the true value of the recommended design; an infeasible one ranks behind every feasible one. The peers recommend the best that they evaluated.
- gap, evaluated and recommended: the median of log10, *none* where that median run has nothing feasible.
- infeasible: recommendations that are, of all runs; *in hand*: those where a feasible design had been evaluated; worse: feasible recommendations that are worse than the best feasible design evaluated.
- seconds: a suggestion's mean, and among the last 20 of a run.
"""


# --- reading ---


def read(paths):
    """The lines of all files, in their order."""
    lines = []
    for path in paths:
        opened = gzip.open(path, "rt") if str(path).endswith(".gz") else open(path)
        with opened as file:
            lines += [json.loads(line) for line in file if line.strip()]
    return lines


def label(line):
    """The optimiser's name on the page."""
    if line.get("label"):
        return line["label"]
    if line["tool"] != "ckg":
        return NAMES.get(line["tool"], line["tool"])
    words = ["ckg: " + line["policy"], line["kernel"]] + ([line["settings"]] if line["settings"] else [])
    return ", ".join(words)


def collect(lines):
    """runs[label][cell], cell = (d, function, instance, seed); the last line of a run counts, and the one that got furthest."""
    runs = collections.defaultdict(dict)
    for line in lines:
        cell = (line["d"], line["function"], line["instance"], line["seed"])
        known = runs[label(line)].get(cell)
        if known is None or reach(line) >= reach(known):
            runs[label(line)][cell] = line
    return runs


def initial_of(d):
    return max(10, 2 * (d + 1))


def reach(line):
    """After how many evaluations there is something to look at; one that failed keeps what it had."""
    if "error" in line:
        return line["evaluations"]
    return max((point["n"] for point in line.get("checkpoints", [])), default=0)


def at(line, n):
    """The checkpoint after n evaluations; None if the run was cut before. A run that failed keeps what it had, which may be nothing."""
    nothing = {"n": n, "best": None, "f": None, "violation": math.inf, "p": None, "evaluated": False}
    points = {point["n"]: point for point in line.get("checkpoints", [])}
    if n in points:
        return points[n]
    if "error" in line and n <= line["evaluations"]:
        before = [m for m in points if m < n]
        return points[max(before)] if before else nothing
    return None


# --- one table ---


class Table:
    """All optimisers after budget·d evaluations in d dimensions."""

    def __init__(self, runs, optima, d, budget):
        self.d, self.budget = d, budget
        self.points = {}
        for name, lines in runs.items():
            found = {cell: at(line, budget * d) for cell, line in lines.items() if cell[0] == d}
            self.points[name] = {cell: point for cell, point in found.items() if point}
        self.points = {name: found for name, found in self.points.items() if found}
        self.lines = {name: runs[name] for name in self.points}
        self.optimum = {cell: optima[str(d)][str(cell[1])][cell[2] - 1] for found in self.points.values() for cell in found}

        # Those that made about as many of ckg's runs as ckg are compared on what all of them made; the others apart, on what they made.
        ours = self.reference()
        self.core = [name for name, found in self.points.items() if len(ours & set(found)) >= 0.8 * len(ours)]
        self.apart = [name for name in self.points if name not in self.core]
        self.cells = self.common(self.core)

    def reference(self):
        """The runs of the policy ckg, of the build with most of them; where it made none, of whoever made most."""
        most = max(self.points, default=None, key=lambda name: (name.startswith("ckg: ckg"), len(self.points[name])))
        return set(self.points.get(most, ()))

    def common(self, names):
        sets = [set(self.points[name]) for name in names]
        return sorted(set.intersection(*sets)) if sets else []

    def scale(self, cell):
        return max(1.0, abs(self.optimum[cell]))

    def gap(self, cell, f):
        """f − f*, 0 where it counts as none; what is below f* by more than rounding is a mistake somewhere."""
        gap = f - self.optimum[cell]
        if gap < -ROUNDING * self.scale(cell):
            sys.exit(f"page: d = {cell[0]}, function {cell[1]}, instance {cell[2]}: {f!r} is feasible and below the optimum, {self.optimum[cell]!r}")
        return max(gap, 0.0)

    def evaluated(self, name, cell):
        best = self.points[name][cell]["best"]
        return math.inf if best is None else self.gap(cell, best)

    def recommended(self, name, cell):
        point = self.points[name][cell]
        return self.gap(cell, point["f"]) if point["f"] is not None and point["violation"] <= 0 else math.inf

    def mean_ranks(self, value, names, cells):
        """By value(name, cell), a gap; equal where both are next to none."""
        ranks = {name: [] for name in names}
        for cell in cells:
            gaps = {name: value(name, cell) for name in names}
            gaps = {name: 0.0 if gap < TIE * self.scale(cell) else gap for name, gap in gaps.items()}
            for name, gap in gaps.items():
                below = sum(other < gap for other in gaps.values())
                equal = sum(other == gap for other in gaps.values())
                ranks[name].append(below + (equal + 1) / 2)
        return {name: statistics.fmean(values) for name, values in ranks.items()}

    def trouble(self, name, cells):
        """How many recommendations are infeasible; with a feasible design in hand; feasible, but worse than the best in hand."""
        infeasible = in_hand = worse = 0
        for cell in cells:
            point = self.points[name][cell]
            if point["f"] is None or point["violation"] > 0:
                infeasible += 1
                in_hand += point["best"] is not None
            elif point["best"] is not None and point["f"] > point["best"] + ROUNDING * self.scale(cell):
                worse += 1
        return infeasible, in_hand, worse

    def row(self, name, names, cells, ranks):
        medians = [statistics.median(math.log10(max(value(name, cell), FLOOR)) for cell in cells) for value in (self.evaluated, self.recommended)]
        seconds = [statistics.fmean(values) if (values := [v for cell in cells if (v := self.lines[name][cell].get(key)) is not None]) else None
                   for key in ("seconds", "seconds_last")]
        share = [f"{100 * count / len(cells):.1f} %" for count in self.trouble(name, cells)]
        failed = sum("error" in self.lines[name][cell] for cell in cells)
        words = [name + (f" ({failed} failed)" if failed else "")]
        words += [f"{rank[name]:.2f}" for rank in ranks]
        words += ["none" if median == math.inf else f"{median:.2f}" for median in medians]
        words += share + ["" if value is None else f"{value:.2g}" for value in seconds]
        return words

    def markdown(self):
        out = [f"### d = {self.d}, {self.budget * self.d} evaluations, {len(self.cells)} runs each", ""]
        out += self.rows(self.core, self.cells)
        for more in self.apart:
            cells = self.common(self.core + [more])
            if cells:
                out += ["", f"{more} made {len(self.points[more])} of the runs. On the {len(cells)} that all made:", ""] + self.rows(self.core + [more], cells)
        return out + [""]

    def rows(self, names, cells):
        ranks = [self.mean_ranks(value, names, cells) for value in (self.evaluated, self.recommended)]
        head = ["optimiser", "rank, evaluated", "rank, recommended", "gap, evaluated", "gap, recommended", "infeasible", "in hand", "worse", "seconds", "last 20"]
        order = sorted(names, key=lambda name: ranks[1][name])
        return markdown_table(head, [self.row(name, names, cells, ranks) for name in order])


def markdown_table(head, rows):
    lines = [head, ["---"] + ["---:"] * (len(head) - 1)] + rows
    return ["| " + " | ".join(words) + " |" for words in lines]


# --- all tables in one ---


def overview(tables):
    """Mean ranks and troubles of each optimiser, by d, at the largest budget there is."""
    largest = {table.d: table for table in tables if table.cells}  # budgets grow
    names = sorted({name for table in largest.values() for name in table.core})
    rows = []
    for name in names:
        words = [name]
        for table in largest.values():
            if name in table.core:
                ranks = [table.mean_ranks(value, table.core, table.cells)[name] for value in (table.recommended, table.evaluated)]
                words.append(f"{ranks[0]:.2f} ({ranks[1]:.2f})")
            else:
                words.append("")
        counted = [(table.trouble(name, table.cells), len(table.cells)) for table in largest.values() if name in table.core]
        bad = sum(in_hand + worse for (_, in_hand, worse), _ in counted)
        words.append(f"{100 * bad / sum(count for _, count in counted):.1f} %")
        rows.append(words)
    head = ["optimiser"] + [f"d = {d}, {table.budget * d}" for d, table in largest.items()] + ["thrown away"]
    return markdown_table(head, rows)


def by_function(tables):
    """Mean ranks by the recommendation on each kind of objective, over all dimensions at the largest budget."""
    largest = {table.d: table for table in tables}
    names = sorted(set.intersection(*(set(table.core) for table in largest.values())))
    rows = []
    for number, kind in enumerate(KINDS):
        sums, count = dict.fromkeys(names, 0.0), 0
        for table in largest.values():
            cells = [cell for cell in table.cells if (cell[1] - 1) // 6 == number]
            if cells:
                ranks = table.mean_ranks(table.recommended, names, cells)
                sums = {name: sums[name] + len(cells) * ranks[name] for name in names}
                count += len(cells)
        if count:
            rows.append([f"{kind} ({6 * number + 1}–{6 * number + 6})", f"{count}"] + [f"{sums[name] / count:.2f}" for name in names])
    return markdown_table(["functions", "runs"] + names, rows)


def duel(tables, names):
    """One optimiser against each of the others, by the recommendation: better, tied, worse."""
    rows = []
    for other in names[1:]:
        words = [other]
        for table in tables:
            if names[0] not in table.points or other not in table.points:
                words.append("")
                continue
            counts = [0, 0, 0]
            for cell in table.common([names[0], other]):
                gaps = [table.recommended(name, cell) for name in (names[0], other)]
                gaps = [0.0 if gap < TIE * table.scale(cell) else gap for gap in gaps]
                counts[1 + (gaps[0] > gaps[1]) - (gaps[0] < gaps[1])] += 1
            words.append("{} / {} / {}".format(*counts))
        rows.append(words)
    return markdown_table(["against"] + [f"d = {table.d}, {table.budget * table.d}" for table in tables], rows)


# --- the stated probability ---


def statements(runs):
    """For each optimiser that states one: (d, stated probability, was feasible, was evaluated) at every checkpoint."""
    said = {}
    for name, lines in runs.items():
        found = [(cell[0], point["p"], point["violation"] <= 0, point["evaluated"])
                 for cell, line in sorted(lines.items()) for point in line.get("checkpoints", []) if point["p"] is not None]
        if found:
            said[name] = found
    return said


def wilson(successes, count):
    """The 95 % interval of a share."""
    z, share = 1.959964, successes / count
    middle = (share + z * z / (2 * count)) / (1 + z * z / count)
    half = z / (1 + z * z / count) * math.sqrt(share * (1 - share) / count + z * z / (4 * count * count))
    return max(0.0, middle - half), min(1.0, middle + half)


def binned(found):
    """(low, high, count, mean stated, share feasible, its interval) of every bin with something in it."""
    out = []
    for low, high in zip(BINS, BINS[1:]):
        inside = [(p, feasible) for _, p, feasible, _ in found if low <= p < high or (high == 1.0 and p >= low)]
        if inside:
            successes = sum(feasible for _, feasible in inside)
            out.append((low, high, len(inside), statistics.fmean(p for p, _ in inside), successes / len(inside), wilson(successes, len(inside))))
    return out


def reliability(said):
    rows = []
    for name, found in said.items():
        new = [statement for statement in found if not statement[3]]
        for low, high, count, stated, share, (least, most) in binned(new):
            rows.append([name, f"{low:g} – {high:g}", f"{count}", f"{stated:.5f}", f"{share:.3f}", f"{least:.3f} – {most:.3f}"])
    return markdown_table(["optimiser", "said", "times", "said, mean", "was feasible", "95 % interval"], rows)


def reliability_by_d(said):
    """Of the recommendations that were said to be feasible with at least 0.99, how many were."""
    dimensions = sorted({d for found in said.values() for d, *_ in found})
    rows = []
    for name, found in said.items():
        words = [name]
        for d in dimensions:
            for new in (True, False):
                sure = [feasible for e, p, feasible, evaluated in found if e == d and p >= 0.99 and not (new and evaluated)]
                words.append(f"{100 * sum(sure) / len(sure):.1f} % of {len(sure)}" if sure else "")
        rows.append(words)
    return markdown_table(["optimiser"] + [f"d = {d}, {which}" for d in dimensions for which in ("new", "all")], rows)


def nines(p):
    """0.9 → 1, 0.99 → 2, …; 4 at most."""
    return min(4.0, -math.log10(max(1 - p, 1e-4)))


COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")


def figure(said):
    """The reliability diagram: said against what held, both on a scale of nines."""
    size, left, top = 400, 70, 20
    place = lambda p: size * nines(p) / 4
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + size + 260}" height="{top + size + 60}" font-family="sans-serif" font-size="12">',
           f'<rect width="100%" height="100%" fill="white"/><g transform="translate({left},{top})">',
           f'<path d="M0,{size} L{size},0" stroke="#999" stroke-dasharray="4 3"/>']
    for p, text in ((0, "0"), (0.5, "0.5"), (0.9, "0.9"), (0.99, "0.99"), (0.999, "0.999"), (1, "≥ 0.9999")):
        at_ = place(p)
        out.append(f'<path d="M{at_:.1f},0 V{size} M0,{size - at_:.1f} H{size}" stroke="#e5e5e5"/>')
        out.append(f'<text x="{at_:.1f}" y="{size + 16}" text-anchor="middle">{text}</text>')
        out.append(f'<text x="-6" y="{size - at_ + 4:.1f}" text-anchor="end">{text}</text>')
    out.append(f'<rect width="{size}" height="{size}" fill="none" stroke="#555"/>')
    out.append(f'<text x="{size / 2}" y="{size + 38}" text-anchor="middle">said: probability of being feasible</text>')
    out.append(f'<text transform="translate(-54,{size / 2}) rotate(-90)" text-anchor="middle">was feasible</text>')
    for number, (name, found) in enumerate(said.items()):
        colour, shift = COLOURS[number % len(COLOURS)], 3 * number - 3 * (len(said) - 1) / 2
        points = []
        for _, _, count, stated, share, (least, most) in binned([statement for statement in found if not statement[3]]):
            if count < FEW:
                continue
            x, y = place(stated) + shift, size - place(share)
            points.append(f"{x:.1f},{y:.1f}")
            out.append(f'<path d="M{x:.1f},{size - place(least):.1f} V{size - place(most):.1f}" stroke="{colour}" stroke-width="1.5"/>')
            out.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{colour}"/>')
        out.append(f'<polyline points="{" ".join(points)}" fill="none" stroke="{colour}"/>')
        out.append(f'<circle cx="{size + 24}" cy="{20 + 20 * number}" r="4" fill="{colour}"/>')
        out.append(f'<text x="{size + 34}" y="{24 + 20 * number}">{name.replace("&", "&amp;").replace("<", "&lt;")}</text>')
    return "\n".join(out + ["</g></svg>"]) + "\n"


# --- the page ---


def page(runs, optima, machine, figure_name):
    dimensions = sorted({cell[0] for lines in runs.values() for cell in lines})
    tables = [table for d in dimensions for budget in BUDGETS if budget * d > initial_of(d) and (table := Table(runs, optima, d, budget)).cells]
    if not tables:
        sys.exit("page: nothing got as far as a budget of " + ", ".join(map(str, BUDGETS)) + " evaluations times d")
    said = statements(runs)
    ours = sorted((name for name in runs if name.startswith("ckg: ckg")), key=lambda name: -len(runs[name]))
    out = ["# COCO bbob-constrained", "", ABOUT]
    if machine:
        out += [machine, ""]
    out += ["## Mean ranks at the end of the budget", "", "By the recommendation, and in brackets by the best evaluated; thrown away: recommendations that are infeasible or worse, though a better design was in hand.", ""]
    out += overview(tables) + [""]
    out += ["The same by kind of function, by the recommendation, over all d; each kind has six numbers of constraints.", ""] + by_function(tables) + [""]
    if ours:
        others = sorted(name for name in runs if name != ours[0])
        out += [f"{ours[0]} against each of the others, by the recommendation: better / tied / worse.", ""] + duel(tables, [ours[0]] + others) + [""]
    out += ["## By dimension and budget", ""]
    for table in tables:
        out += table.markdown()
    if said:
        out += ["## The stated probability of being feasible", "", "Of recommended designs that had not been evaluated, at every fifth evaluation; "
                "those of one run are no independent trials, and the intervals are too narrow. The picture leaves out bins of fewer than 10.", ""]
        out += ([f"![said against what held]({figure_name})", ""] if figure_name else []) + reliability(said) + [""]
        out += ["Said to be feasible with at least 0.99, and so many were: among recommendations that had not been evaluated (new), and among all.", ""]
        out += reliability_by_d(said) + [""]
    trouble = [f"- {name}, d = {cell[0]}, function {cell[1]}, instance {cell[2]}: {line['error']}"
               for name, lines in sorted(runs.items()) for cell, line in sorted(lines.items()) if "error" in line]
    if trouble:
        out += ["## Runs that failed", "", "They count with what they had until then.", ""] + trouble + [""]
    return "\n".join(out)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+")
    parser.add_argument("--out")
    parser.add_argument("--figure")
    parser.add_argument("--machine", default="")
    options = parser.parse_args()
    runs = collect(read(options.files))
    with open(OPTIMA) as file:
        optima = json.load(file)
    said = statements(runs)
    text = page(runs, optima, options.machine, pathlib.Path(options.figure).name if options.figure and said else None)
    if options.out:
        pathlib.Path(options.out).write_text(text)
    else:
        print(text, end="")
    if options.figure and said:
        pathlib.Path(options.figure).write_text(figure(said))


if __name__ == "__main__":
    main()

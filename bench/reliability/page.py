#!/usr/bin/env python3
"""The page of bench/reliability: what was said of feasibility, and how often it held.

    bench/reliability/page.py [--out FILE] LABEL=FILE.jsonl ...
"""
import argparse
import json
import math
from collections import defaultdict

EDGES = [0, 0.1, 0.3, 0.5, 0.7, 0.9, 0.95, 0.99, 0.999, 1.0000001]
KINDS = ["recommended", "rule 0.9", "rule 0.99", "asked", "near", "random"]
NOISE = ["no noise", "noise on the objective", "noise on all outcomes"]


def read(path):
    """(suite and d, noise, kind) → [(stated, held)]"""
    out = defaultdict(list)
    for line in open(path):
        run = json.loads(line)
        suite = f"coco d = {run['d']}" if run["suite"] == "coco" else run["suite"]
        for kind, _, stated, held in run["statements"]:
            out[suite, run["noise"], kind].append((stated, held))
    return out


def bins(statements):
    out = [[0, 0.0, 0] for _ in EDGES[1:]]
    for stated, held in statements:
        b = next(i for i, edge in enumerate(EDGES[1:]) if stated < edge)
        out[b][0] += 1
        out[b][1] += stated
        out[b][2] += held
    return out


def score(statements):
    total = 0
    for stated, held in statements:
        p = min(max(stated, 1e-6), 1 - 1e-6)
        total -= math.log(p if held else 1 - p)
    return total / len(statements)


def row(name, label, statements):
    cells = [f"{b[0]}: {b[1] / b[0]:.3f} {b[2] / b[0]:.3f}" if b[0] else "" for b in bins(statements)]
    sure = [held for stated, held in statements if stated >= 0.99]
    said = [stated for stated, held in statements if stated >= 0.99]
    top = f"{len(sure)}: {sum(said) / len(sure):.4f} **{sum(sure) / len(sure):.3f}**" if sure else ""
    return f"| {name} | {label} | {top} | {score(statements):.3f} | " + " | ".join(cells) + " |"


def table(files, suites, noise, kinds):
    head = ["what", "program", "≥ 0.99", "log score"] + [f"{a:g}–{min(b, 1):g}" for a, b in zip(EDGES, EDGES[1:])]
    lines = ["| " + " | ".join(head) + " |", "| --- | --- |" + " ---: |" * (len(head) - 2)]
    for kind in kinds:
        for label, data in files:
            got = [s for suite in suites for n in noise for s in data.get((suite, n, kind), [])]
            if got:
                lines.append(row(kind, label, got))
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--out")
    parser.add_argument("--intro", default="")
    parser.add_argument("files", nargs="+")
    args = parser.parse_args()
    files = [(f.split("=", 1)[0], read(f.split("=", 1)[1])) for f in args.files]
    suites = sorted({key[0] for _, data in files for key in data})
    parts = ["# What is said of feasibility, and what comes true", open(args.intro).read().rstrip() if args.intro else ""]
    for noise, words in enumerate(NOISE):
        parts += [f"## {words.capitalize()}", table(files, suites, [noise], KINDS)]
    for suite in suites:
        parts += [f"## {suite}", table(files, [suite], [0, 1, 2], KINDS)]
    text = "\n\n".join(part for part in parts if part) + "\n"
    if args.out:
        open(args.out, "w").write(text)
    else:
        print(text)


if __name__ == "__main__":
    main()

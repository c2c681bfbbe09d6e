#!/usr/bin/env python3
"""Fills the tables of docs/results.md from the results of `ckg bench`.

    scripts/results-page.py PROGRAM FOLDER

FOLDER is what `ckg bench --out FOLDER` wrote; bench/results/paper/ has it compressed:

    mkdir FOLDER && tar xf bench/results/paper/results.tar.xz -C FOLDER && tar xf bench/results/paper/designs.tar.xz -C FOLDER
"""
import csv
import json
import pathlib
import re
import subprocess
import sys

root = pathlib.Path(__file__).resolve().parent.parent
evaluations = (20, 30, 50, 75, 110)


def number(value):
    text = f"{value:.2g}"
    return text.replace("e-0", "e-")


def cells(program, folder):
    at = ",".join(map(str, evaluations))
    out = subprocess.run([program, "bench", "--summary", folder, "--json", "--at", at], check=True, capture_output=True, text=True).stdout
    return [json.loads(line) for line in out.splitlines()]


def tables(rows):
    """One table per problem and noise: policies by evaluations, the best mean and what is tied with it in bold."""
    out = []
    for problem, noise in dict.fromkeys((r["problem"], r["noise"]) for r in rows):
        mine = [r for r in rows if (r["problem"], r["noise"]) == (problem, noise)]
        out += ["", f"### {problem}, σ = {noise:g}", "", "| policy | " + " | ".join(map(str, evaluations)) + " | infeasible | right region |",
                "|---" * (len(evaluations) + 3) + "|"]
        tied = {}
        for e in evaluations:
            best = min((r for r in mine if r["evaluation"] == e), key=lambda r: r["mean"])
            limit = best["mean"] + best["half_width_95"]
            tied[e] = {r["policy"] for r in mine if r["evaluation"] == e and r["mean"] - r["half_width_95"] <= limit}
        for policy in dict.fromkeys(r["policy"] for r in mine):
            words = [f"`{policy}`"]
            for e in evaluations:
                r = next(r for r in mine if r["policy"] == policy and r["evaluation"] == e)
                text = f"{number(r['mean'])} ± {number(r['half_width_95'])} ({number(r['median'])})"
                words.append(f"**{text}**" if policy in tied[e] else text)
            words += [f"{100 * r['infeasible']:.0f} %", f"{100 * r['right_region']:.0f} %"]
            out.append("| " + " | ".join(words) + " |")
    return out


def times(folder):
    total, count = {}, {}
    with open(pathlib.Path(folder) / "timing.csv", newline="") as file:
        for r in csv.DictReader(file):
            total[r["policy"]] = total.get(r["policy"], 0) + float(r["seconds"])
            count[r["policy"]] = count.get(r["policy"], 0) + 1
    out = ["| policy | minutes of one core | ms per suggestion |", "|---|---|---|"]
    for policy in sorted(total, key=total.get, reverse=True):
        out.append(f"| `{policy}` | {total[policy] / 60:.1f} | {1e3 * total[policy] / count[policy]:.0f} |")
    return out


def fill(text, mark, lines):
    return re.sub(rf"(<!-- {mark} -->\n).*?(<!-- end -->)", lambda m: m.group(1) + "\n" + "\n".join(lines) + "\n\n" + m.group(2), text, flags=re.S)


program, folder = sys.argv[1:]
page = root / "docs" / "results.md"
page.write_text(fill(fill(page.read_text(), "tables", tables(cells(program, folder))), "times", times(folder)))

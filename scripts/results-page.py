#!/usr/bin/env python3
"""Fills the tables of docs/results.md from bench/results/paper.jsonl, which `make paper` writes.

    scripts/results-page.py
"""
import json
import pathlib
import re

root = pathlib.Path(__file__).resolve().parent.parent
evaluations = (20, 30, 50, 75, 110)


def number(value):
    text = f"{value:.2g}"
    return text.replace("e-0", "e-")


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


def times(rows):
    """The mean over all suggestions of a policy; the cells have equally many."""
    of = {}
    for r in rows:
        of.setdefault(r["policy"], {})[r["problem"], r["noise"]] = 1e3 * r["seconds_per_suggestion"]
    problems = dict.fromkeys((r["problem"], r["noise"]) for r in rows)
    out = ["| policy | " + " | ".join(f"{problem}, {noise:g}" for problem, noise in problems) + " |", "|---" * (len(problems) + 1) + "|"]
    for policy, cells in sorted(of.items(), key=lambda item: -sum(item[1].values())):
        out.append(f"| `{policy}` | " + " | ".join(f"{cells[cell]:.0f}" for cell in problems) + " |")
    return out


def fill(text, mark, lines):
    return re.sub(rf"(<!-- {mark} -->\n).*?(<!-- end -->)", lambda m: m.group(1) + "\n" + "\n".join(lines) + "\n\n" + m.group(2), text, flags=re.S)


rows = [json.loads(line) for line in (root / "bench" / "results" / "paper.jsonl").read_text().splitlines()]
page = root / "docs" / "results.md"
page.write_text(fill(fill(page.read_text(), "tables", tables(rows)), "times", times(rows)))

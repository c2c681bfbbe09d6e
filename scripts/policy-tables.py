#!/usr/bin/env python3
"""Writes the tables of docs/policies/README.md, between <!-- quality --> or <!-- speed --> and <!-- end -->, from bench/results.

    scripts/policy-tables.py
"""
import re
from pathlib import Path

root = Path(__file__).resolve().parent.parent
results = root / "bench" / "results"


def short(text):
    value = float(text)
    return f"{value:.1e}".replace("e-0", "e-") if 0 < abs(value) < 0.001 else f"{value:.2g}"


def quality():
    cells, policy, rows = {}, None, []
    for line in (results / "policies_quality.txt").read_text().splitlines():
        begins = re.match(r"policy (\w+),", line)
        if begins:
            policy = begins.group(1)
            rows.append(policy)
        row = re.match(r"(\S+) +([01]) +(\S+) ± (\S+) +(\S+)", line)
        if row:
            problem, noise, mean, error, median = row.groups()
            cells[policy, problem, noise] = f"{short(mean)} ± {short(error)} ({short(median)})"
    columns = [(p, n) for p in ("mystery", "new-branin", "test-function-2") for n in "01"]
    out = ["| policy | " + " | ".join(f"{p}, {n}" for p, n in columns) + " |", "|---" * (len(columns) + 1) + "|"]
    return out + [f"| [`{r}`]({r}.md) | " + " | ".join(cells[r, p, n] for p, n in columns) + " |" for r in rows]


def speed():
    lines = (results / "policies_speed.txt").read_text().splitlines()
    out = ["| policy | problem | noise | n = 20 | 50 | 100 | 200 | 50, in Choleskys |", "|---" * 8 + "|"]
    for line in lines[3:]:
        words = line.split()
        if words[0] not in ("random", "sobol"):
            out.append("| `" + words[0] + "` | " + " | ".join(words[1:-1] + [f"{float(words[-1]):.2f}"]) + " |")
    return out


def fill(text, mark, lines):
    return re.sub(rf"(<!-- {mark} -->\n).*?(<!-- end -->)", lambda m: m.group(1) + "\n" + "\n".join(lines) + "\n\n" + m.group(2), text, flags=re.S)


page = root / "docs" / "policies" / "README.md"
page.write_text(fill(fill(page.read_text(), "quality", quality()), "speed", speed()))

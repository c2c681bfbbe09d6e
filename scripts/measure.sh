#!/bin/sh
# measure.sh [FOLDER]: how large the code is, and what stands in it twice; of this tree, or of another one in FOLDER (`git worktree add`).
#
#   lines        of C in src and app, as the files have them
#   code         without blank lines and comments; the share of those is beside it
#   functions    how many, the lines of the middle one and of the 90th of 100, how many have more than 60
#   files        how many have more than 800 lines
#   pages        lines of JavaScript and CSS that are ours
#   twice        pairs of files, of C and of pages, that share a run of six lines or more (blank lines, includes and lines without a word left out)
set -eu
cd "${1:-$(dirname "$0")/..}"
python3 - <<'PY'
import collections
import itertools
import pathlib
import re
import subprocess

RUN = 6


def read(path):
    return path.read_text(encoding="utf-8").split("\n")[:-1]


def code_lines(paths):
    """Without comments and blank lines, by the compiler's own reading."""
    done = subprocess.run(["gcc", "-fpreprocessed", "-dD", "-E", "-P", "-w", *paths], stdout=subprocess.PIPE, text=True, check=True)
    return sum(bool(line.strip()) for line in done.stdout.splitlines())


def function_lengths(lines):
    """From the brace in the first column that begins a function's body to the one that ends it."""
    start = None
    for number, line in enumerate(lines):
        if line == "{":
            start = number
        elif line == "}" and start is not None:
            yield number - start - 1
            start = None


def runs(lines):
    """The runs of RUN lines that say something, indentation aside."""
    words = [line.strip() for line in lines]
    words = [line for line in words if re.search(r"\w", line) and not re.match(r"#\s*include|import ", line)]
    return {tuple(words[i : i + RUN]) for i in range(len(words) - RUN + 1)}


def twice(texts):
    """The pairs of files that share a run."""
    where = collections.defaultdict(set)
    for path, lines in texts.items():
        for run in runs(lines):
            where[run].add(path)
    return {pair for paths in where.values() for pair in itertools.combinations(sorted(paths), 2)}


def main():
    c = {path: read(path) for part in ("src", "app") for path in sorted(pathlib.Path(part).rglob("*.[ch]"))}
    pages = {path: read(path) for path in sorted(pathlib.Path("app/serve/files").glob("*.[jc]s*"))}
    lines = sum(map(len, c.values()))
    code = sum(code_lines([path]) for path in c)
    lengths = sorted(length for text in c.values() for length in function_lengths(text))
    print(f"lines      {lines:7,}")
    print(f"code       {code:7,}   blank lines and comments {100 * (1 - code / lines):.1f} %")
    print(f"functions  {len(lengths):7,}   median {lengths[len(lengths) // 2]}, p90 {lengths[len(lengths) * 9 // 10]}, over 60: {sum(n > 60 for n in lengths)}")
    print(f"files      {len(c):7,}   over 800 lines: {sum(len(text) > 800 for text in c.values())}")
    print(f"pages      {sum(map(len, pages.values())):7,}")
    pairs = twice({**c, **pages})
    print(f"twice      {len(pairs):7,}   pairs of files")
    for one, two in sorted(pairs):
        print(f"  {one} {two}")


main()
PY

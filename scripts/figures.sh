#!/bin/sh
# figures.sh BUILD: draws the pictures of the documentation: the paper's Figures 1 and 2 into docs/figures/, the problems of two parameters into
# docs/problems/ with the page docs/problems.md. It takes seconds. Other pictures belong to longer runs: `make convergence`, `make paper`.
set -eu
build=$(cd "$1" && pwd)
cd "$(dirname "$0")/.."
mkdir -p docs/figures docs/problems
"$build/bench/paper_figures" docs/figures
for name in $("$build/ckg" problems --json | sed -n 's/^{"name": "\([^"]*\)".*"dimension": 2,.*/\1/p'); do
    case $name in *-noisy-*) continue ;; esac # the picture of the problem without noise
    "$build/ckg" problems "$name" -o "docs/problems/$name.svg"
done
"$build/ckg" problems --json | scripts/problem-docs.py >docs/problems.md

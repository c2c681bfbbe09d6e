#!/bin/sh
# figures.sh BUILD: draws the pictures of the documentation: the paper's Figures 1, 2 and 3 into docs/figures/, the problems of two parameters into
# docs/problems/ with the page docs/problems.md. It takes seconds. docs/figures/convergence.svg belongs to a run of minutes: `make convergence`.
set -eu
build=$(cd "$1" && pwd)
cd "$(dirname "$0")/.."
mkdir -p docs/figures docs/problems
"$build/bench/paper_figures" docs/figures
results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT
for part in results designs; do
    tar -C "$results" -xf "bench/results/paper/$part.tar.xz"
done
"$build/ckg" bench --plot "$results" -o docs/figures/figure-3.svg
for name in $("$build/ckg" problems --json | sed -n 's/^{"name": "\([^"]*\)".*"dimension": 2,.*/\1/p'); do
    case $name in *-noisy-*) continue ;; esac # the picture of the problem without noise
    "$build/ckg" problems "$name" -o "docs/problems/$name.svg"
done
"$build/ckg" problems --json | scripts/problem-docs.py >docs/problems.md

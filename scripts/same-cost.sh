#!/bin/sh
# same-cost.sh [REVISION]: instructions of one suggestion in this tree and in REVISION (default: main), counted by callgrind, for the
# smaller rows of bench/speed and for every policy at d = 2, K = 1, n = 50. The first fit of a study is counted too.
set -eu
cd "$(dirname "$0")/.."
revision=$(git rev-parse --short "${1:-main}")
reference=build-same/$revision
jobs=$(getconf _NPROCESSORS_ONLN)

library() {
    cmake -S "$1" -B "$2" -DCKG_TESTS=OFF -DCKG_BENCH=OFF >/dev/null
    cmake --build "$2" -j "$jobs" --target ckg_static >/dev/null
    "${CC:-cc}" -std=c17 -O1 -I"$1/include" tests/same/cost.c "$2/libckg.a" -o "$2/cost" -pthread -lm
}

count() {
    valgrind --tool=callgrind --callgrind-out-file=/dev/null --toggle-collect=ckg_study_ask "$@" 2>&1 |
        awk '/Collected :/ { print $4 }'
}

if [ ! -d "$reference/source" ]; then
    mkdir -p "$reference/source"
    git archive "$revision" | tar -x -C "$reference/source"
fi
library "$reference/source" "$reference/best"
library . build-same/here/best

echo "  d   K    n policy      $revision           here   ratio"
for row in "2 1 20" "2 1 50" "2 1 100" "2 1 200" "2 3 20" "2 3 50" "2 3 100" "9 1 20" "9 1 50" "9 1 100" "20 5 20" "20 5 50" \
    "2 1 50 cei" "2 1 50 nei" "2 1 50 kg" "2 1 50 pkg" "2 1 50 cts" "2 1 50 scbo" "2 1 50 pesc" "2 1 50 cmes"; do
    # shellcheck disable=SC2086
    before=$(count "$reference/best/cost" $row)
    # shellcheck disable=SC2086
    now=$(count build-same/here/best/cost $row)
    echo "$row $before $now" | awk '{ p = NF == 6 ? $4 : "ckg"
        printf "%3d %3d %4d %-6s %14d %14d %7.4f\n", $1, $2, $3, p, $(NF-1), $NF, $NF / $(NF-1) }'
done

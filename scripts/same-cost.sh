#!/bin/sh
# same-cost.sh [REVISION]: instructions of one suggestion in this tree and in REVISION (default: main), counted by callgrind, for the
# smaller rows of bench/speed and for every policy at d = 2, K = 1, n = 50. The first fit of a study is counted too.
# same-cost.sh --time [REVISION]: the least processor time of 25 runs of each, by turns, for some of these rows: callgrind knows no AVX-512.
set -eu
cd "$(dirname "$0")/.."
timed=0
if [ "${1:-}" = --time ]; then
    timed=1
    shift
fi
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

if [ "$timed" = 1 ]; then
    python3 - "$reference/best/cost" build-same/here/best/cost <<'PY'
import os, sys
def seconds(program, row):
    process = os.posix_spawn(program, [program, *row.split()], os.environ)
    used = os.wait4(process, 0)[2]
    return used.ru_utime + used.ru_stime
ratios = []
print("  d   K    n   before, ms   here, ms   ratio")
for row in ("2 1 20", "2 1 50", "2 1 100", "2 1 200", "2 3 50", "9 1 50", "9 1 100", "20 5 50"):
    least = [min(times) for times in zip(*[[seconds(program, row) for program in sys.argv[1:3]] for _ in range(25)])]
    ratios.append(least[1] / least[0])
    print("%3s %3s %4s" % tuple(row.split()), "%12.2f %10.2f %7.3f" % (1e3 * least[0], 1e3 * least[1], ratios[-1]), flush=True)
print("on average %.3f" % (sum(ratios) / len(ratios)))
PY
    exit 0
fi

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

#!/bin/sh
# same-bits.sh [--quick] [REVISION]: whether this tree's library says what that of REVISION (default: main) says, to the last bit.
#
# Both are built in build-same/, with every instruction set and with the base one alone. tests/same/record.c runs some 160 studies
# with each and prints all they say: with the best instruction set by one thread and by two, with the base one by one. --quick:
# every fifth study, best instruction set, one thread. What REVISION said is kept in build-same/REVISION and not run again.
set -eu
cd "$(dirname "$0")/.."
quick=0
if [ "${1:-}" = --quick ]; then
    quick=1
    shift
fi
revision=$(git rev-parse --short "${1:-main}")
reference=build-same/$revision
jobs=$(getconf _NPROCESSORS_ONLN)

# library SOURCE FOLDER OPTIONS…: the static library and a recorder linked with it.
library() {
    source=$1
    folder=$2
    shift 2
    cmake -S "$source" -B "$folder" -DCKG_TESTS=OFF -DCKG_BENCH=OFF "$@" >/dev/null
    cmake --build "$folder" -j "$jobs" --target ckg_static >/dev/null
    "${CC:-cc}" -std=c17 -O1 -I"$source/include" tests/same/record.c "$folder/libckg.a" -o "$folder/record" -pthread -lm
}

# record FOLDER-OF-THE-LIBRARY FILE THREADS: the studies in two processes, joined in order.
record() {
    if [ "$quick" = 1 ]; then
        "$1/record" "$3" 0 5 >"$2.new"
    else
        "$1/record" "$3" 0 2 >"$2.even" & even=$!
        "$1/record" "$3" 1 2 >"$2.odd"
        wait "$even"
        cat "$2.even" "$2.odd" >"$2.new"
        rm "$2.even" "$2.odd"
    fi
    mv "$2.new" "$2"
}

# both SOURCE FOLDER [kept]: everything that is to be compared; with "kept" what is there already stays.
both() {
    library "$1" "$2/best"
    [ "$quick" = 1 ] || library "$1" "$2/base" -DCKG_COMPILER_HAS_X86_64_V4=OFF
    for what in $names; do
        [ "${3:-}" = kept ] && [ -s "$2/$what" ] && continue
        case $what in
        quick | best-1) record "$2/best" "$2/$what" 1 ;;
        best-2) record "$2/best" "$2/$what" 2 ;;
        base-1) record "$2/base" "$2/$what" 1 ;;
        esac
    done
}

names="best-1 best-2 base-1"
[ "$quick" = 0 ] || names=quick

if [ ! -d "$reference/source" ]; then
    mkdir -p "$reference/source"
    git archive "$revision" | tar -x -C "$reference/source"
fi
both "$reference/source" "$reference" kept
mkdir -p build-same/here
both . build-same/here

failed=0
for what in $names; do
    if cmp -s "$reference/$what" "build-same/here/$what"; then
        echo "$what: the same bits in $(grep -c '^study' "$reference/$what") studies, $(wc -l <"$reference/$what") lines"
    else
        failed=1
        echo "$what: differs from $revision"
        diff "$reference/$what" "build-same/here/$what" | cut -c 1-150 | head -6
        python3 - "$reference/$what" "build-same/here/$what" <<'PY'
import sys
def studies(path):
    said = {}
    for line in open(path):
        if line.startswith("study"):
            name = line.strip()
            said[name] = []
        said[name].append(line)
    return said
old, new = studies(sys.argv[1]), studies(sys.argv[2])
off = [name for name in old if old[name] != new.get(name)]
print(len(off), "studies differ:", "; ".join(off[:12]))
PY
    fi
done
exit $failed

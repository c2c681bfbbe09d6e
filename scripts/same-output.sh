#!/bin/sh
# same-output.sh [REVISION]: whether this tree's program says what that of REVISION (default: main) says, byte for byte.
#
# Both are built in build-same/. tests/same/output.py asks each of them the same of studies of every kind: every command as text and as JSON, every
# figure, every address of `ckg serve`, and what they refuse, and looks into the stores. What REVISION said is kept in build-same/REVISION, and made
# again only where the questions have changed. What is to differ stands in tests/same/intended.txt.
set -eu
cd "$(dirname "$0")/.."
jobs=$(getconf _NPROCESSORS_ONLN)
revision=$(git rev-parse --short "${1:-main}")
reference=build-same/$revision

# program SOURCE FOLDER: the program and its library.
program() {
    cmake -S "$1" -B "$2" -DCKG_TESTS=OFF -DCKG_BENCH=OFF >/dev/null
    cmake --build "$2" -j "$jobs" --target ckg_program >/dev/null
}

if [ ! -d "$reference/source" ]; then
    mkdir -p "$reference/source"
    git archive "$revision" | tar -x -C "$reference/source"
fi
[ -x "$reference/program/ckg" ] || program "$reference/source" "$reference/program"
program . build-same/here/program

questions=$(cat tests/same/output.py tests/app/*.py tests/app/broken/* tests/app/stores/* | cksum)
if [ "$(cat "$reference/questions" 2>/dev/null)" != "$questions" ]; then
    rm -f "$reference/questions"
    python3 tests/same/output.py "$reference/program/ckg" "$reference/said"
    echo "$questions" >"$reference/questions"
fi
python3 tests/same/output.py build-same/here/program/ckg build-same/here/said
python3 tests/same/differences.py "$reference/said" build-same/here/said tests/same/intended.txt

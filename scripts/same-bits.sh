#!/bin/sh
# same-bits.sh [--quick] [REVISION]: whether this tree's library says what that of REVISION (default: main) says, to the last bit.
# same-bits.sh --variants [STEP]: whether this tree's library says the same by gcc and by clang, with AVX2 (v3) and AVX-512 (v4) as far as this
# processor has them, and on arm64: every STEP-th study (default: all; for arm64 every 40th, minutes in an emulator). arm64 needs a cross compiler
# and an emulator (Debian: gcc-aarch64-linux-gnu, qemu-user), and is left out, with a word, where they are missing.
#
# Both are built in build-same/, with every instruction set and with the base one alone. The tests/same/record.c of each, compiled
# with its own headers, runs some 290 studies with each and prints all they say: with the best instruction set by one thread and by
# two, with the base one by one. --quick: every fifth study, best instruction set, one thread. What REVISION said is kept in
# build-same/REVISION and not run again. Studies that only one of the two has are counted, and not compared.
set -eu
cd "$(dirname "$0")/.."
jobs=$(getconf _NPROCESSORS_ONLN)
quick=0
if [ "${1:-}" = --quick ]; then
    quick=1
    shift
fi
names="best-1 best-2 base-1"
[ "$quick" = 0 ] || names=quick
revision=$(git rev-parse --short "$(case ${1:-main} in --*) echo HEAD ;; *) echo "${1:-main}" ;; esac)")
reference=build-same/$revision

# library SOURCE FOLDER OPTIONS…: the static library, and its own recorder linked with it.
library() {
    source=$1
    folder=$2
    shift 2
    cmake -S "$source" -B "$folder" -DCKG_TESTS=OFF -DCKG_BENCH=OFF "$@" >/dev/null
    cmake --build "$folder" -j "$jobs" --target ckg_static >/dev/null
    "${CC:-cc}" -std=c17 -O1 -ffp-contract=off -I"$source/include" "$source"/tests/same/record*.c \
        "$folder/libckg.a" -o "$folder/record" -pthread -lm
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

# said NAME COMMAND…: what the recorder says, compared with what the first one said.
said() {
    name=$1
    shift
    "$@" >"build-same/variants/$name"
    first=${first:-$name}
    if cmp -s "build-same/variants/$first" "build-same/variants/$name"; then
        echo "$name: $(grep -c '^study' "build-same/variants/$name") studies, $(wc -l <"build-same/variants/$name") lines, the bits of $first"
    else
        echo "$name: differs from $first"
        diff "build-same/variants/$first" "build-same/variants/$name" | cut -c 1-150 | head -6
        failed=1
    fi
}

# arm64 [STEP]: by an emulator, beside what gcc's library says here to the same studies.
arm64() {
    if ! command -v aarch64-linux-gnu-gcc >/dev/null || ! command -v qemu-aarch64 >/dev/null; then
        echo "arm64: left out (Debian: gcc-aarch64-linux-gnu, qemu-user)"
        return
    fi
    cmake -S . -B build-same/variants/arm64-library -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=aarch64 \
        -DCMAKE_C_COMPILER=aarch64-linux-gnu-gcc -DCKG_TESTS=OFF -DCKG_BENCH=OFF -DCKG_PROGRAM=OFF >/dev/null
    cmake --build build-same/variants/arm64-library -j "$jobs" --target ckg_static >/dev/null
    aarch64-linux-gnu-gcc -std=c17 -O1 -static -Iinclude tests/same/record*.c build-same/variants/arm64-library/libckg.a \
        -o build-same/variants/arm64-library/record -pthread -lm
    first=
    said gcc-some build-same/variants/gcc-library/record 1 0 "$1"
    said arm64 qemu-aarch64 build-same/variants/arm64-library/record 1 0 "$1"
}

variants() {
    mkdir -p build-same/variants
    failed=0
    first=
    for compiler in gcc clang; do
        CC=$compiler library . build-same/variants/$compiler-library
        for cpu in v3 v4; do
            case $cpu in v3) needs=fma ;; v4) needs=avx512dq ;; esac
            if ! grep -qw "$needs" /proc/cpuinfo; then
                echo "$compiler-$cpu: left out, this processor has no $needs"
                continue
            fi
            export CKG_CPU=$cpu
            said $compiler-$cpu build-same/variants/$compiler-library/record 1 0 "$1"
            unset CKG_CPU
        done
    done
    arm64 $(($1 > 40 ? $1 : 40))
    exit $failed
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

if [ "${1:-}" = --variants ]; then
    variants "${2:-1}"
fi

if [ ! -d "$reference/source" ]; then
    mkdir -p "$reference/source"
    git archive "$revision" | tar -x -C "$reference/source"
fi
both "$reference/source" "$reference" kept
mkdir -p build-same/here
both . build-same/here

failed=0
for what in $names; do
    python3 - "$what" "$revision" "$reference/$what" "build-same/here/$what" <<'PY' || failed=1
import difflib
import sys
def studies(path):
    said = {}
    for line in open(path):
        if line.startswith("study"):
            name = line.strip()
            said[name] = []
        said[name].append(line)
    return said
what, revision = sys.argv[1:3]
old, new = studies(sys.argv[3]), studies(sys.argv[4])
both = [name for name in old if name in new]
off = [name for name in both if old[name] != new[name]]
lone = len(old) + len(new) - 2 * len(both)
rest = f"; {lone} that only one of the two has were not compared" if lone else ""
if off or not both:
    print(f"{what}: differs from {revision} in {len(off)} of {len(both)} studies{rest}")
    for line in list(difflib.unified_diff(old[off[0]], new[off[0]], n=0))[2:8] if off else []:
        print(line.strip()[:150])
    print("; ".join(off[:12]))
    sys.exit(1)
print(f"{what}: the same bits in {len(both)} studies, {sum(len(old[name]) for name in both)} lines{rest}")
PY
done
exit $failed

#!/bin/sh
# check_quiet.sh SOURCE: a quiet build says how many files it built, keeps the compiler's words in a file, and shows their end and names the file if it fails.
set -eu
source=$1
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT

cat >"$place/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.16)
project(two LANGUAGES C)
add_executable(two one.c two.c)
END
echo 'int two(void); int main(void) { return two(); }' >"$place/one.c"
echo 'int two(void) { return 0; }' >"$place/two.c"
cmake -S "$place" -B "$place/build" >/dev/null

complain() {
    echo "$1"
    cat "$place/said"
    exit 1
}

"$source/scripts/build-quietly.sh" "$place/build" 1 two >"$place/said" 2>&1 || complain "it failed"
[ "$(sed 's/in [0-9]* s$/in time/' "$place/said")" = "building: 2 files
built: 2 files in time" ] || complain "not what it should say"
grep -q 'Building C object' "$place/build/make.log" || complain "nothing in the log"

"$source/scripts/build-quietly.sh" "$place/build" 1 two >"$place/said" 2>&1 || complain "it failed with nothing to do"
[ ! -s "$place/said" ] || complain "it says something where there is nothing to do"

echo 'int two(void) { return nothing_of_that_name; }' >"$place/two.c"
! "$source/scripts/build-quietly.sh" "$place/build" 1 two >"$place/said" 2>&1 || complain "a failure passes for success"
grep -q 'nothing_of_that_name' "$place/said" || complain "it does not show what the compiler said"
grep -q "the build failed; all of its output: $place/build/make.log" "$place/said" || complain "it does not name the log"

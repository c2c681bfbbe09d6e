#!/bin/sh
# check_output.sh EXPECTED PROGRAM [ARGUMENT…]: the program succeeds and prints the file EXPECTED, if there is one.
set -eu
expected=$1
shift
actual=$(mktemp)
trap 'rm -f "$actual"' EXIT
"$@" >"$actual"
if [ -e "$expected" ]; then
    diff -u "$expected" "$actual"
fi

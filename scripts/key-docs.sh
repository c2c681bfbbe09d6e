#!/bin/sh
# key-docs.sh [--check] BUILD: fills the tables of docs/howto/problem-file.md, between the lines <!-- keys --> and <!-- end of keys -->, from the
# program's own tables of keys (app/definition/file_schema.h); with --check it changes nothing and fails where the page is not the table's.
set -eu
check=
if [ "${1-}" = --check ]; then
    check=1
    shift
fi
build=$1
page=$(dirname "$0")/../docs/howto/problem-file.md
new=$(mktemp)
trap 'rm -f "$new"' EXIT

{
    sed '/^<!-- keys -->$/q' "$page"
    echo
    "$build/ckg" manual problem --markdown
    echo
    sed -n '/^<!-- end of keys -->$/,$p' "$page"
} >"$new"

if [ -z "$check" ]; then
    cat "$new" >"$page"
elif ! cmp -s "$new" "$page"; then
    echo "docs/howto/problem-file.md: its keys are not those of the program; run scripts/key-docs.sh BUILD"
    exit 1
fi

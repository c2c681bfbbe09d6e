#!/bin/sh
# policy-docs.sh [--check] BUILD: fills the parameter tables of docs/policies/*.md, between the lines <!-- parameters --> and
# <!-- end of parameters -->, from the registry, and draws the surfaces; with --check it changes nothing and fails where a page is missing
# or its table is not the registry's.
set -eu
check=
if [ "${1-}" = --check ]; then
    check=1
    shift
fi
build=$1
cd "$(dirname "$0")/.."
pages=docs/policies
new=$(mktemp)
trap 'rm -f "$new"' EXIT
failed=0

for name in $("$build/examples/list_policies" | sed -n 's/^\([a-z][a-z0-9]*\) .*/\1/p'); do
    page=$pages/$name.md
    if [ ! -f "$page" ] || [ ! -f "$pages/$name.svg" ]; then
        echo "$page or its picture is missing"
        failed=1
        continue
    fi
    {
        sed '/^<!-- parameters -->$/q' "$page"
        echo
        "$build/examples/list_policies" "$name"
        echo
        sed -n '/^<!-- end of parameters -->$/,$p' "$page"
    } >"$new"
    if [ -n "$check" ]; then
        cmp -s "$new" "$page" || { echo "$page: its parameters are not those of the registry; run scripts/policy-docs.sh"; failed=1; }
    else
        cat "$new" >"$page"
    fi
done
[ -n "$check" ] || "$build/bench/surfaces" "$pages"
exit $failed

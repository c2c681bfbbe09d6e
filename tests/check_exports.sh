#!/bin/sh
# check_exports.sh LIBRARY: the shared library exports ckg_… and nothing else, ckg__… in particular.
set -eu
exported=$(nm -D --defined-only "$1" | awk '{ print $NF }')
[ -n "$exported" ] || { echo "$1 exports nothing"; exit 1; }
if printf '%s\n' "$exported" | grep -v '^ckg_[^_]'; then
    echo "the symbols above may not be exported"
    exit 1
fi

#!/bin/sh
# fetch-uplot.sh [--check]: brings uPlot, which draws the curves of `ckg serve`, into app/serve/files from its package of npm, whose checksum must be
# the one below. --check needs no network: what is there is what was brought, and all that the server sends stays small.
set -eu
cd "$(dirname "$0")/../app/serve/files"
version=1.6.32
package=4b8a8191e425658e3ea8c8c1314b0fc679c861ee3a1af2b20c7b16ba50b5133d
most=200000

check_files() {
    sha256sum --check --quiet --strict - <<SUMS
19c8d4c6ad88929a79f4ae49d6f7161566dfd0ba3d15cc495e974f787eb78f1f  uplot.js
df630c6a8d6f8eeaff264b50f73ce5b114f646ffd9a0bb74f049b0a00135fa04  uplot.css
8f989229699b4fe2f1a0432d0e9edc338a8a911e250e2d1b01ecd770a5f5b1bd  uplot.LICENSE
SUMS
    size=$(cat ./*.js ./*.css | wc -c)
    if [ "$size" -ge $most ]; then
        echo "the server's files have $size bytes; they should stay below $most" >&2
        exit 1
    fi
}

if [ "${1:-}" != --check ]; then
    place=$(mktemp -d)
    trap 'rm -rf "$place"' EXIT
    (cd "$place" && npm pack --silent "uplot@$version" >/dev/null && echo "$package  uplot-$version.tgz" | sha256sum --check --quiet - && tar xzf "uplot-$version.tgz")
    cp "$place/package/dist/uPlot.iife.min.js" uplot.js
    cp "$place/package/dist/uPlot.min.css" uplot.css
    cp "$place/package/LICENSE" uplot.LICENSE
fi
check_files

#!/bin/sh
# start-time.sh BUILD: how long `ckg --help` and `ckg status` take, beside `sqlite3 --version` (needs hyperfine and sqlite3).
set -eu
build=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
PATH="$build:$PATH"
ckg problems mystery >mystery.yaml
ckg run mystery.yaml --quiet >/dev/null
hyperfine -N --warmup 20 --runs 200 'sqlite3 --version' 'ckg --help' 'ckg status mystery.yaml' 2>/dev/null

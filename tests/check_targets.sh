#!/bin/sh
# check_targets.sh SOURCE CMAKE COMPILER: every target of the Makefile works after every other. Targets that share a build folder configure it with
# the same options, so that none finds another's; and what was missing when a folder was first configured is used once it is installed.
set -eu
unset MAKEFLAGS MFLAGS
source=$1 cmake=$2 compiler=$3
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT

# FOLDER OPTIONS of every configuration; the place of the installation is none of the build's options.
for target in $(sed -n 's/^\.PHONY: //p' "$source/Makefile"); do
    make -C "$source" -n "$target" | sed -e ':joined' -e '/\\$/{N;s/\\\n *//;b joined' -e '}' |
        sed -n 's/.*cmake -S \. -B \([^ ]*\) \(.*\) >\/dev\/null.*/\1 \2/p'
done | sed 's/ -DCMAKE_INSTALL_PREFIX=[^ ]*//; s/  */ /g; s/ $//' | sort -u >"$place/configurations"
shared=$(cut -d ' ' -f 1 "$place/configurations" | uniq -d)
if [ -n "$shared" ] || [ "$(wc -l <"$place/configurations")" -lt 5 ]; then
    echo "one folder, several sets of options: $shared"
    cat "$place/configurations"
    exit 1
fi

# What a configuration finds, as it says itself.
configure() { CC=$compiler "$cmake" -S "$source" -B "$@" 2>"$place/said" | sed -n 's/^-- program/program/p'; }

all=$(configure "$place/all")
none=$(PKG_CONFIG_LIBDIR="$place" configure "$place/later" -DCMAKE_FIND_ROOT_PATH="$place" -DCMAKE_FIND_ROOT_PATH_MODE_LIBRARY=ONLY)
later=$(configure "$place/later" -UCMAKE_FIND_ROOT_PATH -UCMAKE_FIND_ROOT_PATH_MODE_LIBRARY)
if [ -z "$all" ] || [ "$none" != "program OFF, PNG files OFF, PostgreSQL OFF, server OFF, tests OFF, benchmarks OFF" ] || [ "$later" != "$all" ]; then
    printf 'everything there: %s\nnothing there: %s\nthen everything: %s\n' "$all" "$none" "$later"
    cat "$place/said"
    exit 1
fi

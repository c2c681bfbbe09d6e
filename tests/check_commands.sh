#!/bin/sh
# check_commands.sh SOURCE: what README.md, CONTRIBUTING.md and ARCHITECTURE.md tell people to type is there: targets of make, programs of the build,
# scripts, files, options of CMake and variables of the environment. Words with a NAME in them, or with a star, stand for many.
set -eu
cd "$1"
unset MAKEFLAGS MFLAGS
set -f
pages="README.md CONTRIBUTING.md ARCHITECTURE.md"
failed=0

complain() {
    echo "the documentation names $1, which is not there"
    failed=1
}

# Code: what stands between backquotes, and in blocks.
# shellcheck disable=SC2086
code=$(awk '/^```/ { inside = !inside; next } inside { print; next } { n = split($0, part, "`"); for (i = 2; i <= n; i += 2) print part[i] }' $pages)
words=$(printf '%s\n' "$code" | tr ' \t();,' '\n\n\n\n\n\n' | sort -u)

for target in $(printf '%s\n' "$code" | sed -n 's/^\(.* \)*make \([a-z][-a-z]*\).*/\2/p' | sort -u); do
    make -n "$target" >/dev/null 2>&1 || complain "make $target"
done

for word in $words; do
    case $word in
    *[A-Z][A-Z]* | *'*'* | *'…'* | *'{'* | *'$'*) continue ;;
    build/bench/*) file=bench/${word#build/bench/}.c ;;
    build/tests/*) file=tests/${word#build/tests/}.c ;;
    build/examples/*) file=examples/${word#build/examples/}.c ;;
    app/*.[ch] | app/*/*.[ch] | src/*.[ch] | src/*/*.[ch] | tests/*.* | scripts/*.* | cmake/*.* | docs/*.* | examples/*.* | include/*.h) file=$word ;;
    *) continue ;;
    esac
    [ -e "$file" ] || [ -d "${file%.c}" ] || complain "$word"
done

# A file that ARCHITECTURE.md names without its folder, or with the end of it.
for name in $(printf '%s\n' "$words" | grep '^[a-z_]*/\{0,1\}[a-z_]*\.[ch]$'); do
    case $name in */*) ;; *) name=*/$name ;; esac
    [ -n "$(find src app include tests examples -path "*$name" -print -quit)" ] || complain "$name"
done

[ "$(wc -w <ARCHITECTURE.md)" -le 1800 ] || { echo "ARCHITECTURE.md has more than 1800 words: it is a map"; failed=1; }

for option in $(printf '%s\n' "$words" | sed -n 's/^-D\(CKG_[A-Z_]*\).*/\1/p' | sort -u); do
    grep -q "^#   $option " cmake/CkgOptions.cmake || complain "$option"
done

for variable in $(printf '%s\n' "$words" | sed -n 's/^\(CKG_[A-Z_]*\)=.*/\1/p' | sort -u); do
    grep -rqF "\"$variable\"" app src tests || grep -qF "$variable=" Makefile || complain "$variable"
done

exit $failed

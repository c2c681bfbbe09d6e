#!/bin/sh
# check_readme.sh ROOT: every block of C in README.md and docs/ stands, line by line, in a program of examples/, which is compiled and
# run as a test. Indentation alone may differ.
set -eu
cd "$1"

awk '
function complain(what) { printf "%s:%d: %s\n", FILENAME, FNR, what; failed = 1 }
function bare(line) { sub(/^[ \t]+/, "", line); return line "\n" }
FILENAME ~ /\.c$/ { if (FNR == 1) { programs++; text[programs] = "\n" } text[programs] = text[programs] bare($0); next }
FNR == 1 { inside = 0 }
!inside && /^```c$/ { inside = 1; block = "\n"; next }
inside && /^```/ {
    inside = 0
    blocks++
    found = 0
    for (i = 1; i <= programs; i++) if (index(text[i], block)) found = 1
    if (!found) complain("the block of C that ends here stands in no file of examples/")
}
inside { block = block bare($0) }
END { if (!blocks) { print "no block of C was found"; failed = 1 } exit failed }
' examples/*.c README.md docs/*.md

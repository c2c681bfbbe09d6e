#!/bin/sh
# check_format.sh SOURCE: every C file is as clang-format 14 writes it by .clang-format, no line has more than 110 columns, no file
# more than 800 lines, no function more than 60. Another clang-format writes a few lines differently: then the layout is left to
# whoever has version 14, and that is said.
set -eu
cd "$1"
files=$(find app bench examples include python src tests -name '*.[ch]' | sort)

if clang-format --version 2>/dev/null | grep -q 'version 14\.'; then
    # shellcheck disable=SC2086
    clang-format --dry-run -Werror $files
else
    echo "no clang-format 14 here: the layout was not checked"
fi

# shellcheck disable=SC2086
LC_ALL=C awk '
function columns(line) { gsub(/[\200-\277]|\314[\200-\277]/, "", line); return length(line) }
function complain(what) { printf "%s:%d: %s\n", FILENAME, FNR, what; failed = 1 }
columns($0) > 110 { complain(columns($0) " columns") }
FNR == 801 { complain("more than 800 lines") }
/^\{/ { open = FNR }
/^\}/ { if (open && FNR - open - 1 > 60) complain("a function of " FNR - open - 1 " lines"); open = 0 }
END { exit failed }
' $files

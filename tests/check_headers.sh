#!/bin/sh
# check_headers.sh INCLUDE CC: every public header compiles alone, without a warning, as C99 and as C++.
set -eu
include=$1
compiler=$2
flags="-Wall -Wextra -Wpedantic -Werror -fsyntax-only"

for header in "$include"/ckg/*.h; do
    name=ckg/$(basename "$header")
    for language in "c -std=c99" "c++ -std=c++11"; do
        # A declaration follows, because ISO C forbids a source that holds none.
        # shellcheck disable=SC2086
        printf '#include <%s>\nextern int here;\n' "$name" | "$compiler" -x $language $flags -I"$include" - ||
            { echo "$name fails as $language"; exit 1; }
    done
done

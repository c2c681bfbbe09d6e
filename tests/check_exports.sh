#!/bin/sh
# check_exports.sh LIBRARY: the shared library exports ckg_… and nothing else, ckg__… in particular; and it takes no function from the
# C library whose last bit depends on processor and version (src/base/maths.h has them), but for those that only rules (sin, cos,
# tan, log2, log10) and the policy alslack (cabs, cexp, clog) call.
set -eu
exported=$(nm -D --defined-only "$1" | awk '{ print $NF }')
[ -n "$exported" ] || { echo "$1 exports nothing"; exit 1; }
if printf '%s\n' "$exported" | grep -v '^ckg_[^_]'; then
    echo "the symbols above may not be exported"
    exit 1
fi
if nm -D --undefined-only "$1" | awk '{ sub(/@.*/, "", $NF); print $NF }' |
    grep -xE '(a?(sin|cos|tan)h|a(sin|cos|tan)2?|exp|exp2|exp10|expm1|log|log1p|pow|cbrt|hypot|erfc?|[lt]gamma|c(sqrt|pow))[fl]?'; then
    echo "the functions above give other bits on other machines: src/base/maths.h has its own"
    exit 1
fi

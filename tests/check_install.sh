#!/bin/sh
# check_install.sh BUILD CMAKE CC: an installed copy is found and works by pkg-config and by find_package.
set -eu
build=$1
cmake=$2
compiler=$3
source=$(cd "$(dirname "$0")" && pwd)/install
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset DESTDIR

"$cmake" --install "$build" --prefix "$work/prefix" >/dev/null
library=$(dirname "$(find "$work/prefix" -name libckg.a)")
export PKG_CONFIG_PATH="$library/pkgconfig"

# shellcheck disable=SC2046
"$compiler" "$source/consumer.c" -o "$work/by_pkgconfig" $(pkg-config --cflags --libs ckg)
LD_LIBRARY_PATH="$library" "$work/by_pkgconfig"

# shellcheck disable=SC2046
"$compiler" "$source/consumer.c" -o "$work/by_archive" $(pkg-config --cflags ckg) "$library/libckg.a" -lm -pthread
"$work/by_archive"

"$cmake" -S "$source" -B "$work/by_cmake" -DCMAKE_PREFIX_PATH="$work/prefix" -DCMAKE_C_COMPILER="$compiler" >/dev/null
"$cmake" --build "$work/by_cmake" >/dev/null
"$work/by_cmake/consumer_shared"
"$work/by_cmake/consumer_static"

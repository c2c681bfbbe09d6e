#!/bin/sh
# fetch-coco.sh [FOLDER]: fetches the C core of COCO (coco.c and coco.h, BSD-3, of the Python package coco-experiment) for bench/coco into
# FOLDER, build-coco by default, and makes libcoco.so of it, which the Python scripts there use. The version is pinned and its checksum
# compared; nothing of it is kept in this repository. COCO's assertions are off: they allow rounding of 1e-13 where values are 1e5.
set -eu
version=2.8.2
checksum=df044be950027d20e30e4d7edf187ed991f96eeb4242e8d5c89ea2719f0a50f2
folder=${1:-$(dirname "$0")/../build-coco}

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
python3 -m pip download --quiet --no-deps --no-binary coco-experiment --dest "$scratch" "coco-experiment==$version"
archive=$scratch/coco_experiment-$version.tar.gz
echo "$checksum  $archive" | sha256sum --check --quiet
mkdir -p "$folder"
tar -C "$folder" --strip-components=3 -xzf "$archive" "coco_experiment-$version/src/cocoex/coco.c" "coco_experiment-$version/src/cocoex/coco.h"
tar -C "$folder" --strip-components=1 -xzf "$archive" "coco_experiment-$version/LICENSE"
${CC:-cc} -w -O2 -fPIC -shared -D_GNU_SOURCE -DNDEBUG -o "$folder/libcoco.so" "$folder/coco.c" -lm
echo "COCO $version is in $folder"

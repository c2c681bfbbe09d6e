#!/bin/sh
# python.sh wheel|test [VERSION…]|environments|pythons|strict|sanitize|notebooks: the package pyckg, in build-python/.
#
#   wheel     builds it; the wheel lands in build-python/wheels/
#   test      installs it in a virtual environment of its own for each of these Pythons, or of two, and runs the tests there
#   environments  installs what building the package and testing it with the first Python need
#   pythons   says which versions there are
#   strict    the tests with Python's development mode, every warning an error
#   sanitize  the tests with a module that was built with the address sanitizer
#   notebooks runs those of docs/python/notebooks/ and keeps what comes out
#
# Virtual environments are kept in the user's cache, for every clone, until python/tests/requirements*.txt change; build-python/ has copies, into which
# the package is installed. The first Python has the optional packages too. CKG_PROGRAM names the program that the tests run, build/ckg unless told;
# CKG_JUNIT a file for the results of one Python.
set -eu
cd "$(dirname "$0")/.."
folder=$PWD/build-python
cache=${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/ckg/python
what=${1:-test}
[ $# -eq 0 ] || shift
: "${CKG_PYTHONS:=2}" # how many Pythons to test with
jobs=$(getconf _NPROCESSORS_ONLN)

# The interpreters that there are from 3.11 on, one a line: on the path, then pyenv's.
find_pythons() {
    for minor in 11 12 13 14; do
        for candidate in "python3.$minor" "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3."$minor".*/bin/python3; do
            if "$candidate" -c "import ensurepip, sys; assert sys.version_info[:2] == (3, $minor)" 2>/dev/null; then
                echo "$candidate"
                break
            fi
        done
    done
}

# cached_environment PYTHON: fills $cached with the packages of $requirements. What is not whole lacks the file `wanted`.
cached_environment() {
    rm -rf "${cached%-*}"-*
    mkdir -p "$cached"
    "$1" -m venv "$cached"
    set --
    for file in $requirements; do set -- "$@" -r "$file"; done
    "$cached/bin/python" -m pip install -q --disable-pip-version-check "$@"
    echo "$wanted" >"$cached/wanted"
}

# environment NAME PYTHON REQUIREMENTS…: a virtual environment with these packages in build-python/NAME, whose files are links to the cached ones.
environment() {
    place=$folder/$1
    python=$2
    cached=$cache/$1
    shift 2
    requirements=$*
    wanted="$("$python" -c 'import sys; print(sys.base_prefix, sys.version)' | tr '\n' ' ') $(cat "$@" | cksum)"
    cached=$cached-$(echo "$wanted" | cksum | cut -d ' ' -f 1)
    mkdir -p "$cache"
    {
        ! command -v flock >/dev/null || flock 9
        [ -f "$cached/wanted" ] || cached_environment "$python"
        if [ ! -f "$place/wanted" ] || [ "$(cat "$place/wanted")" != "$wanted" ]; then
            rm -rf "$place"
            cp -al "$cached" "$place" 2>/dev/null || { rm -rf "$place" && cp -a "$cached" "$place"; }
        fi
    } 9>"$cache/lock"
}

# The packages of the first Python's tests, optional ones too.
full_environment() { environment venv-full "$builder" python/tests/requirements.txt python/tests/requirements-full.txt; }
build_environment() { environment venv-build "$builder" python/tests/requirements-build.txt; }

# build_wheel FOLDER OPTIONS…: a wheel in build-python/FOLDER.
build_wheel() {
    into=$folder/$1
    shift
    build_environment
    rm -rf "$into"
    PATH=$folder/venv-build/bin:$PATH "$folder/venv-build/bin/python" -m pip wheel -q --disable-pip-version-check --no-build-isolation --no-deps \
        -w "$into" "$@" ./python
    wheel=$(ls "$into"/*.whl)
}

# repair_wheel: takes into the wheel what it needs of the machine's libraries, so that it runs elsewhere.
repair_wheel() {
    PATH=$folder/venv-build/bin:$PATH "$folder/venv-build/bin/python" -m auditwheel repair -w "$folder/repaired" "$wheel" 2>/dev/null
    rm "$wheel"
    mv "$folder"/repaired/*.whl "$(dirname "$wheel")"
    wheel=$(ls "$(dirname "$wheel")"/*.whl)
}

# run_tests VENV OPTIONS…: installs the wheel there and runs the tests, out of the tree, so that the installed package is what is tested.
run_tests() {
    venv=$folder/$1
    shift
    "$venv/bin/python" -m pip install -q --disable-pip-version-check --force-reinstall --no-deps "$wheel"
    (cd "$folder" && CKG_WHEEL=$wheel CKG_PROGRAM=${CKG_PROGRAM:-$folder/../build/ckg} "$venv/bin/python" -m pytest -n "$jobs" \
        --dist loadfile -p no:cacheprovider -c ../python/pyproject.toml --rootdir ../python ${CKG_JUNIT:+--junitxml="$CKG_JUNIT"} "$@" ../python/tests)
}

# version PYTHON: 3.11, 3.12, …
version() { "$1" -c 'import sys; print("%d.%d" % sys.version_info[:2])'; }

pythons=$(find_pythons)
builder=$(echo "$pythons" | head -n 1)
if [ -z "$builder" ]; then
    echo "pyckg needs Python 3.11 or later with venv (Debian: python3-venv)" >&2
    exit 1
fi
mkdir -p "$folder"

case $what in
wheel)
    build_wheel wheels
    repair_wheel
    echo "$wheel"
    ;;
test)
    [ $# -gt 0 ] || set -- $(for python in $pythons; do version "$python"; done | head -n "$CKG_PYTHONS")
    build_wheel wheels
    repair_wheel
    failed=0
    for python in $pythons; do
        case " $* " in *" $(version "$python") "*) ;; *) continue ;; esac
        if [ "$python" = "$builder" ]; then
            echo "pyckg with $("$python" --version): all tests"
            name=venv-full
            full_environment
        else
            echo "pyckg with $("$python" --version): tests without optional packages"
            name=venv-$(version "$python")
            environment "$name" "$python" python/tests/requirements.txt
        fi
        run_tests "$name" || failed=1
    done
    exit $failed
    ;;
environments)
    build_environment
    full_environment
    ;;
pythons)
    for python in $pythons; do version "$python"; done
    ;;
strict)
    build_wheel wheels
    repair_wheel
    full_environment
    PYTHONDEVMODE=1 run_tests venv-full -W error
    ;;
sanitize)
    build_wheel wheels-sanitize -Cbuild-dir="$folder/cmake-sanitize" -Ccmake.define.CKG_SANITIZE=address -Cinstall.strip=false
    full_environment
    ASAN_OPTIONS=detect_leaks=0 PYTHONMALLOC=malloc LD_PRELOAD="$(gcc -print-file-name=libasan.so) $(gcc -print-file-name=libstdc++.so.6)" \
        run_tests venv-full -m "not as_released"
    ;;
notebooks)
    build_wheel wheels
    environment venv-notebooks "$builder" python/tests/requirements.txt python/tests/requirements-notebooks.txt
    "$folder/venv-notebooks/bin/python" -m pip install -q --disable-pip-version-check --force-reinstall --no-deps "$wheel"
    "$folder/venv-notebooks/bin/python" scripts/notebooks.py
    ;;
*)
    echo "usage: python.sh wheel|test|environments|pythons|strict|sanitize|notebooks" >&2
    exit 2
    ;;
esac

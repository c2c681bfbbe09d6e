#!/bin/sh
# install-deps.sh build|run|test|python|fuzz|all: makes sure that what a target needs is installed, and does nothing when it is. On Debian
# and Ubuntu the missing packages are installed by apt-get; elsewhere one line per missing thing is printed.
set -eu
wanted=${1:-all}
missing=""
wished=""
wishes=""
packages=""

# need DESCRIPTION PACKAGES COMMAND…: the packages are missing when the command fails.
need() {
    description=$1
    package=$2
    shift 2
    "$@" >/dev/null 2>&1 && return
    missing="$missing$description (Debian: $package)
"
    packages="$packages $package"
}

has_command() { command -v "$1"; }
can_compile() { printf '#include <%s>\nint main(void) { return 0; }\n' "$3" | "$1" -x "$2" - -o /dev/null; }
can_fuzz() { echo 'int LLVMFuzzerTestOneInput(void) { return 0; }' | clang -fsanitize=fuzzer,address -x c - -o /dev/null; }
can_make_environments() { python3 -c 'import ensurepip, sys, venv; assert sys.version_info >= (3, 11)'; }
has_python_headers() { [ -f "$(python3 -c 'import sysconfig; print(sysconfig.get_path("include"))')/Python.h" ]; }
has_nginx() { PATH=$PATH:/usr/sbin has_command nginx; }
has_postgresql() { ls /usr/lib/postgresql/*/bin/initdb && PATH=$PATH:/usr/sbin has_command pgbouncer; }
has_slurm() { PATH=$PATH:/usr/sbin; has_command munged && has_command slurmctld && has_command slurmd && has_command sbatch; }
has_browser() { has_command node && has_command npm && { has_command chromium-headless-shell || has_command chromium; }; }
has_playwright() { [ -f "${HOME:-/tmp}/.cache/ckg/playwright/package/index.js" ]; }
has_library() { pkg-config --exists "$1"; }

need_for_build() {
    need make make has_command make
    need cmake cmake has_command cmake
    need "a C compiler (gcc) with the C library's headers" "gcc libc6-dev" can_compile gcc c stdio.h
    need pkg-config pkg-config has_command pkg-config
    need libyaml libyaml-dev has_library yaml-0.1
    need jansson libjansson-dev has_library jansson
    need SQLite libsqlite3-dev has_library sqlite3
}

# What a user of the program gets, beside what it cannot be without.
need_for_program() {
    need "libevent, for ckg serve" libevent-dev has_library libevent_core
    need "cairo, for figures as PNG files" libcairo2-dev has_library cairo
    need "libpq, for studies in PostgreSQL" libpq-dev has_library libpq
}

need_for_run() {
    need "python3, for the evaluations of the example" python3 has_command python3
}

need_for_python() {
    need "Python 3.11 or later with venv" python3-venv can_make_environments
    need "Python's headers" python3-dev has_python_headers
}

need_for_test() {
    need "a C++ compiler (g++), to check the headers" g++ can_compile g++ c++ cstddef
    need clang clang can_compile clang c stdio.h
    need clang-format clang-format has_command clang-format
    need cmocka libcmocka-dev has_library cmocka
    try "PostgreSQL and pgbouncer, for tests of studies there" "postgresql pgbouncer" has_postgresql
    try "nginx, for the how-to of a group and to measure ckg serve beside it" nginx-light has_nginx
    try "Chromium, Node.js and npm, for tests of the pages of ckg serve" "chromium nodejs npm" has_browser
    try "Slurm, for evaluations as its jobs" "slurmctld slurmd slurm-client munge" has_slurm
    need "OpenBLAS, for examples/mnist and the benchmarks" libopenblas-dev has_library openblas
}

need_for_fuzz() {
    need "libFuzzer and the sanitizers for clang" libclang-rt-dev can_fuzz
}

need_for_all() {
    need valgrind valgrind has_command valgrind
}

# try DESCRIPTION PACKAGES COMMAND…: the same for what only some tests need, which say so where it is not to be had.
try() {
    description=$1
    package=$2
    shift 2
    "$@" >/dev/null 2>&1 && return
    wished="$wished $package"
    wishes="$wishes$*|$description (Debian: $package)
"
}

# Each package by itself: one that is not to be had must not keep the others away. What is missing all the same is named.
install_wishes() {
    [ -n "$wished" ] || return 0
    if [ "$(id -u)" -eq 0 ]; then as_root=""; else as_root=sudo; fi
    if has_command apt-get >/dev/null && { [ -z "$as_root" ] || has_command sudo >/dev/null; }; then
        echo "installing, for some of the tests:$wished"
        $as_root apt-get update -q >/dev/null 2>&1 || true
        for package in $wished; do
            $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "$package" >/dev/null 2>&1 || true
        done
    fi
    printf '%s' "$wishes" | while IFS='|' read -r check wish; do
        $check >/dev/null 2>&1 || echo "not there, so what needs it is not tested: $wish" >&2
    done
}

# What apt-get prints goes to a file, which is shown if it fails.
install_packages() {
    if [ "$(id -u)" -eq 0 ]; then as_root=""; else as_root=sudo; fi
    log=$(mktemp "${TMPDIR:-/tmp}/ckg-install.XXXXXX")
    echo "installing:$packages"
    # shellcheck disable=SC2086
    if ! { $as_root apt-get update -q && $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends $packages; } >"$log" 2>&1; then
        tail -n 20 "$log" >&2
        echo "apt-get could not install them; all of its output: $log" >&2
        exit 1
    fi
    rm -f "$log"
}

case $wanted in
build) need_for_build ;;
run) need_for_build; need_for_program; need_for_run ;;
test) need_for_build; need_for_program; need_for_run; need_for_test; need_for_python ;;
python) need_for_build; need_for_run; need_for_python ;;
fuzz) need_for_build; need_for_program; need_for_run; need_for_test; need_for_fuzz ;;
all) need_for_build; need_for_program; need_for_run; need_for_test; need_for_python; need_for_fuzz; need_for_all ;;
*) echo "usage: install-deps.sh build|run|test|python|fuzz|all" >&2; exit 2 ;;
esac

# What drives the browser comes from npm; without a network its tests are left out.
fetch_playwright() {
    case $wanted in test | all) ;; *) return 0 ;; esac
    if has_browser >/dev/null && ! has_playwright; then
        "$(dirname "$0")/fetch-playwright.sh" >/dev/null 2>&1 || echo "playwright-core is not to be had, so pages are not tested in a browser" >&2
    fi
}

# The Python packages of the tests come from PyPI; without them the stage of Python says what is missing.
make_environments() {
    case $wanted in test | python | all) ;; *) return 0 ;; esac
    "$(dirname "$0")/python.sh" environments || echo "the Python packages of the tests are not to be had" >&2
}

if [ -z "$missing" ]; then
    install_wishes
    fetch_playwright
    make_environments
    exit 0
fi
if has_command apt-get >/dev/null && { [ "$(id -u)" -eq 0 ] || has_command sudo >/dev/null; }; then
    install_packages
    install_wishes
    fetch_playwright
    make_environments
else
    printf '%s' "$missing" | sed 's/^/missing: /' >&2
    exit 1
fi

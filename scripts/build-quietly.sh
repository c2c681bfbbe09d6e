#!/bin/sh
# build-quietly.sh FOLDER JOBS TARGET: builds a configured folder with one line that counts up, in place on a terminal. What the compiler prints goes
# to FOLDER/make.log, whose end is shown if the build fails.
set -eu
folder=$1 jobs=$2 target=$3
log=$folder/make.log
began=$(date +%s)

all=$(cmake --build "$folder" --target "$target" -- -n 2>/dev/null | grep -c 'Building C object') || true
[ -t 1 ] || [ "$all" -eq 0 ] || echo "building: $all files"

# A pipe, not a job in the background: Ctrl-C ends all of it.
{
    cmake --build "$folder" -j "$jobs" --target "$target" 2>&1 && echo "everything is built" || echo "the build failed"
} | {
    done=0 last=""
    exec 3>"$log"
    while IFS= read -r line; do
        last=$line
        printf '%s\n' "$line" >&3
        case $line in *'Building C object'*) done=$((done + 1)) ;; *) continue ;; esac
        [ "$done" -le "$all" ] || all=$done
        [ ! -t 1 ] || printf '\rbuilding: %d/%d' "$done" "$all"
    done
    [ "$last" = "everything is built" ] || exit 1
    [ "$done" -eq 0 ] || { [ ! -t 1 ] || printf '\r'; echo "built: $done files in $(($(date +%s) - began)) s"; }
} || {
    echo
    tail -n 20 "$log"
    echo "the build failed; all of its output: $log" >&2
    exit 1
}

#!/bin/sh
# program-pages.sh PROGRAM FOLDER: writes the manual pages and completion scripts, as the program itself prints them.
set -eu
program=$1
folder=$2
mkdir -p "$folder/man1" "$folder/man5"
"$program" manual >"$folder/man1/ckg.1"
for command in $("$program" --help | sed -n 's/^  \([a-z]*\) .*/\1/p'); do
    "$program" manual "$command" >"$folder/man1/ckg-$command.1"
done
"$program" manual problem >"$folder/man5/ckg-problem.5"
"$program" completion bash >"$folder/ckg.bash"
"$program" completion fish >"$folder/ckg.fish"
"$program" completion zsh >"$folder/_ckg"
touch "$folder/done"

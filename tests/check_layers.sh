#!/bin/sh
# check_layers.sh SOURCE: a folder of the library, and one of the program, includes only itself and the folders above it in its
# order, always as "folder/file"; what a process is made of (NAME_private.h) stays in its folder and in posterior/; and the library
# never prints, reads files or ends the process. What the program prints goes through app/base/visible.c, so that nothing from a
# name or an evaluation acts on a terminal; who draws there, or prints for a shell, is named here.
set -eu

# look FOLDER ORDER LIBRARY: LIBRARY 1 where nothing may print, open files or exit.
look() {
    cd "$1"
    find . -mindepth 2 -name '*.[ch]' | sort | xargs awk -v order="$2" -v library="$3" '
BEGIN { count = split(order, names, " "); for (i = 1; i <= count; i++) rank[names[i]] = i }
function complain(what) { printf "%s:%d: %s\n", FILENAME, FNR, what; failed = 1 }
FNR == 1 { split(FILENAME, path, "/"); folder = path[2]; if (!(folder in rank)) complain("unknown folder " folder) }
/^[ \t]*#[ \t]*include[ \t]*"/ {
    split($0, quoted, "\""); if (folder == "commands" && quoted[2] == "command.h") next; split(quoted[2], parts, "/")
    if (!(parts[1] in rank)) complain("include \"" quoted[2] "\" does not name a folder")
    else if (rank[parts[1]] > rank[folder]) complain(folder " may not include " parts[1])
    else if (parts[2] ~ /_private\.h$/ && parts[1] != folder && folder != "posterior")
        complain(folder " may not include " quoted[2])
}
library && /(^|[^A-Za-z0-9_])(v?f?printf|f?puts|f?putc|putchar|fwrite|perror|fopen|freopen|popen|system|exit|_exit|abort)[ \t]*\(/ {
    complain("the library may not print, open files or exit")
}
!library && folder != "base" && FILENAME !~ /(\/progress|command_complete|command_new|command_completion|key_page)\.c$/ &&
        /(^|[^A-Za-z0-9_])(v?f?printf|f?puts|f?putc|putchar|fwrite|perror)[ \t]*\(/ {
    complain("what is printed goes through app_say or app_warn (base/visible.h)")
}
END { exit failed }
'
}

(look "$1/src" "base linalg optim problem design data model posterior surrogate acquisition search policy study" 1)
(look "$1/app" "base problems definition store evaluate study actions present figure report api run serve bench commands" 0)

#!/bin/sh
# check_layers.sh SRC: a folder of the library includes only itself and the folders above it in this order, always as
# "folder/file"; and the library never prints, reads files or ends the process.
set -eu
cd "$1"
order="base linalg optim problem design data model posterior acquisition suggest study"

find . -name '*.[ch]' | sort | xargs awk -v order="$order" '
BEGIN { count = split(order, names, " "); for (i = 1; i <= count; i++) rank[names[i]] = i }
function complain(what) { printf "%s:%d: %s\n", FILENAME, FNR, what; failed = 1 }
FNR == 1 { split(FILENAME, path, "/"); folder = path[2]; if (!(folder in rank)) complain("unknown folder " folder) }
/^[ \t]*#[ \t]*include[ \t]*"/ {
    split($0, quoted, "\""); split(quoted[2], parts, "/")
    if (!(parts[1] in rank)) complain("include \"" quoted[2] "\" does not name a folder of src")
    else if (rank[parts[1]] > rank[folder]) complain(folder " may not include " parts[1])
}
/(^|[^A-Za-z0-9_])(v?f?printf|f?puts|f?putc|putchar|fwrite|perror|fopen|freopen|popen|system|exit|_exit|abort)[ \t]*\(/ {
    complain("the library may not print, open files or exit")
}
END { exit failed }
'

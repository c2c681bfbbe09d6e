#!/bin/sh
# check_names.sh SOURCE: no two files of src/, app/ and bench/ have the same name, so that a name alone says which file is meant.
set -eu
cd "$1"
twice=$(find src app bench -name '*.[ch]' | sed 's|.*/||' | sort | uniq -d)
for name in $twice; do
    echo "several files are called $name:" $(find src app bench -name "$name" | sort)
done
[ -z "$twice" ]

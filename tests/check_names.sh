#!/bin/sh
# check_names.sh SOURCE: no two files of src/, app/ and bench/ have the same name, so that a name alone says which file is meant;
# and nothing outside src/policy/ names a policy.
set -eu
cd "$1"
twice=$(find src app bench -name '*.[ch]' | sed 's|.*/||' | sort | uniq -d)
for name in $twice; do
    echo "several files are called $name:" $(find src app bench -name "$name" | sort)
done

# No file outside src/policy/ names a policy: what others need of one is a trait or a member of its row. The contract has the names
# that the program may know, and "random" is also how a design came about.
policies=$(sed -n '/define CKG__POLICY_LIST/,/[^\\]$/p' src/policy/policy.h | grep -o 'X([a-z]*)' | sed 's/X(\(.*\))/\1/')
any=$(echo $policies | tr ' ' '|')
quoted=$(echo $policies | tr ' ' '\n' | grep -vx 'auto\|random' | tr '\n' '|')
in_program=$(echo $policies | tr ' ' '\n' | grep -vx 'auto\|random\|ckg' | tr '\n' '|')
named=$(
    find src -name '*.[ch]' ! -path 'src/policy/*' | xargs grep -nE "\"(${quoted%|})\"|ckg__policy_($any)\\b" || true
    find app -name '*.[ch]' ! -path 'app/bench/*' | xargs grep -nE "\"(${in_program%|})\"" || true
)
[ -z "$named" ] || echo "a policy is named outside src/policy/:" "$named"
[ -z "$twice$named" ]

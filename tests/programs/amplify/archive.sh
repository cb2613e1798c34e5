#!/bin/sh
# Archives are made here and piped in.
file() { printf '%-12sf%02o\n%s' "$1" ${#2} "$2"; }
folder() { printf '%-12sd00\n' "$1"; }
link() { printf '%-12ss%02o\n%s' "$1" ${#2} "$2"; }
fail=0

[ "$( (file a.txt hello; folder src; link b a.txt) | ./archive)" = "file    5 a.txt
folder  0 src
link    5 b" ] || fail=1
[ -z "$(./archive </dev/null)" ] || fail=1
[ "$(file a hello | head -c 18 | ./archive 2>&1 >/dev/null)" = "archive: cut off" ] || fail=1
[ "$(printf '%-12sq00\n' x | ./archive 2>&1)" = "archive: bad header" ] || fail=1
[ "$(printf '%-12sf09\n' x | ./archive 2>&1)" = "archive: bad size" ] || fail=1
exit $fail

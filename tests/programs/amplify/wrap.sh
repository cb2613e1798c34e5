#!/bin/sh
file=$(mktemp) || exit 1
trap 'rm -f "$file"' EXIT
cat >"$file" <<END
one

eleven char
four
END
got=$(./wrap "$file")
[ "$got" = "  1  3 one
  2  0 
  3 11 eleven char
  4  4 four" ] || exit 1
[ "$(printf 'no end' | ./wrap)" = "  1  6 no end" ] || exit 1
[ -z "$(./wrap </dev/null)" ] || exit 1

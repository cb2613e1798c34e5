#!/bin/sh
file=$(mktemp) || exit 1
trap 'rm -f "$file"' EXIT
bad=0
t() { # bytes, code points
	printf "$1" >"$file"
	got=$(./utf8 "$file" | xargs)
	[ "$got" = "$2" ] || {
		echo "$1: $got"
		bad=1
	}
}
t 'a' '0061'
t '\303\244\342\202\254' '00e4 20ac'
t '\360\237\230\200!' '1f600 0021'
t 'x\303' '0078 bad at 1'
t '\300\200' 'bad at 0 bad at 1'
t '\355\240\200' 'bad at 0 bad at 1 bad at 2'
t 'exactly sixteen.' "$(printf 'exactly sixteen.' | od -An -tx1 -v | xargs -n1 printf '00%s ' | xargs)"
t '' ''
exit $bad

#!/bin/sh
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
bad=0
same() {
	[ "$2" = "$3" ] && return
	printf '%s:\n%s\n' "$1" "$3"
	bad=1
}
printf 'a\na\nb\nc\nc\nc\n' >"$dir/in"
same plain "a
b
c" "$(./uniq "$dir/in")"
same -c "   2 a
   1 b
   3 c" "$(./uniq -c "$dir/in")"
same -d "a
c" "$(./uniq -d <"$dir/in")"
same -m "x
y
most often: y" "$(printf 'x\ny\ny\n' | ./uniq -m)"
same sorted "1
2" "$(printf '2\n1\n2\n' | sort | ./uniq)"
exit $bad

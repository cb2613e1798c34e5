#!/bin/sh
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
code=0
fail() {
	echo "FAIL: $1"
	code=1
}

cat >"$dir/sums" <<END
# a comment
d41d8cd9  empty
900150ab *abc
END
[ "$(./md5check -c "$dir/sums")" = "empty: d41d8cd9
abc: 900150ab" ] || fail "two lines"

[ "$(echo 'MD5 (a b) = 0cc175b9' | ./md5check -c -)" = "a b: 0cc175b9" ] || fail "BSD"
[ "$(echo 'MD5(x)=0cc175b9' | ./md5check -c -)" = "x: 0cc175b9" ] || fail "BSD without blanks"
echo 'MD5 (x) = 0cc' | ./md5check -c - 2>/dev/null && fail "short sum"
echo 'no sum' | ./md5check -c - 2>/dev/null && fail "not a sum"
./md5check -c "$dir/none" 2>/dev/null && fail "no such file"
exit $code

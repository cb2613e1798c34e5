#!/bin/sh
# Each test: expected output, then the arguments.
fail=0
t() {
	want=$1
	shift
	got=$(./printf "$@" 2>&1) || true
	if [ "$got" != "$want" ]; then
		echo "FAIL: printf $*: '$got'"
		fail=1
	fi
}
t hello hello
t x %c x
t 65 %d "'A"
t 42 %d 42
t ff %x 255
t '1 2 3 ' '%d ' 1 2 3
t 'a=b' '%s=%s' a b
t '100%' '%d%%' 100
t 'a	b' 'a\tb'
t 'printf: 7z: not completely converted
7' %d 7z
exit $fail

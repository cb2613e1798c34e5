#!/bin/sh
# Usage: tests.sh [PROGRAM]
program=${1:-./weekday}
failed=0

expect() { # text, arguments...
	expected=$1
	shift
	got=$("$program" "$@" 2>&1)
	if [ "$got" = "$expected" ]; then echo "PASS: weekday $*"; else
		echo "FAIL: weekday $*: $got"
		failed=1
	fi
}

expect Sunday 0
expect "Monday
Friday" 1 5
expect "weekday: there is no day 9" 9
expect "weekday: there is no day x" x
exit $failed

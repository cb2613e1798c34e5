#!/bin/sh
fail=0
t() { # list, expected
	got=$(./fields "$1" 2>&1 <<END
the quick brown fox jumps
over it
END
	)
	got=$(echo "$got" | tr '\n' '|')
	[ "$got" = "$2" ] || {
		echo "$1: $got"
		fail=1
	}
}
t 1 'the|over|'
t 2-3 'quick brown|it|'
t 4- 'fox jumps|'
t 2,4- 'quick fox jumps|it|'
t 1-2,8- 'the quick|over it|'
t 0 'fields: fields are numbered from 1|'
t 3-2 'fields: decreasing range|'
t 1,x 'fields: fields are numbered from 1|'
exit $fail

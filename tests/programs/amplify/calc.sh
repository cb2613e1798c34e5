#!/bin/sh
code=0
is() {
	got=$(./calc "$1" 2>&1)
	[ "$got" = "$2" ] || {
		echo "$1: $got"
		code=1
	}
}
is 1+2*3 7
is '(1+2)*3' 9
is 7/2-7%2 2
is -8/-1 8
is 9%-1 0
is '5-(2-(1-3))' 1
is 1/0 'calc: division by zero'
is 9223372036854775807+1 'calc: too large'
is '(1' 'calc: a parenthesis is missing'
is 1x 'calc: what is this?'
exit $code

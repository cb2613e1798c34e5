#!/bin/sh
fail=0
try() { # what, format of the packets, output
	got=$(printf "$2" | ./packet 2>&1)
	[ "$got" = "$3" ] && return
	echo "$1: $got"
	fail=1
}
try "ping and data" '\002\000\000\001\005\000hello\003\000\000' 'ping
data hello'
try "two data" '\001\001\000a\001\002\000bc\003\000\000' 'data a
data bc'
try "no data" '\001\000\000\003\000\000' 'data '
try "unknown" '\011\000\000' 'packet: unknown kind'
try "too long" '\001\006\000hello' 'packet: too long'
try "no end" '\002\000\000' 'packet: no end
ping'
exit $fail

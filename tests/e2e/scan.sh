#!/bin/sh
# Formatted input from streams that are input.
. "$(dirname "$0")/lib.sh"

build() {
	veer-cc -w -O1 "$VEER_SOURCE/tests/programs/scan.c" -o scan
}

# scan FORMAT TEXT RESULT: as libc does it, from a file
scan() {
	printf '%b' "$2" >text
	veer path --sym stdin --self-check --stats --events -- ./scan "$1" <text >events 2>err
	contains "$(cat err)" " 0 mismatches"
	contains "$(cat err)" "same $3"
}

like_libc() {
	build
	scan '%d %7s' '12 abc\n' 2
	scan '%d %7s' '12' 1
	scan '%d' '' -1
	scan '%d' 'x' 0
	scan '%d%%%c' '-5%\0' 2
	scan ' %2[a-c]%x, %ld' '\n abcff, 99999999999999999999' 3
	scan '%i %i %n' '0x1f 077   ' 2
	scan '%lf%c' '1.5e1x' 2
	scan '%f' 'infinite' 0
	scan '%3c%s' 'ab' 1
}

# Digits are looked at one by one, and what ends the number is not fixed.
conditions() {
	build
	printf '12 abc' >text
	veer path --sym stdin --events -- ./scan '%d %7s' <text >events 2>/dev/null
	contains "$(cat events)" "((ite((1 <u u64(length(stdin))), u32(stdin[1]), -1) - 48) <u 10) is 1"
	contains "$(cat events)" "== 0x12d687) is 0"
	lacks "$(cat events)" "concretised"
}

try "like libc" like_libc
try "conditions" conditions
finish

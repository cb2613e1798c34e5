#!/bin/sh
# Runs that enter a function with made-up state (abi/fragment.h): as many paths as brute force finds, all under
# self-check.
. "$(dirname "$0")/lib.sh"
PROGRAMS=$VEER_SOURCE/tests/programs/fragment

# build NAME: ./NAME for veer, ./brute for brute force
build() {
	veer-cc -g -O1 -I"$PROGRAMS" "$PROGRAMS/$1.c" -o "$1" -lm -pthread
	"$CLANG" -w -DBRUTE -I"$PROGRAMS" "$PROGRAMS/$1.c" -o brute -lm -pthread
}

# paths PROGRAM FUNCTION [OPTION]...: how many veer finds; says what went wrong on the way
paths() {
	program=$1 function=$2
	shift 2
	found=$(timeout 60 test-fragment -n 2000 "$@" "./$program" "$function")
	case $found in
	"paths "*" unknown 0 diverged 0 "*) echo "$found" | cut -d' ' -f2 ;;
	*) echo "$found" ;;
	esac
}

# explored NAME: each function that brute force tried, with the options that stand in its source as
# "// options FUNCTION: ..."
explored() {
	build "$1"
	./brute >expected
	while read -r function n; do
		options=$(sed -n "s,^// options $function: ,,p" "$PROGRAMS/$1.c")
		# shellcheck disable=SC2086
		same "$function $n" "$function $(paths "$1" "$function" $options)"
	done <expected
	[ -s expected ]
}

numbers() { explored numbers; }
pointers() { explored pointers; }
kinds() { explored kinds; }
globals() { explored globals; }
strings() { explored strings; }
outside() { explored outside; }
stubs() { explored stubs; }
system() { explored system; }
markers() { explored markers; }

# judged FUNCTION: what the sanitized variant reports of all paths
judged() { test-fragment -n 200 -J ./judged "$1" | sed -n 's/^report //p' | sort -u; }

reports() {
	veer-cc -g -O1 -w "$PROGRAMS/judged.c" -o judged
	contains "$(judged overflow)" heap-buffer-overflow
	contains "$(judged use_after_free)" heap-use-after-free
	contains "$(judged by_alias)" heap-use-after-free
	contains "$(judged quotient)" division
	same "" "$(judged assumed)"
	same "" "$(judged text)"
	same "" "$(judged sum)"
}

# A function whose address another unit takes
other_units() {
	cat >a.c <<-'END'
		int twice(int x) { return 2 * x; }
		int half(int x) { return x / 2; }
		int call(int (*f)(int)) { return f ? f(3) : 0; }
	END
	cat >b.c <<-'END'
		extern int twice(int);
		int (*volatile table)(int) = twice;
		int main(void) { return 0; }
	END
	veer-cc -g -O1 a.c b.c -o units
	same 2 "$(paths units call)" # null, and twice
}

try "numbers, however they are passed" numbers
try "pointers: null, new, another object" pointers
try "unions, bit-fields, functions and all other kinds" kinds
try "globals of every kind" globals
try "text, and arrays that grow" strings
try "streams of libc" outside
try "functions whose address another unit takes" other_units
try "calls that are replaced" stubs
try "functions of the system" system
try "entry at loops and labels" markers
try "reports of the sanitized variant" reports
finish

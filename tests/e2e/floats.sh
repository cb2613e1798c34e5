#!/bin/sh
# Programs that compute with floats: every operator, numbers in text, checks of --checks=fp. The programs are in
# tests/programs.
. "$(dirname "$0")/lib.sh"
PROGRAMS=$VEER_SOURCE/tests/programs
INCLUDE=$VEER_SOURCE/include

# explored OPTION...: what a campaign with these options reports of ./program, as "KIND FUNCTION" lines
explored() {
	rm -rf out
	veer explore -v -q -j1 --runs 40 --budget 20s -o out "$@" >said
	sed -n 's/^F[0-9]* \([a-z]*\): \([^ ]*\) at .* in \(.*\)$/\1 \2 \3/p' said | sort
}

build() { veer-cc -g -O1 -DKIND="$1" "$PROGRAMS/float_checks.c" -o program -lm; }

kinds() {
	build divide
	same "warning float-divide-by-zero divide" "$(explored --checks fp -- ./program 5)"
	contains "$(cat said)" "0 errors, 1 warning"
	veer replay -o out F1 >again
	contains "$(cat again)" "F1: again: float-divide-by-zero in divide"
	veer explain -o out F1 >explained
	contains "$(cat explained)" "floating-point division by zero"
	same "" "$(explored -- ./program 5)" # nobody asked
	same "" "$(explored --checks all -- ./program 7)"
	same "" "$(explored --checks all,float-nan -- ./program 7)"
	same "warning float-divide-by-zero divide" "$(explored --checks float-divide-by-zero -- ./program 7)"
	build root
	same "warning float-nan root
warning float-nan-comparison root" "$(explored --checks all,fp -- ./program 25)"
	build power
	same "warning float-infinity power" "$(explored --checks fp -- ./program 2)"
	build compare
	same "warning float-nan-comparison compare" "$(explored --checks fp -- ./program nan)"
	build cancel
	same "warning float-cancellation cancel" "$(explored --checks fp -- ./program 125)"
	build cast # which is undefined: nobody has to ask
	same "warning float-cast-overflow cast" "$(explored -- ./program 1234567890)"
	build harmless
	same "" "$(explored --checks fp -- ./program nan)"
	same "" "$(explored --checks fp -- ./program 12)"
}

operators() { # each node has the value that the program computed, and none loses its label
	for flags in -O0 "-O2 -fno-math-errno" "-O1 -mfma -mf16c"; do
		case $flags in *-mfma*) grep -qw fma /proc/cpuinfo || continue ;; esac
		# shellcheck disable=SC2086
		veer-cc -std=gnu2x -g -w $flags -I"$INCLUDE" "$PROGRAMS/float_ops.c" -o operators -lm
		veer path --self-check --stats -- ./operators 12 >path 2>err
		contains "$(cat err)" " 0 mismatches"
		contains "$(cat err)" "$(./operators 12)"
		same "" "$(grep '^lost:' err)"
	done
}

found() { # KIND ARGUMENT: an input on which that kind fails, from one with that argument
	veer-cc -g -O1 -DKIND="$1" "$PROGRAMS/float_text.c" -o program
	contains "$(explored -- ./program "$2")" "abort"
}

text() { # labels pass from numbers in text to floats and back
	found printed -14.50
	found general 1.5e8
	found scientific 1.500
	found there_and_back 1.5
	found hexadecimal 0x1.8p3
	found many_digits 0.12345678901234567890123456
	found scanned "1.0e13 -1.5"
}

shown() { # floats in objects as decimal numbers
	veer-cc -g -O1 -I"$INCLUDE" "$PROGRAMS/float_objects.c" -o program -lm
	same "error abort main" "$(explored -- ./program)"
	veer explain -o out F1 >explained
	contains "$(cat explained)" "calls abort when object x is 1e+23 and object pair is {0.1, 1.5}."
	contains "$(cat explained)" "bytes 4 to 7, a float: 1.5"
	veer export --as c --to made -o out F1 >exported
	contains "$(cat made/tests.c)" "= 0x1.52d02c7e14af6p+76; /* 1e+23 */"
	veer export --as ktest --to made -o out F1 >exported
	veer path --smt2 -- ./program >query 2>/dev/null
	contains "$(cat query)" "fp.eq"
}

try "operators on floats in all formats" operators
try "numbers in text, both ways" text
try "floats are shown in decimal" shown
try "operations on floats are checked when that is asked for" kinds
finish

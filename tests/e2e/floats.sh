#!/bin/sh
# Programs that compute with floats: checks of --checks=fp. The programs are in tests/programs.
. "$(dirname "$0")/lib.sh"

# explored OPTION...: what a campaign with these options reports of ./program, as "KIND FUNCTION" lines
explored() {
	rm -rf out
	veer explore -v -q -j1 --runs 40 --budget 20s -o out "$@" >said
	sed -n 's/^F[0-9]* \([a-z]*\): \([^ ]*\) at .* in \(.*\)$/\1 \2 \3/p' said | sort
}

build() { veer-cc -g -O1 -DKIND="$1" "$VEER_SOURCE/tests/programs/float_checks.c" -o program -lm; }

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

try "operations on floats are checked when that is asked for" kinds
finish

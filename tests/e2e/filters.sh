#!/bin/sh
# What of a suite is amplified and what is told of it: filters, baselines, suppressions, samples. The programs are in
# tests/programs/filters.
. "$(dirname "$0")/lib.sh"
PROGRAMS=$VEER_SOURCE/tests/programs/filters

# build OPTION...: both, in the folder of this test
build() {
	cp "$PROGRAMS"/*.c .
	veer-cc -g -O1 -w "$@" -c lib.c -o lib.o
	veer-cc -g -O1 -w "$@" one.c lib.o -o one
	veer-cc -g -O1 -w "$@" two.c lib.o -o two
	cat >suite <<-'END'
		set -e
		./one d 5 || test $? = 2
		./one l 3 || test $? = 4
		./one x 0 || :
		printf 'abc\0001' | ./two || test $? = 1
	END
}

# test_suite DIR OPTION...: its exit status; what it said is in `said`
test_suite() {
	folder=$1
	shift
	code=0
	veer test -v -j1 --budget 60s --search none --error-exitcode 9 -o "$folder" "$@" -- sh suite >said 2>&1 || code=$?
	echo "$code"
}

# found: what was told of, sorted: level, kind, function, program
found() { sed -n 's/: your test .* already does this[^:]*//; s/^veer: F[0-9]* \([a-z]*\): \([^ ]*\) at .* in \([^,]*\), of \([^,]*\), .*/\1 \2 \3 \4/p' said | sort; }

# in_results DIR: the same, of results.json
in_results() {
	sed -n 's/.*"kind": "\([^"]*\)", "level": "\([^"]*\)", "program": "[^"]*\/\([^/"]*\)", .*"function": "\([^"]*\)".*/\2 \1 \4 \3/p' \
		"$1/results.json" | sort
}
suppressed() { sed -n 's/.*"suppressed": \([0-9]*\)}$/\1/p' "$1/results.json"; }

ALL='error division-by-zero divide one
error global-buffer-overflow lookup one
error stack-buffer-overflow main two
warning signed-add-overflow twice two'

everything() {
	build
	same 9 "$(test_suite out)"
	same "$ALL" "$(found)"
	same "$ALL" "$(in_results out)"
	same 0 "$(suppressed out)"
}

programs() {
	build
	same 9 "$(test_suite out --exclude program:two)"
	same "error division-by-zero divide one
error global-buffer-overflow lookup one" "$(found)"
	contains "$(cat said)" "1: its program is left out by --exclude"
	same 9 "$(test_suite other --include two)"
	same "error stack-buffer-overflow main two
warning signed-add-overflow twice two" "$(found)"
	contains "$(cat said)" "3: its program is not in --include"
}

places() {
	build
	same 9 "$(test_suite out --include file:lib.c)"
	same "error division-by-zero divide one
warning signed-add-overflow twice two" "$(found)"
	# What was left out then is looked at now, in the same folder.
	same 9 "$(test_suite out)"
	same "error global-buffer-overflow lookup one
error stack-buffer-overflow main two" "$(found)"
	same "$ALL" "$(in_results out)"
	same 9 "$(test_suite other --exclude 'function:[lmt]*')"
	same "error division-by-zero divide one" "$(found)"
	same 0 "$(suppressed other)" # nobody asked for them, so nobody found them
}

# What a test itself does wrong is found whatever is asked for, and told of only when it is of interest.
left_out() {
	build
	echo './one d 0 || :' >>suite
	same 0 "$(test_suite out --exclude file:lib.c,function:lookup,two)"
	same "" "$(found)"
	contains "$(cat said)" "1 more findings are not reported: 0 are in the baseline, 0 are suppressed, 1 are left out"
	same 1 "$(suppressed out)"
	[ -x out/findings/F1/reproduce.sh ] || die "its folder is not there"
	same 9 "$(test_suite out --exclude function:lookup,two)" # what was kept is told of now
	contains "$(cat said)" "veer: found before: F1 error: your test S5 already does this under UndefinedBehaviorSanitizer: division-by-zero at $PWD/lib.c"
	same 0 "$(suppressed out)"
}

checks() {
	build
	same 9 "$(test_suite out --checks division)"
	same "error division-by-zero divide one" "$(found)"
	contains "$(cat said)" "1 checks in 1 places"
	same 0 "$(test_suite other --checks signed-integer-overflow,shift)"
	same "warning signed-add-overflow twice two" "$(found)"
	same 9 "$(test_suite out --checks memory)" # another question to the same tests
	same "error global-buffer-overflow lookup one
error stack-buffer-overflow main two" "$(found)"
}

# Those of abi/checks.def, one by one: the runtime says which of them a check is.
own_checks() {
	build
	same 0 "$(test_suite out --checks room,text-end,pointer-argument,object-size)"
	same "" "$(found)"
	same 9 "$(test_suite out --checks access)"
	same "error global-buffer-overflow lookup one
error stack-buffer-overflow main two" "$(found)"
}

baseline() {
	build
	same 2 "$(test_suite out --write-baseline nowhere/known)" # said before anything is done
	contains "$(cat said)" "cannot write nowhere/known, in folder nowhere"
	same 9 "$(test_suite out --write-baseline out/known)" # which is not there yet
	mv out/known .
	same "# Findings that veer knows, and does not report again: KIND FILE FUNCTION PROGRAM
division-by-zero lib.c divide *
global-buffer-overflow one.c lookup one
signed-add-overflow lib.c twice *
stack-buffer-overflow two.c main two" "$(sort known)"
	same 0 "$(test_suite out --baseline known)" # nothing is new there
	same "" "$(found)$(in_results out)"
	same 4 "$(suppressed out)"
	same 0 "$(test_suite fresh --baseline known)"
	same "" "$(found)$(in_results fresh)"
	contains "$(cat said)" "0 errors, 0 warnings"
	contains "$(cat said)" "4 more findings are not reported: 4 are in the baseline"
	# Lines move, sources move, and a bug is new.
	mkdir -p elsewhere/below
	cp known suite elsewhere/below
	cd elsewhere/below || exit
	build -DMORE
	same 9 "$(test_suite out --baseline known --write-baseline known)"
	same "error stack-buffer-overflow extra one" "$(found)"
	same "error stack-buffer-overflow extra one" "$(in_results out)"
	same 4 "$(suppressed out)"
	same 0 "$(test_suite out --baseline known)"
	same 5 "$(grep -vc '^#' known)"
	same 9 "$(test_suite out)" # and all of them without it
	same 5 "$(in_results out | grep -c .)"
}

suppressions() {
	build
	cat >quiet <<-'END'
		# KIND FILE FUNCTION [PROGRAM]
		*-buffer-overflow one.c *     # will be fixed
		signed-*          *     twice two
		division-by-zero  *     *     two
	END
	same 9 "$(test_suite out --suppressions quiet)"
	same "error division-by-zero divide one
error stack-buffer-overflow main two" "$(found)"
	same 2 "$(suppressed out)"
	contains "$(cat said)" "2 more findings are not reported: 0 are in the baseline, 2 are suppressed"
}

# refused WORDS OPTION...: one line, before any test runs
refused() {
	words=$1
	shift
	echo 'touch ran' >suite
	code=$(test_suite out "$@")
	[ "$code" -ne 0 ] || die "accepted: $*"
	contains "$(head -n 1 said)" "$words"
	[ ! -e ran ] || die "the suite ran: $*"
}

nonsense() {
	build
	printf 'abort a.c f\nabort a.c\n' >bad
	printf 'a b c d e\n' >long
	refused "bad:2: a line wants KIND FILE FUNCTION" --baseline bad
	refused "long:1: more than KIND FILE FUNCTION PROGRAM" --suppressions long
	refused "none: No such file" --baseline none
	refused "there is no kind 'divison'; there are all, memory, undefined, " --checks divison
	refused "'function:' is none" --include a,function:
	refused "--exclude wants names" --exclude ''
	refused "--sample wants" --sample 0
	refused "--sample wants" --sample 120%
}

sample() {
	build
	for i in 0 1 2 3; do
		echo "./one l $i || :"
		echo "./one d 1$i || :"
	done >>suite
	same 0 "$(test_suite out --max-distance 0 --checks shift --sample 30% --random-seed 5)"
	# 11 different tests: `./one l 3` is there twice.
	contains "$(cat said)" "veer: 4 of 11 tests are amplified, chosen at random (--random-seed 5); they find a bug with \
probability 36.4% if 1 tests do (6%), 36.4% if 1 tests do (10%), 78.8% if 3 tests do (30%)"
	contains "$(cat said)" "7: not chosen by --sample"
	veer amplify -j1 -o again --sample 3 >said 2>&1 && die "there is no such folder"
	veer amplify -v -j1 --max-distance 0 --checks shift -o out --sample 4 --random-seed 5 >said 2>&1
	same 7 "$(grep -c 'is not amplified: not chosen' said)"
	cp said first
	veer amplify -v -j1 --max-distance 0 --checks shift -o out --sample 4 --random-seed 6 >said 2>&1
	[ "$(grep 'is not amp' said)" != "$(grep 'is not amp' first)" ] || die "other numbers choose other tests"
	# None is lost: without a sample the others have their turn.
	test_suite out >/dev/null
	same "$ALL" "$(found)"
}

# What was found is looked at again when the program is another: it is told of and fails the build as long as it is
# there, not when it is fixed, and again when it is back.
fixed() {
	build
	echo './one d 5 || :' >suite
	same 9 "$(test_suite out --max-distance 0)"
	same "error division-by-zero divide one" "$(found)"
	cp one first
	sed -i 's,x + x,x + x + x,' lib.c
	veer-cc -g -O1 -w one.c lib.c -o one
	echo './one x 5 || :' >suite # no test would find it now
	same 9 "$(test_suite out --max-distance 0)"
	contains "$(cat said)" "veer: found before: F1 error: division-by-zero"
	sed -i 's,a / b,b ? a / b : 0,' lib.c
	veer-cc -g -O1 -w one.c lib.c -o one
	same 0 "$(test_suite out --max-distance 0)"
	contains "$(cat said)" "veer: no longer there: F1 error: division-by-zero"
	same "" "$(in_results out)"
	same 0 "$(test_suite out --max-distance 0)"
	lacks "$(cat said)" "F1"
	cp one fixed
	cp first one
	echo './one d 5 || :' >suite
	same 9 "$(test_suite out --max-distance 0)"
	contains "$(cat said)" "veer: found before: F1 error: division-by-zero"
	cp fixed one
	same 0 "$(test_suite out --max-distance 0)"
	contains "$(cat said)" "veer: no longer there: F1 error: division-by-zero"
	sed -i 's,b ? a / b : 0,a / b,' lib.c
	veer-cc -g -O1 -w one.c lib.c -o one
	echo './one d 5 || :' >suite
	same 9 "$(test_suite out --max-distance 0)"
	contains "$(cat said)" "veer: found before: F1 error: division-by-zero"
	same "error division-by-zero divide one" "$(in_results out)"
}

# Code of a library that veer-cc built is looked at like the program's own, and counts as covered.
library() {
	build
	veer-cc -g -O1 -w -fPIC -shared lib.c -o libone.so
	veer-cc -g -O1 -w one.c -L. -lone -o one
	echo 'LD_LIBRARY_PATH=. ./one d 5 || :' >suite
	same 9 "$(test_suite out --max-distance 0)"
	same "error division-by-zero divide one" "$(found)"
	lacks "$(cat said)" natively
	grep -q '"branches": 5, "before": 2, "after": 2' out/results.json || die "$(cat out/results.json)"
	LD_LIBRARY_PATH=. veer explore -q -o explored -j1 --budget 5s -- ./one d 5 >said 2>&1
	contains "$(cat said)" "division-by-zero at $PWD/lib.c:7 in divide"
}

try "everything is found without filters" everything
try "libraries are looked at, too" library
try "findings go when they are fixed, and come back" fixed
try "programs are left out, and why" programs
try "checks in files and functions are left out, until they are asked for" places
try "findings elsewhere are kept, not told of" left_out
try "only checks of a kind are asked for" checks
try "checks that are not UBSan's have kinds of their own" own_checks
try "findings of a baseline are not told of, wherever the lines are" baseline
try "suppressions by kind, file, function, program" suppressions
try "nonsense is refused by a line, before the tests run" nonsense
try "some tests, chosen at random" sample
finish

#!/bin/sh
# Possible findings of veer cover: what they need, in words; whole runs that are led there; filters; reports. Budgets are in
# processor time; campaigns end sooner.
. "$(dirname "$0")/lib.sh"
PROGRAM=$VEER_SOURCE/tests/programs/possible/ledger.c

build() {
	veer-cc -g -O1 -w "$PROGRAM" -o ledger
	mkdir corpus
	printf 'ebcdx1' >corpus/1
}

# cover ARGUMENT...: with symbolic standard input that begins with the corpus
cover() { veer cover -q -j 1 --cpu-time --budget 20s --sym stdin --seeds corpus "$@"; }

# of FUNCTION KEY: a number or text of the division by zero there, which is a possible finding, in results.json
of() { grep '"kind": "division-by-zero", "level": "possible"' veer-out/results.json | grep "\"function\": \"$1\"" |
	sed -n "s/.*\"$2\": \"\{0,1\}\([^,\"}]*\).*/\1/p"; }

# A whole run is led to what a run of the function showed, though nothing explores whole runs in that session.
promotion() {
	build
	cover --phases inp --runs 1 ./ledger >out
	lacks "$(cat out)" division
	same 0 "$(veer report --possible-all --quick | grep -c 'F[0-9]')"
	code=0
	cover --phases ext --function share --error-exitcode=9 ./ledger >out || code=$?
	same 9 $code
	contains "$(cat out)" "error: division-by-zero at"
	contains "$(cat out)" " in share"
	contains "$(cat out)" "; 1 promoted to errors"
	contains "$(veer report)" 'divides by zero when standard input is "ebcdq0"'
	lacks "$(veer report --possible-all)" possible:
	contains "$(cat veer-out/results.json)" '"promoted": 1,'
	contains "$(veer replay F2)" "F2: again: division-by-zero in share"
	contains "$(veer explain F1)" "a whole run shows the same error: F2"
}

# Whole runs call the function, and none can with what the finding needs.
refutation() {
	build
	cover --phases inp,ext --function level --possible-all ./ledger >out
	contains "$(cat out)" "in level; suppressed: refuted"
	contains "$(cat out)" "when n == 0"
	same refuted "$(of level filter)"
	[ "$(of level calls)" -gt 0 ]
	same "$(of level calls)" "$(of level refuted)"
	contains "$(cat veer-out/results.json)" '"callers": ["main > level"]'
	lacks "$(veer report --possible)" "in level"
	contains "$(veer explain "$(of level id)")" "in 0 of these $(of level calls) calls"
	cover --phases inp,ext --function level --possible-all ./ledger >out # nothing is left to ask
	contains "$(cat out)" " 0 runs"
	same "$(of level calls)" "$(of level refuted)"
}

# What it needs: only what is relevant, as values of the types. Errors are not counted, nor is the exit status other.
words() {
	build
	cover --phases inp --runs 1 ./ledger >out
	cover --phases ext --function unused --possible --error-exitcode=9 ./ledger >out # status 0
	contains "$(cat out)" "0 errors"
	contains "$(cat out)" "possible: division-by-zero at"
	contains "$(cat out)" "and e->tag->number == 5"
	lacks "$(cat out)" name
	[ "$(of unused tried)" -gt 0 ]
	same 0 "$(of unused calling)" # no run comes there
	explained=$(veer explain "$(of unused id)")
	contains "$explained" "What it needs"
	contains "$explained" "e points to 24 bytes"
	contains "$explained" "no call is known that main leads to"
	contains "$explained" "no whole run calls unused (1 tried)"
	contains "$(veer replay "$(of unused id)")" "again: division-by-zero in unused"
	veer report --possible --format sarif >/dev/null
	contains "$(cat veer-out/report.sarif)" 'e->tag->number == 5'
	contains "$(cat veer-out/report.sarif)" '"level": "note"'
	veer report --possible --format html >/dev/null
	contains "$(cat veer-out/report.html)" "e-&gt;tag-&gt;number == 5"
	veer report --format sarif >/dev/null
	lacks "$(cat veer-out/report.sarif)" "divides by zero"
}

# filtered FUNCTION WORD: suppressed by that filter
filtered() {
	rm -rf veer-out
	cover --phases ext,stub --function "$1" ./ledger >out
	contains "$(cat out)" "0 possible findings; suppressed: "
	contains "$(cat out)" " $2"
	lacks "$(veer report --possible)" "in $1"
	contains "$(veer report --possible-all)" "suppressed ($2)"
}

filters() {
	build
	filtered scaled arithmetic
	filtered apart alias
	filtered third beyond
	filtered trusting callee
	filtered main main
}

try "whole runs are led to the error" promotion
try "whole runs refute it" refutation
try "what a finding needs, in words" words
try "filters" filters
finish

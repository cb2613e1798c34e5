#!/bin/sh
# Campaigns on small programs that can be explored completely: tests/programs/explore. What is known of a program stands at
# its head:
#
#   // run: WORDS          behind the program's name     // options: of veer explore     // env: NAME=VALUE
#   // domain: WORDS       of tests/programs/explore/brute.c, which counts the paths without veer
#   // paths: N            there are exactly so many
#   // finds: LEVEL KIND MARK   a bug, in the line that ends with "// MARK"; there is no other
#   /* unreachable */      no run comes to this line, and one side of a branch leads there; all else is reached
. "$(dirname "$0")/lib.sh"
PROGRAMS=$VEER_SOURCE/tests/programs/explore

# field NAME FILE: what its head says
field() { sed -n "s,^// $1: ,,p" "$2"; }

# mark NAME FILE: the number of the line
mark() { grep -n "// $1\$" "$2" | cut -d: -f1; }

# build NAME: once for all tests
build() {
	[ -e "$SCRATCH/$1" ] || veer-cc -g -O1 -w "$PROGRAMS/$1.c" -o "$SCRATCH/$1"
}

# explore NAME OPTION...: what the campaign says goes to the file `said`
explore() {
	source=$PROGRAMS/$1.c
	program=$SCRATCH/$1
	shift
	# shellcheck disable=SC2046
	env $(field env "$source") veer explore -q -v --stats -o out "$@" $(field options "$source") -- "$program" \
		$(field run "$source") </dev/null >said 2>&1 || die "$(cat said)"
}

expected_findings() { # FILE
	field finds "$1" | while read -r level kind where; do
		echo "$level $kind $(mark "$where" "$1")"
	done | sort
}

findings() { sed -n 's/^F[0-9]* \([a-z]*\): \([^ ]*\) at .*:\([0-9]*\) in .*/\1 \2 \3/p' said | sort; }

# reached FILE PROGRAM: all that can be, and nothing else
reached() {
	marked=$(grep -n '/\* unreachable \*/' "$1" | sed 's/\([0-9]*\):.*/line \1/')
	same "$marked
sides $(printf %s "$marked" | grep -c .)" "$(test-covered out "$2" | grep -v '^sides' || true)
$(test-covered out "$2" | grep '^sides')"
}

# found_all NAME: the campaign in `out` and `said` found all there is
found_all() {
	contains "$(cat said)" "complete after"
	same "$(expected_findings "$PROGRAMS/$1.c")" "$(findings)"
	reached "$PROGRAMS/$1.c" "$SCRATCH/$1"
	paths=$(field paths "$PROGRAMS/$1.c")
	[ -z "$paths" ] || same "$paths paths" "$(grep -o '^[0-9]* paths' said)"
}

# all NAME: by every strategy, with one worker and with two; of those that walk, by one in turn, which is enough for
# programs that are all alike to them (tests/e2e/search.sh has the others)
all() {
	build "$1"
	set -- "$1" cfds cgs param round-robin chameleon
	walk=$(($(printf %s "$1" | cksum | cut -d' ' -f1) % 5 + 1))
	for search in generational dfs bfs random "$(shift $walk && echo "$1")"; do
		jobs=1
		[ $search != generational ] || jobs=2
		rm -rf out
		explore "$1" --search $search -j$jobs --weights "$PROGRAMS/weights" --tune runs=100
		echo "--search $search -j$jobs"
		found_all "$1"
	done
}

# brute NAME: are the paths that its head says all paths?
brute() {
	"$CLANG" -w -O0 -I"$VEER_SOURCE/include" -fsanitize-coverage=edge,trace-pc,no-prune -Dmain=program \
		-Dread=brute_read -Dgetchar=brute_getchar -Dputs=brute_puts -c "$PROGRAMS/$1.c" -o brute.o
	"$CLANG" -O1 brute.o "$PROGRAMS/brute.c" -o brute
	set -f
	# shellcheck disable=SC2046
	same "$(field paths "$PROGRAMS/$1.c")" "$(./brute $(field domain "$PROGRAMS/$1.c"))"
}

# stored: the findings of the campaign, over all its parts
stored() { sqlite3 out/veer.db "SELECT level || ' ' || kind || ' ' || line FROM findings ORDER BY 1"; }

# finished NAME: as `found_all`, after a campaign of several parts
finished() {
	contains "$(cat said)" "complete after"
	same "$(expected_findings "$PROGRAMS/$1.c")" "$(stored)"
	reached "$PROGRAMS/$1.c" "$SCRATCH/$1"
	same "$(field paths "$PROGRAMS/$1.c") paths" "$(grep -o '^[0-9]* paths' said)"
	same "$(stored | grep -c .)" "$(find out/findings -name reproduce.sh | grep -c .)"
}

# interrupted NAME SIGNAL: again and again; the last part runs to the end
interrupted() {
	build "$1"
	for after in 0.05 0.3 0.2 0.6 0.4 0.8; do
		veer explore -q -o out -j1 --search bfs -- "$SCRATCH/$1" >part 2>&1 </dev/null &
		sleep $after
		kill "-$2" $! 2>/dev/null || true
		wait $! || true
	done
	explore "$1" -j2
	finished "$1"
}
killed() { interrupted sizes KILL; }

# It says so, and ends in good order.
stopped() {
	build words
	veer explore -q -o out -j1 -- "$SCRATCH/words" --sym-stdin 6 >said 2>&1 </dev/null &
	pid=$!
	until [ -s out/veer.db-wal ]; do sleep 0.01; done # before it is done, which does not take long
	kill -INT $pid
	code=0
	wait $pid || code=$?
	same 130 $code
	contains "$(cat said)" "stopped after"
	explore words -j1
	contains "$(cat said)" "complete after"
	reached "$PROGRAMS/words.c" "$SCRATCH/words"
}

# straight NAME: all solutions go where they should
straight() {
	build "$1"
	explore "$1" -j1
	found_all "$1"
	same "$(grep -o 'should: [0-9]* of' said | tr -dc 0-9)" "$(grep -o 'should: [0-9]* of [0-9]*' said | sed 's/.* //')"
}

# Where an argument is does not depend on how long the others are.
shifted() { straight shifted; }

# How much a read finds depends on the one before.
blocks() { straight blocks; }

# Runs see the working folder under another name.
named_in_landlock() {
	build named
	explore named -j1 --sandbox landlock
	found_all named
	lacks "$(sqlite3 out/veer.db 'SELECT hex(data) FROM bytes')" "$(printf /cwd/A | od -An -tx1 | tr -d ' \n' | tr a-f A-F)"
}

# The file that @@ stands for lies elsewhere there.
file_in_landlock() {
	build file
	explore file -j1 --sandbox landlock
	found_all file
}

# A campaign that was complete is so again at once: nothing is solved, nothing is found twice.
again() {
	build sizes
	explore sizes -j1
	finished sizes
	explore sizes -j1 --search random
	finished sizes
	contains "$(cat said)" "0 runs ("
	contains "$(cat said)" "; 0 queries"
	lacks "$(cat said)" "F1 "
}

# The input of a finding, made smaller, is the solution of a way that comes later.
shrunk() {
	build lines
	veer explore -q -v --stats -o out -j1 --search dfs -- "$SCRATCH/lines" --sym-stdin 5 >said 2>&1 </dev/null
	contains "$(cat said)" "complete after"
	contains "$(cat said)" "247 paths; 0 alternatives"
}

# What was left out is not called complete: more cases than are tried, a library without models.
left_out() {
	{
		echo '#include <klee/klee.h>'
		echo 'int main(void) { unsigned short x; klee_make_symbolic(&x, 2, "x"); switch (x) {'
		i=0
		while [ $i -lt 300 ]; do
			echo "case $((7 * i)): return $((i % 100));"
			i=$((i + 1))
		done
		echo '} return 101; }'
	} >many.c
	veer-cc -g -w many.c -o many
	veer explore -q -v --stats -o out -j1 -- ./many >said 2>&1 </dev/null
	contains "$(cat said)" "ended after"
	cat >lost.c <<-'END'
		#include <klee/klee.h>
		#include <stdlib.h>
		int main(void)
		{
			unsigned char x;
			klee_make_symbolic(&x, 1, "x");
			return l64a(x)[0] == 'z'; // no model
		}
	END
	veer-cc -g -w lost.c -o lost
	veer explore -q --stats -o lost.out -j1 -- ./lost >said 2>&1 </dev/null
	contains "$(cat said)" "ended after"
}

# What the solver does not see is found by mutation, for the rest of the budget: a number that comes back through a pipe,
# a name that a function without a model compares. Without a budget the campaign ends, and is not complete.
past_the_solver() {
	for name in covert_pipe covert_socket; do
		veer-cc -g -DLEVEL=1 "$VEER_SOURCE/tests/programs/obstacle/$name.c" -o $name
		veer explore -q --budget 60s -o $name.out -j1 -- ./$name x >said 2>&1 </dev/null &
		pid=$!
		i=0
		until [ -e $name.out/findings/F1 ] || ! kill -0 $pid 2>/dev/null || [ $((i += 1)) -gt 600 ]; do sleep 0.1; done
		kill -INT $pid 2>/dev/null || true
		wait $pid || true
		contains "$(cat said)" "error: abort"
		contains "$(cat said)" "lost input where there is no model"
	done
	veer explore -q -o none.out -j1 -- ./covert_socket x >said 2>&1 </dev/null
	contains "$(cat said)" "ended after"
	contains "$(cat said)" "; 0 runs of mutated inputs"
}

# bad TEXT STATUS OPTION...: refused with one line, or with that and how it is used
bad() {
	text=$1
	code=$2
	shift 2
	same "$code" "$(status veer explore "$@" 2>refused </dev/null)"
	contains "$(cat refused)" "$text"
}

wrong_arguments() {
	build file
	bad "no program to explore" 2
	bad "such a" 2 --budget soon -- "$SCRATCH/file"
	bad "strategy" 2 --search best -- "$SCRATCH/file"
	bad "sym" 2 --sym nothing -- "$SCRATCH/file"
	bad "no such program" 1 -- ./nothing
	bad "number" 1 -o x1 -- "$SCRATCH/file" --sym-arg many
	bad "MIN <= MAX" 1 -o x2 -- "$SCRATCH/file" --sym-args 3 1 2
	bad "seeds" 1 -o x3 --seeds nowhere -- "$SCRATCH/file" @@
	cp "$PROGRAMS/commands.c" .
	"$CLANG" -w commands.c -o native
	bad "veer-cc" 1 -o x4 -- ./native
	one_line "$(cat refused)"
	touch taken
	bad "taken" 1 -o taken -- "$SCRATCH/file" @@
	one_line "$(cat refused)"
}

another_command() {
	build commands
	explore commands -j1
	bad "another command" 1 -q -o out -- "$SCRATCH/commands" --sym-arg 5
	one_line "$(cat refused)"
	explore commands -j1
	contains "$(cat said)" "complete after"
}

two_at_once() {
	build words
	veer explore -q -o out -j1 -- "$SCRATCH/words" --sym-stdin 6 >first 2>&1 </dev/null &
	until [ -e out/veer.db ]; do sleep 0.01; done
	kill -STOP $! # it would be done before the other begins
	bad "out" 1 -q -o out -- "$SCRATCH/words" --sym-stdin 6
	one_line "$(cat refused)"
	kill -CONT $!
	wait $!
	contains "$(cat first)" "complete after"
}

# Findings show themselves without veer.
reproduced() {
	build sum16
	explore sum16 -j1
	"$CLANG" -w -g -fsanitize=address,undefined "$PROGRAMS/sum16.c" -o plain
	contains "$(PROGRAM=./plain out/findings/F1/reproduce.sh 2>&1)" "stack-buffer-overflow"
	veer replay -o out F1 >replayed 2>&1 || die "$(cat replayed)"
}

for source in "$PROGRAMS"/*.c; do
	NAME=$(basename "$source" .c)
	[ "$NAME" != brute ] || continue
	explored() { all "$NAME"; }
	counted() { brute "$NAME"; }
	[ -z "$(field domain "$source")" ] || try "the paths of $NAME.c are counted right" counted
	try "$NAME.c is explored completely" explored
done
# The campaign's folder is a small file system below the program's: the sandbox has to bear that, too.
full_disk() {
	build words
	mkdir small
	unshare -m true 2>/dev/null || skip "cannot mount here"
	unshare -m sh -c '
		mount -t tmpfs -o size=1m tmpfs small || exit 77
		explore() { veer explore -q -o small/out -j1 "$@" </dev/null; }
		explore --runs 5 -- "$0" --sym-stdin 6 >begun 2>&1
		dd if=/dev/zero of=small/filler bs=4k 2>/dev/null
		truncate -s -60K small/filler # for what SQLite needs to open it
		explore -- "$0" --sym-stdin 6 >said 2>&1 && exit 1
		rm small/filler
		explore -- "$0" --sym-stdin 6 >again 2>&1' "$SCRATCH/words" || {
		[ $? -ne 77 ] || skip "cannot mount here"
		die "$(cat begun said again 2>&1)"
	}
	contains "$(cat said)" "the disk is full"
	contains "$(cat again)" "complete after"
}

try "full disk, it goes on" full_disk
try "files keep their names in Landlock" named_in_landlock
try "the program's file in Landlock" file_in_landlock
try "arguments stay where they are" shifted
try "reads go on from where they were" blocks
try "killed, it goes on" killed
try "interrupted, it goes on" stopped
try "a complete campaign stays complete" again
try "the input of a finding is an input" shrunk
try "what is left out is told" left_out
try "what the solver does not see" past_the_solver
try "wrong arguments" wrong_arguments
try "another command in the same folder" another_command
try "two campaigns in one folder" two_at_once
try "findings are reproduced without veer" reproduced
finish

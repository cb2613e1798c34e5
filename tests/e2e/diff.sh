#!/bin/sh
# veer diff: pairs of programs in tests/programs/diff, one source each, whose new version is made with -DNEW. Its first
# lines say how it is run (args:) and, of a regression, which function causes it (function:).
. "$(dirname "$0")/lib.sh"
PAIRS=$VEER_SOURCE/tests/programs/diff

# pair SOURCE: builds both versions
pair() {
	rm -rf old new veer-diff
	mkdir old new
	cp "$1" old/prog.c
	cp "$1" new/prog.c
	(cd old && veer-cc -g -w prog.c -o prog)
	(cd new && veer-cc -g -w -DNEW prog.c -o prog)
}

# silently COMMAND...: its exit status; what it prints goes to out and err
silently() {
	if "$@" >out 2>err </dev/null; then echo 0; else echo $?; fi
}

head_of() { sed -n "s|^// $1: *||p" "$2" | head -n 1; }

# differ SOURCE OPTION...: of both versions; the exit status
differ() {
	source=$1
	shift
	# shellcheck disable=SC2046
	status veer diff -q -j1 --cpu-time "$@" old/prog new/prog -- $(head_of args "$source") </dev/null
}

# top: the functions of the first three differences
top() { sed -n 's/.*{"id": "D[123]", "function": "\([^"]*\)".*/\1/p' veer-diff/results.json; }

# Every regression is found, its function among the first three; the script shows it without veer.
regression() {
	source=$PAIRS/regressions/$1.c
	pair "$source"
	out=$(differ "$source" --runs 300 --budget 10s)
	contains "$out" "D1 "
	same 1 "$(printf '%s\n' "$out" | tail -n 1)"
	top | grep -qx "$(head_of function "$source")" || die "another function: $(cat veer-diff/results.json)"
	contains "$(cat veer-diff/results.json)" '"class": "confirmed"'
	same 1 "$(silently sh veer-diff/differences/D1/reproduce.sh)"
	contains "$(cat out)" "exit status"
	same 0 "$(silently sh veer-diff/differences/D1/reproduce.sh "$PWD/old/prog" "$PWD/old/prog")"
}

# No difference is reported on a refactoring.
refactoring() {
	source=$PAIRS/refactorings/$1.c
	pair "$source"
	out=$(differ "$source" --runs 150 --budget 10s)
	same 0 "$(printf '%s\n' "$out" | tail -n 1)"
	lacks "$(cat veer-diff/results.json)" '"id": "D'
	lacks "$(cat veer-diff/results.json)" '"verdict": "different"'
}

# What nothing is run for: verdicts of functions that only look different.
not_run() {
	pair "$PAIRS/refactorings/assigned_by_memcpy.c"
	veer diff old/prog new/prog >out
	contains "$(cat out)" "no difference in code"
	[ ! -e veer-diff/veer.db ]
	pair "$PAIRS/regressions/sign_twice.c"
	contains "$(veer diff --changes old/prog new/prog)" "1 of 2 can behave differently"
	contains "$(cat veer-diff/results.json)" '"name": "number", "file": "prog.c", "verdict": "undecided", "inputs": 0, "reason": "nothing was run"'
}

# A difference that is accepted no longer changes the exit status.
baseline() {
	source=$PAIRS/regressions/lost_error.c
	pair "$source"
	same 7 "$(differ "$source" --runs 100 --error-exitcode 7 --write-baseline known | tail -n 1)"
	contains "$(cat known)" "exit-status prog.c check"
	out=$(differ "$source" --runs 1 --baseline known)
	same 0 "$(printf '%s\n' "$out" | tail -n 1)"
	contains "$out" "1 accepted by the baseline"
	contains "$(cat veer-diff/results.json)" '"accepted": true'
}

# A campaign that was killed goes on; programs that were built anew replace it.
resumed() {
	source=$PAIRS/regressions/sign_twice.c
	pair "$source"
	veer diff -q -j1 --budget 60s old/prog new/prog -- 00 </dev/null >/dev/null 2>&1 &
	for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		sleep 0.5
		[ ! -e veer-diff/veer.db ] || break
	done
	sleep 2
	kill -9 $!
	wait $! || true
	same 1 "$(differ "$source" --runs 300 --budget 60s | tail -n 1)"
	before=$(sed -n 's/.*"runs": \([0-9]*\).*/\1/p' veer-diff/results.json | head -n 1)
	same 1 "$(differ "$source" --runs 1 | tail -n 1)"
	[ "$(sed -n 's/.*"runs": \([0-9]*\).*/\1/p' veer-diff/results.json | head -n 1)" -ge "$before" ]
	cp old/prog new/prog
	contains "$(veer diff old/prog new/prog -- 00)" "no difference in code"
}

# Killed at any time: the next session goes on, and finds what one that is not killed finds.
killed_often() {
	source=$PAIRS/regressions/evaluation_order.c
	pair "$source"
	for delay in 0.1 0.4 0.9 1.5; do
		veer diff -q -j1 --budget 60s old/prog new/prog -- 72- </dev/null >/dev/null 2>&1 & # which ends too late
		sleep "$delay"
		kill -9 $!
		wait $! || true
	done
	same 1 "$(differ "$source" --runs 300 --budget 60s | tail -n 1)"
	top | grep -qx apply || die "another function: $(cat veer-diff/results.json)"
	same "" "$(find "$VEER_CACHE_DIR/runs" -mindepth 1 ! -name '*.lock' 2>/dev/null | head -n 5)"
}

deterministic() {
	source=$PAIRS/regressions/wrong_field.c
	pair "$source"
	for time in 1 2; do
		differ "$source" --deterministic --runs 100 --budget 10m -o "time$time" >/dev/null
	done
	same "$(cat time1/results.json)" "$(cat time2/results.json)"
	same "$(cat time1/differences/*/report.txt)" "$(cat time2/differences/*/report.txt)"
}

# What the old version does differently each time is no difference.
noise() {
	mkdir old new
	cat >old/prog.c <<'EOF'
#include <stdio.h>
#include <time.h>
int main(int argc, char **argv)
{
	struct timespec t;
	clock_gettime(CLOCK_REALTIME, &t);
	printf("%ld\n", t.tv_nsec);
	return argc > 1 && argv[1][0] == 'k' ? VALUE : 0;
}
EOF
	cp old/prog.c new/prog.c
	(cd old && veer-cc -g -w -DVALUE=0 prog.c -o prog)
	(cd new && veer-cc -g -w "-DVALUE=argc > 9" prog.c -o prog)
	same 0 "$(differ old/prog.c --runs 20 --budget 20s | tail -n 1)"
	contains "$(cat veer-diff/results.json)" '"differences": []'
	[ "$(sed -n 's/.*"noise": \([0-9]*\).*/\1/p' veer-diff/results.json)" -gt 0 ]
}

# repository: two commits of a program with a Makefile; the second one has a regression
repository() {
	mkdir repo
	cd repo
	git init -q -b main .
	git config user.email t@example.org
	git config user.name t
	sed -e '/^#ifdef NEW/,/^#else/d' -e '/^#endif/d' "$PAIRS/regressions/lost_error.c" >prog.c
	printf 'CC = cc\nprog: prog.c\n\t$(CC) -g -w prog.c -o prog\n' >Makefile
	echo prog >.gitignore
	git add . && git commit -q -m one
	sed -e '/^#else/,/^#endif/d' -e '/^#ifdef NEW/d' "$PAIRS/regressions/lost_error.c" >prog.c
	git commit -q -a -m two
}

# state: of the user's tree and repository
state() { { git status --porcelain --ignored | grep -vE 'veer-diff|out$|err$' || true; git worktree list; git stash list; git for-each-ref; cat prog.c; } | cksum; }

revisions() {
	repository
	before=$(state)
	same 1 "$(silently veer diff -q -j1 --runs 200 --budget 30s HEAD~1 HEAD -- @@)"
	contains "$(cat out)" "D1 exit-status in check, prog.c"
	same "$before" "$(state)"
	same 1 "$(silently sh veer-diff/differences/D1/reproduce.sh)"
	same 0 "$(silently veer diff -q HEAD HEAD -- @@)"
	rm -r veer-diff
	# In a hook, variables name the user's repository and index; options may stand behind the versions.
	same 0 "$(silently env GIT_DIR=.git "GIT_INDEX_FILE=$PWD/.git/index" "GIT_WORK_TREE=$PWD" veer diff HEAD~1 HEAD --changes)"
	contains "$(cat out)" "code       check"
	same "$before" "$(state)"
	git worktree add -q ../linked HEAD~1
	(cd ../linked && same 0 "$(silently veer diff --changes main~1 main)" && contains "$(cat out)" "code       check") || false
	git worktree remove --force ../linked
	rm -r veer-diff
	# The working tree: changed, added and deleted files, not only those of the commit.
	git mv prog.c moved.c
	sed -i 's/prog\.c/moved.c/; s/moved.c -o/moved.c more.c -o/' Makefile
	echo 'int more(void) { return 1; }' >more.c
	sed -i 's/return 0;/return more();/; s/^static/int more(void);\n&/' moved.c
	cp moved.c prog.c # is none of the version's: it was deleted, and is untracked now
	before=$(state)
	same 1 "$(silently veer diff -q -j1 --runs 200 --budget 30s --build 'make CC=veer-cc' HEAD -- @@)"
	contains "$(cat out)" "in check, moved.c"
	contains "$(veer diff --changes HEAD -- @@ 2>&1)" "added      more  more.c"
	same "$before" "$(state)"
	same "" "$(ls "$VEER_CACHE_DIR/tmp" | grep -v '\.lock$' || true)"
}

# Several programs in one tree: each that changed is compared.
programs() {
	repository
	sed -i 's/^prog: prog.c/all: prog other\n&/' Makefile
	printf 'other: other.c\n\t$(CC) -g -w other.c -o other\n' >>Makefile
	echo 'int main(void) { return 0; }' >other.c
	git add . && git commit -q -m three
	sed -i 's/return 4;/return 5;/' prog.c
	same 1 "$(silently veer diff -q -j1 --runs 50 HEAD -- @@)"
	contains "$(cat out)" "prog: functions: 1 of"
	lacks "$(cat out)" "other:"
	[ -e veer-diff/programs/prog/differences/D1/report.txt ]
	same 0 "$(silently veer diff -q --program other HEAD -- @@)"
}

# Killed while it builds: nothing is left but what the next one removes.
killed() {
	repository
	before=$(state)
	veer diff -q --build 'touch started; sleep 20; make CC=veer-cc' HEAD~1 HEAD >/dev/null 2>&1 &
	for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		sleep 0.5
		[ -z "$(find "$VEER_CACHE_DIR/tmp" -name started 2>/dev/null)" ] || break
	done
	kill -9 $!
	wait $! || true
	same "$before" "$(state)"
	veer diff --changes HEAD HEAD >/dev/null 2>&1
	same "" "$(find "$VEER_CACHE_DIR/tmp" -name started)"
}

bad_input() {
	check() { # text, command...
		text=$1
		shift
		same 2 "$(silently "$@")"
		one_line "$(grep -v '^veer: building\|^Usage\|^See' err)"
		contains "$(cat err)" "$text"
	}
	check "in no git repository" veer diff HEAD
	repository
	before=$(state)
	check "neither a program nor a revision" veer diff nonsense HEAD
	check "which versions" veer diff
	check "--budget wants" veer diff --budget x HEAD
	check "no program in common that veer-cc built" veer diff --build 'cc -w prog.c -o prog' HEAD~1 HEAD
	check "HEAD~1 does not build: 'make CC=veer-cc broken' ended with status 2: make: *** No rule" veer diff \
		--build 'make CC=veer-cc broken' HEAD~1 HEAD
	check "no stray in common" veer diff --program stray HEAD~1 HEAD
	check "--tests: 'true' ran no program" veer diff --tests true HEAD~1 HEAD
	git rm -q --cached Makefile && rm Makefile && git commit -q -m four
	check "give --build" veer diff HEAD~1 HEAD
	git clone -q --bare . ../bare
	cd ../bare
	check "bare repository" veer diff HEAD
	same 0 "$(silently veer diff -q --changes --build 'make CC=veer-cc' -o ../bare-diff HEAD~2 HEAD~1)" # a file HEAD is there, too
	[ ! -e ../repo/prog ] && [ ! -e prog ]
}

# Inputs of the program's own tests, in the folders that these had.
tests() {
	pair "$PAIRS/regressions/lost_error.c"
	printf '#!/bin/sh\nprintf "#!\\n" >in && new/prog in\n' >check.sh
	chmod +x check.sh
	same 1 "$(silently veer diff -q -j1 --runs 6 --tests ./check.sh old/prog new/prog)"
	contains "$(cat out)" "D1 exit-status in check"
}

# possible: the functions with possible differences
possible() { sed -n 's/.*"function": "\([^"]*\)".*"class": "possible".*/\1/p' veer-diff/results.json | sort -u | tr '\n' ' '; }

# until_possible SOURCE FUNCTION...: sessions of a campaign until all of them have one
until_possible() {
	source=$1
	shift
	for _ in 1 2 3 4 5 6 7 8; do
		same 0 "$(differ "$source" --budget 4s | tail -n 1)"
		missing=
		for function in "$@"; do
			case " $(possible)" in *" $function "*) ;; *) missing="$missing $function" ;; esac
		done
		[ "$missing" ] || return 0
	done
	die "none in$missing"
}

# A function that no run of the program calls is entered with made-up state; the exit status counts only what a program
# shows, unless --possible is given.
entered() {
	source=$PAIRS/entered/unreached.c
	pair "$source"
	until_possible "$source" toarith
	contains "$(cat veer-diff/results.json)" '"function": "toarith", "file": "prog.c", "identifier": "v->u.i", "kind": "value", "class": "possible"'
	contains "$(cat veer-diff/differences/D1/report.txt)" "the smallest state that shows it"
	contains "$(veer report -o veer-diff)" "possible"
	veer report -o veer-diff --format sarif >/dev/null
	contains "$(cat veer-diff/report.sarif)" possible
	refused=$(veer export -o veer-diff --as sh D1 2>&1) || true
	contains "$refused" "no run of the program shows it"
	same 1 "$(differ "$source" --budget 1s --possible | tail -n 1)"
	rm -r veer-diff
	contains "$(differ "$source" --budget 2s --whole-runs)" "0 differences"
	same "" "$(possible)"
}

entered_changed() {
	source=$PAIRS/entered/changed.c
	pair "$source"
	until_possible "$source" drop fill length pick
	lacks "$(possible)" main
}

# What depends on addresses, fresh memory, names or the order of accesses is no difference, nor what callers make up for.
entered_refactored() {
	source=$PAIRS/entered/refactored.c
	pair "$source"
	same 0 "$(differ "$source" --budget 6s | tail -n 1)"
	same "" "$(possible)"
	contains "$(cat veer-diff/results.json)" "all that call it leave the same"
}

# The solver proves small functions to be the same, and finds the only numbers at which others are not: as trying all
# numbers does.
proofs() {
	rm -rf old new veer-diff
	mkdir old new
	cp "$PAIRS"/proofs/* old
	cp "$PAIRS"/proofs/* new
	(cd old && veer-cc -g -w program.c -o prog)
	(cd new && veer-cc -g -w -DNEW program.c -o prog)
	"${CC:-cc}" -w "$PAIRS/proofs/brute.c" -o brute
	./brute >expected
	veer diff -q -j1 --cpu-time --budget 30s --runs 160 old/prog new/prog </dev/null >/dev/null
	sed -n 's/.*"name": "\([^"]*\)".*"verdict": "\([^"]*\)".*/\1 \2/p' veer-diff/results.json >found
	same "$(sort expected)" "$(sort found)"
	same 8 "$(grep -c "the solver proves" veer-diff/results.json)"
}

# Through pointers and with branches, too.
proved() {
	source=$PAIRS/entered/proved.c
	pair "$source"
	out=$(differ "$source" --budget 20s)
	contains "$out" "2 the same"
	contains "$out" "0 differences"
	contains "$(cat veer-diff/results.json)" "the solver proves"
}

# Two numbers that no branch tells from others: the solver finds them in the function, then a whole run that has them;
# also when an earlier session ran and compared inputs, and asked nothing about them.
lifted() {
	source=$PAIRS/regressions/one_number.c
	pair "$source"
	contains "$(differ "$source" --runs 12)" "0 differences"
	out=$(differ "$source" --budget 10s --runs 300)
	contains "$out" "D1 output in price"
	contains "$(cat veer-diff/results.json)" '"class": "confirmed"'
	contains "$(cat veer-diff/differences/D1/report.txt)" '"#74321"'
	same 1 "$(silently sh veer-diff/differences/D1/reproduce.sh)"
}

# bench/diff/pairs runs all of them. Not here: hang, which takes seconds whenever it is compared.
for name in crash leaked_state lost_error member_at_offset positional_initialiser read_raw sign_twice \
	table_entry wrong_field written_file; do
	eval "one() { regression $name; }"
	try "regression: $name" one
done
for name in assigned_by_memcpy common_exit early_return moved_fields renamed state_in_struct; do
	eval "one() { refactoring $name; }"
	try "refactoring: $name" one
done
try "what differs in no code is not run" not_run
try "entered: a function that nobody calls" entered
try "entered: regressions" entered_changed
try "entered: refactorings" entered_refactored
try "proofs, beside trying all values" proofs
try "proved to be the same" proved
try "whole runs are led to what made-up state shows" lifted
try "baseline" baseline
try "killed and continued" resumed
try "killed often" killed_often
try "deterministic" deterministic
try "noise" noise
try "revisions of git, and the working tree" revisions
try "several programs" programs
try "killed while building" killed
try "recorded tests" tests
try "bad input" bad_input
finish
